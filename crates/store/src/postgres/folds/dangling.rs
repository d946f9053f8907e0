//! SQL of the PostgreSQL store for items of a context that lead nowhere: finds them, and takes them out.

use super::fold::{conversation_number, move_on, open_context};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::{ContextVersion, DanglingItem, Fence, MissingRow, Result};
use model::ConversationId;

pub(super) async fn dangling_items(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
) -> Result<Vec<DanglingItem>, PostgresFailure> {
    let sql = "SELECT i.ordinal, s.number IS NULL FROM epitome.context_items i
                 LEFT JOIN epitome.summaries s ON s.number = i.summary
                 LEFT JOIN epitome.contexts x ON x.conversation = i.conversation
               WHERE i.conversation = $1 AND (s.number IS NULL OR x.conversation IS NULL) ORDER BY i.ordinal";
    let rows = transaction.query_all(sql, &[&conversation]).await?;
    let item = |row: &tokio_postgres::Row| {
        let missing = if row.try_get(1)? { MissingRow::Summary } else { MissingRow::Context };
        Ok(DanglingItem { place: row.try_get::<_, i64>(0)? as u64, missing })
    };
    rows.iter().map(item).collect()
}

pub(super) async fn drop_items(
    transaction: &TenantTransaction<'_>,
    conversation: &ConversationId,
    held: Fence,
    places: &[u64],
) -> Result<ContextVersion, PostgresFailure> {
    let number = conversation_number(transaction, conversation).await?;
    open_context(transaction, number).await?;
    let sql = "SELECT version, fence FROM epitome.contexts WHERE conversation = $1";
    let state = transaction.query_one(sql, &[&number]).await?;
    if state.try_get::<_, i64>(1)? as u64 != held.0 {
        return Err(PostgresFailure::Moved { what: "the context of", id: conversation.to_string() });
    }
    let places: Vec<i64> = places.iter().map(|place| *place as i64).collect();
    let sql = "DELETE FROM epitome.context_items WHERE conversation = $1 AND ordinal = ANY($2)";
    transaction.execute(sql, &[&number, &places]).await?;
    move_on(transaction, number, ContextVersion(state.try_get::<_, i64>(0)? as u64)).await
}
