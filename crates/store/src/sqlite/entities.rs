//! Implements `EntityStore` (entities and links that somebody named) for `SqliteStore`, in the canonical database.

use super::SqliteStore;
use super::failure::SqliteFailure;
use crate::Result;
use crate::entities::{
    EntityLinkRewrite, EntityLinkRow, EntityRevision, EntityRewrite, EntityRow, EntityStatements, EntityStore,
    NumberedStatements,
};
use async_trait::async_trait;
use model::{EntityLinkStatement, EntityStatement, ProjectId};
use rusqlite::{Connection, Row, params};

#[async_trait]
impl EntityStore for SqliteStore {
    async fn write_entities(&self, statements: EntityStatements) -> Result<()> {
        self.canonical
            .write(move |db| {
                statements.entities.iter().try_for_each(|entity| add_entity(db, entity))?;
                statements.links.iter().try_for_each(|link| add_link(db, link))
            })
            .await
    }

    async fn load_entities(&self, project: &ProjectId, after: EntityRevision) -> Result<EntityStatements> {
        let project = project.clone();
        self.canonical
            .read(move |db| {
                let sql =
                    "SELECT entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at
                           FROM entities WHERE project_id = ?1 AND number > ?2 ORDER BY number";
                let rows: Vec<EntityRow> = db
                    .prepare_cached(sql)?
                    .query_map(params![project.as_str(), after.entities as i64], entity_row)?
                    .collect::<rusqlite::Result<_>>()?;
                let entities = rows.into_iter().map(EntityRow::into_statement).collect::<Result<_, _>>()?;
                let sql = "SELECT link_id, project_id, state, source, target, relationship, weight, metadata, stated_at
                           FROM entity_links WHERE project_id = ?1 AND number > ?2 ORDER BY number";
                let rows: Vec<EntityLinkRow> = db
                    .prepare_cached(sql)?
                    .query_map(params![project.as_str(), after.links as i64], link_row)?
                    .collect::<rusqlite::Result<_>>()?;
                let links = rows.into_iter().map(EntityLinkRow::into_statement).collect::<Result<_, _>>()?;
                Ok(EntityStatements { entities, links })
            })
            .await
    }

    async fn entity_revision(&self, project: &ProjectId) -> Result<EntityRevision> {
        let project = project.clone();
        self.canonical
            .read(move |db| {
                let sql = "SELECT (SELECT coalesce(max(number), 0) FROM entities WHERE project_id = ?1),
                             (SELECT coalesce(max(number), 0) FROM entity_links WHERE project_id = ?1),
                             (SELECT count(*) FROM rewrites)";
                let number = |row: &Row<'_>, at| row.get::<_, i64>(at).map(|number| number as u64);
                let revision = db.prepare_cached(sql)?.query_row([project.as_str()], |row| {
                    Ok(EntityRevision { entities: number(row, 0)?, links: number(row, 1)?, rewrites: number(row, 2)? })
                });
                Ok(revision?)
            })
            .await
    }

    async fn project_statements(&self) -> Result<EntityStatements> {
        self.canonical
            .read(|db| {
                let sql =
                    "SELECT entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at
                           FROM entities WHERE kind = 'project' ORDER BY number";
                let rows: Vec<EntityRow> =
                    db.prepare_cached(sql)?.query_map([], entity_row)?.collect::<rusqlite::Result<_>>()?;
                let entities = rows.into_iter().map(EntityRow::into_statement).collect::<Result<_, _>>()?;
                let sql = "SELECT link_id, project_id, state, source, target, relationship, weight, metadata, stated_at
                           FROM entity_links WHERE source = project_id ORDER BY number";
                let rows: Vec<EntityLinkRow> =
                    db.prepare_cached(sql)?.query_map([], link_row)?.collect::<rusqlite::Result<_>>()?;
                let links = rows.into_iter().map(EntityLinkRow::into_statement).collect::<Result<_, _>>()?;
                Ok(EntityStatements { entities, links })
            })
            .await
    }

    async fn all_entities(&self) -> Result<NumberedStatements> {
        self.canonical.read(all_statements).await
    }
}

