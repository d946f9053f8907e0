//! `SumKeeper` sees every row that the writing connection adds, changes or deletes, by triggers that only this
//! connection has, and carries the sums on with each commit.

use super::super::anchor::put_removal;
use super::super::failure::SqliteFailure;
use super::named_row::{NamedRow, head_of, is_same_subject};
use super::{StoreState, SummedTable, TableSum, TableSums, is_kept, row_digest, summed_tables};
use crate::{AnchorPoint, DataRemoval, RemovedSubject, Result};
use model::Timestamp;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What the changes of an open transaction add up to.
#[derive(Default)]
struct PendingSums {
    sums: BTreeMap<usize, TableSum>,
    points: Vec<AnchorPoint>,
    removals: Vec<DataRemoval>,
    /// Anchored rows that were deleted, by table and id.
    gone: BTreeSet<(String, String)>,
    /// Conversations and archives that were changed or deleted, as they were before the first change.
    before: Vec<AnchorPoint>,
    /// Why canonical data is changed, and when, where the user asked for it.
    purpose: Option<(String, Timestamp)>,
    /// Tables whose rows were all counted anew.
    counted: BTreeSet<String>,
}

/// The table that has no trigger for rows that are added: with one, SQLite keeps a copy of every page that an insert
/// changes, which more than doubles the time of an append. `append_all` tells of its rows at the end.
const TOLD_TABLE: &str = "messages";

/// What a commit has to tell the anchor.
pub(in crate::sqlite) struct CommittedState {
    pub(in crate::sqlite) state: StoreState,
    pub(in crate::sqlite) points: Vec<AnchorPoint>,
    pub(in crate::sqlite) removals: Vec<DataRemoval>,
}

/// Sees every row that a writing connection adds, changes or deletes. Clones are the same one.
#[derive(Clone, Default)]
pub(in crate::sqlite) struct SumKeeper {
    pending: Arc<Mutex<PendingSums>>,
    /// Known from the first change on.
    tables: Arc<OnceLock<Vec<SummedTable>>>,
}

impl SumKeeper {
    /// Watches the writing connection, whose schema is up to date. To be called before its first change and not when it
    /// is opened: making the triggers takes longer than a question that changes nothing.
    pub(in crate::sqlite) fn watch(&self, db: &Connection) -> rusqlite::Result<()> {
        if self.tables.get().is_some() {
            return Ok(());
        }
        let tables = summed_tables(db)?;
        let noted = self.clone();
        // It changes nothing in the database, so even a schema that is not trusted may call it.
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        db.create_scalar_function("note_row", -1, flags, move |context| noted.note_row(context))?;
        let named = self.clone();
        db.create_scalar_function("note_added", -1, flags, move |context| named.note_added(context))?;
        for (number, table) in tables.iter().enumerate() {
            let row = |name: &str| table.columns.iter().map(|column| format!("{name}.{column}")).collect::<Vec<_>>();
            let (old, new, table) = (row("OLD").join(", "), row("NEW").join(", "), &table.name);
            if table != TOLD_TABLE {
                db.execute_batch(&format!(
                    "CREATE TEMP TRIGGER IF NOT EXISTS {table}_comes AFTER INSERT ON main.{table}
                     BEGIN SELECT note_row({number}, 1, {new}); END;"
                ))?;
            }
            db.execute_batch(&format!(
                "CREATE TEMP TRIGGER IF NOT EXISTS {table}_goes AFTER DELETE ON main.{table}
                 BEGIN SELECT note_row({number}, -1, {old}); END;
                 CREATE TEMP TRIGGER IF NOT EXISTS {table}_changes AFTER UPDATE ON main.{table}
                 BEGIN SELECT note_row({number}, -1, {old}), note_row({number}, 1, {new}); END;"
            ))?;
        }
        // There is one writer; no other connection can have set them.
        let _ = self.tables.set(tables);
        Ok(())
    }

    fn table(&self, number: usize) -> Option<&SummedTable> {
        self.tables.get()?.get(number)
    }

    fn lock(&self) -> MutexGuard<'_, PendingSums> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a change, and forgets what it did where it fails: its rows are taken back.
    pub(in crate::sqlite) fn follow<T, E>(&self, change: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let before = std::mem::take(&mut *self.lock());
        let outcome = change();
        let mut pending = self.lock();
        let made = std::mem::replace(&mut *pending, before);
        if outcome.is_ok() {
            // Rows of the changes before it are in what it counted.
            for (table, sum) in &mut pending.sums {
                if self.table(*table).is_some_and(|table| made.counted.contains(&table.name)) {
                    *sum = TableSum::default();
                }
            }
            for (table, sum) in made.sums {
                pending.sums.entry(table).or_default().add(sum);
            }
            // First what was before, which takes the points of earlier changes back, then what is now.
            made.before.into_iter().for_each(|point| pending.add_before(point));
            pending.add_points(made.points);
            pending.removals.extend(made.removals);
            pending.gone.extend(made.gone);
            pending.purpose = made.purpose.or(pending.purpose.take());
        }
        outcome
    }

    /// To be called by a change that wrote sums which it counted itself.
    pub(in crate::sqlite) fn note_counted(&self, tables: &TableSums) {
        self.lock().counted.extend(tables.keys().cloned());
    }

    /// To be called by a change that deletes because the user asked for it: what goes is a removal, and no loss.
    pub(in crate::sqlite) fn note_purpose(&self, reason: &str, at: Timestamp) {
        self.lock().purpose = Some((reason.to_owned(), at));
    }

