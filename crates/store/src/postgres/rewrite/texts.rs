//! Applies a purge: puts messages, artifacts, frames, tails, memories and entities with other words in the place of stored ones,
//! and drops what was made from them.

use super::side_texts::rewrite_side_text;
use crate::Result;
use crate::postgres::PostgresStore;
use crate::postgres::archive::{rewrite_frames, rewrite_tail};
use crate::postgres::artifact::put_artifact;
use crate::postgres::database::TenantTransaction;
use crate::postgres::durable::add_memory;
use crate::postgres::entities::{rewrite_entity, rewrite_link};
use crate::postgres::failure::PostgresFailure;
use crate::postgres::key::TermKey;
use crate::postgres::records::{add_record, record_number};
use crate::rewrite::{ArtifactRewrite, DERIVED_DELETIONS, MessageRewrite, RewriteReason, RewriteRecord, StoreRewrite};
use crate::rows::hash_of;
use model::{ContentHash, ConversationId, MemoryId, NewMemory, NewRecord, RecordId, Timestamp};
use std::collections::BTreeMap;

impl PostgresStore {
    /// Writes all of it in the open transaction, and gives the records.
    pub(super) async fn apply_rewrite(
        &self,
        transaction: &TenantTransaction<'_>,
        rewrite: &StoreRewrite,
        now: Timestamp,
        term_key: &TermKey,
    ) -> Result<Vec<RewriteRecord>, PostgresFailure> {
        let mut records = Vec::new();
        let mut note = |subject: String, items: u64, before: ContentHash, after: ContentHash| {
            let reason = RewriteReason::Purged;
            records.push(RewriteRecord { at: now, reason, subject, items, before, after: Some(after) });
        };
        // First: the row of an artifact goes where its bytes are replaced, too.
        for text in &rewrite.side_texts {
            rewrite_side_text(transaction, text).await?;
            // A digest of so short a text would let its words be guessed.
            let place = text.place.to_string();
            let hash = ContentHash::hash_bytes(place.as_bytes());
            note(place, 1, hash, hash);
        }
        for artifact in &rewrite.artifacts {
            let (before, after) = replace_artifact(transaction, artifact, now).await?;
            note(artifact.before.to_string(), 1, before, after);
        }
        let mut by_conversation: BTreeMap<&ConversationId, BTreeMap<u64, &MessageRewrite>> = BTreeMap::new();
        for message in &rewrite.messages {
            by_conversation.entry(&message.conversation).or_default().insert(message.seq, message);
        }
        for (conversation, messages) in by_conversation {
            let (before, after) = self.relink_messages(transaction, conversation, &messages, term_key).await?;
            note(conversation.to_string(), messages.len() as u64, before, after);
        }
        for change in rewrite_frames(transaction, &rewrite.frames).await? {
            note(change.subject, change.frames, change.before, change.after);
        }
        for tail in &rewrite.tails {
            let (subject, hash) = rewrite_tail(transaction, tail).await?;
            note(subject, 1, hash, hash);
        }
        for (before, memory) in &rewrite.memories {
            replace_memory(transaction, before, memory).await?;
            let hash = |id: &MemoryId| ContentHash::hash_bytes(id.as_str().as_bytes());
            note(before.to_string(), 1, hash(before), hash(&memory.id()));
        }
        for (before, record) in &rewrite.records {
            replace_record(transaction, before, record).await?;
            let hash = |id: &RecordId| ContentHash::hash_bytes(id.as_str().as_bytes());
            note(before.to_string(), 1, hash(before), hash(&record.id()));
        }
        let hash = |id: &str| ContentHash::hash_bytes(id.as_bytes());
        for entity in &rewrite.entities {
            rewrite_entity(transaction, entity).await?;
            let before = entity.before.as_str();
            note(before.to_owned(), 1, hash(before), hash(entity.statement.id().as_str()));
        }
        for link in &rewrite.entity_links {
            rewrite_link(transaction, link).await?;
            let before = link.before.as_str();
            note(before.to_owned(), 1, hash(before), hash(link.statement.id().as_str()));
        }
        for conversation in &rewrite.derived {
            for sql in DERIVED_DELETIONS {
                transaction.execute(&sql.replace('@', "epitome."), &[&conversation.as_str()]).await?;
            }
        }
        Ok(records)
    }
}

