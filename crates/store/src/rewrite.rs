//! `RewriteStore`, the store trait for the only changes that canonical data ever sees: the purge of secrets from stored
//! texts, and the removal of a project's data. Also the types that describe such a change, the record that it leaves for
//! `verify`, and the SQL statements that delete a project, or what was derived from a conversation.
//!
//! Both changes happen because a person asked for them by name, and in one transaction.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use crate::Generation;
use crate::{EntityLinkRewrite, EntityRewrite, GenerationId, NewArtifact, NewFrame, Result};
use async_trait::async_trait;
use model::{
    ArtifactId, ContentHash, ConversationId, MemoryId, NewMemory, NewMessage, NewRecord, ProjectId, RecordId,
    Timestamp, TokenCount,
};
use std::fmt;

/// Texts that take the place of stored ones, all or none of them.
#[derive(Clone, Debug, Default)]
pub struct StoreRewrite {
    /// Messages with other words.
    pub messages: Vec<MessageRewrite>,
    /// Artifacts with other bytes, and so with other ids. The messages that mention them have to be among the messages.
    pub artifacts: Vec<ArtifactRewrite>,
    /// Frames of transcripts with other bytes.
    pub frames: Vec<FrameRewrite>,
    /// Tails of transcripts with other bytes.
    pub tails: Vec<TailRewrite>,
    /// Memories with other words, and so with other ids; what was noted about them stays.
    pub memories: Vec<(MemoryId, NewMemory)>,
    /// Statements about entities with other words.
    pub entities: Vec<EntityRewrite>,
    /// Statements about links with other words, or of entities that have other ids.
    pub entity_links: Vec<EntityLinkRewrite>,
    /// Records of sessions with other words, and so with other ids; what was noted about them stays.
    pub records: Vec<(RecordId, NewRecord)>,
    /// Texts that stand for themselves, with other words.
    pub side_texts: Vec<SideTextRewrite>,
    /// Conversations whose summaries and facts are dropped: they are made from messages, and are made anew.
    pub derived: Vec<ConversationId>,
}

impl StoreRewrite {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
            && self.artifacts.is_empty()
            && self.frames.is_empty()
            && self.tails.is_empty()
            && self.memories.is_empty()
            && self.entities.is_empty()
            && self.entity_links.is_empty()
            && self.records.is_empty()
            && self.side_texts.is_empty()
            && self.derived.is_empty()
    }
}

/// A message with other words.
#[derive(Clone, Debug)]
pub struct MessageRewrite {
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its place.
    pub seq: u64,
    /// The hash of the words that it has. Another one means that another process rewrote it meanwhile: `Conflict`.
    pub before: ContentHash,
    /// What it says now; its external id has to be the one it has.
    pub body: NewMessage,
    /// Tokens of that.
    pub tokens: TokenCount,
}

/// An artifact with other bytes.
#[derive(Clone, Debug)]
pub struct ArtifactRewrite {
    /// The artifact that goes.
    pub before: ArtifactId,
    /// The artifact that takes its place.
    pub artifact: NewArtifact,
}

/// A frame with other bytes. It takes the place of the old one in every generation that has it.
#[derive(Clone, Debug)]
pub struct FrameRewrite {
    /// The hash of the bytes that are kept now.
    pub before: ContentHash,
    /// The frame that takes its place; the hash of the original bytes is the same.
    pub frame: NewFrame,
}

/// The end of a transcript with other bytes.
#[derive(Clone, Debug)]
pub struct TailRewrite {
    /// Its generation.
    pub generation: GenerationId,
    /// The bytes that are kept from now on.
    pub content: Vec<u8>,
}

/// Where a text stands that belongs to nothing larger: a title, a tag, a kept question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
    /// What the row is known by.
    pub row: String,
}

impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} {}", self.column, self.table, self.row)
    }
}

/// A text that stands for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideText {
    /// Where it stands.
    pub place: TextPlace,
    /// Its words.
    pub text: String,
    /// Whether other rows know something by it, so that it cannot be replaced.
    pub is_name: bool,
}

/// A text that stands for itself, with other words.
#[derive(Clone, Debug)]
pub struct SideTextRewrite {
    /// Where it stands.
    pub place: TextPlace,
    /// The words that it has. Other ones mean that another process changed it meanwhile: `Conflict`.
    pub before: String,
    /// What it says now.
    pub text: String,
}

/// Why canonical data was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteReason {
    /// Secrets were replaced.
    Purged,
    /// It was removed, with the project that it belonged to.
    Forgotten,
}

impl RewriteReason {
    /// Its word, in the database and in replies.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Purged => "purged",
            Self::Forgotten => "forgotten",
        }
    }

    /// The reason of a word.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Purged, Self::Forgotten].into_iter().find(|reason| reason.as_str() == word)
    }
}

/// The record of a change of canonical data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewriteRecord {
    /// When it happened.
    pub at: Timestamp,
    /// Why.
    pub reason: RewriteReason,
    /// What was changed: the id of a conversation, artifact, memory, entity or link, the place of a text, or the path of a transcript and its generation.
    pub subject: String,
    /// How many messages or frames of it were changed or removed.
    pub items: u64,
    /// The hash that stood for it before: a head, a checkpoint or a content hash.
    pub before: ContentHash,
    /// The same afterwards; none where it was removed.
    pub after: Option<ContentHash>,
}

/// Changes of canonical data that a person asked for.
#[async_trait]
pub trait RewriteStore: Send + Sync {
    /// Puts other texts in the place of stored ones, and gives the records of it. The chains of messages and frames are
    /// computed anew from the first change on, so that the result proves itself as before. `Conflict` when something
    /// is not as the caller saw it.
    async fn rewrite_texts(&self, rewrite: StoreRewrite, now: Timestamp) -> Result<Vec<RewriteRecord>>;