    /// Forgets everything: the whole transaction is taken back.
    pub(in crate::sqlite) fn forget(&self) {
        *self.lock() = PendingSums::default();
    }

    /// Adds what is pending to the row of the state, in the open transaction. None where nothing that is kept changed.
    pub(in crate::sqlite) fn flush(&self, db: &Connection) -> Result<Option<CommittedState>, SqliteFailure> {
        self.put_removals(db)?;
        let pending = std::mem::take(&mut *self.lock());
        if pending.sums.is_empty() {
            return Ok(None);
        }
        // Without its row nothing can be carried on; `verify` tells, and what was said is stored all the same.
        let Some(mut state) = StoreState::load(db)? else { return Ok(None) };
        let mut has_kept = false;
        for (table, sum) in pending.sums {
            let Some(SummedTable { name, .. }) = self.table(table) else { continue };
            state.sums.entry(name.clone()).or_default().add(sum);
            has_kept |= is_kept(name);
        }
        state.number += u64::from(has_kept);
        state.store(db)?;
        let PendingSums { points, removals, .. } = pending;
        Ok(has_kept.then_some(CommittedState { state, points, removals }))
    }

    /// Writes down what is not any more as it was anchored, in a transaction that was asked for: conversations and
    /// archives with other hashes or none, and the summaries, artifacts and memories that went with them. The rows of
    /// `removals` come back here by their trigger.
    fn put_removals(&self, db: &Connection) -> Result<(), SqliteFailure> {
        let mut removals = Vec::new();
        {
            let mut pending = self.lock();
            let Some((reason, at)) = pending.purpose.clone() else { return Ok(()) };
            let removal = |subject, old, new| DataRemoval { subject, reason: reason.clone(), at, old, new };
            for before in std::mem::take(&mut pending.before) {
                let Some((subject, old)) = head_of(&before) else { continue };
                let new = pending.points.iter().find(|point| is_same_subject(point, &before)).and_then(head_of);
                let new = new.map(|(_, head)| head);
                let goes_on = new.as_ref().is_some_and(|new| new.count > old.count || *new == old);
                if !goes_on && !pending.removals.iter().any(|known| known.subject == subject) {
                    removals.push(removal(subject, Some(old), new));
                }
            }
            for (table, id) in std::mem::take(&mut pending.gone) {
                removals.push(removal(RemovedSubject::Row { table, id }, None, None));
            }
        }
        removals.iter().try_for_each(|removal| put_removal(db, removal))
    }

    /// The function that the triggers call: table, whether the row comes or goes, and its values.
    fn note_row(&self, context: &Context<'_>) -> rusqlite::Result<i64> {
        let table = usize::try_from(context.get::<i64>(0)?).unwrap_or(usize::MAX);
        self.note_values(context, table, context.get::<i64>(1)? > 0);
        Ok(0)
    }

    /// The function for rows that the code which added them tells of: the name of the table, nothing, and the values.
    fn note_added(&self, context: &Context<'_>) -> rusqlite::Result<i64> {
        let name: String = context.get(0)?;
        let table = self.tables.get().and_then(|tables| tables.iter().position(|table| table.name == name));
        self.note_values(context, table.unwrap_or(usize::MAX), true);
        Ok(0)
    }

    /// Counts the values from the third argument on as a row.
    fn note_values(&self, context: &Context<'_>, table: usize, comes: bool) {
        let Some(SummedTable { name, columns }) = self.table(table) else { return };
        let values = || (2..context.len()).map(|at| context.get_raw(at));
        let sum = TableSum::of_row(row_digest(name, values(), &mut Vec::new()));
        let mut pending = self.lock();
        pending.sums.entry(table).or_default().add(if comes { sum } else { sum.negated() });
        let values: Vec<ValueRef<'_>> = values().collect();
        let row = NamedRow { columns, values: &values };
        match (name.as_str(), row.point(name), comes) {
            ("removals", _, true) => pending.add_removal(row.removal()),
            ("rewrites", _, true) => pending.purpose = row.text("reason").zip(row.number("at").map(Timestamp)),
            (_, Some(AnchorPoint::Row { table, id }), false) => drop(pending.gone.insert((table, id))),
            (_, Some(point), false) => pending.add_before(point),
            (_, Some(point), true) => pending.add_point(point),
            _ => {}
        }
    }
}

impl PendingSums {
    fn add_points(&mut self, points: impl IntoIterator<Item = AnchorPoint>) {
        points.into_iter().for_each(|point| self.add_point(point));
    }

    /// A conversation or an archive as it was before this transaction, and before it perhaps comes back.
    fn add_before(&mut self, point: AnchorPoint) {
        self.points.retain(|known| !is_same_subject(known, &point));
        if !self.before.iter().any(|known| is_same_subject(known, &point)) {
            self.before.push(point);
        }
    }

    fn add_removal(&mut self, removal: Option<DataRemoval>) {
        let Some(removal) = removal else { return };
        self.purpose.get_or_insert_with(|| (removal.reason.clone(), removal.at));
        self.removals.push(removal);
    }

    fn add_point(&mut self, point: AnchorPoint) {
        if let AnchorPoint::Row { table, id } = &point {
            self.gone.remove(&(table.clone(), id.clone()));
        }
        // A conversation that several changes of one commit add to is told once, as it is at the end.
        match self.points.iter_mut().find(|known| is_same_subject(known, &point)) {
            Some(known) => *known = point,
            None => self.points.push(point),
        }
    }
}
