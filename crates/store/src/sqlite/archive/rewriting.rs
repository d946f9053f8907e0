//! Puts frames and tails with other bytes in the place of stored ones, for the purge of secrets, and computes the
//! checkpoints of their generations anew.

use super::generations::{load_generation, put_frame};
use super::{FRAME, OF_GENERATION, header_row};
use crate::archive::compress;
use crate::rewrite::{FrameRewrite, RelinkedGeneration, TailRewrite, generation_name};
use crate::sqlite::failure::SqliteFailure;
use crate::{FrameHeader, GenerationId, ReadCheckpoint, Result};
use model::ContentHash;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

/// Replaces frames in all generations that have them.
pub(in crate::sqlite) fn rewrite_frames(
    db: &Connection,
    frames: &[FrameRewrite],
) -> Result<Vec<RelinkedGeneration>, SqliteFailure> {
    let mut changed: BTreeMap<i64, u64> = BTreeMap::new();
    for rewrite in frames {
        let header = rewrite.frame.frame_header();
        let sql = "SELECT number FROM frames WHERE original_hash = ?1 AND content_hash = ?2";
        let hashes = [&header.original_hash, &rewrite.before].map(ContentHash::as_bytes);
        let old: Option<i64> = db.prepare_cached(sql)?.query_row(hashes, |row| row.get(0)).optional()?;
        let moved = || SqliteFailure::Moved { what: "frame", id: rewrite.before.to_string() };
        let old = old.ok_or_else(moved)?;
        let new = put_frame(db, &header, &compress(&rewrite.frame.content))?;
        let sql = "SELECT generation, count(*) FROM generation_frames WHERE frame = ?1 GROUP BY generation";
        let owners: Vec<(i64, i64)> =
            db.prepare_cached(sql)?.query_map([old], |row| row.try_into())?.collect::<rusqlite::Result<_>>()?;
        for (generation, count) in owners {
            *changed.entry(generation).or_default() += count as u64;
        }
        db.execute("UPDATE generation_frames SET frame = ?2 WHERE frame = ?1", [old, new])?;
        db.execute("DELETE FROM frames WHERE number = ?1", [old])?;
    }
    changed.into_iter().map(|(generation, frames)| relink_frames(db, GenerationId(generation), frames)).collect()
}

/// Computes the checkpoint of a generation from its frames.
fn relink_frames(db: &Connection, id: GenerationId, frames: u64) -> Result<RelinkedGeneration, SqliteFailure> {
    let generation = load_generation(db, id)?;
    let headers: Vec<FrameHeader> = db
        .prepare(&format!("SELECT {FRAME} {OF_GENERATION}"))?
        .query_map([id.0], |row| Ok(header_row(row)))?
        .map(|row| row?)
        .collect::<Result<_, SqliteFailure>>()?;
    let end = headers.iter().fold(ReadCheckpoint::at_start(), ReadCheckpoint::after_frame);
    let sql = "UPDATE generations SET mark_hash = ?2 WHERE number = ?1";
    db.prepare_cached(sql)?.execute(params![id.0, end.hash.as_bytes()])?;
    let before = generation.checkpoint.hash;
    Ok(RelinkedGeneration { subject: generation_name(&generation), frames, before, after: end.hash })
}

/// Replaces what lies behind the last whole line of a generation; gives the name of the generation, and the hash of
/// the original bytes, which stays.
pub(in crate::sqlite) fn rewrite_tail(
    db: &Connection,
    tail: &TailRewrite,
) -> Result<(String, ContentHash), SqliteFailure> {
    let generation = load_generation(db, tail.generation)?;
    let sql = "UPDATE tails SET compressed = ?2 WHERE generation = ?1";
    db.prepare_cached(sql)?.execute(params![tail.generation.0, compress(&tail.content)])?;
    Ok((generation_name(&generation), generation.checkpoint.hash))
}
