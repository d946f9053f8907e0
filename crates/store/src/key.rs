//! Generates a random key from the operating system. The key is for the keyed hash in placeholders of scrubbed
//! secrets, and each store keeps its own.

use model::scrub::ScrubKey;

/// A new random key from the operating system.
pub(crate) fn random_key() -> std::io::Result<ScrubKey> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(ScrubKey::new(bytes))
}
