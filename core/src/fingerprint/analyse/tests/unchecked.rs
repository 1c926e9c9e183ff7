//! Statements that no rule is asked about.

use super::{G, MS, MY, PG, check};
use crate::fingerprint::analyse::{analyse, is_never_checked};

#[test]
fn single_statements_of_transactions_settings_and_cursors() {
    let cases = [
        ("begin", G, true),
        ("BEGIN;", G, true),
        ("begin transaction isolation level serializable", PG, true),
        ("start transaction", G, true),
        ("/* x */ commit", G, true),
        ("commit prepared 'x'", PG, true),
        ("end", PG, true),
        ("rollback to savepoint a", G, true),
        ("abort", PG, true),
        ("savepoint a", G, true),
        ("release savepoint a", G, true),
        ("prepare transaction 'x'", PG, true),
        ("xa start 'x'", MY, true),
        ("set a = 1", G, true),
        ("set @a = replace(@b, 'select', 'x')", MY, true),
        ("set search_path to s.select", PG, true),
        ("reset all", PG, true),
        ("show variables like 'select'", MY, true),
        ("fetch next from c", PG, true),
        ("close c", PG, true),
        ("deallocate all", PG, true),
        ("discard all", PG, true),
        ("unlock tables", MY, true),
        ("set a = 1; delete from t", G, false),
        ("begin; commit", G, false),
        ("begin delete from t; end", G, false),
        ("begin delete from t end", MS, false),
        ("set @x = (select max(id) from t)", MY, false),
        ("set nocount on delete from t", MS, false),
        ("show tables where a in (select 1)", MY, false),
        ("start slave", MY, false),
        ("prepare p as select 1", PG, false),
        ("lock tables t write", MY, false),
        ("select 1", G, false),
        ("describe t", MY, false),
        ("", G, false),
        ("-- commit", G, false),
    ];
    check(&cases, is_never_checked);
    check(&cases, |sql, dialect| analyse(sql, dialect).never_checked);
}
