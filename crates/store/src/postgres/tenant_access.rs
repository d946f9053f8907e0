//! `TenantAccess`: what a client shows the database to be let into a tenant.
//!
//! The tenant's name is a setting that every client can make, so it proves nothing. Beside it goes a key that follows
//! from the name and a secret of the database; the policies compute it anew and compare. A process that has the secret,
//! as a server of many tenants does, reaches every tenant; a process that has one key reaches that tenant.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The length of a secret and of a key, in bytes.
const BYTE_COUNT: usize = 32;

/// What opens one tenant, or all of them.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum TenantAccess {
    /// The database's secret: every tenant.
    Secret([u8; BYTE_COUNT]),
    /// The key of one tenant, as digits.
    Key(String),
}

impl TenantAccess {
    pub(super) fn from_secret(digits: &str) -> Result<Self, String> {
        read_digits("tenant_secret", digits).map(Self::Secret)
    }

    pub(super) fn from_key(digits: &str) -> Result<Self, String> {
        read_digits("tenant_key", digits).map(|bytes| Self::Key(write_digits(&bytes)))
    }

    /// The key of a tenant, as digits; the same as `epitome.tenant_key` gives in the database.
    pub(super) fn key_of(&self, tenant: &str) -> String {
        match self {
            Self::Key(key) => key.clone(),
            Self::Secret(secret) => {
                // Twice, so that a key says nothing about the keys of names that begin like its own.
                let inner = Sha256::new().chain_update(secret).chain_update(tenant).finalize();
                write_digits(&Sha256::new().chain_update(secret).chain_update(inner).finalize())
            }
        }
    }
}

/// The digits of some bytes.
pub(super) fn write_digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("writing to a string cannot fail");
        digits
    })
}

fn read_digits(name: &str, digits: &str) -> Result<[u8; BYTE_COUNT], String> {
    // The digits are a secret, so the refusal does not repeat them.
    let refused = || format!("`{name}` has {} hexadecimal digits", BYTE_COUNT * 2);
    let bytes = digits.as_bytes();
    if bytes.len() != BYTE_COUNT * 2 || !bytes.iter().all(u8::is_ascii_hexdigit) {
        return Err(refused());
    }
    let pairs = bytes.chunks_exact(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    let read: Option<Vec<u8>> = pairs.collect();
    read.and_then(|read| read.try_into().ok()).ok_or_else(refused)
}
