//! SQL of the SQLite transcript archive's rows: finds and begins generations, and inserts frames, tails, line kinds,
//! quarantined lines and message origins.

use crate::archive::{GenerationRow, compress, descent_columns, encode_lines, scrubbed_bytes};
use crate::sqlite::failure::SqliteFailure;
use crate::{
    AppendOutcome, ArchiveBatch, FrameHeader, Generation, GenerationId, KindCount, MessageOrigin, NewGeneration,
    NewTail, QuarantinedLine, ReadCheckpoint, Result, TranscriptSource,
};
use model::ContentHash;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) const GENERATION: &str = "SELECT g.number, g.agent, g.path, g.ordinal, g.origin, g.container, g.device,
    g.inode, c.conversation_id, g.own_id, g.title, g.project_dir, g.descent, g.descent_of, g.frame_count, g.line_count,
    g.message_count, g.byte_count, g.mark_hash, g.stored_at, t.original_bytes, t.original_hash
    FROM generations g JOIN conversations c ON c.number = g.conversation LEFT JOIN tails t ON t.generation = g.number";

pub(super) fn generation_row(row: &Row<'_>) -> rusqlite::Result<GenerationRow> {
    Ok(GenerationRow {
        number: row.get(0)?,
        agent: row.get(1)?,
        path: row.get(2)?,
        ordinal: row.get(3)?,
        origin: row.get(4)?,
        container: row.get(5)?,
        device: row.get(6)?,
        inode: row.get(7)?,
        conversation: row.get(8)?,
        own_id: row.get(9)?,
        title: row.get(10)?,
        project_dir: row.get(11)?,
        descent: row.get(12)?,
        descent_of: row.get(13)?,
        frame_count: row.get(14)?,
        line_count: row.get(15)?,
        message_count: row.get(16)?,
        byte_count: row.get(17)?,
        checkpoint_hash: row.get(18)?,
        stored_at: row.get(19)?,
        tail_bytes: row.get(20)?,
        tail_hash: row.get(21)?,
    })
}

pub(super) fn newest_generation(
    db: &Connection,
    source: &TranscriptSource,
) -> Result<Option<Generation>, SqliteFailure> {
    let sql = format!("{GENERATION} WHERE g.agent = ?1 AND g.path = ?2 ORDER BY g.ordinal DESC LIMIT 1");
    let row = db.prepare_cached(&sql)?.query_row(params![source.agent.0, source.path], generation_row).optional()?;
    Ok(row.map(GenerationRow::into_generation).transpose()?)
}

pub(super) fn load_generation(db: &Connection, id: GenerationId) -> Result<Generation, SqliteFailure> {
    let sql = format!("{GENERATION} WHERE g.number = ?1");
    let row = db.prepare_cached(&sql)?.query_row([id.0], generation_row).optional()?;
    Ok(row.ok_or_else(|| SqliteFailure::Missing { what: "generation", id: id.0.to_string() })?.into_generation()?)
}

pub(super) fn begin_generation(
    db: &Connection,
    batch: &ArchiveBatch,
    begin: &NewGeneration,
) -> Result<GenerationId, SqliteFailure> {
    // The conversation exists: the messages of the batch were appended before, in the same transaction.
    db.prepare_cached(
        "INSERT INTO generations (agent, path, ordinal, origin, container, device, inode, conversation, own_id,
           frame_count, line_count, message_count, byte_count, mark_hash, stored_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, number, ?8, 0, 0, 0, 0, ?9, ?10
         FROM conversations WHERE conversation_id = ?11",
    )?
    .execute(params![
        begin.source.agent.0,
        begin.source.path,
        begin.after + 1,
        begin.origin.as_str(),
        begin.container.as_str(),
        begin.identity.map(|identity| identity.device as i64),
        begin.identity.map(|identity| identity.inode as i64),
        batch.head.conversation,
        ReadCheckpoint::at_start().hash.as_bytes(),
        batch.messages.now.0,
        batch.messages.conversation.as_str(),
    ])?;
    Ok(GenerationId(db.last_insert_rowid()))
}

