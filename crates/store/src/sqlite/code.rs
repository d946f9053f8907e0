//! Code facts in one index database per project.

use super::SqliteStore;
use super::database::Failure;
use crate::rows::{hash_of, kind_of};
use crate::{
    CodeStore, CodeTotals, Error, FileBatch, FileId, FileStamp, FileVersion, IndexState, Postings, Result, Segment,
    StoredUnit, TreeFile, UnitId, WorktreeId,
};
use async_trait::async_trait;
use model::{ByteSpan, ContentHash, LineRange, ProjectId, Symbol, SymbolId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

#[async_trait]
impl CodeStore for SqliteStore {
    async fn open_worktree(&self, project: &ProjectId, root: &str) -> Result<(WorktreeId, IndexState)> {
        let (index, root) = (self.index(project)?, root.to_owned());
        let wanted = root.clone();
        let find = "SELECT number, finished_at FROM worktrees WHERE root = ?1";
        let row = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?));
        let found = index.read(move |db| Ok(db.query_row(find, [&wanted], row).optional()?)).await?;
        let (number, finished) = match found {
            Some(found) => found,
            None => {
                index
                    .write(move |db| {
                        db.execute("INSERT INTO worktrees (root) VALUES (?1) ON CONFLICT DO NOTHING", [&root])?;
                        Ok(db.query_row(find, [&root], row)?)
                    })
                    .await?
            }
        };
        let state = finished.map_or(IndexState::NotReady, |at| IndexState::Ready(Timestamp(at)));
        Ok((WorktreeId { project: project.clone(), number }, state))
    }

    async fn worktree_files(&self, worktree: &WorktreeId) -> Result<Vec<TreeFile>> {
        let number = worktree.number;
        self.index(&worktree.project)?
            .read(move |db| {
                let mut statement = db.prepare_cached(
                    "SELECT w.path, f.hash, w.bytes, w.modified, f.number, f.language, f.line_count, f.first_unit,
                       f.unit_count
                     FROM worktree_files w JOIN files f ON f.number = w.file WHERE w.worktree = ?1 ORDER BY w.path",
                )?;
                let rows = statement.query_map([number], |row| Ok(tree_file(row)))?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn known_versions(
        &self,
        worktree: &WorktreeId,
        wanted: &[(String, ContentHash)],
    ) -> Result<Vec<Option<FileId>>> {
        let wanted = wanted.to_vec();
        self.index(&worktree.project)?
            .read(move |db| {
                let mut statement = db.prepare_cached("SELECT number FROM files WHERE path = ?1 AND hash = ?2")?;
                wanted
                    .iter()
                    .map(|(path, hash)| {
                        let found = statement.query_row(params![path, hash.as_bytes()], |row| row.get(0));
                        Ok(found.optional()?.map(FileId))
                    })
                    .collect()
            })
            .await
    }

    async fn write_files(&self, worktree: &WorktreeId, batch: FileBatch) -> Result<()> {
        let number = worktree.number;
        self.index(&worktree.project)?.write(move |db| write_batch(db, number, &batch)).await
    }

    async fn finish_index(&self, worktree: &WorktreeId, now: Timestamp) -> Result<()> {
        let number = worktree.number;
        self.index(&worktree.project)?
            .write(move |db| {
                need_worktree(db, number)?;
                db.execute("DELETE FROM files WHERE number NOT IN (SELECT file FROM worktree_files)", [])?;
                let unused = db.execute("DELETE FROM segments WHERE number NOT IN (SELECT segment FROM files)", [])?;
                if unused > 0 {
                    db.execute("DELETE FROM postings WHERE segment NOT IN (SELECT number FROM segments)", [])?;
                }
                db.execute("UPDATE worktrees SET finished_at = ?2 WHERE number = ?1", params![number, now.0])?;
                Ok(())
            })
            .await
    }

    async fn drop_index(&self, project: &ProjectId) -> Result<()> {
        let emptied = self
            .index(project)?
            .write(|db| {
                for table in ["worktree_files", "worktrees", "units", "symbols", "files", "postings", "segments"] {
                    db.execute(&format!("DELETE FROM {table}"), [])?;
                }
                Ok(())
            })
            .await;
        match emptied {
            Err(Error::Corrupt { .. }) => self.discard_index(project),
            emptied => emptied,
        }
    }

    async fn segments(&self, worktree: &WorktreeId) -> Result<Vec<Segment>> {
        self.index(&worktree.project)?
            .read(|db| {
                let sql = "SELECT number, first_unit, unit_count, lengths FROM segments ORDER BY first_unit, number";
                let mut statement = db.prepare_cached(sql)?;
                let rows = statement.query_map([], |row| {
                    Ok(Segment {
                        number: row.get(0)?,
                        first_unit: UnitId(row.get(1)?),
                        units: row.get(2)?,
                        lengths: row.get(3)?,
                    })
                })?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn postings(&self, worktree: &WorktreeId, terms: &[String]) -> Result<Vec<Postings>> {
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        terms.dedup();
        self.index(&worktree.project)?
            .read(move |db| {
                let sql = "SELECT segment, bytes FROM postings WHERE term = ?1 ORDER BY segment";
                let mut statement = db.prepare_cached(sql)?;
                let mut found = Vec::new();
                for term in terms {
                    let rows = statement.query_map([&term], |row| {
                        Ok(Postings { segment: row.get(0)?, term: term.clone(), bytes: row.get(1)? })
                    })?;
                    for row in rows {
                        found.push(row?);
                    }
                }
                Ok(found)
            })
            .await
    }

    async fn units(&self, worktree: &WorktreeId, units: &[UnitId]) -> Result<Vec<StoredUnit>> {
        let units = units.to_vec();
        self.index(&worktree.project)?
            .read(move |db| {
                let mut statement = db.prepare_cached(
                    "SELECT u.number, f.path, u.start_line, u.end_line, s.chain, s.kind
                     FROM units u JOIN files f ON f.number = u.file
                     LEFT JOIN symbols s ON s.file = u.file AND s.ordinal = u.symbol WHERE u.number = ?1",
                )?;
                let mut found = Vec::new();
                for unit in units {
                    let row = statement.query_row([unit.0], |row| Ok(stored_unit(row))).optional()?;
                    found.extend(row.transpose()?);
                }
                Ok(found)
            })
            .await
    }

    async fn file_symbols(&self, worktree: &WorktreeId, path: &str) -> Result<Vec<Symbol>> {
        let (number, path) = (worktree.number, path.to_owned());
        self.index(&worktree.project)?
            .read(move |db| {
                let mut statement = db.prepare_cached(
                    "SELECT s.chain, s.name, s.kind, s.container, s.start_byte, s.end_byte, s.start_line, s.end_line,
                       s.name_line, s.signature, s.doc
                     FROM worktree_files w JOIN symbols s ON s.file = w.file
                     WHERE w.worktree = ?1 AND w.path = ?2 ORDER BY s.ordinal",
                )?;
                let rows = statement.query_map(params![number, path], |row| Ok(symbol_row(row, &path)))?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn code_totals(&self, worktree: &WorktreeId) -> Result<CodeTotals> {
        let number = worktree.number;
        self.index(&worktree.project)?
            .read(move |db| {
                let sql = "SELECT count(*), coalesce(sum(f.symbol_count), 0), coalesce(sum(f.edge_count), 0),
                             coalesce(sum(f.unit_count), 0)
                           FROM worktree_files w JOIN files f ON f.number = w.file WHERE w.worktree = ?1";
                Ok(db.query_row(sql, [number], |row| {
                    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)? as u64);
                    Ok(CodeTotals { files: count(0)?, symbols: count(1)?, edges: count(2)?, units: count(3)? })
                })?)
            })
            .await
    }
}

fn need_worktree(db: &Connection, number: i64) -> Result<(), Failure> {
    let found = db.prepare_cached("SELECT 1 FROM worktrees WHERE number = ?1")?.exists([number])?;
    if found { Ok(()) } else { Err(Failure::Missing { what: "worktree", id: number.to_string() }) }
}

fn write_batch(db: &Connection, worktree: i64, batch: &FileBatch) -> Result<(), Failure> {
    need_worktree(db, worktree)?;
    let mut remove = db.prepare_cached("DELETE FROM worktree_files WHERE worktree = ?1 AND path = ?2")?;
    for path in &batch.removed {
        remove.execute(params![worktree, path])?;
    }
    for (path, file, stamp) in &batch.known {
        link(db, worktree, path, file.0, *stamp)?;
    }
    if batch.versions.is_empty() {
        return Ok(());
    }
    let unit_count: usize = batch.versions.iter().map(|version| version.units.len()).sum();
    let first_unit: u32 =
        db.query_row("SELECT coalesce(max(first_unit + unit_count), 0) FROM segments", [], |row| row.get(0))?;
    db.prepare_cached("INSERT INTO segments (first_unit, unit_count, lengths) VALUES (?1, ?2, ?3)")?
        .execute(params![first_unit, unit_count as i64, batch.lengths])?;
    let segment = db.last_insert_rowid();
    let mut insert = db.prepare_cached("INSERT INTO postings (term, segment, bytes) VALUES (?1, ?2, ?3)")?;
    for posting in &batch.postings {
        insert.execute(params![posting.term, segment, posting.bytes])?;
    }
    let mut unit = first_unit;
    let mut find = db.prepare_cached("SELECT number FROM files WHERE path = ?1 AND hash = ?2")?;
    for version in &batch.versions {
        // Somebody else may have written it since the caller asked.
        let known = find.query_row(params![version.path, version.hash.as_bytes()], |row| row.get(0)).optional()?;
        let file = known.map_or_else(|| insert_version(db, segment, unit, version), Ok)?;
        link(db, worktree, &version.path, file, version.stamp)?;
        unit += version.units.len() as u32;
    }
    Ok(())
}

fn link(db: &Connection, worktree: i64, path: &str, file: i64, stamp: FileStamp) -> Result<(), Failure> {
    let linked = db
        .prepare_cached(
            "INSERT INTO worktree_files (worktree, path, file, bytes, modified)
             SELECT ?1, ?2, number, ?4, ?5 FROM files WHERE number = ?3
             ON CONFLICT (worktree, path) DO UPDATE SET file = ?3, bytes = ?4, modified = ?5",
        )?
        .execute(params![worktree, path, file, stamp.bytes as i64, stamp.modified])?;
    if linked == 1 { Ok(()) } else { Err(Failure::Missing { what: "file version", id: file.to_string() }) }
}

fn insert_version(db: &Connection, segment: i64, first_unit: u32, version: &FileVersion) -> Result<i64, Failure> {
    let edges = version.symbols.iter().filter(|symbol| symbol.container.is_some()).count();
    db.prepare_cached(
        "INSERT INTO files (path, hash, language, line_count, segment, first_unit, unit_count, symbol_count, edge_count)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        version.path,
        version.hash.as_bytes(),
        version.language,
        version.lines,
        segment,
        first_unit,
        version.units.len() as i64,
        version.symbols.len() as i64,
        edges as i64,
    ])?;
    let file = db.last_insert_rowid();
    let mut insert = db.prepare_cached(
        "INSERT INTO symbols (file, ordinal, chain, name, kind, container, start_byte, end_byte, start_line, end_line,
           name_line, signature, doc) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    for (ordinal, symbol) in version.symbols.iter().enumerate() {
        insert.execute(params![
            file,
            ordinal as i64,
            symbol.id.chain(),
            symbol.name,
            symbol.kind.as_str(),
            symbol.container.as_ref().map(SymbolId::chain),
            symbol.span.start,
            symbol.span.end,
            symbol.lines.start,
            symbol.lines.end,
            symbol.name_line,
            symbol.signature,
            symbol.doc,
        ])?;
    }
    let mut insert = db
        .prepare_cached("INSERT INTO units (number, file, start_line, end_line, symbol) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (number, unit) in (first_unit..).zip(&version.units) {
        insert.execute(params![number, file, unit.lines.start, unit.lines.end, unit.symbol])?;
    }
    Ok(file)
}

fn tree_file(row: &Row<'_>) -> Result<TreeFile, Failure> {
    let path: String = row.get(0)?;
    Ok(TreeFile {
        hash: hash_of(&row.get::<_, Vec<u8>>(1)?)?,
        stamp: FileStamp { bytes: row.get::<_, i64>(2)? as u64, modified: row.get(3)? },
        file: FileId(row.get(4)?),
        language: row.get(5)?,
        lines: row.get(6)?,
        first_unit: UnitId(row.get(7)?),
        units: row.get(8)?,
        path,
    })
}

fn stored_unit(row: &Row<'_>) -> Result<StoredUnit, Failure> {
    let path: String = row.get(1)?;
    let symbol: Option<(String, String)> = row.get::<_, Option<String>>(4)?.zip(row.get(5)?);
    Ok(StoredUnit {
        unit: UnitId(row.get(0)?),
        lines: LineRange { start: row.get(2)?, end: row.get(3)? },
        symbol: match symbol {
            Some((chain, kind)) => Some((SymbolId::new(&path, &chain), kind_of(&kind)?)),
            None => None,
        },
        path,
    })
}

fn symbol_row(row: &Row<'_>, path: &str) -> Result<Symbol, Failure> {
    Ok(Symbol {
        id: SymbolId::new(path, &row.get::<_, String>(0)?),
        name: row.get(1)?,
        kind: kind_of(&row.get::<_, String>(2)?)?,
        container: row.get::<_, Option<String>>(3)?.map(|chain| SymbolId::new(path, &chain)),
        span: ByteSpan { start: row.get(4)?, end: row.get(5)? },
        lines: LineRange { start: row.get(6)?, end: row.get(7)? },
        name_line: row.get(8)?,
        signature: row.get(9)?,
        doc: row.get(10)?,
    })
}
