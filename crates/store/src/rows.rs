//! Converts database rows of conversations, messages and artifacts, as both stores read them, to model types, parses
//! ids and hashes in columns, and refuses damaged rows with `DamagedRow`.

use crate::{Artifact, Conversation, DamagedMessage, EntryBasis};
use model::{
    ArtifactId, ChainHash, ContentHash, ConversationId, ConversationState, DigestBuilder, EventTime, Message,
    MessageId, MessagePart, MessageRole, NewMessage, PartMarks, ProjectId, SummaryId, SymbolId, Timestamp, TokenCount,
    UtcDay, message_id,
};

/// A row is not one we could have written; what is wrong with it.
#[derive(Debug)]
pub(crate) struct DamagedRow(pub(crate) String);

/// A row of `conversations`.
pub(crate) struct ConversationRow {
    pub(crate) number: i64,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) project: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) messages: i64,
    pub(crate) tokens: i64,
    pub(crate) head: Vec<u8>,
    pub(crate) title: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) state: String,
    pub(crate) state_at: i64,
}

impl ConversationRow {
    pub(crate) fn into_conversation(self) -> Result<Conversation, DamagedRow> {
        Ok(Conversation {
            id: conversation_id_of(&self.id)?,
            number: self.number,
            name: self.name,
            project: self.project.as_deref().map(project_id_of).transpose()?,
            author: self.author,
            messages: self.messages as u64,
            tokens: TokenCount(u32::try_from(self.tokens).unwrap_or(u32::MAX)),
            head: ChainHash(hash_of(&self.head)?),
            title: self.title,
            created: Timestamp(self.created_at),
            updated: Timestamp(self.updated_at),
            state: ConversationState::parse(&self.state)
                .ok_or_else(|| DamagedRow(format!("state `{}` of a conversation", self.state)))?,
            state_set: Timestamp(self.state_at),
        })
    }
}

/// What a store keeps of the parts of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StoredParts {
    pub(crate) parts: Vec<MessagePart>,
    pub(crate) part_marks: PartMarks,
}

/// A row of `messages`, before its parts are read and its words checked.
pub(crate) struct MessageRow {
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) seq: i64,
    pub(crate) external_id: Option<String>,
    pub(crate) role: String,
    pub(crate) speaker: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) at_text: Option<String>,
    pub(crate) at_instant: Option<i64>,
    pub(crate) metadata: Option<String>,
    pub(crate) tokens: i64,
    pub(crate) content_hash: Vec<u8>,
    pub(crate) chain_hash: Vec<u8>,
    pub(crate) stored_at: i64,
}

impl MessageRow {
    /// The message with its parts, or why they cannot be read; refused when it is not the one that was acknowledged.
    pub(crate) fn into_message(self, parts: Result<StoredParts, DamagedRow>) -> Result<Message, DamagedMessage> {
        // The place is kept apart: a row that cannot be read still has to be named in the report.
        let id = self.id.clone();
        let conversation = self.conversation.clone();
        let seq = self.seq as u64;
        let read = parts.and_then(|parts| self.build_message(parts));
        read.map_err(|DamagedRow(what)| DamagedMessage { id, conversation, seq, what })
    }

    fn build_message(self, StoredParts { parts, part_marks }: StoredParts) -> Result<Message, DamagedRow> {
        let instant = self.at_instant.map(Timestamp);
        let message = Message {
            id: message_id_of(&self.id)?,
            conversation: conversation_id_of(&self.conversation)?,
            seq: self.seq as u64,
            body: NewMessage {
                external_id: self.external_id,
                role: MessageRole::parse(&self.role).ok_or_else(|| DamagedRow(format!("role `{}`", self.role)))?,
                speaker: self.speaker,
                session: self.session,
                at: self.at_text.map(|text| EventTime { text, instant }),
                metadata: self.metadata,
                parts,
                part_marks,
            },
            tokens: TokenCount(u32::try_from(self.tokens).map_err(|_| DamagedRow(format!("{} tokens", self.tokens)))?),
            hash: ChainHash(hash_of(&self.chain_hash)?),
            stored: Timestamp(self.stored_at),
        };
        // Every read compares the hash, so that a flipped bit is reported and never shown as the text of a message.
        if message.body.content_hash() != hash_of(&self.content_hash)? {
            return Err(DamagedRow("its content is not what was acknowledged".to_owned()));
        }
        // The id is derived from conversation and place. A row whose `seq` was changed has the right content in the
        // wrong place.
        if message.id != message_id(&message.conversation, message.seq, message.body.external_id.as_deref()) {
            return Err(DamagedRow("its id does not belong to its place".to_owned()));
        }
        Ok(message)
    }
}

