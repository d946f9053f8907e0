//! Implements `RecordStore` (records of sessions and what happened to them) for `PostgresStore`, in tables of its own.

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use super::parameters::SqlParameters;
use super::rows::read_text;
use super::text::encode_text;
use super::tool_calls::session_key;
use crate::Result;
use crate::records::{RecordBatch, RecordFilter, RecordNoteRow, RecordRow, RecordStore, gather_records};
use crate::rows::DamagedRow;
use async_trait::async_trait;
use model::{NewRecord, ProjectId, RecordId, RecordKind, RecordNote, SessionRecord};
use tokio_postgres::Row;

#[async_trait]
impl RecordStore for PostgresStore {
    async fn write_records(&self, batch: RecordBatch) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // Two writers that add the same records in another order would wait for each other for ever.
                self.acquire_lock(&transaction, "session records", "").await?;
                for record in &batch.records {
                    add_record(&transaction, record).await?;
                }
                for (id, note) in &batch.notes {
                    add_note(&transaction, id, *note).await?;
                }
                transaction.commit().await
            })
            .await?;
        self.anchor_rows("session_records", batch.records.iter().map(NewRecord::id));
        Ok(())
    }

    async fn load_session_records(&self, filter: RecordFilter) -> Result<Vec<SessionRecord>> {
        let chosen = "r.number IN (SELECT number FROM epitome.session_records
            WHERE ($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR project_id = $2)
              AND ($3::bytea IS NULL OR session_key = $3)
            ORDER BY number DESC LIMIT $4::bigint)";
        let kind = filter.kind.map(RecordKind::as_str);
        let project = filter.project.as_ref().map(ProjectId::as_str);
        let session = filter.session.as_deref().map(session_key);
        let most = filter.newest.map(i64::from);
        self.read_records(chosen, &[&kind, &project, &session, &most]).await
    }

    async fn load_session_record(&self, id: &RecordId) -> Result<Option<SessionRecord>> {
        let found = self.read_records("r.record_id = $1::text", &[&id.as_str()]).await?.pop();
        if found.as_ref().is_some_and(|record| !record.is_intact()) {
            let damaged = DamagedRow(format!("record {id}: it does not say what it was stored with"));
            return Err(PostgresFailure::from(damaged).into_error(self.database.name()));
        }
        Ok(found)
    }
}

impl PostgresStore {
    async fn read_records(&self, chosen: &str, keys: SqlParameters<'_>) -> Result<Vec<SessionRecord>> {
        let records = format!(
            "SELECT r.number, r.record_id, r.kind, r.project_id, r.session, r.step, r.about, r.content, r.created_at
             FROM epitome.session_records r WHERE {chosen} ORDER BY r.number"
        );
        let notes = format!(
            "SELECT n.record, n.at, n.event FROM epitome.session_record_notes n
             JOIN epitome.session_records r ON r.number = n.record AND r.tenant_id = n.tenant_id
             WHERE {chosen} ORDER BY n.number"
        );
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let rows = transaction.query_all(&records, keys).await?;
                let records = rows.iter().map(record_row).collect::<Result<_, _>>()?;
                let rows = transaction.query_all(&notes, keys).await?;
                let notes = rows.iter().map(note_row).collect::<Result<_, PostgresFailure>>()?;
                Ok(gather_records(records, notes)?)
            })
            .await
    }
}

pub(super) async fn add_record(transaction: &TenantTransaction<'_>, record: &NewRecord) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.session_records
                 (record_id, kind, project_id, session, session_key, step, about, content, created_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (record_id, tenant_id) DO NOTHING";
    transaction
        .execute(
            sql,
            &[
                &record.id().as_str(),
                &record.kind.as_str(),
                &record.project.as_str(),
                &encode_text(&record.session),
                &session_key(&record.session),
                &(record.step as i64),
                &record.about.as_ref().map(RecordId::as_str),
                &encode_text(&record.content),
                &record.created.0,
            ],
        )
        .await?;
    Ok(())
}

pub(super) async fn record_number(transaction: &TenantTransaction<'_>, id: &RecordId) -> Result<i64, PostgresFailure> {
    let sql = "SELECT number FROM epitome.session_records WHERE record_id = $1";
    let found = transaction.query_optional(sql, &[&id.as_str()]).await?;
    Ok(found.ok_or_else(|| PostgresFailure::Missing { what: "record", id: id.to_string() })?.try_get(0)?)
}

async fn add_note(transaction: &TenantTransaction<'_>, id: &RecordId, note: RecordNote) -> Result<(), PostgresFailure> {
    let number = record_number(transaction, id).await?;
    let sql = "INSERT INTO epitome.session_record_notes (record, at, event) VALUES ($1, $2, $3)";
    transaction.execute(sql, &[&number, &note.at.0, &note.event.as_str()]).await?;
    Ok(())
}

fn record_row(row: &Row) -> Result<RecordRow, PostgresFailure> {
    Ok(RecordRow {
        number: row.try_get(0)?,
        id: row.try_get(1)?,
        kind: row.try_get(2)?,
        project: row.try_get(3)?,
        session: read_text(row, 4)?,
        step: row.try_get(5)?,
        about: row.try_get(6)?,
        content: read_text(row, 7)?,
        created_at: row.try_get(8)?,
    })
}

fn note_row(row: &Row) -> Result<RecordNoteRow, PostgresFailure> {
    Ok(RecordNoteRow { record: row.try_get(0)?, at: row.try_get(1)?, event: row.try_get(2)? })
}
