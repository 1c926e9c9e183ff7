//! What a replay says on standard error: what may be wrong with the logs and with the rules.

use super::report::Report;
use super::run::Subject;
use super::throttle::RuleOutcome;
use crate::Exit;
use crate::log::USUAL_DISORDER;
use crate::output::{fail, thousands, warn};
use jiff::Timestamp;
use sqlthrottle::RuleName;
use sqlthrottle::rule::{Mode, On};

/// How many thresholds and how many rules that matched nothing are named.
const NAMED_IDLE: usize = 20;

impl Report<'_> {
    /// Says on standard error what may be wrong with the logs, and how the command ends.
    pub(super) fn complain(&self) -> Exit {
        let mut exit = Exit::Success;
        self.warn_of_idle_rules();
        for (name, log) in self.names.iter().zip(self.logs) {
            let totals = log.totals();
            if totals.lines == 0 && log.fault().is_none() {
                warn(format_args!("no statement in {name}: it is empty"));
            }
            if totals.entries == 0 && totals.lines > 0 {
                warn(format_args!(
                    "{name}: no statement found, lines: {}; does the server log them, and in English?",
                    thousands(totals.lines)
                ));
            }
            if totals.entries > 0 && totals.entries == totals.broken {
                warn(format_args!(
                    "{name}: not one entry could be read, of {}; is it a {}?",
                    thousands(totals.entries),
                    log.format().map_or("log of a database", crate::log::Format::description)
                ));
            }
            if totals.latest > USUAL_DISORDER {
                warn(format_args!(
                    "{name}: entries with a time before that of the entry before them: {}, by up to {:.0} seconds; each is \
                     taken to happen together with it",
                    thousands(totals.late),
                    totals.latest.as_secs_f64()
                ));
            }
            if totals.steps > 0 {
                warn(format_args!(
                    "{name}: times at which the log's clock was set: {}; the entries behind go on from the one before, so \
                     that nothing is counted twice, and their times are no longer those that the log says",
                    thousands(totals.steps)
                ));
            }
            if totals.astray > 0 {
                warn(format_args!(
                    "{name}: entries with a time that their neighbours do not share: {}; each is taken to happen together \
                     with the one before it",
                    thousands(totals.astray)
                ));
            }
            if totals.untimed > 0 {
                warn(format_args!(
                    "{name}: entries without a time: {}; each is taken to begin when the one before it was done, so rates \
                     say little",
                    thousands(totals.untimed)
                ));
            }
            if let Some((line, error)) = log.fault() {
                fail(format_args!("{name}:{line}: {error}; what was read before is counted"));
                exit = Exit::Failure;
            }
        }
        exit
    }

    /// Warns of each rule that no statement matched: a digit or a dialect may be wrong, and nothing else would say so. And of
    /// those whose time was over in the log.
    fn warn_of_idle_rules(&self) {
        let Subject::Throttle(throttle) = &self.replay.subject else {
            return;
        };
        if self.replay.counts.statements == 0 {
            return;
        }
        let outcomes = throttle.outcomes();
        let idle = || {
            let idle = |rule: &&RuleOutcome| rule.outcome.matched == 0 && matches!(rule.name, RuleName::Threshold(_));
            outcomes.iter().filter(idle)
        };
        for rule in outcomes.iter().filter(|rule| rule.is_over) {
            let since = rule.terms.expires.and_then(|expires| Timestamp::try_from(expires).ok());
            let since = since.map_or_else(String::new, |since| format!(" at {since}"));
            warn(format_args!(
                "{} has expired{since}: what the logs have from then on is not held against it",
                rule.name
            ));
        }
        for rule in idle().take(NAMED_IDLE) {
            warn(format_args!(
                "{} matched no statement of the logs: compare its digits, `dialect` and `fingerprint` with those of \
                 `sqlthrottle replay` without --rules",
                rule.name
            ));
        }
        for rule in outcomes.iter().filter(|rule| is_idle_rule(rule)).take(NAMED_IDLE) {
            warn(format_args!(
                "{} matched no statement of the logs: `sqlthrottle explain` says by which field one does not match",
                rule.name
            ));
        }
        let rest = idle().skip(NAMED_IDLE).count();
        if rest > 0 {
            warn(format_args!("nor did {} more thresholds; the list of rules has them all", thousands(rest as u64)));
        }
    }
}

/// Whether a rule matched nothing, though it could have.
fn is_idle_rule(rule: &RuleOutcome) -> bool {
    let may_match = rule.terms.on == On::Statement && rule.terms.mode != Some(Mode::Off) && !rule.is_over;
    may_match && rule.outcome.matched == 0 && matches!(rule.name, RuleName::Rule(_))
}
