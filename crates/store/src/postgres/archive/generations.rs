//! SQL of the PostgreSQL transcript archive's rows: finds and begins generations, and inserts frames, tails, line
//! kinds, quarantined lines and message origins. Rows travel as arrays, one for each column.

use crate::archive::{GenerationRow, compress, descent_columns, encode_lines, scrubbed_bytes};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::parameters::SqlParameter;
use crate::postgres::rows::{maybe_text, read_text};
use crate::postgres::text::encode_text;
use crate::{
    AppendOutcome, ArchiveBatch, FrameHeader, Generation, GenerationId, KindCount, MessageOrigin, NewGeneration,
    NewTail, QuarantinedLine, ReadCheckpoint, Result, TranscriptSource,
};
use model::DigestBuilder;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tokio_postgres::Row;

pub(super) const GENERATION: &str = "SELECT g.number, g.agent, g.path, g.ordinal, g.origin, g.container, g.device,
    g.inode, c.conversation_id, g.own_id, g.title, g.project_dir, g.descent, g.descent_of, g.frame_count, g.line_count,
    g.message_count, g.byte_count, g.mark_hash, g.stored_at, t.original_bytes, t.original_hash
    FROM epitome.generations g JOIN epitome.conversations c ON c.number = g.conversation
    LEFT JOIN epitome.tails t ON t.generation = g.number";

pub(super) fn generation_row(row: &Row) -> Result<Generation, PostgresFailure> {
    let generation = GenerationRow {
        number: row.try_get(0)?,
        agent: read_text(row, 1)?,
        path: read_text(row, 2)?,
        ordinal: row.try_get(3)?,
        origin: row.try_get(4)?,
        container: row.try_get(5)?,
        device: row.try_get(6)?,
        inode: row.try_get(7)?,
        conversation: row.try_get(8)?,
        own_id: read_text(row, 9)?,
        title: maybe_text(row, 10)?,
        project_dir: maybe_text(row, 11)?,
        descent: row.try_get(12)?,
        descent_of: maybe_text(row, 13)?,
        frame_count: row.try_get(14)?,
        line_count: row.try_get(15)?,
        message_count: row.try_get(16)?,
        byte_count: row.try_get(17)?,
        checkpoint_hash: row.try_get(18)?,
        stored_at: row.try_get(19)?,
        tail_bytes: row.try_get(20)?,
        tail_hash: row.try_get(21)?,
    };
    Ok(generation.into_generation()?)
}

fn source_key(source: &TranscriptSource) -> Vec<u8> {
    // Agent and path together may be longer than an index entry, so lookups go by their digest.
    DigestBuilder::new("source")
        .add_field(source.agent.0.as_bytes())
        .add_field(source.path.as_bytes())
        .finish()
        .as_bytes()
        .to_vec()
}

pub(super) async fn newest_generation(
    transaction: &TenantTransaction<'_>,
    source: &TranscriptSource,
) -> Result<Option<Generation>, PostgresFailure> {
    let sql = format!("{GENERATION} WHERE g.source_key = $1 ORDER BY g.ordinal DESC LIMIT 1");
    transaction.query_optional(&sql, &[&source_key(source)]).await?.as_ref().map(generation_row).transpose()
}

pub(super) async fn load_generation(
    transaction: &TenantTransaction<'_>,
    id: GenerationId,
) -> Result<Generation, PostgresFailure> {
    let row = transaction.query_optional(&format!("{GENERATION} WHERE g.number = $1"), &[&id.0]).await?;
    generation_row(&row.ok_or_else(|| PostgresFailure::Missing { what: "generation", id: id.0.to_string() })?)
}

pub(super) async fn begin_generation(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    batch: &ArchiveBatch,
    begin: &NewGeneration,
) -> Result<Generation, PostgresFailure> {
    let sql = "INSERT INTO epitome.generations (source_key, agent, path, ordinal, origin, container, device, inode,
                 conversation, own_id, frame_count, line_count, message_count, byte_count, mark_hash, stored_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 0, 0, $11, $12) RETURNING number";
    let row = transaction
        .query_one(
            sql,
            &[
                &source_key(&begin.source),
                &encode_text(&begin.source.agent.0),
                &encode_text(&begin.source.path),
                &(i64::from(begin.after) + 1),
                &begin.origin.as_str(),
                &begin.container.as_str(),
                &begin.identity.map(|identity| identity.device as i64),
                &begin.identity.map(|identity| identity.inode as i64),
                &conversation,
                &encode_text(&batch.head.conversation),
                &ReadCheckpoint::at_start().hash.as_bytes().as_slice(),
                &batch.messages.now.0,
            ],
        )
        .await?;
    load_generation(transaction, GenerationId(row.try_get(0)?)).await
}

