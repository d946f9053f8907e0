//! SQL of the SQLite store for folds: adds summaries to a conversation's active context in place of messages, and
//! takes them out.

use super::dangling::dangling_items;
use crate::failpoints::{self, FailPoint};
use crate::folds::{ContextState, FoldDecision, SummaryRow, decide_fold, decide_unfold, describe_dangling};
use crate::rows::summary_id_of;
use crate::sqlite::failure::SqliteFailure;
use crate::{
    ActiveContext, ActiveSummary, ContextVersion, FactsRead, Fence, NewFold, Result, StoreCursor, UnfoldRequest,
};
use model::{ConversationId, SeqRange, Summary, SummaryId, SummaryMethod, TokenCount};
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(in crate::sqlite) fn conversation_number(db: &Connection, id: &ConversationId) -> Result<i64, SqliteFailure> {
    let sql = "SELECT number FROM conversations WHERE conversation_id = ?1";
    let found = db.prepare_cached(sql)?.query_row([id.as_str()], |row| row.get(0)).optional()?;
    found.ok_or_else(|| SqliteFailure::Missing { what: "conversation", id: id.to_string() })
}

/// Makes the row of a context where there is none.
pub(super) fn open_context(db: &Connection, conversation: i64) -> Result<(), SqliteFailure> {
    let sql = "INSERT INTO contexts (conversation) VALUES (?1) ON CONFLICT DO NOTHING";
    db.prepare_cached(sql)?.execute([conversation])?;
    Ok(())
}

pub(super) fn active_context(db: &Connection, conversation: &ConversationId) -> Result<ActiveContext, SqliteFailure> {
    let number = conversation_number(db, conversation)?;
    let sql = "SELECT version, facts_to, facts_rules FROM contexts WHERE conversation = ?1";
    let state: Option<(i64, i64, i64)> =
        db.prepare_cached(sql)?.query_row([number], |row| row.try_into()).optional()?;
    // Most conversations were never folded and have no row: their context is all messages as they are.
    let Some((version, to, rules)) = state else { return Ok(ActiveContext::default()) };
    let sql = "SELECT s.summary_id, s.first_seq, s.last_seq, s.token_count, s.source_tokens, s.depth
               FROM context_items i JOIN summaries s ON s.number = i.summary WHERE i.conversation = ?1 ORDER BY i.ordinal";
    // Refused as damage: an item that leads nowhere would otherwise change what stands in the context without a word.
    if let Some(item) = dangling_items(db, number)?.first() {
        return Err(SqliteFailure::Damaged(describe_dangling(item, conversation)));
    }
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([number], |row| {
        let (id, first, last, tokens, source, depth): (String, i64, i64, u32, u32, u32) = row.try_into()?;
        Ok((id, SeqRange { first: first as u64, last: last as u64 }, TokenCount(tokens), TokenCount(source), depth))
    })?;
    let summary = |row: rusqlite::Result<(String, SeqRange, TokenCount, TokenCount, u32)>| {
        let (id, range, tokens, source_tokens, depth) = row?;
        Ok::<_, SqliteFailure>(ActiveSummary { id: summary_id_of(&id)?, range, tokens, source_tokens, depth })
    };
    Ok(ActiveContext {
        version: ContextVersion(version as u64),
        summaries: rows.map(summary).collect::<Result<_, _>>()?,
        facts: FactsRead { to: to as u64, rules: rules as u32 },
    })
}

