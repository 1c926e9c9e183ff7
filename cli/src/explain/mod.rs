//! `sqlthrottle explain`: why a statement is decided as it is.

mod report;

use crate::Exit;
use crate::args::ExplainArguments;
use crate::input::read;
use crate::output::{Failure, Output, warn};
use crate::rules::{count_here, terms};
use report::Report;
use sqlthrottle::rule::RuleFile;
use sqlthrottle::{Engine, Statement};
use std::ffi::OsString;
use std::path::Path;

pub(crate) fn run(arguments: &ExplainArguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut rules = RuleFile::open(&arguments.rules).map_err(Failure::Rules)?;
    rules.warnings().into_iter().for_each(warn);
    count_here(&mut rules);
    let terms = terms(&rules);
    let engine = Engine::new(rules).map_err(Failure::Rules)?;
    let sql = sql(arguments)?;
    let params: Vec<Option<&[u8]>> = arguments.params.0.iter().map(|param| param.as_ref().map(bytes)).collect();
    let statement = statement(arguments, &sql, &params);
    let explanation = engine.explain(&statement);
    let decision = engine.check_statement(&statement);
    let report = Report { explanation: &explanation, terms: &terms, decision: &decision, all: arguments.all };
    if arguments.json {
        report.print_json(output)?;
    } else {
        report.print(output)?;
    }
    Ok(Exit::Success)
}

/// The statement's text.
fn sql(arguments: &ExplainArguments) -> Result<Vec<u8>, Failure> {
    let path = match (&arguments.file, &arguments.sql) {
        (Some(path), _) => path.as_path(),
        (None, Some(sql)) if sql != "-" => return Ok(bytes(sql).to_vec()),
        _ => Path::new("-"),
    };
    read(path).map_err(|error| Failure::message(path.display(), error))
}

fn statement<'a>(arguments: &'a ExplainArguments, sql: &'a [u8], params: &'a [Option<&'a [u8]>]) -> Statement<'a> {
    let mut statement = Statement::new(sql).fakes(arguments.fakes()).weight(arguments.weight).params(params);
    if let Some(dialect) = arguments.dialect {
        statement = statement.dialect(dialect);
    }
    if let Some(user) = &arguments.user {
        statement = statement.user(bytes(user));
    }
    if let Some(client) = &arguments.client {
        statement = statement.client(bytes(client));
    }
    if let Some(database) = &arguments.database {
        statement = statement.database(bytes(database));
    }
    arguments.tags.iter().fold(statement, |statement, (name, value)| statement.tag(name, value))
}

/// The bytes of an argument, as the shell gave them.
fn bytes(argument: &OsString) -> &[u8] {
    argument.as_encoded_bytes()
}
