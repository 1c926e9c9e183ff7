//! Kinds, and what only reads.

use super::{G, LITE, MS, MY, ORA, PG, check, kinds, shape};
use crate::fingerprint::analyse::{Kind, analyse};

#[test]
fn one_statement_has_one_kind() {
    use Kind::*;
    check(
        &[
            ("select 1", G, vec![Select]),
            ("  -- hello\n /* x */ SELECT 1;", G, vec![Select]),
            ("(select 1) union (select 2)", G, vec![Select]),
            ("((select 1))", G, vec![Select]),
            ("values (1), (2)", PG, vec![Select]),
            ("table t", PG, vec![Select]),
            ("with x as (select 1) select * from x", G, vec![Select]),
            ("with recursive x(n) as (select 1 union all select n + 1 from x) select * from x", G, vec![Select]),
            ("insert into t values (1)", G, vec![Insert]),
            ("insert into t select * from u", G, vec![Insert]),
            ("insert into t values (1) on duplicate key update a = 2", MY, vec![Insert]),
            ("insert into t values (1) on conflict (id) do update set a = 2 where t.b = 1", PG, vec![Insert]),
            ("insert or replace into t values (1)", LITE, vec![Insert]),
            ("with x as (select 1) insert into t select * from x", G, vec![Insert]),
            ("replace into t values (1)", MY, vec![Replace]),
            ("replace t values (1)", MY, vec![Replace]),
            ("select replace(a, 'x', 'y') from t", MY, vec![Select]),
            ("update t set a = 1", G, vec![Update]),
            ("with x as (select 1) update t set a = 1 from x", PG, vec![Update]),
            ("update a join b on a.id = b.id set a.x = 1 where b.y = 2", MY, vec![Update]),
            ("delete from t", G, vec![Delete]),
            ("with x as (select 1) delete from t where id in (select * from x)", PG, vec![Delete]),
            ("with x as (delete from t where a = 1 returning *) select * from x", PG, vec![Delete]),
            ("with x as materialized (update t set a = 1 returning *) select * from x", PG, vec![Update]),
            ("with x as (insert into t values (1) returning id) select * from x", PG, vec![Insert]),
            ("with x as (delete from t returning *) insert into u select * from x", PG, vec![Insert]),
            ("select id from final table (insert into t (a) values (1)) x", G, vec![Insert]),
            ("select id from old table(delete from t where a = 1)", G, vec![Delete]),
            ("select id from final table (merge into t using u on t.a = u.a when matched then delete)", G, vec![Merge]),
            ("select final, old from new", G, vec![Select]),
            ("delete a, b from a join b on a.id = b.id where a.x = 1", MY, vec![Delete]),
            (
                "merge into t using s on t.id = s.id when matched then update set a = 1 when not matched then insert (id) values (1)",
                G,
                vec![Merge],
            ),
            ("call p(1)", MY, vec![Call]),
            ("exec p 1", MS, vec![Call]),
            ("execute p(1)", PG, vec![Call]),
            ("execute immediate 'delete from t'", ORA, vec![Call]),
            ("do sleep(1)", MY, vec![Call]),
            ("do $$ begin delete from t; end $$", PG, vec![Call]),
            ("create table t (id int)", G, vec![Ddl]),
            ("create table t as select * from u", G, vec![Ddl]),
            ("alter table t add column a int", G, vec![Ddl]),
            ("drop table if exists t", G, vec![Ddl]),
            ("truncate table t", G, vec![Ddl]),
            ("truncate t", PG, vec![Ddl]),
            ("rename table a to b", MY, vec![Ddl]),
            ("create view v as select * from t", G, vec![Ddl]),
            ("begin", G, vec![Transaction]),
            ("begin transaction isolation level serializable", PG, vec![Transaction]),
            ("begin tran", MS, vec![Transaction]),
            ("begin immediate", LITE, vec![Transaction]),
            ("start transaction read only", G, vec![Transaction]),
            ("start slave", MY, vec![Other]),
            ("commit", G, vec![Transaction]),
            ("commit prepared 'x'", PG, vec![Transaction]),
            ("end", PG, vec![Transaction]),
            ("rollback to savepoint a", G, vec![Transaction]),
            ("abort", PG, vec![Transaction]),
            ("savepoint a", G, vec![Transaction]),
            ("release savepoint a", G, vec![Transaction]),
            ("prepare transaction 'x'", PG, vec![Transaction]),
            ("xa start 'x'", MY, vec![Transaction]),
            ("prepare p as delete from t", PG, vec![Other]),
            ("set a = 1", G, vec![Set]),
            ("set @a = (select 1)", MY, vec![Set]),
            ("reset all", PG, vec![Set]),
            ("show tables", MY, vec![Show]),
            ("describe t", MY, vec![Show]),
            ("desc t", MY, vec![Show]),
            ("pragma table_info(t)", LITE, vec![Show]),
            ("explain select * from t", G, vec![Explain]),
            ("explain delete from t", G, vec![Explain]),
            ("explain t", MY, vec![Explain]),
            ("describe select 1", MY, vec![Explain]),
            ("explain query plan delete from t", LITE, vec![Explain]),
            ("explain plan for delete from t", ORA, vec![Explain]),
            ("explain format=json update t set a = 1", MY, vec![Explain]),
            ("explain (analyze false, verbose) delete from t", PG, vec![Explain]),
            ("explain (analyze OFF) delete from t", PG, vec![Explain]),
            ("explain (analyze \"False\", buffers) delete from t", PG, vec![Explain]),
            ("explain (analyze 1) delete from t", PG, vec![Delete]),
            ("explain (analyze on) delete from t", PG, vec![Delete]),
            ("explain (analyze 'true') delete from t", PG, vec![Delete]),
            ("explain (analyze ?) delete from t", PG, vec![Delete]),
            ("explain (analyze off, analyze) delete from t", PG, vec![Delete]),
            ("explain (costs off) with x as (select 1) select * from x", PG, vec![Explain]),
            ("explain analyze delete from t", PG, vec![Delete]),
            ("explain analyze verbose update t set a = 1", PG, vec![Update]),
            ("explain (analyze, buffers) delete from t", PG, vec![Delete]),
            ("explain analyze format=tree select * from t", MY, vec![Select]),
            ("explain analyze with x as (select 1) delete from t", PG, vec![Delete]),
            ("analyze format=json select * from t", MY, vec![Select]),
            ("analyze table t", MY, vec![Other]),
            ("analyze", PG, vec![Other]),
            ("copy t from stdin", PG, vec![Copy]),
            ("copy (select * from t) to stdout", PG, vec![Copy]),
            ("load data infile 'x' into table t", MY, vec![Copy]),
            ("lock tables t write", MY, vec![Lock]),
            ("lock table t in exclusive mode", PG, vec![Lock]),
            ("unlock tables", MY, vec![Lock]),
            ("fetch next from c", PG, vec![Other]),
            ("close c", PG, vec![Other]),
            ("declare c cursor for select 1", PG, vec![Other]),
            ("deallocate p", PG, vec![Other]),
            ("discard all", PG, vec![Other]),
            ("vacuum t", PG, vec![Other]),
            ("use shop", MY, vec![Other]),
            ("kill 5", MY, vec![Other]),
            ("grant select on t to u", G, vec![Other]),
            ("nonsense", G, vec![Other]),
            ("", G, vec![]),
            (" ; -- x\n ;", G, vec![]),
        ],
        |sql, dialect| {
            let kinds = kinds(sql, dialect);
            assert_eq!(shape(sql, dialect).kinds, kinds, "{dialect}: {}", String::from_utf8_lossy(sql));
            kinds
        },
    );
}

