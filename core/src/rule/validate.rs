//! Rules that were built in code, held to the bounds of those of a file.

use super::bounds::{self, Codes, FailureBounds};
use super::conflict::{Field, Said};
use super::patterns::{FilePatterns, check_account, check_keyword, check_table};
use super::quantity::{Bytes, Millionths, Misread, Wrong, quoted};
use super::text::{self, TextBounds, check_items};
use super::{
    Cluster, FingerprintPrefix, Limits, MatchField, Matching, OnFailure, Part, Rule, RuleFile, Then, Threshold, file,
};
use crate::error::{Fault, LoadError};
use crate::fingerprint::HashKind;
use crate::strategy::{Delay, Strategy};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Collects faults of values at paths.
#[derive(Default)]
struct Problems(Vec<Fault>);

impl Problems {
    fn push(&mut self, path: String, code: &'static str, found: String, expected: String) {
        self.0.push(Fault { code, path, line: 0, column: 0, found, expected });
    }

    fn misread(&mut self, path: String, code: &'static str, misread: Misread) {
        self.push(path, code, misread.found, misread.expected);
    }

    fn check(&mut self, path: impl FnOnce() -> String, codes: &Codes, result: Result<(), Misread>) {
        if let Err(misread) = result {
            self.misread(path(), codes.of(misread.wrong), misread);
        }
    }

    fn text(&mut self, path: impl FnOnce() -> String, bounds: &TextBounds, text: &str) {
        self.check(path, &bounds.codes, bounds.check(text));
    }
}

