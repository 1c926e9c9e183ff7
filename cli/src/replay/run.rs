//! From the entries of logs to what is known of them.

use super::survey::Survey;
use super::tally::Tally;
use super::throttle::{Sent, Throttle};
use crate::log::{Broken, Content, LogTime, Merge, Sender};
use crate::output::Failure;
use sqlthrottle::rule::RuleFile;
use sqlthrottle::{Dialect, FingerprintOptions, LoadError};

/// A replay: what the statements are held against, and what was counted.
#[derive(Debug)]
pub(super) struct Replay {
    pub(super) subject: Subject,
    pub(super) tally: Tally,
    pub(super) counts: Counts,
    /// The times of the first and of the last statement.
    pub(super) span: Option<(LogTime, LogTime)>,
}

/// What the statements are held against.
#[derive(Debug)]
pub(super) enum Subject {
    /// Nothing: they are counted.
    Survey(Survey),
    /// A rule file.
    Throttle(Box<Throttle>),
}

/// What the entries were. Their sum is the number of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) statements: u64,
    pub(super) administrator: u64,
    pub(super) fetches: u64,
    pub(super) empty: u64,
    pub(super) broken: u64,
}

impl Replay {
    /// A replay against rules, all statements read in one dialect, from the time `origin` on. With `explain`, what each rule
    /// refuses is counted by shape.
    ///
    /// # Errors
    ///
    /// Where the engine does not accept the rules.
    pub(super) fn throttled(
        rules: RuleFile,
        dialect: Dialect,
        origin: LogTime,
        explain: bool,
    ) -> Result<Self, LoadError> {
        Ok(Self::new(Subject::Throttle(Box::new(Throttle::new(rules, dialect, origin, explain)?))))
    }

    /// A count of what there is, the statements of each log fingerprinted by the options of its place.
    pub(super) fn surveyed(options: impl IntoIterator<Item = FingerprintOptions>) -> Self {
        Self::new(Subject::Survey(Survey::new(options)))
    }

    fn new(subject: Subject) -> Self {
        Self { subject, tally: Tally::default(), counts: Counts::default(), span: None }
    }

    /// Reads the logs to their ends. Each broken entry is given to `broken` with the index of its log and its line.
    ///
    /// # Errors
    ///
    /// What `broken` fails with.
    pub(super) fn run(
        &mut self,
        logs: &mut Merge,
        mut broken: impl FnMut(usize, u64, Broken) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        while let Some((log, entry)) = logs.next_entry() {
            match entry.content {
                Content::Statement => {
                    self.counts.statements += 1;
                    let (first, _) = *self.span.get_or_insert((entry.at, entry.at));
                    self.span = Some((first, entry.at));
                    match &mut self.subject {
                        Subject::Survey(survey) => {
                            survey.send(log, logs.sql(), entry.at, entry.query_time, &mut self.tally);
                        }
                        Subject::Throttle(throttle) => {
                            let sender = if throttle.asks_sender { logs.sender() } else { Sender::default() };
                            let sent = Sent { sql: logs.sql(), at: entry.at, query_time: entry.query_time };
                            throttle.send(sent, sender, &mut self.tally);
                        }
                    }
                }
                Content::Administrator => self.counts.administrator += 1,
                Content::Fetch => self.counts.fetches += 1,
                Content::Empty => self.counts.empty += 1,
                Content::Broken(reason) => {
                    self.counts.broken += 1;
                    broken(log, entry.line, reason)?;
                }
            }
        }
        if let Subject::Throttle(throttle) = &mut self.subject {
            throttle.finish(&mut self.tally);
        }
        Ok(())
    }
}
