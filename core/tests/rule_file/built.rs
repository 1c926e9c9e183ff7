//! Rules that are built in code, and what they are warned of.

use sqlthrottle::rule::{
    Cluster, ColumnName, Count, FingerprintPrefix, Limit, Mode, On, OnFailure, Part, Rate, Rule, RuleFile, Scope,
    Threshold,
};
use sqlthrottle::{Delay, Dialect, HashKind, Share, Strategy};
use std::time::Duration;

#[test]
fn rules_built_in_code_are_held_to_the_same_bounds() {
    RuleFile::default().validate().unwrap();
    let prefix = |digits: &str| FingerprintPrefix::new(digits).unwrap();
    let mut file = RuleFile::default();
    file.limits.max_keys = 0;
    file.limits.max_rules = 2;
    file.limits.cache_bytes = 1;
    file.fingerprint.hash = HashKind::Md5;
    file.fingerprint.max_sql_bytes = 1;
    file.default_threshold = Some(Threshold::new(0).window(Duration::from_millis(5)));
    file.thresholds.push((prefix(&"a".repeat(33)), Threshold::new(u32::MAX).buckets(0).window(Duration::MAX)));
    file.thresholds.push((prefix("aaaaaaaaaaaa"), Threshold::new(1).max_delayed(0)));
    let delay = Strategy::Delay(Delay::UntilAllowed { max: Duration::ZERO });
    file.thresholds.push((prefix("bbbbbbbbbbbb"), Threshold::new(1).strategy(delay)));
    let error = file.validate().unwrap_err();
    let told: Vec<_> = error.faults().iter().map(|fault| (fault.path.as_str(), fault.code)).collect();
    let long = format!("thresholds.\"{}\"", "a".repeat(33));
    let within = |field: &str| format!("{long}.{field}");
    assert_eq!(
        told,
        [
            ("limits.max_keys", "limits.max_keys.zero"),
            ("limits.cache_bytes", "limits.cache_bytes.too_small"),
            ("limits.max_sql_bytes", "limits.max_sql_bytes.too_small"),
            ("default_threshold.max_count", "threshold.max_count.zero"),
            ("default_threshold.buckets", "threshold.buckets.too_large"),
            ("thresholds", "thresholds.too_many"),
            (&within("max_count"), "threshold.max_count.too_large"),
            (&within("window"), "threshold.window.too_large"),
            (&within("buckets"), "threshold.buckets.zero"),
            (&long, "threshold.fingerprint.too_long"),
            ("thresholds.\"aaaaaaaaaaaa\".max_delayed", "threshold.max_delayed.zero"),
            ("thresholds.\"bbbbbbbbbbbb\".max_delay", "threshold.max_delay.zero"),
            ("thresholds.\"aaaaaaaaaaaa\"", "threshold.fingerprint.overlap"),
        ]
    );
    assert!(error.to_string().starts_with("rules: limits.max_keys: zero; "), "{error}");
}

/// What is told of a rule that was built in code, its path left out where it begins as that of a rule of this name.
fn told(file: &RuleFile) -> Vec<(String, &'static str)> {
    let Err(error) = file.validate() else { panic!("was accepted: {file:?}") };
    assert!(error.faults().iter().all(|fault| (fault.line, fault.column) == (0, 0)), "{error}");
    let short = |path: &str| path.strip_prefix("rules.\"a\".").unwrap_or(path).to_owned();
    error.faults().iter().map(|fault| (short(&fault.path), fault.code)).collect()
}

fn expected(told: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    told.iter().map(|(path, code)| ((*path).to_owned(), *code)).collect()
}

fn with(rule: Rule) -> RuleFile {
    let mut file = RuleFile::default();
    file.rules.push(rule);
    file
}

