//! Writing one batch of files: a few statements, however many rows, because every statement is a trip to the server.
//!
//! Rows travel as arrays, one for each column. (`COPY` would be the other way; it refuses row-level security.)

use super::code::{path_key, version_key};
use super::database::Transaction;
use super::failure::Failure;
use super::text::encode;
use crate::{FileBatch, FileStamp, FileVersion, Result, WorktreeId};
use std::collections::{HashMap, HashSet};

/// Rows in one statement: bounds what the server must hold at once.
const ROWS: usize = 10_000;

/// A version on its way in.
struct Numbered<'a> {
    version: &'a FileVersion,
    /// The store's number for it.
    file: i64,
    first_unit: i64,
}

/// Writes a batch; the caller holds the project's lock.
pub(super) async fn write(
    transaction: &Transaction<'_>,
    worktree: &WorktreeId,
    batch: &FileBatch,
) -> Result<(), Failure> {
    let project = worktree.project.as_str();
    let removed: Vec<Vec<u8>> = batch.removed.iter().map(|path| path_key(path)).collect();
    let sql = "DELETE FROM epitome.worktree_files WHERE project_id = $1 AND worktree = $2 AND path_key = ANY($3)";
    transaction.execute(sql, &[&project, &worktree.number, &removed]).await?;

    let mut links: Vec<(&str, i64, FileStamp)> =
        batch.known.iter().map(|(path, file, stamp)| (path.as_str(), file.0, *stamp)).collect();
    if !batch.versions.is_empty() {
        let segment = insert_segment(transaction, project, batch).await?;
        let files = insert_versions(transaction, project, segment, batch).await?;
        links.extend(batch.versions.iter().zip(files).map(|(version, file)| (&*version.path, file, version.stamp)));
    }
    link(transaction, worktree, &links).await
}

/// A new segment with its postings.
struct Inserted {
    number: i64,
    first_unit: i64,
}

async fn insert_segment(transaction: &Transaction<'_>, project: &str, batch: &FileBatch) -> Result<Inserted, Failure> {
    let units: usize = batch.versions.iter().map(|version| version.units.len()).sum();
    let sql = "INSERT INTO epitome.segments (project_id, first_unit, unit_count, lengths)
               SELECT $1, coalesce(max(first_unit + unit_count), 0), $2, $3 FROM epitome.segments WHERE project_id = $1
               RETURNING number, first_unit";
    let row = transaction.one(sql, &[&project, &(units as i64), &batch.lengths]).await?;
    let segment = Inserted { number: row.try_get(0)?, first_unit: row.try_get(1)? };
    let sql = "INSERT INTO epitome.postings (project_id, segment, term, bytes)
               SELECT $1, $2, term, bytes FROM unnest($3::text[], $4::bytea[]) AS added (term, bytes)";
    for rows in batch.postings.chunks(ROWS) {
        let terms: Vec<_> = rows.iter().map(|row| encode(&row.term)).collect();
        let bytes: Vec<_> = rows.iter().map(|row| row.bytes.as_slice()).collect();
        transaction.execute(sql, &[&project, &segment.number, &terms, &bytes]).await?;
    }
    Ok(segment)
}

/// Writes the versions that the project does not have yet, and gives the number of each, in order.
async fn insert_versions(
    transaction: &Transaction<'_>,
    project: &str,
    segment: Inserted,
    batch: &FileBatch,
) -> Result<Vec<i64>, Failure> {
    let keys: Vec<Vec<u8>> = batch.versions.iter().map(|version| version_key(&version.path, version.hash)).collect();
    // Somebody else may have written some since the caller asked.
    let sql = "SELECT version_key, number FROM epitome.files WHERE project_id = $1 AND version_key = ANY($2)";
    let mut numbers = numbers_by_key(&transaction.all(sql, &[&project, &keys]).await?)?;
    let (mut fresh, mut seen) = (Vec::new(), HashSet::new());
    let mut unit = segment.first_unit;
    for (version, key) in batch.versions.iter().zip(&keys) {
        if !numbers.contains_key(key) && seen.insert(key) {
            fresh.push((key, (version, unit)));
        }
        unit += version.units.len() as i64;
    }
    for rows in fresh.chunks(ROWS) {
        numbers.extend(insert_files(transaction, project, segment.number, rows).await?);
    }
    let numbered: Vec<Numbered<'_>> = fresh
        .into_iter()
        .map(|(key, (version, first_unit))| Numbered { version, file: numbers[key], first_unit })
        .collect();
    insert_symbols(transaction, project, &numbered).await?;
    insert_units(transaction, project, &numbered).await?;
    Ok(keys.iter().map(|key| numbers[key]).collect())
}