/// Every statement of every project.
pub(super) fn all_statements(db: &Connection) -> Result<NumberedStatements, SqliteFailure> {
    let mut all = NumberedStatements::default();
    let sql =
        "SELECT entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at, number
               FROM entities ORDER BY number";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        all.entities.push((row.get::<_, i64>(10)? as u64, entity_row(row)?.into_statement()?));
    }
    let sql = "SELECT link_id, project_id, state, source, target, relationship, weight, metadata, stated_at, number
               FROM entity_links ORDER BY number";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        all.links.push((row.get::<_, i64>(9)? as u64, link_row(row)?.into_statement()?));
    }
    Ok(all)
}

/// Puts other words in the place of those of a statement.
pub(super) fn rewrite_entity(db: &Connection, rewrite: &EntityRewrite) -> Result<(), SqliteFailure> {
    let it = &rewrite.statement;
    let sql = "UPDATE entities SET entity_id = ?2, name = ?3, content = ?4, summary = ?5, metadata = ?6, file_path = ?7
               WHERE number = ?1 AND entity_id = ?8";
    let changed = db.prepare_cached(sql)?.execute(params![
        rewrite.number as i64,
        it.id().as_str(),
        it.name,
        it.content,
        it.summary,
        it.metadata,
        it.file,
        rewrite.before.as_str(),
    ])?;
    require_one(changed, "entity", rewrite.before.as_str())
}

/// The same for a link.
pub(super) fn rewrite_link(db: &Connection, rewrite: &EntityLinkRewrite) -> Result<(), SqliteFailure> {
    let it = &rewrite.statement;
    let sql = "UPDATE entity_links SET link_id = ?2, source = ?3, target = ?4, metadata = ?5
               WHERE number = ?1 AND link_id = ?6";
    let changed = db.prepare_cached(sql)?.execute(params![
        rewrite.number as i64,
        it.id().as_str(),
        it.source,
        it.target,
        it.metadata,
        rewrite.before.as_str(),
    ])?;
    require_one(changed, "link", rewrite.before.as_str())
}

fn require_one(changed: usize, what: &'static str, id: &str) -> Result<(), SqliteFailure> {
    if changed == 1 { Ok(()) } else { Err(SqliteFailure::Moved { what, id: id.to_owned() }) }
}

fn add_entity(db: &Connection, entity: &EntityStatement) -> Result<(), SqliteFailure> {
    let sql = "INSERT INTO entities
                 (entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    db.prepare_cached(sql)?.execute(params![
        entity.id().as_str(),
        entity.project.as_str(),
        entity.state.as_str(),
        entity.kind.as_str(),
        entity.name,
        entity.content,
        entity.summary,
        entity.metadata,
        entity.file,
        entity.at.0,
    ])?;
    Ok(())
}

fn add_link(db: &Connection, link: &EntityLinkStatement) -> Result<(), SqliteFailure> {
    let sql = "INSERT INTO entity_links
                 (link_id, project_id, state, source, target, relationship, weight, metadata, stated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    db.prepare_cached(sql)?.execute(params![
        link.id().as_str(),
        link.project.as_str(),
        link.state.as_str(),
        link.source,
        link.target,
        link.relationship.as_str(),
        link.weight,
        link.metadata,
        link.at.0,
    ])?;
    Ok(())
}

fn entity_row(row: &Row<'_>) -> rusqlite::Result<EntityRow> {
    Ok(EntityRow {
        id: row.get(0)?,
        project: row.get(1)?,
        state: row.get(2)?,
        kind: row.get(3)?,
        name: row.get(4)?,
        content: row.get(5)?,
        summary: row.get(6)?,
        metadata: row.get(7)?,
        file: row.get(8)?,
        at: row.get(9)?,
    })
}

fn link_row(row: &Row<'_>) -> rusqlite::Result<EntityLinkRow> {
    Ok(EntityLinkRow {
        id: row.get(0)?,
        project: row.get(1)?,
        state: row.get(2)?,
        source: row.get(3)?,
        target: row.get(4)?,
        relationship: row.get(5)?,
        weight: row.get(6)?,
        metadata: row.get(7)?,
        at: row.get(8)?,
    })
}
