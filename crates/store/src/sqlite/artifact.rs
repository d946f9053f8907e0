//! Implements `ArtifactStore` (large content outside of its messages) for `SqliteStore`: rows in the canonical
//! database, compressed bytes in files beside it (`files.rs`).

use super::SqliteStore;
use super::failure::SqliteFailure;
use super::files::ArtifactFiles;
use crate::append::PlannedMessage;
use crate::archive::decompress;
use crate::rows::{ArtifactRow, message_id_of};
use crate::{AppendBatch, Artifact, ArtifactStore, Error, NewArtifact, Result};
use async_trait::async_trait;
use model::{ArtifactId, ContentHash, ConversationId, MessageId, SeqRange, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;

#[async_trait]
impl ArtifactStore for SqliteStore {
    async fn load_artifact(&self, id: &ArtifactId) -> Result<Option<Artifact>> {
        let sql = format!("{ARTIFACT} WHERE artifact_id = ?1");
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let row = db.prepare_cached(&sql)?.query_row([id.as_str()], artifact_row).optional()?;
                Ok(row.map(ArtifactRow::into_artifact).transpose()?)
            })
            .await
    }

    async fn list_artifacts(&self) -> Result<Vec<Artifact>> {
        let sql = format!("{ARTIFACT} ORDER BY artifact_id");
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(&sql)?;
                statement.query_map([], artifact_row)?.map(|row| Ok(row?.into_artifact()?)).collect()
            })
            .await
    }

    async fn artifact_content(&self, id: &ArtifactId) -> Result<Option<Vec<u8>>> {
        let Some(artifact) = self.load_artifact(id).await? else { return Ok(None) };
        let damaged = |what: String| Error::Corrupt { database: format!("artifact {id}"), what };
        let read = self.artifacts.read_compressed(artifact.hash).map_err(|error| damaged(error.to_string()))?;
        // Unlike PostgreSQL, the bytes lie outside the database, so a file can be missing although its row is there.
        let column = read.ok_or_else(|| damaged("its file is not there".to_owned()))?;
        let content = decompress(&column).map_err(|error| damaged(error.0))?;
        // The hash is checked on every read: the file system gives no error for bytes that were changed.
        if ContentHash::hash_bytes(&content) == artifact.hash && ArtifactId::from_hash(artifact.hash) == *id {
            Ok(Some(content))
        } else {
            Err(damaged("its bytes are not those that were stored".to_owned()))
        }
    }

    async fn artifact_messages(&self, id: &ArtifactId) -> Result<Vec<MessageId>> {
        let sql = "SELECT m.message_id FROM artifacts a JOIN message_artifacts ma ON ma.artifact = a.number
                   JOIN messages m ON m.number = ma.message WHERE a.artifact_id = ?1 ORDER BY m.number";
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(sql)?;
                let rows = statement.query_map([id.as_str()], |row| row.get::<_, String>(0))?;
                rows.map(|row| Ok(message_id_of(&row?)?)).collect()
            })
            .await
    }

    async fn artifacts_within(&self, conversation: &ConversationId, range: SeqRange) -> Result<Vec<Artifact>> {
        let sql = "SELECT a.artifact_id, a.content_hash, a.byte_count, a.media_type, a.name, a.token_count, a.summary,
                     a.stored_at
                   FROM conversations c JOIN messages m ON m.conversation = c.number
                     JOIN message_artifacts ma ON ma.message = m.number JOIN artifacts a ON a.number = ma.artifact
                   WHERE c.conversation_id = ?1 AND m.seq BETWEEN ?2 AND ?3
                   GROUP BY a.number ORDER BY min(m.seq), a.artifact_id";
        let conversation = conversation.clone();
        let last = i64::try_from(range.last).unwrap_or(i64::MAX);
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(sql)?;
                let rows =
                    statement.query_map(params![conversation.as_str(), range.first as i64, last], artifact_row)?;
                rows.map(|row| Ok(row?.into_artifact()?)).collect()
            })
            .await
    }

    fn artifact_place(&self, artifact: &Artifact) -> String {
        self.artifacts.file_path(artifact.hash).display().to_string()
    }

    async fn stray_artifacts(&self) -> Result<Vec<String>> {
        // The rows are listed before the names, and a file is written before its row, so a writer at work can make its
        // file look stray. Strays are only reported, never deleted.
        let known: HashSet<String> =
            self.list_artifacts().await?.iter().map(|artifact| ArtifactFiles::file_name(artifact.hash)).collect();
        let names = self.artifacts.list_names().map_err(|error| self.io_error(&error))?;
        Ok(names.into_iter().filter(|name| !known.contains(name)).collect())
    }
}

impl SqliteStore {
    /// Puts the artifacts of an append where its rows will find them.
    pub(super) async fn put_files(&self, artifacts: &[NewArtifact]) -> Result<()> {
        if artifacts.is_empty() {
            return Ok(());
        }
        let files = self.artifacts.clone();
        let artifacts = artifacts.to_vec();
        let put = move || files.write_contents(artifacts.iter().map(|artifact| artifact.content.as_slice()));
        // Writing and syncing files blocks, and would hold up every other task of this runtime's thread.
        let put = tokio::task::spawn_blocking(put).await.map_err(std::io::Error::other).flatten();
        put.map_err(|error| self.io_error(&error))
    }

    pub(super) fn io_error(&self, error: &std::io::Error) -> Error {
        Error::ReadOnly { database: self.canonical.path().display().to_string(), reason: error.to_string() }
    }
}

/// The directory of the files, beside the database.
pub(super) const ARTIFACT_FILES: &str = "artifacts";

const ARTIFACT: &str = "SELECT artifact_id, content_hash, byte_count, media_type, name, token_count, summary, stored_at
                        FROM artifacts";

fn artifact_row(row: &Row<'_>) -> rusqlite::Result<ArtifactRow> {
    Ok(ArtifactRow {
        id: row.get(0)?,
        hash: row.get(1)?,
        bytes: row.get(2)?,
        media_type: row.get(3)?,
        name: row.get(4)?,
        tokens: row.get(5)?,
        summary: row.get(6)?,
        stored_at: row.get(7)?,
    })
}

/// Writes the rows of an append's artifacts that are not there yet.
pub(super) fn put_artifacts(db: &Connection, append: &AppendBatch) -> Result<(), SqliteFailure> {
    append.artifacts.iter().try_for_each(|artifact| insert_artifact(db, artifact, append.now))
}

/// Writes the row of an artifact that is not there yet.
pub(super) fn insert_artifact(db: &Connection, artifact: &NewArtifact, now: Timestamp) -> Result<(), SqliteFailure> {
    db.prepare_cached(
        "INSERT INTO artifacts (artifact_id, content_hash, byte_count, media_type, name, token_count, summary, stored_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        artifact.artifact_id().as_str(),
        ContentHash::hash_bytes(&artifact.content).as_bytes(),
        artifact.content.len() as i64,
        artifact.media_type,
        artifact.name,
        artifact.tokens.map(|tokens| tokens.0),
        artifact.summary,
        now.0,
    ])?;
    Ok(())
}

/// Says that a message mentions artifacts.
pub(super) fn put_mentions(db: &Connection, message: i64, planned: &PlannedMessage<'_>) -> Result<(), SqliteFailure> {
    let mut put = db.prepare_cached(
        "INSERT INTO message_artifacts (message, artifact) SELECT ?1, number FROM artifacts WHERE artifact_id = ?2 ON CONFLICT DO NOTHING",
    )?;
    for artifact in &planned.row.artifacts {
        put.execute(params![message, artifact.as_str()])?;
    }
    Ok(())
}