async fn insert_files(
    transaction: &Transaction<'_>,
    project: &str,
    segment: i64,
    rows: &[(&Vec<u8>, (&FileVersion, i64))],
) -> Result<HashMap<Vec<u8>, i64>, Failure> {
    let column = |value: fn(&FileVersion) -> i64| rows.iter().map(|(_, (v, _))| value(v)).collect::<Vec<i64>>();
    let keys: Vec<&[u8]> = rows.iter().map(|(key, _)| key.as_slice()).collect();
    let paths: Vec<_> = rows.iter().map(|(_, (version, _))| encode(&version.path)).collect();
    let hashes: Vec<_> = rows.iter().map(|(_, (version, _))| version.hash.as_bytes().as_slice()).collect();
    let languages: Vec<_> = rows.iter().map(|(_, (version, _))| version.language.as_deref().map(encode)).collect();
    let first_units: Vec<i64> = rows.iter().map(|(_, (_, first_unit))| *first_unit).collect();
    let lines = column(|version| i64::from(version.lines));
    let units = column(|version| version.units.len() as i64);
    let symbols = column(|version| version.symbols.len() as i64);
    let edges = column(|version| version.symbols.iter().filter(|symbol| symbol.container.is_some()).count() as i64);
    let sql = "INSERT INTO epitome.files (project_id, segment, version_key, path, hash, language, line_count,
                 first_unit, unit_count, symbol_count, edge_count)
               SELECT $1, $2, added.* FROM unnest($3::bytea[], $4::text[], $5::bytea[], $6::text[], $7::bigint[],
                 $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[]) AS added RETURNING version_key, number";
    let inserted = transaction
        .all(
            sql,
            &[&project, &segment, &keys, &paths, &hashes, &languages, &lines, &first_units, &units, &symbols, &edges],
        )
        .await?;
    numbers_by_key(&inserted)
}

async fn insert_symbols(
    transaction: &Transaction<'_>,
    project: &str,
    versions: &[Numbered<'_>],
) -> Result<(), Failure> {
    let all: Vec<_> = versions
        .iter()
        .flat_map(|numbered| (0_i64..).zip(&numbered.version.symbols).map(|(at, symbol)| (numbered.file, at, symbol)))
        .collect();
    let sql = "INSERT INTO epitome.symbols (project_id, file, ordinal, chain, name, kind, container, start_byte,
                 end_byte, start_line, end_line, name_line, signature, doc)
               SELECT $1, added.* FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                 $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::text[])
                 AS added";
    for rows in all.chunks(ROWS) {
        let column = |value: fn(&model::Symbol) -> u32| rows.iter().map(|(.., s)| i64::from(value(s))).collect();
        let (starts, ends): (Vec<i64>, Vec<i64>) = (column(|s| s.span.start), column(|s| s.span.end));
        let (first_lines, last_lines): (Vec<i64>, Vec<i64>) = (column(|s| s.lines.start), column(|s| s.lines.end));
        let name_lines: Vec<i64> = column(|s| s.name_line);
        let files: Vec<i64> = rows.iter().map(|(file, ..)| *file).collect();
        let ordinals: Vec<i64> = rows.iter().map(|(_, ordinal, _)| *ordinal).collect();
        let chains: Vec<_> = rows.iter().map(|(.., symbol)| encode(symbol.id.chain())).collect();
        let names: Vec<_> = rows.iter().map(|(.., symbol)| encode(&symbol.name)).collect();
        let kinds: Vec<_> = rows.iter().map(|(.., symbol)| symbol.kind.as_str()).collect();
        let containers: Vec<_> =
            rows.iter().map(|(.., symbol)| symbol.container.as_ref().map(|id| encode(id.chain()))).collect();
        let signatures: Vec<_> = rows.iter().map(|(.., symbol)| encode(&symbol.signature)).collect();
        let docs: Vec<_> = rows.iter().map(|(.., symbol)| symbol.doc.as_deref().map(encode)).collect();
        transaction
            .execute(
                sql,
                &[
                    &project,
                    &files,
                    &ordinals,
                    &chains,
                    &names,
                    &kinds,
                    &containers,
                    &starts,
                    &ends,
                    &first_lines,
                    &last_lines,
                    &name_lines,
                    &signatures,
                    &docs,
                ],
            )
            .await?;
    }
    Ok(())
}

