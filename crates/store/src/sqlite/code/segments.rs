//! SQL of the SQLite store for segments of the inverted index: writes, reads, merges and drops segments and their
//! postings. Code search and the full-text search of conversations (`memory/passages.rs`) share it.

use super::blocks::{build_blocks, each_posting};
use crate::sqlite::code::need_worktree;
use crate::sqlite::failure::SqliteFailure;
use crate::{FileId, Result, Segment, SegmentFile, SegmentMerge, SegmentPostings, TermPostings, UnitId};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};

/// A segment as it was written.
pub(in crate::sqlite) struct SqliteSegment {
    pub(in crate::sqlite) number: i64,
    pub(super) first_unit: u32,
}

/// Writes a segment; its units are numbered on from the last one.
pub(in crate::sqlite) fn insert_segment(
    db: &Connection,
    units: u32,
    lengths: &[u8],
    postings: &[TermPostings],
) -> Result<SqliteSegment, SqliteFailure> {
    let first_unit: u32 =
        // Units are numbered on across the project, so that one number names one unit whatever segment holds it.
        db.query_row("SELECT coalesce(max(first_unit + unit_count), 0) FROM segments", [], |row| row.get(0))?;
    db.prepare_cached("INSERT INTO segments (first_unit, unit_count, lengths) VALUES (?1, ?2, ?3)")?
        .execute(params![first_unit, units, lengths])?;
    let number = db.last_insert_rowid();
    let mut insert = db.prepare_cached("INSERT INTO postings (segment, first_term, bytes) VALUES (?1, ?2, ?3)")?;
    for block in build_blocks(postings) {
        insert.execute(params![number, block.first_term, block.bytes])?;
    }
    Ok(SqliteSegment { number, first_unit })
}

pub(super) fn load_segments(db: &Connection) -> Result<Vec<Segment>, SqliteFailure> {
    let sql = "SELECT number, first_unit, unit_count, lengths FROM segments ORDER BY first_unit, number";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(Segment { number: row.get(0)?, first_unit: UnitId(row.get(1)?), units: row.get(2)?, lengths: row.get(3)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The postings of some terms in every segment.
pub(in crate::sqlite) fn load_postings(
    db: &Connection,
    mut terms: Vec<String>,
) -> Result<Vec<SegmentPostings>, SqliteFailure> {
    terms.sort_unstable();
    terms.dedup();
    // A row holds all terms from its first one on, so the term is in the last row that begins at it or before it.
    let sql = "SELECT s.number, (SELECT p.bytes FROM postings p WHERE p.segment = s.number AND p.first_term <= ?1
                                 ORDER BY p.first_term DESC LIMIT 1)
               FROM segments s ORDER BY s.number";
    let mut statement = db.prepare_cached(sql)?;
    let mut found = Vec::new();
    for term in terms {
        let mut rows = statement.query([&term])?;
        while let Some(row) = rows.next()? {
            let segment = row.get(0)?;
            let block = row.get_ref(1)?.as_blob_or_null().map_err(rusqlite::Error::from)?.unwrap_or_default();
            each_posting(block, |held, bytes| {
                if held == term.as_bytes() {
                    found.push(SegmentPostings { segment, term: term.clone(), bytes: bytes.to_vec() });
                }
            })?;
        }
    }
    Ok(found)
}

/// All postings of some segments.
pub(in crate::sqlite) fn all_postings(
    db: &Connection,
    segments: &[i64],
) -> Result<Vec<SegmentPostings>, SqliteFailure> {
    let mut statement = db.prepare_cached("SELECT bytes FROM postings WHERE segment = ?1 ORDER BY first_term")?;
    let mut found = Vec::new();
    for segment in segments.iter().collect::<BTreeSet<_>>() {
        let mut rows = statement.query([segment])?;
        while let Some(row) = rows.next()? {
            let block = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            each_posting(block, |term, bytes| {
                let term = String::from_utf8_lossy(term).into_owned();
                let bytes = bytes.to_vec();
                found.push(SegmentPostings { segment: *segment, term, bytes });
            })?;
        }
    }
    // The rows are ordered within a segment; the port promises the order of terms across segments.
    found.sort_by(|a, b| a.term.cmp(&b.term));
    Ok(found)
}

/// The versions whose units are in some segments.
pub(super) fn load_files(db: &Connection, segments: &[i64]) -> Result<Vec<SegmentFile>, SqliteFailure> {
    let sql = "SELECT number, segment, first_unit, unit_count FROM files WHERE segment = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let mut found = Vec::new();
    for segment in segments.iter().collect::<BTreeSet<_>>() {
        let rows = statement.query_map([segment], |row| {
            Ok(SegmentFile {
                file: FileId(row.get(0)?),
                segment: row.get(1)?,
                first_unit: UnitId(row.get(2)?),
                units: row.get(3)?,
            })
        })?;
        for row in rows {
            found.push(row?);
        }
    }
    found.sort_unstable_by_key(|file| (file.first_unit, file.file));
    Ok(found)
}

/// Puts one segment in the place of some.
pub(super) fn merge_segments(db: &Connection, worktree: i64, merge: &SegmentMerge) -> Result<(), SqliteFailure> {
    need_worktree(db, worktree)?;
    let held: BTreeMap<FileId, u32> =
        load_files(db, &merge.segments)?.into_iter().map(|file| (file.file, file.units)).collect();
    let said: BTreeSet<&FileId> = merge.files.iter().collect();
    // A version that was added to, or dropped from, one of the segments is missing from the merged postings: look
    // again.
    let is_same = merge.files.len() == held.len() && said == held.keys().collect();
    for segment in &merge.segments {
        let is_there = db.prepare_cached("SELECT 1 FROM segments WHERE number = ?1")?.exists([segment])?;
        if !is_there || !is_same {
            return Err(SqliteFailure::Moved { what: "segment", id: segment.to_string() });
        }
    }
    let new = insert_segment(db, held.values().sum(), &merge.lengths, &merge.postings)?;
    // The merged postings number the units in the order of `files`, so the first units have to follow the same order.
    let mut unit = new.first_unit;
    for file in &merge.files {
        db.prepare_cached("UPDATE files SET segment = ?2, first_unit = ?3 WHERE number = ?1")?
            .execute(params![file.0, new.number, unit])?;
        unit += held[file];
    }
    for segment in &merge.segments {
        drop_segment(db, *segment)?;
    }
    Ok(())
}

/// Drops the segments that no version is in.
pub(super) fn drop_unused(db: &Connection) -> Result<(), SqliteFailure> {
    let mut statement =
        db.prepare_cached("SELECT number FROM segments WHERE number NOT IN (SELECT segment FROM files)")?;
    let unused = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    unused.into_iter().try_for_each(|segment| drop_segment(db, segment))
}

/// Drops a segment with its postings.
pub(in crate::sqlite) fn drop_segment(db: &Connection, segment: i64) -> Result<(), SqliteFailure> {
    // The postings have no foreign key that would remove them with their segment.
    db.prepare_cached("DELETE FROM postings WHERE segment = ?1")?.execute([segment])?;
    db.prepare_cached("DELETE FROM segments WHERE number = ?1")?.execute([segment])?;
    Ok(())
}