pub(super) fn apply_fold(db: &Connection, fold: &NewFold) -> Result<ContextVersion, SqliteFailure> {
    let summary = &fold.summary;
    let number = conversation_number(db, &summary.conversation)?;
    open_context(db, number)?;
    let found = load_state(db, number, summary.range)?;
    match decide_fold(fold, &found) {
        FoldDecision::Done => Ok(found.version),
        FoldDecision::Moved => {
            Err(SqliteFailure::Moved { what: "the context of", id: summary.conversation.to_string() })
        }
        FoldDecision::AddOnly => {
            put_summary(db, number, summary)?;
            Ok(found.version)
        }
        FoldDecision::Fold => {
            // The summary goes in first: the item of the context below refers to its number.
            let added = put_summary(db, number, summary)?;
            failpoints::pass(FailPoint::FoldAdded);
            // The ordinal of an item is the `seq` of its first message, so the range of the fold names exactly what it
            // replaces.
            let sql = "DELETE FROM context_items WHERE conversation = ?1 AND ordinal BETWEEN ?2 AND ?3";
            let first = summary.range.first as i64;
            let last = summary.range.last as i64;
            db.prepare_cached(sql)?.execute(params![number, first, last])?;
            let sql = "INSERT INTO context_items (conversation, ordinal, summary) VALUES (?1, ?2, ?3)";
            db.prepare_cached(sql)?.execute(params![number, first, added])?;
            let version = move_on(db, number, found.version)?;
            failpoints::pass(FailPoint::FoldWritten);
            Ok(version)
        }
    }
}

pub(super) fn apply_unfold(db: &Connection, unfold: &UnfoldRequest) -> Result<ContextVersion, SqliteFailure> {
    let number = conversation_number(db, &unfold.conversation)?;
    open_context(db, number)?;
    let sql = "SELECT version, fence FROM contexts WHERE conversation = ?1";
    let (version, fence): (i64, i64) = db.prepare_cached(sql)?.query_row([number], |row| row.try_into())?;
    let version = ContextVersion(version as u64);
    let sql = "SELECT i.ordinal FROM context_items i JOIN summaries s ON s.number = i.summary
               WHERE i.conversation = ?1 AND s.summary_id = ?2";
    let mut statement = db.prepare_cached(sql)?;
    let find = |id: &SummaryId| statement.query_row(params![number, id.as_str()], |row| row.get(0)).optional();
    let active: Vec<Option<i64>> = unfold.summaries.iter().map(find).collect::<rusqlite::Result<_>>()?;
    let active: Vec<i64> = active.into_iter().flatten().collect();
    match decide_unfold(unfold, version, Fence(fence as u64), active.len() as u64) {
        FoldDecision::Done | FoldDecision::AddOnly => Ok(version),
        FoldDecision::Moved => {
            Err(SqliteFailure::Moved { what: "the context of", id: unfold.conversation.to_string() })
        }
        FoldDecision::Fold => {
            let sql = "DELETE FROM context_items WHERE conversation = ?1 AND ordinal = ?2";
            let mut statement = db.prepare_cached(sql)?;
            for ordinal in active {
                statement.execute([number, ordinal])?;
            }
            move_on(db, number, version)
        }
    }
}

pub(super) fn move_on(
    db: &Connection,
    conversation: i64,
    from: ContextVersion,
) -> Result<ContextVersion, SqliteFailure> {
    let sql = "UPDATE contexts SET version = version + 1 WHERE conversation = ?1";
    db.prepare_cached(sql)?.execute([conversation])?;
    Ok(ContextVersion(from.0 + 1))
}

/// Adds a summary, or finds it where it stands from before it was taken out of the context: the same words about the same
/// messages have the same name.
fn put_summary(db: &Connection, conversation: i64, summary: &Summary) -> Result<i64, SqliteFailure> {
    let sql = "SELECT number, content FROM summaries WHERE summary_id = ?1";
    let known = db.prepare_cached(sql)?.query_row([summary.id.as_str()], |row| row.try_into()).optional()?;
    match known {
        None => insert_summary(db, conversation, summary),
        // Comparing the content and not only the id detects a row that was damaged since.
        Some((number, content)) if summary.content == String::as_str(&content) => Ok(number),
        Some((_, _)) => Err(SqliteFailure::Damaged(format!("summary {} is not what it was", summary.id))),
    }
}

