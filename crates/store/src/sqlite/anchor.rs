//! Implements `AnchorStore` for `SqliteStore`: `CommitAnchor` lets the anchor follow every commit of the writer.

use super::SqliteStore;
use super::entities::all_statements;
use super::failure::SqliteFailure;
use super::sums::{CommittedState, StoreState, SumKeeper, count_derived, count_tables};
use crate::anchor::AnchorFile;
use crate::{
    AcceptedRestore, AnchorEntry, AnchorHead, AnchorLog, AnchorPoint, AnchorStore, AnchoredState, CountedRows,
    DataRemoval, Error, RemovedSubject, Result,
};
use async_trait::async_trait;
use model::Timestamp;
use rusqlite::{Connection, params};
use std::sync::{Arc, Mutex, PoisonError};

/// The sums of the writer and the file that repeats them. Clones are the same one.
#[derive(Clone)]
pub(super) struct CommitAnchor {
    sums: SumKeeper,
    file: Arc<AnchorFile>,
    /// Entries that could not be written, to be written before the next one.
    waiting: Arc<Mutex<Vec<AnchorEntry>>>,
}

impl CommitAnchor {
    pub(super) fn new(sums: SumKeeper, file: Arc<AnchorFile>) -> Self {
        Self { sums, file, waiting: Arc::default() }
    }

    pub(super) fn sums(&self) -> &SumKeeper {
        &self.sums
    }

    /// Adds what was committed. A failure is no reason to fail the commit, which is done: the anchor is behind, and
    /// what it lacks is added with the next commit.
    pub(super) fn follow_commit(&self, committed: CommittedState) {
        let CommittedState { state, points, removals } = committed;
        let mut entries = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.number;
        entries.push(AnchorEntry::State(anchored_state(&state, points)));
        entries.extend(removals.into_iter().map(|removal| AnchorEntry::Removed(number, removal)));
        match self.file.append(&entries) {
            Ok(()) => entries.clear(),
            Err(error) => tracing::warn!(%error, path = %self.file.path().display(), "the anchor stays behind"),
        }
    }
}

fn anchored_state(state: &StoreState, points: Vec<AnchorPoint>) -> AnchoredState {
    AnchoredState { number: state.number, database: state.database.clone(), digest: state.digest(), points }
}

/// Writes the first entry of an anchor, for a database that has just been made or that had none before.
pub(super) fn begin_anchor(db: &Connection, file: &AnchorFile) -> Result<(), SqliteFailure> {
    // With a higher number the anchor was there and is gone: that is for `verify` to tell, and for people to accept.
    let Some(state) = StoreState::load(db)?.filter(|state| state.number == 1 && !file.exists()) else { return Ok(()) };
    let points = all_points(db)?;
    if let Err(error) = file.append(&[AnchorEntry::State(anchored_state(&state, points))]) {
        tracing::warn!(%error, path = %file.path().display(), "the anchor cannot be begun");
    }
    Ok(())
}

/// How far everything is.
fn all_points(db: &Connection) -> Result<Vec<AnchorPoint>, SqliteFailure> {
    let hex = |hash: Vec<u8>| Ok::<_, SqliteFailure>(crate::rows::hash_of(&hash)?);
    let mut points = Vec::new();
    let mut statement = db.prepare("SELECT conversation_id, message_count, head_hash FROM conversations")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let head = AnchorHead::new(row.get::<_, i64>(1)? as u64, hex(row.get(2)?)?);
        points.push(AnchorPoint::Conversation { id: row.get(0)?, head });
    }
    let mut statement = db.prepare("SELECT agent, path, ordinal, frame_count, mark_hash FROM generations")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let head = AnchorHead::new(row.get::<_, i64>(3)? as u64, hex(row.get(4)?)?);
        let (agent, path, generation) = (row.get(0)?, row.get(1)?, row.get(2)?);
        points.push(AnchorPoint::Archive { agent, path, generation, head });
    }
    let tables = [
        ("summaries", "summary_id"),
        ("artifacts", "artifact_id"),
        ("memories", "memory_id"),
        ("session_records", "record_id"),
    ];
    for (table, column) in tables {
        let mut statement = db.prepare(&format!("SELECT {column} FROM {table}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            points.push(AnchorPoint::Row { table: table.to_owned(), id: row.get(0)? });
        }
    }
    points.extend(all_statements(db)?.anchor_points());
    Ok(points)
}

#[async_trait]
impl AnchorStore for SqliteStore {
    async fn read_anchor(&self) -> Result<AnchorLog> {
        let file = Arc::clone(&self.anchor);
        let read = tokio::task::spawn_blocking(move || file.read()).await.map_err(std::io::Error::other).flatten();
        read.map_err(|error| self.anchor_error(&error))
    }

    async fn catch_up_anchor(&self, points: Vec<AnchorPoint>) -> Result<()> {
        let state = self.canonical.read(StoreState::load).await?;
        let Some(state) = state else { return Ok(()) };
        let entry = AnchorEntry::State(anchored_state(&state, points));
        self.anchor.append(&[entry]).map_err(|error| self.anchor_error(&error))
    }

