//! The columns a parsed statement compares with values.
//!
//! Only comparisons that must hold are read: those joined by AND. One under OR or NOT says nothing of the rows touched.

use super::tables::{alias, factors, folded};
use super::{Operator, Predicate, TableName, Value};
use sqlparser::ast::{
    self, BinaryOperator, Expr, FromTable, Ident, InTarget, JoinConstraint, JoinOperator, Query, SetExpr, Statement,
    TableFactor, TableWithJoins, UnaryOperator, UpdateTableFromKind,
};

/// The comparisons of a statement, in order of appearance.
pub(super) fn of_statement(statement: &Statement) -> Vec<Predicate> {
    let mut reader = Reader::default();
    reader.statement(statement);
    reader.found
}

/// A table of FROM: the name columns call it by, and the table behind it; none for a subquery or CTE.
struct Source {
    name: Option<String>,
    aliased: bool,
    table: Option<TableName>,
}

#[derive(Default)]
struct Reader {
    found: Vec<Predicate>,
    /// Names of CTEs in reach. They are no tables, though they stand where tables do.
    ctes: Vec<String>,
    /// The tables in reach, one list for each query, the innermost last.
    scopes: Vec<Vec<Source>>,
}

impl Reader {
    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Query(query) => self.query(query),
            Statement::Insert(insert) => {
                if let Some(query) = &insert.source {
                    self.query(query);
                }
            }
            Statement::Update(update) => {
                let from = match &update.from {
                    Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)) => from.as_slice(),
                    None => &[],
                };
                self.block(std::slice::from_ref(&update.table).iter().chain(from), update.selection.as_ref());
            }
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
                let using = delete.using.as_deref().unwrap_or_default();
                self.block(from.iter().chain(using), delete.selection.as_ref());
            }
            _ => {}
        }
    }

    fn query(&mut self, query: &Query) {
        let outer = self.ctes.len();
        for table in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.query(&table.query);
            self.ctes.push(folded(&table.alias.name));
        }
        self.body(&query.body);
        self.ctes.truncate(outer);
    }

    fn body(&mut self, body: &SetExpr) {
        match body {
            SetExpr::Select(select) => self.block(select.from.iter(), select.selection.as_ref()),
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation { left, right, .. } => {
                self.body(left);
                self.body(right);
            }
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => self.statement(statement),
            SetExpr::Values(_) | SetExpr::Table(_) => {}
        }
    }

    /// FROM with its join conditions, then WHERE.
    fn block<'a>(&mut self, from: impl Iterator<Item = &'a TableWithJoins> + Clone, selection: Option<&Expr>) {
        let mut sources = vec![];
        from.clone().for_each(|item| self.sources(item, &mut sources));
        // `UPDATE o … FROM orders o` names its target by the alias.
        let aliases: Vec<_> =
            sources.iter().filter(|source| source.aliased).filter_map(|source| source.name.clone()).collect();
        sources.retain(|source| source.aliased || !source.name.as_ref().is_some_and(|name| aliases.contains(name)));
        self.scopes.push(sources);
        from.for_each(|item| self.joins(item));
        if let Some(condition) = selection {
            self.condition(condition);
        }
        self.scopes.pop();
    }

    fn sources(&self, item: &TableWithJoins, sources: &mut Vec<Source>) {
        for factor in factors(item) {
            match factor {
                TableFactor::NestedJoin { table_with_joins, .. } => self.sources(table_with_joins, sources),
                _ => sources.push(self.source(factor)),
            }
        }
    }

    fn source(&self, factor: &TableFactor) -> Source {
        let table = match factor {
            TableFactor::Table { name, args: None, .. } => {
                TableName::from_parts(name).filter(|table| table.schema.is_some() || !self.ctes.contains(&table.name))
            }
            _ => None,
        };
        let name = alias(factor).map(folded).or_else(|| table.as_ref().map(|table| table.name.clone()));
        let aliased = alias(factor).is_some();
        Source { name, aliased, table }
    }

    fn joins(&mut self, item: &TableWithJoins) {
        self.derived(&item.relation);
        for join in &item.joins {
            self.derived(&join.relation);
            let Some((kept, condition)) = join_condition(&join.join_operator) else {
                continue;
            };
            let first = self.found.len();
            self.condition(condition);
            let joined = self.source(&join.relation).table;
            // An outer join keeps the rows of one side whatever its condition says of them.
            let mut index = first;
            while let Some(predicate) = self.found.get(index) {
                let of_joined = predicate.table.is_some() && predicate.table == joined;
                let restricts = match kept {
                    Kept::Neither => true,
                    Kept::Left => of_joined,
                    Kept::Right => predicate.table.is_some() && !of_joined,
                };
                if restricts {
                    index += 1;
                } else {
                    self.found.remove(index);
                }
            }
        }
    }

    fn derived(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Derived { subquery, .. } => self.query(subquery),
            TableFactor::NestedJoin { table_with_joins, .. } => self.joins(table_with_joins),
            _ => {}
        }
    }

    fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Nested(inner) => self.condition(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.condition(left);
                self.condition(right);
            }
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => self.equality(left, right),
            Expr::In { expr, target: InTarget::List(list), negated: false, .. } => {
                self.membership(expr, list.iter());
            }
            Expr::In { expr: _, target: InTarget::Subquery(query), negated: false, .. }
            | Expr::Exists { subquery: query, negated: false } => self.query(query),
            // `= ANY($1)` is how PostgreSQL's drivers bind a list.
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => match unwrapped(right) {
                Expr::Array(array) => self.membership(left, array.elem.iter()),
                Expr::Subquery(query) => self.query(query),
                other => self.membership(left, std::iter::once(other)),
            },
            _ => {}
        }
    }

    fn equality(&mut self, left: &Expr, right: &Expr) {
        match (unwrapped(left), unwrapped(right)) {
            (Expr::Tuple(left), Expr::Tuple(right)) if left.len() == right.len() => {
                left.iter().zip(right).for_each(|(left, right)| self.equality(left, right));
            }
            (other, Expr::Subquery(query)) | (Expr::Subquery(query), other) => {
                self.query(query);
                if let Expr::Subquery(query) = other {
                    self.query(query);
                }
            }
            (column, constant) if value(constant).is_some() => {
                self.add(column, Operator::Equal, value(constant).into_iter().collect());
            }
            (constant, column) => {
                if let Some(value) = value(constant) {
                    self.add(column, Operator::Equal, vec![value]);
                }
            }
        }
    }

    fn membership<'a>(&mut self, left: &Expr, list: impl Iterator<Item = &'a Expr> + Clone) {
        if let Expr::Tuple(columns) = unwrapped(left) {
            for (position, column) in columns.iter().enumerate() {
                let values = list.clone().map(|row| match unwrapped(row) {
                    Expr::Tuple(row) => row.get(position).and_then(value),
                    _ => None,
                });
                self.add_all(column, values.collect());
            }
        } else {
            self.add_all(left, list.map(value).collect());
        }
    }

    /// A list that holds something other than values says nothing certain of the column.
    fn add_all(&mut self, column: &Expr, values: Option<Vec<Value>>) {
        if let Some(values) = values {
            self.add(column, Operator::In, values);
        }
    }

    fn add(&mut self, column: &Expr, operator: Operator, values: Vec<Value>) {
        let (qualifier, column) = match unwrapped(column) {
            Expr::Identifier(column) => (&[][..], column),
            Expr::CompoundIdentifier(parts) => match parts.split_last() {
                Some((column, qualifier)) => (qualifier, column),
                None => return,
            },
            _ => return,
        };
        let table = self.table(qualifier);
        self.found.push(Predicate { table, column: folded(column), operator, values });
    }

    fn table(&self, qualifier: &[Ident]) -> Option<TableName> {
        let Some((name, schema)) = qualifier.split_last() else {
            return match self.scopes.last().map(Vec::as_slice) {
                Some([source]) => source.table.clone(),
                _ => None,
            };
        };
        let name = folded(name);
        let schema = schema.iter().map(folded).collect::<Vec<_>>().join(".");
        let named = |source: &&Source| {
            if schema.is_empty() {
                source.name.as_ref() == Some(&name)
            } else {
                source.table.as_ref().is_some_and(|table| table.name == name && table.schema.as_ref() == Some(&schema))
            }
        };
        self.scopes.iter().rev().find_map(|sources| sources.iter().find(named))?.table.clone()
    }
}

