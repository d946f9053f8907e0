//! Implements `CodeStore` (the code index: file records, postings, edges) for `SqliteStore`, in one index database per
//! project.

mod batch;
mod blocks;
mod resolution;
pub(super) mod segments;
mod vectors;

use super::SqliteStore;
use super::failure::SqliteFailure;
use crate::rows::{hash_of, split_problems};
use crate::{
    CodeStore, CodeTotals, EdgeBatch, EdgeOrigin, EncodedEdges, Error, FileBatch, FileChange, FileId, FileRecord,
    FileRecordKind, FileStamp, Fingerprint, IndexState, ListedWorktree, Redirect, Result, Segment, SegmentFile,
    SegmentMerge, SegmentPostings, TreeFile, TreeVersion, UnitId, Worktree, WorktreeId, WorktreeRecords,
};
use async_trait::async_trait;
use model::{ContentHash, ProjectId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::BTreeMap;

#[async_trait]
impl CodeStore for SqliteStore {
    async fn open_worktree(&self, project: &ProjectId, root: &str) -> Result<Worktree> {
        let index = self.project_index(project)?;
        let id = project.clone();
        let root = root.to_owned();
        let wanted = root.clone();
        let find = "SELECT number, finished_at, version, resolved, resolved_with, identity, commit_id FROM worktrees WHERE root = ?1";
        let row = move |row: &Row<'_>| {
            Ok(Worktree {
                id: WorktreeId { project: id.clone(), number: row.get(0)? },
                state: index_state(row.get(1)?),
                identity: row.get(5)?,
                commit: row.get(6)?,
                version: TreeVersion(row.get(2)?),
                resolved: match row.get::<_, Option<i64>>(3)? {
                    Some(version) => Some(EdgeOrigin { version: TreeVersion(version), made: Fingerprint(row.get(4)?) }),
                    None => None,
                },
            })
        };
        let read = row.clone();
        // Reading first keeps the common case away from the single writer, which may be in the middle of a large batch.
        if let Some(found) = index.read(move |db| Ok(db.query_row(find, [&wanted], read).optional()?)).await? {
            return Ok(found);
        }
        index
            .write(move |db| {
                db.execute("INSERT INTO worktrees (root) VALUES (?1) ON CONFLICT DO NOTHING", [&root])?;
                Ok(db.query_row(find, [&root], row)?)
            })
            .await
    }

    async fn list_worktrees(&self) -> Result<Vec<ListedWorktree>> {
        let mut listed = Vec::new();
        for name in self.indexes.list_names()? {
            // A file of another name is nobody's index.
            let Ok(project) = ProjectId::parse(&name) else { continue };
            let Some(index) = self.indexes.open_existing(&name)? else { continue };
            let rows = index.read(move |db| {
                let mut query = db.prepare(
                    "SELECT root, number, finished_at, first_finished_at, commit_id FROM worktrees ORDER BY root",
                )?;
                let rows = query.query_map([], |row| {
                    Ok(ListedWorktree {
                        root: row.get(0)?,
                        id: WorktreeId { project: project.clone(), number: row.get(1)? },
                        state: index_state(row.get(2)?),
                        first_finished: row.get::<_, Option<i64>>(3)?.map(Timestamp),
                        commit: row.get(4)?,
                    })
                })?;
                Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
            });
            listed.extend(rows.await?);
        }
        Ok(listed)
    }

    async fn worktree_files(&self, worktree: &WorktreeId) -> Result<Vec<TreeFile>> {
        let number = worktree.number;
        self.project_index(&worktree.project)?
            .read(move |db| {
                let mut statement = db.prepare_cached(&format!("{TREE_FILES} ORDER BY w.path"))?;
                let rows = statement.query_map([number], |row| Ok(tree_file(row)))?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn known_versions(
        &self,
        worktree: &WorktreeId,
        wanted: &[(String, ContentHash, Fingerprint)],
    ) -> Result<Vec<Option<FileId>>> {
        let wanted = wanted.to_vec();
        self.project_index(&worktree.project)?
            .read(move |db| {
                wanted
                    .iter()
                    .map(|(path, hash, made)| Ok(batch::find_version(db, path, *hash, *made)?.map(FileId)))
                    .collect()
            })
            .await
    }

    async fn files_at(&self, worktree: &WorktreeId, paths: &[String]) -> Result<Vec<Option<TreeFile>>> {
        let number = worktree.number;
        let paths = paths.to_vec();
        self.project_index(&worktree.project)?
            .read(move |db| {
                let mut statement = db.prepare_cached(&format!("{TREE_FILES} AND w.path = ?2"))?;
                let read = |path: &String| {
                    statement.query_row(params![number, path], |row| Ok(tree_file(row))).optional()?.transpose()
                };
                paths.iter().map(read).collect()
            })
            .await
    }

    async fn files_within(&self, worktree: &WorktreeId, places: &[String]) -> Result<Vec<TreeFile>> {
        let number = worktree.number;
        let places = places.to_vec();
        self.project_index(&worktree.project)?
            .read(move |db| {
                let mut found = BTreeMap::new();
                // Paths below a folder lie between the folder with `/` and the folder with `0`, the character after
                // `/`. The index serves such a range, which it does not do for LIKE.
                let mut below =
                    db.prepare_cached(&format!("{TREE_FILES} AND w.path >= ?2 || '/' AND w.path < ?2 || '0'"))?;
                let mut at = db.prepare_cached(&format!("{TREE_FILES} AND w.path = ?2"))?;
                for place in &places {
                    for statement in [&mut at, &mut below] {
                        for file in statement.query_map(params![number, place], |row| Ok(tree_file(row)))? {
                            let file = file??;
                            // The places may overlap (`src` and `src/a.rs`); the map gives each file once, in the order
                            // of paths.
                            found.insert(file.path.clone(), file);
                        }
                    }
                }
                Ok(found.into_values().collect())
            })
            .await
    }

    async fn file_problems(&self, worktree: &WorktreeId) -> Result<Vec<(String, Vec<String>)>> {
        let number = worktree.number;
        self.project_index(&worktree.project)?
            .read(move |db| {
                let mut statement = db.prepare_cached(
                    "SELECT w.path, f.problems FROM files f JOIN worktree_files w ON w.file = f.number
                     WHERE f.problems IS NOT NULL AND w.worktree = ?1 ORDER BY w.path",
                )?;
                let rows = statement.query_map([number], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
                rows.map(|row| row.map(|(path, problems)| (path, split_problems(&problems))).map_err(Into::into))
                    .collect()
            })
            .await
    }

    async fn write_files(&self, worktree: &WorktreeId, batch: FileBatch) -> Result<()> {
        let number = worktree.number;
        self.project_index(&worktree.project)?.write(move |db| batch::write_batch(db, number, &batch)).await
    }

    async fn finish_index(&self, worktree: &WorktreeId, now: Timestamp) -> Result<()> {
        let number = worktree.number;
        self.project_index(&worktree.project)?
            .write(move |db| {
                need_worktree(db, number)?;
                // The edges that stand were made from the old version, and the next resolution compares with it.
                db.execute(
                    "DELETE FROM files WHERE number NOT IN (SELECT file FROM worktree_files)
                       AND number NOT IN (SELECT before FROM changes WHERE before IS NOT NULL)",
                    [],
                )?;
                // After the versions, because a segment is unused when no version is in it any more.
                segments::drop_unused(db)?;
                db.execute(
                    "UPDATE worktrees SET finished_at = ?2, first_finished_at = coalesce(first_finished_at, ?2)
                     WHERE number = ?1",
                    params![number, now.0],
                )?;
                Ok(())
            })
            .await
    }

    async fn note_commit(&self, worktree: &WorktreeId, commit: Option<&str>) -> Result<()> {
        let number = worktree.number;
        let commit = commit.map(str::to_owned);
        self.project_index(&worktree.project)?
            .write(move |db| {
                need_worktree(db, number)?;
                db.execute("UPDATE worktrees SET commit_id = ?2 WHERE number = ?1", params![number, commit])?;
                Ok(())
            })
            .await
    }

    async fn drop_index(&self, project: &ProjectId) -> Result<()> {
        let emptied = self
            .project_index(project)?
            .write(|db| {
                // Tables that refer to others come before them, or the foreign keys would refuse.
                let tables = ["changes", "edges", "worktree_files", "worktrees", "facts", "files", "postings"];
                for table in tables.iter().chain(&["segments", "redirects"]) {
                    db.execute(&format!("DELETE FROM {table}"), [])?;
                }
                Ok(())
            })
            .await;
        match emptied {
            // An index that cannot even be emptied is deleted as a file: all of it can be made again.
            Err(Error::Corrupt { .. }) => self.indexes.discard_database(project.as_str()),
            emptied => emptied,
        }
    }

    async fn load_records(
        &self,
        worktree: &WorktreeId,
        record: FileRecordKind,
        files: &[FileId],
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let files = files.to_vec();
        self.project_index(&worktree.project)?
            .read(move |db| {
                let sql = format!("SELECT {} FROM facts WHERE file = ?1", record_column(record));
                let mut statement = db.prepare_cached(&sql)?;
                let read = |file: &FileId| Ok(statement.query_row([file.0], |row| row.get(0)).optional()?);
                files.iter().map(read).collect()
            })
            .await
    }

    async fn worktree_records(&self, worktree: &WorktreeId, record: FileRecordKind) -> Result<WorktreeRecords> {
        let number = worktree.number;
        self.project_index(&worktree.project)?
            .read(move |db| {
                // The version and the rows come from one read transaction: a version newer than its rows would make a
                // stale view look fresh.
                let version = "SELECT version FROM worktrees WHERE number = ?1";
                let version = db.query_row(version, [number], |row| row.get(0)).optional()?.unwrap_or_default();
                let mut statement = db.prepare_cached(&format!(
                    "SELECT w.path, w.file, f.language, f.line_count, x.{}
                     FROM worktree_files w JOIN files f ON f.number = w.file JOIN facts x ON x.file = w.file
                     WHERE w.worktree = ?1 ORDER BY w.path",
                    record_column(record)
                ))?;
                let rows = statement.query_map([number], |row| {
                    Ok(FileRecord {
                        path: row.get(0)?,
                        file: FileId(row.get(1)?),
                        language: row.get(2)?,
                        lines: row.get(3)?,
                        bytes: row.get(4)?,
                    })
                })?;
                let files = rows.collect::<rusqlite::Result<_>>()?;
                Ok(WorktreeRecords { version: TreeVersion(version), files })
            })
            .await
    }

    async fn load_changes(&self, worktree: &WorktreeId) -> Result<Vec<FileChange>> {
        let number = worktree.number;
        self.project_index(&worktree.project)?.read(move |db| resolution::load_changes(db, number)).await
    }

    async fn write_edges(&self, worktree: &WorktreeId, resolution: EdgeBatch) -> Result<()> {
        let number = worktree.number;
        self.project_index(&worktree.project)?.write(move |db| resolution::write_edges(db, number, &resolution)).await
    }

    async fn load_edges(&self, worktree: &WorktreeId) -> Result<Vec<EncodedEdges>> {
        let number = worktree.number;
        self.project_index(&worktree.project)?.read(move |db| resolution::load_edges(db, number)).await
    }

    async fn load_redirects(&self, project: &ProjectId) -> Result<Vec<Redirect>> {
        self.project_index(project)?.read(resolution::load_redirects).await
    }

    async fn load_segments(&self, worktree: &WorktreeId) -> Result<Vec<Segment>> {
        self.project_index(&worktree.project)?.read(segments::load_segments).await
    }

    async fn load_postings(&self, worktree: &WorktreeId, terms: &[String]) -> Result<Vec<SegmentPostings>> {
        let terms = terms.to_vec();
        self.project_index(&worktree.project)?.read(move |db| segments::load_postings(db, terms)).await
    }

    async fn segment_postings(&self, worktree: &WorktreeId, segments: &[i64]) -> Result<Vec<SegmentPostings>> {
        let segments = segments.to_vec();
        self.project_index(&worktree.project)?.read(move |db| segments::all_postings(db, &segments)).await
    }

    async fn segment_files(&self, worktree: &WorktreeId, segments: &[i64]) -> Result<Vec<SegmentFile>> {
        let segments = segments.to_vec();
        self.project_index(&worktree.project)?.read(move |db| segments::load_files(db, &segments)).await
    }

    async fn merge_segments(&self, worktree: &WorktreeId, merge: SegmentMerge) -> Result<()> {
        let number = worktree.number;
        self.project_index(&worktree.project)?.write(move |db| segments::merge_segments(db, number, &merge)).await
    }

    async fn symbol_summaries(&self, project: &ProjectId, keys: &[ContentHash]) -> Result<Vec<Option<String>>> {
        // A read must not create a database for a project that no model ever worked on.
        let Some(models) = self.models.open_existing(project.as_str())? else { return Ok(vec![None; keys.len()]) };
        let keys = keys.to_vec();
        models
            .read(move |db| {
                let mut statement = db.prepare_cached("SELECT summary FROM symbol_summaries WHERE summary_key = ?1")?;
                let mut read = |key: &ContentHash| {
                    Ok(statement.query_row([key.as_bytes().as_slice()], |row| row.get(0)).optional()?)
                };
                keys.iter().map(&mut read).collect()
            })
            .await
    }

    async fn write_symbol_summaries(&self, project: &ProjectId, summaries: Vec<(ContentHash, String)>) -> Result<()> {
        // `WHERE true` keeps SQLite from reading `ON CONFLICT` as the condition of a join.
        let sql = "INSERT INTO symbol_summaries (summary_key, summary, revision)
                   SELECT ?1, ?2, coalesce(max(revision), 0) + 1 FROM symbol_summaries WHERE true
                   ON CONFLICT DO UPDATE SET summary = excluded.summary, revision = excluded.revision";
        self.write_texts(sql, project, summaries).await
    }

    async fn write_model_answers(&self, project: &ProjectId, answers: Vec<(ContentHash, String)>) -> Result<()> {
        // Revision 0: a model's answers lie in the same table, but must not tell readers that a summary changed.
        let sql = "INSERT INTO symbol_summaries (summary_key, summary, revision) VALUES (?1, ?2, 0)
                   ON CONFLICT DO UPDATE SET summary = excluded.summary";
        self.write_texts(sql, project, answers).await
    }

    async fn symbol_summary_revision(&self, project: &ProjectId) -> Result<u64> {
        let Some(models) = self.models.open_existing(project.as_str())? else { return Ok(0) };
        let newest = "SELECT coalesce(max(revision), 0) FROM symbol_summaries";
        models.read(move |db| Ok(db.prepare_cached(newest)?.query_row([], |row| row.get::<_, i64>(0))? as u64)).await
    }

    async fn code_totals(&self, worktree: &WorktreeId) -> Result<CodeTotals> {
        let number = worktree.number;
        self.project_index(&worktree.project)?
            .read(move |db| {
                let sql = "SELECT count(*), coalesce(sum(f.symbol_count), 0), coalesce(sum(f.unit_count), 0),
                             (SELECT coalesce(sum(edge_count), 0) FROM edges WHERE worktree = ?1)
                           FROM worktree_files w JOIN files f ON f.number = w.file WHERE w.worktree = ?1";
                Ok(db.query_row(sql, [number], |row| {
                    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)? as u64);
                    Ok(CodeTotals { files: count(0)?, symbols: count(1)?, units: count(2)?, edges: count(3)? })
                })?)
            })
            .await
    }
}

/// Whether an index was finished, and when.
fn index_state(finished: Option<i64>) -> IndexState {
    finished.map_or(IndexState::NotReady, |at| IndexState::Ready(Timestamp(at)))
}

impl SqliteStore {
    /// Writes texts that models made, by what they are kept under.
    async fn write_texts(
        &self,
        sql: &'static str,
        project: &ProjectId,
        texts: Vec<(ContentHash, String)>,
    ) -> Result<()> {
        self.models
            .open(project.as_str())?
            .write(move |db| {
                let mut insert = db.prepare_cached(sql)?;
                for (key, text) in &texts {
                    insert.execute(params![key.as_bytes().as_slice(), text])?;
                }
                Ok(())
            })
            .await
    }
}

pub(super) fn need_worktree(db: &Connection, number: i64) -> Result<(), SqliteFailure> {
    let found = db.prepare_cached("SELECT 1 FROM worktrees WHERE number = ?1")?.exists([number])?;
    if found { Ok(()) } else { Err(SqliteFailure::Missing { what: "worktree", id: number.to_string() }) }
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

const TREE_FILES: &str = "SELECT w.path, f.hash, f.made, w.bytes, w.modified, f.number, f.language, f.line_count,
     f.first_unit, f.unit_count
   FROM worktree_files w JOIN files f ON f.number = w.file WHERE w.worktree = ?1";

fn tree_file(row: &Row<'_>) -> Result<TreeFile, SqliteFailure> {
    Ok(TreeFile {
        path: row.get(0)?,
        hash: hash_of(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?,
        made: Fingerprint(row.get(2)?),
        stamp: FileStamp { bytes: row.get::<_, i64>(3)? as u64, modified: row.get(4)? },
        file: FileId(row.get(5)?),
        language: row.get(6)?,
        lines: row.get(7)?,
        first_unit: UnitId(row.get(8)?),
        units: row.get(9)?,
    })
}
