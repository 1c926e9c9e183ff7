//! The functions of the header as a test calls them: each with the pointers that a C program would pass, and freed when dropped.

// Each test uses a part of it.
#![allow(dead_code)]

use sqlthrottle_c::check::{
    sqlthrottle_check, sqlthrottle_check_request, sqlthrottle_check_statement, sqlthrottle_release, sqlthrottle_resume,
};
use sqlthrottle_c::clock::{
    sqlthrottle_clock_advance, sqlthrottle_clock_free, sqlthrottle_clock_new, sqlthrottle_clock_set_wall,
    sqlthrottle_clock_t,
};
use sqlthrottle_c::decision::{
    sqlthrottle_decision_t, sqlthrottle_reason_name, sqlthrottle_verdict_name, sqlthrottle_verdict_t,
};
use sqlthrottle_c::engine::{
    sqlthrottle_engine_clone, sqlthrottle_engine_free, sqlthrottle_engine_from_rules, sqlthrottle_engine_t,
    sqlthrottle_options_t, sqlthrottle_reload,
};
use sqlthrottle_c::error::{sqlthrottle_last_error_code, sqlthrottle_last_error_count, sqlthrottle_last_error_message};
use sqlthrottle_c::prepared::{
    sqlthrottle_check_prepared, sqlthrottle_prepare, sqlthrottle_prepared_free, sqlthrottle_prepared_t,
};
use sqlthrottle_c::report::{sqlthrottle_admin, sqlthrottle_snapshot, sqlthrottle_string_free};
use sqlthrottle_c::statement::{sqlthrottle_context_t, sqlthrottle_statement_t, sqlthrottle_tag_t, sqlthrottle_text_t};
use sqlthrottle_c::status::sqlthrottle_status_t;
use std::ffi::{CStr, c_char};
use std::fmt;
use std::ptr;

pub(crate) use sqlthrottle_c::status::sqlthrottle_status_t::*;

/// What a call that failed left behind in its thread.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: sqlthrottle_status_t,
    pub(crate) codes: Vec<String>,
    pub(crate) message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.status, self.message)
    }
}

/// Nothing where a call was successful, and the last error of this thread where it was not.
pub(crate) fn success(status: sqlthrottle_status_t) -> Result<(), Failure> {
    if status == SQLTHROTTLE_OK {
        Ok(())
    } else {
        Err(Failure { status, codes: last_codes(), message: last_message() })
    }
}

pub(crate) fn last_codes() -> Vec<String> {
    let code = |fault| {
        written(|buffer, capacity, needed| unsafe { sqlthrottle_last_error_code(fault, buffer, capacity, needed) })
    };
    (0..sqlthrottle_last_error_count()).map(|fault| String::from_utf8(code(fault)).unwrap()).collect()
}

pub(crate) fn last_message() -> String {
    let message =
        written(|buffer, capacity, needed| unsafe { sqlthrottle_last_error_message(buffer, capacity, needed) });
    String::from_utf8(message).unwrap()
}

/// The text that a function writes into a buffer, which is asked first how long it has to be.
pub(crate) fn written(write: impl Fn(*mut c_char, usize, *mut usize) -> sqlthrottle_status_t) -> Vec<u8> {
    let mut needed = 0;
    assert_eq!(write(ptr::null_mut(), 0, &raw mut needed), SQLTHROTTLE_ERROR_BUFFER);
    let mut buffer = vec![0_u8; needed];
    assert_eq!(write(buffer.as_mut_ptr().cast(), needed, ptr::null_mut()), SQLTHROTTLE_OK);
    assert_eq!(buffer.pop(), Some(0), "a text ends with NUL");
    buffer
}

/// A text that a function has written, which is freed here.
fn taken(text: *mut c_char, length: usize) -> String {
    let content = unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned();
    assert_eq!(content.len(), length);
    unsafe { sqlthrottle_string_free(text) };
    content
}

/// A clock that the test moves.
pub(crate) struct Clock(*mut sqlthrottle_clock_t);

impl Clock {
    pub(crate) fn new() -> Self {
        let mut clock = ptr::null_mut();
        success(unsafe { sqlthrottle_clock_new(&raw mut clock) }).unwrap();
        Self(clock)
    }

    pub(crate) fn advance(&self, by_ns: u64) {
        success(unsafe { sqlthrottle_clock_advance(self.0, by_ns) }).unwrap();
    }

    pub(crate) fn set_wall(&self, unix_ns: i64) {
        success(unsafe { sqlthrottle_clock_set_wall(self.0, unix_ns) }).unwrap();
    }

