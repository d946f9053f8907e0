//! Implements `CodeStore` (the code index: file records, postings, edges) for `PostgresStore`, in the derived tables.
//!
//! Right after an index run the server has no statistics of what was written, and only the tables' owner may have it
//! make some. So what is looked up one by one is written one by one: `LATERAL (… OFFSET 0)` is a subquery that the
//! planner runs for each row of what stands before it, and cannot turn into a walk over a whole table.
//!
//! Lists that the trait promises in an order of text are sorted here, not by the server: both stores then order by
//! bytes, whatever the escapes of [`super::text`] look like.

mod batch;
mod resolution;
pub(super) mod segments;
mod vectors;

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use super::rows::{maybe_text, read_text};
use super::text::encode_text;
use crate::postgres::parameters::{SqlParameter, SqlParameters};
use crate::rows::{hash_of, project_id_of, split_problems};
use crate::{
    CodeStore, CodeTotals, EdgeBatch, EdgeOrigin, EncodedEdges, FileBatch, FileChange, FileId, FileRecord,
    FileRecordKind, FileStamp, Fingerprint, IndexState, ListedWorktree, Redirect, Result, Segment, SegmentFile,
    SegmentMerge, SegmentPostings, TreeFile, TreeVersion, UnitId, Worktree, WorktreeId, WorktreeRecords,
};
use async_trait::async_trait;
use model::{ContentHash, DigestBuilder, ProjectId, Timestamp};
use std::collections::{BTreeMap, HashMap};
use tokio_postgres::Row;