async fn insert_units(transaction: &Transaction<'_>, project: &str, versions: &[Numbered<'_>]) -> Result<(), Failure> {
    let all: Vec<_> = versions
        .iter()
        .flat_map(|v| (v.first_unit..).zip(&v.version.units).map(|(number, unit)| (v.file, number, unit)))
        .collect();
    let sql = "INSERT INTO epitome.units (project_id, number, file, start_line, end_line, symbol)
               SELECT $1, added.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS added";
    for rows in all.chunks(ROWS) {
        let numbers: Vec<i64> = rows.iter().map(|(_, number, _)| *number).collect();
        let files: Vec<i64> = rows.iter().map(|(file, ..)| *file).collect();
        let starts: Vec<i64> = rows.iter().map(|(.., unit)| i64::from(unit.lines.start)).collect();
        let ends: Vec<i64> = rows.iter().map(|(.., unit)| i64::from(unit.lines.end)).collect();
        let symbols: Vec<Option<i64>> = rows.iter().map(|(.., unit)| unit.symbol.map(i64::from)).collect();
        transaction.execute(sql, &[&project, &numbers, &files, &starts, &ends, &symbols]).await?;
    }
    Ok(())
}

/// Puts versions into the worktree; of several for one path the last one stays.
async fn link(
    transaction: &Transaction<'_>,
    worktree: &WorktreeId,
    links: &[(&str, i64, FileStamp)],
) -> Result<(), Failure> {
    let project = worktree.project.as_str();
    let last: HashMap<&str, (i64, FileStamp)> =
        links.iter().map(|(path, file, stamp)| (*path, (*file, *stamp))).collect();
    let rows: Vec<_> = last.into_iter().collect();
    let sql = "INSERT INTO epitome.worktree_files AS w (project_id, worktree, path, path_key, file, bytes, modified)
               SELECT $1, $2, added.* FROM unnest($3::text[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[])
                 AS added
               ON CONFLICT (worktree, path_key, project_id, tenant_id) DO UPDATE
                 SET file = excluded.file, bytes = excluded.bytes, modified = excluded.modified";
    for rows in rows.chunks(ROWS) {
        let paths: Vec<_> = rows.iter().map(|(path, _)| encode(path)).collect();
        let keys: Vec<_> = rows.iter().map(|(path, _)| path_key(path)).collect();
        let files: Vec<i64> = rows.iter().map(|(_, (file, _))| *file).collect();
        let bytes: Vec<i64> = rows.iter().map(|(_, (_, stamp))| stamp.bytes as i64).collect();
        let modified: Vec<i64> = rows.iter().map(|(_, (_, stamp))| stamp.modified).collect();
        need_files(transaction, project, &files).await?;
        transaction.execute(sql, &[&project, &worktree.number, &paths, &keys, &files, &bytes, &modified]).await?;
    }
    Ok(())
}

/// Refuses versions that are not there: another worktree's run may have dropped them since the caller asked.
async fn need_files(transaction: &Transaction<'_>, project: &str, files: &[i64]) -> Result<(), Failure> {
    let sql = "SELECT number FROM unnest($2::bigint[]) AS asked (number)
               WHERE NOT EXISTS (SELECT FROM epitome.files f WHERE f.project_id = $1 AND f.number = asked.number)
               ORDER BY number LIMIT 1";
    match transaction.maybe(sql, &[&project, &files]).await? {
        Some(row) => Err(Failure::Missing { what: "file version", id: row.try_get::<_, i64>(0)?.to_string() }),
        None => Ok(()),
    }
}

fn numbers_by_key(rows: &[tokio_postgres::Row]) -> Result<HashMap<Vec<u8>, i64>, Failure> {
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
