//! What the host's provider of thresholds has said.

use super::active_rule::{ActiveRule, Terms};
use super::current::InForce;
use super::generations::Generations;
use super::plan::Plan;
use super::rule_set::RuleSet;
use super::shape::Planned;
use super::{Engine, Inner};
use crate::clock::Reading;
use crate::decision::RuleName;
use crate::error::LoadError;
use crate::fingerprint::Fingerprint;
use crate::limit::nanos;
use crate::rule::Threshold;
use crate::rule::matcher::ShapeFacts;
use ahash::RandomState;
use sqlthrottle_cells::lock::{self, Lock};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// How long a fingerprint of which the provider has never said anything passes without it, once asking failed.
const BRIDGED: Duration = Duration::from_secs(1);

/// The thresholds that a provider has named, by fingerprint.
#[derive(Debug)]
pub(super) struct Provided {
    /// Whether the host has a provider.
    is_asked: bool,
    hasher: RandomState,
    answers: Lock<Generations<Answer>>,
    /// Of the answers.
    bytes: AtomicUsize,
    failures: AtomicU64,
}

#[derive(Debug)]
struct Answer {
    fingerprint: Fingerprint,
    threshold: Option<Threshold>,
    /// When it is to be renewed; it stays in force until it is.
    until: u64,
}

/// What a provider has said of a fingerprint.
#[derive(Debug)]
pub(super) enum Said<T> {
    /// It is to be asked first.
    NotYet,
    /// It has no threshold for it, or there is no provider.
    Nothing,
    Something(T),
}

impl<T> Said<T> {
    /// What it has said, if anything.
    pub(super) fn something(&self) -> Option<&T> {
        match self {
            Self::Something(said) => Some(said),
            Self::NotYet | Self::Nothing => None,
        }
    }
}

impl Provided {
    /// Answers for about `most` fingerprints.
    pub(super) fn new(is_asked: bool, most: usize) -> Self {
        Self {
            is_asked,
            hasher: RandomState::new(),
            answers: Lock::new(Generations::new(bytes(most))),
            bytes: AtomicUsize::new(bytes(most)),
            failures: AtomicU64::new(0),
        }
    }

    /// Keeps answers for about so many fingerprints from now on.
    pub(super) fn set_most(&self, most: usize) {
        self.bytes.store(bytes(most), Ordering::Relaxed);
        self.answers().change().set_bytes(bytes(most));
    }

    /// Whether the host has a provider.
    pub(super) const fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// How often the provider has failed.
    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// What the provider has said of a fingerprint.
    fn get(&self, fingerprint: &Fingerprint) -> Said<Threshold> {
        if !self.is_asked {
            return Said::Nothing;
        }
        let hash = self.hasher.hash_one(fingerprint);
        let is = |answer: &Answer| answer.fingerprint == *fingerprint;
        let answers = self.answers();
        match answers.young(hash, is).or_else(|| answers.old(hash, is)) {
            None => Said::NotYet,
            Some(Answer { threshold: None, .. }) => Said::Nothing,
            Some(Answer { threshold: Some(threshold), .. }) => Said::Something(threshold.clone()),
        }
    }

    /// Takes note of what the provider says. Returns whether it has said something else before.
    fn set(&self, answer: Answer) -> bool {
        let hash = self.hasher.hash_one(answer.fingerprint);
        let mut answers = self.answers().change();
        let known = answers.get(hash, |known| known.fingerprint == answer.fingerprint);
        match known {
            Some(known) if known.threshold == answer.threshold => {
                known.until = answer.until;
                false
            }
            Some(known) => {
                *known = answer;
                true
            }
            None => {
                answers.insert(hash, answer, 0);
                let outlived = answers.take_outlived();
                drop(answers);
                drop(outlived);
                // A plan is made by an answer only.
                false
            }
        }
    }

    /// Lets an answer stand until a later time; whether there is one.
    fn bridge(&self, fingerprint: &Fingerprint, until: u64) -> bool {
        let hash = self.hasher.hash_one(fingerprint);
        let mut answers = self.answers().change();
        let known = answers.get(hash, |known| known.fingerprint == *fingerprint);
        known.map(|known| known.until = until).is_some()
    }

