//! An account as MySQL writes it.

use super::glob::{Glob, Piece};
use super::network::{Network, address_of};
use crate::context::Context;
use std::borrow::Cow;
use std::net::IpAddr;

/// An account as MySQL writes it: `user@host`, either of them in quotes or not.
///
/// The user is compared exactly; `%` and `''` are any. The host is compared in any case, with `%` and `_` as wildcards and
/// `\` before one that is none; or it is an address, a network (`10.0.0.0/8`, `2001:db8::/32`) or a network with its mask
/// (`198.51.100.0/255.255.255.0`), and then clients are compared that are said by their address. Without a host it is any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    /// None for any.
    user: Option<Box<[u8]>>,
    host: Host,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Any,
    Name(Glob),
    Network(Network),
}

/// Who sends a statement, as accounts see it: read once, compared with many.
#[derive(Clone, Debug)]
pub(crate) struct Sender<'a> {
    user: Option<&'a [u8]>,
    /// The host; of an address its usual spelling.
    host: Option<Cow<'a, [u8]>>,
    address: Option<IpAddr>,
}

impl<'a> Sender<'a> {
    /// Where no client is said, a user `name@host` says both.
    pub(crate) fn of(context: &Context<'a>) -> Self {
        let (mut user, mut host) = (context.user, context.client);
        if host.is_none()
            && let Some(name) = user
            && let Some(at) = memchr::memrchr(b'@', name)
        {
            (user, host) = (Some(&name[..at]), Some(&name[at + 1..]));
        }
        let address = host.and_then(address_of);
        let host = host.map(|host| match address {
            // IPv4 that is not mapped into IPv6 has one spelling.
            Some(address) if host.contains(&b':') => Cow::Owned(address.to_string().into_bytes()),
            _ => Cow::Borrowed(host),
        });
        Self { user, host, address }
    }
}

impl Account {
    /// Longest text, in bytes: it bounds the work of a comparison.
    pub(crate) const MAX_BYTES: usize = 1024;

    /// Reads an account.
    ///
    /// # Errors
    ///
    /// A message: it is empty, too long, a quote does not end, or a network is none.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.len() > Self::MAX_BYTES {
            return Err(format!("the account has {} bytes, and {} is the most", text.len(), Self::MAX_BYTES));
        }
        if text.is_empty() {
            return Err("write an account, `user@host`; `%` is any user".to_owned());
        }
        let (user, host) = match quoted(text)? {
            Some((user, "")) => (user, None),
            Some((user, rest)) => match rest.strip_prefix('@') {
                Some(host) => (user, Some(host)),
                None => return Err(format!("`@` must follow the quoted user, not `{rest}`")),
            },
            None => match text.rsplit_once('@') {
                Some((user, host)) => (user.into(), Some(host)),
                None => (text.into(), None),
            },
        };
        let host = match host {
            None => Host::Any,
            Some(host) => match quoted(host)? {
                Some((host, "")) => Host::new(&host)?,
                Some((_, rest)) => return Err(format!("`{rest}` follows the quoted host")),
                None => Host::new(host)?,
            },
        };
        let user = (!user.is_empty() && user != "%").then(|| user.as_bytes().into());
        Ok(Self { user, host })
    }

    pub(crate) fn matches(&self, sender: &Sender<'_>) -> bool {
        self.user.as_deref().is_none_or(|user| sender.user == Some(user)) && self.host.matches(sender)
    }
}

impl Host {
    fn new(text: &str) -> Result<Self, String> {
        if let Some((address, bits)) = text.split_once('/') {
            return Network::new(address, bits).map(Self::Network);
        }
        if let Ok(address) = text.parse() {
            return Ok(Self::Network(Network::of(address)));
        }
        if text.contains(['\'', '"', '`']) {
            return Err(format!("a quote stands within the host `{text}`"));
        }
        let mut bytes = text.bytes();
        let glob = Glob::new(std::iter::from_fn(|| {
            Some(match bytes.next()? {
                b'%' => Piece::Any,
                b'_' => Piece::One,
                b'\\' => Piece::Byte(bytes.next().unwrap_or(b'\\')),
                byte => Piece::Byte(byte),
            })
        }));
        // MySQL takes an empty host for any.
        Ok(if text.is_empty() || glob.is_any() { Self::Any } else { Self::Name(glob) })
    }

    fn matches(&self, sender: &Sender<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Name(glob) => sender.host.as_ref().is_some_and(|host| glob.matches(host)),
            Self::Network(network) => sender.address.is_some_and(|address| network.contains(address)),
        }
    }
}

