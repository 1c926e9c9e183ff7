//! `sqlthrottle validate`: whether a rule file would be accepted.

use crate::Exit;
use crate::args::ValidateArguments;
use crate::output::{Failure, Output, warn};
use serde_json::json;
use sqlthrottle::rule::RuleFile;
use sqlthrottle::{Fault, LoadError};
use std::error::Error;

pub(crate) fn run(arguments: &ValidateArguments, output: &mut Output) -> Result<Exit, Failure> {
    match RuleFile::open(&arguments.file) {
        Ok(rules) => {
            accepted(&rules, arguments, output)?;
            Ok(Exit::Success)
        }
        Err(error) if arguments.json => {
            refused(&error, arguments, output)?;
            Ok(Exit::Failure)
        }
        Err(error) => Err(Failure::Rules(error)),
    }
}

fn accepted(rules: &RuleFile, arguments: &ValidateArguments, output: &mut Output) -> Result<(), Failure> {
    let (thresholds, own) = (rules.thresholds.len(), rules.rules.len());
    let dialect = rules.fingerprint.dialect.name();
    let mode = rules.mode.name();
    let default = rules.default_threshold.is_some();
    let warnings = rules.warnings();
    if arguments.json {
        return output.json(&json!({
            "ok": true,
            "file": arguments.file.to_string_lossy(),
            "dialect": dialect,
            "mode": mode,
            "thresholds": thresholds,
            "rules": own,
            "default_threshold": default,
            "warnings": warnings,
        }));
    }
    warnings.into_iter().for_each(warn);
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let (many, more) = (plural(thresholds), plural(own));
    let default = if default { "a default threshold" } else { "no default threshold" };
    output.line(format_args!(
        "ok: {thresholds} threshold{many}, {own} rule{more}, {default}, dialect {dialect}, mode {mode}"
    ))
}

/// One object for each fault; one for the file where it could not be read.
fn refused(error: &LoadError, arguments: &ValidateArguments, output: &mut Output) -> Result<(), Failure> {
    let file = arguments.file.to_string_lossy();
    let mut print = |fault: Option<&Fault>, code: &str, found: &str, expected: &str| {
        output.json(&json!({
            "ok": false,
            "file": file,
            "line": fault.map(|fault| fault.line),
            "column": fault.map(|fault| fault.column),
            "path": fault.map(|fault| &fault.path),
            "code": code,
            "found": found,
            "expected": expected,
        }))
    };
    if error.faults().is_empty() {
        let found = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        return print(None, "file.unreadable", &found, "give a file that can be read");
    }
    error.faults().iter().try_for_each(|fault| print(Some(fault), fault.code, &fault.found, &fault.expected))
}
