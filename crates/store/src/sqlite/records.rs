//! Implements `RecordStore` (records of sessions and what happened to them) for `SqliteStore`, in the canonical database.

use super::SqliteStore;
use super::failure::SqliteFailure;
use crate::Result;
use crate::records::{RecordBatch, RecordFilter, RecordNoteRow, RecordRow, RecordStore, gather_records};
use crate::rows::DamagedRow;
use async_trait::async_trait;
use model::{NewRecord, ProjectId, RecordId, RecordKind, RecordNote, SessionRecord};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

#[async_trait]
impl RecordStore for SqliteStore {
    async fn write_records(&self, batch: RecordBatch) -> Result<()> {
        self.canonical
            .write(move |db| {
                batch.records.iter().try_for_each(|record| add_record(db, record))?;
                batch.notes.iter().try_for_each(|(id, note)| add_note(db, id, *note))
            })
            .await
    }

    async fn load_session_records(&self, filter: RecordFilter) -> Result<Vec<SessionRecord>> {
        let chosen = "r.number IN (SELECT number FROM session_records
            WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR project_id = ?2) AND (?3 IS NULL OR session = ?3)
            ORDER BY number DESC LIMIT ?4)";
        self.canonical
            .read(move |db| {
                let kind = filter.kind.map(RecordKind::as_str);
                let project = filter.project.as_ref().map(ProjectId::as_str);
                let most = filter.newest.map_or(i64::MAX, i64::from);
                read_records(db, chosen, params![kind, project, filter.session, most])
            })
            .await
    }

    async fn load_session_record(&self, id: &RecordId) -> Result<Option<SessionRecord>> {
        let id = id.to_string();
        self.canonical
            .read(move |db| match read_records(db, "r.record_id = ?1", params![id])?.pop() {
                Some(record) if !record.is_intact() => {
                    Err(DamagedRow(format!("record {id}: it does not say what it was stored with")).into())
                }
                record => Ok(record),
            })
            .await
    }
}

pub(super) fn add_record(db: &Connection, record: &NewRecord) -> Result<(), SqliteFailure> {
    let sql = "INSERT INTO session_records (record_id, kind, project_id, session, step, about, content, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (record_id) DO NOTHING";
    db.prepare_cached(sql)?.execute(params![
        record.id().as_str(),
        record.kind.as_str(),
        record.project.as_str(),
        record.session,
        record.step as i64,
        record.about.as_ref().map(RecordId::as_str),
        record.content,
        record.created.0,
    ])?;
    Ok(())
}

pub(super) fn record_number(db: &Connection, id: &RecordId) -> Result<i64, SqliteFailure> {
    let sql = "SELECT number FROM session_records WHERE record_id = ?1";
    let number: Option<i64> = db.prepare_cached(sql)?.query_row([id.as_str()], |row| row.get(0)).optional()?;
    number.ok_or_else(|| SqliteFailure::Missing { what: "record", id: id.to_string() })
}

fn add_note(db: &Connection, id: &RecordId, note: RecordNote) -> Result<(), SqliteFailure> {
    let number = record_number(db, id)?;
    let sql = "INSERT INTO session_record_notes (record, at, event) VALUES (?1, ?2, ?3)";
    db.prepare_cached(sql)?.execute(params![number, note.at.0, note.event.as_str()])?;
    Ok(())
}

fn read_records(db: &Connection, chosen: &str, keys: impl Params + Copy) -> Result<Vec<SessionRecord>, SqliteFailure> {
    let sql = format!(
        "SELECT r.number, r.record_id, r.kind, r.project_id, r.session, r.step, r.about, r.content, r.created_at
         FROM session_records r WHERE {chosen} ORDER BY r.number"
    );
    let records: Vec<RecordRow> =
        db.prepare_cached(&sql)?.query_map(keys, record_row)?.collect::<rusqlite::Result<_>>()?;
    let sql = format!(
        "SELECT n.record, n.at, n.event FROM session_record_notes n
         JOIN session_records r ON r.number = n.record WHERE {chosen} ORDER BY n.number"
    );
    let note = |row: &Row<'_>| Ok(RecordNoteRow { record: row.get(0)?, at: row.get(1)?, event: row.get(2)? });
    let notes: Vec<RecordNoteRow> = db.prepare_cached(&sql)?.query_map(keys, note)?.collect::<rusqlite::Result<_>>()?;
    Ok(gather_records(records, notes)?)
}

fn record_row(row: &Row<'_>) -> rusqlite::Result<RecordRow> {
    Ok(RecordRow {
        number: row.get(0)?,
        id: row.get(1)?,
        kind: row.get(2)?,
        project: row.get(3)?,
        session: row.get(4)?,
        step: row.get(5)?,
        about: row.get(6)?,
        content: row.get(7)?,
        created_at: row.get(8)?,
    })
}
