//! Faults of rules and of the cluster: what is told of them, and where they are. `‸` marks the place in a text.

use super::faults;
use sqlthrottle::Fault;

/// A text with one fault: the text, the code, the path, and a part of what was found and what would be right.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// What a rule of the name `a` says besides; paths are those behind the rule.
#[rustfmt::skip]
const RULES: &[Case] = &[
    ("limit: {block: true}, ‸limt: 1", "file.unknown_key", ".limt", "unknown key `limt`", "did you mean `limit`?"),
    // What it matches.
    ("limit: {block: true}, match: ‸x", "rule.match.wrong_type", ".match", "`x` is not a map", "tables: [orders]"),
    ("limit: {block: true}, match: ‸{}", "rule.match.empty", ".match", "a match of nothing", "matches everything"),
    ("limit: {block: true}, match: ‸~", "rule.match.empty", ".match", "a match of nothing", "leave `match` out"),
    ("limit: {block: true}, match: {‸table: t}", "file.unknown_key", ".match.table", "", "did you mean `tables`?"),
    ("limit: {block: true}, match: {tables: ‸[]}", "rule.match.tables.empty", ".match.tables", "an empty list", "or leave the key out"),
    ("limit: {block: true}, match: {tables: ‸\"\"}", "rule.match.tables.empty", ".match.tables", "an empty value", "a table's name"),
    ("limit: {block: true}, match: {tables: ‸~}", "rule.match.tables.empty", ".match.tables", "an empty value", "a table's name"),
    ("limit: {block: true}, match: {tables: [a, ‸\"\"]}", "rule.match.tables.empty", ".match.tables[1]", "an empty value", ""),
    ("limit: {block: true}, match: {tables: [a, ‸[b]]}", "rule.match.tables.wrong_type", ".match.tables[1]", "a list of 1", "a table's name"),
    ("limit: {block: true}, match: {tables: ‸{a: b}}", "rule.match.tables.wrong_type", ".match.tables", "a map", "a table's name"),
    ("limit: {block: true}, match: {tables: ‸\"a\\x07\"}", "rule.match.tables.malformed", ".match.tables", "`\\u{7}`", "no control characters"),
    ("limit: {block: true}, match: {like: ‸[]}", "rule.match.like.empty", ".match.like", "an empty list", ""),
    ("limit: {block: true}, match: {fingerprints: ‸[]}", "rule.match.fingerprints.empty", ".match.fingerprints", "an empty list", ""),
    ("limit: {block: true}, match: {fingerprints: [‸orders]}", "rule.match.fingerprints.malformed", ".match.fingerprints[0]", "`orders` is not a fingerprint", "hexadecimal"),
    ("limit: {block: true}, match: {fingerprints: ‸9f2c}", "rule.match.fingerprints.too_short", ".match.fingerprints", "only 4 digits", "at least 12"),
    ("limit: {block: true}, match: {fingerprints: ‸\"9f2c41d07b6e…\"}", "rule.match.fingerprints.elided", ".match.fingerprints", "ellipsis", "leave out"),
    ("limit: {block: true}, match: {fingerprints: ‸00000000000000000000000000000000000000000000000000000000000000000}", "rule.match.fingerprints.too_long", ".match.fingerprints", "65 digits", "at most 64"),
    ("limit: {block: true}, match: {fingerprints: [‸[]]}", "rule.match.fingerprints.wrong_type", ".match.fingerprints[0]", "a list", "12 or more"),
    ("limit: {block: true}, match: {fingerprints: [aaaaaaaaaaaa, bbbbbbbbbbbb, ‸aaaaaaaaaaaab1]}", "rule.match.fingerprints.overlap", ".match.fingerprints[2]", "line 2 names `aaaaaaaaaaaa`", "more digits"),
    ("limit: {block: true}, match: {pattern: ‸\"\"}", "rule.match.pattern.empty", ".match.pattern", "an empty value", "a pattern"),
    ("limit: {block: true}, match: {pattern: ‸[a, b]}", "rule.match.pattern.wrong_type", ".match.pattern", "a list of 2", "a pattern"),
    ("limit: {block: true}, match: {keywords: [‸order by]}", "rule.match.keywords.malformed", ".match.keywords[0]", "`order by` is not a word", "one by one"),
    ("limit: {block: true}, match: {pattern: ‸\"select (a\"}", "rule.match.pattern.malformed", ".match.pattern", "unclosed group, at character 8", "regular expression"),
    ("limit: {block: true}, match: {pattern: ‸\"(?=a)\"}", "rule.match.pattern.malformed", ".match.pattern", "look-around", ""),
    ("limit: {block: true}, match: {pattern: ‸\"((((a{99}){99}){99}){99}){99}\"}", "rule.match.pattern.malformed", ".match.pattern", "repeat less", ""),
    ("limit: {block: true}, match: {tables: [a, ‸\"shop.\"]}", "rule.match.tables.malformed", ".match.tables[1]", "`shop.` is not a table's name", "orders_*"),
    ("limit: {block: true}, match: {user: ‸\"dev@10.0.0.0/99\"}", "rule.match.user.malformed", ".match.user", "is not an account", "dev@192.168.%"),
    ("limit: {block: true}, match: {keywords: ‸[]}", "rule.match.keywords.empty", ".match.keywords", "", ""),
    ("limit: {block: true}, match: {kinds: [‸selct]}", "rule.match.kinds.unknown", ".match.kinds[0]", "`selct` is unknown", "did you mean `select`?"),
    ("limit: {block: true}, match: {kinds: ‸[]}", "rule.match.kinds.empty", ".match.kinds", "", ""),
    ("limit: {block: true}, match: {kinds: [‸{}]}", "rule.match.kinds.wrong_type", ".match.kinds[0]", "", ""),
    ("limit: {block: true}, match: {databases: ‸[]}", "rule.match.databases.empty", ".match.databases", "", ""),
    ("limit: {block: true}, match: {‸users: dev}", "file.unknown_key", ".match.users", "", "did you mean `user`?"),
    ("limit: {block: true}, match: {user: ‸[]}", "rule.match.user.empty", ".match.user", "", "an account"),
    ("limit: {block: true}, match: {tags: ‸x}", "rule.match.tags.wrong_type", ".match.tags", "", "endpoint: report"),
    ("limit: {block: true}, match: {tags: ‸{}}", "rule.match.tags.empty", ".match.tags", "", ""),
    ("limit: {block: true}, match: {tags: {a: ‸[]}}", "rule.match.tags.empty", ".match.tags.\"a\"", "", "a tag's value"),
    ("limit: {block: true}, match: {tags: {a: ‸~}}", "rule.match.tags.empty", ".match.tags.\"a\"", "", "a tag's value"),
    ("limit: {block: true}, match: {tags: {‸\"\": b}}", "rule.match.tags.empty", ".match.tags.\"\"", "", "a tag's name"),
    ("limit: {block: true}, match: {where: ‸none}", "rule.match.where.unknown", ".match.where", "`none`", "`missing`, `always_true`"),
    ("limit: {block: true}, match: {where: ‸[missing]}", "rule.match.where.wrong_type", ".match.where", "", ""),
    ("limit: {block: true}, match: {columns: ‸[orders.id]}", "rule.match.columns.wrong_type", ".match.columns", "", "{orders.id: [42]}"),
    ("limit: {block: true}, match: {columns: {‸id: [42]}}", "rule.match.columns.malformed", ".match.columns.id", "names no table and column", "orders.id"),
    ("limit: {block: true}, match: {columns: {‸orders.: [42]}}", "rule.match.columns.empty", ".match.columns.\"orders.\"", "", "a name"),
    ("limit: {block: true}, match: {columns: {o.id: 1, ‸O.ID: 1}}", "rule.match.columns.duplicate", ".match.columns.\"O.ID\"", "a second time", "once"),
    ("limit: {block: true}, match: {columns: {o.id: ‸[]}}", "rule.match.columns.empty", ".match.columns.\"o.id\"", "", ""),
    // What it is asked about, and counts by.
    ("limit: {block: true}, on: ‸requests", "rule.on.unknown", ".on", "`requests`", "did you mean `request`?"),
    ("limit: {block: true}, on: ‸[]", "rule.on.wrong_type", ".on", "", ""),
    ("limit: {block: true}, per: ‸[]", "rule.per.empty", ".per", "an empty list", "or leave the key out"),
    ("limit: {block: true}, per: [user, ‸ip]", "rule.per.unknown", ".per[1]", "`ip` is unknown", "`client`"),
    ("limit: {block: true}, per: ‸tag", "rule.per.unknown", ".per", "`tag`", "say which: `tag:NAME`"),
    ("limit: {block: true}, per: ‸\"tag:\"", "rule.per.empty", ".per", "", "a tag's name"),
    ("limit: {block: true}, per: ‸\"column:id\"", "rule.per.malformed", ".per", "`id` names no table and column", "orders.id"),
    ("limit: {block: true}, per: [user, ‸user]", "rule.per.duplicate", ".per[1]", "`user` stands here a second time", "once"),
    ("limit: {block: true}, per: [\"column:a.b\", ‸\"column:A.B\"]", "rule.per.duplicate", ".per[1]", "", ""),
    ("limit: {block: true}, per: [‸[user]]", "rule.per.wrong_type", ".per[0]", "", ""),
    ("limit: {block: true}, per: ‸[\"tag:1\", \"tag:2\", \"tag:3\", \"tag:4\", \"tag:5\", \"tag:6\", \"tag:7\", \"tag:8\", \"tag:9\", \"tag:10\", \"tag:11\", \"tag:12\", \"tag:13\", \"tag:14\", \"tag:15\", \"tag:16\", \"tag:17\"]", "rule.per.too_many", ".per", "17", "at most 16"),
    // How much it allows.
    ("limit: ‸100", "rule.limit.wrong_type", ".limit", "`100` is not a map", "token_bucket"),
    ("limit: ‸{}", "rule.limit.empty", ".limit", "no kind", "token_bucket"),
    ("limit: {‸token: {capacity: 1, rate: 1/s}}", "file.unknown_key", ".limit.token", "", "`token_bucket`"),
    ("limit: {block: true, ‸concurrency: {max: 1}}", "rule.limit.several", ".limit", "`concurrency` and `block`", "a rule for each"),
    ("limit: {block: ‸false}", "rule.limit.block.unknown", ".limit.block", "`false`", "`true`"),
    ("limit: {unlimited: ‸yes}", "rule.limit.unlimited.unknown", ".limit.unlimited", "`yes`", "`true`"),
    ("limit: {unlimited: ‸{}}", "rule.limit.unlimited.wrong_type", ".limit.unlimited", "", "`true`"),
    ("limit: {token_bucket: ‸100}", "rule.limit.token_bucket.wrong_type", ".limit.token_bucket", "", "capacity: 100"),
    ("limit: {token_bucket: ‸{rate: 1/s}}", "rule.limit.token_bucket.capacity.missing", ".limit.token_bucket", "`capacity` is missing", "capacity: 100"),
    ("limit: {token_bucket: ‸{capacity: 1}}", "rule.limit.token_bucket.rate.missing", ".limit.token_bucket", "`rate` is missing", "rate: 1000/s"),
    ("limit: {token_bucket: {capacity: 1, ‸rates: 1/s}}", "file.unknown_key", ".limit.token_bucket.rates", "", "did you mean `rate`?"),
    ("limit: {token_bucket: {capacity: ‸0, rate: 1/s}}", "rule.limit.token_bucket.capacity.zero", ".limit.token_bucket.capacity", "zero", "from `1` to `60000000`"),
    ("limit: {token_bucket: {capacity: ‸60000001, rate: 1/s}}", "rule.limit.token_bucket.capacity.too_large", ".limit.token_bucket.capacity", "", ""),
    ("limit: {token_bucket: {capacity: ‸-1, rate: 1/s}}", "rule.limit.token_bucket.capacity.negative", ".limit.token_bucket.capacity", "", ""),
    ("limit: {token_bucket: {capacity: 1, rate: ‸0/s}}", "rule.limit.token_bucket.rate.zero", ".limit.token_bucket.rate", "", "block: true"),
    ("limit: {token_bucket: {capacity: 1, rate: ‸1/0}}", "rule.limit.token_bucket.rate.divided_by_zero", ".limit.token_bucket.rate", "divides by zero", "1000/s"),
    ("limit: {token_bucket: {capacity: 1, rate: ‸1000}}", "rule.limit.token_bucket.rate.malformed", ".limit.token_bucket.rate", "`1000` is not a rate", "did you mean `1000/s`?"),
    ("limit: {token_bucket: {capacity: 1, rate: ‸1000000000/s}}", "rule.limit.token_bucket.rate.too_large", ".limit.token_bucket.rate", "", "`999999999/s`"),
    ("limit: {token_bucket: {capacity: 1, rate: ‸1/367d}}", "rule.limit.token_bucket.rate.too_small", ".limit.token_bucket.rate", "366 days", "`366d`"),
    ("limit: {token_bucket: {capacity: 1, rate: ‸-1/s}}", "rule.limit.token_bucket.rate.negative", ".limit.token_bucket.rate", "", ""),
    ("limit: {token_bucket: {capacity: 1, rate: ‸[]}}", "rule.limit.token_bucket.rate.wrong_type", ".limit.token_bucket.rate", "", "a rate"),
    ("limit: {sliding_window: ‸{window: 1s}}", "rule.limit.sliding_window.max.missing", ".limit.sliding_window", "", "max: 500"),
    ("limit: {sliding_window: ‸{max: 5}}", "rule.limit.sliding_window.window.missing", ".limit.sliding_window", "", "window: 1s"),
    ("limit: {sliding_window: {max: ‸0, window: 1s}}", "rule.limit.sliding_window.max.zero", ".limit.sliding_window.max", "", ""),
    ("limit: {sliding_window: {max: 5, window: ‸0s}}", "rule.limit.sliding_window.window.zero", ".limit.sliding_window.window", "", "from `1ms` to `366d`"),
    ("limit: {sliding_window: {max: 5, window: ‸367d}}", "rule.limit.sliding_window.window.too_large", ".limit.sliding_window.window", "", ""),
    ("limit: {sliding_window: {max: 5, window: ‸10}}", "rule.limit.sliding_window.window.malformed", ".limit.sliding_window.window", "", "did you mean `10s`?"),
    ("limit: {sliding_window: {max: 5, window: ‸10ms}}", "rule.limit.sliding_window.buckets.too_large", ".limit.sliding_window.window", "12 buckets", "`buckets: 10`"),
    ("limit: {sliding_window: {max: 5, window: 10ms, buckets: ‸11}}", "rule.limit.sliding_window.buckets.too_large", ".limit.sliding_window.buckets", "11 buckets", "`buckets: 10`"),
    ("limit: {sliding_window: {max: 5, window: 1s, buckets: ‸241}}", "rule.limit.sliding_window.buckets.too_large", ".limit.sliding_window.buckets", "`241`", "to `240`"),
    ("limit: {sliding_window: {max: 5, window: 1s, buckets: ‸0}}", "rule.limit.sliding_window.buckets.zero", ".limit.sliding_window.buckets", "", ""),
    ("limit: {sliding_window: {max: 5, window: 1s, count: ‸all}}", "rule.limit.sliding_window.count.unknown", ".limit.sliding_window.count", "`all`", "`admitted`, `attempts`"),
    ("limit: {fixed_window: ‸{max: 5}}", "rule.limit.fixed_window.window.missing", ".limit.fixed_window", "", ""),
    ("limit: {fixed_window: {max: ‸0, window: 1s}}", "rule.limit.fixed_window.max.zero", ".limit.fixed_window.max", "", ""),
    ("limit: {fixed_window: {max: 5, window: ‸1us}}", "rule.limit.fixed_window.window.too_small", ".limit.fixed_window.window", "", "`1ms`"),
    ("limit: {fixed_window: {max: ‸60000000, window: 1ms}}", "rule.limit.fixed_window.max.too_large", ".limit.fixed_window.max", "in `1ms`", "or a longer window"),
    ("limit: {concurrency: ‸{lease: 1s}}", "rule.limit.concurrency.max.missing", ".limit.concurrency", "", "max: 30"),
    ("limit: {concurrency: {max: ‸1000001}}", "rule.limit.concurrency.max.too_large", ".limit.concurrency.max", "", "`1000000`"),
    ("limit: {concurrency: {max: 1, lease: ‸0}}", "rule.limit.concurrency.lease.zero", ".limit.concurrency.lease", "", ""),
    // What happens beyond.
    ("limit: {block: true}, then: ‸abort", "rule.then.wrong_type", ".then", "", "strategy: abort"),
    ("limit: {block: true}, then: ‸{}", "rule.then.empty", ".then", "", "leave `then` out"),
    ("limit: {block: true}, then: {strategy: ‸abrot}", "rule.then.strategy.unknown", ".then.strategy", "`abrot`", "did you mean `abort`?"),
    ("limit: {block: true}, then: {strategy: ‸\"custom:\"}", "rule.then.strategy.empty", ".then.strategy", "", "a strategy's name"),
    ("limit: {block: true}, then: {strategy: ‸\"custom:a b\"}", "rule.then.strategy.malformed", ".then.strategy", "` `", "letters, digits"),
    ("limit: {block: true}, then: {strategy: ‸\"custom:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}", "rule.then.strategy.too_long", ".then.strategy", "more than 64", "at most 64"),
    ("limit: {block: true}, then: {share: ‸3/2}", "rule.then.share.too_large", ".then.share", "above one", "2/3"),
    ("limit: {block: true}, then: {share: ‸0/1}", "rule.then.share.zero", ".then.share", "", "mode: observe"),
    ("limit: {block: true}, then: {share: ‸1/0}", "rule.then.share.divided_by_zero", ".then.share", "", ""),
    ("limit: {block: true}, then: {share: ‸50%}", "rule.then.share.malformed", ".then.share", "", "did you mean `1/2`?"),
    ("limit: {block: true}, then: {strategy: ‸delay}", "rule.then.delay.missing", ".then", "", "delay: 100ms"),
    ("limit: {block: true}, then: {strategy: delay, delay: ‸2h}", "rule.then.delay.too_large", ".then.delay", "", "`1h`"),
    ("limit: {block: true}, then: {strategy: delay, delay: ‸until_allowed}", "rule.then.max_delay.missing", ".then", "", ""),
    ("limit: {block: true}, then: {strategy: delay, delay: 1s, ‸max_delay: 2s}", "rule.then.max_delay.without_until_allowed", ".then.max_delay", "", ""),
    ("limit: {block: true}, then: {‸delay: 1s}", "rule.then.delay.without_strategy", ".then.delay", "", ""),
    ("limit: {block: true}, then: {‸max_delay: 1s}", "rule.then.max_delay.without_strategy", ".then.max_delay", "", ""),
    ("limit: {block: true}, then: {‸max_delayed: 1}", "rule.then.max_delayed.without_strategy", ".then.max_delayed", "", ""),
    ("limit: {block: true}, then: {strategy: delay, delay: 1s, max_delayed: ‸0}", "rule.then.max_delayed.zero", ".then.max_delayed", "", ""),
    // The rest of it.
    ("limit: {block: true}, scope: ‸host", "rule.scope.unknown", ".scope", "`host`", "`process`, `cluster`"),
    ("limit: {block: true}, mode: ‸OFF", "rule.mode.unknown", ".mode", "", "did you mean `off`?"),
    ("limit: {block: true}, owner: ‸\"\"", "rule.owner.empty", ".owner", "", "an owner"),
    ("limit: {block: true}, owner: ‸[a]", "rule.owner.wrong_type", ".owner", "", ""),
    ("limit: {block: true}, owner: ‸\"a\\nb\"", "rule.owner.malformed", ".owner", "`\\n`", "no control characters"),
    ("limit: {block: true}, reason: ‸\"\\e[31m\"", "rule.reason.malformed", ".reason", "", "no control characters"),
    ("limit: {block: true}, expires: ‸tomorrow", "rule.expires.malformed", ".expires", "`tomorrow`", "2026-12-01T10:00:00Z"),
    ("limit: {block: true}, expires: ‸2026-12-01", "rule.expires.malformed", ".expires", "no time of day", "did you mean `2026-12-01T00:00:00Z`?"),
    ("limit: {block: true}, expires: ‸2026-12-01T10:00:00", "rule.expires.without_zone", ".expires", "has no zone", "`Z` for UTC"),
    ("limit: {block: true}, expires: ‸2026-12-01T10:00:00 CET", "rule.expires.unknown_zone", ".expires", "`CET` is an unknown zone", "`+01:00`"),
    ("limit: {block: true}, expires: ‸2026-02-29T10:00:00Z", "rule.expires.impossible", ".expires", "there is no `2026-02-29T10:00:00Z`", "1970"),
    ("limit: {block: true}, expires: ‸[]", "rule.expires.wrong_type", ".expires", "", ""),
    // What does not fit together.
    ("limit: {unlimited: true}, ‸then: {strategy: abort}", "rule.then.with_unlimited", ".then", "says nothing where nothing is limited", "leave it out"),
    ("limit: {unlimited: true}, ‸per: user", "rule.per.with_unlimited", ".per", "says nothing", ""),
    ("limit: {block: true}, ‸on_failure: open", "rule.on_failure.without_cluster", ".on_failure", "nothing is shared", "scope: cluster"),
    ("limit: {concurrency: {max: 1}}, ‸scope: cluster", "rule.scope.without_cluster", ".scope", "without `cluster`", "redis"),
    ("on: request, limit: {block: true}, match: {‸like: select 1}", "rule.match.like.on_request", ".match.like", "says nothing where a request has no SQL", "on: statement"),
    ("on: request, limit: {block: true}, match: {‸fingerprints: aaaaaaaaaaaa}", "rule.match.fingerprints.on_request", ".match.fingerprints", "", ""),
    ("on: request, limit: {block: true}, match: {‸pattern: select}", "rule.match.pattern.on_request", ".match.pattern", "", ""),
    ("on: request, limit: {block: true}, match: {‸keywords: select}", "rule.match.keywords.on_request", ".match.keywords", "", ""),
    ("on: request, limit: {block: true}, match: {‸kinds: select}", "rule.match.kinds.on_request", ".match.kinds", "", ""),
    ("on: request, limit: {block: true}, match: {user: a, ‸tables: t}", "rule.match.tables.on_request", ".match.tables", "", ""),
    ("on: request, limit: {block: true}, match: {‸where: missing}", "rule.match.where.on_request", ".match.where", "", ""),
    ("on: request, limit: {block: true}, match: {‸columns: {t.c: 1}}", "rule.match.columns.on_request", ".match.columns", "", ""),
    ("on: request, limit: {block: true}, per: ‸kind", "rule.per.on_request", ".per[0]", "`kind` says nothing", "`client`"),
    ("on: request, limit: {block: true}, per: [user, ‸table]", "rule.per.on_request", ".per[1]", "", ""),
    ("on: request, limit: {block: true}, per: [‸fingerprint]", "rule.per.on_request", ".per[0]", "", ""),
    ("on: request, limit: {block: true}, per: [‸\"column:t.c\"]", "rule.per.on_request", ".per[0]", "`column:t.c`", ""),
];

