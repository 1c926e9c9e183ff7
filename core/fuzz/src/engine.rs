//! The engine under sequences of checks, steps of the clock and resumes, against a log of all that was sent.
//!
//! The first bytes are the rules, each following pair is an operation and its argument.

use sqlthrottle::rule::{FingerprintPrefix, Mode, RuleFile, Threshold};
use sqlthrottle::{
    Decision, Delay, Engine, Fakes, FingerprintOptions, ManualClock, Normalizer, Reason, Share, Statement, Strategy,
    Ticket, Verdict,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Operations looked at; more find nothing new and cost time.
const MOST_OPERATIONS: usize = 256;
/// Tickets kept for later, lapsed ones among them.
const MOST_TICKETS: usize = 16;

/// Statements of shapes of their own: reads, writes, batches, and one that is never checked.
const STATEMENTS: [&str; 8] = [
    "select * from t where id = 1",
    "select a from t where id in (1, 2)",
    "update t set a = 1 where id = 2",
    "delete from t",
    "insert into t(a) values (1) returning a",
    "select 1; select 2; select 3",
    "call f()",
    "commit",
];

/// Panics where a decision contradicts the rules, the counters or the log.
pub fn run(data: &[u8]) {
    let Some((head, operations)) = data.split_first_chunk::<8>() else { return };
    let mut trial = Trial::new(rules(*head));
    for pair in operations.chunks_exact(2).take(MOST_OPERATIONS) {
        match pair[0] % 8 {
            0..=4 => trial.check(pair[0], pair[1]),
            5 | 6 => trial.advance(pair[0], pair[1]),
            _ => trial.resume(pair[1]),
        }
        trial.assert_counted();
    }
}

/// The rules that the first bytes stand for. All are within their bounds.
fn rules(head: [u8; 8]) -> RuleFile {
    let [strategy, share, max_count, buckets, window, max_delayed, mode, keys] = head.map(u32::from);
    let strategy = match strategy % 4 {
        0 => Strategy::Abort,
        1 => Strategy::Ignore,
        2 => Strategy::Delay(Delay::Fixed(Duration::from_millis(100))),
        _ => Strategy::Delay(Delay::UntilAllowed { max: Duration::from_secs(2) }),
    };
    let share = match share % 3 {
        0 => Share::ALL,
        part => Share::new(part, 3).unwrap_or(Share::ALL),
    };
    let buckets = 1 + buckets % 20;
    let threshold = Threshold::new(1 + max_count % 8)
        .buckets(buckets)
        .window(Duration::from_millis(u64::from(buckets * (1 + window % 64))))
        .strategy(strategy)
        .share(share)
        .max_delayed(1 + max_delayed % 4);
    let mut rules = RuleFile::default();
    rules.mode = if mode % 8 == 7 { Mode::Observe } else { Mode::Enforce };
    rules.limits.max_keys = 1 + keys as usize % 10;
    let digits = Normalizer::new(FingerprintOptions::default()).normalize(STATEMENTS[0].as_bytes()).fingerprint();
    if let Ok(prefix) = FingerprintPrefix::new(&format!("{digits:.12}")) {
        rules.thresholds.push((prefix, threshold.clone().strategy(Strategy::Abort)));
    }
    rules.default_threshold = Some(threshold);
    rules
}

/// What was decided for one limiter: all attempts with their weights, and those that were within the limit.
#[derive(Default)]
struct Log {
    attempts: Vec<(u64, u64)>,
    admitted: Vec<(u64, u64)>,
}

impl Log {
    fn weight(events: &[(u64, u64)], after: Option<u64>) -> u64 {
        events.iter().filter(|(at, _)| after.is_none_or(|after| *at > after)).map(|(_, weight)| weight).sum()
    }
}

/// Decisions by what they came to, as the counters of the rules should have them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    matched: u64,
    passed: u64,
    passed_over: u64,
    aborted: u64,
    ignored: u64,
    delayed: u64,
    resumed: u64,
}

struct Trial {
    rules: RuleFile,
    engine: Engine,
    clock: ManualClock,
    /// Whether statements that come back from their wait may be counted again.
    counts_resumed: bool,
    /// By statement; the last one is that of the keys that share a limiter.
    logs: BTreeMap<(String, usize), Log>,
    tickets: Vec<Ticket>,
    tally: Tally,
}

impl Trial {
    fn new(rules: RuleFile) -> Self {
        let clock = ManualClock::new();
        let strategy = rules.default_threshold.as_ref().map(|threshold| threshold.strategy);
        let counts_resumed = matches!(strategy, Some(Strategy::Delay(Delay::UntilAllowed { .. })));
        let engine = Engine::with_clock(rules.clone(), clock.clone()).unwrap_or_else(|error| panic!("{error}"));
        let (logs, tickets, tally) = (BTreeMap::new(), Vec::new(), Tally::default());
        Self { rules, engine, clock, counts_resumed, logs, tickets, tally }
    }

