//! Compares the canonical SQLite database with what it must be: its schema with what the migrations make, its rows with
//! their sums, its state with the anchor, and the key of placeholders with its fingerprint.

use super::SqliteStore;
use super::failure::SqliteFailure;
use super::key::fingerprint_in;
use super::schema::{SchemaObject, expected_schema, read_schema};
use super::sums::{StoreState, TableSum, count_tables};
use crate::{AnchorLog, AnchorStore as _, DatabaseFault, FaultKind, Result};
use rusqlite::Connection;

impl SqliteStore {
    /// Everything about the database as a whole that is not as it was stored.
    pub(super) async fn check_state(&self) -> Result<Vec<DatabaseFault>> {
        // The anchor first: a process that writes meanwhile makes the database newer than what was read of the anchor.
        let before = self.read_anchor().await?;
        let (state, mut faults) = self.canonical.read(|db| Ok((StoreState::load(db)?, check_database(db)?))).await?;
        let Some(state) = state else {
            faults.push(structure("the row of its state is not there"));
            return Ok(faults);
        };
        // Read again for the digest of the state that was seen, which may have been anchored since.
        let after = self.read_anchor().await?;
        faults.extend(compare_anchor(&state, &before, &after, &self.anchor.path().display().to_string()));
        faults.extend(self.check_key(&state));
        Ok(faults)
    }

    fn check_key(&self, state: &StoreState) -> Option<DatabaseFault> {
        let known = state.key_fingerprint.as_ref()?;
        let what = match fingerprint_in(self.directory()) {
            Some(found) if found == *known => return None,
            Some(_) => "scrub.key is another key than the one that placeholders were made with",
            None => "scrub.key is missing or damaged: secrets that come again get other placeholders",
        };
        Some(structure(what))
    }
}

fn structure(what: impl Into<String>) -> DatabaseFault {
    DatabaseFault { what: what.into(), kind: FaultKind::Structure }
}

/// Compares schema and sums, on one state of the database.
fn check_database(db: &Connection) -> Result<Vec<DatabaseFault>, SqliteFailure> {
    let mut faults = compare_schema(&read_schema(db)?, &expected_schema()?);
    // Rows of a table that has other columns cannot be compared.
    let Some(state) = StoreState::load(db)?.filter(|_| faults.is_empty() || has_all_tables(&faults)) else {
        return Ok(faults);
    };
    let counted = count_tables(db)?;
    let none = TableSum::default();
    for table in state.sums.keys().chain(counted.keys().filter(|table| !state.sums.contains_key(*table))) {
        let (stored, found) = (state.sums.get(table).unwrap_or(&none), counted.get(table).unwrap_or(&none));
        faults.extend(DatabaseFault::from_sums(table, stored.rows, found.rows, stored == found));
    }
    Ok(faults)
}

fn has_all_tables(faults: &[DatabaseFault]) -> bool {
    !faults.iter().any(|fault| fault.what.starts_with("table "))
}

fn compare_schema(found: &[SchemaObject], expected: &[SchemaObject]) -> Vec<DatabaseFault> {
    let find = |among: &[SchemaObject], it: &SchemaObject| {
        among.iter().find(|other| (&other.kind, &other.name) == (&it.kind, &it.name)).cloned()
    };
    let mut faults = Vec::new();
    for object in expected {
        match find(found, object) {
            None => faults.push(structure(format!("{} {} is not there", object.kind, object.name))),
            Some(other) if other.sql != object.sql => {
                faults.push(structure(format!("{} {} was changed", object.kind, object.name)));
            }
            Some(_) => {}
        }
    }
    let unknown = found.iter().filter(|object| find(expected, object).is_none());
    faults.extend(unknown.map(|object| structure(format!("{} {} is none of ours", object.kind, object.name))));
    faults
}

/// Compares a state with what was anchored before it was read, and since.
fn compare_anchor(state: &StoreState, before: &AnchorLog, after: &AnchorLog, path: &str) -> Vec<DatabaseFault> {
    let lost = |what: String| DatabaseFault { what, kind: FaultKind::Lost };
    let mut faults: Vec<DatabaseFault> =
        before.faults.iter().map(|what| lost(format!("{what} in the anchor {path}"))).collect();
    // The first state may lack its entry, when the process that made the database was stopped before it wrote it.
    let first = before.first_state.unwrap_or(state.number);
    if before.entry_count == 0 && state.number > 1 {
        faults.push(lost(format!("the anchor {path} is not there: nothing says how much the database had")));
    } else if first > 2 {
        faults.push(lost(format!("the anchor {path} begins with state {first}: what it said before is not there")));
    }
    if let Some(last) = before.last_state().filter(|last| *last > state.number) {
        let number = state.number;
        faults.push(lost(format!("the database is at state {number}, and state {last} was acknowledged")));
    }
    for (number, known) in &before.states {
        let databases = known.iter().any(|(database, _)| *database != state.database);
        let digests = after.states.get(number).is_some_and(|known| known.len() > 1);
        if databases {
            faults
                .push(lost(format!("state {number} is that of another database, which was in the place of this one")));
        } else if digests {
            faults.push(lost(format!("state {number} was reached twice: the database was put back in between")));
        }
        if databases || digests {
            break;
        }
    }
    if let Some(known) = after.states.get(&state.number)
        && !known.contains(&(state.database.clone(), state.digest()))
    {
        faults.push(lost(format!("the database is not in the state that was acknowledged as number {}", state.number)));
    }
    faults
}
