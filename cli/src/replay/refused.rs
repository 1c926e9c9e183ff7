//! What a replay prints of the statements that each rule refused.

use super::refusals::{Alone, Refusals};
use super::report::{Report, statement_of};
use super::tally::Shape;
use super::throttle::{RuleOutcome, Throttle};
use crate::output::{Failure, OneLine, Output, thousands};
use serde_json::json;
use sqlthrottle::Fingerprint;

/// A shape, as one rule saw it.
#[derive(Debug)]
struct Refused<'a> {
    fingerprint: Fingerprint,
    /// How many of it the rule refused or let wait.
    count: u64,
    /// What else is known; none where the shape was let go.
    shape: Option<&'a Shape>,
    alone: Option<Alone>,
}

impl Report<'_> {
    /// The shapes that a rule refused most, and how many refusals are not among them.
    fn refused_by(&self, rule: &RuleOutcome, refusals: &Refusals) -> (Vec<Refused<'_>>, u64) {
        let top = refusals.top(rule.place, self.top);
        let rest = refusals.sum(rule.place) - top.iter().map(|(_, count)| count).sum::<u64>();
        let each = top.into_iter().map(|(fingerprint, count)| {
            let shape = self.replay.tally.get(&fingerprint);
            let alone = shape.and_then(|shape| refusals.followed.alone(shape, &rule.terms.limit));
            Refused { fingerprint, count, shape, alone }
        });
        (each.collect(), rest)
    }

    /// A table for each rule that refused anything.
    pub(super) fn print_refused(&self, throttle: &Throttle, output: &mut Output) -> Result<(), Failure> {
        let Some(refusals) = &throttle.refusals else { return Ok(()) };
        for rule in throttle.outcomes().iter().filter(|rule| refusals.sum(rule.place) > 0) {
            let (refused, rest) = self.refused_by(rule, refusals);
            output.heading(format_args!("Refused by {}: {}", OneLine(rule.name.as_str()), rule.terms))?;
            let rows: Vec<_> = refused.iter().map(row).collect();
            output.table(&["refused", "of", "own peak", "innocent", "statement"], &rows)?;
            if rest > 0 {
                output.line(format_args!("and {} more of other statements", thousands(rest)))?;
            }
            output.line("")?;
        }
        Ok(())
    }

    /// An object for each of the same shapes.
    pub(super) fn print_json_refused(&self, throttle: &Throttle, output: &mut Output) -> Result<(), Failure> {
        let Some(refusals) = &throttle.refusals else { return Ok(()) };
        for rule in throttle.outcomes().iter().filter(|rule| refusals.sum(rule.place) > 0) {
            let (refused, rest) = self.refused_by(rule, refusals);
            for one in refused {
                output.json(&json!({
                    "type": "refused",
                    "rule": rule.name.as_str(),
                    "fingerprint": one.fingerprint.to_string(),
                    "normalized": one.shape.map(|shape| &shape.text),
                    "refused": one.count,
                    "count": one.shape.map(|shape| shape.count),
                    "own_peak": one.alone.map(|alone| alone.own_peak),
                    "max": one.alone.map(|alone| alone.max),
                    "innocent": one.alone.map(Alone::is_innocent),
                }))?;
            }
            if rest > 0 {
                output.json(&json!({
                    "type": "refused", "rule": rule.name.as_str(), "fingerprint": null, "refused": rest,
                }))?;
            }
        }
        Ok(())
    }
}

fn row(one: &Refused<'_>) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        thousands(one.count),
        or_dash(one.shape.map(|shape| thousands(shape.count))),
        or_dash(one.alone.map(|alone| thousands(alone.own_peak))),
        or_dash(one.alone.map(|alone| if alone.is_innocent() { "yes" } else { "no" }.to_owned())),
        statement_of(&one.fingerprint, one.shape.map_or("", |shape| &shape.text)),
    ]
}
