//! Puts frames and tails with other bytes in the place of stored ones, for the purge of secrets, and computes the
//! checkpoints of their generations anew.

use super::generations::{load_generation, put_frame};
use super::{FRAME, OF_GENERATION, header_row};
use crate::archive::compress;
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::rewrite::{FrameRewrite, RelinkedGeneration, TailRewrite, generation_name};
use crate::{FrameHeader, GenerationId, ReadCheckpoint, Result};
use model::ContentHash;
use std::collections::BTreeMap;

/// Replaces frames in all generations that have them.
pub(in crate::postgres) async fn rewrite_frames(
    transaction: &TenantTransaction<'_>,
    frames: &[FrameRewrite],
) -> Result<Vec<RelinkedGeneration>, PostgresFailure> {
    let mut changed: BTreeMap<i64, u64> = BTreeMap::new();
    for rewrite in frames {
        let header = rewrite.frame.frame_header();
        let sql = "SELECT number FROM epitome.frames WHERE original_hash = $1 AND content_hash = $2";
        let original = header.original_hash.as_bytes().as_slice();
        let row = transaction.query_optional(sql, &[&original, &rewrite.before.as_bytes().as_slice()]).await?;
        let moved = || PostgresFailure::Moved { what: "frame", id: rewrite.before.to_string() };
        let old: i64 = row.ok_or_else(moved)?.try_get(0)?;
        let new = put_frame(transaction, &header, &compress(&rewrite.frame.content)).await?;
        let sql = "SELECT generation, count(*) FROM epitome.generation_frames WHERE frame = $1 GROUP BY generation";
        for row in transaction.query_all(sql, &[&old]).await? {
            *changed.entry(row.try_get(0)?).or_default() += row.try_get::<_, i64>(1)? as u64;
        }
        let sql = "UPDATE epitome.generation_frames SET frame = $2 WHERE frame = $1";
        transaction.execute(sql, &[&old, &new]).await?;
        transaction.execute("DELETE FROM epitome.frames WHERE number = $1", &[&old]).await?;
    }
    let mut relinked = Vec::with_capacity(changed.len());
    for (generation, frames) in changed {
        relinked.push(relink_frames(transaction, GenerationId(generation), frames).await?);
    }
    Ok(relinked)
}

/// Computes the checkpoint of a generation from its frames.
async fn relink_frames(
    transaction: &TenantTransaction<'_>,
    id: GenerationId,
    frames: u64,
) -> Result<RelinkedGeneration, PostgresFailure> {
    let generation = load_generation(transaction, id).await?;
    let rows = transaction.query_all(&format!("SELECT {FRAME} {OF_GENERATION}"), &[&id.0]).await?;
    let headers = rows.iter().map(header_row).collect::<Result<Vec<FrameHeader>, _>>()?;
    let end = headers.iter().fold(ReadCheckpoint::at_start(), ReadCheckpoint::after_frame);
    let sql = "UPDATE epitome.generations SET mark_hash = $2 WHERE number = $1";
    transaction.execute(sql, &[&id.0, &end.hash.as_bytes().as_slice()]).await?;
    let before = generation.checkpoint.hash;
    Ok(RelinkedGeneration { subject: generation_name(&generation), frames, before, after: end.hash })
}

/// Replaces what lies behind the last whole line of a generation; gives the name of the generation, and the hash of
/// the original bytes, which stays.
pub(in crate::postgres) async fn rewrite_tail(
    transaction: &TenantTransaction<'_>,
    tail: &TailRewrite,
) -> Result<(String, ContentHash), PostgresFailure> {
    let generation = load_generation(transaction, tail.generation).await?;
    let sql = "UPDATE epitome.tails SET compressed = $2 WHERE generation = $1";
    transaction.execute(sql, &[&tail.generation.0, &compress(&tail.content)]).await?;
    Ok((generation_name(&generation), generation.checkpoint.hash))
}
