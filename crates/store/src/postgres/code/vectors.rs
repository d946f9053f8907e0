//! Implements `VectorStore` (embedding vectors of texts) for `PostgresStore`, in tables of its own.

use crate::postgres::PostgresStore;
use crate::postgres::code::{key_of, read_u32};
use crate::postgres::database::AccessMode;
use crate::postgres::rows::read_text;
use crate::postgres::text::encode_text;
use crate::rows::hash_of;
use crate::vectors::{bytes_of, numbers_of};
use crate::{Result, SpaceTotals, VectorSpace, VectorStore};
use async_trait::async_trait;
use model::{ContentHash, ProjectId, Timestamp};
use std::collections::{BTreeMap, HashMap};
use tokio_postgres::Row;

#[async_trait]
impl VectorStore for PostgresStore {
    async fn load_vectors(
        &self,
        project: &ProjectId,
        space: &VectorSpace,
        texts: &[ContentHash],
    ) -> Result<Vec<Option<Vec<f32>>>> {
        let sql = "SELECT text_key, numbers FROM epitome.vectors
                   WHERE project_id = $1 AND space_key = $2 AND text_key = ANY($3)";
        let wanted: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes().as_slice()).collect();
        let row = |row: &Row| Ok((hash_of(row.try_get(0)?)?, numbers_of(space, row.try_get(1)?)?));
        let found = self.query_rows(sql, &[&project.as_str(), &space_key(space), &wanted], row).await?;
        let found: HashMap<ContentHash, Vec<f32>> = found.into_iter().collect();
        Ok(texts.iter().map(|text| found.get(text).cloned()).collect())
    }

    async fn write_vectors(
        &self,
        project: &ProjectId,
        space: &VectorSpace,
        vectors: Vec<(ContentHash, Vec<f32>)>,
        now: Timestamp,
    ) -> Result<()> {
        // Checked before anything is written: a vector of another length in this space would make every comparison
        // wrong.
        let bytes = bytes_of(space, &vectors)?;
        if vectors.is_empty() {
            return Ok(());
        }
        let make = "INSERT INTO epitome.vector_spaces (project_id, space_key, model, version, dimensions, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (space_key, project_id, tenant_id) DO NOTHING";
        let write = "INSERT INTO epitome.vectors (project_id, space_key, text_key, numbers)
                     SELECT $1, $2, added.* FROM unnest($3::bytea[], $4::bytea[]) AS added
                     ON CONFLICT (text_key, space_key, project_id, tenant_id) DO UPDATE SET numbers = excluded.numbers";
        // Of several vectors of one text the last one stays, because a statement may change a row only once.
        let rows: BTreeMap<ContentHash, &Vec<u8>> =
            vectors.iter().zip(&bytes).map(|((text, _), bytes)| (*text, bytes)).collect();
        let texts: Vec<&[u8]> = rows.keys().map(|text| text.as_bytes().as_slice()).collect();
        let numbers: Vec<&Vec<u8>> = rows.values().copied().collect();
        let project = project.as_str();
        let key = space_key(space);
        let model = encode_text(&space.model);
        let version = encode_text(&space.version);
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // Without the lock `keep_vectors` could drop the space between the two statements, and the vectors
                // would have none.
                self.acquire_lock(&transaction, "vectors", project).await?;
                let dimensions = i64::from(space.dimensions);
                transaction.execute(make, &[&project, &key, &model, &version, &dimensions, &now.0]).await?;
                transaction.execute(write, &[&project, &key, &texts, &numbers]).await?;
                transaction.commit().await
            })
            .await
    }

    async fn vector_spaces(&self, project: &ProjectId) -> Result<Vec<SpaceTotals>> {
        let sql = "SELECT s.model, s.version, s.dimensions, (SELECT count(*) FROM epitome.vectors v
                     WHERE v.project_id = s.project_id AND v.space_key = s.space_key), s.created_at
                   FROM epitome.vector_spaces s WHERE s.project_id = $1";
        let row = |row: &Row| {
            let space =
                VectorSpace { model: read_text(row, 0)?, version: read_text(row, 1)?, dimensions: read_u32(row, 2)? };
            let created = Timestamp(row.try_get(4)?);
            Ok(SpaceTotals { space, vectors: row.try_get::<_, i64>(3)? as u64, created })
        };
        let mut spaces = self.query_rows(sql, &[&project.as_str()], row).await?;
        spaces.sort_unstable_by(|a, b| a.space.cmp(&b.space));
        Ok(spaces)
    }

    async fn keep_vectors(&self, project: &ProjectId, space: &VectorSpace, texts: &[ContentHash]) -> Result<u64> {
        let drop_vectors = "DELETE FROM epitome.vectors v WHERE v.project_id = $1 AND (v.space_key <> $2 OR NOT EXISTS
                              (SELECT FROM unnest($3::bytea[]) AS kept (text_key) WHERE kept.text_key = v.text_key))";
        let drop_spaces = "DELETE FROM epitome.vector_spaces s WHERE s.project_id = $1 AND NOT EXISTS
                             (SELECT FROM epitome.vectors v WHERE v.project_id = $1 AND v.space_key = s.space_key)";
        let kept: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes().as_slice()).collect();
        let project = project.as_str();
        let key = space_key(space);
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                // Dropping vectors may be lost in a crash: they are dropped again the next time.
                let transaction = self.begin_transaction(&mut client, AccessMode::Derived).await?;
                self.acquire_lock(&transaction, "vectors", project).await?;
                let dropped = transaction.execute(drop_vectors, &[&project, &key, &kept]).await?;
                // A space without vectors would stay in the list of models that `status` shows.
                transaction.execute(drop_spaces, &[&project]).await?;
                transaction.commit().await?;
                Ok(dropped)
            })
            .await
    }
}

fn space_key(space: &VectorSpace) -> Vec<u8> {
    key_of("space", &[space.model.as_bytes(), space.version.as_bytes(), &space.dimensions.to_le_bytes()])
}
