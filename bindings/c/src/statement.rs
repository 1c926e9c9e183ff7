//! A statement and its context, as C describes them.

use crate::error::Result;
use crate::growing::Growing;
use crate::input::{In, bytes, items, value};
use smallvec::SmallVec;
use sqlthrottle::{Context, Dialect, Fakes, Statement};
use std::ffi::c_char;
use std::ptr;

/// Most tags of a context. Each is compared with those before it, so without a limit a check could take minutes.
const MAX_TAGS: usize = 256;

/// Bytes of any kind with their length, in UTF-8 where they are text. They need not end with NUL, and one within them is like any
/// other byte. `data` NULL says that there is no value, which is not the same as an empty one.
///
/// The library reads it during the call, and keeps nothing of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_text_t {
    /// The first byte.
    pub data: *const c_char,
    /// How many bytes there are.
    pub length: usize,
}

/// A tag, such as an endpoint or a tenant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_tag_t {
    /// What the rule file calls it.
    pub name: sqlthrottle_text_t,
    /// Its value. NULL leaves the tag out.
    pub value: sqlthrottle_text_t,
}

/// Who sends a statement or makes a request, and where to. One may serve many calls, from several threads at a time.
///
/// Set `size`, and what else is known: `sqlthrottle_context_t context = { .size = sizeof context };`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_context_t {
    /// Its size in bytes as the program was compiled with.
    pub size: usize,
    /// The database user, or whoever else is to be told apart. `name@host` stands for both where there is no client.
    pub user: sqlthrottle_text_t,
    /// The address of the client, in its textual form and without a port.
    pub client: sqlthrottle_text_t,
    /// The database.
    pub database: sqlthrottle_text_t,
    /// Tags. Of a name that is given twice the later value holds.
    pub tags: *const sqlthrottle_tag_t,
    /// How many tags there are, at most 256.
    pub tags_length: usize,
}

/// The SQL dialects.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum sqlthrottle_dialect_t {
    /// The one that the rule file says.
    SQLTHROTTLE_DIALECT_OF_RULES = 0,
    /// What the dialects have in common.
    SQLTHROTTLE_DIALECT_GENERIC = 1,
    /// MySQL and MariaDB.
    SQLTHROTTLE_DIALECT_MYSQL = 2,
    /// PostgreSQL.
    SQLTHROTTLE_DIALECT_POSTGRESQL = 3,
    /// SQLite.
    SQLTHROTTLE_DIALECT_SQLITE = 4,
    /// Microsoft SQL Server.
    SQLTHROTTLE_DIALECT_MSSQL = 5,
    /// Oracle.
    SQLTHROTTLE_DIALECT_ORACLE = 6,
}

/// What the caller can stand in for when a statement is ignored: bits, to be combined.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum sqlthrottle_fakes_t {
    /// Nothing: what is to be ignored is aborted instead.
    SQLTHROTTLE_FAKES_NONE = 0,
    /// An empty result set: what a plain read needs.
    SQLTHROTTLE_FAKES_ROWS = 1,
    /// A count of no affected rows: what a write needs whose count is all that is asked for.
    SQLTHROTTLE_FAKES_COUNT = 2,
}

/// How a check is made: bits, to be combined.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum sqlthrottle_flags_t {
    /// Where a rule that a cluster counts needs the network, answer SQLTHROTTLE_REFILL_NEEDED. Without this bit the check asks the
    /// cluster in the calling thread, which it may block for as long as the rule file's `timeout` allows. No other rule blocks.
    SQLTHROTTLE_NO_REFILL = 1,
}

/// A statement. The library reads it during the call, and keeps nothing of it.
///
/// Set `size`, `sql`, and what else is known:
/// `sqlthrottle_statement_t statement = { .size = sizeof statement, .sql = { sql, sql_length } };`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_statement_t {
    /// Its size in bytes as the program was compiled with.
    pub size: usize,
    /// The text. NULL is a text of no bytes.
    pub sql: sqlthrottle_text_t,
    /// Who sends it and where to; NULL where nothing is known.
    pub context: *const sqlthrottle_context_t,
    /// The bound parameters in order, each in the textual form that a constant in its place would have, without quotes; `data` NULL
    /// for a parameter that is NULL or has no such form. Rules that count by a column, or match one, read them.
    pub parameters: *const sqlthrottle_text_t,
    /// How many parameters there are.
    pub parameters_length: usize,
    /// Its SQL dialect, of sqlthrottle_dialect_t; 0 for the one that the rule file says.
    pub dialect: u32,
    /// What the caller can stand in for when it is ignored: bits of sqlthrottle_fakes_t.
    pub fakes: u32,
    /// How many executions the check speaks for: a batch of 50 weighs 50. 0 counts as 1.
    pub weight: u32,
    /// Bits of sqlthrottle_flags_t.
    pub flags: u32,
}

