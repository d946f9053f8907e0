//! Implements `DurableStore` (memories and what happened to them) for `SqliteStore`, in the canonical database.

use super::SqliteStore;
use super::failure::SqliteFailure;
use crate::Result;
use crate::durable::{
    DurableStore, DurableVersion, MemoryBatch, MemoryRow, MemoryScope, NoteRow, durable_version_sql, gather_memories,
};
use crate::rows::DamagedRow;
use async_trait::async_trait;
use model::{DurableMemory, MemoryId, MemoryNote, NewMemory, ProjectId};
use rusqlite::{Connection, OptionalExtension, Row, params};

#[async_trait]
impl DurableStore for SqliteStore {
    async fn write_memories(&self, batch: MemoryBatch) -> Result<()> {
        self.canonical
            .write(move |db| {
                batch.memories.iter().try_for_each(|memory| add_memory(db, memory))?;
                batch.notes.iter().try_for_each(|(id, note)| add_note(db, id, note))
            })
            .await
    }

    async fn load_memories(&self, scope: MemoryScope) -> Result<Vec<DurableMemory>> {
        let project = match scope {
            MemoryScope::All => None,
            MemoryScope::Project(project) => Some(project.to_string()),
        };
        let chosen = "?1 IS NULL OR m.project_id IS NULL OR m.project_id = ?1";
        self.canonical.read(move |db| read_memories(db, chosen, project.as_deref())).await
    }

    async fn durable_version(&self) -> Result<DurableVersion> {
        self.canonical
            .read(|db| {
                Ok(db.prepare_cached(&durable_version_sql(""))?.query_row([], |row| {
                    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)? as u64);
                    Ok(DurableVersion { memories: count(0)?, notes: count(1)?, rewrites: count(2)? })
                })?)
            })
            .await
    }

    async fn load_memory(&self, id: &MemoryId) -> Result<Option<DurableMemory>> {
        let id = id.to_string();
        self.canonical
            .read(move |db| match read_memories(db, "m.memory_id = ?1", Some(&id))?.pop() {
                Some(memory) if !memory.is_intact() => {
                    Err(DamagedRow(format!("memory {id}: its words are not those it was stored with")).into())
                }
                memory => Ok(memory),
            })
            .await
    }
}

pub(super) fn add_memory(db: &Connection, memory: &NewMemory) -> Result<(), SqliteFailure> {
    let sql = "INSERT INTO memories (memory_id, kind, project_id, conversation_id, content, depth, created_at, author)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (memory_id) DO NOTHING";
    db.prepare_cached(sql)?.execute(params![
        memory.id().as_str(),
        memory.kind.as_str(),
        memory.project.as_ref().map(ProjectId::as_str),
        memory.conversation.as_ref().map(model::ConversationId::as_str),
        memory.content,
        memory.depth,
        memory.created.0,
        memory.author,
    ])?;
    Ok(())
}

fn add_note(db: &Connection, id: &MemoryId, note: &MemoryNote) -> Result<(), SqliteFailure> {
    let sql = "SELECT number FROM memories WHERE memory_id = ?1";
    let number: Option<i64> = db.prepare_cached(sql)?.query_row([id.as_str()], |row| row.get(0)).optional()?;
    let number = number.ok_or_else(|| SqliteFailure::Missing { what: "memory", id: id.to_string() })?;
    let row = NoteRow::from_note(number, note);
    let sql = "INSERT INTO memory_notes
                 (memory, at, event, certainty, tags, sources, metadata, said_at, superseded_by)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    db.prepare_cached(sql)?.execute(params![
        row.memory,
        row.at,
        row.event,
        row.certainty,
        row.tags,
        row.sources,
        row.metadata,
        row.said_at,
        row.superseded_by,
    ])?;
    Ok(())
}

fn read_memories(db: &Connection, chosen: &str, key: Option<&str>) -> Result<Vec<DurableMemory>, SqliteFailure> {
    let sql = format!(
        "SELECT m.number, m.memory_id, m.kind, m.project_id, m.conversation_id, m.content, m.depth, m.created_at,
           m.author
         FROM memories m WHERE {chosen} ORDER BY m.number"
    );
    let memories: Vec<MemoryRow> =
        db.prepare_cached(&sql)?.query_map([key], memory_row)?.collect::<rusqlite::Result<_>>()?;
    let sql = format!(
        "SELECT n.number, n.memory, n.at, n.event, n.certainty, n.tags, n.sources, n.metadata, n.said_at,
           n.superseded_by
         FROM memory_notes n JOIN memories m ON m.number = n.memory WHERE {chosen} ORDER BY n.number"
    );
    let notes: Vec<NoteRow> = db.prepare_cached(&sql)?.query_map([key], note_row)?.collect::<rusqlite::Result<_>>()?;
    Ok(gather_memories(memories, notes)?)
}

fn memory_row(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    Ok(MemoryRow {
        number: row.get(0)?,
        id: row.get(1)?,
        kind: row.get(2)?,
        project: row.get(3)?,
        conversation: row.get(4)?,
        content: row.get(5)?,
        depth: row.get(6)?,
        created_at: row.get(7)?,
        author: row.get(8)?,
    })
}

fn note_row(row: &Row<'_>) -> rusqlite::Result<NoteRow> {
    Ok(NoteRow {
        number: row.get(0)?,
        memory: row.get(1)?,
        at: row.get(2)?,
        event: row.get(3)?,
        certainty: row.get(4)?,
        tags: row.get(5)?,
        sources: row.get(6)?,
        metadata: row.get(7)?,
        said_at: row.get(8)?,
        superseded_by: row.get(9)?,
    })
}