#[test]
fn a_rule_built_in_code_is_held_to_the_bounds_of_a_file() {
    let blocked = |set: &dyn Fn(&mut Rule)| {
        let mut rule = Rule::new("a", Limit::Block);
        set(&mut rule);
        told(&with(rule))
    };
    let text = |text: &str| vec![text.to_owned()];
    assert_eq!(
        blocked(&|rule| {
            let matching = &mut rule.matching;
            matching.like = text("");
            matching.fingerprints = ["aaaaaaaaaaaa", "aaaaaaaaaaaab"].map(|digits| digits.parse().unwrap()).to_vec();
            matching.pattern = Some("x".repeat(1 << 20));
            matching.keywords = text("order by");
            matching.tables = text("\n");
            matching.databases = vec!["d".to_owned(); 1_001];
            matching.users = text("");
            matching.tags.insert(String::new(), text("x"));
            matching.tags.insert("t".to_owned(), Vec::new());
            matching.columns.push((ColumnName::new("", "id"), text("1")));
            matching.columns.push((ColumnName::new("T", "c"), text("1")));
            matching.columns.push((ColumnName::new("t", "C"), Vec::new()));
            rule.per = vec![Part::User, Part::Tag(String::new()), Part::User];
            rule.owner = Some(String::new());
            rule.reason = Some("\u{1b}[31m".to_owned());
            rule.then.max_delayed = 0;
            rule.then.strategy = Strategy::Custom("a b".into());
        }),
        expected(&[
            ("match.like[0]", "rule.match.like.empty"),
            ("match.keywords[0]", "rule.match.keywords.malformed"),
            ("match.tables[0]", "rule.match.tables.malformed"),
            ("match.databases", "rule.match.databases.too_many"),
            ("match.user[0]", "rule.match.user.empty"),
            ("match.pattern", "rule.match.pattern.too_long"),
            ("match.tags.\"\"", "rule.match.tags.empty"),
            ("match.tags.t", "rule.match.tags.empty"),
            ("match.columns.\".id\"", "rule.match.columns.empty"),
            ("match.columns.\"t.C\"", "rule.match.columns.duplicate"),
            ("match.columns.\"t.C\"", "rule.match.columns.empty"),
            ("match.fingerprints", "rule.match.fingerprints.overlap"),
            ("per[1]", "rule.per.empty"),
            ("per[2]", "rule.per.duplicate"),
            ("then.strategy", "rule.then.strategy.malformed"),
            ("then.max_delayed", "rule.then.max_delayed.zero"),
            ("owner", "rule.owner.empty"),
            ("reason", "rule.reason.malformed"),
        ])
    );
    assert_eq!(
        blocked(&|rule| {
            rule.matching.pattern = Some("(".to_owned());
            rule.matching.tables = text("shop.");
            rule.matching.users = text("dev@10.0.0.0/99");
        }),
        expected(&[
            ("match.tables[0]", "rule.match.tables.malformed"),
            ("match.user[0]", "rule.match.user.malformed"),
            ("match.pattern", "rule.match.pattern.malformed"),
        ])
    );
    let second = Duration::from_secs(1);
    let delay = |delay| blocked(&|rule| rule.then.strategy = Strategy::Delay(delay));
    assert_eq!(delay(Delay::Fixed(Duration::ZERO)), expected(&[("then.delay", "rule.then.delay.zero")]));
    let max = Duration::from_secs(3_601);
    assert_eq!(delay(Delay::UntilAllowed { max }), expected(&[("then.max_delay", "rule.then.max_delay.too_large")]));

    let rate = Rate::per_second(1).unwrap();
    let limits = [
        (
            Limit::TokenBucket { capacity: 0, rate },
            "limit.token_bucket.capacity",
            "rule.limit.token_bucket.capacity.zero",
        ),
        (Limit::sliding_window(0, second), "limit.sliding_window.max", "rule.limit.sliding_window.max.zero"),
        (
            Limit::sliding_window(1, Duration::from_millis(11)),
            "limit.sliding_window.buckets",
            "rule.limit.sliding_window.buckets.too_large",
        ),
        (
            Limit::sliding_window(1, Duration::MAX),
            "limit.sliding_window.window",
            "rule.limit.sliding_window.window.too_large",
        ),
        (
            Limit::FixedWindow { max: 1, window: Duration::ZERO },
            "limit.fixed_window.window",
            "rule.limit.fixed_window.window.zero",
        ),
        (
            Limit::FixedWindow { max: 60_000_000, window: Duration::from_millis(1) },
            "limit.fixed_window.max",
            "rule.limit.fixed_window.max.too_large",
        ),
        (Limit::concurrency(0), "limit.concurrency.max", "rule.limit.concurrency.max.zero"),
        (
            Limit::Concurrency { max: 1, lease: Duration::ZERO },
            "limit.concurrency.lease",
            "rule.limit.concurrency.lease.zero",
        ),
    ];
    for (limit, path, code) in limits {
        assert_eq!(told(&with(Rule::new("a", limit))), expected(&[(path, code)]), "{limit:?}");
    }
}

