//! Converts database rows of memories and of their notes, as both stores read them, to `DurableMemory`, and refuses
//! damaged rows.

use crate::folds::{join_ids, split_ids};
use crate::rows::{DamagedRow, conversation_id_of, project_id_of};
use model::{
    DurableMemory, MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryStatement, MemoryTier, MemoryVisibility,
    NewMemory, Timestamp,
};
use std::collections::HashMap;

/// A row of `memories`.
pub(crate) struct MemoryRow {
    pub(crate) number: i64,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) project: Option<String>,
    pub(crate) conversation: Option<String>,
    pub(crate) content: String,
    pub(crate) depth: i64,
    pub(crate) created_at: i64,
    pub(crate) author: Option<String>,
}

impl MemoryRow {
    /// The memory without its notes. Its id is the one stored, whether or not it belongs to the words.
    fn into_memory(self) -> Result<DurableMemory, DamagedRow> {
        let damaged = |what: &str| DamagedRow(format!("memory {}: {what}", self.id));
        let body = NewMemory {
            kind: MemoryKind::parse(&self.kind).ok_or_else(|| damaged(&format!("kind `{}`", self.kind)))?,
            project: self.project.as_deref().map(project_id_of).transpose()?,
            conversation: self.conversation.as_deref().map(conversation_id_of).transpose()?,
            author: self.author,
            depth: u32::try_from(self.depth).map_err(|_| damaged(&format!("depth {}", self.depth)))?,
            content: self.content,
            created: Timestamp(self.created_at),
        };
        Ok(DurableMemory { id: memory_id_of(&self.id)?, ..DurableMemory::new(body) })
    }
}

/// A row of `memory_notes`.
pub(crate) struct NoteRow {
    pub(crate) number: i64,
    pub(crate) memory: i64,
    pub(crate) at: i64,
    pub(crate) event: String,
    pub(crate) certainty: Option<i64>,
    pub(crate) tags: Option<String>,
    pub(crate) sources: Option<String>,
    pub(crate) metadata: Option<String>,
    pub(crate) said_at: Option<i64>,
    pub(crate) superseded_by: Option<String>,
}

impl NoteRow {
    /// The row of a note; its number is given by the database.
    pub(crate) fn from_note(memory: i64, note: &MemoryNote) -> Self {
        let (event, statement, by) = match &note.event {
            MemoryEvent::Stated(statement) => (STATED, Some(statement), None),
            MemoryEvent::Recalled => (RECALLED, None, None),
            MemoryEvent::Used => (USED, None, None),
            MemoryEvent::Placed(Some(tier)) => (tier.as_str(), None, None),
            MemoryEvent::Placed(None) => (UNTIERED, None, None),
            MemoryEvent::Shown(visibility) => (visibility.as_str(), None, None),
            MemoryEvent::Archived => (ARCHIVED, None, None),
            MemoryEvent::Superseded { by } => (SUPERSEDED, None, Some(by.to_string())),
        };
        Self {
            number: 0,
            memory,
            at: note.at.0,
            event: event.to_owned(),
            certainty: statement.map(|statement| i64::from(statement.certainty)),
            tags: statement.map(|statement| join_ids(statement.tags.iter().map(String::as_str))),
            sources: statement.map(|statement| join_ids(statement.sources.iter().map(String::as_str))),
            metadata: statement.and_then(|statement| statement.metadata.clone()),
            said_at: statement.map(|statement| statement.said.0),
            superseded_by: by,
        }
    }

    fn into_note(self) -> Result<MemoryNote, DamagedRow> {
        let damaged = || DamagedRow(format!("note {} of a memory: `{}`", self.number, self.event));
        let event = match self.event.as_str() {
            STATED => {
                let certainty = self.certainty.and_then(|number| u32::try_from(number).ok()).ok_or_else(damaged)?;
                let list = |joined: Option<&str>| split_ids(joined.unwrap_or_default()).map(str::to_owned).collect();
                MemoryEvent::Stated(MemoryStatement {
                    certainty,
                    tags: list(self.tags.as_deref()),
                    sources: list(self.sources.as_deref()),
                    metadata: self.metadata,
                    said: Timestamp(self.said_at.unwrap_or(self.at)),
                })
            }
            RECALLED => MemoryEvent::Recalled,
            USED => MemoryEvent::Used,
            UNTIERED => MemoryEvent::Placed(None),
            ARCHIVED => MemoryEvent::Archived,
            SUPERSEDED => {
                let by = self.superseded_by.as_deref().ok_or_else(damaged)?;
                MemoryEvent::Superseded { by: memory_id_of(by)? }
            }
            // An event of a newer version must not be passed over: the memory could be one that does not count any more.
            word => match MemoryVisibility::parse(word) {
                Some(visibility) => MemoryEvent::Shown(visibility),
                None => MemoryEvent::Placed(Some(MemoryTier::parse(word).ok_or_else(damaged)?)),
            },
        };
        Ok(MemoryNote { at: Timestamp(self.at), event })
    }
}

const STATED: &str = "stated";
const RECALLED: &str = "recalled";
const USED: &str = "used";
const UNTIERED: &str = "untiered";
const ARCHIVED: &str = "archived";
const SUPERSEDED: &str = "superseded";

/// Memories with their notes; both ordered by number.
pub(crate) fn gather_memories(memories: Vec<MemoryRow>, notes: Vec<NoteRow>) -> Result<Vec<DurableMemory>, DamagedRow> {
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut gathered = Vec::with_capacity(memories.len());
    for row in memories {
        places.insert(row.number, gathered.len());
        gathered.push(row.into_memory()?);
    }
    for row in notes {
        let number = row.number;
        // A memory that another caller added between the two queries is not asked for.
        let Some(memory) = places.get(&row.memory).and_then(|place| gathered.get_mut(*place)) else { continue };
        memory.add_note(number, row.into_note()?);
    }
    Ok(gathered)
}

fn memory_id_of(text: &str) -> Result<MemoryId, DamagedRow> {
    MemoryId::parse(text).map_err(|error| DamagedRow(error.to_string()))
}
