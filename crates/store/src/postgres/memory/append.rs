//! Appends messages to a conversation in PostgreSQL, exactly once however often the transaction is retried.
//!
//! A connection that is lost while it commits leaves a doubt: the server did not say whether the messages are stored.
//! So every attempt notes its transaction's number before it commits. The next attempt waits for the lock that the
//! lost transaction held, and then asks the server what became of that number.

use crate::append::{
    AppendPlan, ConversationHead, KnownMessage, PlannedMessage, PreparedRow, plan_append, revision_ids,
};
use crate::columns::part_rows;
use crate::failpoints::{self, FailPoint};
use crate::postgres::PostgresStore;
use crate::postgres::artifact::{put_artifacts, put_mentions};
use crate::postgres::database::{AccessMode, TenantTransaction};
use crate::postgres::failure::PostgresFailure;
use crate::postgres::number_of;
use crate::postgres::rows::insert_part;
use crate::postgres::text::{decode_text, encode_text};
use crate::rows::{hash_of, message_id_of};
use crate::{AppendBatch, AppendOutcome, MessageAck, Result};
use futures::TryStreamExt as _;
use model::terms::distinct_terms;
use model::{ChainHash, ConversationId, DigestBuilder, ProjectId};
use std::collections::HashMap;

/// How many messages may be on their way to the server at once: bounds memory, hides the distance.
const IN_FLIGHT: usize = 64;

/// An attempt that may have been committed.
pub(super) struct UncertainCommit {
    transaction: String,
    last: MessageAck,
    outcomes: Vec<AppendOutcome>,
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
                "UPDATE epitome.conversations SET message_count = $2, token_count = $3, head_hash = $4 WHERE number = $1",
                &[
                    &conversation,
                    &(plan.head.messages as i64),
                    &(plan.head.tokens as i64),
                    &plan.head.hash.0.as_bytes().as_slice(),
                ],
            )
            .await?;
        Ok(plan)
    }

    async fn insert_messages(
        &self,
        transaction: &TenantTransaction<'_>,
        conversation: i64,
        append: &AppendBatch,
        new: &[PlannedMessage<'_>],
    ) -> Result<(), PostgresFailure> {
        // All numbers are drawn in one statement before the rows are sent, so that many inserts can be on their way at
        // once and still stand in the order of the batch.
        let sql = "SELECT nextval('epitome.message_numbers') FROM generate_series(1, $1::bigint)";
        let numbers = transaction.query_all(sql, &[&(new.len() as i64)]).await?;
        let mut numbers = numbers.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?;
        // A sequence that other sessions draw from need not give its numbers in the order of the rows.
        numbers.sort_unstable();
        futures::stream::iter(numbers.into_iter().zip(new).map(Ok))
            .try_for_each_concurrent(IN_FLIGHT, |(number, planned)| {
                self.insert_message(transaction, conversation, number, append, planned)
            })
            .await
    }

    async fn insert_message(
        &self,
        transaction: &TenantTransaction<'_>,
        conversation: i64,
        number: i64,
        append: &AppendBatch,
        planned: &PlannedMessage<'_>,
    ) -> Result<(), PostgresFailure> {
        let body = &planned.row.body;
        let ack = &planned.ack;
        transaction
            .execute(
                // Text from outside goes through `encode_text`: a PostgreSQL text cannot hold the NUL that tool outputs
                // contain.
                "INSERT INTO epitome.messages (number, message_id, conversation, seq, external_id, external_key, role,
                   speaker, session, at_text, at_instant, content, token_count, content_hash, chain_hash, stored_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
                &[
                    &number,
                    &ack.message.as_str(),
                    &conversation,
                    &(ack.seq as i64),
                    &body.external_id.as_deref().map(encode_text),
                    // The id of the outside world may be longer than an index entry, so lookups go by its digest.
                    &body.external_id.as_deref().map(external_key),
                    &body.role.as_str(),
                    &body.speaker.as_deref().map(encode_text),
                    &body.session.as_deref().map(encode_text),
                    &body.at.as_ref().map(|at| encode_text(&at.text)),
                    &body.at.as_ref().and_then(|at| at.instant).map(|at| at.0),
                    &encode_text(&planned.prepared.content),
                    &i64::from(planned.row.tokens.0),
                    &planned.content_hash.as_bytes().as_slice(),
                    &ack.hash.0.as_bytes().as_slice(),
                    &append.now.0,
                ],
            )
            .await?;
        // The terms of a message lie in a table without row-level security, because under a policy PostgreSQL does not
        // use the index for `@>`. The tenant is inside the digests instead.
        let keys = self.term_keys(Some(&append.conversation), &distinct_terms(&planned.prepared.content));
        transaction
            .execute("INSERT INTO epitome.message_terms (message, keys) VALUES ($1, $2)", &[&number, &keys])
            .await?;
        put_mentions(transaction, number, planned).await?;
        for (ordinal, part) in part_rows(body).into_iter().enumerate() {
            insert_part(transaction, number, ordinal, part).await?;
        }
        Ok(())
    }

    /// What `message_terms` holds for a conversation and for terms: digests that no other tenant has.
    pub(super) fn term_keys(&self, conversation: Option<&ConversationId>, terms: &[String]) -> Vec<i64> {
        let key = |purpose: &str, word: &str| {
            number_of(DigestBuilder::new(purpose).add_field(self.tenant.as_bytes()).add_field(word.as_bytes()))
        };
        let within = conversation.map(|id| key("conversation", id.as_str()));
        within.into_iter().chain(terms.iter().map(|term| key("term", term))).collect()
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
               head_hash, stored_at)
             VALUES ($1, $2, $3, 0, 0, $4, $5) ON CONFLICT (tenant_id, conversation_id) DO NOTHING",
            &[
                &append.conversation.as_str(),
                &encode_text(&append.name),
                &append.project.as_ref().map(ProjectId::as_str),
                &ChainHash::for_conversation(&append.conversation).0.as_bytes().as_slice(),
                &append.now.0,
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

fn external_key(id: &str) -> Vec<u8> {
    DigestBuilder::new("external id").add_field(id.as_bytes()).finish().as_bytes().to_vec()
}
