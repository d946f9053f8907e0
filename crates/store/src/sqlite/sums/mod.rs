//! Sums over all rows of every table of the canonical SQLite database: for each table how many rows it has, and the sum
//! of their digests. Whatever is added, changed or deleted without the store leaves a sum that no longer fits.
//!
//! Every commit carries the sums on. Triggers that only the writing connection has hand each row that comes or goes to
//! `SumKeeper`; the commit adds what they give to the row of `store_state`, in the same transaction.

mod keeper;
mod named_row;
mod table_sum;

pub(super) use keeper::{CommittedState, SumKeeper};
pub(super) use table_sum::{TableSum, TableSums};

use super::failure::SqliteFailure;
use crate::Result;
use model::{ContentHash, DigestBuilder};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};
use table_sum::{decode_sums, encode_sums, sum_bytes};

/// Tables whose rows are kept for good. The digest of their sums is what the anchor repeats.
const KEPT: [&str; 22] = [
    "artifacts",
    "conversations",
    "entities",
    "entity_links",
    "frames",
    "generation_frames",
    "generations",
    "line_kinds",
    "memories",
    "memory_notes",
    "message_artifacts",
    "message_origins",
    "messages",
    "quarantine",
    "removals",
    "rewrites",
    "session_record_notes",
    "session_records",
    "session_summaries",
    "summaries",
    "summary_covers",
    "tails",
];

/// Tables that can be made again from the messages.
const DERIVED: [&str; 4] = ["context_items", "contexts", "conversation_facts", "jobs"];

/// The row of `store_state`.
#[derive(Clone, Debug)]
pub(super) struct StoreState {
    pub(super) database: String,
    pub(super) number: u64,
    pub(super) key_fingerprint: Option<String>,
    pub(super) sums: TableSums,
}

impl StoreState {
    /// Reads the row; none where it is missing.
    pub(super) fn load(db: &Connection) -> Result<Option<Self>, SqliteFailure> {
        let sql = "SELECT database_id, number, key_fingerprint, sums FROM store_state WHERE one = 1";
        let row = db
            .prepare_cached(sql)?
            .query_row([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get(2)?, row.get::<_, Vec<u8>>(3)?)));
        let Some((database, number, key_fingerprint, sums)) = row.optional()? else { return Ok(None) };
        Ok(Some(Self { database, number: number as u64, key_fingerprint, sums: decode_sums(&sums)? }))
    }

    pub(super) fn store(&self, db: &Connection) -> rusqlite::Result<()> {
        let sql = "UPDATE store_state SET number = ?1, key_fingerprint = ?2, sums = ?3 WHERE one = 1";
        let row = params![self.number as i64, self.key_fingerprint, encode_sums(&self.sums)];
        db.prepare_cached(sql)?.execute(row).map(drop)
    }

    /// The digest of what is kept, and of the key of placeholders.
    pub(super) fn digest(&self) -> String {
        let start = DigestBuilder::new("store state")
            .add_field(self.database.as_bytes())
            .add_field(&self.number.to_le_bytes())
            .add_optional(self.key_fingerprint.as_deref().map(str::as_bytes));
        let kept = self.sums.iter().filter(|(table, _)| is_kept(table));
        let add = |digest: DigestBuilder, (table, sum): (&String, &TableSum)| {
            digest.add_field(table.as_bytes()).add_field(&sum_bytes(*sum))
        };
        kept.fold(start, add).finish().to_string()
    }
}

pub(super) fn is_kept(table: &str) -> bool {
    KEPT.contains(&table)
}

/// A table whose rows are summed.
struct SummedTable {
    name: String,
    columns: Vec<String>,
}

/// Every table but the one that holds the sums.
fn summed_tables(db: &Connection) -> rusqlite::Result<Vec<SummedTable>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                 AND name <> 'store_state' ORDER BY name";
    let names = db.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let table = |name: String| {
        let mut statement = db.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
        let columns = statement.query_map([&name], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(SummedTable { name, columns })
    };
    names.into_iter().map(table).collect()
}