    /// The answers, for this thread alone. Where a thread was changing them while another one forked, there are none in the
    /// child, and the provider is asked again.
    fn answers(&self) -> lock::Reading<'_, Generations<Answer>> {
        self.answers.read_or(|| Generations::new(self.bytes.load(Ordering::Relaxed)))
    }

    fn due(&self, now: u64, most: usize) -> Vec<Fingerprint> {
        let answers = self.answers();
        answers.iter().filter(|answer| now >= answer.until).map(|answer| answer.fingerprint).take(most).collect()
    }
}

/// The bytes of a cache for so many answers in each of its generations.
fn bytes(most: usize) -> usize {
    most.saturating_mul(4 * size_of::<Answer>())
}

impl Engine {
    /// Says what the host's provider of thresholds says of a fingerprint: a threshold, or that it has none. It holds from the
    /// next check on. After the time to live it is [due](Self::thresholds_due) to be renewed, and stays in force until it is.
    ///
    /// # Errors
    ///
    /// A threshold that is out of its bounds. What was said before stays in force.
    pub fn set_threshold(
        &self,
        fingerprint: &Fingerprint,
        threshold: Option<Threshold>,
        time_to_live: Duration,
    ) -> Result<(), LoadError> {
        let inner = &*self.0;
        if let Some(threshold) = &threshold {
            threshold.validate()?;
        }
        let until = inner.clock.read(Reading::Precise).saturating_add(nanos(time_to_live));
        if inner.provided.set(Answer { fingerprint: *fingerprint, threshold, until }) {
            inner.current.renew();
        }
        Ok(())
    }

    /// Says that the host's provider could not be asked for a fingerprint. What it said before stays in force; where it never
    /// said anything, the statement passes by the other rules alone. Either is due again after a second.
    pub fn threshold_failed(&self, fingerprint: &Fingerprint) {
        let inner = &*self.0;
        inner.provided.failures.fetch_add(1, Ordering::Relaxed);
        let until = inner.clock.read(Reading::Precise).saturating_add(nanos(BRIDGED));
        if !inner.provided.bridge(fingerprint, until) {
            let answer = Answer { fingerprint: *fingerprint, threshold: None, until };
            if inner.provided.set(answer) {
                inner.current.renew();
            }
        }
    }

    /// Fingerprints whose threshold is to be renewed by now, at most so many: for a timer of the host's, which asks the
    /// provider and calls [`set_threshold`](Self::set_threshold).
    pub fn thresholds_due(&self, most: usize) -> Vec<Fingerprint> {
        self.0.provided.due(self.0.clock.read(Reading::Precise), most)
    }
}

impl Inner {
    /// What the provider says of a fingerprint, as a rule of a set.
    pub(super) fn provided(&self, set: &RuleSet, fingerprint: &Fingerprint) -> Said<Arc<ActiveRule>> {
        let threshold = match self.provided.get(fingerprint) {
            Said::Something(threshold) => threshold,
            Said::NotYet => return Said::NotYet,
            Said::Nothing => return Said::Nothing,
        };
        let name = RuleName::threshold(&fingerprint.to_string());
        let terms = Terms::of_threshold(name, &threshold, &[], set.file.mode);
        // Its values are within their bounds, so its window can be counted.
        terms.in_force(Arc::clone(&set.provided), 0).map_or(Said::Nothing, Said::Something)
    }

    /// What the rules, and the provider, come to for a shape.
    pub(super) fn plan(&self, facts: &ShapeFacts<'_>, now: InForce, set: &RuleSet) -> Planned {
        let said = if facts.never_checked { Said::Nothing } else { self.provided(set, facts.fingerprint) };
        let (plan, until, tables) = set.plan(facts, said.something(), self.clock.wall(), self.hot.hasher());
        let number = self.next_shape.fetch_add(1, Ordering::Relaxed);
        if matches!(said, Said::NotYet) && !matches!(plan, Plan::Exempt(_)) {
            // Of no epoch, so that it is looked at anew until the provider has said something.
            return Planned { epoch: 0, until, plan: Plan::ThresholdNeeded, number, tables };
        }
        Planned { epoch: now.epoch(), until, plan, number, tables }
    }
}
