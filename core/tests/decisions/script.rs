//! What a script holds, as `tests/conformance/decision.schema.json` describes it.

// A step is called as the key is that tells it.
#![allow(clippy::struct_field_names)]

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptFile {
    pub(crate) topic: String,
    pub(crate) scripts: Vec<Script>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) id: String,
    pub(crate) about: String,
    pub(crate) wall: Option<String>,
    #[serde(default)]
    pub(crate) provider: bool,
    pub(crate) rules: Vec<String>,
    /// As they are written, so that a report can show them; [`Step::read`] says what they mean.
    pub(crate) steps: Vec<Value>,
}

/// The steps, each with its fields: the key that tells it, and what stands beside it.
macro_rules! steps {
    ($($step:ident { $($(#[$how:meta])* $field:ident: $type:ty),+ })+) => {
        /// One thing that is done. Which one is told by the key that only it has.
        #[derive(Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Step {
            $($step($step)),+
        }

        $(
            #[derive(Deserialize)]
            #[serde(deny_unknown_fields)]
            pub(crate) struct $step {
                $($(#[$how])* pub(crate) $field: $type),+
            }
        )+
    };
}

steps! {
    Check { check: Said, times: Option<usize>, #[serde(rename = "as")] name: Option<String>, expect: Expect }
    Prepare { prepare: Said, #[serde(rename = "as")] name: String }
    CheckPrepared { check_prepared: String, times: Option<usize>, #[serde(rename = "as")] name: Option<String>, expect: Expect }
    Request { request: Said, times: Option<usize>, #[serde(rename = "as")] name: Option<String>, expect: Expect }
    Resume { resume: String, #[serde(rename = "as")] name: Option<String>, expect: Expect }
    Release { release: String, released: Option<bool> }
    Advance { advance: String }
    Wall { wall: String }
    Reload { reload: Vec<String> }
    ReloadFails { reload_fails: Vec<String>, code: String }
    Admin {
        admin: String,
        added: Option<String>,
        removed: Option<String>,
        listed: Option<Vec<String>>,
        listed_removed: Option<Vec<String>>,
        refused: Option<bool>
    }
    SetThreshold { set_threshold: String, threshold: Option<Threshold>, ttl: String }
    ThresholdsDue { thresholds_due: usize, due: Vec<String> }
    AfterFork { after_fork: bool }
    Snapshot { snapshot: BTreeMap<String, Option<BTreeMap<String, u64>>> }
}

impl Step {
    pub(crate) fn read(written: &Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(written)
    }
}

/// A statement, or a request, and what is said of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Said {
    /// None of a request.
    pub(crate) sql: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) client: Option<String>,
    pub(crate) database: Option<String>,
    #[serde(default)]
    pub(crate) tags: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) params: Vec<Option<String>>,
    pub(crate) dialect: Option<String>,
    pub(crate) weight: Option<u32>,
    pub(crate) fakes: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Threshold {
    pub(crate) max_count: u32,
    pub(crate) window: Option<String>,
    pub(crate) buckets: Option<u32>,
    pub(crate) rate: Option<String>,
    pub(crate) strategy: Option<String>,
}

/// The fields of a decision that are compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) verdict: Option<String>,
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) rule: OrNone,
    pub(crate) count: Option<u64>,
    pub(crate) limit: Option<u64>,
    #[serde(default)]
    pub(crate) retry_after: OrNone,
    #[serde(default)]
    pub(crate) delay: OrNone,
    #[serde(default)]
    pub(crate) observed: OrNone,
    pub(crate) overflow: Option<bool>,
    pub(crate) permit: Option<bool>,
    #[serde(default)]
    pub(crate) custom: OrNone,
}

/// What a field is to be that may be none: null says that it is none, and where it is not there it is not compared.
#[derive(Default)]
pub(crate) enum OrNone {
    #[default]
    NotCompared,
    Is(Option<String>),
}

impl<'de> Deserialize<'de> for OrNone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::Is)
    }
}

/// A duration as scripts write it: digits and one of ns, us, ms, s.
pub(crate) fn duration(text: &str) -> Duration {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().unwrap();
    match unit {
        "ns" => Duration::from_nanos(number),
        "us" => Duration::from_micros(number),
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        _ => panic!("`{text}` is no duration"),
    }
}

/// A time as scripts write it: `2026-12-01T10:00:00Z`.
pub(crate) fn time(text: &str) -> SystemTime {
    let fields: Vec<u64> =
        text.trim_end_matches('Z').split(['-', 'T', ':']).map(|field| field.parse().unwrap()).collect();
    let [year, month, day, hour, minute, second] = fields[..] else { panic!("`{text}` is no time") };
    // Days since 1970 of the proleptic Gregorian calendar, with years that begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    SystemTime::UNIX_EPOCH + Duration::from_secs(((days * 24 + hour) * 60 + minute) * 60 + second)
}
