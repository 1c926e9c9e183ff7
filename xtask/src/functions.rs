//! The functions of the C header.

use crate::{Result, root};
use std::fs;

/// The names of the functions in the header as it is committed, in its order.
pub(crate) fn of_the_header() -> Result<Vec<String>> {
    let functions = declared(&fs::read_to_string(root().join("include/sqlthrottle.h"))?);
    if functions.is_empty() { Err("include/sqlthrottle.h declares no function".into()) } else { Ok(functions) }
}

/// The names of the functions that a header declares: a declaration begins a line, and no comment does.
fn declared(header: &str) -> Vec<String> {
    let name = |line: &str| {
        let (before, _) = line.split_once('(')?;
        let name = before.rsplit([' ', '*']).next()?;
        (line.starts_with(char::is_alphabetic) && name.starts_with("sqlthrottle_")).then(|| name.to_owned())
    };
    header.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn declarations_are_told_from_comments_macros_and_types() {
        let header = "/**\n * Calls sqlthrottle_no(x).\n */\n#define sqlthrottle_macro(x) x\ntypedef struct sqlthrottle_a_t sqlthrottle_a_t;\n\
                      void sqlthrottle_a_free(sqlthrottle_a_t *a);\nconst char *sqlthrottle_name(uint32_t number,\n    size_t x);\n";
        assert_eq!(declared(header), ["sqlthrottle_a_free", "sqlthrottle_name"]);
    }
}