#[async_trait]
impl CodeStore for PostgresStore {
    async fn open_worktree(&self, project: &ProjectId, root: &str) -> Result<Worktree> {
        let find =
            "SELECT number, finished_at, version, resolved, resolved_with, identity, commit_id FROM epitome.worktrees
                    WHERE project_id = $1 AND root_key = $2";
        let make = "INSERT INTO epitome.worktrees (project_id, root, root_key) VALUES ($1, $2, $3)
                    ON CONFLICT (root_key, project_id, tenant_id) DO NOTHING";
        let id = project.as_str();
        let key = key_of("root", &[root.as_bytes()]);
        let root = encode_text(root);
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Derived).await?;
                // Looking first spares the common case a write: an INSERT that conflicts still draws a number from the
                // sequence.
                let row = if let Some(row) = transaction.query_optional(find, &[&id, &key]).await? {
                    row
                } else {
                    transaction.execute(make, &[&id, &root, &key]).await?;
                    transaction.query_one(find, &[&id, &key]).await?
                };
                transaction.commit().await?;
                worktree_row(&row, project)
            })
            .await
    }

    async fn list_worktrees(&self) -> Result<Vec<ListedWorktree>> {
        let sql = "SELECT root, number, finished_at, project_id, first_finished_at, commit_id FROM epitome.worktrees";
        let row = |row: &Row| {
            Ok(ListedWorktree {
                root: read_text(row, 0)?,
                id: WorktreeId { project: project_id_of(row.try_get(3)?)?, number: row.try_get(1)? },
                state: index_state(row.try_get(2)?),
                first_finished: row.try_get::<_, Option<i64>>(4)?.map(Timestamp),
                commit: row.try_get(5)?,
            })
        };
        let mut listed = self.query_rows(sql, &[], row).await?;
        // Sorted here, as other lists are, so that both stores give one order.
        listed.sort_unstable_by(|a, b| (&a.id.project, &a.root).cmp(&(&b.id.project, &b.root)));
        Ok(listed)
    }

    async fn worktree_files(&self, worktree: &WorktreeId) -> Result<Vec<TreeFile>> {
        let parameters: [&dyn SqlParameter; 2] = [&worktree.project.as_str(), &worktree.number];
        let mut files = self.query_rows(TREE_FILES, &parameters, tree_file).await?;
        // Sorted by bytes here and not by the server's collation, so that both stores give one order.
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    async fn known_versions(
        &self,
        worktree: &WorktreeId,
        wanted: &[(String, ContentHash, Fingerprint)],
    ) -> Result<Vec<Option<FileId>>> {
        let sql = "SELECT version_key, number FROM epitome.files WHERE project_id = $1 AND version_key = ANY($2)";
        let keys: Vec<Vec<u8>> = wanted.iter().map(|(path, hash, made)| version_key(path, *hash, *made)).collect();
        let row = |row: &Row| Ok((row.try_get::<_, Vec<u8>>(0)?, FileId(row.try_get(1)?)));
        let found: HashMap<_, _> =
            self.query_rows(sql, &[&worktree.project.as_str(), &keys], row).await?.into_iter().collect();
        Ok(keys.iter().map(|key| found.get(key).copied()).collect())
    }

    async fn files_at(&self, worktree: &WorktreeId, paths: &[String]) -> Result<Vec<Option<TreeFile>>> {
        let keys: Vec<Vec<u8>> = paths.iter().map(|path| path_key(path)).collect();
        let parameters: [&dyn SqlParameter; 3] = [&worktree.project.as_str(), &worktree.number, &keys];
        // The reply has to be in the order asked, so the rows are put back by path.
        let found = self.query_rows(&format!("{TREE_FILES} AND w.path_key = ANY($3)"), &parameters, tree_file).await?;
        let found: HashMap<&str, &TreeFile> = found.iter().map(|file| (file.path.as_str(), file)).collect();
        Ok(paths.iter().map(|path| found.get(path.as_str()).copied().cloned()).collect())
    }

    async fn files_within(&self, worktree: &WorktreeId, places: &[String]) -> Result<Vec<TreeFile>> {
        let places: Vec<_> = places.iter().map(|place| encode_text(place)).collect();
        let parameters: [&dyn SqlParameter; 3] = [&worktree.project.as_str(), &worktree.number, &places];
        // `starts_with` and not LIKE: a path may contain `%` or `_`.
        let sql = format!(
            "{TREE_FILES} AND EXISTS
               (SELECT 1 FROM unnest($3::text[]) AS place WHERE w.path = place OR starts_with(w.path, place || '/'))"
        );
        let mut files = self.query_rows(&sql, &parameters, tree_file).await?;
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    async fn file_problems(&self, worktree: &WorktreeId) -> Result<Vec<(String, Vec<String>)>> {
        let sql = "SELECT w.path, f.problems FROM epitome.files f JOIN epitome.worktree_files w ON w.file = f.number
                   WHERE f.project_id = $1 AND f.problems IS NOT NULL AND w.project_id = $1 AND w.worktree = $2";
        let row = |row: &Row| Ok((read_text(row, 0)?, split_problems(&read_text(row, 1)?)));
        let mut found = self.query_rows(sql, &[&worktree.project.as_str(), &worktree.number], row).await?;
        // By bytes, which the collation of the database may not do.
        found.sort_unstable();
        Ok(found)
    }

    async fn write_files(&self, worktree: &WorktreeId, batch: FileBatch) -> Result<()> {
        self.write_worktree(worktree, WorktreeChange::Files(batch)).await
    }

    async fn finish_index(&self, worktree: &WorktreeId, now: Timestamp) -> Result<()> {
        self.write_worktree(worktree, WorktreeChange::Finish(now)).await
    }

    async fn note_commit(&self, worktree: &WorktreeId, commit: Option<&str>) -> Result<()> {
        self.write_worktree(worktree, WorktreeChange::Commit(commit.map(str::to_owned))).await
    }

    async fn drop_index(&self, project: &ProjectId) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Derived).await?;
                // The lock keeps an index run of another process from adding versions between these statements.
                self.acquire_lock(&transaction, "project", project.as_str()).await?;
                let worktrees = "SELECT number FROM epitome.worktrees WHERE project_id = $1";
                // Rows without a foreign key first; the worktrees they name are needed to find them.
                for table in ["changes WHERE worktree", "edges WHERE worktree", "worktree_files WHERE worktree"] {
                    let sql = format!("DELETE FROM epitome.{table} IN ({worktrees})");
                    transaction.execute(&sql, &[&project.as_str()]).await?;
                }
                for table in ["worktrees", "redirects"] {
                    let sql = format!("DELETE FROM epitome.{table} WHERE project_id = $1");
                    transaction.execute(&sql, &[&project.as_str()]).await?;
                }
                drop_unused(&transaction, project.as_str()).await?;
                transaction.commit().await
            })
            .await
    }

    async fn load_records(
        &self,
        worktree: &WorktreeId,
        record: FileRecordKind,
        files: &[FileId],
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let sql = format!(
            // `OFFSET 0` keeps the planner from turning this into a scan of the whole table (see the head of this
            // file).
            "SELECT asked.file, found.bytes FROM unnest($2::bigint[]) AS asked (file) CROSS JOIN LATERAL
               (SELECT x.{} AS bytes FROM epitome.facts x
                WHERE x.file = asked.file AND x.project_id = $1 OFFSET 0) AS found",
            record_column(record)
        );
        let numbers: Vec<i64> = files.iter().map(|file| file.0).collect();
        let row = |row: &Row| Ok((FileId(row.try_get(0)?), row.try_get::<_, Vec<u8>>(1)?));
        let found = self.query_rows(&sql, &[&worktree.project.as_str(), &numbers], row).await?;
        let found: HashMap<FileId, Vec<u8>> = found.into_iter().collect();
        Ok(files.iter().map(|file| found.get(file).cloned()).collect())
    }

    async fn worktree_records(&self, worktree: &WorktreeId, record: FileRecordKind) -> Result<WorktreeRecords> {
        let version = "SELECT version FROM epitome.worktrees WHERE project_id = $1 AND number = $2";
        let sql = format!(
            "SELECT w.path, w.file, f.language, f.line_count, x.{}
             FROM epitome.worktree_files w JOIN epitome.files f ON f.number = w.file JOIN epitome.facts x ON x.file = w.file
             WHERE w.project_id = $1 AND w.worktree = $2",
            record_column(record)
        );
        let parameters: [&dyn SqlParameter; 2] = [&worktree.project.as_str(), &worktree.number];
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                // Version and rows come from one snapshot (repeatable read): a version that is newer than its rows
                // would make a stale view look fresh.
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let version = transaction.query_optional(version, &parameters).await?;
                let version = version.map_or(Ok(0), |row| row.try_get(0))?;
                let rows = transaction.query_all(&sql, &parameters).await?;
                let mut files = rows.iter().map(file_record).collect::<Result<Vec<FileRecord>, PostgresFailure>>()?;
                files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
                Ok(WorktreeRecords { version: TreeVersion(version), files })
            })
            .await
    }

    async fn load_changes(&self, worktree: &WorktreeId) -> Result<Vec<FileChange>> {
        let parameters: [&dyn SqlParameter; 2] = [&worktree.project.as_str(), &worktree.number];
        let mut changes = self.query_rows(resolution::CHANGES, &parameters, resolution::change_row).await?;
        changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    async fn write_edges(&self, worktree: &WorktreeId, resolution: EdgeBatch) -> Result<()> {
        self.write_worktree(worktree, WorktreeChange::Edges(resolution)).await
    }

    async fn load_edges(&self, worktree: &WorktreeId) -> Result<Vec<EncodedEdges>> {
        let parameters: [&dyn SqlParameter; 2] = [&worktree.project.as_str(), &worktree.number];
        let mut edges = self.query_rows(resolution::EDGES, &parameters, resolution::edges_row).await?;
        edges.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(edges)
    }

    async fn load_redirects(&self, project: &ProjectId) -> Result<Vec<Redirect>> {
        self.query_rows(resolution::REDIRECTS, &[&project.as_str()], resolution::redirect_row).await
    }

    async fn load_segments(&self, worktree: &WorktreeId) -> Result<Vec<Segment>> {
        self.query_rows(segments::ALL_SEGMENTS_SQL, &[&worktree.project.as_str()], segments::segment_row).await
    }

    async fn load_postings(&self, worktree: &WorktreeId, terms: &[String]) -> Result<Vec<SegmentPostings>> {
        let terms: Vec<_> = terms.iter().map(|term| encode_text(term)).collect();
        let parameters: [&dyn SqlParameter; 2] = [&worktree.project.as_str(), &terms];
        let mut postings = self.query_rows(segments::POSTINGS, &parameters, segments::postings_row).await?;
        segments::sort_postings(&mut postings);
        Ok(postings)
    }

    async fn segment_postings(&self, worktree: &WorktreeId, segments: &[i64]) -> Result<Vec<SegmentPostings>> {
        let parameters: [&dyn SqlParameter; 2] = [&worktree.project.as_str(), &segments];
        let mut postings = self.query_rows(segments::ALL_POSTINGS, &parameters, segments::postings_row).await?;
        segments::sort_postings(&mut postings);
        Ok(postings)
    }

    async fn segment_files(&self, worktree: &WorktreeId, segments: &[i64]) -> Result<Vec<SegmentFile>> {
        self.query_rows(segments::FILES, &[&worktree.project.as_str(), &segments], segments::file_row).await
    }

    async fn merge_segments(&self, worktree: &WorktreeId, merge: SegmentMerge) -> Result<()> {
        self.write_worktree(worktree, WorktreeChange::Merge(merge)).await
    }

    async fn symbol_summaries(&self, project: &ProjectId, keys: &[ContentHash]) -> Result<Vec<Option<String>>> {
        let sql = "SELECT summary_key, summary FROM epitome.symbol_summaries
                   WHERE project_id = $1 AND summary_key = ANY($2)";
        let wanted: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes().as_slice()).collect();
        let row = |row: &Row| Ok((hash_of(row.try_get(0)?)?, read_text(row, 1)?));
        let found = self.query_rows(sql, &[&project.as_str(), &wanted], row).await?;
        let found: HashMap<ContentHash, String> = found.into_iter().collect();
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }

    async fn write_symbol_summaries(&self, project: &ProjectId, summaries: Vec<(ContentHash, String)>) -> Result<()> {
        // The revision draws the next number of its sequence by default, which tells readers that a summary
        // changed.
        let sql = "INSERT INTO epitome.symbol_summaries (project_id, summary_key, summary)
                   SELECT $1, added.* FROM unnest($2::bytea[], $3::text[]) AS added
                   ON CONFLICT (summary_key, project_id, tenant_id)
                   DO UPDATE SET summary = excluded.summary, revision = excluded.revision";
        self.write_texts(sql, project, summaries).await
    }

    async fn write_model_answers(&self, project: &ProjectId, answers: Vec<(ContentHash, String)>) -> Result<()> {
        // Revision 0: a model's answers lie in the same table, but must not tell readers that a summary
        // changed.
        let sql = "INSERT INTO epitome.symbol_summaries (project_id, summary_key, summary, revision)
                   SELECT $1, added.*, 0 FROM unnest($2::bytea[], $3::text[]) AS added
                   ON CONFLICT (summary_key, project_id, tenant_id) DO UPDATE SET summary = excluded.summary";
        self.write_texts(sql, project, answers).await
    }

    async fn symbol_summary_revision(&self, project: &ProjectId) -> Result<u64> {
        let sql = "SELECT coalesce(max(revision), 0) FROM epitome.symbol_summaries WHERE project_id = $1";
        let newest =
            self.query_rows(sql, &[&project.as_str()], |row: &Row| Ok(row.try_get::<_, i64>(0)? as u64)).await?;
        Ok(newest.into_iter().max().unwrap_or_default())
    }

    async fn code_totals(&self, worktree: &WorktreeId) -> Result<CodeTotals> {
        let sql = "SELECT count(*), coalesce(sum(f.symbol_count), 0)::bigint, coalesce(sum(f.unit_count), 0)::bigint,
                     (SELECT coalesce(sum(e.edge_count), 0)::bigint FROM epitome.edges e
                      WHERE e.project_id = $1 AND e.worktree = $2)
                   FROM epitome.worktree_files w JOIN epitome.files f ON f.number = w.file
                   WHERE w.project_id = $1 AND w.worktree = $2";
        let row = |row: &Row| {
            let count = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
            Ok(CodeTotals { files: count(0)?, symbols: count(1)?, units: count(2)?, edges: count(3)? })
        };
        let totals = self.query_rows(sql, &[&worktree.project.as_str(), &worktree.number], row).await?;
        Ok(totals.into_iter().next().unwrap_or_default())
    }
}

