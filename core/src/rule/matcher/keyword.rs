//! Words that a text holds in an order.

/// A word: a run of ASCII letters, digits, `_`, `$` and bytes above 127. ASCII letters match in either case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Keyword(Box<[u8]>);

impl Keyword {
    /// Longest word, in bytes.
    pub(crate) const MAX_BYTES: usize = 1024;

    /// Reads one word.
    ///
    /// # Errors
    ///
    /// A message: it is empty, too long, or holds what no word holds.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("write a word".to_owned());
        }
        if text.len() > Self::MAX_BYTES {
            return Err(format!("the word has {} bytes, and {} is the most", text.len(), Self::MAX_BYTES));
        }
        if let Some(other) = text.chars().find(|char| char.is_ascii() && !is_word(*char as u8)) {
            return Err(format!("{other:?} stands in no word; write the words of a text one by one"));
        }
        Ok(Self(text.to_ascii_lowercase().into_bytes().into()))
    }

    /// The word in lower case.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 128..)
}

/// Whether the words stand in the text as whole words and in this order, whatever stands between them. Linear in the text.
pub(super) fn in_order(text: &[u8], keywords: &[Keyword]) -> bool {
    let mut words = text.split(|byte| !is_word(*byte));
    keywords.iter().all(|keyword| words.any(|word| word.eq_ignore_ascii_case(&keyword.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_in_order() {
        for (keywords, text, expected) in [
            (&["select"][..], "select ?", true),
            (&["SELECT"], "select ?", true),
            (&["select"], "SELECT ?", true),
            (&["select", "reports"], "select * from reports", true),
            (&["reports", "select"], "select * from reports", false),
            (&["select", "report"], "select * from reports", false),
            (&["select", "select"], "select ?", false),
            (&["select", "select"], "select ?,(select ?)", true),
            (&["a"], "select a,b", true),
            (&["b"], "select a,b", true),
            (&["a"], "select a_1", false),
            (&["a"], "select a$", false),
            (&["a"], "select éa", false),
            (&["éa"], "select éa", true),
            (&["a"], "select t.a", true),
            (&["drop"], "select \"drop it\"", true),
            (&[], "", true),
            (&["a"], "", false),
        ] {
            let list: Vec<_> = keywords.iter().map(|word| Keyword::new(word).unwrap()).collect();
            assert_eq!(in_order(text.as_bytes(), &list), expected, "{keywords:?} {text}");
        }
        assert!(in_order(b"\xFFa b", &[Keyword::new("b").unwrap()]));
        assert!(!in_order(b"\xFFa b", &[Keyword::new("a").unwrap()]));
    }

    #[test]
    fn what_is_no_word_is_refused() {
        for text in ["", " ", "group by", "a.b", "a-b", "?", "\"a\"", "a\n"] {
            assert!(Keyword::new(text).is_err(), "{text:?}");
        }
        assert!(Keyword::new("größe_1$").is_ok());
        assert!(Keyword::new(&"a".repeat(Keyword::MAX_BYTES + 1)).is_err());
    }
}