/// A name in quotes at the start of the text, and what follows it; `None` where there is none. A doubled quote is one of the
/// name.
fn quoted(text: &str) -> Result<Option<(Cow<'_, str>, &str)>, String> {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '\'' | '"' | '`')) else {
        return Ok(None);
    };
    let mut name = String::new();
    let mut rest = &text[1..];
    loop {
        let Some((part, behind)) = rest.split_once(quote) else {
            return Err(format!("the quote {quote} does not end"));
        };
        name.push_str(part);
        match behind.strip_prefix(quote) {
            Some(behind) => {
                name.push(quote);
                rest = behind;
            }
            None => return Ok(Some((name.into(), behind))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(account: &str, user: Option<&str>, client: Option<&str>) -> bool {
        let mut context = Context::new();
        if let Some(user) = &user {
            context = context.user(*user);
        }
        if let Some(client) = &client {
            context = context.client(*client);
        }
        Account::new(account).unwrap().matches(&Sender::of(&context))
    }

    #[test]
    fn the_user_is_compared_exactly() {
        for (account, user, expected) in [
            ("dev", Some("dev"), true),
            ("dev", Some("Dev"), false),
            ("dev", Some("devel"), false),
            ("dev", None, false),
            ("d%", Some("dev"), false),
            ("d_v", Some("dev"), false),
            ("%", Some("dev"), true),
            ("%", None, true),
            ("''", Some("dev"), true),
            ("@%", Some("dev"), true),
            ("'dev'", Some("dev"), true),
            ("`dev`", Some("dev"), true),
            ("\"dev\"", Some("dev"), true),
            ("'o''brien'", Some("o'brien"), true),
            ("o'brien", Some("o'brien"), true),
            ("größe", Some("größe"), true),
        ] {
            assert_eq!(matches(account, user, Some("10.0.0.1")), expected, "{account} {user:?}");
        }
    }

    #[test]
    fn the_last_at_divides() {
        assert!(matches("a@b@10.0.0.1", Some("a@b"), Some("10.0.0.1")));
        assert!(matches("'a@b'", Some("a@b"), Some("10.0.0.1")));
        assert!(matches("'a@b'@'10.%'", Some("a@b"), Some("10.0.0.1")));
        // In quotes it is all one name, as in MySQL.
        assert!(!matches("'dev@10.%'", Some("dev"), Some("10.0.0.1")));
    }

    #[test]
    fn the_host_is_compared_in_any_case_with_wildcards() {
        for (host, client, expected) in [
            ("192.168.%", "192.168.0.7", true),
            ("192.168.%", "192.169.0.7", false),
            ("192.168.%", "192.168.", true),
            ("192.168.0._", "192.168.0.7", true),
            ("192.168.0._", "192.168.0.77", false),
            ("%.example.com", "DB.Example.com", true),
            ("%.example.com", "example.com", false),
            ("localhost", "LOCALHOST", true),
            ("localhost", "localhost.", false),
            (r"a\_b", "a_b", true),
            (r"a\_b", "axb", false),
            (r"a\%", "a%", true),
            (r"a\%", "ab", false),
            (r"a\", r"a\", true),
            ("%", "anything", true),
            ("", "anything", true),
            ("'192.168.%'", "192.168.0.7", true),
            ("`192.168.%`", "192.168.0.7", true),
            ("192.168.%", "::ffff:192.168.0.7", true),
            ("fe80:%", "FE80:0:0::1", true),
        ] {
            assert_eq!(matches(&format!("dev@{host}"), Some("dev"), Some(client)), expected, "{host} {client}");
        }
    }

    #[test]
    fn addresses_are_compared_as_addresses() {
        for (host, client, expected) in [
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "::ffff:10.0.0.1", true),
            ("10.0.0.1", "::FFFF:0a00:0001", true),
            ("::ffff:10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.10", false),
            ("10.0.0.1", "010.0.0.1", false),
            ("::1", "0:0:0:0:0:0:0:1", true),
            ("::1", "127.0.0.1", false),
            ("10.0.0.0/8", "10.255.255.255", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("10.0.0.0/8", "db.example.com", false),
            ("10.0.0.7/32", "10.0.0.7", true),
            ("10.0.0.7/32", "10.0.0.6", false),
            ("10.0.0.6/31", "10.0.0.7", true),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false),
            ("2001:db8::/32", "2001:DB8:1::5", true),
            ("2001:db8::/32", "2001:db9::", false),
            ("::/0", "2001:db8::1", true),
            ("fe80::/10", "fe80::1%eth0", true),
            ("::ffff:10.0.0.0/104", "10.9.9.9", true),
            ("::ffff:10.0.0.0/104", "11.9.9.9", false),
            ("198.51.100.0/255.255.255.0", "198.51.100.200", true),
            ("198.51.100.0/255.255.255.0", "198.51.101.200", false),
            ("'198.51.100.0/255.255.255.0'", "198.51.100.200", true),
            ("0.0.0.0/0.0.0.0", "8.8.8.8", true),
            ("10.0.0.1/255.255.255.255", "10.0.0.1", true),
        ] {
            assert_eq!(matches(&format!("dev@{host}"), Some("dev"), Some(client)), expected, "{host} {client}");
        }
    }

    #[test]
    fn a_user_says_the_host_where_no_client_is_said() {
        for (account, user, client, expected) in [
            ("dev@10.%", Some("dev@10.0.0.1"), None, true),
            ("dev@10.%", Some("dev@11.0.0.1"), None, false),
            ("dev@10.0.0.0/8", Some("dev@10.0.0.1"), None, true),
            ("dev", Some("dev@10.0.0.1"), None, true),
            ("dev@10.%", Some("dev"), None, false),
            ("dev@%", Some("dev"), None, true),
            ("%@10.%", None, Some("10.0.0.1"), true),
            ("%@10.%", None, None, false),
            ("a@b@10.%", Some("a@b@10.0.0.1"), None, true),
            ("dev", Some("dev@10.0.0.1"), Some("10.0.0.1"), false),
            ("dev@10.0.0.1@10.%", Some("dev@10.0.0.1"), Some("10.0.0.1"), true),
        ] {
            assert_eq!(matches(account, user, client), expected, "{account} {user:?} {client:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_compared_as_they_are() {
        let context = Context::new().user(b"\xFF").client(b"\xFE");
        assert!(!Account::new("dev").unwrap().matches(&Sender::of(&context)));
        assert!(!Account::new("%@10.0.0.0/8").unwrap().matches(&Sender::of(&context)));
        assert!(Account::new("%@_").unwrap().matches(&Sender::of(&context)));
    }

    #[test]
    fn what_is_no_account_is_refused() {
        for (text, expected) in [
            ("", "user@host"),
            ("'dev", "does not end"),
            ("'dev'x", "must follow"),
            ("dev@'10.%", "does not end"),
            ("dev@'10.%'x", "follows the quoted host"),
            ("dev@10.'%", "a quote stands within"),
            ("dev@10.0.0.0/33", "has no such bits"),
            ("dev@2001:db8::/129", "has no such bits"),
            ("dev@10.0.0.0/99999999999", "has no such bits"),
            ("dev@10.0.0.0/", "has no such bits"),
            ("dev@10.0.0.0/-1", "ends in no number"),
            ("dev@10.0.0.0/+8", "ends in no number"),
            ("dev@10.0.0.0/8/8", "ends in no number"),
            ("dev@10.1.2.3/8", "names one address of a network: 10.0.0.0/8"),
            ("dev@10.0.0.0/255.0.255.0", "has a hole"),
            ("dev@198.51.100.7/255.255.255.0", "names one address of a network: 198.51.100.0/24"),
            ("dev@2001:db8::/255.0.0.0", "only IPv4"),
            ("dev@10.%/8", "begins with no address"),
        ] {
            let error = Account::new(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(Account::new(&"a".repeat(Account::MAX_BYTES + 1)).unwrap_err().contains("1024"));
    }

    proptest! {
        #[test]
        fn a_network_holds_what_agrees_in_its_first_bits(address: u32, client: u32, bits in 0_u32..=32) {
            let mask = if bits == 0 { 0 } else { u32::MAX << (32 - bits) };
            let first = std::net::Ipv4Addr::from(address & mask);
            let client_text = std::net::Ipv4Addr::from(client).to_string();
            let expected = (address ^ client) & mask == 0;
            for network in [format!("{first}/{bits}"), format!("{first}/{}", std::net::Ipv4Addr::from(mask))] {
                prop_assert_eq!(matches(&format!("%@{network}"), None, Some(&client_text)), expected, "{}", network);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,20}|[a-f0-9.:/%_'`\"@\\\\]{0,20}", user: Vec<u8>, client: Vec<u8>) {
            if let Ok(account) = Account::new(&text) {
                account.matches(&Sender::of(&Context::new().user(&user)));
                account.matches(&Sender::of(&Context::new().user(&user).client(&client)));
                account.matches(&Sender::of(&Context::new().user(&text)));
            }
        }
    }
}