impl PostgresStore {
    /// Writes texts that models made, by what they are kept under.
    async fn write_texts(&self, sql: &str, project: &ProjectId, texts: Vec<(ContentHash, String)>) -> Result<()> {
        // Of several texts under one key the last one stays, because a statement may change a row only once. One order
        // for all writers keeps two of them from waiting for each other's rows.
        let rows: BTreeMap<ContentHash, String> = texts.into_iter().collect();
        let keys: Vec<&[u8]> = rows.keys().map(|key| key.as_bytes().as_slice()).collect();
        let texts: Vec<_> = rows.values().map(|text| encode_text(text)).collect();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                // Canonical, though it can be made again: a model was paid for these texts.
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                transaction.execute(sql, &[&project.as_str(), &keys, &texts]).await?;
                transaction.commit().await
            })
            .await
    }
}

/// A change to a worktree.
enum WorktreeChange {
    Files(FileBatch),
    Edges(EdgeBatch),
    Merge(SegmentMerge),
    Finish(Timestamp),
    Commit(Option<String>),
}

impl PostgresStore {
    /// The rows of one query.
    pub(super) async fn query_rows<T>(
        &self,
        sql: &str,
        parameters: SqlParameters<'_>,
        row: impl Fn(&Row) -> Result<T, PostgresFailure>,
    ) -> Result<Vec<T>> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                transaction.query_all(sql, parameters).await?.iter().map(&row).collect()
            })
            .await
    }

    /// Runs a change while other writers of the project are kept out; refuses a worktree that is not there.
    async fn write_worktree(&self, worktree: &WorktreeId, change: WorktreeChange) -> Result<()> {
        let project = worktree.project.as_str();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Derived).await?;
                // One lock for the whole project and not for the worktree: versions and segments are shared by all its
                // worktrees.
                self.acquire_lock(&transaction, "project", project).await?;
                let sql = "SELECT 1 FROM epitome.worktrees WHERE project_id = $1 AND number = $2";
                // `drop_index` of another process may have removed the worktree since the caller opened it.
                if transaction.query_optional(sql, &[&project, &worktree.number]).await?.is_none() {
                    return Err(PostgresFailure::Missing { what: "worktree", id: worktree.number.to_string() });
                }
                match &change {
                    WorktreeChange::Files(batch) => batch::write_batch(&transaction, worktree, batch).await?,
                    WorktreeChange::Edges(resolution) => {
                        resolution::write_edges(&transaction, worktree, resolution).await?;
                    }
                    WorktreeChange::Merge(merge) => segments::merge_segments(&transaction, project, merge).await?,
                    WorktreeChange::Finish(now) => {
                        // Only at the end of a run: within it, a version that left one path may come back at another
                        // one.
                        drop_unused(&transaction, project).await?;
                        let sql = "UPDATE epitome.worktrees
                                   SET finished_at = $3, first_finished_at = coalesce(first_finished_at, $3)
                                   WHERE project_id = $1 AND number = $2";
                        transaction.execute(sql, &[&project, &worktree.number, &now.0]).await?;
                    }
                    WorktreeChange::Commit(commit) => {
                        let sql = "UPDATE epitome.worktrees SET commit_id = $3 WHERE project_id = $1 AND number = $2";
                        transaction.execute(sql, &[&project, &worktree.number, commit]).await?;
                    }
                }
                transaction.commit().await
            })
            .await
    }
}

