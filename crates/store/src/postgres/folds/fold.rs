//! SQL of the PostgreSQL store for folds: adds summaries to a conversation's active context in place of messages, and
//! takes them out. A transaction that folds holds the context's lock.

use super::dangling::dangling_items;
use crate::failpoints::{self, FailPoint};
use crate::folds::{ContextState, FoldDecision, SummaryRow, decide_fold, decide_unfold, describe_dangling};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::parameters::SqlParameters;
use crate::postgres::rows::{maybe_text, read_text};
use crate::postgres::text::encode_text;
use crate::rows::summary_id_of;
use crate::{
    ActiveContext, ActiveSummary, ContextVersion, FactsRead, Fence, NewFold, Result, StoreCursor, UnfoldRequest,
};
use model::{ConversationId, SeqRange, Summary, SummaryId, SummaryMethod, TokenCount};
use std::collections::HashMap;
use tokio_postgres::Row;

pub(in crate::postgres) async fn conversation_number(
    transaction: &TenantTransaction<'_>,
    id: &ConversationId,
) -> Result<i64, PostgresFailure> {
    let sql = "SELECT number FROM epitome.conversations WHERE conversation_id = $1";
    match transaction.query_optional(sql, &[&id.as_str()]).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Err(PostgresFailure::Missing { what: "conversation", id: id.to_string() }),
    }
}

/// Makes the row of a context where there is none.
pub(super) async fn open_context(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.contexts (conversation) VALUES ($1) ON CONFLICT DO NOTHING";
    transaction.execute(sql, &[&conversation]).await?;
    Ok(())
}

pub(super) async fn active_context(
    transaction: &TenantTransaction<'_>,
    conversation: &ConversationId,
) -> Result<ActiveContext, PostgresFailure> {
    let number = conversation_number(transaction, conversation).await?;
    let sql = "SELECT version, facts_to, facts_rules FROM epitome.contexts WHERE conversation = $1";
    // Most conversations were never folded and have no row: their context is all messages as they are.
    let Some(state) = transaction.query_optional(sql, &[&number]).await? else { return Ok(ActiveContext::default()) };
    // Refused as damage: an item that leads nowhere would otherwise change what stands in the context without a word.
    if let Some(item) = dangling_items(transaction, number).await?.first() {
        return Err(PostgresFailure::Damaged(describe_dangling(item, conversation)));
    }
    let sql = "SELECT s.summary_id, s.first_seq, s.last_seq, s.token_count, s.source_tokens, s.depth
               FROM epitome.context_items i JOIN epitome.summaries s ON s.number = i.summary
               WHERE i.conversation = $1 ORDER BY i.ordinal";
    let summary = |row: &Row| {
        Ok::<_, PostgresFailure>(ActiveSummary {
            id: summary_id_of(row.try_get(0)?)?,
            range: range_row(row, 1)?,
            tokens: TokenCount(row.try_get::<_, i64>(3)? as u32),
            source_tokens: TokenCount(row.try_get::<_, i64>(4)? as u32),
            depth: row.try_get::<_, i64>(5)? as u32,
        })
    };
    Ok(ActiveContext {
        version: ContextVersion(state.try_get::<_, i64>(0)? as u64),
        summaries: transaction.query_all(sql, &[&number]).await?.iter().map(summary).collect::<Result<_, _>>()?,
        facts: FactsRead { to: state.try_get::<_, i64>(1)? as u64, rules: state.try_get::<_, i64>(2)? as u32 },
    })
}

pub(super) async fn apply_fold(
    transaction: &TenantTransaction<'_>,
    added: i64,
    fold: &NewFold,
) -> Result<ContextVersion, PostgresFailure> {
    let summary = &fold.summary;
    let number = conversation_number(transaction, &summary.conversation).await?;
    open_context(transaction, number).await?;
    let found = load_state(transaction, number, summary.range).await?;
    match decide_fold(fold, &found) {
        FoldDecision::Done => Ok(found.version),
        FoldDecision::Moved => {
            Err(PostgresFailure::Moved { what: "the context of", id: summary.conversation.to_string() })
        }
        FoldDecision::AddOnly => {
            put_summary(transaction, number, added, summary).await?;
            Ok(found.version)
        }
        FoldDecision::Fold => {
            // The summary goes in first: the item of the context below refers to its number.
            let added = put_summary(transaction, number, added, summary).await?;
            failpoints::pass(FailPoint::FoldAdded);
            let first = summary.range.first as i64;
            let last = summary.range.last as i64;
            // The ordinal of an item is the `seq` of its first message, so the range of the fold names exactly what it
            // replaces.
            let sql = "DELETE FROM epitome.context_items WHERE conversation = $1 AND ordinal BETWEEN $2 AND $3";
            transaction.execute(sql, &[&number, &first, &last]).await?;
            let sql = "INSERT INTO epitome.context_items (conversation, ordinal, summary) VALUES ($1, $2, $3)";
            transaction.execute(sql, &[&number, &first, &added]).await?;
            let version = move_on(transaction, number, found.version).await?;
            failpoints::pass(FailPoint::FoldWritten);
            Ok(version)
        }
    }
}

