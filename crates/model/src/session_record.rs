//! `SessionRecord`, the data type for what is kept of the work of a session beside its messages: checkpoints of its state,
//! what it wants to be told of, and what it was to be told. A record never changes; what happens to it is noted behind it,
//! and how it stands follows from the notes.

use crate::{ContentHash, DigestBuilder, ProjectId, Timestamp};
use std::fmt;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordKind {
    /// The state of the work at a moment.
    Checkpoint,
    /// What a session wants to be told of.
    Subscription,
    /// What a session was to be told.
    Suggestion,
}

crate::enum_words! {
    pub RecordKind { Checkpoint = "checkpoint", Subscription = "subscription", Suggestion = "suggestion" }
}

impl RecordKind {
    /// The prefix of the ids of such records.
    pub fn id_prefix(self) -> &'static str {
        match self {
            Self::Checkpoint => "ckpt_",
            Self::Subscription => "subs_",
            Self::Suggestion => "sugg_",
        }
    }
}

/// The id of a record; its prefix says what it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(String);

/// Hexadecimal digits after the prefix.
const DIGITS: usize = 16;

impl RecordId {
    /// The id that a hash gives.
    pub fn from_hash(kind: RecordKind, hash: ContentHash) -> Self {
        Self(format!("{}{}", kind.id_prefix(), &hash.to_string()[..DIGITS]))
    }

    /// Reads an id; none where it is no id of a record.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = RecordKind::ALL.iter().find_map(|(kind, _)| text.strip_prefix(kind.id_prefix()))?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        (digits.len() == DIGITS && is_hex).then(|| Self(text.to_owned()))
    }

    /// What the record is.
    pub fn kind(&self) -> RecordKind {
        let kinds = RecordKind::ALL.iter().map(|(kind, _)| *kind);
        kinds.into_iter().find(|kind| self.0.starts_with(kind.id_prefix())).expect("every id has the prefix of a kind")
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A record on its way in: what never changes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRecord {
    /// What it is.
    pub kind: RecordKind,
    /// The project it is about.
    pub project: ProjectId,
    /// What the session's conversation is called.
    pub session: String,
    /// Of a checkpoint the step that the work was at; 0 else.
    pub step: u64,
    /// The record that it follows from: of a suggestion its subscription.
    pub about: Option<RecordId>,
    /// What it says, as a JSON object.
    pub content: String,
    /// When it was made.
    pub created: Timestamp,
}

impl NewRecord {
    /// Its id: what says the same at the same moment is one record, so that writing it twice does no harm.
    pub fn id(&self) -> RecordId {
        let digest = DigestBuilder::new("session record")
            .add_field(self.project.as_str().as_bytes())
            .add_field(self.session.as_bytes())
            .add_field(&self.step.to_le_bytes())
            .add_optional(self.about.as_ref().map(|about| about.as_str().as_bytes()))
            .add_field(self.content.as_bytes())
            .add_field(&self.created.0.to_le_bytes());
        RecordId::from_hash(self.kind, digest.finish())
    }
}

/// What can happen to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEvent {
    /// It is listed no more.
    Dropped,
    /// A subscription rests.
    Paused,
    /// A subscription goes on.
    Resumed,
    /// A subscription is over.
    Completed,
    /// A suggestion was told.
    Delivered,
    /// Its session did something with it.
    Acted,
    /// Its session did not want it.
    Dismissed,
}

crate::enum_words! {
    pub RecordEvent {
        Dropped = "dropped",
        Paused = "paused",
        Resumed = "resumed",
        Completed = "completed",
        Delivered = "delivered",
        Acted = "acted",
        Dismissed = "dismissed",
    }
}

/// Something that happened to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordNote {
    /// When it was noted.
    pub at: Timestamp,
    /// What happened.
    pub event: RecordEvent,
}

/// A record as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// Its id.
    pub id: RecordId,
    /// Its place among all records of the store, in the order in which they were added.
    pub number: i64,
    /// What never changes of it.
    pub body: NewRecord,
    /// What happened to it, in order.
    pub notes: Vec<RecordNote>,
}

impl SessionRecord {
    /// What happened to it last.
    pub fn last_event(&self) -> Option<RecordEvent> {
        self.notes.last().map(|note| note.event)
    }

    /// Whether something happened to it at any time.
    pub fn has_event(&self, event: RecordEvent) -> bool {
        self.notes.iter().any(|note| note.event == event)
    }

    /// Whether it says what it was stored with.
    pub fn is_intact(&self) -> bool {
        self.id == self.body.id()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_named_by_all_that_it_says() {
        let project = ProjectId::from_hash(ContentHash::hash_bytes(b"p"));
        let record = NewRecord {
            kind: RecordKind::Checkpoint,
            project,
            session: "s".to_owned(),
            step: 3,
            about: None,
            content: "{}".to_owned(),
            created: Timestamp(7),
        };
        let id = record.id();
        assert_eq!((id.kind(), RecordId::parse(id.as_str())), (RecordKind::Checkpoint, Some(id.clone())));
        let others = [
            NewRecord { kind: RecordKind::Subscription, ..record.clone() },
            NewRecord { session: "t".to_owned(), ..record.clone() },
            NewRecord { step: 4, ..record.clone() },
            NewRecord { about: Some(id.clone()), ..record.clone() },
            NewRecord { content: "{\"a\":1}".to_owned(), ..record.clone() },
            NewRecord { created: Timestamp(8), ..record.clone() },
        ];
        assert!(others.iter().all(|other| other.id() != id));
        let mut stored = SessionRecord { id, number: 1, body: record, notes: Vec::new() };
        assert!(stored.is_intact() && stored.last_event().is_none());
        stored.body.content.push(' ');
        assert!(!stored.is_intact());
        assert_eq!(RecordId::parse("ckpt_12"), None);
        assert_eq!(RecordId::parse("mem_0123456789abcdef"), None);
    }
}
