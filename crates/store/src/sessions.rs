//! `SessionStore`, the store trait for conversations as sessions: how each stands (`ConversationState`), and the texts
//! that sum up the whole of one. Texts are only ever added, and no state hides or removes a message.

use crate::Result;
use async_trait::async_trait;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use model::{ArtifactId, FactId, MemoryId, MessageId, RecordKind, SummaryId};
use model::{ConversationId, ConversationState, ProjectId, SessionSummary, Timestamp};

/// How a conversation is to stand from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateChange {
    /// The conversation.
    pub conversation: ConversationId,
    /// Its number of messages by which the caller decided.
    pub messages: u64,
    /// The new state.
    pub state: ConversationState,
    /// When it is set.
    pub now: Timestamp,
}

/// When something was last done to conversations, by the clock of the program that did it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastActivity {
    /// When a message was stored.
    pub stored: Option<Timestamp>,
    /// When a summary was made.
    pub folded: Option<Timestamp>,
}

/// The query for [`SessionStore::last_activity`], which both stores ask alike; `$1` is the project or null. The newest
/// message of a conversation is the one at its last place, so no other is looked at.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn last_activity_sql(schema: &str) -> String {
    // The newest message of each conversation is looked up by its place: as a join, SQLite reads all messages for it.
    "SELECT
       (SELECT max((SELECT m.stored_at FROM @messages m WHERE m.conversation = c.number AND m.seq = c.message_count))
          FROM @conversations c WHERE CAST($1 AS text) IS NULL OR c.project_id = $1),
       (SELECT max(s.stored_at) FROM @summaries s JOIN @conversations c ON c.number = s.conversation
          WHERE CAST($1 AS text) IS NULL OR c.project_id = $1)"
        .replace('@', schema)
}

/// Conversations as sessions.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Sets how a conversation stands, and says whether it was set: not where messages came meanwhile, because the
    /// caller who speaks makes a conversation active again.
    async fn set_conversation_state(&self, change: StateChange) -> Result<bool>;

    /// Adds a text that sums up a conversation; those before it stay.
    async fn add_session_summary(&self, summary: SessionSummary) -> Result<()>;

    /// The newest text that sums up a conversation.
    async fn session_summary(&self, conversation: &ConversationId) -> Result<Option<SessionSummary>>;

    /// The ids of messages, summaries, facts, artifacts, memories and records that begin with a text, ordered, and no more than asked for.
    /// What is no beginning of such an id begins none.
    async fn ids_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>>;

    /// When something was last stored and last folded in the conversations of a project, or in all.
    async fn last_activity(&self, project: Option<&ProjectId>) -> Result<LastActivity>;

    /// How many summaries stand for stretches of each of these conversations, in the order asked.
    async fn count_summaries(&self, conversations: &[ConversationId]) -> Result<Vec<u64>>;
}

/// The table and the column that have the ids which a text may begin; none where it is the beginning of no id, which no
/// character of it could be quoted out of either.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn id_column(beginning: &str) -> Option<(&'static str, &'static str)> {
    let tables = [
        (MessageId::PREFIX, "messages", "message_id"),
        (SummaryId::PREFIX, "summaries", "summary_id"),
        (FactId::PREFIX, "conversation_facts", "fact_id"),
        (ArtifactId::PREFIX, "artifacts", "artifact_id"),
        (MemoryId::PREFIX, "memories", "memory_id"),
        (RecordKind::Checkpoint.id_prefix(), "session_records", "record_id"),
        (RecordKind::Subscription.id_prefix(), "session_records", "record_id"),
        (RecordKind::Suggestion.id_prefix(), "session_records", "record_id"),
    ];
    let is_hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    tables.into_iter().find_map(|(prefix, table, column)| {
        beginning.strip_prefix(prefix).filter(|digits| is_hex(digits)).map(|_| (table, column))
    })
}

/// What comes behind everything that begins with a text of hexadecimal digits.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn end_of_beginning(beginning: &str) -> String {
    format!("{beginning}g")
}