impl RuleFile {
    /// Every fault, in the order of the fields.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let mut problems = Problems::default();
        for (field, code, misread) in self.limits.problems() {
            problems.misread(format!("limits.{field}"), code, misread);
        }
        let max_sql_bytes = bounds::MAX_SQL_BYTES.check(Bytes(self.fingerprint.max_sql_bytes)).map(drop);
        problems.check(|| "limits.max_sql_bytes".to_owned(), &bounds::MAX_SQL_BYTES.codes, max_sql_bytes);
        problems.check(|| "watch".to_owned(), &bounds::WATCH.codes, bounds::check_watch(self.watch));
        self.check_thresholds(&mut problems);
        if let Some(cluster) = &self.cluster {
            check_cluster(cluster, &mut problems);
        }
        self.check_rules(&mut problems);
        problems.0
    }

    /// Whether a rule may be added that was read apart from the file. Its name is not looked at.
    ///
    /// # Errors
    ///
    /// Every value of it that is out of its bounds, and what does not go together with the file.
    pub(crate) fn admits(&self, rule: &Rule) -> Result<(), LoadError> {
        let mut problems = Problems::default();
        self.check_rule(rule, "", &mut FilePatterns::new(self.fingerprint), &mut problems);
        if problems.0.is_empty() {
            return Ok(());
        }
        for fault in &mut problems.0 {
            fault.path = fault.path.trim_start_matches('.').to_owned();
        }
        Err(LoadError::with_faults(problems.0))
    }

    /// Whether rules may be added that were each admitted.
    ///
    /// # Errors
    ///
    /// Where all together are more than `limits.max_rules`, or their patterns take too much memory or work.
    pub(crate) fn has_room_for(&self, added: &[Rule]) -> Result<(), LoadError> {
        let refused = |code, path, misread: Misread| {
            Err(LoadError::with_faults(vec![Fault::unplaced(code, path, misread.found, misread.expected)]))
        };
        let (thresholds, rules) = (self.thresholds.len(), self.rules.len() + added.len());
        if let Err(misread) = Limits::check_rules(thresholds, rules, self.limits.max_rules) {
            return refused("rules.too_many", String::new(), misread);
        }
        if added.iter().all(|rule| rule.matching.pattern.is_none()) {
            return Ok(());
        }
        let mut patterns = FilePatterns::of(self);
        for rule in added {
            let checked = rule.matching.pattern.as_deref().map_or(Ok(()), |pattern| patterns.check(pattern));
            if let Err(misread) = checked.and_then(|()| patterns.admit(rule)) {
                let path = file::rule_path(0, Some(&rule.name)) + ".match.pattern";
                return refused(text::PATTERN.codes.of(misread.wrong), path, misread);
            }
        }
        Ok(())
    }

    fn check_thresholds(&self, problems: &mut Problems) {
        for (field, code, misread) in self.default_threshold.iter().flat_map(Threshold::problems) {
            problems.misread(format!("default_threshold.{}", field.name()), code, misread);
        }
        let (thresholds, rules, most) = (self.thresholds.len(), self.rules.len(), self.limits.max_rules);
        if let Err(misread) = Limits::check_rules(thresholds, rules, most) {
            // The first one too many belongs to the section that comes last.
            let (path, code) =
                if rules > 0 { ("rules", "rules.too_many") } else { ("thresholds", "thresholds.too_many") };
            problems.misread(path.to_owned(), code, misread);
        }
        for (prefix, threshold) in &self.thresholds {
            let path = format!("thresholds.\"{prefix}\"");
            for (field, code, misread) in threshold.problems() {
                problems.misread(format!("{path}.{}", field.name()), code, misread);
            }
            if let Err(misread) = prefix.fits(self.fingerprint.hash) {
                problems.misread(path, "threshold.fingerprint.too_long", misread);
            }
        }
        for (a, b) in FingerprintPrefix::overlaps(self.thresholds.iter().map(|(prefix, _)| prefix)) {
            let (later, earlier) = (&self.thresholds[a.max(b)].0, &self.thresholds[a.min(b)].0);
            let misread = FingerprintPrefix::overlapping(earlier, "an earlier threshold");
            problems.misread(format!("thresholds.\"{later}\""), "threshold.fingerprint.overlap", misread);
        }
    }

    fn check_rules(&self, problems: &mut Problems) {
        let mut names = HashMap::new();
        let mut patterns = FilePatterns::new(self.fingerprint);
        for (i, rule) in self.rules.iter().enumerate() {
            let path = file::rule_path(i, Some(&rule.name));
            if let Err((code, misread)) = check_name(&rule.name) {
                problems.misread(format!("{path}.name"), code, misread);
            } else if let Some(earlier) = names.insert(&*rule.name, i) {
                let misread = duplicate_name(&rule.name, &format!("rules[{earlier}]"));
                problems.misread(format!("{path}.name"), text::RULE_NAME.codes.duplicate, misread);
            }
            self.check_rule(rule, &path, &mut patterns, problems);
        }
    }

    fn check_rule(&self, rule: &Rule, path: &str, patterns: &mut FilePatterns, problems: &mut Problems) {
        check_matching(&rule.matching, self.fingerprint.hash, patterns, &format!("{path}.match"), problems);
        problems.check(|| format!("{path}.match.pattern"), &text::PATTERN.codes, patterns.admit(rule));
        check_per(&rule.per, path, problems);
        for (field, code, misread) in rule.limit.problems() {
            problems.misread(format!("{path}.limit.{field}"), code, misread);
        }
        check_then(&rule.then, &format!("{path}.then"), problems);
        if let Some(on_failure) = rule.on_failure {
            check_on_failure(on_failure, &bounds::RULE_ON_FAILURE, &format!("{path}.on_failure"), problems);
        }
        for (field, bounds, value) in [("owner", text::OWNER, &rule.owner), ("reason", text::REASON, &rule.reason)] {
            if let Some(value) = value {
                problems.text(|| format!("{path}.{field}"), &bounds, value);
            }
        }
        let said = Said {
            on: Some(rule.on),
            limit: Some(rule.limit),
            scope: Some(rule.scope),
            mode: rule.mode,
            file_mode: Some(self.mode),
            per: &rule.per,
            cluster: self.cluster.is_some(),
        };
        for conflict in said.conflicts(|field| says(rule, field)) {
            problems.push(
                format!("{path}.{}", conflict.field.path()),
                conflict.code,
                conflict.found,
                conflict.expected,
            );
        }
    }
}

/// Whether a rule says anything but the default.
fn says(rule: &Rule, field: Field) -> bool {
    match field {
        Field::Match(field) => matches_by(&rule.matching, field),
        Field::Per => !rule.per.is_empty(),
        Field::Part(i) => i < rule.per.len(),
        Field::Then => rule.then != Then::default(),
        Field::Scope => true,
        Field::Mode => rule.mode.is_some(),
        Field::OnFailure => rule.on_failure.is_some(),
    }
}

