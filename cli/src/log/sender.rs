//! Who sent a statement, and where to.

use memchr::{memchr, memmem, memrchr};
use std::net::{IpAddr, Ipv4Addr};

/// Who sent a statement and where to, as far as the log says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sender<'a> {
    /// The user that the client gave.
    pub user: Option<&'a [u8]>,
    /// The address of the client; its name where the log has no address.
    pub client: Option<&'a [u8]>,
    /// The database.
    pub database: Option<&'a [u8]>,
}

/// What the log says of the sender of the entry being read, taken apart only where somebody asks.
#[derive(Debug, Default)]
pub(super) struct SenderText {
    /// What stands behind `# User@Host: `, or before the severity.
    pub(super) head: Vec<u8>,
    /// The database, where the head does not say it.
    pub(super) database: Vec<u8>,
}

impl SenderText {
    pub(super) fn clear(&mut self) {
        self.head.clear();
        self.database.clear();
    }

    /// As MySQL writes it.
    pub(super) fn of_account(&self) -> Sender<'_> {
        Sender { database: known(&self.database), ..account(&self.head) }
    }

    /// As PostgreSQL's prefix has it.
    pub(super) fn of_prefix(&self) -> Sender<'_> {
        prefix(&self.head)
    }
}

/// Reads `account[user] @ name [address]`. The user is the one that the client gave; the account, which the server has found
/// for it, stands in where that is not told.
fn account(text: &[u8]) -> Sender<'_> {
    let Some(at) = memmem::find(text, b"] @ ") else { return Sender::default() };
    let (names, host) = (&text[..at], &text[at + 4..]);
    let (account, user) = divided(names, b'[');
    let (name, rest) = divided(host, b'[');
    let (address, _) = divided(rest, b']');
    Sender { user: known(user).or(known(account)), client: known(address).or(known(name)), database: None }
}

/// Reads the `log_line_prefix` of PostgreSQL, which may be anything: `user=dev,db=shop,client=10.0.0.7`, or `dev@shop` and an
/// address, with or without its port, as the documentation and the packages of the database propose.
fn prefix(text: &[u8]) -> Sender<'_> {
    let mut sender = Sender::default();
    for word in text.split(|byte| matches!(byte, b' ' | b'\t' | b',' | b';' | b'|')) {
        if let Some(equals) = memchr(b'=', word) {
            let (name, value) = (&word[..equals], word[equals + 1..].trim_ascii_end());
            let value = value.strip_suffix(b":").unwrap_or(value);
            match name {
                b"user" => sender.user = known(value),
                b"db" | b"database" => sender.database = known(value),
                b"client" | b"host" => sender.client = known(divided(value, b'(').0),
                _ => {}
            }
            continue;
        }
        if let Some(at) = memrchr(b'@', word) {
            let user = &word[memrchr(b':', &word[..at]).map_or(0, |colon| colon + 1)..at];
            sender.user = sender.user.or(known(user));
            sender.database = sender.database.or(known(divided(&word[at + 1..], b':').0));
        }
        sender.client = sender.client.or_else(|| address(word));
    }
    sender
}

/// The address in a word, as in `UTC:10.0.0.7(54321):dev@shop:[77]:`.
fn address(word: &[u8]) -> Option<&[u8]> {
    let (before_port, _) = divided(word, b'(');
    let is = |text: &[u8], parse: fn(&str) -> bool| std::str::from_utf8(text).is_ok_and(parse);
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b':', before_port).map(|colon| colon + 1));
    // The longest that is one: the end of an IPv6 address can be an address too.
    let mut ends = starts.map(|start| &before_port[start..]);
    ends.find(|text| is(text, |text| text.parse::<IpAddr>().is_ok())).or_else(|| {
        before_port.split(|byte| *byte == b':').find(|text| is(text, |text| text.parse::<Ipv4Addr>().is_ok()))
    })
}

/// What stands before a byte, and behind it.
fn divided(text: &[u8], byte: u8) -> (&[u8], &[u8]) {
    memchr(byte, text).map_or((text, &[]), |at| (&text[..at], &text[at + 1..]))
}

/// A value, unless it says that there is none.
fn known(value: &[u8]) -> Option<&[u8]> {
    let value = value.trim_ascii();
    (!matches!(value, b"" | b"[unknown]" | b"[local]")).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sender: Sender<'_>) -> [Option<&str>; 3] {
        [sender.user, sender.client, sender.database]
            .map(|value| value.map(|value| std::str::from_utf8(value).unwrap()))
    }

    #[test]
    fn an_account_is_the_user_given_and_the_address() {
        for (text, user, client) in [
            ("shop[app] @ app1 [10.0.0.5]  Id:     5", Some("app"), Some("10.0.0.5")),
            ("shop[] @ app1 []", Some("shop"), Some("app1")),
            ("[SQL_SLAVE] @  []", Some("SQL_SLAVE"), None),
            ("user[user] @ [1.2.3.4]", Some("user"), Some("1.2.3.4")),
            ("a[a] @  [2001:db8::1]", Some("a"), Some("2001:db8::1")),
            ("[] @ localhost []", None, Some("localhost")),
            ("whom?", None, None),
        ] {
            assert_eq!(told(account(text.as_bytes())), [user, client, None], "{text}");
        }
    }

    #[test]
    fn a_prefix_is_read_as_packages_propose_it() {
        for (text, expected) in [
            ("2024-05-06 12:00:00 UTC [1] dev@shop ", [Some("dev"), None, Some("shop")]),
            ("2024-05-06 12:00:00 UTC [1] [unknown]@[unknown] ", [None, None, None]),
            (
                "2024-05-06 12:00:00 UTC [1]: user=dev,db=shop,app=psql,client=10.0.0.7 ",
                [Some("dev"), Some("10.0.0.7"), Some("shop")],
            ),
            ("t: user=dev db=shop host=10.0.0.7(5432): ", [Some("dev"), Some("10.0.0.7"), Some("shop")]),
            (
                "2020-03-11 20:40:44 CET:[local]:postgres@template1:[12774]:",
                [Some("postgres"), None, Some("template1")],
            ),
            ("2020-03-11 20:40:44 UTC:10.0.0.7(54321):dev@shop:[77]:", [Some("dev"), Some("10.0.0.7"), Some("shop")]),
            ("2020-03-11 20:40:44 UTC:10.0.0.7:dev@shop:[77]:", [Some("dev"), Some("10.0.0.7"), Some("shop")]),
            (
                "2020-03-11 20:40:44 UTC:2001:db8::1(54321):dev@shop:[77]:",
                [Some("dev"), Some("2001:db8::1"), Some("shop")],
            ),
            (
                "2024-05-06 12:00:00 UTC [1] 10.0.0.7 dev@tenant@shop ",
                [Some("dev@tenant"), Some("10.0.0.7"), Some("shop")],
            ),
            ("2020-03-11 20:40:43 CET::@:[12760]:", [None, None, None]),
            ("2024-05-06 12:00:00 UTC [1] ", [None, None, None]),
        ] {
            assert_eq!(told(prefix(text.as_bytes())), expected, "{text}");
        }
    }
}
