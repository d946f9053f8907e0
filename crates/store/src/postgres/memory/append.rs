//! Appends messages to a conversation in PostgreSQL, exactly once however often the transaction is retried.
//!
//! A connection that is lost while it commits leaves a doubt: the server did not say whether the messages are stored.
//! So every attempt notes its transaction's number before it commits. The next attempt waits for the lock that the
//! lost transaction held, and then asks the server what became of that number.

use crate::append::{
    AppendPlan, ConversationHead, KnownMessage, PreparedRow, StoredForm, plan_append, prepare_rows, revision_ids,
};
use crate::failpoints::{self, FailPoint};
use crate::postgres::PostgresStore;
use crate::postgres::artifact::put_artifacts;
use crate::postgres::database::{AccessMode, TenantTransaction};
use crate::postgres::failure::PostgresFailure;
use crate::postgres::text::{decode_text, encode_text};
use crate::rows::{hash_of, message_id_of};
use crate::{AppendBatch, AppendOutcome, Error, MessageAck, Result};
use model::{ChainHash, DigestBuilder, ProjectId};
use std::collections::HashMap;
use std::sync::Arc;

/// An attempt that may have been committed.
pub(super) struct UncertainCommit {
    transaction: String,
    last: MessageAck,
    outcomes: Vec<AppendOutcome>,
}

impl PostgresStore {
    /// Hashes messages and makes their terms, before a transaction: while it is open the database waits for us, and
    /// others wait for its locks. Not on the threads that answer requests, which have others to answer.
    pub(in crate::postgres) async fn prepare_messages<B>(
        &self,
        batch: &Arc<B>,
        messages: fn(&B) -> &AppendBatch,
    ) -> Result<Vec<PreparedRow>>
    where
        B: Send + Sync + 'static,
    {
        // Read before a connection is taken: it needs one itself, and there may be only one.
        let term_key = self.own_term_key().await?.clone();
        let (store, batch) = (self.clone(), Arc::clone(batch));
        let prepare = move || {
            let append = messages(&batch);
            // PostgreSQL compresses long text by itself (TOAST), so the content is not packed a second time.
            prepare_rows(append, |content| {
                let terms = Some(store.write_term_keys(&append.conversation, content, &term_key));
                StoredForm { terms, ..StoredForm::default() }
            })
        };
        let prepared = tokio::task::spawn_blocking(prepare).await;
        prepared.map_err(|error| Error::Unavailable {
            database: self.database.name().to_owned(),
            reason: format!("messages could not be prepared: {error}"),
        })
    }
}

/// The conversation's row.
pub(in crate::postgres) struct OpenConversation {
    pub(in crate::postgres) number: i64,
    pub(in crate::postgres) head: ConversationHead,
    transaction: String,
}

impl PostgresStore {
    /// Appends in one transaction. `doubt` is what the attempt before left behind, and what this one leaves.
    pub(super) async fn try_append(
        &self,
        append: &AppendBatch,
        prepared: &[PreparedRow],
        doubt: &mut Option<UncertainCommit>,
    ) -> Result<Vec<AppendOutcome>, PostgresFailure> {
        let mut client = self.acquire_connection().await?;
        let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
        // The lock comes before the head is read: two appends that read the same head would write the same `seq`.
        self.acquire_lock(&transaction, "conversation", append.conversation.as_str()).await?;
        let opened = open_conversation(&transaction, append).await?;
        // Only now can the doubt be decided. The lost transaction held this lock, so it has committed or rolled back.
        if let Some(earlier) = doubt {
            if was_committed(&transaction, opened.number, earlier).await? {
                return Ok(std::mem::take(&mut earlier.outcomes));
            }
            *doubt = None;
        }
        let plan = self.append_all(&transaction, opened.number, opened.head, append, prepared).await?;
        if let Some(last) = plan.new.last() {
            // Without a new message nothing depends on the commit, and a repeated attempt gives the same answer by
            // itself.
            let outcomes = plan.outcomes.clone();
            *doubt = Some(UncertainCommit { transaction: opened.transaction, last: last.ack.clone(), outcomes });
        }
        failpoints::pass(FailPoint::AppendWritten);
        transaction.commit().await.inspect_err(|failure| {
            // A server that refused the commit did not apply it, so the next attempt has no doubt to clear.
            if failure.is_refusal() {
                *doubt = None;
            }
        })?;
        Ok(plan.outcomes)
    }

