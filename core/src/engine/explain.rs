//! Why a statement is decided as it is: each rule, and whether it matches.

use super::active_rule::ActiveRule;
use super::asked::Asked;
use super::keys;
use super::plan::Participant;
use super::rule_set::RuleSet;
use super::shape::Shape;
use super::{Engine, Inner};
use crate::decision::RuleName;
use crate::fingerprint::{Fingerprint, Kind, Where};
use crate::metrics::RuleMode;
use crate::rule::matcher::{Condition, Mismatch, ShapeFacts};
use crate::rule::{Mode, On};
use crate::statement::Statement;
use std::sync::Arc;

/// What an engine makes of a statement: its shape, and each rule with whether it takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// Its normalised text; bytes that are no UTF-8 are replaced.
    pub normalized: String,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// The kinds of its statements, each once.
    pub kinds: Vec<Kind>,
    /// The tables it names.
    pub tables: Vec<String>,
    /// How its WHERE reads.
    pub where_clause: Where,
    /// Whether its kind is never checked, unless a rule names it.
    pub never_checked: bool,
    /// Every rule: thresholds, rules and the default threshold, and what a provider of thresholds says.
    pub rules: Vec<ExplainedRule>,
    /// The rule with `unlimited` that exempts the statement: the others that match are not asked, and count nothing.
    pub exempted_by: Option<RuleName>,
}

/// A rule, and what it has to do with a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedRule {
    /// The rule.
    pub name: RuleName,
    /// Whether it is carried out.
    pub mode: RuleMode,
    /// Whether it matches.
    pub part: RulePart,
}

/// Whether a rule takes part in the check of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RulePart {
    /// It matches, and counts the statement under these keys: `user=dev`, `column:orders.id=7`. A rule without keys has none.
    Matches {
        /// The keys, the first 16.
        keys: Vec<String>,
    },
    /// It would match if its time were not over, and count the statement under these keys.
    Expired {
        /// The keys, the first 16.
        keys: Vec<String>,
    },
    /// It does not match, because of this field.
    Differs {
        /// The field of the rule file: `pattern`, `user`, `per`, `on`, `fingerprints`; `default_threshold` where another rule
        /// names the statement, and `never_checked` where no rule names its kind.
        field: &'static str,
    },
}

impl Engine {
    /// Says what the rules have to do with a statement. Nothing is counted.
    ///
    /// ```
    /// use sqlthrottle::{Engine, RuleFile, RulePart, Statement};
    ///
    /// let rules = "rules: [{name: reports, match: {tables: [reports]}, per: [user], limit: {fixed_window: {max: 5, window: 1s}}}]";
    /// let engine = Engine::new(RuleFile::parse(rules)?)?;
    /// let explanation = engine.explain(&Statement::new("select * from reports where id = 7").user("dev"));
    /// assert_eq!(explanation.normalized, "select * from reports where id=?");
    /// assert_eq!(explanation.rules[0].part, RulePart::Matches { keys: vec!["user=dev".to_owned()] });
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    pub fn explain(&self, statement: &Statement<'_>) -> Explanation {
        self.0.explain(statement)
    }
}

impl Inner {
    fn explain(&self, statement: &Statement<'_>) -> Explanation {
        let (now, set) = self.renewed();
        let dialect = statement.dialect.unwrap_or(set.file.fingerprint.dialect);
        let shape = self.shape(self.hot.sought(statement.sql, dialect), now, &set);
        let asked = Asked::statement(statement, statement.sql, dialect);
        shape.with_facts(|facts| {
            let analysis = asked.constants.analysis();
            let (rules, exempted_by) =
                set.explain(&shape, facts, &asked, self.provided(&set, &shape.fingerprint).something());
            Explanation {
                normalized: String::from_utf8_lossy(&shape.text).into_owned(),
                fingerprint: shape.fingerprint,
                kinds: shape.kinds.to_vec(),
                tables: analysis.tables.iter().map(ToString::to_string).collect(),
                where_clause: analysis.where_clause,
                never_checked: facts.never_checked,
                rules,
                exempted_by,
            }
        })
    }
}

