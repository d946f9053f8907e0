//! Writes one batch of indexed files to PostgreSQL: file versions, their records, links to a worktree, and a segment
//! of postings. A batch takes a few statements, however many rows, because every statement is a trip to the server.
//!
//! Rows travel as arrays, one for each column. (`COPY` would be the other way; it refuses row-level security.)

use super::segments::{self, PostgresSegment};
use crate::postgres::code::{path_key, version_key};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::text::encode_text;
use crate::rows::join_problems;
use crate::{FileBatch, FileStamp, FileVersion, Result, WorktreeId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Rows in one statement: bounds what the server must hold at once.
pub(super) const ROWS: usize = 10_000;

/// Writes a batch; the caller holds the project's lock.
pub(super) async fn write_batch(
    transaction: &TenantTransaction<'_>,
    worktree: &WorktreeId,
    batch: &FileBatch,
) -> Result<(), PostgresFailure> {
    let project = worktree.project.as_str();
    let mut links: Vec<(&str, i64, FileStamp)> =
        batch.known.iter().map(|(path, file, stamp)| (path.as_str(), file.0, *stamp)).collect();
    // The segment is written before its versions, because a version names the first of its units in the segment.
    if !batch.versions.is_empty() {
        let units = batch.versions.iter().map(|version| i64::from(version.units)).sum();
        let segment = segments::insert_segment(transaction, project, units, &batch.lengths, &batch.postings).await?;
        let files = insert_versions(transaction, project, &segment, batch).await?;
        links.extend(batch.versions.iter().zip(files).map(|(version, file)| (&*version.path, file, version.stamp)));
    }
    // The statement that links may change a row only once, so of several links for one path the last one stays.
    let links: BTreeMap<&str, (i64, FileStamp)> =
        links.iter().map(|(path, file, stamp)| (*path, (*file, *stamp))).collect();
    // The changes are noted before the links move: they record which version each path led to until now.
    note_changes(transaction, worktree, batch, &links).await?;
    let removed: Vec<Vec<u8>> = batch.removed.iter().map(|path| path_key(path)).collect();
    let sql = "DELETE FROM epitome.worktree_files WHERE project_id = $1 AND worktree = $2 AND path_key = ANY($3)";
    transaction.execute(sql, &[&project, &worktree.number, &removed]).await?;
    link_versions(transaction, worktree, &links).await
}

/// Writes the versions that the project does not have yet, and gives the number of each, in order.
async fn insert_versions(
    transaction: &TenantTransaction<'_>,
    project: &str,
    segment: &PostgresSegment,
    batch: &FileBatch,
) -> Result<Vec<i64>, PostgresFailure> {
    let key = |version: &FileVersion| version_key(&version.path, version.hash, version.made);
    let keys: Vec<Vec<u8>> = batch.versions.iter().map(key).collect();
    // Another process may have written some of the versions since the caller looked for them.
    let sql = "SELECT version_key, number FROM epitome.files WHERE project_id = $1 AND version_key = ANY($2)";
    let mut numbers = numbers_by_key(&transaction.query_all(sql, &[&project, &keys]).await?)?;
    let mut fresh = Vec::new();
    let mut seen = HashSet::new();
    let mut unit = segment.first_unit;
    for (version, key) in batch.versions.iter().zip(&keys) {
        // The batch may name one version twice, and the key is unique.
        if !numbers.contains_key(key) && seen.insert(key) {
            fresh.push((key, version, unit));
        }
        // The units of a version that is known already stay in the segment as a gap: the postings were numbered before.
        unit += i64::from(version.units);
    }
    for rows in fresh.chunks(ROWS) {
        let inserted = insert_files(transaction, project, segment.number, rows).await?;
        insert_records(transaction, project, rows, &inserted).await?;
        numbers.extend(inserted);
    }
    // Every key is there now: it was found, or it was fresh and inserted.
    Ok(keys.iter().map(|key| numbers[key]).collect())
}

async fn insert_files(
    transaction: &TenantTransaction<'_>,
    project: &str,
    segment: i64,
    rows: &[(&Vec<u8>, &FileVersion, i64)],
) -> Result<HashMap<Vec<u8>, i64>, PostgresFailure> {
    let column =
        |value: fn(&FileVersion) -> i64| rows.iter().map(|(_, version, _)| value(version)).collect::<Vec<i64>>();
    let keys: Vec<&[u8]> = rows.iter().map(|(key, ..)| key.as_slice()).collect();
    let paths: Vec<_> = rows.iter().map(|(_, version, _)| encode_text(&version.path)).collect();
    let hashes: Vec<_> = rows.iter().map(|(_, version, _)| version.hash.as_bytes().as_slice()).collect();
    let languages: Vec<_> = rows.iter().map(|(_, version, _)| version.language.as_deref().map(encode_text)).collect();
    let problems: Vec<Option<String>> = rows
        .iter()
        .map(|(_, version, _)| join_problems(&version.problems).map(|text| encode_text(&text).into_owned()))
        .collect();
    let first_units: Vec<i64> = rows.iter().map(|(.., first_unit)| *first_unit).collect();
    let made = column(|version| version.made.0);
    let lines = column(|version| i64::from(version.lines));
    let units = column(|version| i64::from(version.units));
    let symbols = column(|version| i64::from(version.symbols));
    // One array for each column makes one statement of the whole batch; a statement per row would wait for the server
    // as often as there are files.
    let sql = "INSERT INTO epitome.files (project_id, segment, version_key, path, hash, made, language, line_count,
                 first_unit, unit_count, symbol_count, problems)
               SELECT $1, $2, added.* FROM unnest($3::bytea[], $4::text[], $5::bytea[], $6::bigint[], $7::text[],
                 $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[]) AS added
               RETURNING version_key, number";
    let inserted = transaction
        .query_all(
            sql,
            &[
                &project,
                &segment,
                &keys,
                &paths,
                &hashes,
                &made,
                &languages,
                &lines,
                &first_units,
                &units,
                &symbols,
                &problems,
            ],
        )
        .await?;
    numbers_by_key(&inserted)
}

