//! Implements `FoldStore` (summaries, active contexts, facts, jobs, grants) for `PostgresStore`, in the canonical
//! tables.

mod dangling;
mod facts;
mod fold;
mod jobs;
mod lease;

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use super::rows::{MESSAGE, load_messages, read_text};
use super::text::encode_text;
use crate::failpoints::{self, FailPoint};
use crate::folds::{GrantRow, conversation_folds_sql, decide_charge, join_ids, require_intact};
use crate::rows::{conversation_id_of, summary_id_of};
use crate::{
    ActiveContext, ChargeOutcome, ContextLimits, ContextVersion, ConversationFacts, ConversationFolds, DanglingItem,
    ExpansionGrant, FactsBound, Fence, FoldStore, FoldTotals, Job, JobEnd, JobId, Lease, LeaseOutcome, NewFacts,
    NewFold, NewJob, Result, StoreCursor, UnfoldRequest,
};
use async_trait::async_trait;
use dangling::{dangling_items, drop_items};
use facts::{FACT, fact_row, facts_of_kinds, write_facts};
pub(super) use fold::conversation_number;
use fold::{SUMMARY, active_context, apply_fold, apply_unfold, load_summaries};
use jobs::{JOB, end_job, job_row, keep_job, request_job, take_job};
use lease::{lease_context, renew_context};
use model::{
    ConversationId, Fact, FactId, FactKind, GrantId, Message, MessageId, Summary, SummaryId, Timestamp, TokenCount,
};
use std::time::Duration;
use tokio_postgres::Row;