impl RuleSet {
    /// Each rule, and the one that exempts the statement from the others.
    fn explain(
        &self,
        shape: &Shape,
        facts: &ShapeFacts<'_>,
        asked: &Asked<'_, '_>,
        provided: Option<&Arc<ActiveRule>>,
    ) -> (Vec<ExplainedRule>, Option<RuleName>) {
        let naming: Vec<u32> = self.matcher().naming(facts.fingerprint).collect();
        let threshold = self.threshold(facts.fingerprint);
        let tables = keys::tables(facts);
        let mut rules = Vec::new();
        // One that asks no constant is found first, as it is in a check.
        let (mut exempting, mut exempting_by_constants) = (None, None);
        for (rule, number) in self.iter_numbered() {
            let mode = rule.mode(self.file.mode == Mode::Off || number.is_some_and(|number| self.is_off(number)));
            let part = match number {
                Some(number) => self.differs(number, facts, asked),
                None if facts.never_checked => Err("never_checked"),
                None if rule.name != RuleName::DefaultThreshold => {
                    if threshold.is_some_and(|named| Arc::ptr_eq(named, rule)) { Ok(None) } else { Err("fingerprints") }
                }
                None if threshold.is_some() || provided.is_some() || self.any_live(&naming) => Err("default_threshold"),
                None => Ok(None),
            };
            if let (Ok(condition), RuleMode::Enforced, true) = (&part, mode, rule.exempts()) {
                let by_constants = condition.as_ref().is_some_and(|condition| condition.asks_constants(facts));
                let first = if by_constants { &mut exempting_by_constants } else { &mut exempting };
                first.get_or_insert_with(|| rule.name.clone());
            }
            let keys = |condition| described(rule, condition, shape, &tables, asked);
            let part = match part {
                Ok(condition) if mode == RuleMode::Expired => RulePart::Expired { keys: keys(condition) },
                Ok(condition) => RulePart::Matches { keys: keys(condition) },
                Err(field) => RulePart::Differs { field },
            };
            rules.push(ExplainedRule { name: rule.name.clone(), mode, part });
        }
        rules.extend(provided.filter(|_| !facts.never_checked).map(|rule| ExplainedRule {
            name: rule.name.clone(),
            mode: rule.mode(self.file.mode == Mode::Off),
            part: RulePart::Matches { keys: Vec::new() },
        }));
        (rules, exempting.or(exempting_by_constants))
    }

    /// The condition of a rule of the file that matches.
    ///
    /// # Errors
    ///
    /// The field by which it does not.
    fn differs(
        &self,
        number: u32,
        facts: &ShapeFacts<'_>,
        asked: &Asked<'_, '_>,
    ) -> Result<Option<Arc<Condition>>, &'static str> {
        if self.file.rules.get(number as usize).is_some_and(|rule| rule.on == On::Request) {
            return Err("on");
        }
        let Some(condition) = self.matcher().condition(number) else { return Err("match") };
        let matches = condition.of_shape(facts).and_then(|()| condition.of_context(asked.context)).and_then(|()| {
            if condition.asks_constants(facts) { condition.of_constants(&asked.constants) } else { Ok(()) }
        });
        matches.map(|()| Some(Arc::clone(condition))).map_err(Mismatch::name)
    }
}

/// The keys of a rule, for people to read.
fn described(
    rule: &Arc<ActiveRule>,
    condition: Option<Arc<Condition>>,
    shape: &Shape,
    tables: &[String],
    asked: &Asked<'_, '_>,
) -> Vec<String> {
    if rule.per().is_empty() {
        return Vec::new();
    }
    let participant =
        Participant { rule: Arc::clone(rule), condition, asks_context: false, asks_constants: false, key: None };
    keys::described(&participant, shape, tables, asked)
}