pub(super) fn put_frames(
    db: &Connection,
    generation: &Generation,
    batch: &ArchiveBatch,
    headers: &[FrameHeader],
    compressed: &[Vec<u8>],
) -> Result<(), SqliteFailure> {
    let id = generation.id.0;
    let mut belongs = db.prepare_cached("INSERT INTO generation_frames VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut ordinal = generation.frames;
    let mut lines = generation.lines;
    let mut end = generation.checkpoint;
    for (header, compressed) in headers.iter().zip(compressed) {
        // The frame is shared between generations; its lines and its pause belong to this generation alone.
        let frame = put_frame(db, header, compressed)?;
        belongs.execute(params![id, ordinal as i64, frame, header.lines as i64, header.paused])?;
        // The new mark is computed here from the frames themselves, so that it can never name bytes that are not
        // stored.
        (ordinal, lines, end) = (ordinal + 1, lines + header.lines, end.after_frame(header));
    }
    let (descent, descent_of) = descent_columns(&batch.head);
    db.prepare_cached(
        "UPDATE generations SET frame_count = ?2, line_count = ?3, byte_count = ?4, mark_hash = ?5, own_id = ?6,
           title = ?7, project_dir = ?8, descent = ?9, descent_of = ?10 WHERE number = ?1",
    )?
    .execute(params![
        id,
        ordinal as i64,
        lines as i64,
        end.bytes as i64,
        end.hash.as_bytes(),
        batch.head.conversation,
        batch.head.title,
        batch.head.project_dir,
        descent,
        descent_of,
    ])?;
    Ok(())
}

/// Writes a frame that is not there yet, and gives the number of the one that is.
pub(super) fn put_frame(db: &Connection, header: &FrameHeader, compressed: &[u8]) -> Result<i64, SqliteFailure> {
    // A second copy of a transcript, or a generation that begins anew, has nearly all its frames in common with the
    // first.
    db.prepare_cached(
        "INSERT INTO frames (original_hash, content_hash, original_bytes, content_bytes, scrubbed, compressed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        header.original_hash.as_bytes(),
        header.content_hash.as_bytes(),
        header.original_bytes as i64,
        header.content_bytes as i64,
        scrubbed_bytes(&header.scrubbed),
        compressed,
    ])?;
    // The insert may have done nothing, and then the last row's number is that of another frame.
    let hashes: [&ContentHash; 2] = [&header.original_hash, &header.content_hash];
    let sql = "SELECT number FROM frames WHERE original_hash = ?1 AND content_hash = ?2";
    Ok(db.prepare_cached(sql)?.query_row(hashes.map(ContentHash::as_bytes), |row| row.get(0))?)
}

pub(super) fn put_tail(db: &Connection, id: GenerationId, tail: Option<&NewTail>) -> Result<(), SqliteFailure> {
    // What lay behind the last line is now part of a frame, or longer than before; there is one tail at most.
    db.prepare_cached("DELETE FROM tails WHERE generation = ?1")?.execute([id.0])?;
    if let Some(tail) = tail {
        let hash = tail.original_hash.as_bytes();
        db.prepare_cached("INSERT INTO tails VALUES (?1, ?2, ?3, ?4)")?.execute(params![
            id.0,
            tail.original_bytes as i64,
            hash,
            compress(&tail.content)
        ])?;
    }
    Ok(())
}

pub(super) fn put_kinds(db: &Connection, id: GenerationId, kinds: &[KindCount]) -> Result<(), SqliteFailure> {
    let mut add = db.prepare_cached(
        "INSERT INTO line_kinds VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET line_count = line_count + excluded.line_count",
    )?;
    for kind in kinds {
        add.execute(params![id.0, kind.class.as_str(), kind.name, kind.lines as i64])?;
    }
    Ok(())
}

pub(super) fn put_quarantined(
    db: &Connection,
    id: GenerationId,
    lines: &[QuarantinedLine],
) -> Result<(), SqliteFailure> {
    let mut add = db.prepare_cached("INSERT INTO quarantine VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for line in lines {
        add.execute(params![id.0, line.line as i64, line.offset as i64, line.bytes as i64, line.reason])?;
    }
    Ok(())
}

pub(super) fn put_origins(
    db: &Connection,
    id: GenerationId,
    origins: &[MessageOrigin],
    messages: &[AppendOutcome],
) -> Result<(), SqliteFailure> {
    let mut add = db.prepare_cached(
        "INSERT INTO message_origins SELECT ?1, number, ?3, ?4, ?5, ?6 FROM messages WHERE message_id = ?2
         ON CONFLICT DO NOTHING",
    )?;
    // A later line may repeat a message, as an agent writes one again when its answer is complete. All lines that hold
    // it are noted, or a rebuild would leave some out.
    let mut join = db.prepare_cached(
        "UPDATE message_origins SET lines = lines || ',' || ?3 WHERE generation = ?1 AND lines <> ?3
           AND message = (SELECT number FROM messages WHERE message_id = ?2)",
    )?;
    let mut added = 0;
    for (origin, appended) in origins.iter().zip(messages) {
        let Some(ack) = appended.ack() else { continue };
        let message = ack.message.as_str();
        let lines = encode_lines(&origin.lines);
        match add.execute(params![id.0, message, lines, origin.parent, origin.thread, origin.continues])? {
            0 => drop(join.execute(params![id.0, message, lines])?),
            _ => added += 1,
        }
    }
    let sql = "UPDATE generations SET message_count = message_count + ?2 WHERE number = ?1";
    db.prepare_cached(sql)?.execute(params![id.0, added])?;
    Ok(())
}
