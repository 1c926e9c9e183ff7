//! A column that a rule compares or counts by.

use super::keyword::{self, Keyword};
use crate::fingerprint::{FingerprintOptions, Predicate, TableName};
use crate::rule::ColumnName;

/// A column that a rule compares or counts by: any case, and its schema as far as the statement writes one too.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    name: ColumnName,
    /// Words that stand in every normalised text that compares the column.
    words: Box<[Keyword]>,
}

impl Column {
    /// For texts that are normalised with the given options.
    pub(crate) fn new(name: &ColumnName, options: &FingerprintOptions) -> Self {
        // The normalised text spells a table whose digits are folded otherwise than the statement does.
        let table = (!options.fold_digits).then_some(&name.table);
        let named = [Some(&name.column), table].into_iter().flatten();
        // Other bytes may stand for what was no UTF-8, and only a name in quotes holds what is no word.
        let words = named.filter(|text| text.is_ascii()).filter_map(|text| Keyword::new(text).ok());
        Self { name: name.clone(), words: words.collect() }
    }

    pub(super) fn words(&self) -> &[Keyword] {
        &self.words
    }

    /// Whether a statement with this normalised text may compare the column: not where its name does not occur.
    pub(super) fn occurs_in(&self, text: &[u8]) -> bool {
        self.words.iter().all(|word| keyword::in_order(text, std::slice::from_ref(word)))
    }

    /// Whether a predicate compares the column. One whose table nothing tells is of the only table its text names.
    pub(super) fn is_compared_by(&self, predicate: &Predicate, tables: &[TableName]) -> bool {
        let only = match tables {
            [table] => Some(table),
            _ => None,
        };
        predicate.column.eq_ignore_ascii_case(&self.name.column)
            && predicate.table.as_ref().or(only).is_some_and(|table| self.is_in(table))
    }

    fn is_in(&self, table: &TableName) -> bool {
        let named = self.name.schema.iter().flat_map(|schema| schema.rsplit('.'));
        let written = table.schema.iter().flat_map(|schema| schema.rsplit('.'));
        table.name.eq_ignore_ascii_case(&self.name.table)
            && named.zip(written).all(|(named, written)| named.eq_ignore_ascii_case(written))
    }
}
