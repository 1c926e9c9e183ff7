//! Byte scanners: sixteen bytes at a time with SSE2 on x86-64, one at a time elsewhere, with equal results.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
};

/// Sixteen bytes read as the head of an SQL word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordHead {
    /// How many of the sixteen bytes belong to the word; 16 means that it may go on.
    pub len: usize,
    /// The sixteen bytes with `A`–`Z` in lower case, the first one lowest. A number, not an array, so that it stays in
    /// registers between here and the keyword table.
    pub lower: u128,
}

/// Whether a byte continues an SQL word in every dialect: ASCII letters and digits, `_`, `$`, and all bytes above 127.
#[must_use]
pub const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Reads the head of a word: how far it goes, and its letters in lower case.
#[inline]
#[must_use]
pub fn word_head(bytes: &[u8; 16]) -> WordHead {
    #[cfg(target_arch = "x86_64")]
    {
        word_head_sse2(bytes)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        word_head_scalar(bytes)
    }
}

/// The definition of [`word_head`], byte by byte.
#[cfg_attr(target_arch = "x86_64", allow(dead_code))]
fn word_head_scalar(bytes: &[u8; 16]) -> WordHead {
    WordHead {
        len: bytes.iter().take_while(|&&byte| is_word_byte(byte)).count(),
        lower: u128::from_le_bytes(bytes.map(|byte| byte.to_ascii_lowercase())),
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn word_head_sse2(bytes: &[u8; 16]) -> WordHead {
    // SAFETY: SSE2 is part of the x86-64 baseline. The unaligned load reads the sixteen bytes of the array; a vector and a
    // number of as many bytes have no invalid values.
    let (len, lower) = unsafe {
        let raw = _mm_loadu_si128(bytes.as_ptr().cast());
        let upper = in_range(raw, b'A', b'Z');
        let folded = _mm_or_si128(raw, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
        let word = _mm_or_si128(
            _mm_or_si128(in_range(folded, b'a', b'z'), in_range(raw, b'0', b'9')),
            _mm_or_si128(equals(raw, b'_'), equals(raw, b'$')),
        );
        // The sign bit of `raw` itself marks the bytes above 127.
        let len = (!_mm_movemask_epi8(_mm_or_si128(word, raw))).trailing_zeros();
        (len, std::mem::transmute::<__m128i, u128>(folded))
    };
    WordHead { len: (len as usize).min(16), lower }
}

/// The lanes of `bytes` that equal `byte`.
#[cfg(target_arch = "x86_64")]
#[inline]
fn equals(bytes: __m128i, byte: u8) -> __m128i {
    // SAFETY: SSE2 is part of the x86-64 baseline.
    unsafe { _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte.cast_signed())) }
}

/// The lanes of `bytes` within `low..=high`, both ASCII.
#[cfg(target_arch = "x86_64")]
#[inline]
fn in_range(bytes: __m128i, low: u8, high: u8) -> __m128i {
    // SAFETY: SSE2 is part of the x86-64 baseline.
    unsafe {
        // Signed comparison: bytes above 127 are negative, hence below every ASCII bound.
        let above = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(low.cast_signed() - 1));
        let beyond = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(high.cast_signed()));
        _mm_andnot_si128(beyond, above)
    }
}

/// Sixteen bytes read as the head of a name, which dots may divide: `t`, `t.id`, `s.t.id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameHead {
    /// How many of the sixteen bytes are ASCII letters, digits, `_` or dots; 16 means that there may be more.
    pub len: usize,
    /// As in [`WordHead`].
    pub lower: u128,
    /// Which of the `len` bytes are dots, the first one's bit lowest.
    pub dots: u32,
    /// Which of the sixteen bytes are digits.
    pub digits: u32,
}

/// Reads the head of a name.
#[inline]
#[must_use]
pub fn name_head(bytes: &[u8; 16]) -> NameHead {
    #[cfg(target_arch = "x86_64")]
    {
        name_head_sse2(bytes)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        name_head_scalar(bytes)
    }
}