// SAFETY: it begins with its size; the other fields are numbers and pointers.
unsafe impl Growing for sqlthrottle_context_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

// SAFETY: as above.
unsafe impl Growing for sqlthrottle_statement_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

impl sqlthrottle_text_t {
    /// No value.
    pub const NONE: Self = Self { data: ptr::null(), length: 0 };

    /// # Safety
    ///
    /// There are so many bytes, unless it is NULL.
    unsafe fn get<'a>(self, name: &str) -> Result<Option<&'a [u8]>> {
        if self.data.is_null() && self.length == 0 {
            return Ok(None);
        }
        // SAFETY: the caller's promise.
        unsafe { bytes(self.data, self.length, name) }.map(Some)
    }
}

/// As C programs begin with one: its size set, and else nothing.
impl Default for sqlthrottle_context_t {
    fn default() -> Self {
        let none = sqlthrottle_text_t::NONE;
        let size = size_of::<Self>();
        Self { size, user: none, client: none, database: none, tags: ptr::null(), tags_length: 0 }
    }
}

/// As for the context.
impl Default for sqlthrottle_statement_t {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            sql: sqlthrottle_text_t::NONE,
            context: ptr::null(),
            parameters: ptr::null(),
            parameters_length: 0,
            dialect: 0,
            fakes: 0,
            weight: 0,
            flags: 0,
        }
    }
}

/// Whether a check is to answer that it needs the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) no_refill: bool,
}

impl Flags {
    #[inline]
    pub(crate) fn of(bits: u32) -> Result<Self> {
        const NO_REFILL: u32 = sqlthrottle_flags_t::SQLTHROTTLE_NO_REFILL as u32;
        if bits & !NO_REFILL != 0 {
            return Err(value(format_args!("flags are {bits:#x}, which has bits that are no flag")));
        }
        Ok(Self { no_refill: bits & NO_REFILL != 0 })
    }
}

/// The dialect of a number; none for that of the rules.
#[inline]
pub(crate) fn dialect(number: u32) -> Result<Option<Dialect>> {
    if number == 0 {
        return Ok(None);
    }
    let known = Dialect::ALL.get(number as usize - 1).copied();
    known.map(Some).ok_or_else(|| value(format_args!("dialect is {number}, which is none of sqlthrottle_dialect_t")))
}

#[inline]
fn fakes(bits: u32) -> Result<Fakes> {
    Ok(match bits {
        0 => Fakes::None,
        1 => Fakes::Rows,
        2 => Fakes::Count,
        3 => Fakes::RowsAndCount,
        _ => return Err(value(format_args!("fakes is {bits:#x}, which has bits that nobody can fake"))),
    })
}

/// Reads the context of a statement or a request into one that is empty; where it is NULL, leaves it so.
///
/// # Safety
///
/// It is NULL, or what it points to is as it says, for as long as the context is in use.
#[inline]
pub(crate) unsafe fn read_context(given: *const sqlthrottle_context_t, context: &mut Context<'_>) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(given) = In::if_given(given, "context")? else { return Ok(()) };
        context.set_user(given.user.get("user")?);
        context.set_client(given.client.get("client")?);
        context.set_database(given.database.get("database")?);
        let tags = items(given.tags, given.tags_length, "tags")?;
        if tags.len() > MAX_TAGS {
            return Err(value(format_args!("tags_length is {}, and {MAX_TAGS} is the most", tags.len())));
        }
        for tag in tags {
            if let Some(value) = tag.value.get("the value of a tag")? {
                context.set_tag(tag.name.get("the name of a tag")?.unwrap_or_default(), value);
            }
        }
    }
    Ok(())
}

/// Reads a statement.
///
/// # Safety
///
/// It is NULL, or what it points to is as it says.
pub(crate) unsafe fn with_statement<T>(
    given: *const sqlthrottle_statement_t,
    act: impl FnOnce(&Statement<'_>, Flags) -> Result<T>,
) -> Result<T> {
    // SAFETY: the caller's promise.
    unsafe {
        let given = In::of(given, "statement")?;
        let flags = Flags::of(given.flags)?;
        let given_parameters = items(given.parameters, given.parameters_length, "parameters")?;
        let mut parameters = SmallVec::<[Option<&[u8]>; 8]>::new_const();
        for parameter in given_parameters {
            parameters.push(parameter.get("a parameter")?);
        }
        let sql = given.sql.get("sql")?.unwrap_or_default();
        let mut statement = Statement::new(sql);
        statement.set_params(&parameters);
        statement.set_weight(given.weight);
        statement.set_fakes(fakes(given.fakes)?);
        statement.set_dialect(dialect(given.dialect)?);
        read_context(given.context, statement.context_mut())?;
        act(&statement, flags)
    }
}