async fn insert_records(
    transaction: &TenantTransaction<'_>,
    project: &str,
    rows: &[(&Vec<u8>, &FileVersion, i64)],
    numbers: &HashMap<Vec<u8>, i64>,
) -> Result<(), PostgresFailure> {
    let files: Vec<i64> = rows.iter().map(|(key, ..)| numbers[*key]).collect();
    let symbols: Vec<&[u8]> = rows.iter().map(|(_, version, _)| version.records.symbols.as_slice()).collect();
    let uses: Vec<&[u8]> = rows.iter().map(|(_, version, _)| version.records.uses.as_slice()).collect();
    let texts: Vec<&[u8]> = rows.iter().map(|(_, version, _)| version.records.texts.as_slice()).collect();
    let vectors: Vec<&[u8]> = rows.iter().map(|(_, version, _)| version.records.vectors.as_slice()).collect();
    let documents: Vec<&[u8]> = rows.iter().map(|(_, version, _)| version.records.document.as_slice()).collect();
    let sql = "INSERT INTO epitome.facts (project_id, file, symbols, uses, texts, vectors, document) SELECT $1, added.*
               FROM unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[]) AS added";
    transaction.execute(sql, &[&project, &files, &symbols, &uses, &texts, &vectors, &documents]).await?;
    Ok(())
}

