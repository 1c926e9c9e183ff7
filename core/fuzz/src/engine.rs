//! The engine under sequences of checks, steps of the clock and resumes, against a log of all that was sent.
//!
//! The first bytes are the rules, each following pair is an operation and its argument.

use sqlthrottle::rule::{FingerprintPrefix, Mode, RuleFile, Threshold};
use sqlthrottle::{
    Decision, Delay, Engine, Fakes, FingerprintOptions, ManualClock, Normalizer, Reason, RuleName, Share, Statement,
    Strategy, Ticket, Verdict,
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

/// A limiter: the rule, and the statement; the last one is that of the keys that share a limiter.
type Key = (String, usize);

fn key(rule: &RuleName, index: usize, overflow: bool) -> Key {
    (rule.to_string(), if overflow { STATEMENTS.len() } else { index })
}

/// What was decided for one limiter: all attempts with their weights, and what was sent because it was within the limit, at
/// once or after a wait.
#[derive(Default)]
struct Log {
    attempts: Vec<(u64, u64)>,
    sent: Vec<(u64, u64)>,
}

/// A statement that waits, as it was counted.
#[derive(Clone)]
struct Waiting {
    ticket: Ticket,
    index: usize,
    key: Key,
    since: u64,
    weight: u64,
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
    /// Whether the rule is asked again by what comes back from its wait.
    asks_again: bool,
    logs: BTreeMap<Key, Log>,
    waiting: Vec<Waiting>,
    tally: Tally,
}

impl Trial {
    fn new(rules: RuleFile) -> Self {
        let clock = ManualClock::new();
        let strategy = rules.default_threshold.as_ref().map(|threshold| threshold.strategy.clone());
        let asks_again = matches!(strategy, Some(Strategy::Delay(Delay::UntilAllowed { .. })));
        let engine = Engine::with_clock(rules.clone(), clock.clone()).unwrap_or_else(|error| panic!("{error}"));
        let (logs, waiting, tally) = (BTreeMap::new(), Vec::new(), Tally::default());
        Self { rules, engine, clock, asks_again, logs, waiting, tally }
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

        let key = key(rule, index, decision.overflow);
        let weight = u64::from(weight) * if index == 5 { 3 } else { 1 };
        let since = self.clock.now();
        self.logs.entry(key.clone()).or_default().attempts.push((since, weight));
        self.assert_window(&key, &decision);
        if within {
            self.send(&key, weight, &decision);
        }
        self.keep_waiting(&decision, |ticket| Waiting { ticket, index, key, since, weight });
    }

    /// Holds the count of a decision against the log of its limiter.
    fn assert_window(&mut self, key: &Key, decision: &Decision) {
        let Some((window, bucket)) = self.window() else { return };
        let now = self.clock.now();
        let log = self.logs.entry(key.clone()).or_default();
        // Nothing of the last window is forgotten, nothing is remembered for longer than a bucket beyond it.
        let least = Log::weight(&log.attempts, now.checked_sub(window + 1));
        let most = Log::weight(&log.attempts, now.checked_sub(window + bucket));
        assert!((least..=most).contains(&decision.count), "counted {} of {least} to {most}", decision.count);
    }

    /// Notes what is sent within the limit, and holds it against the limit.
    fn send(&mut self, key: &Key, weight: u64, decision: &Decision) {
        let Some((window, _)) = self.window() else { return };
        let now = self.clock.now();
        let log = self.logs.entry(key.clone()).or_default();
        log.sent.push((now, weight));
        let sent = Log::weight(&log.sent, now.checked_sub(window + 1));
        assert!(sent <= decision.limit, "{sent} sent in a window that has room for {}", decision.limit);
    }

    /// The window that all rules have, and its bucket, in nanoseconds.
    fn window(&self) -> Option<(u64, u64)> {
        let threshold = self.rules.default_threshold.as_ref()?;
        let window = threshold.window.as_nanos() as u64;
        Some((window, window.div_ceil(u64::from(threshold.buckets))))
    }

    fn advance(&mut self, operation: u8, argument: u8) {
        // From a nanosecond to hours.
        let unit = 8_u64.pow(u32::from(operation / 8) % 13);
        self.clock.advance(Duration::from_nanos(unit * u64::from(argument)));
    }

    fn resume(&mut self, argument: u8) {
        if self.waiting.is_empty() {
            return;
        }
        let index = usize::from(argument) % self.waiting.len();
        // Now and then a ticket is used twice.
        let waiting = if argument < 128 { self.waiting.swap_remove(index) } else { self.waiting[index].clone() };
        let decision = self.engine.resume(waiting.ticket);
        match decision.verdict {
            Verdict::Allow => self.resumed(&waiting, &decision),
            Verdict::Delay => self.keep_waiting(&decision, |ticket| Waiting { ticket, ..waiting }),
            Verdict::Abort => {}
            unexpected => panic!("resumed to {unexpected}"),
        }
    }

    /// Notes what is sent after a wait.
    fn resumed(&mut self, waiting: &Waiting, decision: &Decision) {
        self.tally.resumed += 1;
        let Some(rule) = decision.rule.as_ref().filter(|_| self.asks_again) else { return };
        let key = key(rule, waiting.index, decision.overflow);
        // It is one attempt, and counts as of now. Where another limiter has counted it, that one keeps what it has.
        let attempts = &mut self.logs.entry(key.clone()).or_default().attempts;
        if key == waiting.key {
            let attempt = attempts.iter().position(|attempt| *attempt == (waiting.since, waiting.weight));
            attempts.remove(attempt.unwrap_or_else(|| panic!("an attempt that was not made came back")));
        }
        attempts.push((self.clock.now(), waiting.weight));
        self.assert_window(&key, decision);
        self.send(&key, waiting.weight, decision);
    }

    fn keep_waiting(&mut self, decision: &Decision, waiting: impl FnOnce(Ticket) -> Waiting) {
        let delays = decision.verdict == Verdict::Delay;
        assert_eq!((decision.ticket.is_some(), decision.delay.is_some()), (delays, delays));
        if delays {
            assert!(decision.delay > Some(Duration::ZERO), "a wait of no time");
        }
        self.waiting.extend(decision.ticket.map(waiting));
        if self.waiting.len() > MOST_TICKETS {
            self.waiting.remove(0);
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
