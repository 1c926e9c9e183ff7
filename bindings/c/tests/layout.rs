//! The structs of the header lie in memory as those of the library do, as a C compiler sees it.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sqlthrottle_c::decision::{sqlthrottle_decision_t, sqlthrottle_fingerprint_t};
use sqlthrottle_c::engine::sqlthrottle_options_t;
use sqlthrottle_c::statement::{sqlthrottle_context_t, sqlthrottle_statement_t, sqlthrottle_tag_t, sqlthrottle_text_t};
use sqlthrottle_c::threshold::sqlthrottle_threshold_t;
use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::offset_of;
use std::process::{Command, Stdio};

/// What is to hold in C of a struct: its size, and where each field is. The pattern is exhaustive, so none can be left out.
macro_rules! layout {
    ($program:expr, $struct:ident { $($field:ident),+ $(,)? }) => {
        let _exhaustive = |given: $struct| { let $struct { $($field: _),+ } = given; };
        let name = stringify!($struct);
        writeln!($program, "_Static_assert(sizeof({name}) == {}, \"{name}\");", size_of::<$struct>()).unwrap();
        $({
            let field = stringify!($field);
            let offset = offset_of!($struct, $field);
            writeln!($program, "_Static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");").unwrap();
        })+
    };
}

#[test]
fn structs_lie_in_the_header_as_they_do_in_the_library() {
    let mut program = String::from("#include <stddef.h>\n#include <sqlthrottle.h>\n");
    layout!(program, sqlthrottle_text_t { data, length });
    layout!(program, sqlthrottle_tag_t { name, value });
    layout!(program, sqlthrottle_context_t { size, user, client, database, tags, tags_length });
    layout!(
        program,
        sqlthrottle_statement_t { size, sql, context, parameters, parameters_length, dialect, fakes, weight, flags }
    );
    layout!(program, sqlthrottle_fingerprint_t { bytes, length });
    layout!(
        program,
        sqlthrottle_decision_t {
            size,
            verdict,
            reason,
            observed,
            overflow,
            count,
            limit,
            retry_after_ns,
            delay_ns,
            ticket,
            permit,
            refill,
            fingerprint,
            rule,
            custom,
        }
    );
    layout!(program, sqlthrottle_options_t { size, clock, asks_provider, reserved });
    layout!(
        program,
        sqlthrottle_threshold_t {
            size,
            window_ns,
            delay_ns,
            max_count,
            buckets,
            share,
            share_of,
            strategy,
            max_delayed
        }
    );
    assert_compiles(&program);
}

fn assert_compiles(program: &str) {
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include");
    let mut compiler = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I", include, "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a C compiler, cc");
    compiler.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let done = compiler.wait_with_output().unwrap();
    assert!(done.status.success(), "{}\n{program}", String::from_utf8_lossy(&done.stderr));
}
