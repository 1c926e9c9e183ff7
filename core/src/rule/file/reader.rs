//! Typed reading of a marked tree: each value as its key requires, each fault with its place.

use super::env::Environment;
use super::faults::{Faults, Mark, push_key};
use super::yaml::{Content, Document, Entry, NodeId};
use crate::rule::bounds::{Bounds, Codes};
use crate::rule::quantity::{Misread, Quantity, Wrong, quoted};
use crate::rule::text::{TextBounds, check_items};
use std::borrow::Cow;

/// Keys and values longer than this, in bytes, are no misspelling of anything.
const MAX_MISSPELT: usize = 64;

/// A key that was given, and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) key: Mark,
    pub(super) value: NodeId,
}

/// Reads a tree and collects its faults. Every reading answers none where it found one.
pub(super) struct Reader<'a> {
    document: &'a Document,
    environment: Environment<'a>,
    path: String,
    faults: Faults,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document, environment: Environment<'a>, faults: Faults) -> Self {
        Self { document, environment, path: String::new(), faults }
    }

    pub(super) fn into_faults(self) -> Faults {
        self.faults
    }

    pub(super) fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) fn mark(&self, node: NodeId) -> Mark {
        self.document.node(node).mark
    }

    /// Reads what stands under a key.
    pub(super) fn under<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        push_key(&mut self.path, key);
        let result = read(self);
        self.path.truncate(len);
        result
    }

    /// Reads what stands at the end of a path: `.limit.max`, `[2]`.
    pub(super) fn along<T>(&mut self, path: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        self.path.push_str(path);
        let result = read(self);
        self.path.truncate(len);
        result
    }

    /// Reads what stands at another path.
    pub(super) fn at<T>(&mut self, path: String, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.path, path);
        let result = read(self);
        self.path = outer;
        result
    }

    pub(super) fn fault(
        &mut self,
        mark: Mark,
        code: &'static str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.faults.push(mark, code, &self.path, found.into(), expected.into());
    }

    /// The entries of a map.
    pub(super) fn map(&mut self, node: NodeId, wrong_type: &'static str, expected: &str) -> Option<&'a [Entry]> {
        match &self.document.node(node).content {
            Content::Map(entries) => Some(entries),
            Content::Scalar { text, .. } => {
                self.fault(self.mark(node), wrong_type, format!("{} is not a map", quoted(text)), expected);
                None
            }
            Content::List(_) => {
                self.fault(self.mark(node), wrong_type, "a list is not a map", expected);
                None
            }
        }
    }

    /// The given ones of a map's keys, in the order of `names`; every other key is a fault unless `refuse` tells it.
    pub(super) fn fields<const N: usize>(
        &mut self,
        entries: &[Entry],
        names: &[&str; N],
        refuse: impl Fn(&mut Self, &Entry) -> bool,
    ) -> [Option<Given>; N] {
        let mut fields = [None; N];
        for entry in entries {
            if let Some(field) = names.iter().position(|name| **name == *entry.key) {
                fields[field] = Some(Given { key: entry.mark, value: entry.value });
            } else if !refuse(self, entry) {
                // What is told no more is not looked for: a file may have any number of such keys.
                let expected =
                    if self.faults.is_full() { String::new() } else { suggest(&entry.key, names, "the keys here are") };
                self.under(&entry.key, |reader| {
                    reader.fault(
                        entry.mark,
                        "file.unknown_key",
                        format!("unknown key {}", quoted(&entry.key)),
                        expected,
                    );
                });
            }
        }
        fields
    }

    /// A scalar's text, filled in from the environment.
    pub(super) fn text(&mut self, node: NodeId, codes: &Codes, expected: &str) -> Option<Cow<'a, str>> {
        let mark = self.mark(node);
        let found = match &self.document.node(node).content {
            Content::Scalar { text, .. } => match self.environment.fill(text) {
                Ok(text) => return Some(text),
                Err(unfilled) => {
                    self.fault(mark, unfilled.code, unfilled.found, unfilled.expected);
                    return None;
                }
            },
            Content::List(items) => format!("a list of {} stands where a single value belongs", items.len()),
            Content::Map(_) => "a map stands where a single value belongs".to_owned(),
        };
        self.fault(mark, codes.of(Wrong::Type), found, expected);
        None
    }

    /// A value of any textual form.
    pub(super) fn value<T>(
        &mut self,
        node: NodeId,
        codes: &Codes,
        noun: &str,
        read: impl FnOnce(&str) -> Result<T, Misread>,
    ) -> Option<T> {
        let text = self.text(node, codes, &format!("write {noun}"))?;
        match read(&text) {
            Ok(value) => Some(value),
            Err(misread) => {
                self.misread(node, codes, misread);
                None
            }
        }
    }

    /// The values of a list, of which a single one may stand alone. None where there is none, there are too many, or one
    /// of them is a fault.
    pub(super) fn list<T>(
        &mut self,
        node: NodeId,
        codes: &Codes,
        noun: &str,
        most: usize,
        mut read: impl FnMut(&mut Self, NodeId) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Content::List(items) = &self.document.node(node).content else {
            return read(self, node).map(|value| vec![value]);
        };
        if let Err(misread) = check_items(items.len(), most, noun) {
            self.misread(node, codes, misread);
            return None;
        }
        let mut values = Some(Vec::with_capacity(items.len()));
        for (i, item) in items.iter().enumerate() {
            let value = self.along(&format!("[{i}]"), |reader| read(reader, *item));
            values = values.zip(value).map(|(mut values, value)| {
                values.push(value);
                values
            });
        }
        values
    }

    /// A text that is checked.
    pub(super) fn checked(
        &mut self,
        node: NodeId,
        bounds: &TextBounds,
        check: impl FnOnce(&str) -> Result<(), Misread>,
    ) -> Option<String> {
        if self.document.is_nothing(node) {
            let misread = Misread::new(Wrong::Empty, "an empty value", format!("write {}", bounds.noun));
            self.misread(node, &bounds.codes, misread);
            return None;
        }
        self.value(node, &bounds.codes, bounds.noun, |text| check(text).map(|()| text.to_owned()))
    }

    /// A text within its bounds.
    pub(super) fn bounded(&mut self, node: NodeId, bounds: &TextBounds) -> Option<String> {
        self.checked(node, bounds, |text| bounds.check(text))
    }

    /// The value of a key that may not be left out; `None` where it is a fault. One that is misspelt is told as such, and
    /// is not missing besides.
    pub(super) fn required<T>(
        &mut self,
        map: NodeId,
        key: &str,
        given: Option<Given>,
        (code, expected): (&'static str, &str),
        read: impl FnOnce(&mut Self, NodeId) -> Option<T>,
    ) -> Option<T> {
        if let Some(given) = given {
            return self.under(key, |reader| read(reader, given.value));
        }
        let misspelt = match &self.document.node(map).content {
            Content::Map(entries) => entries.iter().any(|entry| nearest(&entry.key, &[key]).is_some()),
            _ => false,
        };
        if !misspelt {
            self.fault(self.mark(map), code, format!("`{key}` is missing"), expected);
        }
        None
    }

    /// The value of a key, or its default where it is left out.
    pub(super) fn given<T>(
        &mut self,
        key: &str,
        given: Option<Given>,
        default: T,
        read: impl FnOnce(&mut Self, NodeId) -> Option<T>,
    ) -> Option<T> {
        given.map_or(Some(default), |given| self.under(key, |reader| read(reader, given.value)))
    }

    /// One of the names of a closed list that has them all.
    pub(super) fn name<T: Copy, const N: usize>(
        &mut self,
        node: NodeId,
        codes: &Codes,
        all: [T; N],
        name: impl Fn(T) -> &'static str,
    ) -> Option<T> {
        self.choice(node, codes, all.map(|value| (name(value), value)))
    }

    /// A fault of a value that was read; told together with the variables it came from.
    pub(super) fn misread(&mut self, node: NodeId, codes: &Codes, misread: Misread) {
        let found = match &self.document.node(node).content {
            Content::Scalar { text, .. } if self.environment.fills(text) => {
                format!("{} (from {})", misread.found, quoted(text))
            }
            _ => misread.found,
        };
        self.fault(self.mark(node), codes.of(misread.wrong), found, misread.expected);
    }

    /// A number, duration or size within its bounds.
    pub(super) fn quantity<T: Quantity>(&mut self, node: NodeId, bounds: &Bounds<T>) -> Option<T> {
        self.value(node, &bounds.codes, T::NOUN, |text| bounds.read(text))
    }

    /// One of a closed list of names.
    pub(super) fn choice<T: Copy, const N: usize>(
        &mut self,
        node: NodeId,
        codes: &Codes,
        choices: [(&str, T); N],
    ) -> Option<T> {
        let names = choices.map(|(name, _)| name);
        self.value(node, codes, &list("one of", &names), |text| {
            let chosen = choices.iter().find(|(name, _)| *name == text);
            chosen.map(|(_, value)| *value).ok_or_else(|| {
                let found = format!("{} is unknown", quoted(text));
                Misread::new(Wrong::Unknown, found, suggest(text, &names, "write one of"))
            })
        })
    }
}

/// What would be right instead of a misspelt name: the nearest, and all there are.
pub(in crate::rule) fn suggest(misspelt: &str, names: &[&str], lead: &str) -> String {
    let all = list(lead, names);
    match nearest(misspelt, names) {
        Some(name) => format!("did you mean `{name}`? {all}"),
        None => all,
    }
}

/// The name that a misspelt one is taken for.
pub(super) fn nearest<'a>(misspelt: &str, names: &[&'a str]) -> Option<&'a str> {
    if misspelt.len() > MAX_MISSPELT {
        return None;
    }
    let folded = misspelt.to_lowercase().replace('-', "_");
    let (distance, name) = names.iter().map(|name| (strsim::osa_distance(&folded, name), *name)).min()?;
    // A third of the letters wrong is still a misspelling; more is another word.
    (distance <= name.len().max(3) / 3).then_some(name)
}

fn list(lead: &str, names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{lead} {}", names.join(", "))
}
