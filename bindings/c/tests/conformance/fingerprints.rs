//! Normalises by an engine whose rules say the options of a case.

use crate::c_api::{Engine, written};
use crate::fingerprint_cases::{Got, Normalise};
use sqlthrottle::{Dialect, FingerprintOptions};
use sqlthrottle_c::fingerprint::{sqlthrottle_fingerprint, sqlthrottle_normalize};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Engines by the rules that they were opened with: most cases have the same options.
#[derive(Default)]
pub(crate) struct Engines(RefCell<HashMap<String, Rc<Engine>>>);

impl Engines {
    pub(crate) fn normalizer(&self, options: FingerprintOptions) -> Normalizer {
        let (hash, in_lists) = (options.hash.name(), options.in_lists.name());
        // `max_sql_bytes` is for what is printed, and C has no such text.
        let rules = format!(
            "dialect: {}\nfingerprint: {{hash: {hash}, in_lists: {in_lists}, fold_digits: {}}}",
            options.dialect.name(),
            options.fold_digits,
        );
        let mut engines = self.0.borrow_mut();
        let engine = engines.entry(rules).or_insert_with_key(|rules| Rc::new(Engine::new(rules).unwrap()));
        let dialect = 1 + Dialect::ALL.iter().position(|dialect| *dialect == options.dialect).unwrap();
        Normalizer { engine: Rc::clone(engine), dialect: u32::try_from(dialect).unwrap() }
    }
}

pub(crate) struct Normalizer {
    engine: Rc<Engine>,
    dialect: u32,
}

impl Normalise for Normalizer {
    fn normalise(&mut self, sql: &[u8]) -> Got {
        let engine = self.engine.as_ptr();
        let (text, length) = (sql.as_ptr().cast(), sql.len());
        let fingerprint = |dialect| {
            let digits = written(|buffer, capacity, needed| unsafe {
                sqlthrottle_fingerprint(engine, text, length, dialect, buffer, capacity, needed)
            });
            String::from_utf8(digits).unwrap()
        };
        let normalized = written(|buffer, capacity, needed| unsafe {
            sqlthrottle_normalize(engine, text, length, 0, buffer, capacity, needed)
        });
        let of_rules = fingerprint(0);
        assert_eq!(of_rules, fingerprint(self.dialect), "the dialect of the rules, and the same by its number");
        Got { normalized, text: None, fingerprint: of_rules }
    }
}
