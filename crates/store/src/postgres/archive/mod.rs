//! Implements `ArchiveStore` (raw bytes of imported transcripts) for `PostgresStore`, in the canonical tables.
//!
//! A batch that lost its connection while it committed is tried again, and finds itself by its checkpoint: what it
//! stores is known by its content alone.

mod generations;
mod rewriting;

pub(super) use rewriting::{rewrite_frames, rewrite_tail};

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use super::memory::append::open_conversation;
use super::rows::{maybe_text, read_text};
use crate::append::PreparedRow;
use crate::archive::{BatchStep, batch_name, compress, decide_step, decompress, kind_of, lines_of, scrubbed_of};
use crate::rows::{hash_of, message_id_of};
use crate::{
    ArchiveBatch, ArchiveFrame, ArchiveOutcome, ArchiveStore, ArchiveTotals, BatchTarget, FrameHeader, Generation,
    GenerationId, KindCount, MessageOrigin, NewFrame, QuarantinedLine, Result, TranscriptSource,
};
use async_trait::async_trait;
use generations::{
    GENERATION, begin_generation, generation_row, load_generation, newest_generation, put_frames, put_kinds,
    put_origins, put_quarantined, put_tail,
};
use model::{ConversationId, MessageId};
use rayon::prelude::*;
use std::sync::Arc;
use tokio_postgres::Row;

#[async_trait]
impl ArchiveStore for PostgresStore {
    async fn archive_batch(&self, batch: ArchiveBatch) -> Result<ArchiveOutcome> {
        let headers: Vec<FrameHeader> = batch.frames.iter().map(NewFrame::frame_header).collect();
        // Compression happens before the transaction, so that no lock is held while the cores work.
        let compressed: Vec<Vec<u8>> = batch.frames.par_iter().map(|frame| compress(&frame.content)).collect();
        let batch = Arc::new(batch);
        let prepared = self.prepare_messages(&batch, |batch| &batch.messages).await?;
        let archived = self
            .database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let archived = self.archive_in(&transaction, &batch, &prepared, &headers, &compressed).await?;
                transaction.commit().await?;
                Ok(archived)
            })
            .await?;
        let artifacts = batch.messages.rows.iter().flat_map(|row| &row.artifacts);
        self.anchor_append(&batch.messages.conversation, &archived.messages, artifacts);
        self.anchor_archive(&archived);
        Ok(archived)
    }

    async fn newest_generation(&self, source: &TranscriptSource) -> Result<Option<Generation>> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                newest_generation(&self.begin_transaction(&mut client, AccessMode::Read).await?, source).await
            })
            .await
    }

    async fn list_generations(&self) -> Result<Vec<Generation>> {
        let mut generations = self.query_rows(GENERATION, &[], generation_row).await?;
        // The server would sort by its own collation and by escaped text; both stores promise the order of bytes.
        generations.sort_unstable_by(|a, b| (&a.source, a.number).cmp(&(&b.source, b.number)));
        Ok(generations)
    }

    async fn generations_of(&self, conversation: &ConversationId) -> Result<Vec<Generation>> {
        let sql = format!("{GENERATION} WHERE c.conversation_id = $1 ORDER BY g.number");
        self.query_rows(&sql, &[&conversation.as_str()], generation_row).await
    }

    async fn frame_headers(&self, generation: GenerationId) -> Result<Vec<FrameHeader>> {
        let sql = format!("SELECT {FRAME} {OF_GENERATION}");
        self.query_rows(&sql, &[&generation.0], header_row).await
    }

    async fn load_frames(&self, generation: GenerationId, first: u64, limit: u32) -> Result<Vec<ArchiveFrame>> {
        let sql = format!("SELECT {FRAME}, f.compressed {OF_GENERATION} LIMIT $3 OFFSET $2");
        let row = |row: &Row| Ok(ArchiveFrame::from_compressed(header_row(row)?, row.try_get(7)?)?);
        self.query_rows(&sql, &[&generation.0, &(first as i64), &i64::from(limit)], row).await
    }

    async fn load_tail(&self, generation: GenerationId) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT compressed FROM epitome.tails WHERE generation = $1";
        let tails = self.query_rows(sql, &[&generation.0], |row| Ok(decompress(row.try_get(0)?)?)).await?;
        Ok(tails.into_iter().next())
    }

    async fn load_quarantine(&self, generation: GenerationId) -> Result<Vec<QuarantinedLine>> {
        let sql = "SELECT line, byte_offset, byte_count, reason FROM epitome.quarantine
                   WHERE generation = $1 ORDER BY line";
        let row = |row: &Row| {
            let number = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
            Ok(QuarantinedLine { line: number(0)?, offset: number(1)?, bytes: number(2)?, reason: read_text(row, 3)? })
        };
        self.query_rows(sql, &[&generation.0], row).await
    }

    async fn line_kinds(&self, generation: GenerationId) -> Result<Vec<KindCount>> {
        let sql = "SELECT class, name, line_count FROM epitome.line_kinds WHERE generation = $1";
        let row = |row: &Row| Ok(kind_of(row.try_get(0)?, read_text(row, 1)?, row.try_get(2)?)?);
        let mut kinds = self.query_rows(sql, &[&generation.0], row).await?;
        kinds.sort_unstable();
        Ok(kinds)
    }

    async fn message_origins(&self, generation: GenerationId) -> Result<Vec<(MessageId, MessageOrigin)>> {
        let sql = "SELECT m.message_id, o.lines, o.parent, o.thread, o.continues
                   FROM epitome.message_origins o JOIN epitome.messages m ON m.number = o.message
                   WHERE o.generation = $1 ORDER BY m.seq";
        let row = |row: &Row| {
            let lines = lines_of(row.try_get(1)?)?;
            let parent = maybe_text(row, 2)?;
            let thread = maybe_text(row, 3)?;
            let continues = maybe_text(row, 4)?;
            Ok((message_id_of(row.try_get(0)?)?, MessageOrigin { lines, parent, thread, continues }))
        };
        self.query_rows(sql, &[&generation.0], row).await
    }

    async fn archive_totals(&self) -> Result<ArchiveTotals> {
        let sql = "SELECT count(DISTINCT source_key), count(*), coalesce(sum(line_count), 0)::bigint,
                     coalesce(sum(byte_count), 0)::bigint,
                     (SELECT coalesce(sum(length(compressed)), 0)::bigint FROM epitome.frames),
                     (SELECT count(*) FROM epitome.quarantine), (SELECT count(*) FROM epitome.artifacts),
                     (SELECT coalesce(sum(byte_count), 0)::bigint FROM epitome.artifacts)
                   FROM epitome.generations";
        let row = |row: &Row| {
            let count = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
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
        };
        Ok(self.query_rows(sql, &[], row).await?.into_iter().next().unwrap_or_default())
    }
}

