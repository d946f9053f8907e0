//! Implements `EntityStore` (entities and links that somebody named) for `PostgresStore`, in tables of its own.

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use super::rows::{maybe_text, read_text};
use super::text::encode_text;
use crate::Result;
use crate::entities::{
    EntityLinkRewrite, EntityLinkRow, EntityRevision, EntityRewrite, EntityRow, EntityStatements, EntityStore,
    NumberedStatements, statement_points,
};
use async_trait::async_trait;
use model::{EntityLinkStatement, EntityStatement, ProjectId};
use tokio_postgres::Row;

#[async_trait]
impl EntityStore for PostgresStore {
    async fn write_entities(&self, statements: EntityStatements) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // Numbers are drawn before the commit: a reader must not see the later of two writers first.
                self.acquire_lock(&transaction, "entities", "").await?;
                for entity in &statements.entities {
                    add_entity(&transaction, entity).await?;
                }
                for link in &statements.links {
                    add_link(&transaction, link).await?;
                }
                transaction.commit().await
            })
            .await?;
        self.follow_commit(statement_points(&statements.entities, &statements.links));
        Ok(())
    }

    async fn load_entities(&self, project: &ProjectId, after: EntityRevision) -> Result<EntityStatements> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let sql =
                    "SELECT entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at
                           FROM epitome.entities WHERE project_id = $1 AND number > $2 ORDER BY number";
                let rows = transaction.query_all(sql, &[&project.as_str(), &(after.entities as i64)]).await?;
                let entities = rows.iter().map(entity_of).collect::<Result<_, PostgresFailure>>()?;
                let sql = "SELECT link_id, project_id, state, source, target, relationship, weight, metadata, stated_at
                           FROM epitome.entity_links WHERE project_id = $1 AND number > $2 ORDER BY number";
                let rows = transaction.query_all(sql, &[&project.as_str(), &(after.links as i64)]).await?;
                let links = rows.iter().map(link_of).collect::<Result<_, PostgresFailure>>()?;
                Ok(EntityStatements { entities, links })
            })
            .await
    }

    async fn entity_revision(&self, project: &ProjectId) -> Result<EntityRevision> {
        let sql = "SELECT (SELECT coalesce(max(number), 0) FROM epitome.entities WHERE project_id = $1),
                     (SELECT coalesce(max(number), 0) FROM epitome.entity_links WHERE project_id = $1),
                     (SELECT count(*) FROM epitome.rewrites)";
        let numbers = |row: &Row| {
            let number = |at: usize| row.try_get::<_, i64>(at).map(|number| number as u64);
            Ok(EntityRevision { entities: number(0)?, links: number(1)?, rewrites: number(2)? })
        };
        let found = self.query_rows(sql, &[&project.as_str()], numbers).await?;
        Ok(found.first().copied().unwrap_or_default())
    }

    async fn project_statements(&self) -> Result<EntityStatements> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let sql =
                    "SELECT entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at
                           FROM epitome.entities WHERE kind = 'project' ORDER BY number";
                let rows = transaction.query_all(sql, &[]).await?;
                let entities = rows.iter().map(entity_of).collect::<Result<_, PostgresFailure>>()?;
                let sql = "SELECT link_id, project_id, state, source, target, relationship, weight, metadata, stated_at
                           FROM epitome.entity_links WHERE source COLLATE \"C\" = project_id ORDER BY number";
                let rows = transaction.query_all(sql, &[]).await?;
                let links = rows.iter().map(link_of).collect::<Result<_, PostgresFailure>>()?;
                Ok(EntityStatements { entities, links })
            })
            .await
    }

    async fn all_entities(&self) -> Result<NumberedStatements> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                all_statements(&transaction).await
            })
            .await
    }
}

/// Every statement of every project of the tenant.
pub(super) async fn all_statements(transaction: &TenantTransaction<'_>) -> Result<NumberedStatements, PostgresFailure> {
    let mut all = NumberedStatements::default();
    let sql =
        "SELECT entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at, number
               FROM epitome.entities ORDER BY number";
    for row in transaction.query_all(sql, &[]).await? {
        all.entities.push((row.try_get::<_, i64>(10)? as u64, entity_of(&row)?));
    }
    let sql = "SELECT link_id, project_id, state, source, target, relationship, weight, metadata, stated_at, number
               FROM epitome.entity_links ORDER BY number";
    for row in transaction.query_all(sql, &[]).await? {
        all.links.push((row.try_get::<_, i64>(9)? as u64, link_of(&row)?));
    }
    Ok(all)
}