pub(super) async fn put_frames(
    transaction: &TenantTransaction<'_>,
    generation: &Generation,
    batch: &ArchiveBatch,
    headers: &[FrameHeader],
    compressed: &[Vec<u8>],
) -> Result<(), PostgresFailure> {
    let id = generation.id.0;
    // The frame is shared between generations; its lines and its pause belong to this generation alone.
    let belongs = "INSERT INTO epitome.generation_frames (generation, ordinal, frame, line_count, paused)
                   VALUES ($1, $2, $3, $4, $5)";
    let mut ordinal = generation.frames;
    let mut lines = generation.lines;
    let mut end = generation.checkpoint;
    for (header, compressed) in headers.iter().zip(compressed) {
        let frame = put_frame(transaction, header, compressed).await?;
        transaction.execute(belongs, &[&id, &(ordinal as i64), &frame, &(header.lines as i64), &header.paused]).await?;
        // The new mark is computed here from the frames themselves, so that it can never name bytes that are not
        // stored.
        (ordinal, lines, end) = (ordinal + 1, lines + header.lines, end.after_frame(header));
    }
    let (descent, descent_of) = descent_columns(&batch.head);
    let sql = "UPDATE epitome.generations SET frame_count = $2, line_count = $3, byte_count = $4, mark_hash = $5,
                 own_id = $6, title = $7, project_dir = $8, descent = $9, descent_of = $10 WHERE number = $1";
    transaction
        .execute(
            sql,
            &[
                &id,
                &(ordinal as i64),
                &(lines as i64),
                &(end.bytes as i64),
                &end.hash.as_bytes().as_slice(),
                &encode_text(&batch.head.conversation),
                &batch.head.title.as_deref().map(encode_text),
                &batch.head.project_dir.as_deref().map(encode_text),
                &descent,
                &descent_of.map(encode_text),
            ],
        )
        .await?;
    Ok(())
}

/// Writes a frame that is not there yet, and gives the number of the one that is.
pub(super) async fn put_frame(
    transaction: &TenantTransaction<'_>,
    header: &FrameHeader,
    compressed: &[u8],
) -> Result<i64, PostgresFailure> {
    let original = header.original_hash.as_bytes().as_slice();
    let content = header.content_hash.as_bytes().as_slice();
    // A second copy of a transcript, or a generation that begins anew, has nearly all its frames in common
    // with the first.
    let sql = "INSERT INTO epitome.frames (original_hash, content_hash, original_bytes, content_bytes, scrubbed,
                 compressed)
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (original_hash, content_hash, tenant_id) DO NOTHING";
    let original_bytes = header.original_bytes as i64;
    let content_bytes = header.content_bytes as i64;
    let scrubbed = scrubbed_bytes(&header.scrubbed);
    let parameters: [&dyn SqlParameter; 6] =
        [&original, &content, &original_bytes, &content_bytes, &scrubbed, &compressed];
    transaction.execute(sql, &parameters).await?;
    // `ON CONFLICT DO NOTHING` returns no row for a frame that is there, so the number takes a second query.
    let sql = "SELECT number FROM epitome.frames WHERE original_hash = $1 AND content_hash = $2";
    Ok(transaction.query_one(sql, &[&original, &content]).await?.try_get(0)?)
}

pub(super) async fn put_tail(
    transaction: &TenantTransaction<'_>,
    id: GenerationId,
    tail: Option<&NewTail>,
) -> Result<(), PostgresFailure> {
    // What lay behind the last line is now part of a frame, or longer than before; there is one tail at most.
    transaction.execute("DELETE FROM epitome.tails WHERE generation = $1", &[&id.0]).await?;
    if let Some(tail) = tail {
        let sql = "INSERT INTO epitome.tails (generation, original_bytes, original_hash, compressed)
                   VALUES ($1, $2, $3, $4)";
        let bytes = tail.original_bytes as i64;
        let hash = tail.original_hash.as_bytes().as_slice();
        transaction.execute(sql, &[&id.0, &bytes, &hash, &compress(&tail.content)]).await?;
    }
    Ok(())
}

