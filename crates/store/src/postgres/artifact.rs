//! Implements `ArtifactStore` (large content outside of its messages) for `PostgresStore`: rows contain the compressed
//! bytes, so that every server of the database sees them.

use super::PostgresStore;
use super::database::TenantTransaction;
use super::failure::PostgresFailure;
use super::rows::{maybe_text, read_text};
use super::text::encode_text;
use crate::append::PlannedMessage;
use crate::archive::{compress, decompress};
use crate::rows::{ArtifactRow, message_id_of};
use crate::{AppendBatch, Artifact, ArtifactStore, Error, NewArtifact, Result};
use async_trait::async_trait;
use model::{ArtifactId, ContentHash, ConversationId, MessageId, SeqRange, Timestamp};
use tokio_postgres::Row;

#[async_trait]
impl ArtifactStore for PostgresStore {
    async fn load_artifact(&self, id: &ArtifactId) -> Result<Option<Artifact>> {
        let sql = format!("SELECT {ARTIFACT} FROM epitome.artifacts WHERE artifact_id = $1");
        Ok(self.query_rows(&sql, &[&id.as_str()], artifact_row).await?.into_iter().next())
    }

    async fn list_artifacts(&self) -> Result<Vec<Artifact>> {
        let sql = format!("SELECT {ARTIFACT} FROM epitome.artifacts ORDER BY artifact_id");
        self.query_rows(&sql, &[], artifact_row).await
    }

    async fn artifact_content(&self, id: &ArtifactId) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT content_hash, compressed FROM epitome.artifacts WHERE artifact_id = $1";
        let row = |row: &Row| Ok((row.try_get::<_, Vec<u8>>(0)?, decompress(row.try_get(1)?)?));
        let Some((hash, content)) = self.query_rows(sql, &[&id.as_str()], row).await?.into_iter().next() else {
            return Ok(None);
        };
        // The id is derived from the hash, so checking both detects a row whose bytes and hash were swapped together.
        let found = ContentHash::hash_bytes(&content);
        if found.as_bytes().as_slice() == hash && ArtifactId::from_hash(found) == *id {
            return Ok(Some(content));
        }
        let what = "its bytes are not those that were stored".to_owned();
        Err(Error::Corrupt { database: format!("artifact {id}"), what })
    }

    async fn artifact_messages(&self, id: &ArtifactId) -> Result<Vec<MessageId>> {
        let sql = "SELECT m.message_id FROM epitome.artifacts a
                   JOIN epitome.message_artifacts ma ON ma.artifact = a.number
                   JOIN epitome.messages m ON m.number = ma.message WHERE a.artifact_id = $1 ORDER BY m.number";
        self.query_rows(sql, &[&id.as_str()], |row| Ok(message_id_of(row.try_get(0)?)?)).await
    }

    async fn artifacts_within(&self, conversation: &ConversationId, range: SeqRange) -> Result<Vec<Artifact>> {
        let sql = "SELECT a.artifact_id, a.content_hash, a.byte_count, a.media_type, a.name, a.token_count, a.summary,
                     a.stored_at
                   FROM epitome.artifacts a JOIN (
                     SELECT ma.artifact, min(m.seq) AS seq FROM epitome.conversations c
                       JOIN epitome.messages m ON m.conversation = c.number
                       JOIN epitome.message_artifacts ma ON ma.message = m.number
                     WHERE c.conversation_id = $1 AND m.seq BETWEEN $2 AND $3 GROUP BY ma.artifact
                   ) mentioned ON mentioned.artifact = a.number ORDER BY mentioned.seq, a.artifact_id";
        let last = i64::try_from(range.last).unwrap_or(i64::MAX);
        self.query_rows(sql, &[&conversation.as_str(), &(range.first as i64), &last], artifact_row).await
    }

    fn artifact_place(&self, artifact: &Artifact) -> String {
        format!("{}, table epitome.artifacts, row {}", self.database.name(), artifact.id)
    }

    /// A row and its bytes come and go together here.
    async fn stray_artifacts(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

const ARTIFACT: &str = "artifact_id, content_hash, byte_count, media_type, name, token_count, summary, stored_at";

fn artifact_row(row: &Row) -> Result<Artifact, PostgresFailure> {
    let artifact = ArtifactRow {
        id: row.try_get(0)?,
        hash: row.try_get(1)?,
        bytes: row.try_get(2)?,
        media_type: read_text(row, 3)?,
        name: maybe_text(row, 4)?,
        tokens: row.try_get(5)?,
        summary: read_text(row, 6)?,
        stored_at: row.try_get(7)?,
    };
    Ok(artifact.into_artifact()?)
}

/// Writes the rows of an append's artifacts that are not there yet.
pub(super) async fn put_artifacts(
    transaction: &TenantTransaction<'_>,
    append: &AppendBatch,
) -> Result<(), PostgresFailure> {
    for artifact in &append.artifacts {
        put_artifact(transaction, artifact, append.now).await?;
    }
    Ok(())
}

/// Writes the row of an artifact that is not there yet.
pub(super) async fn put_artifact(
    transaction: &TenantTransaction<'_>,
    artifact: &NewArtifact,
    now: Timestamp,
) -> Result<(), PostgresFailure> {
    // The same tool output in many messages is one row; a second writer of the same bytes has nothing to add.
    let sql = format!(
        "INSERT INTO epitome.artifacts ({ARTIFACT}, compressed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (artifact_id, tenant_id) DO NOTHING"
    );
    transaction
        .execute(
            &sql,
            &[
                &artifact.artifact_id().as_str(),
                &ContentHash::hash_bytes(&artifact.content).as_bytes().as_slice(),
                &(artifact.content.len() as i64),
                &encode_text(&artifact.media_type),
                &artifact.name.as_deref().map(encode_text),
                &artifact.tokens.map(|tokens| i64::from(tokens.0)),
                &encode_text(&artifact.summary),
                &now.0,
                &compress(&artifact.content),
            ],
        )
        .await?;
    Ok(())
}

/// Says that a message mentions artifacts.
pub(super) async fn put_mentions(
    transaction: &TenantTransaction<'_>,
    message: i64,
    planned: &PlannedMessage<'_>,
) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.message_artifacts (message, artifact)
               SELECT $1, number FROM epitome.artifacts WHERE artifact_id = ANY($2)
               ON CONFLICT (artifact, message, tenant_id) DO NOTHING";
    let ids: Vec<&str> = planned.row.artifacts.iter().map(ArtifactId::as_str).collect();
    // Most messages mention no artifact, and every statement is a trip to the server.
    if !ids.is_empty() {
        transaction.execute(sql, &[&message, &ids]).await?;
    }
    Ok(())
}