pub(super) async fn apply_unfold(
    transaction: &TenantTransaction<'_>,
    unfold: &UnfoldRequest,
) -> Result<ContextVersion, PostgresFailure> {
    let number = conversation_number(transaction, &unfold.conversation).await?;
    open_context(transaction, number).await?;
    let sql = "SELECT version, fence FROM epitome.contexts WHERE conversation = $1";
    let state = transaction.query_one(sql, &[&number]).await?;
    let version = ContextVersion(state.try_get::<_, i64>(0)? as u64);
    let fence = Fence(state.try_get::<_, i64>(1)? as u64);
    let ids: Vec<&str> = unfold.summaries.iter().map(SummaryId::as_str).collect();
    let sql = "SELECT i.ordinal FROM epitome.context_items i JOIN epitome.summaries s ON s.number = i.summary
               WHERE i.conversation = $1 AND s.summary_id = ANY($2)";
    let rows = transaction.query_all(sql, &[&number, &ids]).await?;
    let active: Vec<i64> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    match decide_unfold(unfold, version, fence, active.len() as u64) {
        FoldDecision::Done | FoldDecision::AddOnly => Ok(version),
        FoldDecision::Moved => {
            Err(PostgresFailure::Moved { what: "the context of", id: unfold.conversation.to_string() })
        }
        FoldDecision::Fold => {
            let sql = "DELETE FROM epitome.context_items WHERE conversation = $1 AND ordinal = ANY($2)";
            transaction.execute(sql, &[&number, &active]).await?;
            move_on(transaction, number, version).await
        }
    }
}

pub(super) async fn move_on(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    from: ContextVersion,
) -> Result<ContextVersion, PostgresFailure> {
    let sql = "UPDATE epitome.contexts SET version = version + 1 WHERE conversation = $1";
    transaction.execute(sql, &[&conversation]).await?;
    Ok(ContextVersion(from.0 + 1))
}

/// Adds a summary, or finds it where it stands from before it was taken out of the context: the same words about the same
/// messages have the same name.
async fn put_summary(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    number: i64,
    summary: &Summary,
) -> Result<i64, PostgresFailure> {
    let sql = "SELECT number, content FROM epitome.summaries WHERE summary_id = $1";
    match transaction.query_optional(sql, &[&summary.id.as_str()]).await? {
        None => insert_summary(transaction, conversation, number, summary).await.map(|()| number),
        // Comparing the content and not only the id detects a row that was damaged since.
        Some(row) if read_text(&row, 1)? == summary.content => Ok(row.try_get(0)?),
        Some(_) => Err(PostgresFailure::Damaged(format!("summary {} is not what it was", summary.id))),
    }
}

async fn load_state(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    within: SeqRange,
) -> Result<ContextState, PostgresFailure> {
    let sql = "SELECT x.version, x.fence, c.message_count
               FROM epitome.contexts x JOIN epitome.conversations c ON c.number = x.conversation WHERE x.conversation = $1";
    let state = transaction.query_one(sql, &[&conversation]).await?;
    let sql = "SELECT s.summary_id, s.first_seq, s.last_seq
               FROM epitome.context_items i JOIN epitome.summaries s ON s.number = i.summary
               WHERE i.conversation = $1 AND s.first_seq <= $3 AND s.last_seq >= $2 ORDER BY i.ordinal";
    let rows = transaction.query_all(sql, &[&conversation, &(within.first as i64), &(within.last as i64)]).await?;
    let met = |row: &Row| Ok::<_, PostgresFailure>((summary_id_of(row.try_get(0)?)?, range_row(row, 1)?));
    Ok(ContextState {
        version: ContextVersion(state.try_get::<_, i64>(0)? as u64),
        fence: Fence(state.try_get::<_, i64>(1)? as u64),
        met: rows.iter().map(met).collect::<Result<_, _>>()?,
        messages: state.try_get::<_, i64>(2)? as u64,
    })
}

fn range_row(row: &Row, column: usize) -> Result<SeqRange, PostgresFailure> {
    Ok(SeqRange { first: row.try_get::<_, i64>(column)? as u64, last: row.try_get::<_, i64>(column + 1)? as u64 })
}

