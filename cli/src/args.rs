//! The command line.

mod explain;
mod params;

pub(crate) use explain::ExplainArguments;

use crate::log::Format;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use sqlthrottle::{Dialect, FingerprintOptions, HashKind, InLists};
use std::ffi::OsString;
use std::path::PathBuf;

/// Stops bursts of SQL before they reach a database.
#[derive(Debug, Parser)]
#[command(
    name = "sqlthrottle",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "\
Exit codes: 0 done, 1 a file cannot be read or has faults, 2 the command line was not understood.
Colours and progress bars appear on a terminal only; NO_COLOR turns colours off."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Explain(ExplainArguments),
    Fingerprint(FingerprintArguments),
    Replay(ReplayArguments),
    Validate(ValidateArguments),
}

/// Print the fingerprint and the normalised text of statements.
///
/// Statements are divided at `;` outside quotes and comments. Each gives a line: its fingerprint, two spaces, its
/// normalised text. What is no statement (white space, comments alone) gives none.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo \"SELECT * FROM users WHERE id = 7\" | sqlthrottle fingerprint --dialect mysql
  sqlthrottle fingerprint queries.sql --dialect postgresql --json
  sqlthrottle fingerprint --raw statement.sql

With --json each statement is an object with the keys fingerprint, normalized, kind, tables, where (present, missing, \
always_true, none) and plain_read. With --raw a text of several statements has kinds too; its kind is `batch` where they \
differ.")]
pub(crate) struct FingerprintArguments {
    /// The file to read; `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// How the text is read
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Generic, value_parser = dialect())]
    pub(crate) dialect: Dialect,
    #[command(flatten)]
    shape: ShapeArguments,
    /// Take the whole input as one statement, bytes as they are
    #[arg(long)]
    pub(crate) raw: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// Reads the command line, and refuses what no rule of a single argument can.
    pub(crate) fn read<I, T>(arguments: I) -> Result<Self, clap::Error>
    where
        I: IntoIterator<Item = T>,
        T: Into<OsString> + Clone,
    {
        let arguments = Self::try_parse_from(arguments)?;
        if let Command::Replay(replay) = &arguments.command
            && replay.logs.iter().filter(|log| log.as_os_str() == "-").count() > 1
        {
            let message = "standard input can be read only once: `-` is given more often";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        Ok(arguments)
    }
}

impl FingerprintArguments {
    pub(crate) fn options(&self) -> FingerprintOptions {
        self.shape.options(self.dialect)
    }
}

/// What a rule file says under `fingerprint`.
#[derive(Debug, Args)]
struct ShapeArguments {
    /// Whether lists of any length are one shape, or the number of distinct constants is part of it
    #[arg(long, value_name = "MODE", default_value_t = ListMode::Collapse, value_enum)]
    in_lists: ListMode,
    /// The hash of the normalised text
    #[arg(long, value_name = "HASH", default_value = HashKind::Sha256.name(), value_parser = hash())]
    hash: HashKind,
    /// Fold digits in table names, so that `orders_0042` reads `orders_N`
    #[arg(long)]
    fold_digits: bool,
}

impl ShapeArguments {
    fn options(&self, dialect: Dialect) -> FingerprintOptions {
        let mut options = FingerprintOptions::new(dialect);
        options.in_lists = match self.in_lists {
            ListMode::Collapse => InLists::Collapse,
            ListMode::Distinct => InLists::Distinct,
        };
        options.hash = self.hash;
        options.fold_digits = self.fold_digits;
        options
    }
}

/// Run the statements of database logs through a rule file, under the log's own time.
///
/// Reads MySQL slow logs and PostgreSQL stderr logs, plain or compressed by gzip or bzip2; format and compression are
/// told by the content. Several logs are merged by time. Without --rules the busiest statements are listed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sqlthrottle replay mysql-slow.log                               which statements are busy?
  sqlthrottle replay --rules sqlthrottle.yml postgresql-*.log.gz  what would these rules have done?
  sqlthrottle replay --rules sqlthrottle.yml --explain slow.log   and which statements were not to blame?
  zstdcat slow.log.zst | sqlthrottle replay --top 5 --json -

Rates are statements in one whole second of the log's time: `peak/s` counts what was sent, `after` what the rules let \
through. A delayed statement is asked again when its wait is over, and also counts as what became of it then.

An entry without a time has the time of the entry before it; where no time is known yet, it begins when that one was \
done. An entry with a time a little before that of the entry before it, or with one that no neighbour shares, is taken to \
happen together with the entry before it. Where the log's clock was set back, as every autumn, time goes on from there.

