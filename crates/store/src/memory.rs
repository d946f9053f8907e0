//! Conversations and messages: the canonical half.

use crate::{NewArtifact, Result};
use async_trait::async_trait;
use model::scrub::ScrubKey;
use model::{ArtifactId, ChainHash, ConversationId, Message, MessageId, NewMessage, ProjectId, Timestamp, Tokens};

/// A message on its way in, with what the engine worked out about it.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// What its source said.
    pub body: NewMessage,
    /// Tokens of its content.
    pub tokens: Tokens,
    /// The artifacts it mentions.
    pub artifacts: Vec<ArtifactId>,
}

/// Messages to append to one conversation, in order.
#[derive(Clone, Debug)]
pub struct Append {
    /// The conversation; created when it does not exist.
    pub conversation: ConversationId,
    /// What people call it; kept from the first append.
    pub name: String,
    /// The project it belongs to; kept from the first append.
    pub project: Option<ProjectId>,
    /// The messages.
    pub rows: Vec<NewRow>,
    /// The artifacts they mention, those that are stored already among them or not.
    pub artifacts: Vec<NewArtifact>,
    /// What to do with a message whose external id is taken by other content.
    pub taken: Taken,
    /// The time to record as stored.
    pub now: Timestamp,
}

/// What becomes of a message whose external id is taken by other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is refused; the others are stored.
    Refuse,
    /// It is stored as a revision, under the id `ID~DIGITS`, the digits being those of its content's hash.
    Revise,
}

/// Proof that a message is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Its id.
    pub message: MessageId,
    /// Its place in the conversation.
    pub seq: u64,
    /// Its link of the hash chain.
    pub hash: ChainHash,
}

/// What became of one appended message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// Stored now.
    New(Ack),
    /// The same content was stored before under the same external id, or as a revision of it; nothing was written.
    Known(Ack),
    /// Stored now as a revision: its external id is taken by other content.
    Revised(Ack),
    /// The external id is taken by other content; nothing was written for this message.
    Conflict {
        /// The id that is taken.
        external_id: String,
    },
}

impl Appended {
    /// The proof that the message is stored, unless it is not.
    pub fn ack(&self) -> Option<&Ack> {
        match self {
            Self::New(ack) | Self::Known(ack) | Self::Revised(ack) => Some(ack),
            Self::Conflict { .. } => None,
        }
    }
}

/// A conversation, without its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// What people call it.
    pub name: String,
    /// The project it belongs to.
    pub project: Option<ProjectId>,
    /// Number of messages, which is also the last `seq`.
    pub messages: u64,
    /// Tokens of all messages.
    pub tokens: Tokens,
    /// The last link of the chain.
    pub head: ChainHash,
}

/// Which messages of one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The newest ones, oldest first.
    Last(u32),
    /// Those after a place, oldest first.
    After {
        /// The place; 0 starts at the beginning.
        seq: u64,
        /// How many at most.
        limit: u32,
    },
}

/// A place in the order in which one store took its messages; opaque to callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(pub i64);

/// Which state the messages of a store are in: another value after every append that stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryVersion(pub i64);

/// Messages to look through, newest first.
#[derive(Clone, Debug, Default)]
pub struct MessageScan {
    /// Only this conversation.
    pub conversation: Option<ConversationId>,
    /// Only messages that hold all of these terms, as [`model::terms`] cuts them; none means every message. What that
    /// never cuts (capitals, blanks, nothing at all) is held by no message.
    pub terms: Vec<String>,
    /// Continue behind this place.
    pub before: Option<Cursor>,
    /// How many at most.
    pub limit: u32,
}

/// Totals of the canonical half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MemoryTotals {
    /// Conversations.
    pub conversations: u64,
    /// Messages.
    pub messages: u64,
    /// Tokens of all messages.
    pub tokens: u64,
}

/// Something the database says is wrong with itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where and what, in the database's words.
    pub what: String,
}

/// Conversations and messages.
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// Appends messages in order, all in one transaction, durable when this returns. An append of no messages makes
    /// the conversation.
    ///
    /// `seq` has no gaps and no repeats per conversation, whatever other writers do. The answer has one entry per
    /// message, in order; a conflict does not keep the others from being stored. Any text comes back as it was, NUL
    /// included.
    async fn append_messages(&self, append: Append) -> Result<Vec<Appended>>;

    /// One conversation, if it exists.
    async fn conversation(&self, id: &ConversationId) -> Result<Option<Conversation>>;

    /// All conversations, ordered by id.
    async fn conversations(&self) -> Result<Vec<Conversation>>;

    /// Messages of one conversation, oldest first.
    async fn messages(&self, conversation: &ConversationId, window: Window) -> Result<Vec<Message>>;

    /// The messages at some places of conversations, in the order asked; none where there is no such message.
    async fn messages_at(&self, places: &[(ConversationId, u64)]) -> Result<Vec<Option<Message>>>;

    /// The state of all messages, cheap to ask for: whoever holds something made from messages asks before using it.
    async fn memory_version(&self) -> Result<MemoryVersion>;

    /// Messages of any conversation, newest first, each with the place to continue behind. Following the places
    /// visits every message that was there at the start exactly once.
    async fn scan_messages(&self, scan: MessageScan) -> Result<Vec<(Cursor, Message)>>;

    /// Totals over all conversations.
    async fn memory_totals(&self) -> Result<MemoryTotals>;

    /// The key that placeholders of secrets are hashed with: made at the first call, the same ever after, for every
    /// process. Each tenant has one of its own.
    async fn scrub_key(&self) -> Result<ScrubKey>;

    /// What the database itself can say about its soundness; empty when it finds nothing wrong.
    async fn check_canonical(&self) -> Result<Vec<Fault>>;
}