    pub(crate) fn as_ptr(&self) -> *mut sqlthrottle_clock_t {
        self.0
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        unsafe { sqlthrottle_clock_free(self.0) };
    }
}

/// A handle to an engine.
pub(crate) struct Engine(*mut sqlthrottle_engine_t);

// What the header says: any thread may call, any number of them at a time.
unsafe impl Send for Engine {}
unsafe impl Sync for Engine {}

impl Engine {
    pub(crate) fn new(rules: &str) -> Result<Self, Failure> {
        Self::open(rules, ptr::null())
    }

    pub(crate) fn with_clock(rules: &str, clock: &Clock, asks_provider: bool) -> Result<Self, Failure> {
        let size = size_of::<sqlthrottle_options_t>();
        let options = sqlthrottle_options_t { size, clock: clock.0, asks_provider: asks_provider.into(), reserved: 0 };
        Self::open(rules, &raw const options)
    }

    fn open(rules: &str, options: *const sqlthrottle_options_t) -> Result<Self, Failure> {
        let mut engine = ptr::null_mut();
        success(unsafe {
            sqlthrottle_engine_from_rules(rules.as_ptr().cast(), rules.len(), options, &raw mut engine)
        })?;
        Ok(Self(engine))
    }

    pub(crate) fn as_ptr(&self) -> *mut sqlthrottle_engine_t {
        self.0
    }

    /// Another handle to the same engine.
    pub(crate) fn another(&self) -> Self {
        let mut engine = ptr::null_mut();
        success(unsafe { sqlthrottle_engine_clone(self.0, &raw mut engine) }).unwrap();
        Self(engine)
    }

    pub(crate) fn check(&self, sql: impl AsRef<[u8]>) -> Decision {
        let sql = sql.as_ref();
        Decision::of(|decision| unsafe { sqlthrottle_check(self.0, sql.as_ptr().cast(), sql.len(), decision) }).unwrap()
    }

    pub(crate) fn check_statement(&self, statement: &Statement<'_>) -> Result<Decision, Failure> {
        statement.hand_over(|statement| {
            Decision::of(|decision| unsafe { sqlthrottle_check_statement(self.0, statement, decision) })
        })
    }

    pub(crate) fn check_request(&self, context: &Context<'_>) -> Result<Decision, Failure> {
        context.hand_over(|context| {
            Decision::of(|decision| unsafe { sqlthrottle_check_request(self.0, context, 0, decision) })
        })
    }

    pub(crate) fn resume(&self, ticket: u64) -> Decision {
        Decision::of(|decision| unsafe { sqlthrottle_resume(self.0, ticket, 0, decision) }).unwrap()
    }

    /// Whether something was given back.
    pub(crate) fn release(&self, permit: u64) -> bool {
        match unsafe { sqlthrottle_release(self.0, permit) } {
            SQLTHROTTLE_OK => true,
            SQLTHROTTLE_NOTHING => false,
            status => panic!("{status:?}"),
        }
    }

    /// The version of the rules in force then.
    pub(crate) fn reload(&self, rules: &str) -> Result<u64, Failure> {
        let mut version = 0;
        success(unsafe { sqlthrottle_reload(self.0, rules.as_ptr().cast(), rules.len(), &raw mut version) })?;
        Ok(version)
    }

    pub(crate) fn admin(&self, statement: &str) -> Result<serde_json::Value, Failure> {
        let (mut answer, mut length) = (ptr::null_mut(), 0);
        let (text, bytes) = (statement.as_ptr().cast(), statement.len());
        success(unsafe { sqlthrottle_admin(self.0, text, bytes, &raw mut answer, &raw mut length) })?;
        Ok(serde_json::from_str(&taken(answer, length)).unwrap())
    }

    pub(crate) fn snapshot(&self) -> serde_json::Value {
        let (mut json, mut length) = (ptr::null_mut(), 0);
        success(unsafe { sqlthrottle_snapshot(self.0, &raw mut json, &raw mut length) }).unwrap();
        serde_json::from_str(&taken(json, length)).unwrap()
    }

    pub(crate) fn prepare(&self, statement: &Statement<'_>) -> Result<Prepared, Failure> {
        let mut prepared = ptr::null_mut();
        statement
            .hand_over(|statement| success(unsafe { sqlthrottle_prepare(self.0, statement, &raw mut prepared) }))?;
        Ok(Prepared(prepared))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        unsafe { sqlthrottle_engine_free(self.0) };
    }
}

/// A prepared statement.
pub(crate) struct Prepared(*mut sqlthrottle_prepared_t);

// As for the engine.
unsafe impl Send for Prepared {}
unsafe impl Sync for Prepared {}