/// Deletes versions in no worktree and segments of no version, with all that belongs to them. A version that edges were
/// made from is kept until there are new ones.
async fn drop_unused(transaction: &TenantTransaction<'_>, project: &str) -> Result<(), PostgresFailure> {
    // The edges that stand were made from the old version, and the next resolution compares with it.
    let files = "DELETE FROM epitome.files f USING epitome.segments s WHERE s.project_id = $1 AND f.segment = s.number
                   AND NOT EXISTS (SELECT FROM epitome.worktree_files w WHERE w.file = f.number)
                   AND NOT EXISTS (SELECT FROM epitome.changes c WHERE c.before = f.number) RETURNING f.number";
    let segments = "DELETE FROM epitome.segments s WHERE s.project_id = $1
                      AND NOT EXISTS (SELECT FROM epitome.files f WHERE f.segment = s.number) RETURNING s.number";
    for (owners, rows) in [(files, "facts WHERE file"), (segments, "postings WHERE segment")] {
        let gone = transaction.query_all(owners, &[&project]).await?;
        let gone = gone.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?;
        transaction.execute(&format!("DELETE FROM epitome.{rows} = ANY($1)"), &[&gone]).await?;
    }
    Ok(())
}

/// The key of a file version.
pub(super) fn version_key(path: &str, hash: ContentHash, made: Fingerprint) -> Vec<u8> {
    key_of("version", &[path.as_bytes(), hash.as_bytes(), &made.0.to_le_bytes()])
}

