//! Implements `ArchiveStore` (raw bytes of imported transcripts) for `SqliteStore`, in the canonical database.

mod generations;
mod rewriting;

pub(super) use rewriting::{rewrite_frames, rewrite_tail};

use super::SqliteStore;
use super::failure::SqliteFailure;
use super::memory::append_all;
use super::rows::packed_form;
use super::sums::is_table_whole;
use crate::append::{PreparedRow, prepare_rows};
use crate::archive::{BatchStep, batch_name, compress, decide_step, decompress, kind_of, lines_of, scrubbed_of};
use crate::rows::{hash_of, message_id_of};
use crate::{
    ArchiveBatch, ArchiveFrame, ArchiveOutcome, ArchiveStore, ArchiveTotals, BatchTarget, FrameHeader, Generation,
    GenerationId, KindCount, MessageOrigin, QuarantinedLine, Result, TranscriptSource,
};
use async_trait::async_trait;
use generations::{
    GENERATION, begin_generation, generation_row, load_generation, newest_generation, put_frames, put_kinds,
    put_origins, put_quarantined, put_tail,
};
use model::{ConversationId, MessageId};
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, Row, params};

#[async_trait]
impl ArchiveStore for SqliteStore {
    async fn archive_batch(&self, batch: ArchiveBatch) -> Result<ArchiveOutcome> {
        // Hashing and compressing take longer than writing, and all callers share one writer.
        let headers: Vec<FrameHeader> = batch.frames.iter().map(crate::NewFrame::frame_header).collect();
        let compressed: Vec<Vec<u8>> = batch.frames.par_iter().map(|frame| compress(&frame.content)).collect();
        // The files come first: a row that is committed must find its file, and a file without a row does no harm.
        self.put_files(&batch.messages.artifacts).await?;
        let prepared = prepare_rows(&batch.messages, packed_form);
        self.canonical.write(move |db| archive_batch(db, &batch, &prepared, &headers, &compressed)).await
    }

    async fn newest_generation(&self, source: &TranscriptSource) -> Result<Option<Generation>> {
        let source = source.clone();
        self.canonical.read(move |db| newest_generation(db, &source)).await
    }

    async fn list_generations(&self) -> Result<Vec<Generation>> {
        let sql = format!("{GENERATION} ORDER BY g.agent, g.path, g.ordinal");
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(&sql)?;
                statement.query_map([], generation_row)?.map(|row| Ok(row?.into_generation()?)).collect()
            })
            .await
    }

    async fn generations_of(&self, conversation: &ConversationId) -> Result<Vec<Generation>> {
        let sql = format!("{GENERATION} WHERE c.conversation_id = ?1 ORDER BY g.number");
        let conversation = conversation.clone();
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(&sql)?;
                statement
                    .query_map([conversation.as_str()], generation_row)?
                    .map(|row| Ok(row?.into_generation()?))
                    .collect()
            })
            .await
    }

    async fn frame_headers(&self, generation: GenerationId) -> Result<Vec<FrameHeader>> {
        let sql = format!("SELECT {FRAME} {OF_GENERATION}");
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map([generation.0], |row| Ok(header_row(row)))?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn load_frames(&self, generation: GenerationId, first: u64, limit: u32) -> Result<Vec<ArchiveFrame>> {
        let sql = format!("SELECT {FRAME}, f.compressed {OF_GENERATION} LIMIT ?3 OFFSET ?2");
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(&sql)?;
                let row = |row: &Row<'_>| Ok((header_row(row), row.get::<_, Vec<u8>>(7)?));
                let rows = statement.query_map(params![generation.0, first as i64, limit], row)?;
                rows.map(|row| {
                    let (header, column) = row?;
                    Ok(ArchiveFrame::from_compressed(header?, &column)?)
                })
                .collect()
            })
            .await
    }

    async fn load_tail(&self, generation: GenerationId) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT compressed FROM tails WHERE generation = ?1";
        self.canonical
            .read(move |db| {
                let column: Option<Vec<u8>> =
                    db.prepare_cached(sql)?.query_row([generation.0], |row| row.get(0)).optional()?;
                // No other row says whether a generation has a tail, so one that is lost is known by the sum alone.
                if column.is_none() && !is_table_whole(db, "tails")? {
                    let what = "the bytes behind the last line of a transcript are not those that were stored";
                    return Err(SqliteFailure::Damaged(what.to_owned()));
                }
                Ok(column.map(|column| decompress(&column)).transpose()?)
            })
            .await
    }

    async fn load_quarantine(&self, generation: GenerationId) -> Result<Vec<QuarantinedLine>> {
        let sql = "SELECT line, byte_offset, byte_count, reason FROM quarantine WHERE generation = ?1 ORDER BY line";
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(sql)?;
                let rows = statement.query_map([generation.0], |row| {
                    Ok(QuarantinedLine {
                        line: row.get::<_, i64>(0)? as u64,
                        offset: row.get::<_, i64>(1)? as u64,
                        bytes: row.get::<_, i64>(2)? as u64,
                        reason: row.get(3)?,
                    })
                })?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn line_kinds(&self, generation: GenerationId) -> Result<Vec<KindCount>> {
        let sql = "SELECT class, name, line_count FROM line_kinds WHERE generation = ?1 ORDER BY class, name";
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(sql)?;
                let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?));
                let rows = statement.query_map([generation.0], row)?;
                rows.map(|row| row.map(|(class, name, lines)| Ok(kind_of(&class, name, lines)?))?).collect()
            })
            .await
    }

    async fn message_origins(&self, generation: GenerationId) -> Result<Vec<(MessageId, MessageOrigin)>> {
        let sql = "SELECT m.message_id, o.lines, o.parent, o.thread, o.continues
                   FROM message_origins o JOIN messages m ON m.number = o.message
                   WHERE o.generation = ?1 ORDER BY m.seq";
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(sql)?;
                let mut rows = statement.query([generation.0])?;
                let mut origins = Vec::new();
                while let Some(row) = rows.next()? {
                    let message: String = row.get(0)?;
                    let lines: String = row.get(1)?;
                    let parent = row.get(2)?;
                    let thread = row.get(3)?;
                    let continues = row.get(4)?;
                    let origin = MessageOrigin { lines: lines_of(&lines)?, parent, thread, continues };
                    origins.push((message_id_of(&message)?, origin));
                }
                Ok(origins)
            })
            .await
    }

    async fn archive_totals(&self) -> Result<ArchiveTotals> {
        let sql = "SELECT (SELECT count(*) FROM (SELECT DISTINCT agent, path FROM generations)), count(*),
                     coalesce(sum(line_count), 0), coalesce(sum(byte_count), 0),
                     (SELECT coalesce(sum(length(compressed)), 0) FROM frames), (SELECT count(*) FROM quarantine),
                     (SELECT count(*) FROM artifacts), (SELECT coalesce(sum(byte_count), 0) FROM artifacts)
                   FROM generations";
        self.canonical
            .read(move |db| {
                Ok(db.query_row(sql, [], |row| {
                    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)? as u64);
                    Ok(ArchiveTotals {
                        sources: count(0)?,
                        generations: count(1)?,
                        lines: count(2)?,
                        bytes: count(3)?,
                        stored_bytes: count(4)?,
                        quarantined: count(5)?,
                        artifacts: count(6)?,
                        artifact_bytes: count(7)?,
                    })
                })?)
            })
            .await
    }
}

