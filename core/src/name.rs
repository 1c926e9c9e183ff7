//! Names of closed lists: as they are written in rule files, in JSON and on the command line.

use std::fmt;

/// A text that names none of a closed list. The message says which names there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    noun: &'static str,
    text: String,
    names: Vec<&'static str>,
}

impl UnknownName {
    pub(crate) fn new(noun: &'static str, text: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        Self { noun, text: text.to_owned(), names: names.into_iter().collect() }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { noun, text, names } = self;
        write!(f, "unknown {noun} `{text}`; there are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Lets a type with a list `ALL` and a `name` be written and read by its name: `named!(Dialect, "dialect")`.
macro_rules! named {
    ($type:ty, $noun:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::name::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let known = Self::ALL.into_iter().find(|value| value.name() == text);
                known.ok_or_else(|| $crate::name::UnknownName::new($noun, text, Self::ALL.map(Self::name)))
            }
        }
    };
}
pub(crate) use named;
