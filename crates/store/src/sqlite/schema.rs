//! Migrations: plain SQL files applied in order; `user_version` counts those applied.

use crate::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

pub(super) const CANONICAL: &[&str] = &[include_str!("../../migrations/sqlite/canonical/0001_initial.sql")];
pub(super) const INDEX: &[&str] = &[include_str!("../../migrations/sqlite/index/0001_initial.sql")];

/// Brings a database to the newest schema, all steps in one transaction, and refuses one that is newer.
pub(super) fn migrate(connection: &mut Connection, database: &str, steps: &[&str]) -> Result<()> {
    let known = steps.len() as u32;
    let fail = |error: rusqlite::Error| super::database::error_of(database, &error);
    if version(connection).map_err(fail)? == known {
        return Ok(());
    }
    // Read again under the write lock: another process may be migrating at this moment.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    let found = version(&transaction).map_err(fail)?;
    if found > known {
        return Err(Error::Newer { database: database.to_owned(), found, known });
    }
    for (step, sql) in steps.iter().enumerate().skip(found as usize) {
        transaction.execute_batch(sql).map_err(fail)?;
        transaction.pragma_update(None, "user_version", step as u32 + 1).map_err(fail)?;
    }
    transaction.commit().map_err(fail)
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