#[test]
fn fields_that_contradict_each_other_are_told_of_rules_built_in_code_too() {
    let mut exempt = Rule::new("a", Limit::Unlimited);
    exempt.per.push(Part::User);
    exempt.then.strategy = Strategy::Ignore;
    assert_eq!(
        told(&with(exempt)),
        expected(&[("per", "rule.per.with_unlimited"), ("then", "rule.then.with_unlimited")])
    );

    let mut request = Rule::new("a", Limit::Block);
    request.on = On::Request;
    request.matching.tables.push("t".to_owned());
    request.per.push(Part::Kind);
    request.on_failure = Some(OnFailure::Open);
    let of_request = [
        ("match.tables", "rule.match.tables.on_request"),
        ("per[0]", "rule.per.on_request"),
        ("on_failure", "rule.on_failure.without_cluster"),
    ];
    assert_eq!(told(&with(request)), expected(&of_request));

    let window = Limit::sliding_window(1, Duration::from_secs(1));
    let Limit::SlidingWindow { max, window, buckets, .. } = window else { unreachable!() };
    let mut shared = Rule::new("a", Limit::SlidingWindow { max, window, buckets, count: Count::Attempts });
    shared.scope = Scope::Cluster;
    shared.mode = Some(Mode::Enforce);
    shared.on_failure = Some(OnFailure::Limit { max: 0, window: Duration::from_millis(11), share: Share::ALL });
    let mut file = with(shared);
    file.mode = Mode::Observe;
    let of_shared = [
        ("on_failure.max", "rule.on_failure.max.zero"),
        ("on_failure.window", "rule.on_failure.window.too_small"),
        ("scope", "rule.scope.attempts"),
        ("scope", "rule.scope.without_cluster"),
        ("mode", "rule.mode.stricter"),
    ];
    assert_eq!(told(&file), expected(&of_shared));
}

#[test]
fn a_file_built_in_code_is_judged_as_a_whole() {
    let mut file = RuleFile::default();
    for name in ["", "threshold:x", "default_threshold", "admin-1", "twice", "twice"] {
        file.rules.push(Rule::new(name, Limit::Block));
    }
    file.limits.max_rules = 5;
    file.watch = Duration::from_millis(1);
    let mut cluster = Cluster::new("http://:secret@h", "a b");
    (cluster.redis.connect_timeout, cluster.redis.timeout) = (Duration::ZERO, Duration::from_secs(61));
    (cluster.redis.pool, cluster.lease.fraction_millionths, cluster.lease.ttl) = (0, 1_000_001, Duration::ZERO);
    cluster.on_failure = OnFailure::Limit { max: 0, window: Duration::from_secs(1), share: Share::ALL };
    file.cluster = Some(cluster);
    assert!(!file.validate().unwrap_err().to_string().contains("secret"));
    assert_eq!(
        told(&file),
        expected(&[
            ("watch", "watch.too_small"),
            ("rules", "rules.too_many"),
            ("cluster.redis.url", "cluster.redis.url.malformed"),
            ("cluster.redis.connect_timeout", "cluster.redis.connect_timeout.zero"),
            ("cluster.redis.timeout", "cluster.redis.timeout.too_large"),
            ("cluster.redis.pool", "cluster.redis.pool.zero"),
            ("cluster.namespace", "cluster.namespace.malformed"),
            ("cluster.lease.fraction", "cluster.lease.fraction.too_large"),
            ("cluster.lease.ttl", "cluster.lease.ttl.zero"),
            ("cluster.on_failure.max", "cluster.on_failure.max.zero"),
            ("rules[0].name", "rule.name.empty"),
            ("rules.\"threshold:x\".name", "rule.name.reserved"),
            ("rules.\"default_threshold\".name", "rule.name.reserved"),
            ("rules.\"admin-1\".name", "rule.name.reserved"),
            ("rules.\"twice\".name", "rule.name.duplicate"),
        ])
    );
}

#[test]
fn what_limits_nothing_is_worth_a_word() {
    let mut file = RuleFile::default();
    assert_eq!(file.warnings(), ["no threshold and no rule: nothing is limited"]);
    file.default_threshold = Some(Threshold::new(1));
    assert!(file.warnings().is_empty());
    file.default_threshold = None;
    file.thresholds.push((FingerprintPrefix::new("aaaaaaaaaaaa").unwrap(), Threshold::new(1)));
    file.fingerprint.dialect = Dialect::MySql;
    assert!(file.warnings().is_empty());
    file.limits.warn_rules = 1;
    assert!(file.warnings()[0].starts_with("1 rules: `limits.warn_rules` asks for a warning from 1"));
}