#[async_trait]
impl FoldStore for PostgresStore {
    async fn lease_context(&self, conversation: &ConversationId, lasts: Duration) -> Result<LeaseOutcome> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                self.acquire_lock(&transaction, "context", conversation.as_str()).await?;
                let outcome = lease_context(&transaction, conversation, lasts).await?;
                transaction.commit().await?;
                Ok(outcome)
            })
            .await
    }

    async fn renew_context(&self, conversation: &ConversationId, held: Fence, lasts: Duration) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                renew_context(&transaction, conversation, held, lasts).await?;
                transaction.commit().await
            })
            .await
    }

    async fn release_context(&self, conversation: &ConversationId, held: Fence, seen_to: u64) -> Result<()> {
        let sql =
            "UPDATE epitome.contexts SET leased_until = NULL, seen_to = $3 WHERE conversation = $1 AND fence = $2";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let number = conversation_number(&transaction, conversation).await?;
                // The fence in the condition makes a late release of an expired holder do nothing to the next one's
                // lease.
                transaction.execute(sql, &[&number, &(held.0 as i64), &(seen_to as i64)]).await?;
                failpoints::pass(FailPoint::ReleaseWritten);
                transaction.commit().await
            })
            .await
    }

    async fn oversized_contexts(&self, pressure: ContextLimits) -> Result<Vec<ConversationId>> {
        // Looked at already and not folded: without a new message the answer would be the same, so it is not
        // listed again.
        let sql = "SELECT c.conversation_id FROM epitome.conversations c
                     LEFT JOIN epitome.contexts x ON x.conversation = c.number
                     LEFT JOIN (SELECT i.conversation, sum(s.source_tokens)::bigint AS source_tokens,
                       sum(s.token_count + $3)::bigint AS tokens, sum(s.last_seq - s.first_seq + 1)::bigint AS messages
                       FROM epitome.context_items i JOIN epitome.summaries s ON s.number = i.summary
                       GROUP BY i.conversation) f ON f.conversation = c.number
                   WHERE c.message_count > coalesce(x.seen_to, 0)
                     AND (c.token_count - coalesce(f.source_tokens, 0) + coalesce(f.tokens, 0) >= $1
                       OR c.message_count - coalesce(f.messages, 0) > $2)
                   ORDER BY c.conversation_id";
        // A limit above what the column can hold means no limit, and not an error.
        let tokens = i64::try_from(pressure.tokens).unwrap_or(i64::MAX);
        let messages = pressure.messages.and_then(|most| i64::try_from(most).ok()).unwrap_or(i64::MAX);
        let row = |row: &Row| Ok(conversation_id_of(row.try_get(0)?)?);
        self.query_rows(sql, &[&tokens, &messages, &i64::from(pressure.fence.0)], row).await
    }

    async fn active_context(&self, conversation: &ConversationId) -> Result<ActiveContext> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                active_context(&self.begin_transaction(&mut client, AccessMode::Read).await?, conversation).await
            })
            .await
    }

    async fn apply_fold(&self, new: NewFold) -> Result<ContextVersion> {
        // Drawn before the transaction, so that every attempt of the retry writes under the same number.
        let number = self.next_numbers("summary_numbers", 1).await?.into_iter().next().unwrap_or_default();
        let version = self
            .database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                self.acquire_lock(&transaction, "context", new.summary.conversation.as_str()).await?;
                let version = apply_fold(&transaction, number, &new).await?;
                transaction.commit().await?;
                Ok(version)
            })
            .await?;
        self.anchor_rows("summaries", std::iter::once(&new.summary.id));
        Ok(version)
    }

    async fn apply_unfold(&self, asked: UnfoldRequest) -> Result<ContextVersion> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                self.acquire_lock(&transaction, "context", asked.conversation.as_str()).await?;
                let version = apply_unfold(&transaction, &asked).await?;
                transaction.commit().await?;
                Ok(version)
            })
            .await
    }

    async fn dangling_items(&self, conversation: &ConversationId) -> Result<Vec<DanglingItem>> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let number = conversation_number(&transaction, conversation).await?;
                dangling_items(&transaction, number).await
            })
            .await
    }

    async fn drop_items(&self, conversation: &ConversationId, held: Fence, places: &[u64]) -> Result<ContextVersion> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                self.acquire_lock(&transaction, "context", conversation.as_str()).await?;
                let version = drop_items(&transaction, conversation, held, places).await?;
                transaction.commit().await?;
                Ok(version)
            })
            .await
    }

    async fn load_summary(&self, id: &SummaryId) -> Result<Option<Summary>> {
        let sql = format!("{SUMMARY} WHERE s.summary_id = $1");
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let found = load_summaries(&transaction, &sql, &[&id.as_str()]).await?.pop();
                // Only texts that are shown are checked against their hash; a scan for repair needs the damaged ones
                // too.
                Ok(found.map(|(_, summary)| require_intact(summary)).transpose()?)
            })
            .await
    }

    async fn newest_redo(&self, id: &SummaryId) -> Result<Option<SummaryId>> {
        let sql = "SELECT summary_id FROM epitome.summaries WHERE redoes = $1 ORDER BY number DESC LIMIT 1";
        let row = |row: &Row| Ok(summary_id_of(row.try_get(0)?)?);
        Ok(self.query_rows(sql, &[&id.as_str()], row).await?.pop())
    }

    async fn summaries_at(&self, conversation: &ConversationId, seq: u64) -> Result<Vec<Summary>> {
        let sql = format!(
            "{SUMMARY} WHERE c.conversation_id = $1 AND s.first_seq <= $2 AND s.last_seq >= $2 ORDER BY s.depth, s.number"
        );
        let seq = i64::try_from(seq).unwrap_or(i64::MAX);
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let found = load_summaries(&transaction, &sql, &[&conversation.as_str(), &seq]).await?;
                found.into_iter().map(|(_, summary)| Ok(require_intact(summary)?)).collect()
            })
            .await
    }

    async fn scan_summaries(
        &self,
        conversation: Option<&ConversationId>,
        before: Option<StoreCursor>,
        limit: u32,
    ) -> Result<Vec<(StoreCursor, Summary)>> {
        let sql = format!(
            "{SUMMARY} WHERE ($1::text IS NULL OR c.conversation_id = $1) AND s.number < $2
             ORDER BY s.number DESC LIMIT $3"
        );
        let conversation = conversation.map(ConversationId::as_str);
        let before = before.map_or(i64::MAX, |cursor| cursor.0);
        let limit = i64::from(limit);
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                // Not checked for damage: `repair` walks all summaries and has to find the damaged ones.
                load_summaries(&transaction, &sql, &[&conversation, &before, &limit]).await
            })
            .await
    }

    async fn fold_totals(&self) -> Result<FoldTotals> {
        let sql = "SELECT (SELECT count(*) FROM epitome.summaries), (SELECT count(*) FROM epitome.conversation_facts),
                     (SELECT count(*) FROM epitome.jobs)";
        let row = |row: &Row| {
            let count = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
            Ok(FoldTotals { summaries: count(0)?, facts: count(1)?, jobs: count(2)? })
        };
        Ok(self.query_rows(sql, &[], row).await?.pop().unwrap_or_default())
    }

    async fn conversation_folds(&self) -> Result<Vec<ConversationFolds>> {
        let row = |row: &Row| {
            let count = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
            Ok(ConversationFolds {
                conversation: conversation_id_of(row.try_get(0)?)?,
                name: read_text(row, 1)?,
                messages: count(2)?,
                tokens: count(3)?,
                summaries: count(4)?,
                deepest: row.try_get::<_, Option<i64>>(5)?.map(|depth| depth as u32),
                active_summaries: count(6)?,
                active_tokens: count(7)?,
                folded_tokens: count(8)?,
                facts: count(9)?,
            })
        };
        self.query_rows(&conversation_folds_sql("epitome."), &[], row).await
    }

    async fn load_message(&self, id: &MessageId) -> Result<Option<Message>> {
        let sql = format!("{MESSAGE} WHERE m.message_id = $1");
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                Ok(load_messages(&transaction, &sql, &[&id.as_str()]).await?.pop().map(|(_, message)| message))
            })
            .await
    }

    async fn facts_of(&self, conversation: &ConversationId) -> Result<Vec<Fact>> {
        let sql = format!("{FACT} WHERE c.conversation_id = $1 ORDER BY f.first_seq, f.kind, f.fact_id");
        self.query_rows(&sql, &[&conversation.as_str()], fact_row).await
    }

    async fn facts_of_kinds(&self, kinds: &[FactKind]) -> Result<Vec<ConversationFacts>> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                facts_of_kinds(&self.begin_transaction(&mut client, AccessMode::Read).await?, kinds).await
            })
            .await
    }

    async fn load_fact(&self, id: &FactId) -> Result<Option<Fact>> {
        let sql = format!("{FACT} WHERE f.fact_id = $1");
        Ok(self.query_rows(&sql, &[&id.as_str()], fact_row).await?.pop())
    }

    async fn write_facts(&self, facts: NewFacts) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                self.acquire_lock(&transaction, "context", facts.conversation.as_str()).await?;
                write_facts(&transaction, &facts).await?;
                transaction.commit().await
            })
            .await
    }

    async fn outdated_facts(&self, bound: FactsBound, limit: u32) -> Result<Vec<ConversationId>> {
        let sql = "SELECT c.conversation_id FROM epitome.conversations c
                     LEFT JOIN epitome.contexts x ON x.conversation = c.number
                   WHERE c.project_id IS NOT NULL AND c.message_count > 0
                     AND (coalesce(x.facts_rules, 0) <> $1 OR c.message_count - x.facts_to >= $2)
                   ORDER BY c.updated_at DESC, c.conversation_id LIMIT $3";
        let unread = i64::try_from(bound.unread).unwrap_or(i64::MAX);
        let row = |row: &Row| Ok(conversation_id_of(row.try_get(0)?)?);
        self.query_rows(sql, &[&i64::from(bound.rules), &unread, &i64::from(limit)], row).await
    }

    async fn request_job(&self, job: NewJob) -> Result<JobId> {
        let number = self.next_numbers("job_numbers", 1).await?.into_iter().next().unwrap_or_default();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // The look for an equal job and the insert are two statements; the lock keeps a second caller from
                // passing between.
                self.acquire_lock(&transaction, "jobs", "").await?;
                let job = request_job(&transaction, number, &job).await?;
                transaction.commit().await?;
                Ok(job)
            })
            .await
    }

    async fn take_job(&self, now: Timestamp, lasts: Duration) -> Result<Option<(Job, Lease)>> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // No lock: `SKIP LOCKED` in the query gives every worker another row.
                let job = take_job(&transaction, now, lasts).await?;
                transaction.commit().await?;
                Ok(job.map(|job| {
                    let fence = job.fence;
                    (job, Lease::timed(fence))
                }))
            })
            .await
    }

    async fn keep_job(&self, job: JobId, fence: Fence, lasts: Duration) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                keep_job(&transaction, job, fence, lasts).await?;
                transaction.commit().await
            })
            .await
    }

    async fn end_job(&self, job: JobId, fence: Fence, how: JobEnd) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                end_job(&transaction, job, fence, &how).await?;
                transaction.commit().await
            })
            .await
    }

    async fn list_jobs(&self) -> Result<Vec<Job>> {
        self.query_rows(&format!("{JOB} ORDER BY j.number"), &[], job_row).await
    }

    async fn add_grant(&self, grant: ExpansionGrant) -> Result<()> {
        let sql =
            "INSERT INTO epitome.grants (grant_id, issuer, conversations, summaries, max_depth, token_cap, tokens_used,
                     issued_at, expires_at, revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                   ON CONFLICT DO NOTHING";
        let conversations = join_ids(grant.conversations.iter().map(ConversationId::as_str));
        let summaries = join_ids(grant.summaries.iter().map(SummaryId::as_str));
        let depth = i64::from(grant.max_depth);
        let cap = i64::from(grant.cap.0);
        let used = i64::from(grant.used.0);
        let revoked = grant.revoked.map(|at| at.0);
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                transaction
                    .execute(
                        sql,
                        &[
                            &grant.id.as_str(),
                            &encode_text(&grant.issuer),
                            &conversations,
                            &summaries,
                            &depth,
                            &cap,
                            &used,
                            &grant.issued.0,
                            &grant.expires.0,
                            &revoked,
                        ],
                    )
                    .await?;
                transaction.commit().await
            })
            .await
    }

    async fn load_grant(&self, id: &GrantId) -> Result<Option<ExpansionGrant>> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                load_grant(&self.begin_transaction(&mut client, AccessMode::Read).await?, id).await
            })
            .await
    }

    /// Tried once: a connection lost while it commits leaves tokens counted that no caller was given, never the
    /// reverse.
    async fn charge_grant(&self, id: &GrantId, tokens: TokenCount, now: Timestamp) -> Result<ChargeOutcome> {
        let attempt = async {
            let mut client = self.acquire_connection().await?;
            let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
            self.acquire_lock(&transaction, "grant", id.as_str()).await?;
            // Decided under the lock, or two delegates could spend the same remaining tokens.
            let charged = decide_charge(load_grant(&transaction, id).await?.as_ref(), tokens, now);
            if let ChargeOutcome::Counted { .. } = charged {
                let sql = "UPDATE epitome.grants SET tokens_used = tokens_used + $2 WHERE grant_id = $1";
                transaction.execute(sql, &[&id.as_str(), &i64::from(tokens.0)]).await?;
            }
            transaction.commit().await?;
            Ok(charged)
        };
        attempt.await.map_err(|failure: PostgresFailure| failure.into_error(self.database.name()))
    }

    async fn revoke_grant(&self, id: &GrantId, now: Timestamp) -> Result<()> {
        // The first revocation counts: a repeated one must not make the grant look as if it had lived longer.
        let sql = "UPDATE epitome.grants SET revoked_at = coalesce(revoked_at, $2) WHERE grant_id = $1";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                if transaction.execute(sql, &[&id.as_str(), &now.0]).await? == 0 {
                    return Err(PostgresFailure::Missing { what: "grant", id: id.to_string() });
                }
                transaction.commit().await
            })
            .await
    }
}

async fn load_grant(
    transaction: &TenantTransaction<'_>,
    id: &GrantId,
) -> Result<Option<ExpansionGrant>, PostgresFailure> {
    let sql = "SELECT grant_id, issuer, conversations, summaries, max_depth, token_cap, tokens_used, issued_at,
                 expires_at, revoked_at FROM epitome.grants WHERE grant_id = $1";
    let Some(row) = transaction.query_optional(sql, &[&id.as_str()]).await? else { return Ok(None) };
    let row = GrantRow {
        id: row.try_get(0)?,
        issuer: read_text(&row, 1)?,
        conversations: row.try_get(2)?,
        summaries: row.try_get(3)?,
        max_depth: row.try_get(4)?,
        cap: row.try_get(5)?,
        used: row.try_get(6)?,
        issued_at: row.try_get(7)?,
        expires_at: row.try_get(8)?,
        revoked_at: row.try_get(9)?,
    };
    Ok(Some(row.into_grant()?))
}
