//! Reading a statement allocates nothing once the buffers have grown: neither the normalised text nor its fingerprint. Nor
//! does the check of a statement whose shape is known, whatever the verdict.
//!
//! The counting allocator counts by thread, so tests that run beside each other do not see one another.

use allocation_counter::measure;
use sqlthrottle::rule::RuleFile;
use sqlthrottle::{Dialect, Engine, FingerprintOptions, HashKind, InLists, ManualClock, Normalizer, Reason, Statement};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::hint::black_box;

/// Every part of the grammar that could want memory of its own: words that fold, quotes, comments, hints, nesting, lists,
/// rows, batches, bytes that are no UTF-8 and texts that are cut off.
const STATEMENTS: &[&[u8]] = &[
    b"",
    b"-- nothing but a comment",
    b"select id, name, email from users where id = ? and email = ?",
    b"SELECT o.Id, COUNT(*) FROM \"Orders\" o JOIN c ON c.id = o.c_id WHERE o.state IN ('paid', 'it''s', N'x') LIMIT 5, 10",
    b"insert into t (a, b, c) values (1, 'a', now()), (2, 'b', now()), (3, 'c', default) on duplicate key update a = 1",
    b"select /*+ max_execution_time(1000) */ `a`, [b], x'1F', -1.5e-3, $1, :name, @p1, %(name)s from t where a = - 1",
    b"select /*!50001 straight_join */ a # comment\n from t where b = \"double\" and c = 'back\\'slash'",
    b"select $tag$ dollar $tag$, E'\\n', array[1,2,3]::int[], a->'$.x', a ?| b, q'[or'acle]' from t /* nested /* one */ */",
    b"with a as (select 1 union select 2) update b set c = (select max(d) from e where f between 1 and 2) where g is null",
    b"begin; savepoint sp_42; update orders_0042 set a = 1; rollback to sp_42; commit;",
    b"select \xc3\xa9t\xe9, '\xff\xfe' from \x00t where a in (((1)), ((2)), (3, null, true, 4))",
    b"select a from t where b in (1, 2, 'cut off",
    b"insert into t values (1, 2), (3",
    b"select \"cut off",
    b"select 1 /* cut off",
];

/// Every dialect with every kind of list and hash; digits are folded in half of them.
fn options() -> Vec<FingerprintOptions> {
    let mut all = Vec::new();
    for dialect in Dialect::ALL {
        for in_lists in [InLists::Collapse, InLists::Distinct] {
            for hash in HashKind::ALL {
                let fold_digits = in_lists == InLists::Distinct;
                all.push(FingerprintOptions::new(dialect).hash(hash).in_lists(in_lists).fold_digits(fold_digits));
            }
        }
    }
    all
}

/// A statement longer than any other here, with long lists of every kind.
fn long_statement() -> String {
    let mut sql = String::from("select * from t where a in (0");
    for number in 0..2000 {
        let _ = write!(sql, ", {number}, '{number}', -{number}.5, {}", number % 7);
    }
    sql.push_str(") and b in (0");
    for number in 0..2000 {
        let _ = write!(sql, ", f({number}), cast({number} as int), c{number}");
    }
    sql + ")"
}

/// Allocations of one reading of a statement, those that move a grown buffer included.
fn allocations(normalizer: &mut Normalizer, sql: &[u8]) -> u64 {
    let count = measure(|| {
        let text = normalizer.normalize(black_box(sql));
        black_box(text.as_bytes());
        black_box(text.statements());
        black_box(text.fingerprint());
    });
    count.count_total
}

#[test]
fn a_statement_read_again_allocates_nothing() {
    let long = long_statement();
    let statements: Vec<&[u8]> = STATEMENTS.iter().copied().chain([long.as_bytes()]).collect();
    for options in options() {
        let mut normalizer = Normalizer::new(options);
        for sql in &statements {
            normalizer.normalize(sql);
        }
        for sql in &statements {
            let count = allocations(&mut normalizer, sql);
            assert_eq!(count, 0, "{options:?}: {}", String::from_utf8_lossy(&sql[..sql.len().min(200)]));
        }
    }
}