#[test]
fn no_constant_decides_of_what_kind_a_shape_is() {
    use Kind::*;
    for value in ["0", "'off'", "1", "'on'", "?"] {
        let sql = format!("explain (analyze {value}) delete from t");
        let expected = if matches!(value, "0" | "'off'") { Explain } else { Delete };
        assert_eq!(kinds(sql.as_bytes(), PG), [expected], "{sql}");
        assert_eq!(shape(sql.as_bytes(), PG).kinds, [Delete], "{sql}");
    }
}

#[test]
fn a_batch_has_a_list_of_kinds() {
    use Kind::*;
    check(
        &[
            ("select 1; delete from t; commit", G, vec![Select, Delete, Transaction]),
            (";;select 1;;", G, vec![Select]),
            ("begin; update t set a = 1; end", PG, vec![Transaction, Update, Transaction]),
            ("begin delete from t; update t set a = 1; end;", ORA, vec![Delete, Update]),
            ("begin if x then delete from t; end if; end;", ORA, vec![Delete]),
            ("set nocount on update t set a = 1", MS, vec![Set, Update]),
            ("begin tran truncate table t", MS, vec![Transaction, Ddl]),
            ("begin tran a drop table t commit", MS, vec![Transaction, Ddl]),
            ("save tran a select 1", MS, vec![Transaction, Select]),
            ("update t set a = 1 where id = 2 truncate table u", MS, vec![Update, Ddl]),
            ("grant create table to u", MS, vec![Other]),
            ("alter table t drop column a", MS, vec![Ddl]),
            ("update t set a = 1 where id = 2 delete from u where id = 1", MS, vec![Update, Delete]),
            ("declare @a int select @a = 1 from t", MS, vec![Other, Select]),
            ("insert into t exec p", MS, vec![Insert]),
            ("if exists (select 1 from t) update t set a = 1 else insert into t values (1)", MS, vec![Update, Insert]),
            (
                "create trigger g after insert on t for each row begin delete from u; update v set a = 1; end; select 1",
                MY,
                vec![Ddl, Select],
            ),
            (
                "create procedure p() begin if a then delete from t; end if; select case when 1 then 2 end; end; select 1",
                MY,
                vec![Ddl, Select],
            ),
            (
                "create function f() returns int as $$ delete from t; select 1 $$ language sql; select 1",
                PG,
                vec![Ddl, Select],
            ),
        ],
        |sql, dialect| {
            let kinds = kinds(sql, dialect);
            assert_eq!(shape(sql, dialect).kinds, kinds, "{dialect}: {}", String::from_utf8_lossy(sql));
            kinds
        },
    );
}

