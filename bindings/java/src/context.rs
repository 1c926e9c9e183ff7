//! Contexts and parameters, as `ContextEncoder.java` writes them: user, client and database, the number of tags, name and value of each,
//! the number of parameters, and each. Numbers are little-endian words of 32 bits; a text is its length and its bytes, or -1 for none.

use smallvec::SmallVec;
use sqlthrottle::Context;

/// Bound parameters, in their order.
pub(crate) type Parameters<'a> = SmallVec<[Option<&'a [u8]>; 8]>;

/// Bytes that are no context: Java has written others than this library reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Reads a context and parameters into ones that are empty.
#[inline]
pub(crate) fn read<'b: 'c, 'c>(
    bytes: &'b [u8],
    context: &mut Context<'c>,
    parameters: &mut Parameters<'b>,
) -> Result<(), Malformed> {
    let mut rest = Reader(bytes);
    context.set_user(rest.text()?);
    context.set_client(rest.text()?);
    context.set_database(rest.text()?);
    for _ in 0..rest.word()? {
        context.set_tag(rest.text()?.ok_or(Malformed)?, rest.text()?.ok_or(Malformed)?);
    }
    for _ in 0..rest.word()? {
        parameters.push(rest.text()?);
    }
    if rest.0.is_empty() { Ok(()) } else { Err(Malformed) }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    #[inline]
    fn word(&mut self) -> Result<i32, Malformed> {
        let (word, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(i32::from_le_bytes(*word))
    }

    /// A text, or that there is none.
    #[inline]
    fn text(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        let length = self.word()?;
        if length == -1 {
            return Ok(None);
        }
        let (text, rest) =
            usize::try_from(length).ok().and_then(|length| self.0.split_at_checked(length)).ok_or(Malformed)?;
        self.0 = rest;
        Ok(Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(texts: &[Option<&str>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for text in texts {
            let length = text.map_or(-1, |text| i32::try_from(text.len()).unwrap());
            bytes.extend(length.to_le_bytes());
            bytes.extend(text.unwrap_or_default().bytes());
        }
        bytes
    }

    /// User, one tag, two parameters.
    fn example() -> Vec<u8> {
        let mut bytes = encoded(&[Some("dev"), None, Some("")]);
        bytes.extend(1_i32.to_le_bytes());
        bytes.extend(encoded(&[Some("endpoint"), Some("report")]));
        bytes.extend(2_i32.to_le_bytes());
        bytes.extend(encoded(&[Some("42"), None]));
        bytes
    }

    #[test]
    fn what_java_writes_is_read() {
        let bytes = example();
        let (mut context, mut parameters) = (Context::new(), Parameters::new());
        read(&bytes, &mut context, &mut parameters).unwrap();
        assert_eq!(context, Context::new().user("dev").database("").tag("endpoint", "report"));
        assert_eq!(parameters.as_slice(), [Some(b"42".as_slice()), None]);
    }

    #[test]
    fn bytes_that_end_early_or_go_on_are_refused_and_any_byte_may_be_another() {
        let whole = example();
        let reads = |bytes: &[u8]| read(bytes, &mut Context::new(), &mut Parameters::new());
        for length in 0..whole.len() {
            assert_eq!(reads(&whole[..length]), Err(Malformed), "{length}");
        }
        assert_eq!(reads(&[whole.as_slice(), b"x"].concat()), Err(Malformed));
        for place in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xfe, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] = byte;
                let _ = reads(&bytes);
            }
        }
    }
}