fn matches_by(matching: &Matching, field: MatchField) -> bool {
    match field {
        MatchField::Like => !matching.like.is_empty(),
        MatchField::Fingerprints => !matching.fingerprints.is_empty(),
        MatchField::Pattern => matching.pattern.is_some(),
        MatchField::Keywords => !matching.keywords.is_empty(),
        MatchField::Kinds => !matching.kinds.is_empty(),
        MatchField::Tables => !matching.tables.is_empty(),
        MatchField::Databases => !matching.databases.is_empty(),
        MatchField::User => !matching.users.is_empty(),
        MatchField::Tags => !matching.tags.is_empty(),
        MatchField::Where => matching.whole_table.is_some(),
        MatchField::Columns => !matching.columns.is_empty(),
    }
}

/// Refuses a name that no rule may have.
pub(super) fn check_name(name: &str) -> Result<(), (&'static str, Misread)> {
    text::RULE_NAME.check(name).map_err(|misread| (text::RULE_NAME.codes.of(misread.wrong), misread))?;
    let what = if name == "default_threshold" || name.starts_with("threshold:") {
        "thresholds"
    } else if name == "provider" {
        "thresholds of a provider"
    } else if name.starts_with("admin-") {
        "rules of admin statements"
    } else {
        return Ok(());
    };
    let found = format!("{} is a name of {what}", quoted(name));
    Err(("rule.name.reserved", Misread::new(Wrong::Malformed, found, "write another name")))
}

/// What is said of a name that stands elsewhere too.
pub(super) fn duplicate_name(name: &str, elsewhere: &str) -> Misread {
    let found = format!("{} is the name of {elsewhere} too", quoted(name));
    Misread::new(Wrong::Duplicate, found, "write another name: it tells rules apart, and their counters follow it")
}

/// What is said of a part of a key or of a column that stands there twice.
pub(super) fn duplicate(what: &str) -> Misread {
    Misread::new(Wrong::Duplicate, format!("{} stands here a second time", quoted(what)), "write it once")
}

fn check_matching(
    matching: &Matching,
    hash: HashKind,
    patterns: &mut FilePatterns,
    path: &str,
    problems: &mut Problems,
) {
    type Check = fn(&str) -> Result<(), Misread>;
    let lists: [(&str, &TextBounds, &[String], Check); 5] = [
        ("like", &text::LIKE, &matching.like, |text| text::LIKE.check(text)),
        ("keywords", &text::KEYWORD, &matching.keywords, check_keyword),
        ("tables", &text::TABLE, &matching.tables, check_table),
        ("databases", &text::DATABASE, &matching.databases, |text| text::DATABASE.check(text)),
        ("user", &text::USER, &matching.users, check_account),
    ];
    for (field, bounds, values, check) in lists {
        check_length(values.len(), bounds, || format!("{path}.{field}"), problems);
        for (i, value) in values.iter().enumerate() {
            problems.check(|| format!("{path}.{field}[{i}]"), &bounds.codes, check(value));
        }
    }
    if let Some(pattern) = &matching.pattern {
        problems.check(|| format!("{path}.pattern"), &text::PATTERN.codes, patterns.check(pattern));
    }
    for (tag, values) in &matching.tags {
        let path = file::path_to(&format!("{path}.tags"), tag);
        problems.text(|| path.clone(), &text::TAG_NAME, tag);
        check_values(values, &text::TAG_VALUE, &path, problems);
    }
    let mut columns = HashSet::new();
    for (column, values) in &matching.columns {
        let path = file::path_to(&format!("{path}.columns"), &column.to_string());
        problems.check(|| path.clone(), &text::COLUMN_PART.codes, column.check());
        if !columns.insert(column.folded()) {
            let misread = duplicate(&column.to_string());
            problems.misread(path.clone(), text::COLUMN_PART.codes.duplicate, misread);
        }
        check_values(values, &text::COLUMN_VALUE, &path, problems);
    }
    for prefix in &matching.fingerprints {
        if let Err(misread) = prefix.fits(hash) {
            problems.misread(format!("{path}.fingerprints"), "rule.match.fingerprints.too_long", misread);
        }
    }
    for (a, b) in FingerprintPrefix::overlaps(&matching.fingerprints) {
        let misread = FingerprintPrefix::overlapping(&matching.fingerprints[a.min(b)], "an earlier value");
        problems.misread(format!("{path}.fingerprints"), "rule.match.fingerprints.overlap", misread);
    }
}

fn check_length(values: usize, bounds: &TextBounds, path: impl FnOnce() -> String, problems: &mut Problems) {
    // None at all is not given, where it is built in code.
    if values > 0 {
        problems.check(path, &bounds.codes, check_items(values, text::MAX_ITEMS, bounds.noun));
    }
}

