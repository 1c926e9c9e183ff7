//! The statements that are measured.

use anyhow::{Result, ensure};
use sqlthrottle::{Dialect, FingerprintOptions, Normalizer};
use std::fmt::Write as _;

/// A statement with what must become of it.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// How the table calls it.
    pub(crate) title: &'static str,
    /// How it is read.
    pub(crate) dialect: Dialect,
    /// The statement.
    pub(crate) sql: String,
    normalized: &'static str,
}

/// The length of the long statements, in bytes: 50 KB.
const LONG: usize = 50_000;

const POINT_SELECT: &str = "select id, name, email from users where id = ? and email = ?";
const _: () = assert!(POINT_SELECT.len() == 60);

const JOIN: &str = "SELECT o.id, o.status, o.total, c.name, c.email, count(i.id) AS items FROM orders o \
    INNER JOIN customers c ON c.id = o.customer_id LEFT JOIN order_items i ON i.order_id = o.id \
    WHERE o.status IN ('paid', 'shipped') AND o.created_at >= '2024-01-01 00:00:00' AND c.country = 'DE' \
    AND o.total > 99.95 AND c.id <> 4711 GROUP BY o.id, o.status, o.total, c.name, c.email \
    HAVING count(i.id) > 3 ORDER BY o.total DESC LIMIT 50 OFFSET 100";
const _: () = assert!(JOIN.len() == 428);

impl Sample {
    /// A point select with bound parameters: what an application sends most.
    pub(crate) fn point_select() -> Self {
        Self {
            title: "60-byte bound point select",
            dialect: Dialect::Generic,
            sql: POINT_SELECT.to_owned(),
            normalized: "select id,name,email from users where id=? and email=?",
        }
    }

    /// The same with the parameters of PostgreSQL, whose parser refuses others.
    #[cfg(feature = "pg_query")]
    pub(crate) fn point_select_postgresql() -> Self {
        Self {
            title: "60-byte bound point select, $1",
            dialect: Dialect::PostgreSql,
            sql: "select id, name, email from users where id = $1 and email = $2".to_owned(),
            ..Self::point_select()
        }
    }

    /// A join with its constants in the text.
    pub(crate) fn join() -> Self {
        Self {
            title: "428-byte join with constants",
            dialect: Dialect::Generic,
            sql: JOIN.to_owned(),
            normalized: "select o.id,o.status,o.total,c.name,c.email,count(i.id) as items from orders o \
                inner join customers c on c.id=o.customer_id left join order_items i on i.order_id=o.id \
                where o.status in (?) and o.created_at>=? and c.country=? \
                and o.total>? and c.id<>? group by o.id,o.status,o.total,c.name,c.email \
                having count(i.id)>? order by o.total desc limit ? offset ?",
        }
    }

    /// An IN list of numbers of one to nine digits.
    pub(crate) fn in_list_of_numbers() -> Self {
        let mut random = Random::default();
        Self {
            title: "50 KB IN list of numbers",
            dialect: Dialect::Generic,
            sql: long("select * from users where id in (", ")", |out| {
                let _ = write!(out, "{}", random.number());
            }),
            normalized: "select * from users where id in (?)",
        }
    }

    /// An IN list of strings of 4 to 24 letters.
    pub(crate) fn in_list_of_strings() -> Self {
        let mut random = Random::default();
        Self {
            title: "50 KB IN list of strings",
            dialect: Dialect::Generic,
            sql: long("select * from users where name in (", ")", |out| {
                let _ = write!(out, "'{}'", random.word());
            }),
            normalized: "select * from users where name in (?)",
        }
    }

    /// An INSERT of many rows, each of two numbers, two strings and a NULL.
    pub(crate) fn insert() -> Self {
        let mut random = Random::default();
        Self {
            title: "50 KB INSERT of many rows",
            dialect: Dialect::Generic,
            sql: long("insert into users (id, name, email, age, note) values ", "", |out| {
                let (id, name, email, age) = (random.number(), random.word(), random.word(), random.below(90));
                let _ = write!(out, "({id}, '{name}', '{email}@example.com', {age}, NULL)");
            }),
            normalized: "insert into users(id,name,email,age,note) values (?,?,?,?,?)",
        }
    }

    /// A normaliser for the sample that has grown its buffers, once it has shown that it reads the sample right: the
    /// time of a wrong answer says nothing.
    pub(crate) fn normalizer(&self) -> Result<Normalizer> {
        let mut normalizer = Normalizer::new(FingerprintOptions::new(self.dialect));
        let text = normalizer.normalize(self.sql.as_bytes()).text().into_owned();
        let right = text == self.normalized;
        ensure!(right, "read as `{text:.60}…`, which is not `{:.60}…`", self.normalized);
        Ok(normalizer)
    }
}

/// A statement of [`LONG`] bytes at least, ended with the item that reaches them.
fn long(head: &str, tail: &str, mut item: impl FnMut(&mut String)) -> String {
    let mut sql = String::with_capacity(LONG + 256);
    sql.push_str(head);
    item(&mut sql);
    while sql.len() + tail.len() < LONG {
        sql.push_str(", ");
        item(&mut sql);
    }
    sql.push_str(tail);
    sql
}

/// Numbers that look random and are the same in every run: xorshift64.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from 0 up to `bound`, which is above 0 and itself left out.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 32) % bound
    }

    /// A number of one to nine digits, each length as likely as the others: no branch predictor learns where it ends.
    fn number(&mut self) -> u64 {
        let power = 10_u64.pow(self.below(9) as u32);
        power + self.below(9 * power)
    }

    /// A word of 4 to 24 small letters.
    fn word(&mut self) -> String {
        let letters = 4 + self.below(21);
        (0..letters).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }
}
