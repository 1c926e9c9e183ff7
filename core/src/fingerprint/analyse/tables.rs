//! The tables of a parsed statement.

use super::TableName;
use sqlparser::ast::{
    CopySource, FromTable, Ident, ObjectName, ObjectType, Query, SetExpr, Statement, TableFactor, TableWithJoins,
    UpdateTableFromKind, Visit, Visitor,
};
use sqlparser::tokenizer::Location;
use std::ops::ControlFlow;

/// Every table the statement names, in order of appearance, with repetitions. CTEs, functions and aliases are none.
pub(super) fn of_statement(statement: &Statement) -> Vec<TableName> {
    let mut collector = Collector::default();
    // The collector never breaks off.
    let _ = statement.visit(&mut collector);
    // The tree holds clauses in an order of its own.
    collector.found.sort_by_key(|(location, _)| *location);
    collector.found.into_iter().map(|(_, table)| table).collect()
}

impl TableName {
    /// A name as the parser gives it; `None` where it is computed.
    pub(super) fn from_parts(name: &ObjectName) -> Option<Self> {
        let mut parts = name.0.iter().map(|part| part.as_ident().map(folded)).collect::<Option<Vec<_>>>()?;
        let name = parts.pop()?;
        Some(Self { schema: (!parts.is_empty()).then(|| parts.join(".")), name })
    }
}

/// A name as it is compared: lower case where it was written without quotes. ASCII only, as everywhere.
pub(super) fn folded(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_ascii_lowercase() }
}

/// The names a WITH declares, and how many of them are visible where the visitor stands.
struct Scope {
    tables: Vec<(*const Query, String)>,
    recursive: bool,
    visible: usize,
}

#[derive(Default)]
struct Collector {
    found: Vec<(Location, TableName)>,
    scopes: Vec<Scope>,
    /// Names that are no tables where they stand: functions, and targets of UPDATE or DELETE given by alias. Compared by address.
    ignored: Vec<*const ObjectName>,
}

impl Collector {
    fn add(&mut self, name: &ObjectName) {
        let Some(table) = TableName::from_parts(name) else {
            return;
        };
        if table.schema.is_none() && self.is_cte(&table.name) {
            return;
        }
        let location = name.0.first().and_then(|part| part.as_ident()).map(|ident| ident.span.start);
        // A name without a place stands last; the parser gives a place to every name it read.
        self.found.push((location.unwrap_or(Location::new(u64::MAX, 0)), table));
    }

    fn is_cte(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.tables[..scope.visible].iter().any(|(_, table)| table == name))
    }

    /// `UPDATE o … FROM orders o` and `DELETE FROM o USING orders o` name their target by the alias.
    fn ignore_alias(&mut self, target: &TableWithJoins, others: &[TableWithJoins]) {
        let TableFactor::Table { name, alias: None, .. } = &target.relation else {
            return;
        };
        let [part] = name.0.as_slice() else { return };
        let Some(target) = part.as_ident().map(folded) else {
            return;
        };
        if others.iter().flat_map(factors).filter_map(alias).any(|alias| folded(alias) == target) {
            self.ignored.push(name);
        }
    }
}

impl Visitor for Collector {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let address: *const Query = query;
        if let Some(scope) = self.scopes.last_mut() {
            // Without RECURSIVE a CTE sees those before it, not itself.
            if let Some(index) = scope.tables.iter().position(|(table, _)| *table == address) {
                scope.visible = if scope.recursive { scope.tables.len() } else { index };
            }
        }
        if let Some(with) = &query.with {
            let tables =
                with.cte_tables.iter().map(|table| (&raw const *table.query, folded(&table.alias.name))).collect();
            self.scopes.push(Scope { tables, recursive: with.recursive, visible: 0 });
        }
        if let SetExpr::Table(table) = &*query.body {
            let parts = table.schema_name.iter().chain(&table.table_name).cloned();
            self.add(&ObjectName::from(parts.collect::<Vec<_>>()));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if query.with.is_some() {
            self.scopes.pop();
        }
        let address: *const Query = query;
        if let Some(scope) = self.scopes.last_mut()
            && let Some(index) = scope.tables.iter().position(|(table, _)| *table == address)
        {
            scope.visible = if scope.recursive { scope.tables.len() } else { index + 1 };
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, args: Some(_), .. } = factor {
            self.ignored.push(name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        let address: *const ObjectName = name;
        if !self.ignored.contains(&address) {
            self.add(name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        match statement {
            Statement::Update(update) => {
                if let Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)) = &update.from {
                    self.ignore_alias(&update.table, from);
                }
            }
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(targets) | FromTable::WithoutKeyword(targets)) = &delete.from;
                for target in targets {
                    self.ignore_alias(target, delete.using.as_deref().unwrap_or_default());
                }
            }
            Statement::Drop { object_type, names, table, .. } => {
                if matches!(object_type, ObjectType::Table | ObjectType::View | ObjectType::MaterializedView) {
                    for name in names {
                        self.add(name);
                    }
                }
                if let Some(name) = table {
                    self.add(name);
                }
            }
            Statement::Copy { source: CopySource::Table { table_name, .. }, .. }
            | Statement::LoadData { table_name, .. } => self.add(table_name),
            Statement::LockTables { tables } => {
                for lock in tables {
                    self.add(&ObjectName::from(lock.table.clone()));
                }
            }
            Statement::RenameTable(renames) => {
                for rename in renames {
                    self.add(&rename.old_name);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The tables and subqueries joined in one item of FROM. Nested joins are left out.
pub(super) fn factors(item: &TableWithJoins) -> impl Iterator<Item = &TableFactor> {
    std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation))
}

/// The alias of a table or subquery.
pub(super) fn alias(factor: &TableFactor) -> Option<&Ident> {
    match factor {
        TableFactor::Table { alias, .. }
        | TableFactor::Derived { alias, .. }
        | TableFactor::Function { alias, .. }
        | TableFactor::TableFunction { alias, .. }
        | TableFactor::UNNEST { alias, .. }
        | TableFactor::JsonTable { alias, .. }
        | TableFactor::OpenJsonTable { alias, .. }
        | TableFactor::NestedJoin { alias, .. } => alias.as_ref().map(|alias| &alias.name),
        _ => None,
    }
}
