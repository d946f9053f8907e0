//! Reads conversation and message rows of the canonical SQLite database, and compresses and decompresses the content
//! column of messages.

use super::failure::is_wrong_value;
use crate::append::StoredForm;
use crate::archive::{compress, decompress};
use crate::message_shape::parts_of;
use crate::rows::{ConversationRow, DamagedRow, MessageRow, message_seal, unknown_parts};
use crate::{DamagedMessage, Result};
use model::{Message, Timestamp};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use std::borrow::Cow;

pub(super) const CONVERSATION: &str =
    "SELECT conversation_id, name, project_id, message_count, token_count, head_hash, title, created_at, updated_at,
       state, state_at, number, author FROM conversations";

pub(super) fn conversation_row(row: &Row<'_>) -> rusqlite::Result<ConversationRow> {
    Ok(ConversationRow {
        id: row.get(0)?,
        name: row.get(1)?,
        project: row.get(2)?,
        messages: row.get(3)?,
        tokens: row.get(4)?,
        head: row.get(5)?,
        title: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
        state: row.get(9)?,
        state_at: row.get(10)?,
        number: row.get(11)?,
        author: row.get(12)?,
    })
}

/// A message whose conversation is lost is found all the same, so that it is damaged and not passed over.
pub(super) const MESSAGE: &str =
    "SELECT m.number, m.message_id, c.conversation_id, m.seq, m.external_id, m.role, m.speaker,
    m.session, m.at_text, m.at_instant, m.content, m.token_count, m.content_hash, m.chain_hash, m.stored_at, m.shape,
    m.metadata, m.seal
    FROM messages m LEFT JOIN conversations c ON c.number = m.conversation";

/// The message of a row, or what is said of one that is not what was acknowledged.
pub(super) fn read_message(row: &Row<'_>) -> rusqlite::Result<Result<Message, DamagedMessage>> {
    match message_row(row) {
        Ok(row) => Ok(build_message(row)),
        // A column of the wrong type is damage of this one message; any other error concerns the whole query.
        Err(error) if is_wrong_value(&error) => {
            // The report needs as much of the message's name as can still be read.
            let text = |column| row.get(column).unwrap_or_else(|_| "(unreadable)".to_owned());
            let seq = row.get::<_, i64>(3).unwrap_or_default() as u64;
            Ok(Err(DamagedMessage { id: text(1), conversation: text(2), seq, what: error.to_string() }))
        }
        Err(error) => Err(error),
    }
}

fn message_row(row: &Row<'_>) -> rusqlite::Result<ShapedRow> {
    let content = unpack_content(row.get_ref(10)?).map(Cow::into_owned);
    let shape = row.get(15)?;
    let seal = row.get(17)?;
    let number = row.get(0)?;
    let row = MessageRow {
        id: row.get(1)?,
        conversation: row.get(2)?,
        seq: row.get(3)?,
        external_id: row.get(4)?,
        role: row.get(5)?,
        speaker: row.get(6)?,
        session: row.get(7)?,
        at_text: row.get(8)?,
        at_instant: row.get(9)?,
        metadata: row.get(16)?,
        tokens: row.get(11)?,
        content_hash: row.get(12)?,
        chain_hash: row.get(13)?,
        stored_at: row.get(14)?,
    };
    Ok(ShapedRow { number, row, content, shape, seal })
}

/// A row of `messages`, before its content is taken apart.
struct ShapedRow {
    number: i64,
    row: MessageRow,
    content: Result<Vec<u8>, DamagedRow>,
    shape: Option<Vec<u8>>,
    /// None in messages from before there were any.
    seal: Option<i64>,
}

fn build_message(row: ShapedRow) -> Result<Message, DamagedMessage> {
    let ShapedRow { number, row, content, shape, seal } = row;
    let instant = row.at_instant.map(Timestamp);
    let parts = content.and_then(|content| {
        // SQLite stores any bytes as text, so only this check finds damage inside a character.
        let content = str::from_utf8(&content).map_err(|error| DamagedRow(format!("its content: {error}")))?;
        parts_of(shape.as_deref(), content).ok_or_else(unknown_parts)
    });
    let message = row.into_message(parts)?;
    if seal.is_some_and(|seal| seal != message_seal(number, instant, message.tokens, message.stored, message.hash)) {
        let what =
            "its number, its times, its tokens or its link of the chain are not those that were stored".to_owned();
        let (id, conversation) = (message.id.to_string(), message.conversation.to_string());
        return Err(DamagedMessage { id, conversation, seq: message.seq, what });
    }
    Ok(message)
}

/// The words in a column of content.
pub(super) fn unpack_content(column: ValueRef<'_>) -> Result<Cow<'_, [u8]>, DamagedRow> {
    match column {
        // Short content is text and long content is compressed; the type of the column tells which.
        ValueRef::Text(words) => Ok(Cow::Borrowed(words)),
        ValueRef::Blob(packed) => decompress(packed).map(Cow::Owned),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => {
            Err(DamagedRow("content that is no text".to_owned()))
        }
    }
}

/// Content that is shorter is not worth the time it takes to unpack.
const WORTH_PACKING: usize = 256;

/// What this store makes of a content before it is written.
pub(super) fn packed_form(content: &str) -> StoredForm {
    StoredForm { packed: pack_content(content), ..StoredForm::default() }
}

/// Content as its column holds it, where that is compressed.
pub(super) fn pack_content(content: &str) -> Option<Vec<u8>> {
    let packed = (content.len() >= WORTH_PACKING).then(|| compress(content.as_bytes()));
    packed.filter(|packed| packed.len() < content.len() - content.len() / 8)
}
