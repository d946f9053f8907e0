//! `EntityStore`, the store trait for entities that people and agents name, and for links between them and anything that has
//! an id. Both are statements that are only ever added; of those about one entity or link the newest counts.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use rows::{EntityLinkRow, EntityRow};

use crate::Result;
use async_trait::async_trait;
use model::{EntityLinkStatement, EntityStatement, ProjectId};

/// Statements that are written together, or were read together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityStatements {
    /// About entities, oldest first.
    pub entities: Vec<EntityStatement>,
    /// About links, oldest first.
    pub links: Vec<EntityLinkStatement>,
}

/// Entities and links.
#[async_trait]
pub trait EntityStore: Send + Sync {
    /// Adds statements, all or none, durable when this returns.
    async fn write_entities(&self, statements: EntityStatements) -> Result<()>;

    /// The statements of a project that were added behind a revision, in the order in which they were added; behind zeros
    /// all of them. `Corrupt` when the id of one is not that of what it says.
    async fn load_entities(&self, project: &ProjectId, after: (u64, u64)) -> Result<EntityStatements>;

    /// Grows whenever statements of a project are added, so that equal numbers mean equal statements; zeros while there are
    /// none.
    async fn entity_revision(&self, project: &ProjectId) -> Result<(u64, u64)>;
}
