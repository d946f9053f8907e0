//! Code facts in the derived tables.
//!
//! Right after an index run the server has no statistics of what was written, and nobody but the owner may have it make
//! some. So what is looked up one by one is written one by one: `LATERAL (… OFFSET 0)` is a subquery that the planner
//! runs for each row of what stands before it, and cannot turn into a walk over a whole table.
//!
//! Lists that the port promises in an order of text are sorted here, not by the server: both stores then order by
//! bytes, whatever the escapes of [`super::text`] look like.

use super::PostgresStore;
use super::database::{Access, Parameters, Transaction};
use super::failure::Failure;
use super::rows::{maybe_text, text};
use super::text::encode;
use crate::rows::{hash_of, kind_of};
use crate::{
    CodeStore, CodeTotals, FileBatch, FileId, FileStamp, IndexState, Postings, Result, Segment, StoredUnit, TreeFile,
    UnitId, WorktreeId,
};
use async_trait::async_trait;
use model::{ByteSpan, ContentHash, Digest, LineRange, ProjectId, Symbol, SymbolId, Timestamp};
use std::collections::{BTreeSet, HashMap};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

#[async_trait]
impl CodeStore for PostgresStore {
    async fn open_worktree(&self, project: &ProjectId, root: &str) -> Result<(WorktreeId, IndexState)> {
        let find = "SELECT number, finished_at FROM epitome.worktrees WHERE project_id = $1 AND root_key = $2";
        let make = "INSERT INTO epitome.worktrees (project_id, root, root_key) VALUES ($1, $2, $3)
                    ON CONFLICT (root_key, project_id, tenant_id) DO NOTHING";
        let (id, key, root) = (project.as_str(), key_of("root", &[root.as_bytes()]), encode(root));
        let (number, finished) = self
            .database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Derived).await?;
                let row = if let Some(row) = transaction.maybe(find, &[&id, &key]).await? {
                    row
                } else {
                    transaction.execute(make, &[&id, &root, &key]).await?;
                    transaction.one(find, &[&id, &key]).await?
                };
                transaction.commit().await?;
                Ok((row.try_get(0)?, row.try_get::<_, Option<i64>>(1)?))
            })
            .await?;
        let state = finished.map_or(IndexState::NotReady, |at| IndexState::Ready(Timestamp(at)));
        Ok((WorktreeId { project: project.clone(), number }, state))
    }

    async fn worktree_files(&self, worktree: &WorktreeId) -> Result<Vec<TreeFile>> {
        let sql = "SELECT w.path, f.hash, w.bytes, w.modified, f.number, f.language, f.line_count, f.first_unit,
                     f.unit_count
                   FROM epitome.worktree_files w JOIN epitome.files f ON f.number = w.file
                   WHERE w.project_id = $1 AND w.worktree = $2";
        let parameters: [&(dyn ToSql + Sync); 2] = [&worktree.project.as_str(), &worktree.number];
        let mut files = self.read(sql, &parameters, tree_file).await?;
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    async fn known_versions(
        &self,
        worktree: &WorktreeId,
        wanted: &[(String, ContentHash)],
    ) -> Result<Vec<Option<FileId>>> {
        let sql = "SELECT version_key, number FROM epitome.files WHERE project_id = $1 AND version_key = ANY($2)";
        let keys: Vec<Vec<u8>> = wanted.iter().map(|(path, hash)| version_key(path, *hash)).collect();
        let row = |row: &Row| Ok((row.try_get::<_, Vec<u8>>(0)?, FileId(row.try_get(1)?)));
        let found: HashMap<_, _> =
            self.read(sql, &[&worktree.project.as_str(), &keys], row).await?.into_iter().collect();
        Ok(keys.iter().map(|key| found.get(key).copied()).collect())
    }

    async fn write_files(&self, worktree: &WorktreeId, batch: FileBatch) -> Result<()> {
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Derived).await?;
                self.lock_worktree(&transaction, worktree).await?;
                super::batch::write(&transaction, worktree, &batch).await?;
                transaction.commit().await
            })
            .await
    }

    async fn finish_index(&self, worktree: &WorktreeId, now: Timestamp) -> Result<()> {
        let project = worktree.project.as_str();
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Derived).await?;
                self.lock_worktree(&transaction, worktree).await?;
                drop_unused(&transaction, project).await?;
                let sql = "UPDATE epitome.worktrees SET finished_at = $3 WHERE project_id = $1 AND number = $2";
                transaction.execute(sql, &[&project, &worktree.number, &now.0]).await?;
                transaction.commit().await
            })
            .await
    }

    async fn drop_index(&self, project: &ProjectId) -> Result<()> {
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Derived).await?;
                self.lock(&transaction, "project", project.as_str()).await?;
                let worktrees = "SELECT number FROM epitome.worktrees WHERE project_id = $1";
                for table in ["worktree_files WHERE worktree", "worktrees WHERE number"] {
                    let sql = format!("DELETE FROM epitome.{table} IN ({worktrees})");
                    transaction.execute(&sql, &[&project.as_str()]).await?;
                }
                drop_unused(&transaction, project.as_str()).await?;
                transaction.commit().await
            })
            .await
    }

    async fn segments(&self, worktree: &WorktreeId) -> Result<Vec<Segment>> {
        let sql = "SELECT number, first_unit, unit_count, lengths FROM epitome.segments WHERE project_id = $1
                   ORDER BY first_unit, number";
        let row = |row: &Row| {
            Ok(Segment {
                number: row.try_get(0)?,
                first_unit: UnitId(small(row, 1)?),
                units: small(row, 2)?,
                lengths: row.try_get(3)?,
            })
        };
        self.read(sql, &[&worktree.project.as_str()], row).await
    }

    async fn postings(&self, worktree: &WorktreeId, terms: &[String]) -> Result<Vec<Postings>> {
        let sql = "SELECT s.number, asked.term, found.bytes
                   FROM epitome.segments s CROSS JOIN unnest($2::text[]) AS asked (term) CROSS JOIN LATERAL
                     (SELECT p.bytes FROM epitome.postings p
                      WHERE p.segment = s.number AND p.term = asked.term OFFSET 0) AS found
                   WHERE s.project_id = $1";
        let terms: BTreeSet<_> = terms.iter().map(|term| encode(term)).collect();
        let terms: Vec<_> = terms.into_iter().collect();
        let row = |row: &Row| Ok(Postings { segment: row.try_get(0)?, term: text(row, 1)?, bytes: row.try_get(2)? });
        let mut postings = self.read(sql, &[&worktree.project.as_str(), &terms], row).await?;
        postings.sort_unstable_by(|a, b| (&a.term, a.segment).cmp(&(&b.term, b.segment)));
        Ok(postings)
    }

    async fn units(&self, worktree: &WorktreeId, units: &[UnitId]) -> Result<Vec<StoredUnit>> {
        let sql = "SELECT found.* FROM unnest($2::bigint[]) AS asked (number) CROSS JOIN LATERAL
                     (SELECT u.number, f.path, u.start_line, u.end_line, s.chain, s.kind
                      FROM epitome.units u JOIN epitome.files f ON f.number = u.file
                      LEFT JOIN epitome.symbols s ON s.file = u.file AND s.ordinal = u.symbol
                      WHERE u.project_id = $1 AND u.number = asked.number OFFSET 0) AS found";
        let numbers: Vec<i64> = units.iter().map(|unit| i64::from(unit.0)).collect();
        let found = self.read(sql, &[&worktree.project.as_str(), &numbers], stored_unit).await?;
        let found: HashMap<_, _> = found.into_iter().map(|unit| (unit.unit, unit)).collect();
        Ok(units.iter().filter_map(|unit| found.get(unit).cloned()).collect())
    }

    async fn file_symbols(&self, worktree: &WorktreeId, path: &str) -> Result<Vec<Symbol>> {
        let sql = "SELECT s.chain, s.name, s.kind, s.container, s.start_byte, s.end_byte, s.start_line, s.end_line,
                     s.name_line, s.signature, s.doc
                   FROM epitome.worktree_files w JOIN epitome.symbols s ON s.file = w.file
                   WHERE w.project_id = $1 AND w.worktree = $2 AND w.path_key = $3 ORDER BY s.ordinal";
        let parameters: [&(dyn ToSql + Sync); 3] = [&worktree.project.as_str(), &worktree.number, &path_key(path)];
        self.read(sql, &parameters, |row| symbol_row(row, path)).await
    }

    async fn code_totals(&self, worktree: &WorktreeId) -> Result<CodeTotals> {
        let sql = "SELECT count(*), coalesce(sum(f.symbol_count), 0)::bigint, coalesce(sum(f.edge_count), 0)::bigint,
                     coalesce(sum(f.unit_count), 0)::bigint
                   FROM epitome.worktree_files w JOIN epitome.files f ON f.number = w.file
                   WHERE w.project_id = $1 AND w.worktree = $2";
        let row = |row: &Row| {
            let count = |column| Ok::<_, Failure>(row.try_get::<_, i64>(column)? as u64);
            Ok(CodeTotals { files: count(0)?, symbols: count(1)?, edges: count(2)?, units: count(3)? })
        };
        let totals = self.read(sql, &[&worktree.project.as_str(), &worktree.number], row).await?;
        Ok(totals.into_iter().next().unwrap_or_default())
    }
}

