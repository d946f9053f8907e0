//! Reads conversation and message rows of the canonical PostgreSQL tables, and reads and inserts rows of message
//! parts; `read_text` and `maybe_text` decode text columns for the whole backend.

use super::database::TenantTransaction;
use super::failure::PostgresFailure;
use super::parameters::{SqlParameter, SqlParameters};
use super::text::{decode_text, encode_text};
use crate::columns::{PartColumns, TEXT_COLUMNS, parts_of};
use crate::rows::{ConversationRow, DamagedRow, MessageRow, StoredParts, message_seal, unknown_parts};
use crate::{DamagedMessage, Result, StoreCursor};
use model::{Message, Timestamp, content_of};
use std::borrow::Cow;
use std::collections::HashMap;
use tokio_postgres::Row;

/// What a seal has in the place of the message's number: a backup that is loaded elsewhere brings other numbers.
pub(super) const NO_NUMBER: i64 = 0;

pub(super) const CONVERSATION: &str =
    "SELECT conversation_id, name, project_id, message_count, token_count, head_hash, title, created_at, updated_at,
       state, state_at, number, author FROM epitome.conversations";

pub(super) fn conversation_row(row: &Row) -> Result<ConversationRow, PostgresFailure> {
    Ok(ConversationRow {
        id: row.try_get(0)?,
        name: read_text(row, 1)?,
        project: row.try_get(2)?,
        messages: row.try_get(3)?,
        tokens: row.try_get(4)?,
        head: row.try_get(5)?,
        title: maybe_text(row, 6)?,
        created_at: row.try_get(7)?,
        updated_at: row.try_get(8)?,
        state: row.try_get(9)?,
        state_at: row.try_get(10)?,
        number: row.try_get(11)?,
        author: maybe_text(row, 12)?,
    })
}

pub(super) const MESSAGE: &str =
    "SELECT m.number, m.message_id, c.conversation_id, m.seq, m.external_id, m.role, m.speaker, m.session, m.at_text,
       m.at_instant, m.content, m.token_count, m.content_hash, m.chain_hash, m.stored_at,
       m.metadata, m.seal
     FROM epitome.messages m JOIN epitome.conversations c ON c.number = m.conversation";

/// The messages that a query over [`MESSAGE`] finds, in its order.
pub(super) async fn load_messages(
    transaction: &TenantTransaction<'_>,
    sql: &str,
    parameters: SqlParameters<'_>,
) -> Result<Vec<(StoreCursor, Message)>, PostgresFailure> {
    let read = read_messages(transaction, sql, parameters).await?;
    read.into_iter().map(|(cursor, message)| Ok((cursor, message?))).collect()
}

/// The same, with damaged messages among them.
pub(super) async fn read_messages(
    transaction: &TenantTransaction<'_>,
    sql: &str,
    parameters: SqlParameters<'_>,
) -> Result<Vec<(StoreCursor, Result<Message, DamagedMessage>)>, PostgresFailure> {
    let rows = transaction.query_all(sql, parameters).await?;
    let rows = rows.iter().map(message_row).collect::<Result<Vec<_>, _>>()?;
    // One query for the parts of all messages; a query for each message would be a trip to the server each.
    let mut parts = read_parts(transaction, rows.iter().map(|row| row.number).collect()).await?;
    let finish = |WordyRow { number, row, content, seal }| {
        let parts = parts_of(parts.remove(&number).unwrap_or_default(), &content);
        // The words also stand in the column that search reads. If the two differ, a search would find or miss what the
        // message does not say.
        let parts = parts.filter(|kept| content_of(&kept.parts) == content).ok_or_else(unknown_parts);
        (StoreCursor(number), check_seal(row, parts, seal))
    };
    Ok(rows.into_iter().map(finish).collect())
}

/// A row of `messages`, before it is put together with its parts.
struct WordyRow {
    number: i64,
    row: MessageRow,
    /// The words of all parts.
    content: String,
    /// None in messages from before there were any.
    seal: Option<i64>,
}

/// The message, unless its times, tokens or link are others than its seal was made of.
fn check_seal(
    row: MessageRow,
    parts: Result<StoredParts, DamagedRow>,
    seal: Option<i64>,
) -> Result<Message, DamagedMessage> {
    let instant = row.at_instant.map(Timestamp);
    let message = row.into_message(parts)?;
    if seal.is_some_and(|seal| seal != message_seal(NO_NUMBER, instant, message.tokens, message.stored, message.hash)) {
        let what = "its times, its tokens or its link of the chain are not those that were stored".to_owned();
        let (id, conversation) = (message.id.to_string(), message.conversation.to_string());
        return Err(DamagedMessage { id, conversation, seq: message.seq, what });
    }
    Ok(message)
}