Rules are applied as if enforced, whether they or their file say `observe` or the file `off`: a replay changes no database. A \
rule that is `off` by itself stays off. `strategy: ignore` is shown for a host that can fake every result; one that cannot \
aborts what is counted here as ignored. A limit that instances share (`scope: cluster`) is one over all logs.

User, client and database are what the log says: `# User@Host`, `Schema` and `use`; or, in PostgreSQL's log_line_prefix, \
labels (`user=dev,db=shop,client=10.0.0.7`), or `dev@shop` and an address. Logs say no tags and no bound parameters. Rules \
expire by the log's time.

A statement holds its place of a concurrency limit from its time in the log for as long as it took; where the log does not \
say how long, it is given back at once.

A rule counts every statement that it `matched`; those within its limit `passed` as far as it is concerned, and `outranked` \
are those over it of which a stronger rule decided. Its `first refusal`, `peak/s` and `after` are of the statements that it \
decided itself: where several rules match, the one that refuses, else the one with the least room left. What a statement \
came to is told by the list of statements.

With --explain each rule that refused anything is followed by the shapes it refused most, --top of them. `own peak` is the \
most that the log has of the shape alone, whoever sent it, in any interval as long as the limit's window (of a token bucket, \
as it takes to fill; of a concurrency limit, at once). It is counted in twelfths of the window, so it is never too low. A \
shape whose own peak is within the limit is innocent: the rule would have refused none of it, had it been alone. Where that \
cannot be told, as of a rule that lets nothing pass, there is a dash.

A broken entry is named with its line and the replay goes on. The exit code is 1 where a log could not be read to its end.

With --json each object has a type: broken (an entry that could not be read), rule, refused (a shape that a rule refused, \
with --explain), statement, log (where the lines and entries of one file went) and, at the end, summary. Times are as in RFC 3339, 2024-01-01T10:00:00.000000Z; without the Z \
where a log does not say how far its clock is from UTC, or its clock was set.")]
pub(crate) struct ReplayArguments {
    /// The logs; `-` is standard input
    #[arg(value_name = "LOG", required = true)]
    pub(crate) logs: Vec<PathBuf>,
    /// The rule file to replay against; it says how statements are fingerprinted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["in_lists", "hash", "fold_digits"])]
    pub(crate) rules: Option<PathBuf>,
    /// Name the statements that each rule refused, and which of them were not to blame
    #[arg(long, requires = "rules")]
    pub(crate) explain: bool,
    /// How statements are read [default: the rule file's, which is generic where it names none; without a rule file, that of the log's database]
    #[arg(long, value_name = "DIALECT", value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    #[command(flatten)]
    shape: ShapeArguments,
    /// How many statements are listed, and with --explain how many for each rule
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// The format of the logs
    #[arg(long, value_name = "FORMAT", default_value_t = LogFormat::Auto, value_enum)]
    format: LogFormat,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

impl ReplayArguments {
    /// How the statements of a log are fingerprinted where there is no rule file.
    pub(crate) fn options(&self, dialect: Dialect) -> FingerprintOptions {
        self.shape.options(dialect)
    }

    pub(crate) fn format(&self) -> Option<Format> {
        match self.format {
            LogFormat::Auto => None,
            LogFormat::Mysql => Some(Format::MySql),
            LogFormat::Postgresql => Some(Format::PostgreSql),
        }
    }
}

/// Check a rule file and name all its faults.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sqlthrottle validate sqlthrottle.yml
  sqlthrottle validate --json sqlthrottle.yml

Faults go to standard error, one a line, and the exit code is 1 where there are any.

With --json standard output has an object for each fault, with the keys ok (false), file, line, column, path, code, found \
and expected; line, column and path are null where the file cannot be read at all, whose code is file.unreadable. A file \
without fault gives one object with the keys ok (true), file, dialect, mode, thresholds and rules (how many), \
default_threshold (whether there is one) and warnings.

Warnings tell what is no fault and worth a word: nothing to limit, no dialect, many rules, rules that have expired or will \
within seven days, limits that instances share, which this build has no backend for.")]
pub(crate) struct ValidateArguments {
    /// The rule file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ListMode {
    Collapse,
    Distinct,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    Auto,
    Mysql,
    Postgresql,
}

fn dialect() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::name)).try_map(|name| name.parse::<Dialect>())
}

fn hash() -> impl TypedValueParser<Value = HashKind> {
    PossibleValuesParser::new(HashKind::ALL.map(HashKind::name)).try_map(|name| name.parse::<HashKind>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