    /// Every text that stands for itself, by table, column and row; for whoever looks at all texts.
    async fn side_texts(&self) -> Result<Vec<SideText>>;

    /// Removes the conversations, transcripts, artifacts, memories, entities and answers of a project, and gives the records of
    /// it. What other projects share with it stays. The ledger keeps what was spent.
    async fn forget_project(&self, project: &ProjectId, now: Timestamp) -> Result<Vec<RewriteRecord>>;

    /// Every record, in order.
    async fn list_rewrites(&self) -> Result<Vec<RewriteRecord>>;

    /// Frees what earlier changes left behind in the files of the database, so that no old bytes can be read from them.
    /// `Unavailable` when another process is in the way; the changes themselves hold all the same.
    async fn erase_freed_pages(&self) -> Result<()>;
}

/// A generation whose frames were replaced.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct RelinkedGeneration {
    pub(crate) subject: String,
    pub(crate) frames: u64,
    /// The checkpoint's hash.
    pub(crate) before: ContentHash,
    /// The same afterwards.
    pub(crate) after: ContentHash,
}

/// What a record calls a generation.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn generation_name(generation: &Generation) -> String {
    format!("{} (generation {})", generation.source.path, generation.number)
}

/// What is made from the messages of a conversation, in an order that no reference refuses; `@` stands before the name
/// of a table, and the parameter is the id of the conversation.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const DERIVED_DELETIONS: &[&str] = &[
    "DELETE FROM @context_items WHERE conversation IN (SELECT number FROM @conversations WHERE conversation_id = $1)",
    "DELETE FROM @summary_covers WHERE summary IN (SELECT s.number FROM @summaries s
       JOIN @conversations c ON c.number = s.conversation WHERE c.conversation_id = $1)",
    "DELETE FROM @summaries WHERE conversation IN (SELECT number FROM @conversations WHERE conversation_id = $1)",
    "DELETE FROM @session_summaries
       WHERE conversation IN (SELECT number FROM @conversations WHERE conversation_id = $1)",
    "DELETE FROM @conversation_facts
       WHERE conversation IN (SELECT number FROM @conversations WHERE conversation_id = $1)",
    "UPDATE @contexts SET version = version + 1, seen_to = 0, facts_to = 0, facts_rules = 0
       WHERE conversation IN (SELECT number FROM @conversations WHERE conversation_id = $1)",
];

/// Everything of a project, in an order that no reference refuses; the parameter is the id of the project. Frames and
/// artifacts go where nothing is left that has them.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const FORGET_DELETIONS: &[&str] = &[
    "DELETE FROM @message_origins WHERE generation IN (SELECT g.number FROM @generations g
       JOIN @conversations c ON c.number = g.conversation WHERE c.project_id = $1)",
    "DELETE FROM @message_origins WHERE message IN (SELECT m.number FROM @messages m
       JOIN @conversations c ON c.number = m.conversation WHERE c.project_id = $1)",
    "DELETE FROM @message_artifacts WHERE message IN (SELECT m.number FROM @messages m
       JOIN @conversations c ON c.number = m.conversation WHERE c.project_id = $1)",
    "DELETE FROM @generation_frames WHERE generation IN (SELECT g.number FROM @generations g
       JOIN @conversations c ON c.number = g.conversation WHERE c.project_id = $1)",
    "DELETE FROM @tails WHERE generation IN (SELECT g.number FROM @generations g
       JOIN @conversations c ON c.number = g.conversation WHERE c.project_id = $1)",
    "DELETE FROM @quarantine WHERE generation IN (SELECT g.number FROM @generations g
       JOIN @conversations c ON c.number = g.conversation WHERE c.project_id = $1)",
    "DELETE FROM @line_kinds WHERE generation IN (SELECT g.number FROM @generations g
       JOIN @conversations c ON c.number = g.conversation WHERE c.project_id = $1)",
    "DELETE FROM @generations WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @frames WHERE number NOT IN (SELECT frame FROM @generation_frames)",
    "DELETE FROM @artifacts WHERE number NOT IN (SELECT artifact FROM @message_artifacts)",
    "DELETE FROM @context_items WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @contexts WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @summary_covers WHERE summary IN (SELECT s.number FROM @summaries s
       JOIN @conversations c ON c.number = s.conversation WHERE c.project_id = $1)",
    "DELETE FROM @summaries WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @session_summaries WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @conversation_facts WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @jobs WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @messages WHERE conversation IN (SELECT number FROM @conversations WHERE project_id = $1)",
    "DELETE FROM @conversations WHERE project_id = $1",
    "DELETE FROM @memory_notes WHERE memory IN (SELECT number FROM @memories WHERE project_id = $1)",
    "DELETE FROM @memories WHERE project_id = $1",
    "DELETE FROM @entity_links WHERE project_id = $1",
    "DELETE FROM @entities WHERE project_id = $1",
    "DELETE FROM @session_record_notes WHERE record IN (SELECT number FROM @session_records WHERE project_id = $1)",
    "DELETE FROM @session_records WHERE project_id = $1",
    "DELETE FROM @answer_places WHERE answer_key IN (SELECT answer_key FROM @answers WHERE project_id = $1)",
    "DELETE FROM @answers WHERE project_id = $1",
    // Calls hold questions and paths; their totals hold neither.
    "DELETE FROM @tool_calls WHERE project_id = $1",
];