fn message_row(row: &Row) -> Result<WordyRow, PostgresFailure> {
    let message = MessageRow {
        id: row.try_get(1)?,
        conversation: row.try_get(2)?,
        seq: row.try_get(3)?,
        external_id: maybe_text(row, 4)?,
        role: row.try_get(5)?,
        speaker: maybe_text(row, 6)?,
        session: maybe_text(row, 7)?,
        at_text: maybe_text(row, 8)?,
        at_instant: row.try_get(9)?,
        metadata: maybe_text(row, 15)?,
        tokens: row.try_get(11)?,
        content_hash: row.try_get(12)?,
        chain_hash: row.try_get(13)?,
        stored_at: row.try_get(14)?,
    };
    Ok(WordyRow { number: row.try_get(0)?, row: message, content: read_text(row, 10)?, seal: row.try_get(16)? })
}

/// Texts first, in the order of [`PartColumns::texts_mut`].
const PART_COLUMNS: &str =
    "message, ordinal, part_type, text_content, tool_call_id, tool_name, tool_status, tool_input,
    tool_output, tool_error, tool_title, patch_hash, patch_files, file_mime, file_name, file_url, subtask_prompt,
    subtask_description, subtask_agent, step_reason, snapshot_hash, metadata, step_cost_micros, step_tokens_in,
    step_tokens_out, compaction_auto, is_ignored, is_synthetic";

/// Writes parts, each with the number of its message and its place in it.
pub(super) async fn insert_parts(
    transaction: &TenantTransaction<'_>,
    mut parts: Vec<(i64, i64, PartColumns)>,
) -> Result<(), PostgresFailure> {
    if parts.is_empty() {
        return Ok(());
    }
    // The columns of a part come from an agent's file, where a NUL can stand in any of them.
    for text in parts.iter_mut().flat_map(|(.., part)| part.texts_mut()).flatten() {
        if let Cow::Owned(encoded) = encode_text(text) {
            *text = encoded;
        }
    }
    let messages: Vec<i64> = parts.iter().map(|(message, ..)| *message).collect();
    let ordinals: Vec<i64> = parts.iter().map(|(_, ordinal, _)| *ordinal).collect();
    let costs: Vec<Option<i64>> = parts.iter().map(|(.., part)| part.step_cost_micros).collect();
    let tokens_in: Vec<Option<i64>> = parts.iter().map(|(.., part)| part.step_tokens_in).collect();
    let tokens_out: Vec<Option<i64>> = parts.iter().map(|(.., part)| part.step_tokens_out).collect();
    let autos: Vec<Option<bool>> = parts.iter().map(|(.., part)| part.compaction_auto).collect();
    let ignored: Vec<Option<bool>> = parts.iter().map(|(.., part)| part.is_ignored).collect();
    let synthetic: Vec<Option<bool>> = parts.iter().map(|(.., part)| part.is_synthetic).collect();
    let kinds: Vec<String> = parts.iter_mut().map(|(.., part)| std::mem::take(&mut part.part_type)).collect();
    // One array for each text column, in the order of `PART_COLUMNS`.
    let mut texts: [Vec<Option<String>>; TEXT_COLUMNS] = Default::default();
    for (.., part) in &mut parts {
        for (column, text) in texts.iter_mut().zip(part.texts_mut()) {
            column.push(text.take());
        }
    }
    let mut parameters: Vec<&dyn SqlParameter> = vec![&messages, &ordinals, &kinds];
    parameters.extend(texts.iter().map(|column| column as &dyn SqlParameter));
    parameters.extend([&costs as &dyn SqlParameter, &tokens_in, &tokens_out, &autos, &ignored, &synthetic]);
    let places = (1..=parameters.len()).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ");
    let sql = format!("INSERT INTO epitome.message_parts ({PART_COLUMNS}) SELECT * FROM unnest({places})");
    transaction.execute(&sql, &parameters).await?;
    Ok(())
}

/// The parts of some messages, in order.
async fn read_parts(
    transaction: &TenantTransaction<'_>,
    messages: Vec<i64>,
) -> Result<HashMap<i64, Vec<PartColumns>>, PostgresFailure> {
    let sql =
        format!("SELECT {PART_COLUMNS} FROM epitome.message_parts WHERE message = ANY($1) ORDER BY message, ordinal");
    let mut parts = HashMap::<i64, Vec<PartColumns>>::new();
    for row in transaction.query_all(&sql, &[&messages]).await? {
        let mut part = PartColumns { part_type: row.try_get(2)?, ..PartColumns::default() };
        for (column, text) in (3..).zip(part.texts_mut()) {
            *text = maybe_text(&row, column)?;
        }
        part.step_cost_micros = row.try_get(22)?;
        part.step_tokens_in = row.try_get(23)?;
        part.step_tokens_out = row.try_get(24)?;
        part.compaction_auto = row.try_get(25)?;
        part.is_ignored = row.try_get(26)?;
        part.is_synthetic = row.try_get(27)?;
        parts.entry(row.try_get(0)?).or_default().push(part);
    }
    Ok(parts)
}

pub(super) fn read_text(row: &Row, column: usize) -> Result<String, PostgresFailure> {
    Ok(decode_text(row.try_get(column)?)?)
}

pub(super) fn maybe_text(row: &Row, column: usize) -> Result<Option<String>, PostgresFailure> {
    Ok(row.try_get::<_, Option<String>>(column)?.map(decode_text).transpose()?)
}