impl PostgresStore {
    async fn archive_in(
        &self,
        transaction: &TenantTransaction<'_>,
        batch: &ArchiveBatch,
        prepared: &[PreparedRow],
        headers: &[FrameHeader],
        compressed: &[Vec<u8>],
    ) -> Result<ArchiveOutcome, PostgresFailure> {
        // One lock orders all writers of the conversation, whichever source their batch comes from. Every writer takes
        // it before the lock of a source, so two of them never wait for each other.
        self.acquire_lock(transaction, "conversation", batch.messages.conversation.as_str()).await?;
        let known = match &batch.target {
            BatchTarget::Begin(begin) => {
                // Without this lock two importers could both find the same newest generation and begin the next one
                // twice.
                self.acquire_lock(transaction, "source", &format!("{} {}", begin.source.agent, begin.source.path))
                    .await?;
                newest_generation(transaction, &begin.source).await?
            }
            BatchTarget::Continue { generation, .. } => Some(load_generation(transaction, *generation).await?),
        };
        let step = decide_step(batch, headers, known.as_ref());
        let step =
            step.ok_or_else(|| PostgresFailure::Moved { what: "archive of transcript", id: batch_name(batch) })?;
        let opened = open_conversation(transaction, &batch.messages).await?;
        // The messages are appended even for a batch that is stored already: their acknowledgements are part of the
        // reply, and known messages are recognised by their content.
        let plan = self.append_all(transaction, opened.number, opened.head, &batch.messages, prepared).await?;
        let messages = plan.outcomes;
        let generation = match step {
            BatchStep::Stored(known) => return Ok(ArchiveOutcome { generation: known.clone(), messages }),
            BatchStep::Continue(known) => known.clone(),
            BatchStep::Begin(target) => begin_generation(transaction, opened.number, batch, target).await?,
        };
        // All of this is one transaction with the messages: a mark that moved without them would lose them for ever.
        put_frames(transaction, &generation, batch, headers, compressed).await?;
        put_tail(transaction, generation.id, batch.tail.as_ref()).await?;
        put_kinds(transaction, generation.id, &batch.kinds).await?;
        put_quarantined(transaction, generation.id, &batch.quarantined).await?;
        put_origins(transaction, generation.id, &batch.origins, &messages).await?;
        Ok(ArchiveOutcome { generation: load_generation(transaction, generation.id).await?, messages })
    }
}

/// Columns of a frame, and where its generation says that it belongs there.
const FRAME: &str =
    "f.original_bytes, f.original_hash, f.content_bytes, f.content_hash, g.line_count, f.scrubbed, g.paused";
const OF_GENERATION: &str = "FROM epitome.generation_frames g JOIN epitome.frames f ON f.number = g.frame
   WHERE g.generation = $1 ORDER BY g.ordinal";

fn header_row(row: &Row) -> Result<FrameHeader, PostgresFailure> {
    let number = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
    Ok(FrameHeader {
        original_bytes: number(0)?,
        original_hash: hash_of(row.try_get(1)?)?,
        content_bytes: number(2)?,
        content_hash: hash_of(row.try_get(3)?)?,
        lines: number(4)?,
        scrubbed: scrubbed_of(row.try_get(5)?)?,
        paused: row.try_get(6)?,
    })
}
