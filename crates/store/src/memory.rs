//! `MemoryStore`, the store trait for conversations and their messages (append, read, search), with its data types.
//! Messages are canonical: append-only, durable, and compared with their hash when they are read.

use crate::{DamagedMessage, NewArtifact, Result};
use async_trait::async_trait;
use model::scrub::ScrubKey;
use model::{
    ArtifactId, ChainHash, ConversationId, ConversationState, Message, MessageId, NewMessage, ProjectId, Timestamp,
    TokenCount,
};
use std::sync::Arc;

/// A message on its way in, with what the engine worked out about it.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// What its source said.
    pub body: NewMessage,
    /// Tokens of its content.
    pub tokens: TokenCount,
    /// The artifacts it mentions.
    pub artifacts: Vec<ArtifactId>,
}

/// Messages to append to one conversation, in order.
#[derive(Clone, Debug)]
pub struct AppendBatch {
    /// The conversation; created when it does not exist.
    pub conversation: ConversationId,
    /// What people call it; kept from the first append.
    pub name: String,
    /// The project it belongs to; kept from the first append that names one.
    pub project: Option<ProjectId>,
    /// Whose it is, in a store that several people share; kept from the first append.
    pub author: Option<String>,
    /// The line that its source calls it by; the newest one that says any is kept.
    pub title: Option<String>,
    /// The messages.
    pub rows: Vec<NewRow>,
    /// The artifacts they mention, whether or not some are stored already.
    pub artifacts: Vec<NewArtifact>,
    /// What to do with a message whose external id is taken by other content.
    pub taken: ConflictPolicy,
    /// The time to record as stored.
    pub now: Timestamp,
}

/// What becomes of a message whose external id is taken by other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictPolicy {
    /// It is refused; the others are stored.
    Refuse,
    /// It is stored as a revision, under the id `ID~DIGITS`, the digits being those of its content's hash.
    Revise,
}

/// Proof that a message is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageAck {
    /// Its id.
    pub message: MessageId,
    /// Its place in the conversation.
    pub seq: u64,
    /// Its link of the hash chain.
    pub hash: ChainHash,
}

/// What became of one appended message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// Stored now.
    New(MessageAck),
    /// The same content was stored before under the same external id, or as a revision of it; nothing was written.
    Known(MessageAck),
    /// Stored now as a revision: its external id is taken by other content.
    Revised(MessageAck),
    /// The external id is taken by other content; nothing was written for this message.
    Conflict {
        /// The id that is taken.
        external_id: String,
    },
}

impl AppendOutcome {
    /// The proof that the message is stored, unless it is not.
    pub fn ack(&self) -> Option<&MessageAck> {
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
    /// Its number in this store, which it keeps; for callers that know conversations by numbers.
    pub number: i64,
    /// What people call it.
    pub name: String,
    /// The project it belongs to.
    pub project: Option<ProjectId>,
    /// Whose it is; none where it belongs to all who use the store.
    pub author: Option<String>,
    /// Number of messages, which is also the last `seq`.
    pub messages: u64,
    /// Tokens of all messages.
    pub tokens: TokenCount,
    /// The last link of the chain.
    pub head: ChainHash,
    /// The line that its source calls it by, where it has one.
    pub title: Option<String>,
    /// When its first message happened, as far as its source is believed ([`model::believed_time`]); when it was made,
    /// where it has none.
    pub created: Timestamp,
    /// When its newest message happened, in the same way.
    pub updated: Timestamp,
    /// How it stands. A new message makes it active.
    pub state: ConversationState,
    /// When the state was set.
    pub state_set: Timestamp,
}

/// Which messages of one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageWindow {
    /// The newest ones, oldest first.
    Last(u32),
    /// Messages after a place, oldest first.
    After {
        /// The place; 0 starts at the beginning.
        seq: u64,
        /// How many at most.
        limit: u32,
    },
}

/// A place in the order in which one store took its messages; opaque to callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreCursor(pub i64);

/// Which state the messages of a store are in: another value after every append that stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryVersion(pub i64);

/// Which messages to look for.
#[derive(Clone, Debug, Default)]
pub struct MessageQuery {
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only of the conversations of this project.
    pub project: Option<ProjectId>,
    /// Only those that hold all of these terms, as [`model::terms`] cuts them; none means every message. What that
    /// never cuts (capitals, blanks, nothing at all) is held by no message.
    pub terms: Vec<String>,
    /// Only those from then on, by when they happened; one that does not say counts by when it was stored.
    pub since: Option<Timestamp>,
    /// Only those before then.
    pub until: Option<Timestamp>,
    /// Only those behind this place.
    pub before: Option<StoreCursor>,
    /// Where terms can stand, as far as the caller knows.
    pub among: Option<MessageFilter>,
}

