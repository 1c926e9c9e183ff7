//! The analysis of a statement, whose parser is foreign and recursive.
//!
//! The first byte chooses the dialect, the rest is the statement.

use sqlthrottle::Dialect;
use sqlthrottle::fingerprint::{Kind, Where, analyse};

/// Panics where the analysis of these bytes contradicts itself.
pub fn run(data: &[u8]) {
    let Some((&choice, sql)) = data.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(choice) % 6];
    let analysis = analyse(sql, dialect);

    assert_eq!(analysis, analyse(sql, dialect), "the same bytes are read in two ways");
    assert!(analysis.kinds.len() <= sql.len(), "more statements than bytes");
    assert!(analysis.tables.len() <= sql.len(), "more tables than bytes");
    let mut tables = analysis.tables.clone();
    tables.sort_by_key(ToString::to_string);
    tables.dedup();
    assert_eq!(tables.len(), analysis.tables.len(), "a table is named twice");
    if analysis.kinds.is_empty() {
        assert_eq!(analysis.where_clause, Where::None, "no statement, but a WHERE");
    }
    if analysis.never_checked {
        assert_eq!(analysis.kinds.len(), 1, "a batch is never unchecked");
    }
    if analysis.plain_read {
        let writes = [Kind::Insert, Kind::Replace, Kind::Update, Kind::Delete, Kind::Merge, Kind::Call, Kind::Ddl];
        assert!(!analysis.kinds.iter().any(|kind| writes.contains(kind)), "a plain read that writes");
    }
}
