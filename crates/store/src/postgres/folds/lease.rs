//! SQL of the PostgreSQL store for the lease of a conversation's context. The server's clock says when it ends: workers
//! on many machines need not agree on the time.

use super::fold::{conversation_number, open_context};
use crate::failpoints::{self, FailPoint};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::{Fence, Lease, LeaseEnd, LeaseOutcome, Result};
use model::{ConversationId, Timestamp};
use std::time::Duration;

/// The server's clock in milliseconds. Not the time of the transaction, which stands still while it waits for a lock.
pub(super) const SERVER_CLOCK: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

pub(super) fn in_millis(lasts: Duration) -> i64 {
    i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX / 4)
}

pub(super) async fn lease_context(
    transaction: &TenantTransaction<'_>,
    conversation: &ConversationId,
    lasts: Duration,
) -> Result<LeaseOutcome, PostgresFailure> {
    let number = conversation_number(transaction, conversation).await?;
    open_context(transaction, number).await?;
    // A lease that ran out does not count as taken: its holder died. The fence counts up, so that a fold of the holder
    // before, should it still live, is refused.
    let sql = format!(
        "UPDATE epitome.contexts SET fence = fence + 1, leased_until = {SERVER_CLOCK} + $2
         WHERE conversation = $1 AND coalesce(leased_until, 0) <= {SERVER_CLOCK} RETURNING fence"
    );
    if let Some(row) = transaction.query_optional(&sql, &[&number, &in_millis(lasts)]).await? {
        failpoints::pass(FailPoint::LeaseWritten);
        return Ok(LeaseOutcome::Taken(Lease::timed(Fence(row.try_get::<_, i64>(0)? as u64))));
    }
    let sql = format!("SELECT coalesce(leased_until, 0), {SERVER_CLOCK} FROM epitome.contexts WHERE conversation = $1");
    let row = transaction.query_one(&sql, &[&number]).await?;
    let (until, now): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let left = u64::try_from(until.saturating_sub(now)).unwrap_or_default();
    let ask_again = Duration::from_millis(left);
    Ok(LeaseOutcome::Busy(LeaseEnd { until: Some(Timestamp(until)), ask_again }))
}

pub(super) async fn renew_context(
    transaction: &TenantTransaction<'_>,
    conversation: &ConversationId,
    held: Fence,
    lasts: Duration,
) -> Result<(), PostgresFailure> {
    let number = conversation_number(transaction, conversation).await?;
    // The holder extends its lease even after the end of it, as long as no other worker came; the fence tells.
    let sql = format!(
        "UPDATE epitome.contexts SET leased_until = {SERVER_CLOCK} + $3
         WHERE conversation = $1 AND fence = $2 AND leased_until IS NOT NULL"
    );
    match transaction.execute(&sql, &[&number, &(held.0 as i64), &in_millis(lasts)]).await? {
        0 => Err(PostgresFailure::Moved { what: "the lease of", id: conversation.to_string() }),
        _ => Ok(()),
    }
}
