//! `fold_digits`: digits of table names that only number a partition, `orders_0042` as `orders_N`.

use super::written::Written;
use crate::fingerprint::keyword::Keyword;

/// Fewest digits in a row that are folded.
const DIGITS: usize = 2;
/// Fewest hexadecimal digits that are folded where they stand by themselves and mix digits with letters.
const HEX_DIGITS: usize = 6;
/// What stands for the folded digits. Upper case, so that no name in lower case holds it.
const MARK: u8 = b'N';

/// Folds the digits of the name that `out` ends in and that begins at `at`. `raw` is the name as it was written.
pub(super) fn fold(out: &mut Written, at: usize, raw: &[u8]) {
    if is_folded(raw) {
        for (written, &byte) in out[at..].iter_mut().zip(raw) {
            if byte == MARK {
                *written = MARK;
            }
        }
    }
    let mut to = at;
    let mut from = at;
    let mut before = 0_u8;
    while from < out.len() {
        let run = foldable_run(&out[from..], from == at || !before.is_ascii_alphanumeric());
        before = out[from];
        if run > 0 {
            out[to] = MARK;
            from += run;
        } else {
            // Not even a part of a hexadecimal run that is too short, or without a digit, is one that would be folded.
            out[to] = out[from];
            from += 1;
        }
        to += 1;
    }
    out.truncate(to);
    if Keyword::of_word(&out[at..]) != Keyword::None {
        // `o12` must not become a word that reads as ON.
        out.truncate(at);
        out.extend_from_slice(raw);
        out[at..].make_ascii_lowercase();
    }
}

/// Whether a name is one that this function has written before: its only capitals are marks.
fn is_folded(raw: &[u8]) -> bool {
    let capitals_are_marks = raw.iter().filter(|byte| byte.is_ascii_uppercase()).all(|&byte| byte == MARK);
    let mut letters = raw.iter().filter(|byte| byte.is_ascii_alphabetic());
    capitals_are_marks && (raw.iter().any(u8::is_ascii_lowercase) || letters.all(|&byte| byte == MARK))
}

/// The length of the run at the start of `name` that is folded to one mark; 0 where there is none. `bounded`: no letter or
/// digit stands before it.
fn foldable_run(name: &[u8], bounded: bool) -> usize {
    // Looked at once a run: a name of nothing but such digits is read in linear time.
    if bounded {
        let hex = hex_run(name);
        let ends = !name.get(hex).is_some_and(u8::is_ascii_alphanumeric);
        // Letters before digits may be a word, as in `db0001` or `cafe2024`: only a digit before a letter tells a number.
        let mixed = name[..hex].windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic());
        if hex >= HEX_DIGITS && ends && mixed {
            return hex;
        }
    }
    let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits >= DIGITS { digits } else { 0 }
}

/// Hexadecimal digits at the start, in lower case as names are written, or in capitals of quoted names.
fn hex_run(name: &[u8]) -> usize {
    name.iter().take_while(|byte| byte.is_ascii_hexdigit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(name: &str) -> String {
        let mut out = Written::default();
        out.extend_from_slice(name.to_ascii_lowercase().as_bytes());
        fold(&mut out, 0, name.as_bytes());
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn runs_of_digits_are_folded() {
        for (name, expected) in [
            ("orders_0042", "orders_N"),
            ("orders_2024_01", "orders_N_N"),
            ("t1", "t1"),
            ("t12", "tN"),
            ("t1a2", "t1a2"),
            ("log_5f3a9c", "log_N"),
            ("log_5f3a9", "log_5f3a9"),
            ("log_5f33a", "log_5fNa"),
            ("facade", "facade"),
            ("a2020k", "aNk"),
            ("deadbeef1x", "deadbeef1x"),
            ("deadbeef12x", "deadbeefNx"),
            ("tab2024", "tabN"),
            ("cafe2024", "cafeN"),
            ("x_a1b2c3_y", "x_N_y"),
            ("TABLE_2020", "table_N"),
            ("x", "x"),
        ] {
            assert_eq!(folded(name), expected, "{name}");
        }
    }

    #[test]
    fn a_folded_name_stays() {
        for name in ["orders_N", "orders_N_N", "tN", "N_x", "N", "N_N"] {
            assert_eq!(folded(name), name);
        }
        assert_eq!(folded("ORDERS_N"), "orders_n", "a name in capitals is that name");
    }
}
