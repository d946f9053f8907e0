//! SQL of the PostgreSQL store for segments of the inverted index: inserts, reads, merges and drops segments and their
//! postings. Code search and the full-text search of conversations (`memory/passages.rs`) share it.

use super::batch::ROWS;
use crate::postgres::code::read_u32;
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::rows::read_text;
use crate::postgres::text::encode_text;
use crate::{FileId, Result, Segment, SegmentFile, SegmentMerge, SegmentPostings, TermPostings, UnitId};
use std::collections::{HashMap, HashSet};
use tokio_postgres::Row;

pub(in crate::postgres) const ALL_SEGMENTS_SQL: &str =
    "SELECT number, first_unit, unit_count, lengths FROM epitome.segments
   WHERE project_id = $1 ORDER BY first_unit, number";

pub(super) fn segment_row(row: &Row) -> Result<Segment, PostgresFailure> {
    Ok(Segment {
        number: row.try_get(0)?,
        first_unit: UnitId(read_u32(row, 1)?),
        units: read_u32(row, 2)?,
        lengths: row.try_get(3)?,
    })
}

pub(in crate::postgres) const POSTINGS: &str = "SELECT s.number, asked.term, found.bytes
   FROM epitome.segments s CROSS JOIN (SELECT DISTINCT term FROM unnest($2::text[]) AS given (term)) AS asked
   CROSS JOIN LATERAL (SELECT p.bytes FROM epitome.postings p
                       WHERE p.segment = s.number AND p.term = asked.term OFFSET 0) AS found
   WHERE s.project_id = $1";

pub(in crate::postgres) const ALL_POSTINGS: &str = "SELECT s.number, found.term, found.bytes
   FROM epitome.segments s CROSS JOIN LATERAL
     (SELECT p.term, p.bytes FROM epitome.postings p WHERE p.segment = s.number OFFSET 0) AS found
   WHERE s.project_id = $1 AND s.number = ANY($2)";

pub(in crate::postgres) fn postings_row(row: &Row) -> Result<SegmentPostings, PostgresFailure> {
    Ok(SegmentPostings { segment: row.try_get(0)?, term: read_text(row, 1)?, bytes: row.try_get(2)? })
}

pub(in crate::postgres) fn sort_postings(postings: &mut [SegmentPostings]) {
    postings.sort_unstable_by(|a, b| (&a.term, a.segment).cmp(&(&b.term, b.segment)));
}

pub(super) const FILES: &str = "SELECT f.number, f.segment, f.first_unit, f.unit_count FROM epitome.files f
   WHERE f.project_id = $1 AND f.segment = ANY($2) ORDER BY f.first_unit, f.number";

pub(super) fn file_row(row: &Row) -> Result<SegmentFile, PostgresFailure> {
    Ok(SegmentFile {
        file: FileId(row.try_get(0)?),
        segment: row.try_get(1)?,
        first_unit: UnitId(read_u32(row, 2)?),
        units: read_u32(row, 3)?,
    })
}

/// A segment as it was written.
pub(in crate::postgres) struct PostgresSegment {
    pub(in crate::postgres) number: i64,
    pub(super) first_unit: i64,
}

/// Writes a segment; its units are numbered on from the last one.
pub(in crate::postgres) async fn insert_segment(
    transaction: &TenantTransaction<'_>,
    project: &str,
    units: i64,
    lengths: &[u8],
    postings: &[TermPostings],
) -> Result<PostgresSegment, PostgresFailure> {
    // Units are numbered on across the project, so that one number names one unit whatever segment holds it.
    let sql = "INSERT INTO epitome.segments (project_id, first_unit, unit_count, lengths)
               SELECT $1, coalesce(max(first_unit + unit_count), 0), $2, $3 FROM epitome.segments WHERE project_id = $1
               RETURNING number, first_unit";
    let row = transaction.query_one(sql, &[&project, &units, &lengths]).await?;
    let segment = PostgresSegment { number: row.try_get(0)?, first_unit: row.try_get(1)? };
    let sql = "INSERT INTO epitome.postings (project_id, segment, term, bytes)
               SELECT $1, $2, term, bytes FROM unnest($3::text[], $4::bytea[]) AS added (term, bytes)";
    // The number of postings grows with the repository; a statement for all of them would have to fit into memory
    // twice.
    for rows in postings.chunks(ROWS) {
        let terms: Vec<_> = rows.iter().map(|row| encode_text(&row.term)).collect();
        let bytes: Vec<_> = rows.iter().map(|row| row.bytes.as_slice()).collect();
        transaction.execute(sql, &[&project, &segment.number, &terms, &bytes]).await?;
    }
    Ok(segment)
}

/// Puts one segment in the place of some; the caller holds the project's lock.
pub(super) async fn merge_segments(
    transaction: &TenantTransaction<'_>,
    project: &str,
    merge: &SegmentMerge,
) -> Result<(), PostgresFailure> {
    let rows = transaction.query_all(FILES, &[&project, &merge.segments]).await?;
    let held = rows.iter().map(file_row).collect::<Result<Vec<SegmentFile>, PostgresFailure>>()?;
    let held: HashMap<FileId, u32> = held.into_iter().map(|file| (file.file, file.units)).collect();
    let sql = "SELECT number FROM unnest($2::bigint[]) AS asked (number) WHERE NOT EXISTS
                 (SELECT FROM epitome.segments s WHERE s.project_id = $1 AND s.number = asked.number) LIMIT 1";
    // Another process may have merged or dropped a segment since the caller read them.
    let gone = transaction.query_optional(sql, &[&project, &merge.segments]).await?.is_some();
    let said: HashSet<&FileId> = merge.files.iter().collect();
    let is_same = merge.files.len() == held.len() && said == held.keys().collect();
    // A version that was added to, or dropped from, one of the segments is missing from the merged postings: look
    // again.
    if gone || !is_same {
        let id = merge.segments.first().map(i64::to_string).unwrap_or_default();
        return Err(PostgresFailure::Moved { what: "segment", id });
    }
    let units = held.values().map(|units| i64::from(*units)).sum();
    let new = insert_segment(transaction, project, units, &merge.lengths, &merge.postings).await?;
    // The merged postings number the units in the order of `files`, so the first units have to follow the same order.
    let mut firsts = Vec::new();
    let mut next = new.first_unit;
    for file in &merge.files {
        firsts.push(next);
        next += i64::from(held[file]);
    }
    let files: Vec<i64> = merge.files.iter().map(|file| file.0).collect();
    let sql = "UPDATE epitome.files f SET segment = $2, first_unit = moved.first_unit
               FROM unnest($3::bigint[], $4::bigint[]) AS moved (file, first_unit)
               WHERE f.project_id = $1 AND f.number = moved.file";
    transaction.execute(sql, &[&project, &new.number, &files, &firsts]).await?;
    drop_segments(transaction, project, &merge.segments).await
}

/// Drops segments with their postings.
pub(in crate::postgres) async fn drop_segments(
    transaction: &TenantTransaction<'_>,
    project: &str,
    segments: &[i64],
) -> Result<(), PostgresFailure> {
    // The postings have no foreign key that would remove them with their segment.
    for table in ["postings WHERE segment", "segments WHERE number"] {
        let sql = format!("DELETE FROM epitome.{table} = ANY($2) AND project_id = $1");
        transaction.execute(&sql, &[&project, &segments]).await?;
    }
    Ok(())
}
