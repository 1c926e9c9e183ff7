//! `sqlthrottle validate`: whether a rule file would be accepted.

use crate::Exit;
use crate::args::ValidateArguments;
use crate::output::{Failure, OneLine, Output, warn};
use serde_json::json;
use sqlthrottle::LoadError;
use sqlthrottle::rule::RuleFile;

pub(crate) fn run(arguments: &ValidateArguments, output: &mut Output) -> Result<Exit, Failure> {
    match RuleFile::open(&arguments.file) {
        Ok(rules) => {
            accepted(&rules, arguments, output)?;
            Ok(Exit::Success)
        }
        Err(error) => {
            refused(&error, arguments, output)?;
            Ok(Exit::Failure)
        }
    }
}

fn accepted(rules: &RuleFile, arguments: &ValidateArguments, output: &mut Output) -> Result<(), Failure> {
    let thresholds = rules.thresholds.len();
    let dialect = rules.fingerprint.dialect.name();
    let mode = rules.mode.name();
    let default = rules.default_threshold.is_some();
    rules.warnings().into_iter().for_each(warn);
    if arguments.json {
        return output.json(&json!({
            "ok": true,
            "file": arguments.file.to_string_lossy(),
            "dialect": dialect,
            "mode": mode,
            "thresholds": thresholds,
            "default_threshold": default,
        }));
    }
    let noun = if thresholds == 1 { "threshold" } else { "thresholds" };
    let default = if default { "a default threshold" } else { "no default threshold" };
    output.line(format_args!("ok: {thresholds} {noun}, {default}, dialect {dialect}, mode {mode}"))
}

fn refused(error: &LoadError, arguments: &ValidateArguments, output: &mut Output) -> Result<(), Failure> {
    let file = arguments.file.to_string_lossy();
    if !arguments.json {
        return error.to_string().lines().try_for_each(|line| output.line(OneLine(line)));
    }
    for fault in error.all() {
        output.json(&json!({
            "file": file,
            "line": fault.line,
            "column": fault.column,
            "path": fault.path,
            "code": fault.code,
            "found": fault.found,
            "expected": fault.expected,
        }))?;
    }
    if error.all().is_empty() {
        output.json(&json!({ "file": file, "code": "file.unreadable", "found": error.to_string() }))?;
    }
    Ok(())
}
