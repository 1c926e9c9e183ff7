//! `sqlthrottle fingerprint`: what a statement's shape is.

use crate::Exit;
use crate::args::FingerprintArguments;
use crate::input::read;
use crate::log::begins_like_a_log;
use crate::output::{Failure, OneLine, Output, warn};
use serde_json::json;
use sqlthrottle::Normalizer;
use sqlthrottle::fingerprint::{Kind, analyse, split};
use std::io;
use std::path::Path;

pub(crate) fn run(arguments: &FingerprintArguments, output: &mut Output) -> Result<Exit, Failure> {
    let name = arguments.file.as_deref().unwrap_or(Path::new("-"));
    let input = read(name).map_err(|error| unreadable(name, &error))?;
    if begins_like_a_log(&input) {
        warn(format_args!("this looks like a log; `sqlthrottle replay {}` lists its statements", name.display()));
    }
    let mut normalizer = Normalizer::new(arguments.options());
    if arguments.raw {
        print(&mut normalizer, &input, arguments, output)?;
        return Ok(Exit::Success);
    }
    for sql in split(&input, arguments.dialect) {
        print(&mut normalizer, sql, arguments, output)?;
    }
    Ok(Exit::Success)
}

/// Why there is no input. Who gives a statement where a file is asked for is told how statements are given.
fn unreadable(path: &Path, error: &io::Error) -> Failure {
    if !path.exists() && path.to_string_lossy().contains(char::is_whitespace) {
        let hint = "FILE is a file; for a text: echo '…' | sqlthrottle fingerprint";
        return Failure::message(path.display(), format_args!("{error}; {hint}"));
    }
    Failure::message(path.display(), error)
}

fn print(
    normalizer: &mut Normalizer,
    sql: &[u8],
    arguments: &FingerprintArguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let shape = normalizer.normalize(sql);
    if !arguments.json {
        return output.line(format_args!("{}  {}", shape.fingerprint(), OneLine(&shape.text())));
    }
    let analysis = analyse(sql, arguments.dialect);
    let mut object = json!({
        "fingerprint": shape.fingerprint().to_string(),
        "normalized": shape.text(),
        "kind": kind(&analysis.kinds),
        "tables": analysis.tables.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "where": analysis.where_clause.name(),
        "plain_read": analysis.plain_read,
    });
    if analysis.kinds.len() > 1 {
        object["kinds"] = analysis.kinds.iter().map(|kind| kind.name()).collect();
    }
    output.json(&object)
}

/// The kind that all statements of a text share, `batch` where they differ; none where there are none.
fn kind(kinds: &[Kind]) -> Option<&'static str> {
    let first = kinds.first()?;
    Some(if kinds.iter().all(|kind| kind == first) { first.name() } else { "batch" })
}
