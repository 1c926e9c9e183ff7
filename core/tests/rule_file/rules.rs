//! Rules: what each field says, and what is left to its default.

use super::{FULL, parse, read};
use sqlthrottle::fingerprint::Kind;
use sqlthrottle::rule::{
    Cluster, ColumnName, Count, Limit, Matching, Mode, On, OnFailure, Part, Rule, RuleFile, Scope, Then, WholeTable,
};
use sqlthrottle::{Delay, Share, Strategy};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The only rule of a file, by what it says besides its name.
fn rule(rest: &str) -> Rule {
    let mut file = read(&format!("rules: [{{name: a, {rest}}}]"));
    assert_eq!(file.rules.len(), 1);
    file.rules.remove(0)
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// What is left to say of one that has no public constructor.
fn matching(set: impl FnOnce(&mut Matching)) -> Matching {
    let mut matching = Matching::default();
    set(&mut matching);
    matching
}

fn column(schema: Option<&str>, table: &str, column: &str) -> ColumnName {
    let mut name = ColumnName::new(table, column);
    name.schema = schema.map(str::to_owned);
    name
}

#[test]
fn every_key_of_a_rule_is_read() {
    let file = read(FULL);
    let names: Vec<_> = file.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["reports-per-user", "window", "fixed", "requests", "none", "exempt"]);

    let reports = &file.rules[0];
    assert_eq!(
        reports.matching,
        matching(|all| {
            all.like = texts(&["select * from reports where id = 1"]);
            all.fingerprints = vec!["b0c1d2e3f4a5".parse().unwrap(), "c1d2e3f4a5b6".parse().unwrap()];
            all.pattern = Some("select.*from reports".to_owned());
            all.keywords = texts(&["select", "reports"]);
            all.kinds = vec![Kind::Select, Kind::Update];
            all.tables = texts(&["reports", "orders_*", "shop.users"]);
            all.databases = texts(&["shop", "crm"]);
            all.users = texts(&["dev@192.168.%", "ops"]);
            all.tags.insert("endpoint".to_owned(), texts(&["report"]));
            all.tags.insert("tenant id".to_owned(), texts(&["a", ""]));
            all.whole_table = Some(WholeTable::AlwaysTrue);
            all.columns = vec![
                (column(None, "orders", "id"), texts(&["42", "x y"])),
                (column(Some("a.b"), "Orders", "id"), texts(&["7"])),
            ];
        })
    );
    let per = [
        Part::User,
        Part::Client,
        Part::Database,
        Part::Kind,
        Part::Fingerprint,
        Part::Table,
        Part::Tag("endpoint".to_owned()),
        Part::Column(column(None, "orders", "id")),
        Part::Column(column(Some("s"), "orders", "id")),
    ];
    assert_eq!(reports.per, per);
    assert_eq!((reports.on, reports.scope, reports.mode), (On::Statement, Scope::Cluster, Some(Mode::Off)));
    assert_eq!(reports.limit, Limit::TokenBucket { capacity: 100, rate: "10/5s".parse().unwrap() });
    let mut then = Then::default();
    then.strategy = Strategy::Delay(Delay::UntilAllowed { max: Duration::from_secs(5) });
    (then.share, then.max_delayed) = (Share::new(2, 3).unwrap(), 7);
    assert_eq!(reports.then, then);
    let half = Share::new(1, 2).unwrap();
    assert_eq!(reports.on_failure, Some(OnFailure::Limit { max: 5, window: Duration::from_secs(1), share: half }));
    assert_eq!((reports.owner.as_deref(), reports.reason.as_deref()), (Some("data-platform"), Some("incident 42")));
    assert_eq!(reports.expires, Some(UNIX_EPOCH + Duration::from_secs(1_796_115_600)));

    let window = Limit::SlidingWindow { max: 500, window: Duration::from_secs(2), buckets: 20, count: Count::Attempts };
    assert_eq!((file.rules[1].limit, &file.rules[1].then.strategy), (window, &Strategy::Custom("queue".into())));
    assert_eq!(file.rules[2].limit, Limit::FixedWindow { max: 500, window: Duration::from_secs(1) });
    assert_eq!(file.rules[2].then.strategy, Strategy::Delay(Delay::Fixed(Duration::from_secs(1))));
    assert_eq!(file.rules[3].limit, Limit::Concurrency { max: 30, lease: Duration::from_secs(5) });
    assert_eq!((file.rules[3].on, &file.rules[3].per[..]), (On::Request, &[Part::Client][..]));
    assert_eq!(file.rules[4].limit, Limit::Block);
    assert_eq!(file.rules[4].matching.whole_table, Some(WholeTable::Missing));
    assert_eq!(file.rules[5].limit, Limit::Unlimited);

    let mut cluster = Cluster::new("redis://:secret@redis:6379", "shop");
    (cluster.redis.connect_timeout, cluster.redis.timeout) = (Duration::from_millis(100), Duration::from_millis(10));
    cluster.redis.pool = 4;
    (cluster.lease.fraction_millionths, cluster.lease.ttl) = (250_000, Duration::from_secs(1));
    cluster.on_failure = OnFailure::Closed;
    assert!(!format!("{cluster:?}").contains("secret"));
    assert_eq!(file.cluster, Some(cluster));
}

