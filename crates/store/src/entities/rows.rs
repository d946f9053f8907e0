//! Converts database rows of entities and links, as both stores read them, to statements, and refuses damaged rows.

use crate::rows::{DamagedRow, project_id_of};
use model::{EdgeKind, EntityKind, EntityLinkStatement, EntityState, EntityStatement, Timestamp};

/// A row of `entities`.
pub(crate) struct EntityRow {
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) state: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) content: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) metadata: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) at: i64,
}

impl EntityRow {
    pub(crate) fn into_statement(self) -> Result<EntityStatement, DamagedRow> {
        let damaged = |what: &str| DamagedRow(format!("entity {}: {what}", self.id));
        let statement = EntityStatement {
            project: project_id_of(&self.project)?,
            // A state of a newer version must not be passed over: the entity could be one that does not count any more.
            state: EntityState::parse(&self.state).ok_or_else(|| damaged(&format!("state `{}`", self.state)))?,
            kind: EntityKind::parse(&self.kind).ok_or_else(|| damaged(&format!("kind `{}`", self.kind)))?,
            name: self.name,
            content: self.content,
            summary: self.summary,
            metadata: self.metadata,
            file: self.file,
            at: Timestamp(self.at),
        };
        if statement.id().as_str() == self.id {
            Ok(statement)
        } else {
            Err(DamagedRow(format!("entity {}: its name is not that which it was stored with", self.id)))
        }
    }
}

/// A row of `entity_links`.
pub(crate) struct EntityLinkRow {
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) state: String,
    pub(crate) source: String,
    pub(crate) target: String,
    pub(crate) relationship: String,
    pub(crate) weight: i64,
    pub(crate) metadata: Option<String>,
    pub(crate) at: i64,
}

impl EntityLinkRow {
    pub(crate) fn into_statement(self) -> Result<EntityLinkStatement, DamagedRow> {
        let damaged = |what: &str| DamagedRow(format!("link {}: {what}", self.id));
        let weight = u32::try_from(self.weight).map_err(|_| damaged(&format!("weight {}", self.weight)))?;
        let relationship = EdgeKind::parse(&self.relationship);
        let statement = EntityLinkStatement {
            project: project_id_of(&self.project)?,
            state: EntityState::parse(&self.state).ok_or_else(|| damaged(&format!("state `{}`", self.state)))?,
            relationship: relationship.ok_or_else(|| damaged(&format!("relationship `{}`", self.relationship)))?,
            source: self.source,
            target: self.target,
            weight,
            metadata: self.metadata,
            at: Timestamp(self.at),
        };
        if statement.id().as_str() == self.id {
            Ok(statement)
        } else {
            Err(DamagedRow(format!("link {}: its ends are not those which it was stored with", self.id)))
        }
    }
}