    /// Appends what was prepared to a conversation whose lock the caller holds, in the transaction that is open.
    pub(in crate::postgres) async fn append_all<'a>(
        &self,
        transaction: &TenantTransaction<'_>,
        conversation: i64,
        head: ConversationHead,
        append: &'a AppendBatch,
        prepared: &'a [PreparedRow],
    ) -> Result<AppendPlan<'a>, PostgresFailure> {
        let mut known = HashMap::new();
        let ids: Vec<&str> = append.rows.iter().filter_map(|row| row.body.external_id.as_deref()).collect();
        find_known(transaction, conversation, &ids, &mut known).await?;
        // Two queries, because the ids of revisions depend on what the first one found.
        let revisions = revision_ids(append, prepared, &known);
        let revisions: Vec<&str> = revisions.iter().map(String::as_str).collect();
        find_known(transaction, conversation, &revisions, &mut known).await?;
        let plan = plan_append(append, prepared, head, known);
        // The artifacts come first: the rows that say which message mentions them look them up.
        put_artifacts(transaction, append).await?;
        self.insert_messages(transaction, conversation, append, &plan.new).await?;
        // The totals lie in the conversation's row, so that an append costs the same however long the conversation is.
        transaction
            .execute(
                // A new message makes a conversation active again; an append of nothing new leaves its state and times
                // alone.
                "UPDATE epitome.conversations SET message_count = $2, token_count = $3, head_hash = $4,
                   title = coalesce($5::text, title),
                   created_at = CASE WHEN $8::boolean THEN $6::bigint ELSE least(created_at, $6::bigint) END,
                   updated_at = CASE WHEN $8::boolean THEN $7::bigint ELSE greatest(updated_at, $7::bigint) END,
                   state = CASE WHEN $7::bigint IS NULL THEN state ELSE 'active' END,
                   state_at = CASE WHEN $7::bigint IS NULL OR state = 'active' THEN state_at ELSE $9::bigint END,
                   project_id = coalesce(project_id, $10::text)
                 WHERE number = $1",
                &[
                    &conversation,
                    &(plan.head.messages as i64),
                    &(plan.head.tokens as i64),
                    &plan.head.hash.0.as_bytes().as_slice(),
                    &append.title.as_deref().map(encode_text),
                    &plan.span.as_ref().map(|span| span.first.0),
                    &plan.span.as_ref().map(|span| span.last.0),
                    &plan.span.as_ref().is_some_and(|span| span.is_beginning),
                    &append.now.0,
                    &append.project.as_ref().map(ProjectId::as_str),
                ],
            )
            .await?;
        Ok(plan)
    }
}

/// Whether an earlier attempt is stored after all. Its lock is ours now, so it has ended one way or the other.
///
/// The number alone could be another transaction's, on a standby that took over without the end of the log; the
/// chain alone could be another writer's equal words. Together they are ours.
async fn was_committed(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    doubt: &UncertainCommit,
) -> Result<bool, PostgresFailure> {
    let sql = "SELECT pg_xact_status($1::text::xid8) = 'committed' AND EXISTS (SELECT FROM epitome.messages
                 WHERE conversation = $2 AND seq = $3 AND chain_hash = $4)";
    let seq = doubt.last.seq as i64;
    let hash = doubt.last.hash.0.as_bytes().as_slice();
    let row = transaction.query_one(sql, &[&doubt.transaction, &conversation, &seq, &hash]).await?;
    Ok(row.try_get::<_, Option<bool>>(0)?.unwrap_or(false))
}

pub(in crate::postgres) async fn open_conversation(
    transaction: &TenantTransaction<'_>,
    append: &AppendBatch,
) -> Result<OpenConversation, PostgresFailure> {
    // Two first appends at once both insert; the second one waits, finds the row and changes nothing.
    transaction
        .execute(
            "INSERT INTO epitome.conversations (conversation_id, name, project_id, message_count, token_count,
               head_hash, stored_at, created_at, updated_at, state_at, author)
             VALUES ($1, $2, $3, 0, 0, $4, $5, $5, $5, $5, $6) ON CONFLICT (tenant_id, conversation_id) DO NOTHING",
            &[
                &append.conversation.as_str(),
                &encode_text(&append.name),
                &append.project.as_ref().map(ProjectId::as_str),
                &ChainHash::for_conversation(&append.conversation).0.as_bytes().as_slice(),
                &append.now.0,
                &append.author.as_deref().map(encode_text),
            ],
        )
        .await?;
    // `pg_current_xact_id` assigns the number that [`was_committed`] asks about after a lost connection.
    let sql = "SELECT number, message_count, token_count, head_hash, pg_current_xact_id()::text
               FROM epitome.conversations WHERE conversation_id = $1";
    let row = transaction.query_one(sql, &[&append.conversation.as_str()]).await?;
    let head = ConversationHead {
        messages: row.try_get::<_, i64>(1)? as u64,
        tokens: row.try_get::<_, i64>(2)? as u64,
        hash: ChainHash(hash_of(row.try_get(3)?)?),
    };
    Ok(OpenConversation { number: row.try_get(0)?, head, transaction: row.try_get(4)? })
}

/// Adds the stored messages under some external ids.
async fn find_known(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    ids: &[&str],
    known: &mut HashMap<String, KnownMessage>,
) -> Result<(), PostgresFailure> {
    if ids.is_empty() {
        return Ok(());
    }
    let keys: Vec<Vec<u8>> = ids.iter().copied().map(external_key).collect();
    let sql = "SELECT external_id, message_id, seq, chain_hash, content_hash FROM epitome.messages
               WHERE conversation = $1 AND external_key = ANY($2)";
    for row in transaction.query_all(sql, &[&conversation, &keys]).await? {
        let message = message_id_of(row.try_get(1)?)?;
        let hash = ChainHash(hash_of(row.try_get(3)?)?);
        let ack = MessageAck { message, seq: row.try_get::<_, i64>(2)? as u64, hash };
        known.insert(decode_text(row.try_get(0)?)?, KnownMessage { ack, content_hash: hash_of(row.try_get(4)?)? });
    }
    Ok(())
}

pub(super) fn external_key(id: &str) -> Vec<u8> {
    DigestBuilder::new("external id").add_field(id.as_bytes()).finish().as_bytes().to_vec()
}
