//! Rules that are added and removed while an engine runs.

use super::Engine;
use crate::decision::RuleName;
use crate::error::{Fault, LoadError};
use crate::metrics::RuleStats;
use crate::rule::Rule;
use crate::rule::admin::{self, AdminStatement};

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
    /// A rule that is added without a name is called `admin-N`. It holds until it is removed or the engine ends, whatever is
    /// [reloaded](Self::reload); a rule of the file that is removed comes back with the next reload. To be called for an
    /// administrator alone, never with what an application sends.
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
    /// A statement that is none of these, every fault of a rule, a name that is taken, and one that no rule has. Nothing has
    /// changed then.
    pub fn admin(&self, statement: impl AsRef<[u8]>) -> Result<AdminAnswer, LoadError> {
        match admin::parse(statement.as_ref())? {
            AdminStatement::AddRule(rule) => self.add_rule(*rule).map(AdminAnswer::Added),
            AdminStatement::RemoveRule(name) => self.remove_rule(&name).map(AdminAnswer::Removed),
            AdminStatement::ShowRules => {
                let snapshot = self.snapshot();
                Ok(AdminAnswer::Rules { version: snapshot.version, rules: snapshot.rules })
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
        set.file.has_room_for(1)?;
        if taken(&rule.name) {
            let found = format!("there is a rule `{}` already", rule.name);
            return Err(refused(
                "rule.name.duplicate",
                found,
                "write another name, or remove that rule first".to_owned(),
            ));
        }
        let name = RuleName::Rule(rule.name.as_str().into());
        let added = set.added().iter().cloned().chain([rule]).collect();
        self.0.put_in_force(set.file_with(set.of_file().to_vec()), added)?;
        changes.change().unnamed = unnamed;
        Ok(name)
    }

    fn remove_rule(&self, name: &str) -> Result<RuleName, LoadError> {
        let _alone = self.0.changes();
        let set = self.0.set();
        let others = |rules: &[Rule]| rules.iter().filter(|rule| rule.name != name).cloned().collect::<Vec<_>>();
        let (of_file, added) = (others(set.of_file()), others(set.added()));
        if of_file.len() + added.len() == set.file.rules.len() {
            let found = format!("there is no rule `{name}`");
            let expected = "`SHOW GLOBAL sql_throttle_rules` lists them".to_owned();
            return Err(refused("admin.rule.unknown", found, expected));
        }
        self.0.put_in_force(set.file_with(of_file), added)?;
        Ok(RuleName::Rule(name.into()))
    }
}

fn refused(code: &'static str, found: String, expected: String) -> LoadError {
    LoadError::with_faults(vec![Fault::unplaced(code, String::new(), found, expected)])
}