#[test]
fn only_a_select_without_effects_is_a_plain_read() {
    check(
        &[
            ("select * from t where id = 1", G, true),
            ("select 1; select 2", G, true),
            ("with x as (select 1) select * from x", G, true),
            ("select a from t union select b from u", G, true),
            ("values (1)", PG, true),
            ("explain analyze select 1", PG, true),
            ("select currval('s'), last_value from s", PG, true),
            ("select update_time, lock_id from t", G, true),
            ("select t.sleep, get_lock from t", G, true),
            ("select * from t use index for join (i)", MY, true),
            ("select ':=' , '@x := 1'", MY, true),
            ("", G, false),
            ("show tables", MY, false),
            ("explain select 1", G, false),
            ("insert into t values (1)", G, false),
            ("select 1; delete from t where id = 1", G, false),
            ("select * from t for update", G, false),
            ("select * from t for no key update skip locked", PG, false),
            ("select * from t for share", G, false),
            ("select * from t for key share", PG, false),
            ("select * from t lock in share mode", MY, false),
            ("select * from (select * from t for update) x", PG, false),
            ("select * from t with (updlock, rowlock)", MS, false),
            ("select * from t with (nolock)", MS, true),
            ("select * into u from t", PG, false),
            ("select a into outfile '/tmp/x' from t", MY, false),
            ("select a from t into @x", MY, false),
            ("select nextval('s')", PG, false),
            ("select pg_catalog.nextval('s')", PG, false),
            ("select s.nextval from dual", ORA, false),
            ("select next value for s", MS, false),
            ("select \"nextval\"('s')", PG, false),
            ("select pg_catalog.\"nextval\"('s')", PG, false),
            ("select \"NEXTVAL\"('s')", PG, false),
            ("select `sleep`(1)", MY, false),
            ("select [nextval]('s')", G, false),
            ("select \"DBMS_LOCK\".\"REQUEST\"(1) from dual", ORA, false),
            ("select sys.dbms_lock.request(1) from dual", ORA, false),
            ("select s.\"NEXTVAL\" from dual", ORA, false),
            ("select \"nextval\", \"sleep\" from t", PG, true),
            ("select 'nextval('", PG, true),
            ("select U&\"\\006eextval\"('s')", PG, false),
            ("select setval('s', 1)", PG, false),
            ("select pg_stat_statements_reset()", PG, false),
            ("select query_to_xml('delete from t', true, true, '')", PG, false),
            ("select cursor_to_xml('c', 1, true, true, '')", PG, false),
            ("select * from ts_stat('delete from t')", PG, false),
            ("select * from crosstab('delete from t') as c(a int)", PG, false),
            ("select pg_file_unlink('x')", PG, false),
            ("select gin_clean_pending_list('i')", PG, false),
            ("select setseed(0.5)", PG, false),
            ("select last_insert_id()", MY, true),
            ("select last_insert_id( )", MY, true),
            ("select last_insert_id(a + 1) from t", MY, false),
            ("select `last_insert_id`(5)", MY, false),
            ("select group_replication_set_as_primary('x')", MY, false),
            ("select sys_eval('x')", MY, false),
            ("select * from opendatasource('a', 'b').c.d.e", MS, false),
            ("select pg_advisory_lock(1)", PG, false),
            ("select pg_try_advisory_xact_lock(1)", PG, false),
            ("select GET_LOCK('a', 1)", MY, false),
            ("select release_lock('a')", MY, false),
            ("select pg_sleep(1)", PG, false),
            ("select sleep(1)", MY, false),
            ("select txid_current()", PG, false),
            ("select lo_import('/x')", PG, false),
            ("select * from dblink('x', 'delete from t') as t(a int)", PG, false),
            ("select set_config('a', 'b', false)", PG, false),
            ("select dbms_lock.request(1) from dual", ORA, false),
            ("select @x := a from t", MY, false),
            ("select @x = a from t", MS, false),
            ("select a from t where b = @x", MS, true),
            ("with x as (delete from t returning *) select * from x", PG, false),
            ("select id from final table (insert into t (a) values (1)) x", G, false),
            ("select id from new table (update t set a = 1)", G, false),
            ("select id from final, table (x int = (1, 2))", G, true),
        ],
        |sql, dialect| {
            let plain_read = analyse(sql, dialect).plain_read;
            assert_eq!(shape(sql, dialect).plain_read, plain_read, "{dialect}: {}", String::from_utf8_lossy(sql));
            plain_read
        },
    );
    let deep = format!("select {}nextval('s'){}", "(".repeat(70), ")".repeat(70));
    assert!(!analyse(deep.as_bytes(), PG).plain_read, "what is too deep to be looked at may do anything");
}