pub(super) async fn put_kinds(
    transaction: &TenantTransaction<'_>,
    id: GenerationId,
    kinds: &[KindCount],
) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.line_kinds AS k (generation, kind_key, class, name, line_count)
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT (generation, kind_key, tenant_id)
               DO UPDATE SET line_count = k.line_count + excluded.line_count";
    for kind in kinds {
        let class = kind.class.as_str();
        let lines = kind.lines as i64;
        // The name of a line kind comes from the agent's file and may be of any length, so the key is a digest.
        let key = DigestBuilder::new("line kind").add_field(class.as_bytes()).add_field(kind.name.as_bytes()).finish();
        let key = key.as_bytes().as_slice();
        transaction.execute(sql, &[&id.0, &key, &class, &encode_text(&kind.name), &lines]).await?;
    }
    Ok(())
}

pub(super) async fn put_quarantined(
    transaction: &TenantTransaction<'_>,
    id: GenerationId,
    lines: &[QuarantinedLine],
) -> Result<(), PostgresFailure> {
    let column = |value: fn(&QuarantinedLine) -> u64| lines.iter().map(|line| value(line) as i64).collect::<Vec<i64>>();
    let numbers = column(|line| line.line);
    let offsets = column(|line| line.offset);
    let bytes = column(|line| line.bytes);
    let reasons: Vec<_> = lines.iter().map(|line| encode_text(&line.reason)).collect();
    let sql = "INSERT INTO epitome.quarantine (generation, line, byte_offset, byte_count, reason)
               SELECT $1, added.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) AS added";
    transaction.execute(sql, &[&id.0, &numbers, &offsets, &bytes, &reasons]).await?;
    Ok(())
}

pub(super) async fn put_origins(
    transaction: &TenantTransaction<'_>,
    id: GenerationId,
    origins: &[MessageOrigin],
    messages: &[AppendOutcome],
) -> Result<(), PostgresFailure> {
    // A statement may add a row only once, so several origins of one message are joined here, with the lines of all.
    let mut rows: BTreeMap<&str, MessageOrigin> = BTreeMap::new();
    for (origin, appended) in origins.iter().zip(messages) {
        let Some(ack) = appended.ack() else { continue };
        match rows.entry(ack.message.as_str()) {
            Entry::Vacant(vacant) => drop(vacant.insert(origin.clone())),
            Entry::Occupied(mut known) => known.get_mut().lines.extend(&origin.lines),
        }
    }
    let ids: Vec<&str> = rows.keys().copied().collect();
    let column = |value: fn(&MessageOrigin) -> Option<&String>| -> Vec<_> {
        rows.values().map(|origin| value(origin).map(|text| encode_text(text))).collect()
    };
    let parents = column(|origin| origin.parent.as_ref());
    let threads = column(|origin| origin.thread.as_ref());
    let continues = column(|origin| origin.continues.as_ref());
    let lines: Vec<String> = rows.values().map(|origin| encode_lines(&origin.lines)).collect();
    let sql = "INSERT INTO epitome.message_origins (generation, message, lines, parent, thread, continues)
               SELECT $1, m.number, added.lines, added.parent, added.thread, added.continues
               FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
                 AS added (id, lines, parent, thread, continues)
               JOIN epitome.messages m ON m.message_id = added.id
               ON CONFLICT (generation, message, tenant_id) DO NOTHING";
    let added = transaction.execute(sql, &[&id.0, &ids, &lines, &parents, &threads, &continues]).await? as i64;
    // A later line may repeat a message, as an agent writes one again when its answer is complete. All lines that hold
    // it are noted, or a rebuild would leave some out.
    let sql = "UPDATE epitome.message_origins o SET lines = o.lines || ',' || said.lines
               FROM unnest($2::text[], $3::text[]) AS said (id, lines) JOIN epitome.messages m ON m.message_id = said.id
               WHERE o.generation = $1 AND o.message = m.number AND o.lines <> said.lines";
    transaction.execute(sql, &[&id.0, &ids, &lines]).await?;
    let sql = "UPDATE epitome.generations SET message_count = message_count + $2 WHERE number = $1";
    transaction.execute(sql, &[&id.0, &added]).await?;
    Ok(())
}
