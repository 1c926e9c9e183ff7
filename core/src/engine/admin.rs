//! Rules that are added and removed while an engine runs.

use super::Engine;
use super::active_rule::ActiveRule;
use super::rule_set::RuleSet;
use crate::decision::RuleName;
use crate::error::{Fault, LoadError};
use crate::metrics::{RuleStats, Snapshot};
use crate::rule::Rule;
use crate::rule::admin::{self, AdminStatement};
use std::sync::Arc;

/// What an admin statement has done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdminAnswer {
    /// A rule was added, and is called so.
    Added(RuleName),
    /// The rule of that name was removed.
    Removed(RuleName),
    /// The rules in force.
    Rules {
        /// The version of the set.
        version: u64,
        /// What [`Engine::snapshot`] says of each.
        rules: Vec<RuleStats>,
        /// Rules of the file that do not hold because admin statements removed them. One of them may hold by another rule
        /// of that name, which was added.
        removed: Vec<RuleName>,
    },
}

impl Engine {
    /// Does what an admin statement asks for: adds a rule, removes one, or lists them. Statements are of the form
    ///
    /// ```text
    /// SET GLOBAL sql_throttle_add_rule = '{pattern: "select.*", capacity: 100, rate: 1000}'
    /// SET GLOBAL sql_throttle_remove_rule = 'admin-1'
    /// SHOW GLOBAL sql_throttle_rules
    /// ```
    ///
    /// A rule that is added without a name is called `admin-N`. What was added holds, and what was removed does not, until the
    /// engine ends, however often the same rules are [reloaded](Self::reload) or [read again](Self::refresh). Of each name
    /// the last word counts: where the file comes to say something else of it than when the statement was given, the
    /// file's rule holds from then on, and one that the file does not have any more is not removed any more. Thresholds
    /// cannot be removed. To be called for an administrator alone, never with what an application sends.
    ///
    /// ```
    /// use sqlthrottle::{AdminAnswer, Engine, RuleFile};
    ///
    /// let engine = Engine::new(RuleFile::default())?;
    /// engine.admin(r#"SET GLOBAL sql_throttle_add_rule = '{pattern: "select.*from reports", capacity: 1, rate: 1}'"#)?;
    /// assert!(engine.check("select * from reports").is_allowed());
    /// assert!(!engine.check("select * from reports").is_allowed());
    /// engine.admin("SET GLOBAL sql_throttle_remove_rule = 'admin-1'")?;
    /// assert!(engine.check("select * from reports").is_allowed());
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A statement that is none of these, every fault of a rule, a name that is taken, and one that no rule in force has.
    /// Nothing has changed then.
    pub fn admin(&self, statement: impl AsRef<[u8]>) -> Result<AdminAnswer, LoadError> {
        match admin::parse(statement.as_ref())? {
            AdminStatement::AddRule(rule) => self.add_rule(*rule).map(AdminAnswer::Added),
            AdminStatement::RemoveRule(name) => self.remove_rule(&name).map(AdminAnswer::Removed),
            AdminStatement::ShowRules => {
                let Snapshot { version, rules, removed, .. } = self.snapshot();
                Ok(AdminAnswer::Rules { version, rules, removed })
            }
        }
    }

    fn add_rule(&self, mut rule: Rule) -> Result<RuleName, LoadError> {
        let changes = self.0.changes();
        let set = self.0.set();
        set.file.admits(&rule)?;
        let is_unnamed = rule.name.is_empty();
        let taken = |name: &str| set.file.rules.iter().any(|other| other.name == name);
        let mut unnamed = changes.unnamed;
        while is_unnamed && (rule.name.is_empty() || taken(&rule.name)) {
            unnamed += 1;
            rule.name = format!("admin-{unnamed}");
        }
        set.file.has_room_for(std::slice::from_ref(&rule))?;
        if taken(&rule.name) {
            let found = format!("there is a rule `{}` already", rule.name);
            return Err(refused(
                "rule.name.duplicate",
                found,
                "write another name, or remove that rule first".to_owned(),
            ));
        }
        let name = RuleName::Rule(rule.name.as_str().into());
        self.0.put_in_force(set.amended().with(rule))?;
        changes.change().unnamed = unnamed;
        Ok(name)
    }

    fn remove_rule(&self, name: &str) -> Result<RuleName, LoadError> {
        let _alone = self.0.changes();
        let set = self.0.set();
        let Some(amended) = set.amended().without(name) else {
            return Err(not_to_be_removed(&set, name));
        };
        self.0.put_in_force(amended)?;
        Ok(RuleName::Rule(name.into()))
    }
}

/// Why a name is not one that can be removed.
fn not_to_be_removed(set: &RuleSet, name: &str) -> LoadError {
    if set.removed().iter().any(|rule| rule.name == name) {
        let expected = "nothing is left to do: it stays away until the file says something else of it".to_owned();
        return refused("admin.rule.removed", format!("the rule `{name}` was removed before"), expected);
    }
    let is_called_so = |rule: &Arc<ActiveRule>| rule.name.as_str() == name;
    if name == RuleName::Provider.as_str() || set.iter().any(is_called_so) {
        let expected = "change it where it is written, or exempt its statements: \
                        `{fingerprints: […], limit: {unlimited: true}}`";
        return refused("admin.rule.threshold", format!("`{name}` is no rule but a threshold"), expected.to_owned());
    }
    let expected = "`SHOW GLOBAL sql_throttle_rules` lists them".to_owned();
    refused("admin.rule.unknown", format!("there is no rule `{name}`"), expected)
}

fn refused(code: &'static str, found: String, expected: String) -> LoadError {
    LoadError::with_faults(vec![Fault::unplaced(code, String::new(), found, expected)])
}
