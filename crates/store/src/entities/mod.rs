//! `EntityStore`, the store trait for entities that people and agents name, and for links between them and anything that has
//! an id. Both are statements that are only ever added; of those about one entity or link the newest counts.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use rows::{EntityLinkRow, EntityRow};

use crate::{AnchorPoint, Result};
use async_trait::async_trait;
use model::{EntityId, EntityLinkId, EntityLinkStatement, EntityStatement, ProjectId};

/// Statements that are written together, or were read together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityStatements {
    /// About entities, oldest first.
    pub entities: Vec<EntityStatement>,
    /// About links, oldest first.
    pub links: Vec<EntityLinkStatement>,
}

/// Statements of all projects, each with the number that the store gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberedStatements {
    /// About entities.
    pub entities: Vec<(u64, EntityStatement)>,
    /// About links.
    pub links: Vec<(u64, EntityLinkStatement)>,
}

impl NumberedStatements {
    /// What the anchor says of these.
    pub fn anchor_points(&self) -> Vec<AnchorPoint> {
        let entities = self.entities.iter().map(|(_, statement)| statement);
        statement_points(entities, self.links.iter().map(|(_, statement)| statement))
    }
}

/// What the anchor says of statements: each is a row that is never deleted. Those that say the same at the same moment
/// are one.
pub(crate) fn statement_points<'a>(
    entities: impl IntoIterator<Item = &'a EntityStatement>,
    links: impl IntoIterator<Item = &'a EntityLinkStatement>,
) -> Vec<AnchorPoint> {
    let point = |table: &str, id| AnchorPoint::Row { table: table.to_owned(), id };
    let entities = entities.into_iter().map(|statement| point("entities", statement.statement_id()));
    let links = links.into_iter().map(|statement| point("entity_links", statement.statement_id()));
    entities.chain(links).collect()
}

/// How far the statements of a project are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntityRevision {
    /// The newest one about an entity; 0 where there is none.
    pub entities: u64,
    /// The same of links.
    pub links: u64,
    /// How often stored texts were replaced ([`RewriteStore`](crate::RewriteStore)): then older statements may have
    /// changed, too.
    pub rewrites: u64,
}

/// A statement about an entity with other words, and perhaps another id.
#[derive(Clone, Debug)]
pub struct EntityRewrite {
    /// Its number.
    pub number: u64,
    /// The id that it has.
    pub before: EntityId,
    /// What it says now.
    pub statement: EntityStatement,
}

/// A statement about a link with other words, or with ends that have other ids.
#[derive(Clone, Debug)]
pub struct EntityLinkRewrite {
    /// Its number.
    pub number: u64,
    /// The id that it has.
    pub before: EntityLinkId,
    /// What it says now.
    pub statement: EntityLinkStatement,
}

/// Entities and links.
#[async_trait]
pub trait EntityStore: Send + Sync {
    /// Adds statements, all or none, durable when this returns.
    async fn write_entities(&self, statements: EntityStatements) -> Result<()>;

    /// The statements of a project that were added behind a revision, in the order in which they were added; behind the
    /// default one all of them. `Corrupt` when the id of one is not that of what it says.
    async fn load_entities(&self, project: &ProjectId, after: EntityRevision) -> Result<EntityStatements>;

    /// How far the statements of a project are: equal revisions mean equal statements.
    async fn entity_revision(&self, project: &ProjectId) -> Result<EntityRevision>;

    /// What is said of projects themselves, of all of them: statements about entities of the kind `project` and about links
    /// that start at the project they are of, in the order in which they were added. It is `Corrupt` in the same cases.
    async fn project_statements(&self) -> Result<EntityStatements>;

    /// Every statement of every project, in the order in which they were added; for whoever looks at all texts.
    async fn all_entities(&self) -> Result<NumberedStatements>;
}
