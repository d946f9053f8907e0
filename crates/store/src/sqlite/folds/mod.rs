//! Implements `FoldStore` (summaries, active contexts, facts, jobs, grants) for `SqliteStore`, in the canonical
//! database.

mod dangling;
mod facts;
mod fold;
mod jobs;
mod lease;

use super::SqliteStore;
use super::failure::SqliteFailure;
use super::rows::{MESSAGE, read_message};
use crate::failpoints::{self, FailPoint};
use crate::folds::{ASK_AGAIN_AFTER, GrantRow, conversation_folds_sql, decide_charge, join_ids, require_intact};
use crate::{
    ActiveContext, ChargeOutcome, ContextLimits, ContextVersion, ConversationFacts, ConversationFolds, DanglingItem,
    Error, ExpansionGrant, FactsBound, Fence, FoldStore, FoldTotals, Job, JobEnd, JobId, Lease, LeaseEnd, LeaseOutcome,
    NewFacts, NewFold, NewJob, Result, StoreCursor, UnfoldRequest,
};
use async_trait::async_trait;
use dangling::{dangling_items, drop_items};
use facts::{FACT, fact_row, facts_of_kinds, write_facts};
pub(super) use fold::conversation_number;
use fold::{active_context, apply_fold, apply_unfold, summary_row, with_covers};
use jobs::{JOB, due_jobs, end_job, job_row, keep_job, request_job, take_job};
use lease::{lease_context, renew_context};
use model::{
    ConversationId, Fact, FactId, FactKind, GrantId, Message, MessageId, Summary, SummaryId, Timestamp, TokenCount,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::time::Duration;

#[async_trait]
impl FoldStore for SqliteStore {
    async fn lease_context(&self, conversation: &ConversationId, _lasts: Duration) -> Result<LeaseOutcome> {
        let conversation = conversation.clone();
        let locked = self.leases.try_lock(&format!("context-{conversation}")).map_err(|error| self.no_lease(&error))?;
        let Some(lock) = locked else {
            return Ok(LeaseOutcome::Busy(LeaseEnd { until: None, ask_again: ASK_AGAIN_AFTER }));
        };
        let fence = self.canonical.write(move |db| lease_context(db, &conversation)).await?;
        Ok(LeaseOutcome::Taken(Lease::guarded(fence, lock)))
    }

    async fn renew_context(&self, conversation: &ConversationId, held: Fence, _lasts: Duration) -> Result<()> {
        let conversation = conversation.clone();
        self.canonical.read(move |db| renew_context(db, &conversation, held)).await
    }

    async fn release_context(&self, conversation: &ConversationId, held: Fence, seen_to: u64) -> Result<()> {
        let conversation = conversation.clone();
        self.canonical
            .write(move |db| {
                let number = conversation_number(db, &conversation)?;
                // The fence in the condition makes a late release of an expired holder do nothing to the next one's
                // lease.
                let sql =
                    "UPDATE contexts SET leased_until = NULL, seen_to = ?3 WHERE conversation = ?1 AND fence = ?2";
                db.prepare_cached(sql)?.execute(params![number, held.0 as i64, seen_to as i64])?;
                failpoints::pass(FailPoint::ReleaseWritten);
                Ok(())
            })
            .await
    }

    async fn oversized_contexts(&self, pressure: ContextLimits) -> Result<Vec<ConversationId>> {
        self.canonical
            .read(move |db| {
                // Looked at already and not folded: without a new message the answer would be the same, so
                // it is not listed again.
                let sql =
                    "SELECT c.conversation_id FROM conversations c LEFT JOIN contexts x ON x.conversation = c.number
                             LEFT JOIN (SELECT i.conversation AS of, sum(s.source_tokens) AS source_tokens,
                               sum(s.token_count + ?3) AS tokens, sum(s.last_seq - s.first_seq + 1) AS messages
                               FROM context_items i JOIN summaries s ON s.number = i.summary GROUP BY i.conversation) f
                             ON f.of = c.number
                           WHERE c.message_count > coalesce(x.seen_to, 0)
                             AND (c.token_count - coalesce(f.source_tokens, 0) + coalesce(f.tokens, 0) >= ?1
                               OR c.message_count - coalesce(f.messages, 0) > ?2)
                           ORDER BY c.conversation_id";
                let tokens = i64::try_from(pressure.tokens).unwrap_or(i64::MAX);
                let messages = pressure.messages.and_then(|most| i64::try_from(most).ok()).unwrap_or(i64::MAX);
                let mut statement = db.prepare_cached(sql)?;
                let rows =
                    statement.query_map(params![tokens, messages, pressure.fence.0], |row| row.get::<_, String>(0))?;
                rows.map(|id| Ok(crate::rows::conversation_id_of(&id?)?)).collect()
            })
            .await
    }

    async fn active_context(&self, conversation: &ConversationId) -> Result<ActiveContext> {
        let conversation = conversation.clone();
        self.canonical.read(move |db| active_context(db, &conversation)).await
    }

    async fn apply_fold(&self, new: NewFold) -> Result<ContextVersion> {
        self.canonical.write(move |db| apply_fold(db, &new)).await
    }

    async fn apply_unfold(&self, asked: UnfoldRequest) -> Result<ContextVersion> {
        self.canonical.write(move |db| apply_unfold(db, &asked)).await
    }

    async fn dangling_items(&self, conversation: &ConversationId) -> Result<Vec<DanglingItem>> {
        let conversation = conversation.clone();
        self.canonical.read(move |db| dangling_items(db, conversation_number(db, &conversation)?)).await
    }

    async fn drop_items(&self, conversation: &ConversationId, held: Fence, places: &[u64]) -> Result<ContextVersion> {
        let conversation = conversation.clone();
        let places = places.to_vec();
        self.canonical.write(move |db| drop_items(db, &conversation, held, &places)).await
    }

    async fn load_summary(&self, id: &SummaryId) -> Result<Option<Summary>> {
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let sql = format!("{SUMMARY} WHERE s.summary_id = ?1");
                let row = db.prepare_cached(&sql)?.query_row([id.as_str()], summary_row).optional()?;
                // Only texts that are shown are checked against their hash; a scan for repair needs the damaged ones
                // too.
                row.map(|row| Ok(require_intact(with_covers(db, row)?.1)?)).transpose()
            })
            .await
    }

    async fn newest_redo(&self, id: &SummaryId) -> Result<Option<SummaryId>> {
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let sql = "SELECT summary_id FROM summaries WHERE redoes = ?1 ORDER BY number DESC LIMIT 1";
                let found: Option<String> =
                    db.prepare_cached(sql)?.query_row([id.as_str()], |row| row.get(0)).optional()?;
                Ok(found.as_deref().map(crate::rows::summary_id_of).transpose()?)
            })
            .await
    }

    async fn summaries_at(&self, conversation: &ConversationId, seq: u64) -> Result<Vec<Summary>> {
        let conversation = conversation.clone();
        self.canonical
            .read(move |db| {
                let sql = format!(
                    "{SUMMARY} WHERE c.conversation_id = ?1 AND s.first_seq <= ?2 AND s.last_seq >= ?2
                     ORDER BY s.depth, s.number"
                );
                let seq = i64::try_from(seq).unwrap_or(i64::MAX);
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map(params![conversation.as_str(), seq], summary_row)?;
                rows.map(|row| Ok(require_intact(with_covers(db, row?)?.1)?)).collect()
            })
            .await
    }

    async fn scan_summaries(
        &self,
        conversation: Option<&ConversationId>,
        before: Option<StoreCursor>,
        limit: u32,
    ) -> Result<Vec<(StoreCursor, Summary)>> {
        let conversation = conversation.map(|id| id.as_str().to_owned());
        self.canonical
            .read(move |db| {
                let sql = format!(
                    "{SUMMARY} WHERE (?1 IS NULL OR c.conversation_id = ?1) AND s.number < ?2
                     ORDER BY s.number DESC LIMIT ?3"
                );
                let before = before.map_or(i64::MAX, |cursor| cursor.0);
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map(params![conversation, before, limit], summary_row)?;
                // Not checked for damage: `repair` walks all summaries and has to find the damaged ones.
                rows.map(|row| with_covers(db, row?)).collect()
            })
            .await
    }

    async fn fold_totals(&self) -> Result<FoldTotals> {
        self.canonical
            .read(|db| {
                let count = |table: &str| {
                    db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| Ok(row.get::<_, i64>(0)? as u64))
                };
                let summaries = count("summaries")?;
                let facts = count("conversation_facts")?;
                Ok(FoldTotals { summaries, facts, jobs: count("jobs")? })
            })
            .await
    }

    async fn conversation_folds(&self) -> Result<Vec<ConversationFolds>> {
        self.canonical
            .read(|db| {
                let mut statement = db.prepare(&conversation_folds_sql(""))?;
                let mut rows = statement.query([])?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)? as u64);
                    found.push(ConversationFolds {
                        conversation: crate::rows::conversation_id_of(&row.get::<_, String>(0)?)?,
                        name: row.get(1)?,
                        messages: count(2)?,
                        tokens: count(3)?,
                        summaries: count(4)?,
                        deepest: row.get(5)?,
                        active_summaries: count(6)?,
                        active_tokens: count(7)?,
                        folded_tokens: count(8)?,
                        facts: count(9)?,
                    });
                }
                Ok(found)
            })
            .await
    }

    async fn load_message(&self, id: &MessageId) -> Result<Option<Message>> {
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let sql = format!("{MESSAGE} WHERE m.message_id = ?1");
                let row = db.prepare_cached(&sql)?.query_row([id.as_str()], read_message).optional()?;
                Ok(row.transpose()?)
            })
            .await
    }

    async fn facts_of(&self, conversation: &ConversationId) -> Result<Vec<Fact>> {
        let conversation = conversation.clone();
        self.canonical
            .read(move |db| {
                let sql = format!("{FACT} WHERE c.conversation_id = ?1 ORDER BY f.first_seq, f.kind, f.fact_id");
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map([conversation.as_str()], fact_row)?;
                rows.map(|row| Ok(row?.into_fact()?)).collect()
            })
            .await
    }

    async fn facts_of_kinds(&self, kinds: &[FactKind]) -> Result<Vec<ConversationFacts>> {
        let kinds = kinds.to_vec();
        self.canonical.read(move |db| facts_of_kinds(db, &kinds)).await
    }

    async fn load_fact(&self, id: &FactId) -> Result<Option<Fact>> {
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let sql = format!("{FACT} WHERE f.fact_id = ?1");
                let row = db.prepare_cached(&sql)?.query_row([id.as_str()], fact_row).optional()?;
                Ok(row.map(crate::folds::FactRow::into_fact).transpose()?)
            })
            .await
    }

    async fn write_facts(&self, facts: NewFacts) -> Result<()> {
        self.canonical.write(move |db| write_facts(db, &facts)).await
    }

    async fn outdated_facts(&self, bound: FactsBound, limit: u32) -> Result<Vec<ConversationId>> {
        self.canonical
            .read(move |db| {
                let sql =
                    "SELECT c.conversation_id FROM conversations c LEFT JOIN contexts x ON x.conversation = c.number
                           WHERE c.project_id IS NOT NULL AND c.message_count > 0
                             AND (coalesce(x.facts_rules, 0) <> ?1 OR c.message_count - x.facts_to >= ?2)
                           ORDER BY c.updated_at DESC, c.conversation_id LIMIT ?3";
                let unread = i64::try_from(bound.unread).unwrap_or(i64::MAX);
                let mut statement = db.prepare_cached(sql)?;
                let rows = statement.query_map(params![bound.rules, unread, limit], |row| row.get::<_, String>(0))?;
                rows.map(|id| Ok(crate::rows::conversation_id_of(&id?)?)).collect()
            })
            .await
    }

    async fn request_job(&self, job: NewJob) -> Result<JobId> {
        self.canonical.write(move |db| request_job(db, &job)).await
    }

    async fn take_job(&self, now: Timestamp, _lasts: Duration) -> Result<Option<(Job, Lease)>> {
        let due = self.canonical.read(move |db| due_jobs(db, now)).await?;
        for number in due {
            let locked = self.leases.try_lock(&format!("job-{number}")).map_err(|error| self.no_lease(&error))?;
            let Some(lock) = locked else { continue };
            // Asked again in the change: its worker may have ended it since.
            if let Some(job) = self.canonical.write(move |db| take_job(db, number, now)).await? {
                let fence = job.fence;
                return Ok(Some((job, Lease::guarded(fence, lock))));
            }
        }
        Ok(None)
    }

    async fn keep_job(&self, job: JobId, fence: Fence, _lasts: Duration) -> Result<()> {
        self.canonical.read(move |db| keep_job(db, job, fence)).await
    }

    async fn end_job(&self, job: JobId, fence: Fence, how: JobEnd) -> Result<()> {
        self.canonical.write(move |db| end_job(db, job, fence, &how)).await
    }

    async fn list_jobs(&self) -> Result<Vec<Job>> {
        self.canonical
            .read(|db| {
                let mut statement = db.prepare_cached(&format!("{JOB} ORDER BY j.number"))?;
                let rows = statement.query_map([], job_row)?;
                rows.map(|row| Ok(row?.into_job()?)).collect()
            })
            .await
    }

    async fn add_grant(&self, grant: ExpansionGrant) -> Result<()> {
        self.canonical
            .write(move |db| {
                let sql = "INSERT INTO grants VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
                db.prepare_cached(sql)?.execute(params![
                    grant.id.as_str(),
                    grant.issuer,
                    join_ids(grant.conversations.iter().map(ConversationId::as_str)),
                    join_ids(grant.summaries.iter().map(SummaryId::as_str)),
                    grant.max_depth,
                    grant.cap.0,
                    grant.used.0,
                    grant.issued.0,
                    grant.expires.0,
                    grant.revoked.map(|at| at.0),
                ])?;
                Ok(())
            })
            .await
    }

    async fn load_grant(&self, id: &GrantId) -> Result<Option<ExpansionGrant>> {
        let id = id.clone();
        self.canonical.read(move |db| load_grant(db, &id)).await
    }

    async fn charge_grant(&self, id: &GrantId, tokens: TokenCount, now: Timestamp) -> Result<ChargeOutcome> {
        let id = id.clone();
        self.canonical
            .write(move |db| {
                // Read and counted in one write, or two delegates could spend the same remaining tokens.
                let charged = decide_charge(load_grant(db, &id)?.as_ref(), tokens, now);
                if let ChargeOutcome::Counted { .. } = charged {
                    let sql = "UPDATE grants SET tokens_used = tokens_used + ?2 WHERE grant_id = ?1";
                    db.prepare_cached(sql)?.execute(params![id.as_str(), tokens.0])?;
                }
                Ok(charged)
            })
            .await
    }

    async fn revoke_grant(&self, id: &GrantId, now: Timestamp) -> Result<()> {
        let id = id.clone();
        self.canonical
            .write(move |db| {
                // The first revocation counts: a repeated one must not make the grant look as if it had lived longer.
                let sql = "UPDATE grants SET revoked_at = coalesce(revoked_at, ?2) WHERE grant_id = ?1";
                match db.prepare_cached(sql)?.execute(params![id.as_str(), now.0])? {
                    0 => Err(SqliteFailure::Missing { what: "grant", id: id.to_string() }),
                    _ => Ok(()),
                }
            })
            .await
    }
}

