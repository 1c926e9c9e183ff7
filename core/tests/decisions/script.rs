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

/// One thing that is done. Which one is told by the key that only it has.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Step {
    Check(Check),
    Prepare(Prepare),
    CheckPrepared(CheckPrepared),
    Request(Request),
    Resume(Resume),
    Release(Release),
    Advance(Advance),
    Wall(Wall),
    Reload(Reload),
    ReloadFails(ReloadFails),
    Admin(Admin),
    SetThreshold(SetThreshold),
    ThresholdsDue(ThresholdsDue),
    AfterFork(AfterFork),
    Snapshot(Snapshot),
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
pub(crate) struct Check {
    pub(crate) check: Said,
    pub(crate) times: Option<usize>,
    #[serde(rename = "as")]
    pub(crate) name: Option<String>,
    pub(crate) expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prepare {
    pub(crate) prepare: Said,
    #[serde(rename = "as")]
    pub(crate) name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckPrepared {
    pub(crate) check_prepared: String,
    pub(crate) times: Option<usize>,
    #[serde(rename = "as")]
    pub(crate) name: Option<String>,
    pub(crate) expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) request: Said,
    pub(crate) times: Option<usize>,
    #[serde(rename = "as")]
    pub(crate) name: Option<String>,
    pub(crate) expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resume {
    pub(crate) resume: String,
    #[serde(rename = "as")]
    pub(crate) name: Option<String>,
    pub(crate) expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    pub(crate) release: String,
    pub(crate) released: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Advance {
    pub(crate) advance: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wall {
    pub(crate) wall: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reload {
    pub(crate) reload: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReloadFails {
    pub(crate) reload_fails: Vec<String>,
    pub(crate) code: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Admin {
    pub(crate) admin: String,
    pub(crate) added: Option<String>,
    pub(crate) removed: Option<String>,
    pub(crate) listed: Option<Vec<String>>,
    pub(crate) refused: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetThreshold {
    pub(crate) set_threshold: String,
    pub(crate) threshold: Option<Threshold>,
    pub(crate) ttl: String,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThresholdsDue {
    pub(crate) thresholds_due: usize,
    pub(crate) due: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AfterFork {
    pub(crate) after_fork: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Snapshot {
    pub(crate) snapshot: BTreeMap<String, Option<BTreeMap<String, u64>>>,
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