#[test]
fn what_is_left_out_has_its_default() {
    let expected = Rule::new("a", Limit::concurrency(30));
    assert_eq!(rule("limit: {concurrency: {max: 30}}"), expected);
    let said = "on: statement, scope: process, limit: {concurrency: {max: 30, lease: 60s}}, \
                then: {strategy: abort, share: 1}";
    assert_eq!(rule(said), expected);
    let window = Limit::sliding_window(500, Duration::from_secs(1));
    assert_eq!(rule("limit: {sliding_window: {max: 500, window: 1s}}").limit, window);
    assert_eq!(rule("limit: {sliding_window: {max: 500, window: 1s, buckets: 12, count: admitted}}").limit, window);

    let cluster = |rest: &str| read(&format!("cluster: {{redis: {{url: 'redis://h'}}, namespace: n{rest}}}")).cluster;
    assert_eq!(cluster(""), Some(Cluster::new("redis://h", "n")));
    assert_eq!(cluster(", lease: {fraction: 0.05, ttl: 500ms}, on_failure: local"), cluster(""));
    let zero = cluster(", lease: {fraction: 0}").unwrap();
    assert_eq!(zero.lease.fraction_millionths, 0);
}

#[test]
fn values_at_their_bounds_are_accepted() {
    for limit in [
        "{token_bucket: {capacity: 1, rate: 1/366d}}",
        "{token_bucket: {capacity: 60000000, rate: 999999999/s}}",
        "{sliding_window: {max: 60000000, window: 366d, buckets: 240}}",
        "{sliding_window: {max: 1, window: 1ms, buckets: 1}}",
        "{fixed_window: {max: 500000, window: 1ms}}",
        "{fixed_window: {max: 60000000, window: 366d}}",
        "{concurrency: {max: 1000000, lease: 366d}}",
        "{concurrency: {max: 1, lease: 1ms}}",
    ] {
        rule(&format!("limit: {limit}"));
    }
    let name = "é".repeat(128);
    assert_eq!(read(&format!("rules: [{{name: {name}, limit: {{block: true}}}}]")).rules[0].name, name);
    assert_eq!(rule(&format!("match: {{pattern: {}}}, limit: {{block: true}}", "x".repeat(4_096))).per, []);
    for watch in ["0", "0s", "100ms", "1h"] {
        read(&format!("watch: {watch}"));
    }
    for expires in ["1970-01-01T00:00:00Z", "9999-12-30T00:00:00Z", "2026-12-01 10:00:00.5-00:00"] {
        assert!(rule(&format!("expires: '{expires}', limit: {{block: true}}")).expires.is_some());
    }
}