    fn check(&mut self, operation: u8, argument: u8) {
        let index = usize::from(argument) % STATEMENTS.len();
        let weight = 1 + u32::from(argument / 8) % 4;
        let fakes = [Fakes::None, Fakes::Rows, Fakes::Count, Fakes::RowsAndCount][usize::from(operation / 8) % 4];
        let sql = STATEMENTS[index];
        let decision = self.engine.check_statement(&Statement::new(sql).weight(weight).fakes(fakes));
        let Some(rule) = &decision.rule else {
            assert_eq!((sql, decision.reason), ("commit", Reason::NotChecked));
            return;
        };
        self.keep_ticket(&decision);
        self.tally.matched += 1;
        match (decision.verdict, decision.reason) {
            (Verdict::Allow, Reason::PassedOver) => self.tally.passed_over += 1,
            (Verdict::Allow, Reason::Allowed) => self.tally.passed += 1,
            (Verdict::Abort, _) => self.tally.aborted += 1,
            (Verdict::Ignore, Reason::OverLimit) => self.tally.ignored += 1,
            (Verdict::Delay, Reason::OverLimit) => self.tally.delayed += 1,
            unexpected => panic!("{unexpected:?}"),
        }
        let within = decision.count <= decision.limit;
        let admitted =
            (decision.verdict, decision.reason, decision.observed) == (Verdict::Allow, Reason::Allowed, None);
        assert_eq!(within, admitted, "{decision:?}");

        let key = (rule.to_string(), if decision.overflow { STATEMENTS.len() } else { index });
        let weight = u64::from(weight) * if index == 5 { 3 } else { 1 };
        self.assert_window(key, weight, &decision, within);
    }

    /// Holds the decision against the log of its limiter.
    fn assert_window(&mut self, key: (String, usize), weight: u64, decision: &Decision, within: bool) {
        let threshold = self.rules.default_threshold.as_ref().map(|threshold| (threshold.window, threshold.buckets));
        let Some((window, buckets)) = threshold else { return };
        let (window, now) = (window.as_nanos() as u64, self.clock.now());
        let bucket = window.div_ceil(u64::from(buckets));
        let log = self.logs.entry(key).or_default();
        log.attempts.push((now, weight));
        // Nothing of the last window is forgotten, nothing is remembered for longer than a bucket beyond it. A statement
        // that waited until its attempt was forgotten is counted once more, so there is no most with that strategy.
        let least = Log::weight(&log.attempts, now.checked_sub(window));
        let most =
            if self.counts_resumed { u64::MAX } else { Log::weight(&log.attempts, now.checked_sub(window + bucket)) };
        assert!((least..=most).contains(&decision.count), "counted {} of {least} to {most}", decision.count);
        if within {
            log.admitted.push((now, weight));
        }
        let admitted = Log::weight(&log.admitted, now.checked_sub(window));
        assert!(admitted <= decision.limit, "{admitted} admitted in a window that has room for {}", decision.limit);
    }

    fn advance(&mut self, operation: u8, argument: u8) {
        // From a nanosecond to hours.
        let unit = 8_u64.pow(u32::from(operation / 8) % 13);
        self.clock.advance(Duration::from_nanos(unit * u64::from(argument)));
    }

    fn resume(&mut self, argument: u8) {
        if self.tickets.is_empty() {
            return;
        }
        let index = usize::from(argument) % self.tickets.len();
        // Now and then a ticket is used twice.
        let ticket = if argument < 128 { self.tickets.swap_remove(index) } else { self.tickets[index] };
        let decision = self.engine.resume(ticket);
        self.keep_ticket(&decision);
        match decision.verdict {
            Verdict::Allow => self.tally.resumed += 1,
            Verdict::Delay | Verdict::Abort => {}
            unexpected => panic!("resumed to {unexpected}"),
        }
    }

    fn keep_ticket(&mut self, decision: &Decision) {
        let delays = decision.verdict == Verdict::Delay;
        assert_eq!((decision.ticket.is_some(), decision.delay.is_some()), (delays, delays));
        if delays {
            assert!(decision.delay > Some(Duration::ZERO), "a wait of no time");
        }
        self.tickets.extend(decision.ticket);
        if self.tickets.len() > MOST_TICKETS {
            self.tickets.remove(0);
        }
    }

    /// Holds the counters against the decisions.
    fn assert_counted(&self) {
        let snapshot = self.engine.snapshot();
        let mut counted = Tally::default();
        for rule in &snapshot.rules {
            let outcomes = rule.passed + rule.passed_over + rule.aborted + rule.ignored + rule.delayed;
            assert_eq!(rule.matched, outcomes, "{rule:?}");
            assert!(rule.resumed + rule.aborted_waiting <= rule.delayed, "{rule:?}");
            assert!(rule.keys <= self.rules.limits.max_keys, "{rule:?}");
            let would = rule.would_abort + rule.would_ignore + rule.would_delay;
            match self.rules.mode {
                Mode::Observe => assert_eq!(rule.aborted + rule.ignored + rule.delayed, 0, "{rule:?}"),
                _ => assert_eq!(would, 0, "{rule:?}"),
            }
            counted.matched += rule.matched;
            counted.passed += rule.passed;
            counted.passed_over += rule.passed_over;
            counted.aborted += rule.aborted;
            counted.ignored += rule.ignored;
            counted.delayed += rule.delayed;
            counted.resumed += rule.resumed;
        }
        assert_eq!(counted, self.tally);
        let thresholds = self.rules.thresholds.iter().map(|(_, threshold)| threshold);
        let places: u32 = thresholds.chain(&self.rules.default_threshold).map(|threshold| threshold.max_delayed).sum();
        assert!(snapshot.waiting <= places as usize, "{} wait in {places} places", snapshot.waiting);
        assert!(snapshot.shapes <= STATEMENTS.len(), "{} shapes", snapshot.shapes);
    }
}
