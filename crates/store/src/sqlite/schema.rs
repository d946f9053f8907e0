//! Schema migrations of the SQLite databases: plain SQL files; `user_version` says which one a database has. The
//! canonical database and that of what models made are migrated step by step, an outdated index is rebuilt.

use crate::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

/// How a database gets its newest schema.
pub(super) enum MigrationPlan {
    /// Steps from the first, applied in order; the version counts those applied.
    Steps(&'static [&'static str]),
    /// All at once; a database of an older version counts as damaged, because what it holds can be made again.
    Anew { version: u32, sql: &'static str },
}

pub(super) const CANONICAL: MigrationPlan = MigrationPlan::Steps(&[
    include_str!("../../migrations/sqlite/canonical/0001_initial.sql"),
    include_str!("../../migrations/sqlite/canonical/0002_ledger.sql"),
    include_str!("../../migrations/sqlite/canonical/0003_archive.sql"),
    include_str!("../../migrations/sqlite/canonical/0004_folds.sql"),
    include_str!("../../migrations/sqlite/canonical/0005_feedback.sql"),
    include_str!("../../migrations/sqlite/canonical/0006_no_terms.sql"),
]);
/// Steps, although all of it can be made again: perhaps not for free.
pub(super) const MODELS: MigrationPlan = MigrationPlan::Steps(&[
    include_str!("../../migrations/sqlite/models/0001_initial.sql"),
    include_str!("../../migrations/sqlite/models/0002_model_registry.sql"),
]);
pub(super) const INDEX: MigrationPlan =
    MigrationPlan::Anew { version: 5, sql: include_str!("../../migrations/sqlite/index/0001_initial.sql") };

/// Brings a database to the newest schema, all steps in one transaction, and refuses one that is newer.
pub(super) fn migrate_schema(connection: &mut Connection, database: &str, schema: &MigrationPlan) -> Result<()> {
    let known = match schema {
        MigrationPlan::Steps(steps) => steps.len() as u32,
        MigrationPlan::Anew { version, .. } => *version,
    };
    let fail = |error: rusqlite::Error| super::database::error_of(database, &error);
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
        MigrationPlan::Steps(steps) => {
            steps.iter().skip(found as usize).try_for_each(|sql| transaction.execute_batch(sql)).map_err(fail)?;
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

fn schema_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