/// Notes which paths will lead elsewhere, for the next run that resolves edges, and counts the worktree's version up.
async fn note_changes(
    transaction: &TenantTransaction<'_>,
    worktree: &WorktreeId,
    batch: &FileBatch,
    links: &BTreeMap<&str, (i64, FileStamp)>,
) -> Result<(), PostgresFailure> {
    let project = worktree.project.as_str();
    let touched: BTreeMap<Vec<u8>, &str> = batch
        .removed
        .iter()
        .map(String::as_str)
        .chain(links.keys().copied())
        .map(|path| (path_key(path), path))
        .collect();
    let keys: Vec<&[u8]> = touched.keys().map(Vec::as_slice).collect();
    let sql = "SELECT path_key, file FROM epitome.worktree_files
               WHERE project_id = $1 AND worktree = $2 AND path_key = ANY($3)";
    let before = numbers_by_key(&transaction.query_all(sql, &[&project, &worktree.number, &keys]).await?)?;
    let changed: Vec<(&Vec<u8>, &str)> = touched
        .iter()
        // A path that keeps its version needs no note. Touching a file without a change must not make its edges anew.
        .filter(|(key, path)| before.get(*key).copied() != links.get(*path).map(|(file, _)| *file))
        .map(|(key, path)| (key, *path))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    // The first note counts, because it names the version that the edges were made from. A worktree without edges needs
    // no note: the next run makes all of them.
    let sql = "INSERT INTO epitome.changes (project_id, worktree, path_key, path, before)
               SELECT $1, $2, added.* FROM unnest($3::bytea[], $4::text[], $5::bigint[]) AS added
               WHERE EXISTS (SELECT FROM epitome.worktrees t WHERE t.number = $2 AND t.resolved IS NOT NULL)
               ON CONFLICT (worktree, path_key, project_id, tenant_id) DO NOTHING";
    for rows in changed.chunks(ROWS) {
        let keys: Vec<&[u8]> = rows.iter().map(|(key, _)| key.as_slice()).collect();
        let paths: Vec<_> = rows.iter().map(|(_, path)| encode_text(path)).collect();
        let files: Vec<Option<i64>> = rows.iter().map(|(key, _)| before.get(*key).copied()).collect();
        transaction.execute(sql, &[&project, &worktree.number, &keys, &paths, &files]).await?;
    }
    // Readers compare this number with the one of their view, so it moves only when a path really leads elsewhere.
    let sql = "UPDATE epitome.worktrees SET version = version + 1 WHERE project_id = $1 AND number = $2";
    transaction.execute(sql, &[&project, &worktree.number]).await?;
    Ok(())
}

/// Puts versions into the worktree.
async fn link_versions(
    transaction: &TenantTransaction<'_>,
    worktree: &WorktreeId,
    links: &BTreeMap<&str, (i64, FileStamp)>,
) -> Result<(), PostgresFailure> {
    let project = worktree.project.as_str();
    let rows: Vec<_> = links.iter().collect();
    let sql = "INSERT INTO epitome.worktree_files AS w (project_id, worktree, path, path_key, file, bytes, modified)
               SELECT $1, $2, added.* FROM unnest($3::text[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[])
                 AS added
               ON CONFLICT (worktree, path_key, project_id, tenant_id) DO UPDATE
                 SET file = excluded.file, bytes = excluded.bytes, modified = excluded.modified";
    for rows in rows.chunks(ROWS) {
        let paths: Vec<_> = rows.iter().map(|(path, _)| encode_text(path)).collect();
        let keys: Vec<_> = rows.iter().map(|(path, _)| path_key(path)).collect();
        let files: Vec<i64> = rows.iter().map(|(_, (file, _))| *file).collect();
        let bytes: Vec<i64> = rows.iter().map(|(_, (_, stamp))| stamp.bytes as i64).collect();
        let modified: Vec<i64> = rows.iter().map(|(_, (_, stamp))| stamp.modified).collect();
        // There are no foreign keys here (checking each row would double the time of an index run), so the store checks
        // itself.
        need_files(transaction, project, &files).await?;
        transaction.execute(sql, &[&project, &worktree.number, &paths, &keys, &files, &bytes, &modified]).await?;
    }
    Ok(())
}

/// Refuses versions that are not there: another worktree's run may have dropped them since the caller asked.
async fn need_files(transaction: &TenantTransaction<'_>, project: &str, files: &[i64]) -> Result<(), PostgresFailure> {
    let sql = "SELECT number FROM unnest($2::bigint[]) AS asked (number)
               WHERE NOT EXISTS (SELECT FROM epitome.files f WHERE f.project_id = $1 AND f.number = asked.number)
               ORDER BY number LIMIT 1";
    match transaction.query_optional(sql, &[&project, &files]).await? {
        Some(row) => Err(PostgresFailure::Missing { what: "file version", id: row.try_get::<_, i64>(0)?.to_string() }),
        None => Ok(()),
    }
}

fn numbers_by_key(rows: &[tokio_postgres::Row]) -> Result<HashMap<Vec<u8>, i64>, PostgresFailure> {
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
