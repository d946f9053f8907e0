//! Rows of the canonical database, read and written column by column.

use super::database::Failure;
use crate::columns::PartColumns;
use crate::rows::{ConversationRow, MessageRow};
use crate::{Cursor, Result};
use model::Message;
use rusqlite::{Connection, Row, params};

pub(super) const CONVERSATION: &str =
    "SELECT conversation_id, name, project_id, message_count, token_count, head_hash FROM conversations";

pub(super) fn conversation_row(row: &Row<'_>) -> rusqlite::Result<ConversationRow> {
    Ok(ConversationRow {
        id: row.get(0)?,
        name: row.get(1)?,
        project: row.get(2)?,
        messages: row.get(3)?,
        tokens: row.get(4)?,
        head: row.get(5)?,
    })
}

pub(super) const MESSAGE: &str =
    "SELECT m.number, m.message_id, c.conversation_id, m.seq, m.external_id, m.role, m.speaker,
    m.session, m.at_text, m.at_instant, m.content, m.token_count, m.chain_hash, m.stored_at
    FROM messages m JOIN conversations c ON c.number = m.conversation";

pub(super) fn message_row(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    Ok(MessageRow {
        number: row.get(0)?,
        id: row.get(1)?,
        conversation: row.get(2)?,
        seq: row.get(3)?,
        external_id: row.get(4)?,
        role: row.get(5)?,
        speaker: row.get(6)?,
        session: row.get(7)?,
        at_text: row.get(8)?,
        at_instant: row.get(9)?,
        content: row.get(10)?,
        tokens: row.get(11)?,
        chain_hash: row.get(12)?,
        stored_at: row.get(13)?,
    })
}

/// The message of a row, with its parts.
pub(super) fn finish(db: &Connection, row: MessageRow) -> Result<(Cursor, Message), Failure> {
    let parts = read_parts(db, row.number)?;
    Ok(row.finish(parts)?)
}

pub(super) fn insert_part(db: &Connection, message: i64, ordinal: usize, part: &PartColumns) -> Result<(), Failure> {
    db.prepare_cached(&format!(
        "INSERT INTO message_parts (message, ordinal, {PART_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
         ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)"
    ))?
    .execute(params![
        message,
        ordinal as i64,
        part.part_type,
        part.text_content,
        part.tool_call_id,
        part.tool_name,
        part.tool_status,
        part.tool_input,
        part.tool_output,
        part.tool_error,
        part.tool_title,
        part.patch_hash,
        part.patch_files,
        part.file_mime,
        part.file_name,
        part.file_url,
        part.subtask_prompt,
        part.subtask_description,
        part.subtask_agent,
        part.step_reason,
        part.step_cost_micros,
        part.step_tokens_in,
        part.step_tokens_out,
        part.snapshot_hash,
        part.compaction_auto,
    ])?;
    Ok(())
}

const PART_COLUMNS: &str = "part_type, text_content, tool_call_id, tool_name, tool_status, tool_input, tool_output,
    tool_error, tool_title, patch_hash, patch_files, file_mime, file_name, file_url, subtask_prompt,
    subtask_description, subtask_agent, step_reason, step_cost_micros, step_tokens_in, step_tokens_out, snapshot_hash,
    compaction_auto";

fn read_parts(db: &Connection, message: i64) -> Result<Vec<PartColumns>, Failure> {
    let sql = format!("SELECT {PART_COLUMNS} FROM message_parts WHERE message = ?1 ORDER BY ordinal");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map([message], |row| {
        Ok(PartColumns {
            part_type: row.get(0)?,
            text_content: row.get(1)?,
            tool_call_id: row.get(2)?,
            tool_name: row.get(3)?,
            tool_status: row.get(4)?,
            tool_input: row.get(5)?,
            tool_output: row.get(6)?,
            tool_error: row.get(7)?,
            tool_title: row.get(8)?,
            patch_hash: row.get(9)?,
            patch_files: row.get(10)?,
            file_mime: row.get(11)?,
            file_name: row.get(12)?,
            file_url: row.get(13)?,
            subtask_prompt: row.get(14)?,
            subtask_description: row.get(15)?,
            subtask_agent: row.get(16)?,
            step_reason: row.get(17)?,
            step_cost_micros: row.get(18)?,
            step_tokens_in: row.get(19)?,
            step_tokens_out: row.get(20)?,
            snapshot_hash: row.get(21)?,
            compaction_auto: row.get(22)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
