//! Implements `VectorStore` (embedding vectors of texts) for `SqliteStore`, in a project's database of what models
//! made.

use crate::sqlite::SqliteStore;
use crate::sqlite::failure::SqliteFailure;
use crate::vectors::{bytes_of, numbers_of};
use crate::{Result, SpaceTotals, VectorSpace, VectorStore};
use async_trait::async_trait;
use model::{ContentHash, ProjectId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

#[async_trait]
impl VectorStore for SqliteStore {
    async fn load_vectors(
        &self,
        project: &ProjectId,
        space: &VectorSpace,
        texts: &[ContentHash],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        let Some(models) = self.models.open_existing(project.as_str())? else { return Ok(vec![None; texts.len()]) };
        let space = space.clone();
        let texts = texts.to_vec();
        models
            .read(move |db| {
                let Some(number) = number_of(db, &space)? else { return Ok(vec![None; texts.len()]) };
                let mut statement =
                    db.prepare_cached("SELECT numbers FROM vectors WHERE space = ?1 AND text_key = ?2")?;
                let mut read = |text: &ContentHash| {
                    let row = statement.query_row(params![number, text.as_bytes().as_slice()], |row| {
                        Ok(numbers_of(&space, row.get_ref(0)?.as_blob()?))
                    });
                    Ok(row.optional()?.transpose()?)
                };
                texts.iter().map(&mut read).collect()
            })
            .await
    }

    async fn write_vectors(
        &self,
        project: &ProjectId,
        space: &VectorSpace,
        vectors: Vec<(ContentHash, Vec<f32>)>,
        now: Timestamp,
    ) -> Result<()> {
        let bytes = bytes_of(space, &vectors)?;
        let space = space.clone();
        self.models
            .open(project.as_str())?
            .write(move |db| {
                if vectors.is_empty() {
                    return Ok(());
                }
                db.execute(
                    "INSERT INTO vector_spaces (model, version, dimensions, created_at) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT DO NOTHING",
                    params![space.model, space.version, space.dimensions, now.0],
                )?;
                let number = number_of(db, &space)?;
                let mut insert = db.prepare_cached(
                    "INSERT INTO vectors VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET numbers = excluded.numbers",
                )?;
                for ((text, _), bytes) in vectors.iter().zip(&bytes) {
                    insert.execute(params![number, text.as_bytes().as_slice(), bytes])?;
                }
                Ok(())
            })
            .await
    }

    async fn vector_spaces(&self, project: &ProjectId) -> Result<Vec<SpaceTotals>> {
        let Some(models) = self.models.open_existing(project.as_str())? else { return Ok(Vec::new()) };
        models
            .read(|db| {
                let mut statement = db.prepare_cached(
                    "SELECT model, version, dimensions, (SELECT count(*) FROM vectors WHERE space = number),
                       created_at
                     FROM vector_spaces ORDER BY model, version, dimensions",
                )?;
                let rows = statement.query_map([], |row| {
                    let space = VectorSpace { model: row.get(0)?, version: row.get(1)?, dimensions: row.get(2)? };
                    Ok(SpaceTotals { space, vectors: row.get::<_, i64>(3)? as u64, created: Timestamp(row.get(4)?) })
                })?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn keep_vectors(&self, project: &ProjectId, space: &VectorSpace, texts: &[ContentHash]) -> Result<u64> {
        let Some(models) = self.models.open_existing(project.as_str())? else { return Ok(0) };
        let space = space.clone();
        let kept: HashSet<ContentHash> = texts.iter().copied().collect();
        models
            .write(move |db| {
                // No space has the number 0.
                let number = number_of(db, &space)?.unwrap_or_default();
                let mut dropped = db.execute("DELETE FROM vectors WHERE space <> ?1", [number])?;
                let mut statement = db.prepare_cached("SELECT text_key FROM vectors WHERE space = ?1")?;
                let rows = statement.query_map([number], |row| row.get::<_, Vec<u8>>(0))?;
                let texts: Vec<Vec<u8>> = rows.collect::<rusqlite::Result<_>>()?;
                let mut delete = db.prepare_cached("DELETE FROM vectors WHERE space = ?1 AND text_key = ?2")?;
                let is_kept = |text: &[u8]| ContentHash::from_bytes(text).is_some_and(|text| kept.contains(&text));
                for text in texts.iter().filter(|text| !is_kept(text)) {
                    dropped += delete.execute(params![number, text])?;
                }
                db.execute("DELETE FROM vector_spaces WHERE number NOT IN (SELECT space FROM vectors)", [])?;
                Ok(dropped as u64)
            })
            .await
    }
}

fn number_of(db: &Connection, space: &VectorSpace) -> Result<Option<i64>, SqliteFailure> {
    let mut statement =
        db.prepare_cached("SELECT number FROM vector_spaces WHERE model = ?1 AND version = ?2 AND dimensions = ?3")?;
    let row = statement.query_row(params![space.model, space.version, space.dimensions], |row| row.get(0));
    Ok(row.optional()?)
}
