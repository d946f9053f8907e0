//! The DNS resolver of the HTTP client: returns only addresses that passed the rules, which protects against DNS
//! rebinding. Addresses written as numbers are checked in `address.rs`.
//!
//! The client connects to exactly what this resolver returns for a name, so a name cannot lead elsewhere between the
//! check and the connection.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::{AddressError, NetworkReach, is_localhost};
use super::ip_scope::{IpScope, classify_ip};

pub(super) struct CheckedResolver {
    pub(super) reach: NetworkReach,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            // Checked at every connection: a name may lead to a private address tomorrow (DNS rebinding).
            let allowed = filter_allowed(name.as_str(), reach, found.collect())?;
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// The addresses of `name` that may be connected to; an error when it has addresses and none may.
fn filter_allowed(name: &str, reach: NetworkReach, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, AddressError> {
    let decision = |address: &SocketAddr| match classify_ip(address.ip()) {
        // `localhost` is a promise both ways: plain http is allowed to it only because it never leaves this machine.
        IpScope::Loopback if is_localhost(name) => Ok(()),
        _ if is_localhost(name) => Err("`localhost` does not lead to this machine"),
        IpScope::Public => Ok(()),
        IpScope::Private if reach == NetworkReach::Private => Ok(()),
        IpScope::Private => Err("its name leads into a private network"),
        IpScope::Loopback => Err("its name leads to this machine"),
        IpScope::Never(reason) => Err(reason),
    };
    let refused = found.iter().find_map(|address| decision(address).err());
    let allowed: Vec<SocketAddr> = found.into_iter().filter(|address| decision(address).is_ok()).collect();
    match refused {
        // One allowed address is enough, as a name may have public and private ones.
        Some(reason) if allowed.is_empty() => Err(AddressError { reason }),
        _ => Ok(allowed),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(name: &str, reach: NetworkReach, found: &[&str], expected: &Expect) {
        let found = found.iter().map(|ip| SocketAddr::new(ip.parse().expect("an address"), 0)).collect();
        expected.assert_eq(&match filter_allowed(name, reach, found) {
            Ok(allowed) => format!("{:?}", allowed.iter().map(SocketAddr::ip).collect::<Vec<_>>()),
            Err(error) => error.reason.to_owned(),
        });
    }

    #[test]
    fn what_a_name_leads_to_is_checked_like_what_is_written() {
        let public = NetworkReach::Public;
        let private = NetworkReach::Private;
        check("api.example.com", public, &["93.184.216.34", "2606:2800::1"], &expect!["[93.184.216.34, 2606:2800::1]"]);
        check("api.example.com", public, &["127.0.0.1"], &expect!["its name leads to this machine"]);
        check("api.example.com", private, &["127.0.0.1"], &expect!["its name leads to this machine"]);
        check("api.example.com", public, &["::ffff:10.0.0.1"], &expect!["its name leads into a private network"]);
        check("api.example.com", private, &["10.0.0.1"], &expect!["[10.0.0.1]"]);
        check("metadata.example", private, &["169.254.169.254"], &expect!["it is a link-local address"]);
        check("metadata.example", private, &["fd00:ec2::254"], &expect!["clouds keep credentials at this address"]);
        check("localhost", public, &["::1", "127.0.0.1"], &expect!["[::1, 127.0.0.1]"]);
        check("localhost", private, &["10.0.0.1"], &expect!["`localhost` does not lead to this machine"]);
        check("nowhere.example", public, &[], &expect!["[]"]);
    }

    #[test]
    fn of_good_and_bad_addresses_only_the_good_are_connected_to() {
        check("flip.example", NetworkReach::Public, &["169.254.169.254", "93.184.216.34"], &expect!["[93.184.216.34]"]);
    }
}