impl SqliteStore {
    /// The error where no lock can be had at all, held or not.
    fn no_lease(&self, error: &std::io::Error) -> Error {
        let reason = format!("no lock can be taken beside it: {error}");
        Error::Unavailable { database: self.canonical.path().display().to_string(), reason }
    }
}

pub(super) const SUMMARY: &str =
    "SELECT s.number, s.summary_id, c.conversation_id, s.first_seq, s.last_seq, s.depth, s.content, s.token_count,
       s.source_tokens, s.from_text, s.until_text, s.method, s.model, s.prompt, s.reason, s.kept_facts, s.all_facts,
       s.redoes, s.stored_at
     FROM summaries s LEFT JOIN conversations c ON c.number = s.conversation";

fn load_grant(db: &Connection, id: &GrantId) -> Result<Option<ExpansionGrant>, SqliteFailure> {
    let sql = "SELECT grant_id, issuer, conversations, summaries, max_depth, token_cap, tokens_used, issued_at,
                 expires_at, revoked_at FROM grants WHERE grant_id = ?1";
    let row = |row: &Row<'_>| {
        Ok(GrantRow {
            id: row.get(0)?,
            issuer: row.get(1)?,
            conversations: row.get(2)?,
            summaries: row.get(3)?,
            max_depth: row.get(4)?,
            cap: row.get(5)?,
            used: row.get(6)?,
            issued_at: row.get(7)?,
            expires_at: row.get(8)?,
            revoked_at: row.get(9)?,
        })
    };
    let found = db.prepare_cached(sql)?.query_row([id.as_str()], row).optional()?;
    Ok(found.map(GrantRow::into_grant).transpose()?)
}
