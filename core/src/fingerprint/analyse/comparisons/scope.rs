//! The tables that the columns of a query may belong to.

use super::super::clauses::MAX_NAMES;
use super::super::{Operator, Predicate, TableName, Value};
use super::comparison::Compared;
use super::joins::Kept;
use std::collections::{HashMap, HashSet};

/// A table of FROM: the name columns call it by, and the table behind it; none for a subquery, a function or a CTE.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) name: Option<String>,
    pub(super) aliased: bool,
    pub(super) table: Option<TableName>,
}

/// A comparison that holds, and what is known of its table.
#[derive(Debug)]
pub(super) struct Found {
    /// How many queries it stands in.
    depth: usize,
    /// What qualifies the column; `None` once its table is settled.
    qualifier: Option<Vec<String>>,
    table: Option<TableName>,
    column: String,
    operator: Operator,
    values: Vec<Value>,
    /// The outer join in whose condition it stands: the side that stays, and the source that is joined.
    join: Option<(Kept, Option<usize>)>,
}

impl Found {
    pub(super) fn new(compared: Compared, depth: usize, join: Option<(Kept, Option<usize>)>) -> Self {
        Self {
            depth,
            qualifier: Some(compared.column.qualifier),
            table: None,
            column: compared.column.name,
            operator: compared.operator,
            values: compared.values,
            join,
        }
    }

    pub(super) fn into_predicate(self) -> Predicate {
        Predicate { table: self.table, column: self.column, operator: self.operator, values: self.values }
    }
}

/// One query, or the UPDATE or DELETE, under way: its tables are known when it ends.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) sources: Vec<Source>,
    /// How many comparisons had been found when it began.
    pub(super) first: usize,
}

impl Scope {
    /// Adds a source and says where it stands. Of more than [`MAX_NAMES`] the rest is not kept: nothing is found in them.
    pub(super) fn add(&mut self, source: Source) -> Option<usize> {
        let index = self.sources.len();
        (index < MAX_NAMES).then(|| {
            self.sources.push(source);
            index
        })
    }

    /// Settles the tables of what was found in this query and, where a column names one of this query's tables, in those
    /// within it; and drops what a join does not ask of the rows it keeps. `depth` counts this query.
    pub(super) fn settle(self, depth: usize, found: &mut Vec<Found>) {
        let Self { sources, first } = self;
        let joined_tables = |index: Option<usize>| index.and_then(|index| sources.get(index)?.table.as_ref());
        // `UPDATE o … FROM orders o` names its target by the alias.
        let aliases: HashSet<_> =
            sources.iter().filter(|source| source.aliased).filter_map(|source| source.name.as_deref()).collect();
        let in_reach =
            |source: &&Source| source.aliased || !source.name.as_deref().is_some_and(|name| aliases.contains(name));
        let (mut only, mut by_name, mut by_table) = (None, HashMap::new(), HashMap::new());
        for (index, source) in sources.iter().filter(in_reach).enumerate() {
            only = source.table.as_ref().filter(|_| index == 0);
            if let Some(name) = &source.name {
                by_name.entry(name.as_str()).or_insert(source);
            }
            if let Some(table) = &source.table {
                by_table.entry(table).or_insert(source);
            }
        }
        let within = found.split_off(first.min(found.len()));
        found.extend(within.into_iter().filter_map(|mut comparison| {
            let source = match comparison.qualifier.as_deref() {
                Some([]) if comparison.depth == depth => {
                    comparison.table = only.cloned();
                    comparison.qualifier = None;
                    None
                }
                Some([name]) => by_name.get(name.as_str()),
                Some([schema @ .., name]) if !schema.is_empty() => {
                    by_table.get(&TableName { schema: Some(schema.join(".")), name: name.clone() })
                }
                _ => None,
            };
            if let Some(source) = source {
                comparison.table.clone_from(&source.table);
                comparison.qualifier = None;
            }
            if comparison.depth != depth {
                return Some(comparison);
            }
            let Some((kept, joined)) = comparison.join else { return Some(comparison) };
            let of_joined = comparison.table.is_some() && comparison.table.as_ref() == joined_tables(joined);
            let restricts = match kept {
                Kept::Neither => true,
                Kept::Left => of_joined,
                Kept::Right => comparison.table.is_some() && !of_joined,
                Kept::Both => false,
            };
            restricts.then_some(comparison)
        }));
    }
}