/// The error for parts that do not fit the content of their message.
pub(crate) fn unknown_parts() -> DamagedRow {
    DamagedRow("its parts do not fit its content".to_owned())
}

/// A row of `artifacts`.
pub(crate) struct ArtifactRow {
    pub(crate) id: String,
    pub(crate) hash: Vec<u8>,
    pub(crate) bytes: i64,
    pub(crate) media_type: String,
    pub(crate) name: Option<String>,
    pub(crate) tokens: Option<i64>,
    pub(crate) summary: String,
    pub(crate) stored_at: i64,
}

impl ArtifactRow {
    pub(crate) fn into_artifact(self) -> Result<Artifact, DamagedRow> {
        Ok(Artifact {
            id: ArtifactId::parse(&self.id).map_err(|error| DamagedRow(error.to_string()))?,
            hash: hash_of(&self.hash)?,
            bytes: self.bytes as u64,
            media_type: self.media_type,
            name: self.name,
            tokens: self.tokens.map(|tokens| TokenCount(u32::try_from(tokens).unwrap_or(u32::MAX))),
            summary: self.summary,
            stored: Timestamp(self.stored_at),
        })
    }
}

pub(crate) fn message_id_of(text: &str) -> Result<MessageId, DamagedRow> {
    MessageId::parse(text).map_err(|error| DamagedRow(error.to_string()))
}

/// The column of a file's problems: one a line, null where there is none.
pub(crate) fn join_problems(problems: &[String]) -> Option<String> {
    (!problems.is_empty()).then(|| problems.join("\n"))
}

pub(crate) fn split_problems(column: &str) -> Vec<String> {
    column.split('\n').map(str::to_owned).collect()
}

pub(crate) fn hash_of(bytes: &[u8]) -> Result<ContentHash, DamagedRow> {
    ContentHash::from_bytes(bytes).ok_or_else(|| DamagedRow(format!("a hash of {} bytes", bytes.len())))
}

pub(crate) fn project_id_of(text: &str) -> Result<ProjectId, DamagedRow> {
    ProjectId::parse(text).map_err(|error| DamagedRow(error.to_string()))
}

pub(crate) fn basis_of(word: &str) -> Result<EntryBasis, DamagedRow> {
    EntryBasis::parse(word).ok_or_else(|| DamagedRow(format!("`{word}` for the basis of a ledger entry")))
}

pub(crate) fn day_of(number: i64) -> Result<UtcDay, DamagedRow> {
    i32::try_from(number).map(UtcDay).map_err(|_| DamagedRow(format!("day {number}")))
}

pub(crate) fn symbol_id_of(text: &str) -> Result<SymbolId, DamagedRow> {
    SymbolId::parse(text).ok_or_else(|| DamagedRow(format!("`{text}` for a symbol")))
}

pub(crate) fn summary_id_of(text: &str) -> Result<SummaryId, DamagedRow> {
    SummaryId::parse(text).map_err(|error| DamagedRow(error.to_string()))
}

pub(crate) fn conversation_id_of(text: &str) -> Result<ConversationId, DamagedRow> {
    ConversationId::parse(text).map_err(|error| DamagedRow(error.to_string()))
}

/// The seal of a message: of everything that every reader is shown and that its content hash does not cover.
pub(crate) fn message_seal(
    number: i64,
    at: Option<Timestamp>,
    tokens: TokenCount,
    stored: Timestamp,
    hash: ChainHash,
) -> i64 {
    let digest = DigestBuilder::new("seal of a message")
        .add_field(&number.to_le_bytes())
        .add_optional(at.map(|at| at.0.to_le_bytes()).as_ref().map(<[u8; 8]>::as_slice))
        .add_field(&tokens.0.to_le_bytes())
        .add_field(&stored.0.to_le_bytes())
        .add_field(hash.0.as_bytes())
        .finish();
    let (first, _) = digest.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    i64::from_le_bytes(*first)
}