fn archive_batch(
    db: &Connection,
    batch: &ArchiveBatch,
    prepared: &[PreparedRow],
    headers: &[FrameHeader],
    compressed: &[Vec<u8>],
) -> Result<ArchiveOutcome, SqliteFailure> {
    let known = match &batch.target {
        BatchTarget::Begin(begin) => newest_generation(db, &begin.source)?,
        BatchTarget::Continue { generation, .. } => Some(load_generation(db, *generation)?),
    };
    // The decision is made inside the write, where no other writer of any process can change the generation.
    let step = decide_step(batch, headers, known.as_ref());
    let step = step.ok_or_else(|| SqliteFailure::Moved { what: "archive of transcript", id: batch_name(batch) })?;
    // The messages are appended even for a batch that is stored already: their acknowledgements are part of the reply.
    let messages = append_all(db, &batch.messages, prepared)?;
    let generation = match step {
        BatchStep::Stored(known) => return Ok(ArchiveOutcome { generation: known.clone(), messages }),
        BatchStep::Continue(known) => known.clone(),
        BatchStep::Begin(target) => load_generation(db, begin_generation(db, batch, target)?)?,
    };
    // One transaction with the messages: a mark that moved without them would lose them for ever.
    put_frames(db, &generation, batch, headers, compressed)?;
    put_tail(db, generation.id, batch.tail.as_ref())?;
    put_kinds(db, generation.id, &batch.kinds)?;
    put_quarantined(db, generation.id, &batch.quarantined)?;
    put_origins(db, generation.id, &batch.origins, &messages)?;
    Ok(ArchiveOutcome { generation: load_generation(db, generation.id)?, messages })
}

/// Columns of a frame, and where its generation says that it belongs there.
const FRAME: &str =
    "f.original_bytes, f.original_hash, f.content_bytes, f.content_hash, g.line_count, f.scrubbed, g.paused";
const OF_GENERATION: &str =
    "FROM generation_frames g JOIN frames f ON f.number = g.frame WHERE g.generation = ?1 ORDER BY g.ordinal";

fn header_row(row: &Row<'_>) -> Result<FrameHeader, SqliteFailure> {
    Ok(FrameHeader {
        original_bytes: row.get::<_, i64>(0)? as u64,
        original_hash: hash_of(&row.get::<_, Vec<u8>>(1)?)?,
        content_bytes: row.get::<_, i64>(2)? as u64,
        content_hash: hash_of(&row.get::<_, Vec<u8>>(3)?)?,
        lines: row.get::<_, i64>(4)? as u64,
        scrubbed: scrubbed_of(row.get::<_, Option<Vec<u8>>>(5)?.as_deref())?,
        paused: row.get(6)?,
    })
}
