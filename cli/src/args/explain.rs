//! The command line of `sqlthrottle explain`.

use super::dialect;
use super::params::Params;
use clap::{Args, ValueEnum};
use sqlthrottle::{Dialect, Fakes};
use std::ffi::OsString;
use std::path::PathBuf;

/// Show why a statement would be decided as it would: each rule, whether it matches, and the verdict.
///
/// The statement is held against each rule of the file: it matches, and what it is counted by is said, or the field is named
/// by which it does not. The verdict is that of one check, before which there was none.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sqlthrottle explain \"select * from reports where id = 7\" --rules sqlthrottle.yml --user dev --client 10.0.0.7
  sqlthrottle explain \"update orders set a = 1 where id = ?\" --rules sqlthrottle.yml --param 42
  sqlthrottle explain --file statement.sql --rules sqlthrottle.yml --tag endpoint=report --json

`matches` says that a rule takes part: how much it allows, what it does beyond, and by which keys it counts the statement. \
`differs` names the first field of its `match` that the statement does not meet. A rule that is off or has expired is shown \
so, and takes no part.

A rule with `scope: cluster` is counted here, as `scope: process` would be.

With --json each object has a type: statement (normalized, fingerprint, kinds, tables, where, never_checked), rule (rule, \
mode, matches, field, keys, terms) and, at the end, verdict (verdict, reason, rule, count, limit, retry_after_seconds, \
delay_seconds, custom, observed, overflow, unlisted_thresholds).")]
pub(crate) struct ExplainArguments {
    /// The statement; `-` is standard input
    #[arg(value_name = "SQL", required_unless_present = "file", conflicts_with = "file")]
    pub(crate) sql: Option<OsString>,
    /// Read the statement from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The rule file
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: PathBuf,
    /// The user who sends it
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<OsString>,
    /// The address of the client, without a port
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) client: Option<OsString>,
    /// The database it is sent to
    #[arg(long, value_name = "DATABASE")]
    pub(crate) database: Option<OsString>,
    /// A tag of the context, as in `endpoint=report`; repeatable
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = tag)]
    pub(crate) tags: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) params: Params,
    /// How the statement is read [default: the rule file's, which is generic where it names none]
    #[arg(long, value_name = "DIALECT", value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    /// How many executions it stands for: a batch of 50 weighs 50
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) weight: u32,
    /// What the caller can stand in for when the statement is ignored
    #[arg(long, value_name = "RESULT", default_value_t = Faked::None, value_enum)]
    fakes: Faked,
    /// List every threshold, also those of other statements
    #[arg(long)]
    pub(crate) all: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

impl ExplainArguments {
    pub(crate) fn fakes(&self) -> Fakes {
        match self.fakes {
            Faked::None => Fakes::None,
            Faked::Rows => Fakes::Rows,
            Faked::Count => Fakes::Count,
            Faked::Both => Fakes::RowsAndCount,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Faked {
    /// Nothing: an ignored statement is aborted
    None,
    /// An empty result set
    Rows,
    /// A count of affected rows
    Count,
    /// Either
    Both,
}

fn tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", value)) => Err(format!("write the tag's name before `=`, as in `endpoint={value}`")),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(format!("write a name and a value, as in `{text}=report`")),
    }
}
