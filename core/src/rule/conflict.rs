//! Fields of a rule that contradict each other, judged once for files and for rules built in code.

use super::{Count, Limit, MatchField, Mode, On, Part, Scope};

/// A field that may contradict another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Match(MatchField),
    Per,
    /// One part of `per`.
    Part(usize),
    Then,
    Scope,
    Mode,
    OnFailure,
}

impl Field {
    /// The path from the rule.
    pub(crate) fn path(self) -> String {
        let name = match self {
            Self::Match(field) => return format!("match.{}", field.name()),
            Self::Per => "per",
            Self::Part(i) => return format!("per[{i}]"),
            Self::Then => "then",
            Self::Scope => "scope",
            Self::Mode => "mode",
            Self::OnFailure => "on_failure",
        };
        name.to_owned()
    }
}

/// The code of a field of `match` that looks at SQL, where a request has none; none of what a request has too.
const fn on_request(field: MatchField) -> Option<&'static str> {
    Some(match field {
        MatchField::Like => "rule.match.like.on_request",
        MatchField::Fingerprints => "rule.match.fingerprints.on_request",
        MatchField::Pattern => "rule.match.pattern.on_request",
        MatchField::Keywords => "rule.match.keywords.on_request",
        MatchField::Kinds => "rule.match.kinds.on_request",
        MatchField::Tables => "rule.match.tables.on_request",
        MatchField::Where => "rule.match.where.on_request",
        MatchField::Columns => "rule.match.columns.on_request",
        MatchField::Databases | MatchField::User | MatchField::Tags => return None,
    })
}

/// A contradiction: what was found, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) field: Field,
    pub(crate) code: &'static str,
    pub(crate) found: String,
    pub(crate) expected: String,
}

/// What a rule and its file say, where it is known: what is a fault in itself is none, and judged no further.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said<'a> {
    pub(crate) on: Option<On>,
    pub(crate) limit: Option<Limit>,
    pub(crate) scope: Option<Scope>,
    /// None where the rule says none.
    pub(crate) mode: Option<Mode>,
    pub(crate) file_mode: Option<Mode>,
    pub(crate) per: &'a [Part],
    /// Whether the file has a `cluster`.
    pub(crate) cluster: bool,
}

impl Said<'_> {
    /// Every contradiction. `says` answers whether a field is given.
    pub(crate) fn conflicts(&self, says: impl Fn(Field) -> bool) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        let mut push = |field, code, found: String, expected: &str| {
            conflicts.push(Conflict { field, code, found, expected: expected.to_owned() });
        };
        if self.on == Some(On::Request) {
            for (field, code) in MatchField::ALL.into_iter().filter_map(|field| Some((field, on_request(field)?))) {
                let field = Field::Match(field);
                if !says(field) {
                    continue;
                }
                let found = format!("`{}` says nothing where a request has no SQL", field.path());
                let expected = "match requests by `databases`, `user` and `tags`, or write `on: statement`";
                push(field, code, found, expected);
            }
            for (i, part) in self.per.iter().enumerate() {
                if !part.needs_sql() {
                    continue;
                }
                let found = format!("`{part}` says nothing where a request has no SQL");
                let expected = "count requests by `user`, `client`, `database` or `tag:NAME`, or write `on: statement`";
                push(Field::Part(i), "rule.per.on_request", found, expected);
            }
        }
        if self.limit == Some(Limit::Unlimited) {
            for (field, code) in [(Field::Per, "rule.per.with_unlimited"), (Field::Then, "rule.then.with_unlimited")] {
                if says(field) {
                    let found = format!("`{}` says nothing where nothing is limited", field.path());
                    push(field, code, found, "leave it out, or write another `limit` than `unlimited`");
                }
            }
        }
        if self.scope == Some(Scope::Cluster) {
            match self.limit {
                Some(limit @ (Limit::Block | Limit::Unlimited)) => {
                    let found = format!("`scope: cluster` says nothing where `{}` counts nothing", limit.name());
                    let expected = "leave `scope` out: a rule that counts nothing has nothing to share";
                    push(Field::Scope, "rule.scope.without_count", found, expected);
                }
                Some(Limit::SlidingWindow { count: Count::Attempts, .. }) => {
                    let found = "`scope: cluster` cannot share a window that counts attempts".to_owned();
                    let expected = "write `count: admitted`, or leave `scope` out";
                    push(Field::Scope, "rule.scope.attempts", found, expected);
                }
                _ => {}
            }
            if !self.cluster {
                let found = "`scope: cluster` stands in a file without `cluster`".to_owned();
                let expected = "say in the file where counters are shared: `cluster: {redis: {url: …}, namespace: …}`";
                push(Field::Scope, "rule.scope.without_cluster", found, expected);
            }
        }
        if self.scope == Some(Scope::Process) && says(Field::OnFailure) {
            let found = "`on_failure` says nothing where nothing is shared".to_owned();
            push(Field::OnFailure, "rule.on_failure.without_cluster", found, "leave it out, or write `scope: cluster`");
        }
        if let (Some(mode), Some(of_file)) = (self.mode, self.file_mode)
            && mode < of_file
        {
            let found = format!("`mode: {mode}` is stricter than the file's `mode: {of_file}`");
            push(
                Field::Mode,
                "rule.mode.stricter",
                found,
                "leave it out, or write a softer one: enforce, observe, off",
            );
        }
        conflicts
    }
}
