//! Generates a random key from the operating system, and the fingerprint of one. The key is for the keyed hash in placeholders of scrubbed
//! secrets, and each store keeps its own.

use model::DigestBuilder;
use model::scrub::ScrubKey;

/// A new random key from the operating system.
pub(crate) fn random_key() -> std::io::Result<ScrubKey> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(ScrubKey::new(bytes))
}

/// What a key is recognised by where it must not be told.
pub(crate) fn fingerprint(key: &ScrubKey) -> String {
    DigestBuilder::new("fingerprint of a scrub key").add_field(key.as_bytes()).finish().to_string()
}