fn check_values(values: &[String], bounds: &TextBounds, path: &str, problems: &mut Problems) {
    problems.check(|| path.to_owned(), &bounds.codes, check_items(values.len(), text::MAX_ITEMS, bounds.noun));
    for (i, value) in values.iter().enumerate() {
        problems.text(|| format!("{path}[{i}]"), bounds, value);
    }
}

fn check_per(per: &[Part], path: &str, problems: &mut Problems) {
    if per.len() > text::MAX_PARTS {
        let misread = check_items(per.len(), text::MAX_PARTS, "parts");
        problems.check(|| format!("{path}.per"), &text::PER, misread);
        return;
    }
    for (i, part) in per.iter().enumerate() {
        problems.check(|| format!("{path}.per[{i}]"), &text::PER, part.check());
        if per[..i].iter().any(|earlier| earlier.is(part)) {
            problems.misread(format!("{path}.per[{i}]"), text::PER.duplicate, duplicate(&part.to_string()));
        }
    }
}

fn check_then(then: &Then, path: &str, problems: &mut Problems) {
    let mut delay = |field: &str, bounds: bounds::Bounds<Duration>, value| {
        problems.check(|| format!("{path}.{field}"), &bounds.codes, bounds.check(value).map(drop));
    };
    match &then.strategy {
        Strategy::Abort | Strategy::Ignore => {}
        Strategy::Delay(Delay::Fixed(fixed)) => delay("delay", bounds::THEN_DELAY, *fixed),
        Strategy::Delay(Delay::UntilAllowed { max }) => delay("max_delay", bounds::THEN_MAX_DELAY, *max),
        Strategy::Custom(name) => problems.text(|| format!("{path}.strategy"), &text::THEN_CUSTOM, name),
    }
    let max_delayed = bounds::THEN_MAX_DELAYED.check(then.max_delayed).map(drop);
    problems.check(|| format!("{path}.max_delayed"), &bounds::THEN_MAX_DELAYED.codes, max_delayed);
}

fn check_on_failure(on_failure: OnFailure, bounds: &FailureBounds, path: &str, problems: &mut Problems) {
    if let OnFailure::Limit { max, window, .. } = on_failure {
        problems.check(|| format!("{path}.max"), &bounds.max.codes, bounds.max.check(max).map(drop));
        problems.check(|| format!("{path}.window"), &bounds.window.codes, bounds.window.check(window).map(drop));
    }
}

fn check_cluster(cluster: &Cluster, problems: &mut Problems) {
    let redis = &cluster.redis;
    problems.check(|| "cluster.redis.url".to_owned(), &text::URL.codes, check_url(&redis.url));
    for (field, bounds, value) in [
        ("connect_timeout", bounds::CONNECT_TIMEOUT, redis.connect_timeout),
        ("timeout", bounds::TIMEOUT, redis.timeout),
    ] {
        problems.check(|| format!("cluster.redis.{field}"), &bounds.codes, bounds.check(value).map(drop));
    }
    problems.check(|| "cluster.redis.pool".to_owned(), &bounds::POOL.codes, bounds::POOL.check(redis.pool).map(drop));
    problems.text(|| "cluster.namespace".to_owned(), &text::NAMESPACE, &cluster.namespace);
    let fraction = bounds::LEASE_FRACTION.check(Millionths(cluster.lease.fraction_millionths)).map(drop);
    problems.check(|| "cluster.lease.fraction".to_owned(), &bounds::LEASE_FRACTION.codes, fraction);
    let ttl = bounds::LEASE_TTL.check(cluster.lease.ttl).map(drop);
    problems.check(|| "cluster.lease.ttl".to_owned(), &bounds::LEASE_TTL.codes, ttl);
    check_on_failure(cluster.on_failure, &bounds::CLUSTER_ON_FAILURE, "cluster.on_failure", problems);
}

/// Refuses what is no URL of a Redis server. The message does not repeat it: it may hold a password.
pub(super) fn check_url(url: &str) -> Result<(), Misread> {
    text::URL.check(url)?;
    let schemes = ["redis://", "rediss://", "unix://"];
    if schemes.iter().any(|scheme| url.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty())) {
        return Ok(());
    }
    let expected = "write `redis://HOST:PORT`, `rediss://HOST:PORT` or `unix://PATH`";
    Err(Misread::new(Wrong::Malformed, "the URL is not one of a Redis server", expected))
}