fn load_state(db: &Connection, conversation: i64, range: SeqRange) -> Result<ContextState, SqliteFailure> {
    let sql =
        "SELECT x.version, x.fence, c.message_count FROM contexts x JOIN conversations c ON c.number = x.conversation
               WHERE x.conversation = ?1";
    let (version, fence, messages): (i64, i64, i64) =
        db.prepare_cached(sql)?.query_row([conversation], |row| row.try_into())?;
    let sql =
        "SELECT s.summary_id, s.first_seq, s.last_seq FROM context_items i JOIN summaries s ON s.number = i.summary
               WHERE i.conversation = ?1 AND s.first_seq <= ?3 AND s.last_seq >= ?2 ORDER BY i.ordinal";
    let mut statement = db.prepare_cached(sql)?;
    let rows =
        statement.query_map(params![conversation, range.first as i64, range.last as i64], |row| row.try_into())?;
    let met = |row: rusqlite::Result<(String, i64, i64)>| {
        let (id, first, last) = row?;
        Ok::<_, SqliteFailure>((summary_id_of(&id)?, SeqRange { first: first as u64, last: last as u64 }))
    };
    Ok(ContextState {
        version: ContextVersion(version as u64),
        fence: Fence(fence as u64),
        met: rows.map(met).collect::<Result<_, _>>()?,
        messages: messages as u64,
    })
}

fn insert_summary(db: &Connection, conversation: i64, summary: &Summary) -> Result<i64, SqliteFailure> {
    let (model, prompt) = match &summary.method {
        SummaryMethod::Model { model, prompt } => (Some(model), Some(prompt)),
        SummaryMethod::Extractive | SummaryMethod::Fallback => (None, None),
    };
    let sql = "INSERT INTO summaries (summary_id, conversation, first_seq, last_seq, depth, content, token_count,
                 source_tokens, from_text, until_text, method, model, prompt, reason, kept_facts, all_facts, redoes,
                 stored_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
    db.prepare_cached(sql)?.execute(params![
        summary.id.as_str(),
        conversation,
        summary.range.first as i64,
        summary.range.last as i64,
        summary.depth,
        summary.content,
        summary.tokens.0,
        summary.source_tokens.0,
        summary.from,
        summary.until,
        summary.method.as_str(),
        model,
        prompt,
        summary.trigger.as_str(),
        summary.kept.kept,
        summary.kept.of,
        summary.redoes.as_ref().map(SummaryId::as_str),
        summary.created.0,
    ])?;
    let number = db.last_insert_rowid();
    // A covered summary that is not stored gives NULL, which the column refuses: the change fails instead of forgetting
    // a child.
    let sql = "INSERT INTO summary_covers (summary, ordinal, covered)
               VALUES (?1, ?2, (SELECT number FROM summaries WHERE summary_id = ?3))";
    let mut statement = db.prepare_cached(sql)?;
    for (ordinal, covered) in summary.covers.iter().enumerate() {
        statement.execute(params![number, ordinal as i64, covered.as_str()])?;
    }
    Ok(number)
}

pub(super) fn summary_row(row: &Row<'_>) -> rusqlite::Result<(StoreCursor, SummaryRow)> {
    let summary = SummaryRow {
        id: row.get(1)?,
        conversation: row.get(2)?,
        first_seq: row.get(3)?,
        last_seq: row.get(4)?,
        depth: row.get(5)?,
        content: row.get(6)?,
        tokens: row.get(7)?,
        source_tokens: row.get(8)?,
        from: row.get(9)?,
        until: row.get(10)?,
        method: row.get(11)?,
        model: row.get(12)?,
        prompt: row.get(13)?,
        reason: row.get(14)?,
        kept_facts: row.get(15)?,
        all_facts: row.get(16)?,
        redoes: row.get(17)?,
        stored_at: row.get(18)?,
    };
    Ok((StoreCursor(row.get(0)?), summary))
}

/// The summary of a row, with what it covers.
pub(super) fn with_covers(
    db: &Connection,
    (cursor, row): (StoreCursor, SummaryRow),
) -> Result<(StoreCursor, Summary), SqliteFailure> {
    let sql = "SELECT s.summary_id FROM summary_covers v JOIN summaries s ON s.number = v.covered
               WHERE v.summary = ?1 ORDER BY v.ordinal";
    let mut statement = db.prepare_cached(sql)?;
    let covers = statement.query_map([cursor.0], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    Ok((cursor, row.into_summary(&covers)?))
}
