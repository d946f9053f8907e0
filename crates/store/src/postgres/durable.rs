//! Implements `DurableStore` (memories and what happened to them) for `PostgresStore`, in tables of its own.

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use super::rows::{maybe_text, read_text};
use super::text::encode_text;
use crate::Result;
use crate::durable::{
    DurableStore, DurableVersion, MemoryBatch, MemoryRow, MemoryScope, NoteRow, durable_version_sql, gather_memories,
};
use crate::rows::DamagedRow;
use async_trait::async_trait;
use model::{ConversationId, DurableMemory, MemoryId, MemoryNote, NewMemory, ProjectId};
use tokio_postgres::Row;

#[async_trait]
impl DurableStore for PostgresStore {
    async fn write_memories(&self, batch: MemoryBatch) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // Two writers that add the same memories in another order would wait for each other for ever.
                self.acquire_lock(&transaction, "memories", "").await?;
                for memory in &batch.memories {
                    add_memory(&transaction, memory).await?;
                }
                for (id, note) in &batch.notes {
                    add_note(&transaction, id, note).await?;
                }
                transaction.commit().await
            })
            .await?;
        self.anchor_rows("memories", batch.memories.iter().map(model::NewMemory::id));
        Ok(())
    }

    async fn load_memories(&self, scope: MemoryScope) -> Result<Vec<DurableMemory>> {
        let project = match &scope {
            MemoryScope::All => None,
            MemoryScope::Project(project) => Some(project.as_str()),
        };
        self.read_memories("$1::text IS NULL OR m.project_id IS NULL OR m.project_id = $1", project).await
    }

    async fn durable_version(&self) -> Result<DurableVersion> {
        let row = |row: &Row| {
            let count = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
            Ok(DurableVersion { memories: count(0)?, notes: count(1)?, rewrites: count(2)? })
        };
        let found = self.query_rows(&durable_version_sql("epitome."), &[], row).await?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    async fn load_memory(&self, id: &MemoryId) -> Result<Option<DurableMemory>> {
        let found = self.read_memories("m.memory_id = $1::text", Some(id.as_str())).await?.pop();
        if found.as_ref().is_some_and(|memory| !memory.is_intact()) {
            let damaged = DamagedRow(format!("memory {id}: its words are not those it was stored with"));
            return Err(PostgresFailure::from(damaged).into_error(self.database.name()));
        }
        Ok(found)
    }
}

impl PostgresStore {
    async fn read_memories(&self, chosen: &str, key: Option<&str>) -> Result<Vec<DurableMemory>> {
        let memories = format!(
            "SELECT m.number, m.memory_id, m.kind, m.project_id, m.conversation_id, m.content, m.depth, m.created_at,
               m.author
             FROM epitome.memories m WHERE {chosen} ORDER BY m.number"
        );
        let notes = format!(
            "SELECT n.number, n.memory, n.at, n.event, n.certainty, n.tags, n.sources, n.metadata, n.said_at,
               n.superseded_by
             FROM epitome.memory_notes n JOIN epitome.memories m ON m.number = n.memory AND m.tenant_id = n.tenant_id
             WHERE {chosen} ORDER BY n.number"
        );
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let rows = transaction.query_all(&memories, &[&key]).await?;
                let memories = rows.iter().map(memory_row).collect::<Result<_, _>>()?;
                let rows = transaction.query_all(&notes, &[&key]).await?;
                let notes = rows.iter().map(note_row).collect::<Result<_, PostgresFailure>>()?;
                Ok(gather_memories(memories, notes)?)
            })
            .await
    }
}

pub(super) async fn add_memory(transaction: &TenantTransaction<'_>, memory: &NewMemory) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.memories
                 (memory_id, kind, project_id, conversation_id, content, depth, created_at, author)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (memory_id, tenant_id) DO NOTHING";
    transaction
        .execute(
            sql,
            &[
                &memory.id().as_str(),
                &memory.kind.as_str(),
                &memory.project.as_ref().map(ProjectId::as_str),
                &memory.conversation.as_ref().map(ConversationId::as_str),
                &encode_text(&memory.content),
                &i64::from(memory.depth),
                &memory.created.0,
                &memory.author.as_deref().map(encode_text),
            ],
        )
        .await?;
    Ok(())
}

async fn add_note(
    transaction: &TenantTransaction<'_>,
    id: &MemoryId,
    note: &MemoryNote,
) -> Result<(), PostgresFailure> {
    let found =
        transaction.query_all("SELECT number FROM epitome.memories WHERE memory_id = $1", &[&id.as_str()]).await?;
    let Some(found) = found.first() else {
        return Err(PostgresFailure::Missing { what: "memory", id: id.to_string() });
    };
    let row = NoteRow::from_note(found.try_get(0)?, note);
    let sql = "INSERT INTO epitome.memory_notes
                 (memory, at, event, certainty, tags, sources, metadata, said_at, superseded_by)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    transaction
        .execute(
            sql,
            &[
                &row.memory,
                &row.at,
                &row.event,
                &row.certainty,
                &row.tags.as_deref().map(encode_text),
                &row.sources.as_deref().map(encode_text),
                &row.metadata.as_deref().map(encode_text),
                &row.said_at,
                &row.superseded_by,
            ],
        )
        .await?;
    Ok(())
}

fn memory_row(row: &Row) -> Result<MemoryRow, PostgresFailure> {
    Ok(MemoryRow {
        number: row.try_get(0)?,
        id: row.try_get(1)?,
        kind: row.try_get(2)?,
        project: row.try_get(3)?,
        conversation: row.try_get(4)?,
        content: read_text(row, 5)?,
        depth: row.try_get(6)?,
        created_at: row.try_get(7)?,
        author: maybe_text(row, 8)?,
    })
}

fn note_row(row: &Row) -> Result<NoteRow, PostgresFailure> {
    Ok(NoteRow {
        number: row.try_get(0)?,
        memory: row.try_get(1)?,
        at: row.try_get(2)?,
        event: row.try_get(3)?,
        certainty: row.try_get(4)?,
        tags: maybe_text(row, 5)?,
        sources: maybe_text(row, 6)?,
        metadata: maybe_text(row, 7)?,
        said_at: row.try_get(8)?,
        superseded_by: row.try_get(9)?,
    })
}
