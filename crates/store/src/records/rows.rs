//! Converts database rows of records of sessions and of their notes, as both stores read them, to `SessionRecord`, and
//! refuses damaged rows.

use crate::rows::{DamagedRow, project_id_of};
use model::{NewRecord, RecordEvent, RecordId, RecordKind, RecordNote, SessionRecord, Timestamp};
use std::collections::HashMap;

/// A row of `session_records`.
pub(crate) struct RecordRow {
    pub(crate) number: i64,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) project: String,
    pub(crate) session: String,
    pub(crate) step: i64,
    pub(crate) about: Option<String>,
    pub(crate) content: String,
    pub(crate) created_at: i64,
}

/// A row of `session_record_notes`.
pub(crate) struct RecordNoteRow {
    pub(crate) record: i64,
    pub(crate) at: i64,
    pub(crate) event: String,
}

impl RecordRow {
    /// The record without its notes. Its id is the one stored, whether or not it belongs to what the record says.
    fn into_record(self) -> Result<SessionRecord, DamagedRow> {
        let damaged = |what: String| DamagedRow(format!("record {}: {what}", self.id));
        let body = NewRecord {
            kind: RecordKind::parse(&self.kind).ok_or_else(|| damaged(format!("kind `{}`", self.kind)))?,
            project: project_id_of(&self.project)?,
            session: self.session,
            step: self.step as u64,
            about: self.about.as_deref().map(record_id_of).transpose()?,
            content: self.content,
            created: Timestamp(self.created_at),
        };
        Ok(SessionRecord { id: record_id_of(&self.id)?, number: self.number, body, notes: Vec::new() })
    }
}

/// Records with their notes; both ordered by number.
pub(crate) fn gather_records(
    records: Vec<RecordRow>,
    notes: Vec<RecordNoteRow>,
) -> Result<Vec<SessionRecord>, DamagedRow> {
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut gathered = Vec::with_capacity(records.len());
    for row in records {
        places.insert(row.number, gathered.len());
        gathered.push(row.into_record()?);
    }
    for row in notes {
        // A record that another caller added between the two queries is not asked for.
        let Some(record) = places.get(&row.record).and_then(|place| gathered.get_mut(*place)) else { continue };
        // An event of a newer version must not be passed over: the record could be one that is over.
        let event = RecordEvent::parse(&row.event)
            .ok_or_else(|| DamagedRow(format!("a note of record {}: `{}`", record.id, row.event)))?;
        record.notes.push(RecordNote { at: Timestamp(row.at), event });
    }
    Ok(gathered)
}

fn record_id_of(text: &str) -> Result<RecordId, DamagedRow> {
    RecordId::parse(text).ok_or_else(|| DamagedRow(format!("`{text}` is no id of a record")))
}