    async fn list_removals(&self) -> Result<Vec<DataRemoval>> {
        let sql = "SELECT subject, reason, at, old_count, old_hash, new_count, new_hash FROM removals ORDER BY number";
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(sql)?;
                let mut rows = statement.query([])?;
                let mut removals = Vec::new();
                while let Some(row) = rows.next()? {
                    let head = |count: Option<i64>, hash: Option<String>| {
                        count.zip(hash).map(|(count, hash)| AnchorHead { count: count as u64, hash })
                    };
                    let (old, new) = (head(row.get(3)?, row.get(4)?), head(row.get(5)?, row.get(6)?));
                    let removal = removal_of(&row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, old, new);
                    removals
                        .push(removal.ok_or_else(|| SqliteFailure::Damaged("the subject of a removal".to_owned()))?);
                }
                Ok(removals)
            })
            .await
    }

    async fn record_removal(&self, removal: DataRemoval) -> Result<()> {
        self.canonical.write(move |db| put_removal(db, &removal)).await
    }

    async fn accept_restored(&self, name: &str, at: Timestamp, points: Vec<AnchorPoint>) -> Result<()> {
        let last = self.read_anchor().await?.last_state().unwrap_or_default();
        let key = super::key::fingerprint_in(self.directory());
        let keeper = self.canonical.sums();
        let state = self.canonical.write(move |db| {
            let Some(mut state) = StoreState::load(db)? else {
                return Err(SqliteFailure::Damaged("the row of its state is not there".to_owned()));
            };
            // Behind every number that was ever anchored, so that no later state has one of them again.
            state.number = state.number.max(last) + 1;
            state.sums = count_tables(db)?;
            state.key_fingerprint = key;
            state.store(db)?;
            keeper.inspect(|keeper| keeper.note_counted(&state.sums));
            Ok(state)
        });
        let state = anchored_state(&state.await?, points);
        let restore = AcceptedRestore { name: name.to_owned(), at, state };
        self.anchor.append(&[AnchorEntry::Restored(restore)]).map_err(|error| self.anchor_error(&error))
    }

    async fn check_counts(&self, which: CountedRows) -> Result<()> {
        self.canonical
            .read(move |db| {
                let Some(state) = StoreState::load(db)? else { return Ok(()) };
                let conversations = ("conversations", "other.conversation_id = own.conversation_id");
                let messages = ("messages", "other.conversation = own.conversation AND other.seq = own.seq");
                let tables = match which {
                    CountedRows::Conversations => &[conversations][..],
                    CountedRows::Messages => &[conversations, messages],
                };
                for (table, same) in tables {
                    // Counted by the table itself, because an index may still have what the table lost; and each row
                    // looked up by the index that questions use, because that may have lost what the table has. A page that lies
                    // twice in the table makes up for the rows it replaced, unless each number counts once.
                    let sql = format!(
                        "SELECT count(DISTINCT own.number) FROM {table} AS own NOT INDEXED
                         WHERE EXISTS (SELECT 1 FROM {table} AS other WHERE {same})"
                    );
                    let found: i64 = db.query_row(&sql, [], |row| row.get(0))?;
                    let stored = state.sums.get(*table).map_or(0, |sum| sum.rows);
                    if found != stored {
                        return Err(SqliteFailure::Damaged(format!("of {stored} rows of {table}, {found} are found")));
                    }
                }
                Ok(())
            })
            .await
    }

    async fn recount_derived(&self) -> Result<()> {
        let keeper = self.canonical.sums();
        self.canonical
            .write(move |db| {
                let Some(mut state) = StoreState::load(db)? else { return Ok(()) };
                let counted = count_derived(db)?;
                keeper.inspect(|keeper| keeper.note_counted(&counted));
                state.sums.extend(counted);
                Ok(state.store(db)?)
            })
            .await
    }
}

impl SqliteStore {
    /// Keeps the fingerprint of the key of placeholders, when the first one is used.
    pub(super) async fn anchor_key(&self, fingerprint: String) -> Result<()> {
        let known = self.canonical.read(StoreState::load).await?;
        if known.is_none_or(|state| state.key_fingerprint.is_some()) {
            return Ok(());
        }
        let state = self.canonical.write(move |db| {
            let Some(mut state) = StoreState::load(db)?.filter(|state| state.key_fingerprint.is_none()) else {
                return Ok(None);
            };
            state.key_fingerprint = Some(fingerprint);
            state.number += 1;
            state.store(db)?;
            Ok(Some(state))
        });
        let Some(state) = state.await? else { return Ok(()) };
        let entry = AnchorEntry::State(anchored_state(&state, Vec::new()));
        self.anchor.append(&[entry]).map_err(|error| self.anchor_error(&error))
    }

    fn anchor_error(&self, error: &std::io::Error) -> Error {
        Error::ReadOnly { database: self.anchor.path().display().to_string(), reason: error.to_string() }
    }
}

/// Writes down a removal in the transaction that removes; the anchor repeats it when that is committed.
pub(super) fn put_removal(db: &Connection, removal: &DataRemoval) -> Result<(), SqliteFailure> {
    let sql = "INSERT INTO removals (at, reason, subject, old_count, old_hash, new_count, new_hash)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let count = |head: &Option<AnchorHead>| head.as_ref().map(|head| head.count as i64);
    let hash = |head: &Option<AnchorHead>| head.as_ref().map(|head| head.hash.clone());
    db.prepare_cached(sql)?.execute(params![
        removal.at.0,
        removal.reason,
        removal.subject.to_line(),
        count(&removal.old),
        hash(&removal.old),
        count(&removal.new),
        hash(&removal.new),
    ])?;
    Ok(())
}

/// The removal of a row's columns; none where its subject is not one of ours.
pub(super) fn removal_of(
    subject: &str,
    reason: String,
    at: i64,
    old: Option<AnchorHead>,
    new: Option<AnchorHead>,
) -> Option<DataRemoval> {
    Some(DataRemoval { subject: RemovedSubject::from_line(subject)?, reason, at: Timestamp(at), old, new })
}