/// The key of a path.
pub(super) fn path_key(path: &str) -> Vec<u8> {
    key_of("path", &[path.as_bytes()])
}

pub(super) fn key_of(purpose: &str, fields: &[&[u8]]) -> Vec<u8> {
    fields
        .iter()
        .fold(DigestBuilder::new(purpose), |digest, field| digest.add_field(field))
        .finish()
        .as_bytes()
        .to_vec()
}

fn record_column(record: FileRecordKind) -> &'static str {
    match record {
        FileRecordKind::Symbols => "symbols",
        FileRecordKind::Texts => "texts",
        FileRecordKind::Uses => "uses",
        FileRecordKind::Vectors => "vectors",
        FileRecordKind::Document => "document",
    }
}

/// Whether an index was finished, and when.
fn index_state(finished: Option<i64>) -> IndexState {
    finished.map_or(IndexState::NotReady, |at| IndexState::Ready(Timestamp(at)))
}

fn worktree_row(row: &Row, project: &ProjectId) -> Result<Worktree, PostgresFailure> {
    let resolved: Option<i64> = row.try_get(3)?;
    Ok(Worktree {
        id: WorktreeId { project: project.clone(), number: row.try_get(0)? },
        state: index_state(row.try_get(1)?),
        identity: row.try_get(5)?,
        commit: row.try_get(6)?,
        version: TreeVersion(row.try_get(2)?),
        resolved: match resolved {
            Some(version) => Some(EdgeOrigin { version: TreeVersion(version), made: Fingerprint(row.try_get(4)?) }),
            None => None,
        },
    })
}

