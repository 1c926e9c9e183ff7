//! How WHERE reads.

use super::{G, LITE, MS, MY, ORA, PG, check, where_clause};
use crate::fingerprint::analyse::Where::{AlwaysTrue, Missing, None, Present};
use crate::fingerprint::analyse::{Where, analyse};

#[test]
fn a_where_is_present_or_missing_where_there_can_be_one() {
    check(
        &[
            ("select * from t where id = 1", G, Present),
            ("select * from t", G, Missing),
            ("select 1", G, None),
            ("select @@rowcount", MS, None),
            ("select row_count()", MY, None),
            ("select 1 where 1 = 1", PG, AlwaysTrue),
            ("select a where b = 1", PG, Present),
            ("select extract(year from now())", PG, None),
            ("select (select a from t)", G, None),
            ("select 1 union select a from t", G, Missing),
            ("select 1 union select 2", G, None),
            ("with x as (select * from t) select 1", G, None),
            ("table t", PG, None),
            ("values (1)", PG, None),
            ("select * from (select * from t where id = 1) x", G, Missing),
            ("select * from (select * from t) x where id = 1", G, Present),
            ("select * from t where id = 1 union select * from u where id = 2", G, Present),
            ("select * from t where id = 1 union select * from u", G, Missing),
            ("(select * from t where id = 1) union all (select * from u where a = 1) order by 1", G, Present),
            ("with x as (select * from t) select * from x where a = 1", G, Present),
            ("with x as (select * from t where a = 1) select * from x", G, Missing),
            ("delete from t", G, Missing),
            ("delete from t where id = 1", G, Present),
            ("delete from t limit 10", MY, Missing),
            ("delete from t where exists (select 1 from u where u.id = t.id)", G, Present),
            ("delete a from a join b on a.id = b.id", MY, Missing),
            ("delete from a using b where a.id = b.id", PG, Present),
            ("delete from t where current of c", PG, Present),
            ("update t set a = 1", G, Missing),
            ("update t set a = (select 1 from u where id = 1)", G, Missing),
            ("update t set a = 1 where id = 1", G, Present),
            ("update a join b on a.id = b.id set a.x = 1", MY, Missing),
            ("update t set a = 1 order by id limit 5", MY, Missing),
            ("with x as (select 1 where true) update t set a = 1", PG, Missing),
            ("insert into t values (1)", G, None),
            ("insert into t select * from u", G, None),
            ("insert into t select * from u where id = 1", G, None),
            ("replace into t values (1)", MY, None),
            ("merge into t using s on t.id = s.id when matched then delete", G, None),
            ("truncate table t", G, None),
            ("create table t as select * from u", G, None),
            ("explain delete from t", G, None),
            ("explain analyze delete from t", PG, Missing),
            ("explain (analyze) delete from t where id = 1", PG, Present),
            ("call p()", MY, None),
            ("set a = 1", G, None),
            ("", G, None),
            ("with x as (delete from t returning *) select * from x", PG, Missing),
            ("with x as (delete from t where id = 1 returning *) select * from x", PG, Present),
            ("with x as (delete from t returning *) insert into u select * from x", PG, Missing),
        ],
        where_clause,
    );
}

#[test]
fn a_batch_has_its_worst_where() {
    check(
        &[
            ("select * from t where id = 1; commit", G, Present),
            ("delete from t where id = 1; delete from t", G, Missing),
            ("delete from t where 1 = 1; delete from t where id = 1", G, AlwaysTrue),
            ("delete from t where 1 = 1; delete from t", G, Missing),
            ("commit; insert into t values (1)", G, None),
            // What an UPDATE or DELETE does to its rows is not made worse, nor better, by what is asked beside it.
            ("update t set a = 1 where id = 7; select @@rowcount", MS, Present),
            ("update t set a = 1 where id = 7 select @@rowcount", MS, Present),
            ("update t set a = 1 where id = 7; select row_count()", MY, Present),
            ("insert into t(a) values (1); select last_insert_id()", MY, None),
            ("insert into t(a) values (1); select * from u", MY, Missing),
            ("delete from t where 1 = 1; select 1", G, AlwaysTrue),
            ("delete from t where 1 = 1; select * from u", G, AlwaysTrue),
            ("delete from t where id = 1; select * from u", G, Present),
            ("select * from u; delete from t where id = 1", G, Present),
            ("select * from u where 1 = 1; select * from u", G, Missing),
        ],
        where_clause,
    );
}

