//! Assigns unique external ids to messages of a transcript. Agents copy lines when a conversation is resumed or forked,
//! and some give one id to different texts. The same text under the same id is a copy; another text gets an id made
//! from its content, so that reading the lines again gives the same id. What has no id is named by its place and its
//! text.

use std::collections::HashMap;
use std::path::Path;

use model::ContentHash;

/// Names, and what was said under each. There is one for every line, so both are kept as hashes.
#[derive(Default)]
pub(crate) struct ExternalIds(HashMap<HashKey, u64>);

/// Stands for a name in a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HashKey(u128);

/// What a name turned out to be.
pub(crate) enum IdAssignment {
    /// Said for the first time, under this name.
    New(String),
    /// Said before, under this name.
    Copy(String),
}

impl ExternalIds {
    pub(crate) fn has_id(&self, name: &str) -> bool {
        self.0.contains_key(&HashKey::from_text(name))
    }

    /// Names what was said, verbatim, as the `place`th of its kind.
    pub(crate) fn assign_id(&mut self, id: Option<&str>, place: u64, verbatim: &str) -> IdAssignment {
        let words = short_hash(verbatim);
        let mut name = id.map_or_else(|| format!("at-{place}-{words:016x}"), str::to_owned);
        // Taken by other words: the name gets the hash of these words, so that reading the file again gives the same
        // name.
        if self.0.get(&HashKey::from_text(&name)).is_some_and(|taken| *taken != words) {
            name = format!("{name}~{words:016x}");
        }
        match self.0.insert(HashKey::from_text(&name), words) {
            Some(_) => IdAssignment::Copy(name),
            None => IdAssignment::New(name),
        }
    }
}

impl HashKey {
    pub(crate) fn from_text(name: &str) -> Self {
        let hash = ContentHash::hash_bytes(name.as_bytes());
        Self(hash.as_bytes()[..16].iter().fold(0, |key, byte| key << 8 | u128::from(*byte)))
    }
}

/// What to call a conversation whose file says no id: its file's name for people, and after it a hash of the place and of
/// what is said first, because names like `messages.jsonl` are everywhere and a file may be used for something else.
pub(crate) fn name_at(path: &Path, first: &str) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    // The first words are part of the name: a file such as `messages.jsonl` may be used again for another conversation.
    let known = short_hash(&format!("{}\n{first}", path.display()));
    format!("{stem}-{:08x}", known >> 32)
}

/// Enough of a hash to tell apart what was said.
pub(crate) fn short_hash(text: &str) -> u64 {
    ContentHash::hash_bytes(text.as_bytes()).as_bytes()[..8].iter().fold(0, |short, byte| short << 8 | u64::from(*byte))
}