/// Whole files.
#[rustfmt::skip]
const FILES: &[Case] = &[
    ("rules: ‸off", "rules.wrong_type", "rules", "not a list", "behind a dash"),
    ("rules: ‸{a: {limit: {block: true}}}", "rules.wrong_type", "rules", "not a list", "behind a dash"),
    ("rules: [‸block]", "rule.wrong_type", "rules[0]", "`block` is not a map", "name: reports"),
    ("rules: [{name: a, limit: {block: true}}, ‸{limit: {block: true}}]", "rule.name.missing", "rules[1]", "`name` is missing", "name: reports"),
    ("rules: [‸{name: a}]", "rule.limit.missing", "rules.\"a\"", "`limit` is missing", "concurrency"),
    ("rules: [{‸nam: a, limit: {block: true}}]", "file.unknown_key", "rules[0].nam", "", "did you mean `name`?"),
    ("rules: [{name: ‸\"\", limit: {block: true}}]", "rule.name.empty", "rules[0].name", "", "a name"),
    ("rules: [{name: ‸[a], limit: {block: true}}]", "rule.name.wrong_type", "rules[0].name", "", "a name"),
    ("rules: [{name: ‸\"a\\tb\", limit: {block: true}}]", "rule.name.malformed", "rules.\"a\\tb\".name", "", "no control characters"),
    ("rules: [{name: ‸default_threshold, limit: {block: true}}]", "rule.name.reserved", "rules.\"default_threshold\".name", "a name of thresholds", "another name"),
    ("rules: [{name: ‸\"threshold:9f2c41d07b6e\", limit: {block: true}}]", "rule.name.reserved", "rules.\"threshold:9f2c41d07b6e\".name", "", ""),
    ("rules: [{name: ‸admin-1, limit: {block: true}}]", "rule.name.reserved", "rules.\"admin-1\".name", "admin statements", ""),
    ("rules:\n- {name: a, limit: {block: true}}\n- {name: ‸a, limit: {block: true}}", "rule.name.duplicate", "rules.\"a\".name", "the rule on line 2", "tells rules apart"),
    ("limits: {max_rules: 2}\nthresholds: {aaaaaaaaaaaa: 1}\ndialect: mysql\nrules:\n- {name: a, limit: {block: true}}\n- ‸{name: b, limit: {block: true}}", "rules.too_many", "rules", "1 thresholds and 2 rules are more than the 2", "max_rules"),
    ("mode: off\nrules: [{name: a, ‸mode: observe, limit: {block: true}}]", "rule.mode.stricter", "rules.\"a\".mode", "stricter than the file's `mode: off`", "softer"),
    ("mode: ‸on\nrules: [{name: a, mode: enforce, limit: {block: true}}]", "mode.unknown", "mode", "", ""),
    ("fingerprint: {hash: md5}\nrules: [{name: a, match: {fingerprints: ‸0123456789abcdef0123456789abcdef0}, limit: {block: true}}]", "rule.match.fingerprints.too_long", "rules.\"a\".match.fingerprints", "33 digits", "hash"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n}\nrules: [{name: a, ‸scope: cluster, limit: {sliding_window: {max: 1, window: 1s, count: attempts}}}]", "rule.scope.attempts", "rules.\"a\".scope", "counts attempts", "count: admitted"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n}\nrules: [{name: a, ‸scope: cluster, limit: {block: true}}]", "rule.scope.without_count", "rules.\"a\".scope", "`block` counts nothing", "leave `scope` out"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n}\nrules: [{name: a, scope: cluster, on_failure: ‸opne, limit: {concurrency: {max: 1}}}]", "rule.on_failure.unknown", "rules.\"a\".on_failure", "", "did you mean `open`?"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n}\nrules: [{name: a, scope: cluster, on_failure: {max: 1, window: ‸11ms}, limit: {concurrency: {max: 1}}}]", "rule.on_failure.window.too_small", "rules.\"a\".on_failure.window", "", "`12ms`"),
    // The cluster.
    ("cluster: ‸redis", "cluster.wrong_type", "cluster", "", "namespace: shop"),
    ("cluster: ‸{namespace: n}", "cluster.redis.missing", "cluster", "", "url"),
    ("cluster: ‸{redis: {url: 'redis://h'}}", "cluster.namespace.missing", "cluster", "", "namespace: shop"),
    ("cluster: {redis: ‸'redis://:secret@h', namespace: n}", "cluster.redis.wrong_type", "cluster.redis", "where a map belongs", "url"),
    ("cluster: {redis: {url: ‸'http://:secret@${H:-h}'}, namespace: n}", "cluster.redis.url.malformed", "cluster.redis.url", "", ""),
    ("cluster: {redis: ‸{}, namespace: n}", "cluster.redis.url.missing", "cluster.redis", "", ""),
    ("cluster: {redis: {url: ‸'http://:secret@h'}, namespace: n}", "cluster.redis.url.malformed", "cluster.redis.url", "not one of a Redis server", "rediss://"),
    ("cluster: {redis: {url: ‸'redis://'}, namespace: n}", "cluster.redis.url.malformed", "cluster.redis.url", "", ""),
    ("cluster: {redis: {url: 'redis://h', timeout: ‸0s}, namespace: n}", "cluster.redis.timeout.zero", "cluster.redis.timeout", "", "from `1ms` to `1m`"),
    ("cluster: {redis: {url: 'redis://h', connect_timeout: ‸2m}, namespace: n}", "cluster.redis.connect_timeout.too_large", "cluster.redis.connect_timeout", "", ""),
    ("cluster: {redis: {url: 'redis://h', pool: ‸1025}, namespace: n}", "cluster.redis.pool.too_large", "cluster.redis.pool", "", "`1024`"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: ‸a b}", "cluster.namespace.malformed", "cluster.namespace", "", "no white space"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n, lease: {fraction: ‸1.5}}", "cluster.lease.fraction.too_large", "cluster.lease.fraction", "`1.5`", "from `0` to `1`"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n, lease: {fraction: ‸5%}}", "cluster.lease.fraction.malformed", "cluster.lease.fraction", "`5%`", "0.05"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n, lease: {ttl: ‸2h}}", "cluster.lease.ttl.too_large", "cluster.lease.ttl", "", "`1h`"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n, on_failure: ‸[]}", "cluster.on_failure.wrong_type", "cluster.on_failure", "", "`local`"),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n, on_failure: ‸{max: 1}}", "cluster.on_failure.window.missing", "cluster.on_failure", "", ""),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n, on_failure: {max: ‸0, window: 1s}}", "cluster.on_failure.max.zero", "cluster.on_failure.max", "", ""),
    ("cluster: {redis: {url: 'redis://h'}, namespace: n, on_failure: {max: 1, window: 1s, share: ‸0.5}}", "cluster.on_failure.share.malformed", "cluster.on_failure.share", "", "did you mean `1/2`?"),
    // The rest of the file.
    ("on_error: ‸ignore", "on_error.unknown", "on_error", "`ignore`", "`allow`, `abort`"),
    ("watch: ‸1ms", "watch.too_small", "watch", "`1ms`", "from `100ms` to `1h`, or `0` for never"),
    ("watch: ‸2h", "watch.too_large", "watch", "", "or `0`"),
    ("watch: ‸-1s", "watch.negative", "watch", "", ""),
    ("watch: ‸never", "watch.malformed", "watch", "", ""),
    ("default_threshold: {max_count: 1, strategy: ‸\"custom:ü\"}", "threshold.strategy.malformed", "default_threshold.strategy", "`ü`", "letters, digits"),
];