#[test]
fn a_condition_that_holds_for_every_row_is_always_true() {
    for (condition, expected) in [
        ("1=1", AlwaysTrue),
        ("true", AlwaysTrue),
        ("1", AlwaysTrue),
        ("'1'", AlwaysTrue),
        ("not false", AlwaysTrue),
        ("not (1 = 0)", AlwaysTrue),
        ("'a'='a'", AlwaysTrue),
        ("'a'<>'b'", AlwaysTrue),
        ("2 > 1", AlwaysTrue),
        ("1 + 1 = 2", AlwaysTrue),
        ("-1 < 0", AlwaysTrue),
        ("1 between 0 and 2", AlwaysTrue),
        ("1 not between 5 and 9", AlwaysTrue),
        ("1 in (3, 1)", AlwaysTrue),
        ("1 not in (2, 3)", AlwaysTrue),
        ("null is null", AlwaysTrue),
        ("1 is not null", AlwaysTrue),
        ("id = id", AlwaysTrue),
        ("t.id = t.ID", AlwaysTrue),
        ("id >= id", AlwaysTrue),
        ("name like '%'", AlwaysTrue),
        ("id = 5 or 1=1", AlwaysTrue),
        ("1=1 or id = 5", AlwaysTrue),
        ("id = 5 or (a = 2 or true)", AlwaysTrue),
        ("(a=1) or (2>1)", AlwaysTrue),
        ("1=1 and 2=2", AlwaysTrue),
        ("((1=1))", AlwaysTrue),
        ("1=0", Present),
        ("false", Present),
        ("0", Present),
        ("null", Present),
        ("not null", Present),
        ("null = null", Present),
        ("not (null = null)", Present),
        ("null is not true", AlwaysTrue),
        ("null is true", Present),
        ("(null = 1) is not false", AlwaysTrue),
        ("null or true", AlwaysTrue),
        ("null and id = 1", Present),
        ("not true", Present),
        ("'a'='b'", Present),
        ("'a'<>'A'", Present),
        ("1 in (2, 3)", Present),
        ("1 in (2, null)", Present),
        ("1 not in (2, null)", Present),
        ("id <> id", Present),
        ("id = other", Present),
        ("a.id = b.id", Present),
        ("name like 'a%'", Present),
        ("1=1 and id = 5", Present),
        ("id = 5 and 1=1", Present),
        ("id = 5 or 1=0", Present),
        ("exists (select 1)", Present),
        ("f(1)", Present),
        ("id = 1", Present),
        ("? = ?", Present),
        ("1 = (select 1)", Present),
    ] {
        for dialect in [G, MY, LITE, MS, ORA, PG] {
            for statement in ["delete from t where ", "update t set a = 1 where ", "select * from t where "] {
                let sql = format!("{statement}{condition}");
                let actual = analyse(sql.as_bytes(), dialect).where_clause;
                assert_eq!(actual, expected, "{dialect}: {sql}");
            }
        }
    }
}

#[test]
fn a_where_that_constants_decide_is_told_apart() {
    let reads_constants = |sql: &[u8], dialect| analyse(sql, dialect).where_reads_constants;
    check(
        &[
            ("delete from t where 1 = 1", G, true),
            ("delete from t where 1 = 0", G, true),
            ("delete from t where ? = 1", G, true),
            ("delete from t where $1 = $2", PG, true),
            ("delete from t where id = 5 or 'a' = 'b'", G, true),
            ("delete from t where name like 'a%'", G, true),
            ("delete from t where 1", G, true),
            ("delete from t where id = 5", G, false),
            ("delete from t where id in (1, 2)", G, false),
            ("delete from t where true", G, false),
            ("delete from t where id = id", G, false),
            ("delete from t where null is null", G, false),
            ("delete from t", G, false),
            ("select 1 = 1 from t", G, false),
            ("delete from t where id = 5; select * from t where 1 = 1", G, false),
            ("delete from t where 1 = 1; select * from t where id = 5", G, true),
        ],
        reads_constants,
    );
}

#[test]
fn a_refused_parse_makes_no_where_missing() {
    check(
        &[
            ("delete from t !!", G, Present),
            ("update t set a = 1 @@@ nonsense (", G, Present),
            ("select * from t whre id = 1 and", G, Present),
            ("delete from t where", G, Present),
            ("delete from t where (", G, Present),
            // The condition alone can still be read.
            ("delete from t partition !! where 1 = 1", MY, AlwaysTrue),
            ("delete from t !! where id = 1", MY, Present),
        ],
        where_clause,
    );
}

#[test]
fn the_worse_of_two_is_symmetric() {
    let order: [Where; 4] = [None, Present, AlwaysTrue, Missing];
    for (i, a) in order.into_iter().enumerate() {
        for (j, b) in order.into_iter().enumerate() {
            assert_eq!(a.worst(b), order[i.max(j)]);
        }
    }
}