/// Puts an artifact in the place of another one; gives the hashes of both.
async fn replace_artifact(
    transaction: &TenantTransaction<'_>,
    rewrite: &ArtifactRewrite,
    now: Timestamp,
) -> Result<(ContentHash, ContentHash), PostgresFailure> {
    let (old, before) = find_artifact(transaction, rewrite.before.as_str()).await?;
    put_artifact(transaction, &rewrite.artifact, now).await?;
    let (new, after) = find_artifact(transaction, rewrite.artifact.artifact_id().as_str()).await?;
    // A message may have mentioned both already.
    let sql = "INSERT INTO epitome.message_artifacts (message, artifact)
               SELECT message, $2 FROM epitome.message_artifacts WHERE artifact = $1
               ON CONFLICT (artifact, message, tenant_id) DO NOTHING";
    transaction.execute(sql, &[&old, &new]).await?;
    transaction.execute("DELETE FROM epitome.message_artifacts WHERE artifact = $1", &[&old]).await?;
    transaction.execute("DELETE FROM epitome.artifacts WHERE number = $1", &[&old]).await?;
    Ok((before, after))
}

async fn find_artifact(transaction: &TenantTransaction<'_>, id: &str) -> Result<(i64, ContentHash), PostgresFailure> {
    let sql = "SELECT number, content_hash FROM epitome.artifacts WHERE artifact_id = $1";
    let row = transaction.query_optional(sql, &[&id]).await?;
    let row = row.ok_or_else(|| PostgresFailure::Missing { what: "artifact", id: id.to_owned() })?;
    Ok((row.try_get(0)?, hash_of(row.try_get(1)?)?))
}

/// Puts a memory in the place of another one, with what was noted about that.
async fn replace_memory(
    transaction: &TenantTransaction<'_>,
    before: &MemoryId,
    memory: &NewMemory,
) -> Result<(), PostgresFailure> {
    let old = find_memory(transaction, before).await?;
    add_memory(transaction, memory).await?;
    let new = find_memory(transaction, &memory.id()).await?;
    transaction.execute("UPDATE epitome.memory_notes SET memory = $2 WHERE memory = $1", &[&old, &new]).await?;
    let sql = "UPDATE epitome.memory_notes SET superseded_by = $2 WHERE superseded_by = $1";
    transaction.execute(sql, &[&before.as_str(), &memory.id().as_str()]).await?;
    transaction.execute("DELETE FROM epitome.memories WHERE number = $1", &[&old]).await?;
    Ok(())
}

/// Puts a record in the place of another one, with what was noted about that.
async fn replace_record(
    transaction: &TenantTransaction<'_>,
    before: &RecordId,
    record: &NewRecord,
) -> Result<(), PostgresFailure> {
    let old = record_number(transaction, before).await?;
    add_record(transaction, record).await?;
    let new = record_number(transaction, &record.id()).await?;
    let sql = "UPDATE epitome.session_record_notes SET record = $2 WHERE record = $1";
    transaction.execute(sql, &[&old, &new]).await?;
    transaction.execute("DELETE FROM epitome.session_records WHERE number = $1", &[&old]).await?;
    Ok(())
}

async fn find_memory(transaction: &TenantTransaction<'_>, id: &MemoryId) -> Result<i64, PostgresFailure> {
    let sql = "SELECT number FROM epitome.memories WHERE memory_id = $1";
    let row = transaction.query_optional(sql, &[&id.as_str()]).await?;
    Ok(row.ok_or_else(|| PostgresFailure::Missing { what: "memory", id: id.to_string() })?.try_get(0)?)
}