#[test]
fn a_single_value_is_a_list_of_one() {
    for field in ["like", "keywords", "tables", "databases", "user"] {
        let of = |value: &str| rule(&format!("match: {{{field}: {value}}}, limit: {{block: true}}")).matching;
        assert_eq!(of("orders"), of("[orders]"), "{field}");
        assert_ne!(of("orders"), of("[orders, users]"), "{field}");
    }
    let of = |value: &str| rule(&format!("match: {value}, limit: {{block: true}}")).matching;
    assert_eq!(of("{kinds: select}"), of("{kinds: [select]}"));
    assert_eq!(of("{fingerprints: b0c1d2e3f4a5}"), of("{fingerprints: [b0c1d2e3f4a5]}"));
    assert_eq!(of("{tags: {a: x}}"), of("{tags: {a: [x]}}"));
    assert_eq!(of("{columns: {t.c: 1}}"), of("{columns: {t.c: [1]}}"));
    assert_eq!(rule("per: user, limit: {block: true}").per, rule("per: [user], limit: {block: true}").per);
}

#[test]
fn a_rule_may_only_be_softer_than_its_file() {
    for (i, of_file) in Mode::ALL.into_iter().enumerate() {
        for (j, of_rule) in Mode::ALL.into_iter().enumerate() {
            let text = format!("mode: {of_file}\nrules: [{{name: a, mode: {of_rule}, limit: {{block: true}}}}]");
            assert_eq!(parse(&text).is_ok(), i <= j, "{text}");
        }
    }
}

#[test]
fn a_rule_and_a_threshold_may_name_one_fingerprint() {
    let file = read(
        "dialect: mysql\nthresholds: {b0c1d2e3f4a5: 1}\nrules:\n- {name: a, match: {fingerprints: b0c1d2e3f4a5}, limit: {block: true}}\n\
         - {name: b, match: {fingerprints: b0c1d2e3f4a5}, limit: {block: true}}",
    );
    assert_eq!((file.thresholds.len(), file.rules.len()), (1, 2));
}

#[test]
fn rules_that_end_are_worth_a_word() {
    let day = Duration::from_secs(86_400);
    let now = UNIX_EPOCH + day * 20_000;
    let ending = |at: SystemTime| {
        let mut file = RuleFile::default();
        let mut rule = Rule::new("a", Limit::Block);
        rule.expires = Some(at);
        file.rules.push(rule);
        file.warnings_at(now)
    };
    assert_eq!(ending(now + day * 7 + Duration::from_secs(1)), [""; 0]);
    assert_eq!(ending(now + day * 7), ["the rule `a` expires at 2024-10-11T00:00:00Z"]);
    assert_eq!(ending(now + day), ["the rule `a` expires at 2024-10-05T00:00:00Z"]);
    assert_eq!(ending(now), ["the rule `a` has expired at 2024-10-04T00:00:00Z: it matches nothing"]);
    assert_eq!(ending(UNIX_EPOCH), ["the rule `a` has expired at 1970-01-01T00:00:00Z: it matches nothing"]);

    let mut many = RuleFile::default();
    for i in 0..100 {
        let mut rule = Rule::new(i.to_string(), Limit::Block);
        rule.expires = Some(now);
        many.rules.push(rule);
    }
    let warnings = many.warnings_at(now);
    assert_eq!((warnings.len(), &*warnings[20]), (21, "80 more rules have expired or expire within seven days"));
}

#[test]
fn rules_count_with_thresholds() {
    let text = "dialect: mysql\nlimits: {max_rules: 3, warn_rules: 3}\nthresholds: {aaaaaaaaaaaa: 1, bbbbbbbbbbbb: 1}\n\
                rules: [{name: a, limit: {block: true}}]";
    assert_eq!(read(text).warnings(), ["3 rules: `limits.warn_rules` asks for a warning from 3, and 3 is the most"]);
}
