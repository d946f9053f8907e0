//! Id types for projects, conversations, messages, summaries, artifacts, facts, memories, entities, grants and symbols. Ids are
//! readable strings with a prefix that says what they name (`conv_…`, `msg_…`, `sum_…`), so that a person or an agent
//! can tell them apart in a log, and a wrong one is refused when it is parsed instead of deep in a query.

use crate::ContentHash;
use std::borrow::Cow;
use std::fmt;

/// Why a text is not an id of the wanted kind.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is not {wanted}: expected `{prefix}` and 16 hexadecimal digits")]
pub struct IdError {
    text: String,
    wanted: &'static str,
    prefix: &'static str,
}

/// Hexadecimal digits after the prefix: 64 bits, enough that ids of one store never meet by accident.
const DIGITS: usize = 16;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $wanted:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// The prefix of every id of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// The id that a hash gives.
            pub fn from_hash(hash: ContentHash) -> Self {
                let hex = hash.to_string();
                Self(format!("{}{}", $prefix, &hex[..DIGITS]))
            }

            /// Reads an id, refusing anything that is not one.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                let digits = text.strip_prefix($prefix);
                let is_hex = |d: &str| d.len() == DIGITS && d.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
                if digits.is_some_and(is_hex) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(IdError { text: text.to_owned(), wanted: $wanted, prefix: $prefix })
                }
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type!(
    /// One repository or directory, whichever of its worktrees is looked at.
    ProjectId, "proj_", "a project id"
);
id_type!(
    /// One conversation.
    ConversationId, "conv_", "a conversation id"
);
id_type!(
    /// One message of a conversation.
    MessageId, "msg_", "a message id"
);
id_type!(
    /// One summary; immutable and named by its content.
    SummaryId, "sum_", "a summary id"
);
id_type!(
    /// Large content kept outside its message.
    ArtifactId, "art_", "an artifact id"
);
id_type!(
    /// One fact taken from a conversation without a model.
    FactId, "fact_", "a fact id"
);
id_type!(
    /// One memory: a text that later sessions are told.
    MemoryId, "mem_", "a memory id"
);
id_type!(
    /// One entity that somebody named.
    EntityId, "ent_", "an entity id"
);
id_type!(
    /// One link between entities, symbols, files or requirements that somebody made.
    EntityLinkId, "link_", "a link id"
);
id_type!(
    /// Permission for another agent to expand summaries.
    GrantId, "grant_", "a grant id"
);

/// One symbol of a project: `path#Container.name`, with `~…` after it where a file defines the same qualified name twice.
///
/// It holds no position, so text added elsewhere in the file leaves it alone. A `#` or `%` in the path itself is
/// written `%23` or `%25`, so that the first `#` always ends the path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(String);

impl SymbolId {
    /// Builds an id from a project-relative path and the qualified name inside the file (`Container.name`).
    pub fn new(path: &str, qualified_name: &str) -> Self {
        // A path may contain the character that separates it from the qualified name; the escape sign itself is escaped as well.
        if path.contains(['#', '%']) {
            let path = path.replace('%', "%25").replace('#', "%23");
            return Self(format!("{path}#{qualified_name}"));
        }
        Self(format!("{path}#{qualified_name}"))
    }

    /// Reads an id written earlier; the part after `#` may not be empty.
    pub fn parse(text: &str) -> Option<Self> {
        let (path, qualified_name) = text.split_once('#')?;
        (!path.is_empty() && !qualified_name.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The file's project-relative path.
    pub fn file_path(&self) -> Cow<'_, str> {
        let path = self.0.split_once('#').map_or("", |(path, _)| path);
        if path.contains('%') { path.replace("%23", "#").replace("%25", "%").into() } else { path.into() }
    }

    /// The qualified name inside the file.
    pub fn qualified_name(&self) -> &str {
        self.0.split_once('#').map_or("", |(_, qualified_name)| qualified_name)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_what_it_wrote() {
        let id = MessageId::from_hash(ContentHash::hash_bytes(b"hello"));
        assert_eq!(MessageId::parse(id.as_str()), Ok(id));
    }

    #[test]
    fn an_id_of_another_kind_is_refused_by_name() {
        let error = MessageId::parse("conv_00ff00ff00ff00ff").expect_err("a conversation is not a message");
        assert_eq!(
            error.to_string(),
            "`conv_00ff00ff00ff00ff` is not a message id: expected `msg_` and 16 hexadecimal digits"
        );
    }

    #[test]
    fn a_symbol_id_splits_at_its_first_hash() {
        let id = SymbolId::new("src/lib.rs", "Session.login");
        assert_eq!((id.file_path().as_ref(), id.qualified_name()), ("src/lib.rs", "Session.login"));
        assert_eq!(SymbolId::parse("src/lib.rs"), None);
        let odd = SymbolId::new("c#/100%23/a.cs", "A.#b");
        assert_eq!(odd.as_str(), "c%23/100%2523/a.cs#A.#b");
        assert_eq!((odd.file_path().as_ref(), odd.qualified_name()), ("c#/100%23/a.cs", "A.#b"));
    }
}