/// The digest of one row. Nulls at the end are left out, so that a column that is added changes no digest.
fn row_digest<'v>(table: &str, values: impl Iterator<Item = ValueRef<'v>>, bytes: &mut Vec<u8>) -> ContentHash {
    bytes.clear();
    bytes.extend_from_slice(table.as_bytes());
    bytes.push(0);
    let mut end = bytes.len();
    for value in values {
        let (tag, content): (u8, &[u8]) = match &value {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(number) => (1, &number.to_le_bytes()),
            ValueRef::Real(number) => (2, &number.to_le_bytes()),
            ValueRef::Text(text) => (3, text),
            ValueRef::Blob(blob) => (4, blob),
        };
        bytes.push(tag);
        bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(content);
        if tag != 0 {
            end = bytes.len();
        }
    }
    ContentHash::hash_bytes(&bytes[..end])
}

/// Sums every row that the database has now.
pub(super) fn count_tables(db: &Connection) -> Result<TableSums, SqliteFailure> {
    let mut sums = TableSums::new();
    for table in summed_tables(db)? {
        sums.insert(table.name.clone(), count_table(db, &table)?);
    }
    Ok(sums)
}

/// Whether the rows of a table are those that were stored, as far as their sum says it. Every row is read.
pub(super) fn is_table_whole(db: &Connection, name: &str) -> Result<bool, SqliteFailure> {
    let stored = StoreState::load(db)?.and_then(|state| state.sums.get(name).copied());
    let table = summed_tables(db)?.into_iter().find(|table| table.name == name);
    let (Some(stored), Some(table)) = (stored, table) else { return Ok(true) };
    Ok(count_table(db, &table)? == stored)
}

fn count_table(db: &Connection, table: &SummedTable) -> Result<TableSum, SqliteFailure> {
    let mut sum = TableSum::default();
    let mut bytes = Vec::new();
    // By the table itself and not by an index, so that what an index hides is counted.
    let sql = format!("SELECT {} FROM {} NOT INDEXED", table.columns.join(", "), table.name);
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values =
            (0..table.columns.len()).map(|column| row.get_ref(column)).collect::<rusqlite::Result<Vec<_>>>()?;
        sum.add(TableSum::of_row(row_digest(&table.name, values.into_iter(), &mut bytes)));
    }
    Ok(sum)
}

/// Counts the tables after a migration. What did not fit before it does not fit afterwards either: a change of the
/// schema must not make damage look right.
pub(super) fn carry_over(db: &Connection, before: Option<&(TableSums, TableSums)>) -> Result<(), SqliteFailure> {
    let Some(mut state) = StoreState::load(db)? else { return Ok(()) };
    let mut sums = count_tables(db)?;
    for (table, sum) in before.into_iter().flat_map(|(stored, _)| stored) {
        let found = before.and_then(|(_, found)| found.get(table)).copied().unwrap_or_default();
        if *sum != found {
            let entry = sums.entry(table.clone()).or_default();
            entry.add(*sum);
            entry.add(found.negated());
        }
    }
    (state.sums, state.number) = (sums, state.number + 1);
    Ok(state.store(db)?)
}

/// The sums as they are stored and as they are, before a migration; none where there are none yet.
pub(super) fn sums_before(db: &Connection) -> Result<Option<(TableSums, TableSums)>, SqliteFailure> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'store_state'";
    if db.query_row(sql, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(None);
    }
    let Some(state) = StoreState::load(db)? else { return Ok(None) };
    Ok(Some((state.sums, count_tables(db)?)))
}

/// The sums of tables that can be made again, as those tables are.
pub(super) fn count_derived(db: &Connection) -> Result<TableSums, SqliteFailure> {
    let mut counted = count_tables(db)?;
    counted.retain(|table, _| DERIVED.contains(&table.as_str()));
    Ok(counted)
}
