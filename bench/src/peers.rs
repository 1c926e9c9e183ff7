//! The peers, each called in the way that does the most of what a fingerprint does.

use anyhow::{Result, ensure};
use libdd_trace_obfuscation::obfuscation_config::{DbmsKind, SqlConfig, SqlObfuscationMode};

/// A library that turns a statement into its shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// The crate and what of it is called.
    pub(crate) name: &'static str,
    /// One run.
    pub(crate) run: fn(&str) -> Result<String>,
}

/// The obfuscator of Datadog's tracer: constants replaced, lists folded, comments dropped and spacing made uniform.
/// No hash, no folding of case.
pub(crate) const LIBDD: Peer = Peer { name: "libdd obfuscate + normalise", run: libdd };

/// The sanitiser of an application monitor's agent: constants replaced, lists folded, keywords in upper case. No hash. It takes the
/// statement as an owned string, so the copy is part of its time.
pub(crate) const SQL_LEXER: Peer = Peer { name: "sql_lexer sanitize", run: sql_lexer };

/// The parser of PostgreSQL itself and a hash over its parse tree.
#[cfg(feature = "pg_query")]
pub(crate) const PG_QUERY: Peer = Peer { name: "pg_query fingerprint", run: pg_query };

fn libdd(sql: &str) -> Result<String> {
    // Aliases are part of a shape here too.
    let config = SqlConfig {
        keep_sql_alias: true,
        obfuscation_mode: SqlObfuscationMode::ObfuscateAndNormalize,
        ..SqlConfig::default()
    };
    Ok(libdd_trace_obfuscation::sql::obfuscate_sql(sql, &config, DbmsKind::Generic)?)
}

fn sql_lexer(sql: &str) -> Result<String> {
    let sanitized = sql_lexer::sanitize_string(sql.to_owned());
    // It answers with an empty text where it does not understand one.
    ensure!(!sanitized.is_empty(), "sql_lexer does not understand the statement");
    Ok(sanitized)
}

#[cfg(feature = "pg_query")]
fn pg_query(sql: &str) -> Result<String> {
    let parser = pg_query::ParserOptions::default();
    Ok(pg_query::fingerprint(sql, parser, pg_query::FingerprintOptions::default())?.hex)
}