const TREE_FILES: &str =
    "SELECT w.path, f.hash, f.made, w.bytes, w.modified, f.number, f.language, f.line_count, f.first_unit, f.unit_count
     FROM epitome.worktree_files w JOIN epitome.files f ON f.number = w.file
     WHERE w.project_id = $1 AND w.worktree = $2";

fn tree_file(row: &Row) -> Result<TreeFile, PostgresFailure> {
    Ok(TreeFile {
        path: read_text(row, 0)?,
        hash: hash_of(row.try_get(1)?)?,
        made: Fingerprint(row.try_get(2)?),
        stamp: FileStamp { bytes: row.try_get::<_, i64>(3)? as u64, modified: row.try_get(4)? },
        file: FileId(row.try_get(5)?),
        language: maybe_text(row, 6)?,
        lines: read_u32(row, 7)?,
        first_unit: UnitId(read_u32(row, 8)?),
        units: read_u32(row, 9)?,
    })
}

fn file_record(row: &Row) -> Result<FileRecord, PostgresFailure> {
    Ok(FileRecord {
        path: read_text(row, 0)?,
        file: FileId(row.try_get(1)?),
        language: maybe_text(row, 2)?,
        lines: read_u32(row, 3)?,
        bytes: row.try_get(4)?,
    })
}

/// A number that this store only ever writes within 32 bits.
pub(super) fn read_u32(row: &Row, column: usize) -> Result<u32, PostgresFailure> {
    let number: i64 = row.try_get(column)?;
    u32::try_from(number).map_err(|_| PostgresFailure::Damaged(format!("the number {number}")))
}
