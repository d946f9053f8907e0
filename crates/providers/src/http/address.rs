//! `Address`, the checked URL of a vendor from the user's settings: https to any public host, http to this machine
//! only, and no URL with a password in it (protection against SSRF).
//!
//! What is written is checked here; what a name resolves to is checked again at every connection (`resolver.rs`),
//! because a name may lead somewhere else tomorrow.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

use super::ip_scope::{IpScope, classify_ip};

/// The checked address of a vendor, the part of the path that all its calls have in common included.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
    reach: NetworkReach,
}

/// How far from the public network an address may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkReach {
    /// This machine when it is named as such, and the public network.
    Public,
    /// Private networks too: the user said so for this address.
    Private,
}

/// Why an address is not one to connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot use the provider's address: {reason}")]
pub struct AddressError {
    /// Which rule it breaks. The address itself is not repeated: it may hold a password.
    pub reason: &'static str,
}

impl Address {
    /// Checks `text` as a user wrote it.
    pub fn parse(text: &str, reach: NetworkReach) -> Result<Self, AddressError> {
        let refuse = |reason| Err(AddressError { reason });
        let Ok(mut url) = Url::parse(text.trim()) else { return refuse("it is not a URL") };
        // A password in an address would be shown by errors and logs.
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("a URL must not hold a user name or password");
        }
        // The path of a call is appended, which a query would swallow.
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("a URL with `?` or `#` cannot be extended");
        }
        let Some(host) = url.host_str() else { return refuse("it names no host") };
        let local = match parse_ip(host) {
            Some(ip) => match classify_ip(ip) {
                IpScope::Loopback => true,
                IpScope::Public => false,
                IpScope::Private if reach == NetworkReach::Private => false,
                IpScope::Private => return refuse("it is in a private network"),
                IpScope::Never(reason) => return refuse(reason),
            },
            None => is_localhost(host),
        };
        match url.scheme() {
            "https" => {}
            "http" if local => {}
            // A key and a conversation would travel in the clear.
            "http" => return refuse("plain http leaves this machine unencrypted"),
            _ => return refuse("it is neither http nor https"),
        }
        // A trailing slash would double the one that every call's path begins with.
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self { url, reach })
    }

    /// The address of one call.
    pub(super) fn join_path(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        url
    }

    pub(super) fn reach(&self) -> NetworkReach {
        self.reach
    }
}

/// Whether a name means this machine, whatever a resolver says.
pub(super) fn is_localhost(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost")
}

fn parse_ip(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(reach: NetworkReach, spellings: &[&str], expected: &Expect) {
        let decisions = spellings.iter().map(|text| match Address::parse(text, reach) {
            Ok(address) => format!("{text} → {address}\n"),
            Err(error) => format!("{text}: {}\n", error.reason),
        });
        expected.assert_eq(&decisions.collect::<String>());
    }

    #[test]
    fn https_goes_anywhere_public_and_http_to_this_machine() {
        check(
            NetworkReach::Public,
            &[
                "https://api.example.com/v1/",
                " https://api.example.com ",
                "https://8.8.8.8/",
                "http://localhost:11434",
                "http://LOCALHOST.:1/v1",
                "http://a.localhost",
                "http://127.0.0.1:11434/",
                "http://[::1]:8080/v1",
                "http://0x7f.1:1",
                "http://api.example.com",
                "http://localhost.example.com",
                "http://8.8.8.8",
            ],
            &expect![[r#"
                https://api.example.com/v1/ → https://api.example.com/v1
                 https://api.example.com  → https://api.example.com
                https://8.8.8.8/ → https://8.8.8.8
                http://localhost:11434 → http://localhost:11434
                http://LOCALHOST.:1/v1 → http://localhost.:1/v1
                http://a.localhost → http://a.localhost
                http://127.0.0.1:11434/ → http://127.0.0.1:11434
                http://[::1]:8080/v1 → http://[::1]:8080/v1
                http://0x7f.1:1 → http://127.0.0.1:1
                http://api.example.com: plain http leaves this machine unencrypted
                http://localhost.example.com: plain http leaves this machine unencrypted
                http://8.8.8.8: plain http leaves this machine unencrypted
            "#]],
        );
    }

    #[test]
    fn what_could_leak_or_be_something_else_is_refused() {
        check(
            NetworkReach::Public,
            &[
                "",
                "api.example.com",
                "ftp://example.com",
                "file:///etc/passwd",
                "https://user@example.com",
                "https://user:word@example.com",
                "https://:word@example.com",
                "https://example.com?key=1",
                "https://example.com#x",
                "https://",
            ],
            &expect![[r#"
                : it is not a URL
                api.example.com: it is not a URL
                ftp://example.com: it is neither http nor https
                file:///etc/passwd: it names no host
                https://user@example.com: a URL must not hold a user name or password
                https://user:word@example.com: a URL must not hold a user name or password
                https://:word@example.com: a URL must not hold a user name or password
                https://example.com?key=1: a URL with `?` or `#` cannot be extended
                https://example.com#x: a URL with `?` or `#` cannot be extended
                https://: it is not a URL
            "#]],
        );
    }

    /// Each address a cloud answers its secrets on, in every spelling a parser may take for something else.
    #[test]
    fn link_local_and_metadata_addresses_are_refused_in_every_spelling() {
        let spellings = [
            "169.254.169.254",
            "169.254.169.254.",
            "2852039166",
            "0xA9FEA9FE",
            "0xa9.0xfe.0xa9.0xfe",
            "0251.0376.0251.0376",
            "169.254.43518",
            "169.16689662",
            "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
            "[::ffff:169.254.169.254]",
            "[::ffff:a9fe:a9fe]",
            "[::169.254.169.254]",
            "[64:ff9b::a9fe:a9fe]",
            "[2002:a9fe:a9fe::1]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "[fd20:ce::254]",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "0.0.0.0",
            "0",
            "[::]",
            "255.255.255.255",
            "224.0.0.1",
            "[ff02::1]",
        ];
        for host in spellings {
            for reach in [NetworkReach::Public, NetworkReach::Private] {
                for scheme in ["http", "https"] {
                    let parsed = Address::parse(&format!("{scheme}://{host}/v1"), reach);
                    assert!(parsed.is_err(), "{scheme} {host} {reach:?} is {parsed:?}");
                }
            }
        }
    }

    #[test]
    fn a_private_network_must_be_allowed_and_encrypted() {
        let spellings = [
            "https://10.0.0.1",
            "https://192.168.1.5:11434",
            "https://172.16.0.1",
            "https://100.64.0.1",
            "https://[fd12:3456::1]",
            "http://192.168.1.5:11434",
        ];
        for text in spellings {
            assert!(Address::parse(text, NetworkReach::Public).is_err(), "{text}");
        }
        check(
            NetworkReach::Private,
            &spellings,
            &expect![[r#"
                https://10.0.0.1 → https://10.0.0.1
                https://192.168.1.5:11434 → https://192.168.1.5:11434
                https://172.16.0.1 → https://172.16.0.1
                https://100.64.0.1 → https://100.64.0.1
                https://[fd12:3456::1] → https://[fd12:3456::1]
                http://192.168.1.5:11434: plain http leaves this machine unencrypted
            "#]],
        );
    }
}
