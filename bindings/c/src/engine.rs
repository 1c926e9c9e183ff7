//! Engines: opened, shared, and given other rules.

use crate::clock::sqlthrottle_clock_t;
use crate::error::Result;
use crate::growing::Growing;
use crate::guard::{call, with_engine};
use crate::handle::{self, opaque};
use crate::input::{In, bytes, value};
use crate::output::{cleared, put_if_wanted};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_NOTHING, SQLTHROTTLE_OK};
use sqlthrottle::{Builder, Engine, RuleFile};
use std::ffi::c_char;
use std::path::Path;

/// Decides which statements may be sent now. One serves any number of threads.
#[derive(Debug)]
pub struct sqlthrottle_engine_t {
    _opaque: (),
}

opaque!(sqlthrottle_engine_t, Engine, "engine");

/// How an engine is opened. Set `size`, and what is to differ from zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_options_t {
    /// Its size in bytes as the program was compiled with.
    pub size: usize,
    /// A clock that a test moves; NULL for the machine's. It may be freed before the engine.
    pub clock: *const sqlthrottle_clock_t,
    /// 1 where the host has thresholds of its own to give, see sqlthrottle_set_threshold(): then the first sight of a fingerprint is
    /// answered with SQLTHROTTLE_THRESHOLD_NEEDED. Else 0.
    pub asks_provider: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: it begins with its size; the other fields are numbers and a pointer.
unsafe impl Growing for sqlthrottle_options_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// # Safety
///
/// `options` is NULL or as it says, and `engine` NULL or to be written.
unsafe fn open(
    rules: Result<Builder>,
    options: *const sqlthrottle_options_t,
    engine: *mut *mut sqlthrottle_engine_t,
) -> Result<sqlthrottle_status_t> {
    // SAFETY: the caller's promise.
    let engine = unsafe { cleared(engine, "engine") }?;
    let mut builder = rules?;
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(options) = In::if_given(options, "options")? {
            builder = match options.asks_provider {
                0 => builder,
                1 => builder.asks_provider(true),
                other => return Err(value(format_args!("asks_provider is {other}; it is 0 or 1"))),
            };
            if options.reserved != 0 {
                return Err(value(format_args!("reserved is {}; it is 0", options.reserved)));
            }
            if !options.clock.is_null() {
                builder = builder.clock(handle::get(options.clock)?.clone());
            }
        }
        engine.write(handle::new(builder.build()?));
    }
    Ok(SQLTHROTTLE_OK)
}

/// Opens an engine with the rules of a file, for which sqlthrottle_refresh() looks again.
///
/// `path` is as open() takes it, and UTF-8 on Windows; `options` may be NULL. `${NAME}` in the file stands for a variable of the
/// environment. Writes `engine`, to be freed with
/// sqlthrottle_engine_free().
///
/// Returns SQLTHROTTLE_ERROR_REFUSED where the file cannot be read or has faults: all of them at once are the last error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_engine_open(
    path: *const c_char,
    path_length: usize,
    options: *const sqlthrottle_options_t,
    engine: *mut *mut sqlthrottle_engine_t,
) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let path = as_path(bytes(path, path_length, "path")?)?;
            open(Builder::open(path).map_err(Into::into), options, engine)
        }
    })
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not all bytes are a path")]
fn as_path(bytes: &[u8]) -> Result<&Path> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn as_path(bytes: &[u8]) -> Result<&Path> {
    str::from_utf8(bytes).map(Path::new).map_err(|_| value(format_args!("path is not UTF-8")))
}

/// Opens an engine with rules: the text of a rule file, in which `${NAME}` stands for a variable of the environment.
///
/// `options` may be NULL. Writes `engine`, to be freed with sqlthrottle_engine_free(). No text is a rule file without rules: an engine
/// that lets everything pass until it is given some.
///
/// Returns SQLTHROTTLE_ERROR_REFUSED where the rules have faults: all of them at once are the last error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_engine_from_rules(
    rules: *const c_char,
    rules_length: usize,
    options: *const sqlthrottle_options_t,
    engine: *mut *mut sqlthrottle_engine_t,
) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let rules = RuleFile::parse(bytes(rules, rules_length, "rules")?);
            open(rules.map(Engine::builder).map_err(Into::into), options, engine)
        }
    })
}

/// Makes another handle to an engine, for another owner. Both share rules and counts, and each is to be freed; the engine lasts as long
/// as one of them, or a prepared statement of it, does.
///
/// Threads need no handle of their own, as long as the one they use is not freed under them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_engine_clone(
    engine: *const sqlthrottle_engine_t,
    clone: *mut *mut sqlthrottle_engine_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            cleared(clone, "clone")?.write(handle::new(engine.clone()));
            Ok(SQLTHROTTLE_OK)
        })
    }
}

/// Frees a handle to an engine. No other thread may be in a call with the same handle; other handles to the engine may be in use.
///
/// Does nothing with NULL and with a handle that was just freed, and a later call with such a handle is an error. To rely on that is a
/// mistake nevertheless: after a thousand more handles were freed, the address serves another one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_engine_free(engine: *mut sqlthrottle_engine_t) {
    call(|| {
        // SAFETY: the caller's promise.
        drop(unsafe { handle::free(engine) });
        Ok(SQLTHROTTLE_OK)
    });
}

/// Puts other rules in force, the text of a rule file, all of them at once: no check sees half of two sets. What has been counted
/// follows a rule's name, kind of limit and `per`.
///
/// `version`, unless NULL, is told the version of the set in force, which grows by one with every change.
///
/// Returns SQLTHROTTLE_ERROR_REFUSED where the rules have faults; those before stay in force.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_reload(
    engine: *const sqlthrottle_engine_t,
    rules: *const c_char,
    rules_length: usize,
    version: *mut u64,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let rules = RuleFile::parse(bytes(rules, rules_length, "rules")?)?;
            put_if_wanted(version, engine.reload(rules)?);
            Ok(SQLTHROTTLE_OK)
        })
    }
}

/// Looks whether the file that the engine was opened with has changed, and if so puts its rules in force. It reads the file: call it
/// from a timer or a signal's thread, every second or whatever the file's `watch` says, not before each statement, and not in a signal
/// handler.
///
/// `version`, unless NULL, is told the version of the set in force where that has changed.
///
/// Returns SQLTHROTTLE_NOTHING where the file has not changed, or there is none, and SQLTHROTTLE_ERROR_REFUSED where it cannot be
/// read or has faults; the rules before stay in force. A file with faults is refused once, and read again when it has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_refresh(
    engine: *const sqlthrottle_engine_t,
    version: *mut u64,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let Some(changed) = engine.refresh()? else { return Ok(SQLTHROTTLE_NOTHING) };
            put_if_wanted(version, changed);
            Ok(SQLTHROTTLE_OK)
        })
    }
}

/// Puts an engine in order in the child of a fork: rules and what they have counted stay, permits and tickets of the parent mean nothing
/// there, and the places that they held are free.
///
/// To be called in the child, once for all handles of an engine, while it has one thread and before it checks anything: a second call
/// drops what the child holds by then. Windows and clocks need nothing. It is safe after fork(), whatever the parent's threads were
/// doing, where malloc() is, as it is with glibc and musl; not in a handler of pthread_atfork(), and not after vfork().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_after_fork(engine: *const sqlthrottle_engine_t) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            engine.after_fork();
            Ok(SQLTHROTTLE_OK)
        })
    }
}