impl PostgresStore {
    /// The rows of one query.
    async fn read<T>(
        &self,
        sql: &str,
        parameters: Parameters<'_>,
        row: impl Fn(&Row) -> Result<T, Failure>,
    ) -> Result<Vec<T>> {
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Read).await?;
                transaction.all(sql, parameters).await?.iter().map(&row).collect()
            })
            .await
    }

    /// Keeps other writers of the project out and refuses a worktree that is not there.
    async fn lock_worktree(&self, transaction: &Transaction<'_>, worktree: &WorktreeId) -> Result<(), Failure> {
        self.lock(transaction, "project", worktree.project.as_str()).await?;
        let sql = "SELECT 1 FROM epitome.worktrees WHERE project_id = $1 AND number = $2";
        match transaction.maybe(sql, &[&worktree.project.as_str(), &worktree.number]).await? {
            Some(_) => Ok(()),
            None => Err(Failure::Missing { what: "worktree", id: worktree.number.to_string() }),
        }
    }
}

/// Deletes versions in no worktree and segments of no version, with all that belongs to them.
async fn drop_unused(transaction: &Transaction<'_>, project: &str) -> Result<(), Failure> {
    let files = "DELETE FROM epitome.files f USING epitome.segments s WHERE s.project_id = $1 AND f.segment = s.number
                   AND NOT EXISTS (SELECT FROM epitome.worktree_files w WHERE w.file = f.number) RETURNING f.number";
    let segments = "DELETE FROM epitome.segments s WHERE s.project_id = $1
                      AND NOT EXISTS (SELECT FROM epitome.files f WHERE f.segment = s.number) RETURNING s.number";
    for (owners, rows) in
        [(files, &["symbols WHERE file", "units WHERE file"][..]), (segments, &["postings WHERE segment"])]
    {
        let gone = transaction.all(owners, &[&project]).await?;
        let gone = gone.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?;
        for row in rows {
            transaction.execute(&format!("DELETE FROM epitome.{row} = ANY($1)"), &[&gone]).await?;
        }
    }
    Ok(())
}

