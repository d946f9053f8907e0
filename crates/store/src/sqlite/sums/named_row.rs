//! What the anchor says of a row that comes or goes: `NamedRow` reads its columns by their names.

use super::super::anchor::removal_of;
use crate::entities::{EntityLinkRow, EntityRow};
use crate::{AnchorHead, AnchorPoint, DataRemoval, RemovedSubject};
use model::ContentHash;
use rusqlite::types::ValueRef;

pub(super) fn is_same_subject(one: &AnchorPoint, other: &AnchorPoint) -> bool {
    head_of(one).zip(head_of(other)).is_some_and(|((one, _), (other, _))| one == other)
}

/// What a point is about and how far it is; none for a row, which has no head.
pub(super) fn head_of(point: &AnchorPoint) -> Option<(RemovedSubject, AnchorHead)> {
    match point {
        AnchorPoint::Conversation { id, head } => Some((RemovedSubject::Conversation { id: id.clone() }, head.clone())),
        AnchorPoint::Archive { agent, path, generation, head } => {
            let (agent, path) = (agent.clone(), path.clone());
            Some((RemovedSubject::Archive { agent, path, generation: *generation }, head.clone()))
        }
        AnchorPoint::Row { .. } => None,
    }
}

/// A row with the names of its columns.
pub(super) struct NamedRow<'r> {
    pub(super) columns: &'r [String],
    pub(super) values: &'r [ValueRef<'r>],
}

impl NamedRow<'_> {
    fn value(&self, column: &str) -> Option<&ValueRef<'_>> {
        self.values.get(self.columns.iter().position(|name| name == column)?)
    }

    pub(super) fn text(&self, column: &str) -> Option<String> {
        self.value(column)?.as_str().ok().map(str::to_owned)
    }

    pub(super) fn number(&self, column: &str) -> Option<i64> {
        self.value(column)?.as_i64().ok()
    }

    fn head(&self, count: &str, hash: &str) -> Option<AnchorHead> {
        let hash = ContentHash::from_bytes(self.value(hash)?.as_blob().ok()?)?;
        Some(AnchorHead::new(self.number(count)? as u64, hash))
    }

    /// What the anchor says of a row that came.
    pub(super) fn point(&self, table: &str) -> Option<AnchorPoint> {
        let id = |column| Some(AnchorPoint::Row { table: table.to_owned(), id: self.text(column)? });
        match table {
            "conversations" => {
                let head = self.head("message_count", "head_hash")?;
                Some(AnchorPoint::Conversation { id: self.text("conversation_id")?, head })
            }
            "generations" => Some(AnchorPoint::Archive {
                agent: self.text("agent")?,
                path: self.text("path")?,
                generation: u32::try_from(self.number("ordinal")?).ok()?,
                head: self.head("frame_count", "mark_hash")?,
            }),
            "summaries" => id("summary_id"),
            "artifacts" => id("artifact_id"),
            "memories" => id("memory_id"),
            "session_records" => id("record_id"),
            "entities" => {
                let id = self.entity_row()?.into_statement().ok()?.statement_id();
                Some(AnchorPoint::Row { table: table.to_owned(), id })
            }
            "entity_links" => {
                let id = self.entity_link_row()?.into_statement().ok()?.statement_id();
                Some(AnchorPoint::Row { table: table.to_owned(), id })
            }
            _ => None,
        }
    }

    fn entity_row(&self) -> Option<EntityRow> {
        Some(EntityRow {
            id: self.text("entity_id")?,
            project: self.text("project_id")?,
            state: self.text("state")?,
            kind: self.text("kind")?,
            name: self.text("name")?,
            content: self.text("content"),
            summary: self.text("summary"),
            metadata: self.text("metadata"),
            file: self.text("file_path"),
            at: self.number("stated_at")?,
        })
    }

    fn entity_link_row(&self) -> Option<EntityLinkRow> {
        Some(EntityLinkRow {
            id: self.text("link_id")?,
            project: self.text("project_id")?,
            state: self.text("state")?,
            source: self.text("source")?,
            target: self.text("target")?,
            relationship: self.text("relationship")?,
            weight: self.number("weight")?,
            metadata: self.text("metadata"),
            at: self.number("stated_at")?,
        })
    }

    pub(super) fn removal(&self) -> Option<DataRemoval> {
        let head =
            |count: &str, hash: &str| Some(AnchorHead { count: self.number(count)? as u64, hash: self.text(hash)? });
        removal_of(
            &self.text("subject")?,
            self.text("reason")?,
            self.number("at")?,
            head("old_count", "old_hash"),
            head("new_count", "new_hash"),
        )
    }
}
