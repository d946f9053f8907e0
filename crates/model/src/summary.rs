//! `Summary`, the data type for summaries: immutable nodes of a tree, each of which replaces a range of a
//! conversation's messages.
//!
//! A summary covers a range of places without gaps: whole messages, and whole summaries that were made of some of them
//! before. So no message can be covered by half, and "each message once" is a question of ranges that do not overlap.

use crate::{ConversationId, DigestBuilder, SummaryId, Timestamp, TokenCount};
use std::fmt;

/// Which level a summary stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SummaryKind {
    /// Covers messages only.
    Leaf,
    /// Covers summaries, and messages that stand between them.
    Condensed,
}

crate::enum_words! { pub SummaryKind { Leaf = "leaf", Condensed = "condensed" } }

/// Places of a conversation, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeqRange {
    /// The first place.
    pub first: u64,
    /// The last place; never before the first.
    pub last: u64,
}

impl SeqRange {
    /// How many places.
    pub fn count(self) -> u64 {
        self.last - self.first + 1
    }

    /// Whether a place is one of them.
    pub fn contains(self, seq: u64) -> bool {
        (self.first..=self.last).contains(&seq)
    }

    /// Whether all places of `other` are among them.
    pub fn covers(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

impl fmt::Display for SeqRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

/// What wrote a summary's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SummaryMethod {
    /// The built-in summarizer, which takes sentences as they are.
    Extractive,
    /// The built-in summarizer, because the model that was asked gave nothing usable: worth doing again.
    Fallback,
    /// A model.
    Model {
        /// Vendor and model.
        model: String,
        /// Which prompt made it.
        prompt: String,
    },
}

impl SummaryMethod {
    /// The method's word, as shown and stored.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Fallback => "fallback",
            Self::Model { .. } => "model",
        }
    }

    /// The model that wrote it and the prompt it was asked with, where one did.
    pub fn model_and_prompt(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Extractive | Self::Fallback => (None, None),
            Self::Model { model, prompt } => (Some(model), Some(prompt)),
        }
    }
}

/// Why the context was folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldTrigger {
    /// The context came too near to what the model can read, or had too many messages.
    Threshold,
    /// The user asked for it.
    Manual,
    /// There was time for it.
    Maintenance,
}

crate::enum_words! { pub FoldTrigger { Threshold = "threshold", Manual = "manual", Maintenance = "maintenance" } }

/// How many of the facts in what it covers a summary still names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptFacts {
    /// Named.
    pub kept: u32,
    /// There were.
    pub of: u32,
}

/// One summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Named by its text and what it covers; see [`Summary::id_of`].
    pub id: SummaryId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The messages it stands for.
    pub range: SeqRange,
    /// The summaries it covers, in order; empty for a leaf. Messages of its range that none of them covers, it covers
    /// itself.
    pub covers: Vec<SummaryId>,
    /// 0 for a leaf; one more than the deepest it covers otherwise.
    pub depth: u32,
    /// The text.
    pub content: String,
    /// Tokens of the text.
    pub tokens: TokenCount,
    /// Tokens of all messages it stands for.
    pub source_tokens: TokenCount,
    /// When the first of its messages happened, in its source's words.
    pub from: Option<String>,
    /// When the last of them happened.
    pub until: Option<String>,
    /// What wrote it.
    pub method: SummaryMethod,
    /// Why the context was folded.
    pub trigger: FoldTrigger,
    /// How many facts it kept.
    pub kept: KeptFacts,
    /// The summary of the same range that it was made anew for.
    pub redoes: Option<SummaryId>,
    /// When it was stored.
    pub created: Timestamp,
}

impl Summary {
    /// The id of a summary: of its text, its range and the summaries it covers.
    pub fn id_of(conversation: &ConversationId, range: SeqRange, covers: &[SummaryId], content: &str) -> SummaryId {
        let digest = DigestBuilder::new("summary")
            .add_field(conversation.as_str().as_bytes())
            .add_field(&range.first.to_le_bytes())
            .add_field(&range.last.to_le_bytes())
            .add_field(&(covers.len() as u64).to_le_bytes());
        let digest = covers.iter().fold(digest, |digest, id| digest.add_field(id.as_str().as_bytes()));
        SummaryId::from_hash(digest.add_field(content.as_bytes()).finish())
    }

    /// Whether its text and what it covers are what it was made with.
    pub fn is_intact(&self) -> bool {
        self.id == Self::id_of(&self.conversation, self.range, &self.covers, &self.content)
    }

    /// Its level.
    pub fn kind(&self) -> SummaryKind {
        if self.covers.is_empty() { SummaryKind::Leaf } else { SummaryKind::Condensed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContentHash;

    #[test]
    fn an_id_depends_on_text_range_and_coverage() {
        let conversation = ConversationId::from_hash(ContentHash::hash_bytes(b"c"));
        let child = SummaryId::from_hash(ContentHash::hash_bytes(b"child"));
        let id = |first, covers: &[SummaryId], text| {
            Summary::id_of(&conversation, SeqRange { first, last: 9 }, covers, text)
        };
        let ids = [id(1, &[], "a"), id(2, &[], "a"), id(1, std::slice::from_ref(&child), "a"), id(1, &[], "b")];
        for (number, one) in ids.iter().enumerate() {
            assert!(ids[number + 1..].iter().all(|other| other != one));
        }
        assert_eq!(ids[0], id(1, &[], "a"));
    }
}
