//! `ContentHash`, a BLAKE3 hash of 32 bytes, written as lower-case hexadecimal, and `DigestBuilder`, which hashes
//! several fields without ambiguity.

use std::fmt;

/// The hash of some bytes; equal bytes have equal hashes, everywhere and always.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn hash_bytes(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Takes a stored hash back; `None` when it does not have 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The raw bytes, as stored.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Hashes a sequence of fields so that no two different sequences can collide by concatenation:
/// every field is preceded by its length.
#[derive(Default)]
pub struct DigestBuilder(blake3::Hasher);

impl DigestBuilder {
    /// Starts a digest under a purpose, so that hashes made for different purposes never meet.
    pub fn new(purpose: &str) -> Self {
        Self::default().add_field(purpose.as_bytes())
    }

    /// Adds one field.
    pub fn add_field(mut self, bytes: &[u8]) -> Self {
        // The length comes first, so that `ab`+`c` and `a`+`bc` give different digests.
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a field that may be absent; absent and empty differ.
    pub fn add_optional(self, bytes: Option<&[u8]>) -> Self {
        match bytes {
            Some(bytes) => self.add_field(&[1]).add_field(bytes),
            None => self.add_field(&[0]),
        }
    }

    /// The hash of all fields.
    pub fn finish(self) -> ContentHash {
        ContentHash(*self.0.finalize().as_bytes())
    }
}
