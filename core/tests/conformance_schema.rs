//! Holds the conformance cases to their schemas, which runners of other languages and editors go by.
//!
//! The validator knows the keywords that this schema uses, and refuses any other: nothing of the schema is passed over.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used)]

use regex_lite::Regex;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A rule of a schema may be long; a report shows no more of it than a reader takes in.
const SHOWN_CHARS: usize = 200;

/// A schema of which parts may be referred to.
struct Schema {
    root: Value,
}

impl Schema {
    /// Everything that is wrong with a value.
    fn faults(&self, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(&self.root, value, "", &mut faults);
        faults
    }

    fn holds(&self, schema: &Value, value: &Value) -> bool {
        let mut faults = Vec::new();
        self.check(schema, value, "", &mut faults);
        faults.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let schema = schema.as_object().unwrap_or_else(|| panic!("no schema: {schema}"));
        for (keyword, rule) in schema {
            let holds = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                    self.check(self.root.pointer(pointer).unwrap(), value, at, faults);
                    true
                }
                "properties" | "additionalProperties" => self.check_keys(schema, keyword, value, at, faults),
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{at}/{i}"), faults);
                    }
                    true
                }
                "oneOf" => self.count(rule, value) == 1,
                "anyOf" => self.count(rule, value) > 0,
                "not" => !self.holds(rule, value),
                _ => is_simple(keyword, rule, value),
            };
            if !holds {
                let rule = rule.to_string();
                faults.push(format!(
                    "{at}: {keyword} {rule:.SHOWN_CHARS$} of {value:.SHOWN_CHARS$}",
                    value = value.to_string()
                ));
            }
        }
    }

    fn count(&self, schemas: &Value, value: &Value) -> usize {
        schemas.as_array().unwrap().iter().filter(|schema| self.holds(schema, value)).count()
    }

    fn check_keys(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        at: &str,
        faults: &mut Vec<String>,
    ) -> bool {
        let known = |key: &String| schema.get("properties").and_then(|properties| properties.get(key));
        let mut keys = value.as_object().into_iter().flatten();
        if keyword == "additionalProperties" {
            if schema[keyword] == false {
                return keys.all(|(key, _)| known(key).is_some());
            }
            for (key, value) in keys.filter(|(key, _)| known(key).is_none()) {
                self.check(&schema[keyword], value, &format!("{at}/{key}"), faults);
            }
            return true;
        }
        for (key, value) in keys {
            if let Some(schema) = known(key) {
                self.check(schema, value, &format!("{at}/{key}"), faults);
            }
        }
        true
    }
}

/// Whether a value holds to a keyword that needs no other. One that speaks of another type than the value's holds.
fn is_simple(keyword: &str, rule: &Value, value: &Value) -> bool {
    let least = |len: Option<usize>| len.is_none_or(|len| len as u64 >= rule.as_u64().unwrap());
    match keyword {
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("the type {other} is not known"),
        },
        "required" => value
            .as_object()
            .is_none_or(|value| rule.as_array().unwrap().iter().all(|key| value.contains_key(key.as_str().unwrap()))),
        "enum" => rule.as_array().unwrap().contains(value),
        "pattern" => value.as_str().is_none_or(|text| Regex::new(rule.as_str().unwrap()).unwrap().is_match(text)),
        "minLength" => least(value.as_str().map(|text| text.chars().count())),
        "minItems" => least(value.as_array().map(Vec::len)),
        "minProperties" => least(value.as_object().map(Map::len)),
        "minimum" => value.as_f64().is_none_or(|value| value >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|value| value <= rule.as_f64().unwrap()),
        other => panic!("the keyword {other} is not known"),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance")
}