impl Prepared {
    pub(crate) fn check(&self) -> Decision {
        Decision::of(|decision| unsafe { sqlthrottle_check_prepared(self.0, 0, decision) }).unwrap()
    }

    pub(crate) fn as_ptr(&self) -> *mut sqlthrottle_prepared_t {
        self.0
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        unsafe { sqlthrottle_prepared_free(self.0) };
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Decision(pub(crate) sqlthrottle_decision_t);

impl Decision {
    pub(crate) fn of(ask: impl FnOnce(*mut sqlthrottle_decision_t) -> sqlthrottle_status_t) -> Result<Self, Failure> {
        let mut decision = sqlthrottle_decision_t::default();
        success(ask(&raw mut decision))?;
        Ok(Self(decision))
    }

    pub(crate) fn is_allowed(&self) -> bool {
        self.0.verdict == sqlthrottle_verdict_t::SQLTHROTTLE_ALLOW
    }

    pub(crate) fn verdict(&self) -> &'static str {
        name(sqlthrottle_verdict_name(self.0.verdict as u32))
    }

    pub(crate) fn reason(&self) -> &'static str {
        name(sqlthrottle_reason_name(self.0.reason as u32))
    }

    pub(crate) fn observed(&self) -> Option<&'static str> {
        let none = self.0.observed == sqlthrottle_verdict_t::SQLTHROTTLE_NO_VERDICT;
        (!none).then(|| name(sqlthrottle_verdict_name(self.0.observed as u32)))
    }

    pub(crate) fn rule(&self) -> Option<&str> {
        field(&self.0.rule)
    }

    pub(crate) fn custom(&self) -> Option<&str> {
        field(&self.0.custom)
    }
}

fn name(text: *const c_char) -> &'static str {
    unsafe { CStr::from_ptr(text) }.to_str().unwrap()
}

/// A field that is a text; none where it is empty.
fn field(field: &[c_char]) -> Option<&str> {
    let text = unsafe { CStr::from_ptr(field.as_ptr()) }.to_str().unwrap();
    (!text.is_empty()).then_some(text)
}

/// A text, or that there is none.
pub(crate) fn text(content: Option<&[u8]>) -> sqlthrottle_text_t {
    let (data, length) = content.map_or((ptr::null(), 0), |content| (content.as_ptr().cast(), content.len()));
    sqlthrottle_text_t { data, length }
}

/// Who sends a statement or makes a request, and where to.
#[derive(Default)]
pub(crate) struct Context<'a> {
    pub(crate) user: Option<&'a str>,
    pub(crate) client: Option<&'a str>,
    pub(crate) database: Option<&'a str>,
    pub(crate) tags: Vec<(&'a str, &'a str)>,
}

impl Context<'_> {
    pub(crate) fn hand_over<T>(&self, to: impl FnOnce(*const sqlthrottle_context_t) -> T) -> T {
        let of = |part: Option<&str>| text(part.map(str::as_bytes));
        let tag = |(name, value): &(&str, &str)| sqlthrottle_tag_t { name: of(Some(name)), value: of(Some(value)) };
        let tags: Vec<_> = self.tags.iter().map(tag).collect();
        let context = sqlthrottle_context_t {
            size: size_of::<sqlthrottle_context_t>(),
            user: of(self.user),
            client: of(self.client),
            database: of(self.database),
            tags: tags.as_ptr(),
            tags_length: tags.len(),
        };
        to(&raw const context)
    }
}

/// A statement, with zero for what is not said of it.
#[derive(Default)]
pub(crate) struct Statement<'a> {
    pub(crate) sql: &'a [u8],
    pub(crate) context: Context<'a>,
    pub(crate) parameters: Vec<Option<&'a [u8]>>,
    pub(crate) dialect: u32,
    pub(crate) fakes: u32,
    pub(crate) weight: u32,
    pub(crate) flags: u32,
}

impl<'a> Statement<'a> {
    pub(crate) fn new(sql: &'a str) -> Self {
        Self { sql: sql.as_bytes(), ..Self::default() }
    }

    pub(crate) fn hand_over<T>(&self, to: impl FnOnce(*const sqlthrottle_statement_t) -> T) -> T {
        let parameters: Vec<_> = self.parameters.iter().map(|parameter| text(*parameter)).collect();
        self.context.hand_over(|context| {
            let statement = sqlthrottle_statement_t {
                size: size_of::<sqlthrottle_statement_t>(),
                sql: text(Some(self.sql)),
                context,
                parameters: parameters.as_ptr(),
                parameters_length: parameters.len(),
                dialect: self.dialect,
                fakes: self.fakes,
                weight: self.weight,
                flags: self.flags,
            };
            to(&raw const statement)
        })
    }
}
