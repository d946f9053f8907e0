//! SQL of the PostgreSQL store for the symbol graph: edges of a worktree, the files changed since the edges were made,
//! and redirects from old to new symbol ids.

use super::batch::ROWS;
use crate::postgres::code::{key_of, path_key, read_u32};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::rows::read_text;
use crate::postgres::text::encode_text;
use crate::rows::symbol_id_of;
use crate::{EdgeBatch, EncodedEdges, FileChange, FileId, Redirect, Result, WorktreeId};
use std::collections::HashMap;
use tokio_postgres::Row;

pub(super) const CHANGES: &str = "SELECT c.path, c.before, w.file FROM epitome.changes c
   LEFT JOIN epitome.worktree_files w ON w.worktree = c.worktree AND w.path_key = c.path_key
   WHERE c.project_id = $1 AND c.worktree = $2 AND c.before IS DISTINCT FROM w.file";

pub(super) fn change_row(row: &Row) -> Result<FileChange, PostgresFailure> {
    let file = |column| Ok::<_, PostgresFailure>(row.try_get::<_, Option<i64>>(column)?.map(FileId));
    Ok(FileChange { path: read_text(row, 0)?, before: file(1)?, now: file(2)? })
}

pub(super) const EDGES: &str =
    "SELECT path, edge_count, bytes FROM epitome.edges WHERE project_id = $1 AND worktree = $2";

pub(super) fn edges_row(row: &Row) -> Result<EncodedEdges, PostgresFailure> {
    Ok(EncodedEdges { path: read_text(row, 0)?, count: read_u32(row, 1)?, bytes: row.try_get(2)? })
}

pub(super) const REDIRECTS: &str = "SELECT from_id, to_id FROM epitome.redirects WHERE project_id = $1 ORDER BY number";

pub(super) fn redirect_row(row: &Row) -> Result<Redirect, PostgresFailure> {
    Ok(Redirect { from: symbol_id_of(&read_text(row, 0)?)?, to: symbol_id_of(&read_text(row, 1)?)? })
}

/// Writes a resolution; the caller holds the project's lock.
pub(super) async fn write_edges(
    transaction: &TenantTransaction<'_>,
    worktree: &WorktreeId,
    resolution: &EdgeBatch,
) -> Result<(), PostgresFailure> {
    let project = worktree.project.as_str();
    let number = &worktree.number;
    // The version in the condition refuses edges that were made from files that have changed meanwhile; the caller
    // makes them again.
    let sql = "UPDATE epitome.worktrees SET resolved = version, resolved_with = $4
               WHERE project_id = $1 AND number = $2 AND version = $3";
    let moved = transaction.execute(sql, &[&project, number, &resolution.version.0, &resolution.made.0]).await? == 0;
    if moved {
        return Err(PostgresFailure::Moved { what: "worktree", id: number.to_string() });
    }
    // A path that leads to its former version again keeps its edges: they were made from that version.
    let sql = "DELETE FROM epitome.edges e USING epitome.changes c
                 LEFT JOIN epitome.worktree_files w ON w.worktree = c.worktree AND w.path_key = c.path_key
               WHERE e.project_id = $1 AND e.worktree = $2 AND c.worktree = e.worktree AND c.path_key = e.path_key
                 AND c.before IS DISTINCT FROM w.file";
    transaction.execute(sql, &[&project, number]).await?;
    let sql = "DELETE FROM epitome.changes WHERE project_id = $1 AND worktree = $2";
    transaction.execute(sql, &[&project, number]).await?;
    let sql = "INSERT INTO epitome.edges (project_id, worktree, path_key, path, edge_count, bytes)
               SELECT $1, $2, added.* FROM unnest($3::bytea[], $4::text[], $5::bigint[], $6::bytea[]) AS added
               ON CONFLICT (worktree, path_key, project_id, tenant_id) DO UPDATE
                 SET edge_count = excluded.edge_count, bytes = excluded.bytes";
    for rows in resolution.edges.chunks(ROWS) {
        let keys: Vec<_> = rows.iter().map(|file| path_key(&file.path)).collect();
        let paths: Vec<_> = rows.iter().map(|file| encode_text(&file.path)).collect();
        let counts: Vec<i64> = rows.iter().map(|file| i64::from(file.count)).collect();
        let bytes: Vec<&[u8]> = rows.iter().map(|file| file.bytes.as_slice()).collect();
        transaction.execute(sql, &[&project, number, &keys, &paths, &counts, &bytes]).await?;
    }
    write_redirects(transaction, project, &resolution.redirects).await
}

/// Adds redirects after those that are there; the last of several with the same start counts.
async fn write_redirects(
    transaction: &TenantTransaction<'_>,
    project: &str,
    redirects: &[Redirect],
) -> Result<(), PostgresFailure> {
    if redirects.is_empty() {
        return Ok(());
    }
    // The insert may meet one start twice; only the last target of a symbol counts.
    let last: HashMap<&str, usize> = redirects.iter().map(|redirect| redirect.from.as_str()).zip(0..).collect();
    let rows = redirects.iter().zip(0..).filter(|(redirect, at)| last[redirect.from.as_str()] == *at);
    let rows: Vec<&Redirect> = rows.map(|(redirect, _)| redirect).collect();
    let keys: Vec<_> = rows.iter().map(|row| key_of("redirect", &[row.from.as_str().as_bytes()])).collect();
    let sql = "DELETE FROM epitome.redirects WHERE project_id = $1 AND from_key = ANY($2)";
    transaction.execute(sql, &[&project, &keys]).await?;
    let from: Vec<_> = rows.iter().map(|row| encode_text(row.from.as_str())).collect();
    let to: Vec<_> = rows.iter().map(|row| encode_text(row.to.as_str())).collect();
    // Numbers are assigned in this order, and the trimming below drops the lowest ones.
    let sql = "INSERT INTO epitome.redirects (project_id, from_key, from_id, to_id)
               SELECT $1, added.key, added.from_id, added.to_id
               FROM unnest($2::bytea[], $3::text[], $4::text[]) WITH ORDINALITY AS added (key, from_id, to_id, place)
               ORDER BY added.place";
    transaction.execute(sql, &[&project, &keys, &from, &to]).await?;
    // Redirects would otherwise grow with every rename for as long as the project lives.
    let sql = "DELETE FROM epitome.redirects WHERE project_id = $1 AND number NOT IN
                 (SELECT number FROM epitome.redirects WHERE project_id = $1 ORDER BY number DESC LIMIT $2)";
    transaction.execute(sql, &[&project, &(Redirect::MAX_PER_PROJECT as i64)]).await?;
    Ok(())
}
