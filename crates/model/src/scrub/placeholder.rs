//! `Placeholder`, the text that replaces a scrubbed secret: `[secret:github-pat:3f9c01aa]`; also finds placeholders.
//!
//! Plain ASCII, because it must fit into JSON, into text that is not UTF-8 and onto any terminal. The last field is a
//! keyed hash of the secret with escapes undone: the same secret is the same everywhere, and an attacker without the
//! key cannot try guesses against it.

use super::escape::UnescapedView;
use super::{RuleName, ScrubKey};
use memchr::memmem;
use std::fmt;
use std::ops::Range;

/// The text that replaces one secret.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placeholder(String);

const PLACEHOLDER_PREFIX: &str = "[secret:";
/// Hexadecimal digits of the hash.
const DIGITS: usize = 8;

impl Placeholder {
    pub(super) fn new(key: &ScrubKey, rule: &RuleName, text: &[u8], range: Range<usize>) -> Self {
        let hash = blake3::keyed_hash(&key.0, UnescapedView::new(text, range).as_bytes()).to_hex();
        Self(format!("{PLACEHOLDER_PREFIX}{}:{}]", rule.as_str(), &hash[..DIGITS]))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A word that stands in every placeholder, as [`crate::terms`] cuts it: what a search for placeholders asks for.
pub const PLACEHOLDER_TERM: &str = "secret";

/// The rule of every placeholder that a text holds, in order.
pub fn rules_in(text: &str) -> impl Iterator<Item = &str> {
    let rule =
        |range: Range<usize>| text[range].strip_prefix(PLACEHOLDER_PREFIX).and_then(|fields| fields.split(':').next());
    find_placeholders(text.as_bytes()).into_iter().filter_map(rule)
}

/// Every placeholder that a text already holds, in order.
pub(super) fn find_placeholders(text: &[u8]) -> Vec<Range<usize>> {
    memmem::find_iter(text, PLACEHOLDER_PREFIX.as_bytes())
        .filter_map(|start| Some(start..placeholder_end(text, start)?))
        .collect()
}

fn placeholder_end(text: &[u8], start: usize) -> Option<usize> {
    let fields = &text[start + PLACEHOLDER_PREFIX.len()..];
    let name = fields.iter().take(RuleName::MAX_LENGTH + 1).position(|byte| *byte == b':')?;
    let hash = fields.get(name + 1..name + 1 + DIGITS)?;
    // Checked exactly: a text that only begins like a placeholder must not hide a secret behind it.
    let is_one = RuleName::is_valid(&fields[..name])
        && hash.iter().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte))
        && fields.get(name + 1 + DIGITS) == Some(&b']');
    is_one.then_some(start + PLACEHOLDER_PREFIX.len() + name + 1 + DIGITS + 1)
}