/// The key of a file version.
pub(super) fn version_key(path: &str, hash: ContentHash) -> Vec<u8> {
    key_of("version", &[path.as_bytes(), hash.as_bytes()])
}

/// The key of a path.
pub(super) fn path_key(path: &str) -> Vec<u8> {
    key_of("path", &[path.as_bytes()])
}

fn key_of(purpose: &str, fields: &[&[u8]]) -> Vec<u8> {
    fields.iter().fold(Digest::new(purpose), |digest, field| digest.field(field)).finish().as_bytes().to_vec()
}

fn tree_file(row: &Row) -> Result<TreeFile, Failure> {
    Ok(TreeFile {
        path: text(row, 0)?,
        hash: hash_of(row.try_get(1)?)?,
        stamp: FileStamp { bytes: row.try_get::<_, i64>(2)? as u64, modified: row.try_get(3)? },
        file: FileId(row.try_get(4)?),
        language: maybe_text(row, 5)?,
        lines: small(row, 6)?,
        first_unit: UnitId(small(row, 7)?),
        units: small(row, 8)?,
    })
}

fn stored_unit(row: &Row) -> Result<StoredUnit, Failure> {
    let path = text(row, 1)?;
    let symbol = match maybe_text(row, 4)? {
        Some(chain) => Some((SymbolId::new(&path, &chain), kind_of(row.try_get(5)?)?)),
        None => None,
    };
    Ok(StoredUnit {
        unit: UnitId(small(row, 0)?),
        lines: LineRange { start: small(row, 2)?, end: small(row, 3)? },
        symbol,
        path,
    })
}

fn symbol_row(row: &Row, path: &str) -> Result<Symbol, Failure> {
    Ok(Symbol {
        id: SymbolId::new(path, &text(row, 0)?),
        name: text(row, 1)?,
        kind: kind_of(row.try_get(2)?)?,
        container: maybe_text(row, 3)?.map(|chain| SymbolId::new(path, &chain)),
        span: ByteSpan { start: small(row, 4)?, end: small(row, 5)? },
        lines: LineRange { start: small(row, 6)?, end: small(row, 7)? },
        name_line: small(row, 8)?,
        signature: text(row, 9)?,
        doc: maybe_text(row, 10)?,
    })
}

/// A number that this store only ever writes within 32 bits.
fn small(row: &Row, column: usize) -> Result<u32, Failure> {
    let number: i64 = row.try_get(column)?;
    u32::try_from(number).map_err(|_| Failure::Damaged(format!("the number {number}")))
}
