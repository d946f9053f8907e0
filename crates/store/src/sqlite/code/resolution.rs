//! SQL of the SQLite store for the symbol graph: edges of a worktree, the files changed since the edges were made, and
//! redirects from old to new symbol ids.

use crate::rows::symbol_id_of;
use crate::sqlite::code::need_worktree;
use crate::sqlite::failure::SqliteFailure;
use crate::{EdgeBatch, EncodedEdges, FileChange, FileId, Redirect, Result};
use rusqlite::{Connection, Row, params};

/// Paths that lead elsewhere than they did; one that is back as it was did not change.
const CHANGED_PATHS_SQL: &str =
    "FROM changes c LEFT JOIN worktree_files w ON w.worktree = c.worktree AND w.path = c.path
   WHERE c.worktree = ?1 AND c.before IS NOT w.file";

pub(super) fn load_changes(db: &Connection, worktree: i64) -> Result<Vec<FileChange>, SqliteFailure> {
    let mut statement =
        db.prepare_cached(&format!("SELECT c.path, c.before, w.file {CHANGED_PATHS_SQL} ORDER BY c.path"))?;
    let file = |row: &Row<'_>, column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(FileId));
    let rows = statement
        .query_map([worktree], |row| Ok(FileChange { path: row.get(0)?, before: file(row, 1)?, now: file(row, 2)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn write_edges(db: &Connection, worktree: i64, resolution: &EdgeBatch) -> Result<(), SqliteFailure> {
    need_worktree(db, worktree)?;
    let version: i64 = db.query_row("SELECT version FROM worktrees WHERE number = ?1", [worktree], |row| row.get(0))?;
    // Files changed while the edges were made; edges of the old files must not be marked as those of the new version.
    if version != resolution.version.0 {
        return Err(SqliteFailure::Moved { what: "worktree", id: worktree.to_string() });
    }
    // A path that leads to its former version again is not among the changed ones and keeps its edges.
    let stale = format!("DELETE FROM edges WHERE worktree = ?1 AND path IN (SELECT c.path {CHANGED_PATHS_SQL})");
    db.execute(&stale, [worktree])?;
    db.execute("DELETE FROM changes WHERE worktree = ?1", [worktree])?;
    let mut insert = db.prepare_cached(
        "INSERT INTO edges (worktree, path, edge_count, bytes) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (worktree, path) DO UPDATE SET edge_count = ?3, bytes = ?4",
    )?;
    for file in &resolution.edges {
        insert.execute(params![worktree, file.path, file.count, file.bytes])?;
    }
    for redirect in &resolution.redirects {
        // Deleted and inserted, not updated: the new number makes the redirect the newest, and the trimming below drops
        // the oldest.
        db.prepare_cached("DELETE FROM redirects WHERE from_id = ?1")?.execute([redirect.from.as_str()])?;
        db.prepare_cached("INSERT INTO redirects (from_id, to_id) VALUES (?1, ?2)")?
            .execute([redirect.from.as_str(), redirect.to.as_str()])?;
    }
    if !resolution.redirects.is_empty() {
        // Redirects would otherwise grow with every rename for as long as the project lives.
        let keep = "SELECT number FROM redirects ORDER BY number DESC LIMIT ?1";
        db.execute(&format!("DELETE FROM redirects WHERE number NOT IN ({keep})"), [Redirect::MAX_PER_PROJECT as i64])?;
    }
    db.execute(
        "UPDATE worktrees SET resolved = ?2, resolved_with = ?3 WHERE number = ?1",
        params![worktree, resolution.version.0, resolution.made.0],
    )?;
    Ok(())
}

pub(super) fn load_edges(db: &Connection, worktree: i64) -> Result<Vec<EncodedEdges>, SqliteFailure> {
    let sql = "SELECT path, edge_count, bytes FROM edges WHERE worktree = ?1 ORDER BY path";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement
        .query_map([worktree], |row| Ok(EncodedEdges { path: row.get(0)?, count: row.get(1)?, bytes: row.get(2)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn load_redirects(db: &Connection) -> Result<Vec<Redirect>, SqliteFailure> {
    let mut statement = db.prepare_cached("SELECT from_id, to_id FROM redirects ORDER BY number")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    rows.map(|row| {
        let (from, to) = row?;
        Ok(Redirect { from: symbol_id_of(&from)?, to: symbol_id_of(&to)? })
    })
    .collect()
}