/// The definition of [`name_head`], byte by byte.
#[cfg_attr(target_arch = "x86_64", allow(dead_code))]
fn name_head_scalar(bytes: &[u8; 16]) -> NameHead {
    let len = bytes.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
    let mask = |is: fn(&u8) -> bool| (0..16).filter(|&i| is(&bytes[i])).fold(0, |mask, i| mask | 1 << i);
    NameHead {
        len,
        lower: u128::from_le_bytes(bytes.map(|byte| byte.to_ascii_lowercase())),
        dots: mask(|&byte| byte == b'.') & ((1 << len) - 1),
        digits: mask(u8::is_ascii_digit),
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn name_head_sse2(bytes: &[u8; 16]) -> NameHead {
    // SAFETY: SSE2 is part of the x86-64 baseline. The unaligned load reads the sixteen bytes of the array; a vector and a
    // number of as many bytes have no invalid values.
    let (name, dots, digits, lower) = unsafe {
        let raw = _mm_loadu_si128(bytes.as_ptr().cast());
        let folded = _mm_or_si128(raw, _mm_and_si128(in_range(raw, b'A', b'Z'), _mm_set1_epi8(0x20)));
        let (dots, digits) = (equals(raw, b'.'), in_range(raw, b'0', b'9'));
        let letters = _mm_or_si128(in_range(folded, b'a', b'z'), equals(raw, b'_'));
        let name = _mm_or_si128(letters, _mm_or_si128(dots, digits));
        let lower = std::mem::transmute::<__m128i, u128>(folded);
        (_mm_movemask_epi8(name), _mm_movemask_epi8(dots), _mm_movemask_epi8(digits), lower)
    };
    let ends = !name.cast_unsigned();
    // Above the sixteen bits of the mask all are ones, so there is a lowest.
    let within = ends.wrapping_sub(1) & !ends;
    NameHead {
        len: ends.trailing_zeros() as usize,
        lower,
        dots: dots.cast_unsigned() & within,
        digits: digits.cast_unsigned(),
    }
}

/// How many of sixteen bytes are digits and dots, from the first on, and how many of those are dots.
#[inline]
#[must_use]
pub fn decimal_head(bytes: &[u8; 16]) -> (usize, u32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of the x86-64 baseline; the load reads the sixteen bytes of the array.
    let (digits, dots) = unsafe {
        let raw = _mm_loadu_si128(bytes.as_ptr().cast());
        (_mm_movemask_epi8(in_range(raw, b'0', b'9')), _mm_movemask_epi8(equals(raw, b'.')))
    };
    #[cfg(not(target_arch = "x86_64"))]
    let (digits, dots) = {
        let mask = |is: fn(&u8) -> bool| (0..16).filter(|&i| is(&bytes[i])).fold(0, |mask, i| mask | 1 << i);
        (mask(u8::is_ascii_digit), mask(|&byte| byte == b'.'))
    };
    let ends = !(digits | dots).cast_unsigned();
    let within = ends.wrapping_sub(1) & !ends;
    (ends.trailing_zeros() as usize, (dots.cast_unsigned() & within).count_ones())
}

/// The position at or after `from` of the next `first` or `second` byte.
#[inline]
#[must_use]
pub fn find_either(bytes: &[u8], from: usize, first: u8, second: u8) -> Option<usize> {
    let mut at = from;
    #[cfg(target_arch = "x86_64")]
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        // SAFETY: SSE2 is part of the x86-64 baseline; the load reads the sixteen bytes of `chunk`.
        let hits = unsafe {
            let raw = _mm_loadu_si128(chunk.as_ptr().cast());
            _mm_movemask_epi8(_mm_or_si128(equals(raw, first), equals(raw, second)))
        };
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize);
        }
        at += 16;
    }
    let rest = bytes.get(at..)?;
    rest.iter().position(|&byte| byte == first || byte == second).map(|i| at + i)
}

/// How many bytes from `from` on are certain to continue a list of plain unsigned numbers: `,12, 345 ,6`.
///
/// `from` is just behind a number of the list. The answer ends just behind a number too, one that something other than a
/// digit follows, and may be shorter than the list: the caller reads the rest.
#[inline]
#[must_use]
pub fn number_run(bytes: &[u8], from: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        number_run_sse2(bytes, from)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (bytes, from);
        0
    }
}

/// Works on masks of 64 bytes: D digits, C commas, S spaces. In a list every number starts right where the blanks behind
/// a comma end, and nowhere else: `D & !(D << 1) == ((C << 1) + S) & !S`, by the carry of an addition that runs through the
/// blanks (the trick by which structural parsers follow runs of bits).
#[cfg(target_arch = "x86_64")]
fn number_run_sse2(bytes: &[u8], from: usize) -> usize {
    // What the block before ends in: a digit, or a comma with nothing but blanks behind it.
    let mut digit_before = true;
    let mut comma_before = false;
    let mut at = from;
    let mut end = from;
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        let (digits, commas, blanks) = classify(block);
        let continues = u64::from(digit_before);
        let due = (commas << 1) | u64::from(comma_before);
        let (sum, carried) = due.overflowing_add(blanks);
        let starts_due = sum & !blanks;
        let starts = digits & !((digits << 1) | continues);
        let valid = (digits | commas | blanks) == u64::MAX && starts == starts_due;
        if !valid {
            break;
        }
        // A comma in the last place, or blanks that ran to the end behind one, leave a number due in the next block.
        comma_before = carried || commas >> 63 == 1;
        digit_before = digits >> 63 == 1;
        // The last number that is seen to end: a digit with a non-digit behind it.
        let ends = digits & !(digits >> 1) & (u64::MAX >> 1);
        if digit_before_ended(continues, digits) {
            end = at;
        }
        if ends != 0 {
            end = at + 64 - ends.leading_zeros() as usize;
        }
        at += 64;
    }
    end - from
}

