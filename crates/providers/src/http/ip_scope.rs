//! Classifies IP addresses for protection against SSRF: this machine, a private network, the public one, or forbidden
//! (link-local, cloud metadata, reserved).
//!
//! Cloud machines hand out credentials on fixed addresses; an attacker who can make us ask there gets them. Addresses
//! that carry another address inside (mapped, translated, tunnelled) are judged by the one inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where an address leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IpScope {
    Loopback,
    Private,
    Public,
    Never(&'static str),
}

const METADATA_SCOPE: IpScope = IpScope::Never("clouds keep credentials at this address");
const LINK_LOCAL: IpScope = IpScope::Never("it is a link-local address");
const RESERVED_SCOPE: IpScope = IpScope::Never("no server has this address");

pub(super) fn classify_ip(ip: IpAddr) -> IpScope {
    match ip {
        IpAddr::V4(ip) => classify_v4(ip),
        IpAddr::V6(ip) => classify_v6(ip),
    }
}

fn classify_v4(ip: Ipv4Addr) -> IpScope {
    match ip.octets() {
        // Addresses at which Alibaba, Oracle and Azure serve credentials to their machines.
        [100, 100, 100, 200] | [192, 0, 0, 192] | [168, 63, 129, 16] => METADATA_SCOPE,
        [127, ..] => IpScope::Loopback,
        [169, 254, ..] => LINK_LOCAL,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] | [198, 18..=19, ..] => IpScope::Private,
        [0 | 224..=255, ..] | [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => RESERVED_SCOPE,
        _ => IpScope::Public,
    }
}

fn classify_v6(ip: Ipv6Addr) -> IpScope {
    let octets = ip.octets();
    let inside = |at: usize| classify_v4(Ipv4Addr::new(octets[at], octets[at + 1], octets[at + 2], octets[at + 3]));
    // No vendor is reached through a translator or tunnel to this machine or to a private network.
    let translated = |place: IpScope| match place {
        IpScope::Public => IpScope::Public,
        IpScope::Never(reason) => IpScope::Never(reason),
        IpScope::Loopback | IpScope::Private => RESERVED_SCOPE,
    };
    match ip.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] => inside(12),
        [0, 0, 0, 0, 0, 0, 0, 1] => IpScope::Loopback,
        [0, 0, 0, 0, 0, 0, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => translated(inside(12)),
        [0x64, 0xff9b, ..] | [0x2001, 0 | 0xdb8, ..] | [0x100, 0, 0, 0, ..] | [0xff00..=0xffff, ..] => RESERVED_SCOPE,
        [0x2002, ..] => translated(inside(2)),
        // The same service of Amazon and Google over IPv6.
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, ..] => METADATA_SCOPE,
        [0xfc00..=0xfdff, ..] => IpScope::Private,
        [0xfe80..=0xfeff, ..] => LINK_LOCAL,
        _ => IpScope::Public,
    }
}