/// Puts other words in the place of those of a statement.
pub(super) async fn rewrite_entity(
    transaction: &TenantTransaction<'_>,
    rewrite: &EntityRewrite,
) -> Result<(), PostgresFailure> {
    let it = &rewrite.statement;
    let sql = "UPDATE epitome.entities SET entity_id = $2, name = $3, content = $4, summary = $5, metadata = $6,
                 file_path = $7 WHERE number = $1 AND entity_id = $8";
    let changed = transaction
        .execute(
            sql,
            &[
                &(rewrite.number as i64),
                &it.id().as_str(),
                &encode_text(&it.name),
                &it.content.as_deref().map(encode_text),
                &it.summary.as_deref().map(encode_text),
                &it.metadata.as_deref().map(encode_text),
                &it.file.as_deref().map(encode_text),
                &rewrite.before.as_str(),
            ],
        )
        .await?;
    require_one(changed, "entity", rewrite.before.as_str())
}

/// The same for a link.
pub(super) async fn rewrite_link(
    transaction: &TenantTransaction<'_>,
    rewrite: &EntityLinkRewrite,
) -> Result<(), PostgresFailure> {
    let it = &rewrite.statement;
    let sql = "UPDATE epitome.entity_links SET link_id = $2, source = $3, target = $4, metadata = $5
               WHERE number = $1 AND link_id = $6";
    let changed = transaction
        .execute(
            sql,
            &[
                &(rewrite.number as i64),
                &it.id().as_str(),
                &encode_text(&it.source),
                &encode_text(&it.target),
                &it.metadata.as_deref().map(encode_text),
                &rewrite.before.as_str(),
            ],
        )
        .await?;
    require_one(changed, "link", rewrite.before.as_str())
}

fn require_one(changed: u64, what: &'static str, id: &str) -> Result<(), PostgresFailure> {
    if changed == 1 { Ok(()) } else { Err(PostgresFailure::Moved { what, id: id.to_owned() }) }
}

async fn add_entity(transaction: &TenantTransaction<'_>, entity: &EntityStatement) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.entities
                 (entity_id, project_id, state, kind, name, content, summary, metadata, file_path, stated_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    transaction
        .execute(
            sql,
            &[
                &entity.id().as_str(),
                &entity.project.as_str(),
                &entity.state.as_str(),
                &entity.kind.as_str(),
                &encode_text(&entity.name),
                &entity.content.as_deref().map(encode_text),
                &entity.summary.as_deref().map(encode_text),
                &entity.metadata.as_deref().map(encode_text),
                &entity.file.as_deref().map(encode_text),
                &entity.at.0,
            ],
        )
        .await?;
    Ok(())
}

async fn add_link(transaction: &TenantTransaction<'_>, link: &EntityLinkStatement) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.entity_links
                 (link_id, project_id, state, source, target, relationship, weight, metadata, stated_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    transaction
        .execute(
            sql,
            &[
                &link.id().as_str(),
                &link.project.as_str(),
                &link.state.as_str(),
                &encode_text(&link.source),
                &encode_text(&link.target),
                &link.relationship.as_str(),
                &i64::from(link.weight),
                &link.metadata.as_deref().map(encode_text),
                &link.at.0,
            ],
        )
        .await?;
    Ok(())
}

fn entity_of(row: &Row) -> Result<EntityStatement, PostgresFailure> {
    let row = EntityRow {
        id: row.try_get(0)?,
        project: row.try_get(1)?,
        state: row.try_get(2)?,
        kind: row.try_get(3)?,
        name: read_text(row, 4)?,
        content: maybe_text(row, 5)?,
        summary: maybe_text(row, 6)?,
        metadata: maybe_text(row, 7)?,
        file: maybe_text(row, 8)?,
        at: row.try_get(9)?,
    };
    Ok(row.into_statement()?)
}

fn link_of(row: &Row) -> Result<EntityLinkStatement, PostgresFailure> {
    let row = EntityLinkRow {
        id: row.try_get(0)?,
        project: row.try_get(1)?,
        state: row.try_get(2)?,
        source: read_text(row, 3)?,
        target: read_text(row, 4)?,
        relationship: row.try_get(5)?,
        weight: row.try_get(6)?,
        metadata: maybe_text(row, 7)?,
        at: row.try_get(8)?,
    };
    Ok(row.into_statement()?)
}
