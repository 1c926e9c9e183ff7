//! A rule file, and what admin statements have made of it.

use crate::error::LoadError;
use crate::rule::{Rule, RuleFile};
use std::collections::{HashMap, HashSet};

/// A rule file as admin statements have left it.
///
/// Of each name the last word counts. What an administrator said of one stays while the file says of it what it said then,
/// however often it is read: somebody who changes another rule of the file, or nothing, does not undo what was done at night. A
/// file that says something else of a name was written with that rule in mind, so it has its way, also over a rule that was
/// added. What a file does not have any more need not be removed from it: so no more is remembered than a file has rules.
#[derive(Clone, Debug)]
pub(super) struct Amended {
    /// The file with the rules that are to be in force: its own, and behind them those that were added.
    pub(super) file: RuleFile,
    /// How many were added.
    pub(super) added: usize,
    /// Rules that were removed from the file, as it has them: of each name at most one.
    pub(super) removed: Vec<Rule>,
}

impl From<RuleFile> for Amended {
    fn from(file: RuleFile) -> Self {
        Self { file, added: 0, removed: Vec::new() }
    }
}

impl Amended {
    /// With a rule more, of a name that none in force has.
    pub(super) fn with(mut self, rule: Rule) -> Self {
        self.file.rules.push(rule);
        self.added += 1;
        self
    }

    /// Without the rule of a name; none where no rule in force has it.
    pub(super) fn without(mut self, name: &str) -> Option<Self> {
        let place = self.file.rules.iter().position(|rule| rule.name == name)?;
        let of_file = self.file.rules.len() - self.added;
        let rule = self.file.rules.remove(place);
        if place < of_file {
            self.removed.push(rule);
        } else {
            self.added -= 1;
        }
        Some(self)
    }

    /// The same said of another file.
    ///
    /// # Errors
    ///
    /// Where a rule that was added does not go with the file, or all together are more than it allows, or their patterns are.
    pub(super) fn onto(mut self, mut file: RuleFile) -> Result<Self, LoadError> {
        let own = self.file.rules.len() - self.added;
        let mut added = self.file.rules.split_off(own);
        let said: HashMap<&str, &Rule> = file.rules.iter().map(|rule| (rule.name.as_str(), rule)).collect();
        self.removed.retain(|rule| said.get(rule.name.as_str()) == Some(&rule));
        let removed: HashSet<&str> = self.removed.iter().map(|rule| rule.name.as_str()).collect();
        added.retain(|rule| !said.contains_key(rule.name.as_str()) || removed.contains(rule.name.as_str()));
        file.rules.retain(|rule| !removed.contains(rule.name.as_str()));
        for rule in &added {
            file.admits(rule).map_err(|error| error.of_rule(&rule.name))?;
        }
        file.has_room_for(&added)?;
        let count = added.len();
        file.rules.append(&mut added);
        Ok(Self { file, added: count, removed: self.removed })
    }
}