/// The side of a join whose rows stay whatever the condition says.
#[derive(Clone, Copy)]
enum Kept {
    Neither,
    Left,
    Right,
}

fn join_condition(operator: &JoinOperator) -> Option<(Kept, &Expr)> {
    let (kept, constraint) = match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::CrossJoin(constraint)
        | JoinOperator::Semi(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::RightSemi(constraint)
        | JoinOperator::StraightJoin(constraint) => (Kept::Neither, constraint),
        JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (Kept::Left, constraint),
        JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => (Kept::Right, constraint),
        _ => return None,
    };
    match constraint {
        JoinConstraint::On(condition) => Some((kept, condition)),
        _ => None,
    }
}

fn unwrapped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => unwrapped(inner),
        _ => expr,
    }
}

/// The value an expression stands for; NULL equals nothing and is none.
fn value(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } | Expr::Prefixed { value: inner, .. } => value(inner),
        Expr::TypedString(typed) => constant(&typed.value.value),
        Expr::Value(value) => constant(&value.value),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => match value(inner)? {
            Value::Constant(digits) if is_number(inner) => Some(Value::Constant(format!("-{digits}"))),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } if is_number(inner) => value(inner),
        _ => None,
    }
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, ast::Value::Number(..)))
}

pub(super) fn constant(value: &ast::Value) -> Option<Value> {
    match value {
        ast::Value::Null => None,
        ast::Value::Boolean(truth) => Some(Value::Constant(truth.to_string())),
        ast::Value::Number(digits, _) => Some(Value::Constant(digits.clone())),
        ast::Value::Placeholder(mark) => mark.get(1..)?.parse().ok().map(Value::Placeholder),
        text => text.clone().into_string().map(Value::Constant),
    }
}