/// A hint from a caller that knows where terms stand: of the messages that a state of the store has, none but those at
/// some places hold all of them. It saves looking and changes nothing that is found; a store that knows by itself need
/// not listen.
#[derive(Clone, Debug)]
pub struct MessageFilter {
    /// Conversations and places in them.
    pub places: Vec<(ConversationId, u64)>,
    /// The state. Of messages that came after it nothing is said.
    pub version: MemoryVersion,
}

/// Judges a message by its content. Called from several threads at once, in any order.
pub type ContentMatcher = Arc<dyn Fn(&[u8]) -> MatchOutcome + Send + Sync>;

/// What a [`ContentMatcher`] says of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchOutcome {
    /// It is one of those looked for.
    Matches,
    /// It is not.
    Differs,
    /// There is no time to judge it, or any other.
    Stop,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageMatches {
    /// The places of the messages, those stored last first.
    pub matches: Vec<FoundPlace>,
    /// Where the search was stopped: every message before this place was judged, and matches behind it are not
    /// reported.
    pub end: Option<StoreCursor>,
    /// Messages that are not what was acknowledged and were not judged, newest first.
    pub damaged: Vec<DamagedMessage>,
    /// Whether a message was not where it should be. It was removed on purpose or lost, which `check_counts` tells apart.
    pub has_gaps: bool,
}

impl MessageMatches {
    /// The places alone.
    pub fn cursors(&self) -> Vec<StoreCursor> {
        self.matches.iter().map(|found| found.cursor).collect()
    }
}

/// The place of a message that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPlace {
    /// The place.
    pub cursor: StoreCursor,
    /// When the message happened, as far as its source is believed.
    pub happened: Timestamp,
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

/// Something that a look at the database itself finds wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFault {
    /// Where and what. For rows that refer to nothing the words are the same in every store; for the rest they are the
    /// database's own.
    pub what: String,
    /// What it is.
    pub kind: FaultKind,
}

impl DatabaseFault {
    /// What the sum over the rows of a table shows, in the same words on every store: none where they are those that
    /// were stored.
    pub(crate) fn from_sums(table: &str, stored: i64, found: i64, is_same: bool) -> Option<Self> {
        let what = match is_same {
            _ if stored != found => format!("{table} has {found} rows, {stored} were stored"),
            false => format!("a row of {table} is not as it was stored"),
            true => return None,
        };
        Some(Self { what, kind: FaultKind::Structure })
    }
}

/// What a [`DatabaseFault`] is, as far as it decides what can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The database is not as we made it: a damaged page, a switch that an administrator turned.
    Structure,
    /// An item of an active context refers to a row that is not there. Messages are all there.
    DanglingItem,
    /// Another row refers to one that is not there.
    MissingRow,
    /// The anchor knows of something that the database does not have, or not any more.
    Lost,
}

/// Conversations and messages.
///
/// Every message is compared with its hash when it is read. One that is not what was acknowledged fails the method that
/// was to give it, with `DamagedMessage`; only [`MemoryStore::find_messages`] goes on and names it.
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// Appends messages in order, all in one transaction, durable when this returns. An append of no messages makes
    /// the conversation.
    ///
    /// `seq` has no gaps and no repeats per conversation, whatever other writers do. The answer has one entry per
    /// message, in order; a conflict does not keep the others from being stored. Any text comes back as it was, NUL
    /// included.
    async fn append_messages(&self, append: AppendBatch) -> Result<Vec<AppendOutcome>>;

    /// One conversation, if it exists.
    async fn load_conversation(&self, id: &ConversationId) -> Result<Option<Conversation>>;

    /// All conversations, ordered by id.
    async fn list_conversations(&self) -> Result<Vec<Conversation>>;

    /// Messages of one conversation, oldest first.
    async fn load_messages(&self, conversation: &ConversationId, window: MessageWindow) -> Result<Vec<Message>>;

    /// The messages at some places of conversations, in the order asked; none where there is no such message.
    async fn messages_at(&self, places: &[(ConversationId, u64)]) -> Result<Vec<Option<Message>>>;

    /// The state of all messages, cheap to ask for: a cache of something made from messages asks before it is used.
    async fn memory_version(&self) -> Result<MemoryVersion>;

    /// The messages of any conversation that are looked for, those stored last first. Without a judge all of them match.
    async fn find_messages(&self, find: MessageQuery, judge: Option<ContentMatcher>) -> Result<MessageMatches>;

    /// The messages at some places, in the order asked; none where there is no such message.
    async fn messages_numbered(&self, places: &[StoreCursor]) -> Result<Vec<Option<Message>>>;

    /// Totals over all conversations.
    async fn memory_totals(&self) -> Result<MemoryTotals>;

    /// The key that placeholders of secrets are hashed with: made at the first call, the same ever after, for every
    /// process. Each tenant has one of its own.
    async fn scrub_key(&self) -> Result<ScrubKey>;

    /// What the database itself can say about its soundness, and every row that refers to one that is not there; empty
    /// when nothing is wrong.
    async fn check_canonical(&self) -> Result<Vec<DatabaseFault>>;
}