async fn insert_summary(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    number: i64,
    summary: &Summary,
) -> Result<(), PostgresFailure> {
    let (model, prompt) = match &summary.method {
        SummaryMethod::Model { model, prompt } => (Some(encode_text(model)), Some(encode_text(prompt))),
        SummaryMethod::Extractive | SummaryMethod::Fallback => (None, None),
    };
    // The number was drawn before the transaction, so a retry after a lost connection inserts no second row.
    let sql = "INSERT INTO epitome.summaries (number, summary_id, conversation, first_seq, last_seq, depth, content,
                 token_count, source_tokens, from_text, until_text, method, model, prompt, reason, kept_facts, all_facts,
                 redoes, stored_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
    transaction
        .execute(
            sql,
            &[
                &number,
                &summary.id.as_str(),
                &conversation,
                &(summary.range.first as i64),
                &(summary.range.last as i64),
                &i64::from(summary.depth),
                &encode_text(&summary.content),
                &i64::from(summary.tokens.0),
                &i64::from(summary.source_tokens.0),
                &summary.from.as_deref().map(encode_text),
                &summary.until.as_deref().map(encode_text),
                &summary.method.as_str(),
                &model,
                &prompt,
                &summary.trigger.as_str(),
                &i64::from(summary.kept.kept),
                &i64::from(summary.kept.of),
                &summary.redoes.as_ref().map(SummaryId::as_str),
                &summary.created.0,
            ],
        )
        .await?;
    let covered: Vec<&str> = summary.covers.iter().map(SummaryId::as_str).collect();
    // The id of a summary that is not stored gives NULL, which the column refuses: the transaction fails instead of
    // forgetting a child.
    let sql = "INSERT INTO epitome.summary_covers (summary, ordinal, covered)
               SELECT $1, c.ordinal - 1, s.number FROM unnest($2::text[]) WITH ORDINALITY AS c (id, ordinal)
                 LEFT JOIN epitome.summaries s ON s.summary_id = c.id";
    transaction.execute(sql, &[&number, &covered]).await?;
    Ok(())
}

pub(super) const SUMMARY: &str =
    "SELECT s.number, s.summary_id, c.conversation_id, s.first_seq, s.last_seq, s.depth, s.content, s.token_count,
       s.source_tokens, s.from_text, s.until_text, s.method, s.model, s.prompt, s.reason, s.kept_facts, s.all_facts,
       s.redoes, s.stored_at
     FROM epitome.summaries s JOIN epitome.conversations c ON c.number = s.conversation";

/// The summaries that a query over [`SUMMARY`] finds, in its order.
pub(super) async fn load_summaries(
    transaction: &TenantTransaction<'_>,
    sql: &str,
    parameters: SqlParameters<'_>,
) -> Result<Vec<(StoreCursor, Summary)>, PostgresFailure> {
    let rows = transaction.query_all(sql, parameters).await?;
    let rows = rows.iter().map(summary_row).collect::<Result<Vec<_>, _>>()?;
    let numbers: Vec<i64> = rows.iter().map(|(cursor, _)| cursor.0).collect();
    let sql =
        "SELECT v.summary, s.summary_id FROM epitome.summary_covers v JOIN epitome.summaries s ON s.number = v.covered
               WHERE v.summary = ANY($1) ORDER BY v.summary, v.ordinal";
    let mut covers = HashMap::<i64, Vec<String>>::new();
    for row in transaction.query_all(sql, &[&numbers]).await? {
        covers.entry(row.try_get(0)?).or_default().push(row.try_get(1)?);
    }
    let finish = |(cursor, row): (StoreCursor, SummaryRow)| {
        let covers = covers.remove(&cursor.0).unwrap_or_default();
        Ok((cursor, row.into_summary(&covers)?))
    };
    rows.into_iter().map(finish).collect()
}

fn summary_row(row: &Row) -> Result<(StoreCursor, SummaryRow), PostgresFailure> {
    let summary = SummaryRow {
        id: row.try_get(1)?,
        conversation: row.try_get(2)?,
        first_seq: row.try_get(3)?,
        last_seq: row.try_get(4)?,
        depth: row.try_get(5)?,
        content: read_text(row, 6)?,
        tokens: row.try_get(7)?,
        source_tokens: row.try_get(8)?,
        from: maybe_text(row, 9)?,
        until: maybe_text(row, 10)?,
        method: row.try_get(11)?,
        model: maybe_text(row, 12)?,
        prompt: maybe_text(row, 13)?,
        reason: row.try_get(14)?,
        kept_facts: row.try_get(15)?,
        all_facts: row.try_get(16)?,
        redoes: row.try_get(17)?,
        stored_at: row.try_get(18)?,
    };
    Ok((StoreCursor(row.try_get(0)?), summary))
}
