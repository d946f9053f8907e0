//! Schema migrations of the SQLite databases: plain SQL files; `user_version` says which one a database has. The
//! canonical database and that of what models made are migrated step by step, an outdated index is rebuilt.

use super::failure::SqliteFailure;
use super::sums;
use crate::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

/// How a database gets its newest schema.
pub(super) enum MigrationPlan {
    /// Steps from the first, applied in order; the version counts those applied.
    Steps(&'static [&'static str]),
    /// The same, for a database whose rows are summed: the sums are carried over.
    Summed(&'static [&'static str]),
    /// All at once; a database of an older version counts as damaged, because what it holds can be made again.
    Anew { version: u32, sql: &'static str },
}

pub(super) const CANONICAL_MIGRATIONS: MigrationPlan = MigrationPlan::Summed(CANONICAL_STEPS);
const CANONICAL_STEPS: &[&str] = &[
    include_str!("../../migrations/sqlite/canonical/0001_initial.sql"),
    include_str!("../../migrations/sqlite/canonical/0002_ledger.sql"),
    include_str!("../../migrations/sqlite/canonical/0003_archive.sql"),
    include_str!("../../migrations/sqlite/canonical/0004_folds.sql"),
    include_str!("../../migrations/sqlite/canonical/0005_feedback.sql"),
    include_str!("../../migrations/sqlite/canonical/0006_no_terms.sql"),
    include_str!("../../migrations/sqlite/canonical/0007_memories.sql"),
    include_str!("../../migrations/sqlite/canonical/0008_sessions.sql"),
    include_str!("../../migrations/sqlite/canonical/0009_proof.sql"),
    include_str!("../../migrations/sqlite/canonical/0010_rewrites.sql"),
    include_str!("../../migrations/sqlite/canonical/0011_tool_calls.sql"),
    include_str!("../../migrations/sqlite/canonical/0012_entities.sql"),
    include_str!("../../migrations/sqlite/canonical/0013_session_records.sql"),
    include_str!("../../migrations/sqlite/canonical/0014_projects.sql"),
    include_str!("../../migrations/sqlite/canonical/0015_authors.sql"),
];
/// Steps, although all of it can be made again: perhaps not for free.
pub(super) const MODEL_MIGRATIONS: MigrationPlan = MigrationPlan::Steps(&[
    include_str!("../../migrations/sqlite/models/0001_initial.sql"),
    include_str!("../../migrations/sqlite/models/0002_model_registry.sql"),
]);
pub(super) const INDEX_MIGRATIONS: MigrationPlan =
    MigrationPlan::Anew { version: 9, sql: include_str!("../../migrations/sqlite/index/0001_initial.sql") };

impl MigrationPlan {
    /// The version that this program makes.
    pub(super) fn newest_version(&self) -> u32 {
        match self {
            Self::Steps(steps) | Self::Summed(steps) => steps.len() as u32,
            Self::Anew { version, .. } => *version,
        }
    }
}

/// Brings a database to the newest schema, all steps in one transaction, and refuses one that is newer.
pub(super) fn migrate_schema(connection: &mut Connection, database: &str, schema: &MigrationPlan) -> Result<()> {
    let known = schema.newest_version();
    let fail = |error: rusqlite::Error| super::failure::error_of(database, &error);
    // The common case takes no write lock, so that opening does not wait for another process that writes.
    if schema_version(connection).map_err(fail)? == known {
        return Ok(());
    }
    // Read again under the write lock: another process may have migrated between the first look and the lock.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    let found = schema_version(&transaction).map_err(fail)?;
    if found == known {
        return Ok(());
    }
    // A newer version may have stored what this one cannot read; writing to it could lose that.
    if found > known {
        return Err(Error::Newer { database: database.to_owned(), found, known });
    }
    match schema {
        MigrationPlan::Steps(steps) => apply_steps(&transaction, database, steps, found)?,
        MigrationPlan::Summed(steps) => {
            let summed = |failure: SqliteFailure| failure.into_error(database);
            let before = sums::sums_before(&transaction).map_err(summed)?;
            apply_steps(&transaction, database, steps, found)?;
            sums::carry_over(&transaction, before.as_ref()).map_err(summed)?;
        }
        MigrationPlan::Anew { sql, .. } if found == 0 => transaction.execute_batch(sql).map_err(fail)?,
        // Reported as damage, because `DatabaseSet` then replaces the file: an index is made again faster than it is
        // converted.
        MigrationPlan::Anew { .. } => {
            let what = format!("an older version wrote it (schema {found}, this one knows {known})");
            return Err(Error::Corrupt { database: database.to_owned(), what });
        }
    }
    // The version is part of the transaction: a crash leaves the old schema with the old number.
    transaction.pragma_update(None, "user_version", known).map_err(fail)?;
    transaction.commit().map_err(fail)
}

