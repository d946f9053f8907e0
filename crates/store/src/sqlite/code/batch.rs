//! Writes one batch of indexed files to a project's SQLite index: file versions with their records, their links to a
//! worktree, and the segment of their postings.

use super::segments;
use crate::rows::join_problems;
use crate::sqlite::code::need_worktree;
use crate::sqlite::failure::SqliteFailure;
use crate::{FileBatch, FileStamp, FileVersion, Fingerprint, Result};
use model::ContentHash;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

/// Writes a batch.
pub(super) fn write_batch(db: &Connection, worktree: i64, batch: &FileBatch) -> Result<(), SqliteFailure> {
    need_worktree(db, worktree)?;
    let touched = batch.removed.iter().chain(batch.known.iter().map(|(path, ..)| path));
    let touched = touched.chain(batch.versions.iter().map(|version| &version.path));
    // The versions before are read first: after the links have moved, there is nothing to compare with.
    let mut before: BTreeMap<&str, Option<i64>> = BTreeMap::new();
    for path in touched {
        if !before.contains_key(path.as_str()) {
            before.insert(path, linked_version(db, worktree, path)?);
        }
    }
    let mut remove = db.prepare_cached("DELETE FROM worktree_files WHERE worktree = ?1 AND path = ?2")?;
    for path in &batch.removed {
        remove.execute(params![worktree, path])?;
    }
    for (path, file, stamp) in &batch.known {
        link_version(db, worktree, path, file.0, *stamp)?;
    }
    if !batch.versions.is_empty() {
        write_versions(db, worktree, batch)?;
    }
    note_changes(db, worktree, before)
}

/// The number of the version that the project has for a path, a content and a fingerprint.
pub(super) fn find_version(
    db: &Connection,
    path: &str,
    hash: ContentHash,
    made: Fingerprint,
) -> Result<Option<i64>, SqliteFailure> {
    let mut find = db.prepare_cached("SELECT number FROM files WHERE path = ?1 AND hash = ?2 AND made = ?3")?;
    Ok(find.query_row(params![path, hash.as_bytes(), made.0], |row| row.get(0)).optional()?)
}

/// The version that a path leads to.
fn linked_version(db: &Connection, worktree: i64, path: &str) -> Result<Option<i64>, SqliteFailure> {
    let mut find = db.prepare_cached("SELECT file FROM worktree_files WHERE worktree = ?1 AND path = ?2")?;
    Ok(find.query_row(params![worktree, path], |row| row.get(0)).optional()?)
}

fn write_versions(db: &Connection, worktree: i64, batch: &FileBatch) -> Result<(), SqliteFailure> {
    let units = batch.versions.iter().map(|version| version.units).sum();
    let segment = segments::insert_segment(db, units, &batch.lengths, &batch.postings)?;
    let mut unit = segment.first_unit;
    for version in &batch.versions {
        // Another process may have written this version since the caller looked for it.
        let known = find_version(db, &version.path, version.hash, version.made)?;
        let file = known.map_or_else(|| insert_version(db, segment.number, unit, version), Ok)?;
        link_version(db, worktree, &version.path, file, version.stamp)?;
        // The units of a version that is known already stay in the segment as a gap: the postings were numbered before.
        unit += version.units;
    }
    Ok(())
}

fn insert_version(db: &Connection, segment: i64, first_unit: u32, version: &FileVersion) -> Result<i64, SqliteFailure> {
    db.prepare_cached(
        "INSERT INTO files (path, hash, made, language, line_count, segment, first_unit, unit_count, symbol_count,
           problems)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        version.path,
        version.hash.as_bytes(),
        version.made.0,
        version.language,
        version.lines,
        segment,
        first_unit,
        version.units,
        version.symbols,
        join_problems(&version.problems),
    ])?;
    let file = db.last_insert_rowid();
    let records = &version.records;
    let sql = "INSERT INTO facts (file, symbols, uses, texts, vectors, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.prepare_cached(sql)?.execute(params![
        file,
        records.symbols,
        records.uses,
        records.texts,
        records.vectors,
        records.document
    ])?;
    Ok(file)
}

fn link_version(db: &Connection, worktree: i64, path: &str, file: i64, stamp: FileStamp) -> Result<(), SqliteFailure> {
    let linked = db
        // Selecting from `files` inserts nothing for a version that another worktree's run has dropped meanwhile.
        .prepare_cached(
            "INSERT INTO worktree_files (worktree, path, file, bytes, modified)
             SELECT ?1, ?2, number, ?4, ?5 FROM files WHERE number = ?3
             ON CONFLICT (worktree, path) DO UPDATE SET file = ?3, bytes = ?4, modified = ?5",
        )?
        .execute(params![worktree, path, file, stamp.bytes as i64, stamp.modified])?;
    if linked == 1 { Ok(()) } else { Err(SqliteFailure::Missing { what: "file version", id: file.to_string() }) }
}

/// Notes which paths lead elsewhere now, for the next run that resolves edges, and counts the worktree's version up.
fn note_changes(db: &Connection, worktree: i64, before: BTreeMap<&str, Option<i64>>) -> Result<(), SqliteFailure> {
    // A worktree without edges has nothing to compare with, and its first run would have to note every file.
    let mut has_edges = db.prepare_cached("SELECT 1 FROM worktrees WHERE number = ?1 AND resolved IS NOT NULL")?;
    let has_edges = has_edges.exists([worktree])?;
    // The first note counts, because it names the version that the edges were made from.
    let mut note =
        db.prepare_cached("INSERT INTO changes (worktree, path, before) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
    let mut changed = false;
    for (path, before) in before {
        // A path that keeps its version needs no note: touching a file must not make its edges anew.
        if before == linked_version(db, worktree, path)? {
            continue;
        }
        changed = true;
        if has_edges {
            note.execute(params![worktree, path, before])?;
        }
    }
    // Readers compare this number with the one of their view, so it moves only when a path really leads elsewhere.
    if changed {
        db.prepare_cached("UPDATE worktrees SET version = version + 1 WHERE number = ?1")?.execute([worktree])?;
    }
    Ok(())
}