/// A buffer's size follows the longest statement so far, not the one that is read.
#[test]
fn a_new_statement_allocates_nothing_after_a_longer_one() {
    let long = long_statement();
    let new = b"select a, b from orders_0042 where c in (17, 'x', 99) and d = 'new' order by 1";
    for options in options() {
        let mut normalizer = Normalizer::new(options);
        normalizer.normalize(long.as_bytes());
        assert_eq!(allocations(&mut normalizer, new), 0, "{options:?}");
    }
}

#[test]
fn a_check_of_a_known_shape_allocates_nothing() {
    let rules = RuleFile::parse("default_threshold: {max_count: 50, window: 1m, rate: 2/3}").unwrap();
    let engine = Engine::with_clock(rules, ManualClock::new()).unwrap();
    let known = ["begin", "select a from t where b = 0 and c in (0)"];
    // A text is kept from its second coming on.
    for sql in known.iter().chain(&known) {
        let _ = engine.check(sql);
    }
    // The same shapes with other constants, in lists of other lengths.
    let texts: Vec<String> =
        (1..100).map(|n| format!("SELECT a FROM t WHERE b = {n} AND c IN ({n}, '{n}', 7)")).collect();

    let mut reasons = HashSet::with_capacity(16);
    let count = measure(|| {
        for sql in texts.iter().map(String::as_str).chain(known).chain(known) {
            reasons.insert(black_box(engine.check(black_box(sql))).reason);
        }
    });
    assert_eq!(count.count_total, 0);
    let seen = [Reason::NotChecked, Reason::Allowed, Reason::OverLimit, Reason::PassedOver];
    assert_eq!(reasons, HashSet::from(seen), "every way through the check was taken");
}

/// Eight rules are as many as a check has room for by itself; here with keys, a context, places and ones that are only observed.
#[test]
fn a_check_by_a_few_rules_allocates_nothing() {
    let rules = RuleFile::parse(
        "
        rules:
          - {name: a, per: [user], limit: {token_bucket: {capacity: 50, rate: 1/m}}}
          - {name: b, match: {tags: {endpoint: report}}, limit: {concurrency: {max: 10}}}
          - {name: c, match: {user: dev}, per: [table, kind], limit: {fixed_window: {max: 60000, window: 1m}}}
          - {name: d, mode: observe, limit: {sliding_window: {max: 10, window: 1m}}}
          - {name: e, per: [fingerprint], limit: {sliding_window: {max: 60000, window: 1m, count: attempts}}}
          - {name: f, per: [client, database], limit: {sliding_window: {max: 60000, window: 1m}}}
          - {name: g, mode: observe, per: [tag:endpoint], limit: {fixed_window: {max: 60, window: 1m}}}
          - {name: h, limit: {token_bucket: {capacity: 60000, rate: 1/m}}, then: {strategy: delay, delay: 1s, share: 1/2}}
        ",
    )
    .unwrap();
    let engine = Engine::with_clock(rules, ManualClock::new()).unwrap();
    let sql = "select a from t where b = 0";
    let statement = Statement::new(sql).user("dev").tag("endpoint", "report");
    let check = || {
        let decision = engine.check_statement(black_box(&statement));
        if let Some(permit) = decision.permit {
            assert!(engine.release(permit));
        }
        decision.reason
    };
    for _ in 0..3 {
        check();
    }
    let mut reasons = HashSet::with_capacity(16);
    let count = measure(|| {
        for _ in 0..100 {
            reasons.insert(check());
        }
    });
    assert_eq!(count.count_total, 0);
    assert_eq!(reasons, HashSet::from([Reason::Allowed, Reason::OverLimit]), "every way through the check was taken");
}

/// Proves the other tests: a normaliser that has read nothing yet must allocate, or nothing is counted here at all.
#[test]
fn the_counter_sees_a_buffer_grow() {
    let mut normalizer = Normalizer::new(FingerprintOptions::default());
    assert!(allocations(&mut normalizer, b"select a from t") > 0);
}
