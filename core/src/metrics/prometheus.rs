//! A snapshot in the text format of Prometheus.

use super::snapshot::{RuleMode, RuleStats, Snapshot};
use crate::decision::Verdict;
use std::fmt::{self, Write};

impl Snapshot {
    /// The snapshot in the text exposition format of Prometheus, version 0.0.4. No label is ever a fingerprint but for the
    /// digits in the name of a threshold, so their number is bounded by that of the rules.
    ///
    /// ```
    /// use sqlthrottle::{Engine, RuleFile};
    ///
    /// let engine = Engine::new(RuleFile::parse("default_threshold: 100")?)?;
    /// engine.check("select 1");
    /// let text = engine.snapshot().prometheus();
    /// assert!(text.contains("sql_throttle_decisions_total{rule=\"default_threshold\",verdict=\"allow\"} 1\n"));
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        let verdicts = |rule: &RuleStats| {
            [
                (Verdict::Allow, rule.passed + rule.passed_over),
                (Verdict::Abort, rule.aborted),
                (Verdict::Ignore, rule.ignored),
                (Verdict::Delay, rule.delayed),
            ]
        };
        family(text, "sql_throttle_decisions_total", "counter", "Checks that a rule took part in, by what it said.")?;
        for rule in &self.rules {
            for (verdict, count) in verdicts(rule) {
                let rule = Label(rule.name.as_str());
                writeln!(text, "sql_throttle_decisions_total{{rule=\"{rule}\",verdict=\"{verdict}\"}} {count}")?;
            }
        }
        family(text, "sql_throttle_would_total", "counter", "What rules that are only observed would have done.")?;
        for rule in &self.rules {
            let would = [
                (Verdict::Abort, rule.would_abort),
                (Verdict::Ignore, rule.would_ignore),
                (Verdict::Delay, rule.would_delay),
            ];
            for (verdict, count) in would {
                let rule = Label(rule.name.as_str());
                writeln!(text, "sql_throttle_would_total{{rule=\"{rule}\",verdict=\"{verdict}\"}} {count}")?;
            }
        }
        let by_rule: [Family; 6] = [
            ("sql_throttle_passed_over_total", "counter", "Checks over the limit and outside the share.", |rule| {
                rule.passed_over
            }),
            (
                "sql_throttle_outranked_total",
                "counter",
                "Checks over the limit that a stronger rule decided.",
                |rule| rule.outranked,
            ),
            ("sql_throttle_permits_in_use", "gauge", "Places held of a concurrency limit.", |rule| rule.in_use),
            ("sql_throttle_permits_leaked_total", "counter", "Places whose lease lapsed.", |rule| rule.leaked),
            ("sql_throttle_keys", "gauge", "Limiters kept.", |rule| rule.keys as u64),
            ("sql_throttle_overflow_total", "counter", "Checks that found no place for their key.", |rule| {
                rule.overflow
            }),
        ];
        for (name, kind, help, value) in by_rule {
            family(text, name, kind, help)?;
            for rule in &self.rules {
                writeln!(text, "{name}{{rule=\"{}\"}} {}", Label(rule.name.as_str()), value(rule))?;
            }
        }
        family(text, "sql_throttle_wait_seconds", "summary", "How long delayed statements have waited.")?;
        writeln!(text, "sql_throttle_wait_seconds_sum {}", self.waits.sum.as_secs_f64())?;
        writeln!(text, "sql_throttle_wait_seconds_count {}", self.waits.count)?;
        family(text, "sql_throttle_rules", "gauge", "Rules by what is done with them.")?;
        for mode in RuleMode::ALL {
            let count = self.rules.iter().filter(|rule| rule.mode == mode).count();
            writeln!(text, "sql_throttle_rules{{state=\"{}\"}} {count}", mode.name())?;
        }
        let single = [
            ("sql_throttle_waiting", "gauge", "Statements that wait to be resumed.", self.waiting as u64),
            ("sql_throttle_shapes", "gauge", "Statement shapes that are remembered.", self.shapes as u64),
            ("sql_throttle_provider_failures_total", "counter", "Failures of the provider.", self.provider_failures),
            ("sql_throttle_cluster_failures_total", "counter", "Failures of the cluster.", self.cluster_failures),
            ("sql_throttle_guard_errors_total", "counter", "Failures of the guard itself.", self.guard_errors),
            ("sql_throttle_rule_set_version", "gauge", "How often the rules have changed.", self.version),
        ];
        for (name, kind, help, value) in single {
            family(text, name, kind, help)?;
            writeln!(text, "{name} {value}")?;
        }
        Ok(())
    }
}

/// A family of metrics with a value for each rule: its name, type, help and value.
type Family = (&'static str, &'static str, &'static str, fn(&RuleStats) -> u64);

fn family(text: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(text, "# HELP {name} {help}")?;
    writeln!(text, "# TYPE {name} {kind}")
}

/// The value of a label, escaped.
struct Label<'a>(&'a str);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\\' => f.write_str("\\\\")?,
                '"' => f.write_str("\\\"")?,
                '\n' => f.write_str("\\n")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