/// Applies the steps that a database of version `found` lacks.
fn apply_steps(connection: &Connection, database: &str, steps: &[&str], found: u32) -> Result<()> {
    let applied = steps.iter().skip(found as usize).try_for_each(|sql| connection.execute_batch(sql));
    applied.map_err(|error| {
        let error = super::failure::error_of(database, &error);
        // A statement is refused for the tables that are there only where the number of the schema was changed.
        if !matches!(error, Error::Unavailable { .. }) {
            return error;
        }
        let what = format!("its tables are not those of schema {found}, which it says it has");
        Error::Corrupt { database: database.to_owned(), what }
    })
}

/// What a new database of this version has: kind, name and statement of everything in its schema.
pub(super) fn expected_schema() -> rusqlite::Result<Vec<SchemaObject>> {
    let made = Connection::open_in_memory()?;
    CANONICAL_STEPS.iter().try_for_each(|sql| made.execute_batch(sql))?;
    read_schema(&made)
}

/// The columns that can hold a text, of all tables of new databases of every kind: table and column.
#[cfg(all(test, feature = "postgres"))]
pub(crate) fn text_columns_of_schema() -> Vec<(String, String)> {
    let mut columns = Vec::new();
    for plan in [CANONICAL_MIGRATIONS, MODEL_MIGRATIONS, INDEX_MIGRATIONS] {
        let made = Connection::open_in_memory().expect("opens");
        match plan {
            MigrationPlan::Steps(steps) | MigrationPlan::Summed(steps) => {
                steps.iter().try_for_each(|sql| made.execute_batch(sql)).expect("makes the tables");
            }
            MigrationPlan::Anew { sql, .. } => made.execute_batch(sql).expect("makes the tables"),
        }
        let sql = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
                   WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.type NOT IN ('INTEGER', 'REAL')";
        let mut statement = made.prepare(sql).expect("asks");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("asks");
        columns.extend(rows.collect::<rusqlite::Result<Vec<_>>>().expect("reads"));
    }
    columns
}

/// Something in the schema of a database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SchemaObject {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) sql: Option<String>,
}

/// Everything in the schema of a database, but for what SQLite makes by itself.
pub(super) fn read_schema(connection: &Connection) -> rusqlite::Result<Vec<SchemaObject>> {
    let sql = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1, 2";
    let mut statement = connection.prepare(sql)?;
    let rows =
        statement.query_map([], |row| Ok(SchemaObject { kind: row.get(0)?, name: row.get(1)?, sql: row.get(2)? }))?;
    rows.collect()
}

/// Whether a database has the newest schema; one that is newer is refused.
pub(super) fn is_current(connection: &Connection, database: &str, schema: &MigrationPlan) -> Result<bool> {
    let known = schema.newest_version();
    Ok(refuse_newer(connection, database, known)? == known)
}

/// The version of a database; one that is newer than `known` is refused. A newer program may have brought it up to date
/// while this one runs, which would then read and write what it does not understand.
pub(super) fn refuse_newer(connection: &Connection, database: &str, known: u32) -> Result<u32> {
    let found = schema_version(connection).map_err(|error| super::failure::error_of(database, &error))?;
    if found > known {
        return Err(Error::Newer { database: database.to_owned(), found, known });
    }
    Ok(found)
}

fn schema_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