#[test]
fn every_fault_is_told_with_its_place() {
    let of_rules = RULES.iter().map(|(rest, code, path, found, expected)| {
        (format!("rules:\n- {{name: a, {rest}}}"), *code, format!("rules.\"a\"{path}"), *found, *expected)
    });
    let of_files = FILES
        .iter()
        .map(|(text, code, path, found, expected)| ((*text).to_owned(), *code, (*path).to_owned(), *found, *expected));
    let mut wrong = Vec::new();
    for (marked, code, path, found, expected) in of_rules.chain(of_files) {
        let (before, after) = marked.split_once('‸').expect("the place is marked");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let told = faults(format!("{before}{after}"));
        let right = |fault: &Fault| {
            (fault.code, fault.line, fault.column, fault.path.as_str()) == (code, line, column, path.as_str())
                && fault.found.contains(found)
                && fault.expected.contains(expected)
                && !fault.to_string().contains("secret")
        };
        if told.len() != 1 || !right(&told[0]) {
            wrong.push(format!("{marked}\nshould be {code} at {line}:{column} {path}, is {told:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn all_faults_of_a_rule_come_at_once() {
    let text = "\
rules:
- name: reports
  match: {kinds: [selct], tables: [], pattern: [a]}
  on: request
  per: [user, ip]
  limit: {token_bucket: {capacity: 0, rate: 1/0}}
  then: {share: 3/2, strategy: delay}
  expires: soon
- match: {}
  limit: {block: no}
";
    let told: Vec<_> = faults(text).iter().map(|fault| (fault.line, fault.code)).collect();
    assert_eq!(
        told,
        [
            (3, "rule.match.kinds.on_request"),
            (3, "rule.match.kinds.unknown"),
            (3, "rule.match.tables.on_request"),
            (3, "rule.match.tables.empty"),
            (3, "rule.match.pattern.on_request"),
            (3, "rule.match.pattern.wrong_type"),
            (5, "rule.per.unknown"),
            (6, "rule.limit.token_bucket.capacity.zero"),
            (6, "rule.limit.token_bucket.rate.divided_by_zero"),
            (7, "rule.then.share.too_large"),
            (7, "rule.then.delay.missing"),
            (8, "rule.expires.malformed"),
            (9, "rule.name.missing"),
            (9, "rule.match.empty"),
            (10, "rule.limit.block.unknown"),
        ]
    );
}