/// Whether the number that the block before ended in ends there: this block does not begin with a digit.
#[cfg(target_arch = "x86_64")]
#[inline]
const fn digit_before_ended(continues: u64, digits: u64) -> bool {
    continues == 1 && digits & 1 == 0
}

/// The masks of digits, commas and blanks of a block.
#[cfg(target_arch = "x86_64")]
#[inline]
fn classify(block: &[u8; 64]) -> (u64, u64, u64) {
    let (mut digits, mut commas, mut blanks) = (0, 0, 0);
    for i in 0..4 {
        // SAFETY: SSE2 is part of the x86-64 baseline; the load reads sixteen of the block's 64 bytes.
        let (d, c, s) = unsafe {
            let raw = _mm_loadu_si128(block.as_ptr().add(16 * i).cast());
            // Bytes '0'..='9' become -128..=-119 once moved by 0x50, so one signed comparison finds them.
            let moved = _mm_add_epi8(raw, _mm_set1_epi8(0x50));
            let digit = _mm_cmpgt_epi8(_mm_set1_epi8(-118), moved);
            (_mm_movemask_epi8(digit), _mm_movemask_epi8(equals(raw, b',')), _mm_movemask_epi8(equals(raw, b' ')))
        };
        digits |= u64::from(d.cast_unsigned()) << (16 * i);
        commas |= u64::from(c.cast_unsigned()) << (16 * i);
        blanks |= u64::from(s.cast_unsigned()) << (16 * i);
    }
    (digits, commas, blanks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The longest prefix behind a number that reads `(blank* comma blank* digit+)*` and has a non-digit behind it.
    fn number_run_by_hand(bytes: &[u8], from: usize) -> usize {
        let mut end = from;
        let mut at = from;
        loop {
            let skip = |mut at: usize| {
                while bytes.get(at) == Some(&b' ') {
                    at += 1;
                }
                at
            };
            at = skip(at);
            if bytes.get(at) != Some(&b',') {
                return end - from;
            }
            at = skip(at + 1);
            let first = at;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            if at == first || at == bytes.len() {
                return end - from;
            }
            end = at;
        }
    }

    #[test]
    fn a_long_list_is_run_through_in_blocks() {
        let list = (0..200).fold(String::new(), |list, n| list + ", " + &(n * 7919).to_string()) + ")";
        let run = number_run(list.as_bytes(), 0);
        assert!(run > list.len() - 80, "only {run} of {}", list.len());
        assert_eq!(number_run_by_hand(list.as_bytes(), 0), list.len() - 1);
    }

    #[test]
    fn a_list_that_is_not_plain_stops_the_run() {
        for odd in [",1 2", ",,1", ",-1", ",1.5", ",'a'", ",a", ",1a"] {
            let text = format!("{}{odd}{}", ",12345".repeat(5), ",12345".repeat(40));
            let run = number_run(text.as_bytes(), 0);
            assert!(run <= 30 + odd.len(), "{odd}: {run}");
        }
    }

    proptest! {
        #[test]
        fn word_heads_agree(bytes: [u8; 16]) {
            prop_assert_eq!(word_head(&bytes), word_head_scalar(&bytes));
        }

        #[test]
        fn name_heads_agree(bytes: [u8; 16], name in "[a-zA-Z0-9_.$ ]{16}") {
            prop_assert_eq!(name_head(&bytes), name_head_scalar(&bytes));
            let name: [u8; 16] = name.into_bytes().try_into().unwrap();
            prop_assert_eq!(name_head(&name), name_head_scalar(&name));
        }

        #[test]
        fn decimal_heads_agree(text in "[0-9.,]{16}|[0-9.]{14}[0-9.,a]{2}") {
            let len = text.bytes().take_while(|&byte| byte.is_ascii_digit() || byte == b'.').count();
            let dots = text.bytes().take(len).filter(|&byte| byte == b'.').count() as u32;
            prop_assert_eq!(decimal_head(&text.into_bytes().try_into().unwrap()), (len, dots));
        }

        #[test]
        fn either_byte_is_found(bytes: Vec<u8>, from in 0usize..40, first: u8, second: u8) {
            let by_hand = (from..bytes.len()).find(|&i| bytes[i] == first || bytes[i] == second);
            prop_assert_eq!(find_either(&bytes, from, first, second), by_hand);
        }

        #[test]
        fn number_runs_never_pass_the_end_of_the_list(text in "[0-9]{0,3}[, 0-9]{0,200}[, 0-9a'-]{0,80}") {
            let run = number_run(text.as_bytes(), 0);
            // A run starts behind a number, so leading digits continue that number.
            let lead = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            prop_assert!(run <= lead + number_run_by_hand(text.as_bytes(), lead), "{run}");
            if run > 0 {
                prop_assert!(text.as_bytes()[run - 1].is_ascii_digit() || run == lead);
                prop_assert!(!text.as_bytes()[run].is_ascii_digit());
            }
        }
    }
}