fn load(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn schema(file: &str) -> Schema {
    Schema { root: load(&root().join(file)) }
}

fn expect_every_file_to_hold(schema: &str, directory: &str) {
    let schema = self::schema(schema);
    let mut files = 0;
    for entry in fs::read_dir(root().join(directory)).unwrap() {
        let path = entry.unwrap().path();
        let faults = schema.faults(&load(&path));
        assert!(faults.is_empty(), "{}:\n{}", path.display(), faults.join("\n"));
        files += 1;
    }
    assert!(files > 20, "only {files} files");
}

#[test]
fn every_file_of_cases_holds_to_the_schema() {
    expect_every_file_to_hold("schema.json", "fingerprint");
}

#[test]
fn every_file_of_scripts_holds_to_the_schema() {
    expect_every_file_to_hold("decision.schema.json", "decision");
}

#[test]
fn the_schema_refuses_what_no_runner_could_read() {
    let schema = schema("schema.json");
    let exact = json!({ "id": "001-001", "about": "x", "dialect": "mysql", "sql": "a", "normalized": "a" });
    let with = |key: &str, value: Value| {
        let mut case = exact.clone();
        case[key] = value;
        case
    };
    let without = |key: &str| {
        let mut case = exact.clone();
        case.as_object_mut().unwrap().remove(key);
        case
    };
    let is_right = |case: Value| schema.faults(&json!({ "topic": "x", "cases": [case] })).is_empty();
    for case in [
        exact.clone(),
        with("sql", json!({ "hex": "ff00" })),
        with("sql", json!({ "prefix": "", "unit": "(", "times": 100_000, "suffix": "" })),
        with("options", json!({ "hash": "md5", "max_sql_bytes": 1 })),
        with("fingerprint", json!("0".repeat(40))),
    ] {
        assert!(is_right(case.clone()), "{case}");
    }
    for case in [
        without("id"),
        without("normalized"),
        with("id", json!("1-1")),
        with("about", json!("")),
        with("dialect", json!("cobol")),
        with("same", json!(["a", "b"])),
        with("differ", json!(["a"])),
        with("fingerprints", json!("")),
        with("fingerprint", json!("0".repeat(41))),
        with("sql", json!({ "hex": "f" })),
        with("sql", json!({ "hex": "ff", "unit": "x" })),
        with("sql", json!({ "prefix": "", "unit": "", "times": 1, "suffix": "" })),
        with("sql", json!({ "prefix": "", "unit": "(", "times": 0, "suffix": "" })),
        with("sql", json!(1)),
        with("options", json!({})),
        with("options", json!({ "max_sql_bytes": 0.5 })),
        with("options", json!({ "fold_digits": "yes" })),
    ] {
        assert!(!is_right(case.clone()), "{case}");
    }
    for file in [json!([]), json!({ "topic": "x", "cases": [] }), json!({ "cases": [exact.clone()] })] {
        assert!(!schema.faults(&file).is_empty(), "{file}");
    }
}

#[test]
fn the_schema_of_scripts_refuses_what_no_runner_could_read() {
    let schema = schema("decision.schema.json");
    let is_right = |step: &Value| {
        let script = json!({ "id": "001-001", "about": "x", "rules": ["rules:"], "steps": [step] });
        schema.faults(&json!({ "topic": "x", "scripts": [script] })).is_empty()
    };
    let expect = json!({ "verdict": "allow", "rule": null, "retry_after": "5s", "observed": null });
    for step in [
        json!({ "check": { "sql": "a" }, "expect": expect }),
        json!({ "check": { "sql": "a", "tags": { "any name": "x" }, "params": ["1", null] }, "times": 3, "expect": expect }),
        json!({ "request": {}, "as": "a", "expect": expect }),
        json!({ "release": "a" }),
        json!({ "wall": "2026-12-01T10:00:00Z" }),
        json!({ "admin": "a", "listed": [] }),
        json!({ "admin": "a", "listed": ["b"], "listed_removed": ["c"] }),
        json!({ "set_threshold": "a", "threshold": null, "ttl": "1s" }),
        json!({ "snapshot": { "any name": { "matched": 0 }, "gone": null } }),
    ] {
        assert!(is_right(&step), "{step}");
    }
    for step in [
        json!({}),
        json!({ "check": { "sql": "a" } }),
        json!({ "check": "a", "expect": expect }),
        json!({ "check": { "user": "a" }, "expect": expect }),
        json!({ "check": { "sql": "a" }, "expect": {} }),
        json!({ "check": { "sql": "a" }, "expect": { "verdict": "alow" } }),
        json!({ "check": { "sql": "a" }, "expect": { "verdict": null } }),
        json!({ "check": { "sql": "a" }, "expect": { "retry_after": 5 } }),
        json!({ "check": { "sql": "a" }, "expect": { "retry_after": "5m" } }),
        json!({ "check": { "sql": "a" }, "expects": expect }),
        json!({ "check": { "sql": "a", "tags": { "endpoint": 1 } }, "expect": expect }),
        json!({ "check": { "sql": "a" }, "times": 2, "as": "a", "expect": expect }),
        json!({ "check": { "sql": "a" }, "advance": "1s", "expect": expect }),
        json!({ "advance": "1.5s" }),
        json!({ "wall": "2026-12-01" }),
        json!({ "admin": "a" }),
        json!({ "admin": "a", "listed_removed": ["b"] }),
        json!({ "admin": "a", "added": "b", "removed": "b" }),
        json!({ "set_threshold": "a", "ttl": "1s" }),
        json!({ "snapshot": {} }),
        json!({ "snapshot": { "w": { "mached": 1 } } }),
    ] {
        assert!(!is_right(&step), "{step}");
    }
}
