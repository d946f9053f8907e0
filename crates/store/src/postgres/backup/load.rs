//! Loads a backup into a tenant that has nothing yet, in one transaction of the database's owner: rows go into temporary
//! tables, get new numbers in the order of their old ones, and then into their places. The words of messages are indexed
//! for searches under the tenant's own key.

use super::backup_file::{BackupLine, TenantFileReader};
use super::tables::{BACKUP_TABLES, BackupTable, NumberedColumn};
use super::{CopyFailure, file_error};
use crate::postgres::PostgresStore;
use crate::postgres::database::{AccessMode, TenantTransaction};
use crate::postgres::key::TermKey;
use crate::postgres::memory::message_rows::put_terms;
use crate::postgres::rows::read_text;
use crate::rows::conversation_id_of;
use crate::{BackupRecord, Error, Result};
use model::scrub::ScrubKey;
use std::path::Path;

/// What one statement holds at most.
const MOST_BYTES: usize = 4 << 20;

/// Messages that are indexed at a time.
const PAGE: i64 = 2_000;

impl PostgresStore {
    /// Loads a backup into the tenant, which must be empty. The store has to be verified afterwards, and other processes
    /// that serve the tenant have to be started again: they may know the key that it had.
    pub async fn load_backup(&self, file: &Path) -> Result<BackupRecord> {
        let record = Self::check_backup(file)?;
        let (owner, become_role) = self.owner_role().await?;
        let mut client = owner.acquire_connection().await.map_err(|failure| self.named(failure))?;
        let loaded = async {
            let transaction = self.begin_transaction(&mut client, AccessMode::Rewrite).await?;
            transaction.execute(&become_role, &[]).await?;
            let settings = "SELECT set_config('epitome.rewriting', 'loading', true),
                              set_config('statement_timeout', '0', true)";
            transaction.execute(settings, &[]).await?;
            if is_used(&transaction).await? {
                return Ok(false);
            }
            stage_rows(&transaction, file).await?;
            for table in BACKUP_TABLES {
                place_rows(&transaction, table).await?;
            }
            self.index_words(&transaction).await?;
            transaction.commit().await?;
            Ok::<_, CopyFailure>(true)
        };
        match loaded.await {
            Ok(true) => Ok(record),
            Ok(false) => Err(self.refuse_used()),
            Err(CopyFailure::Database(failure)) => Err(Self::explain_role(self.named(failure))),
            Err(CopyFailure::File(error)) => Err(file_error(file, &error)),
        }
    }

    fn refuse_used(&self) -> Error {
        let reason = format!(
            "tenant `{}` has data already, and nothing is overwritten\n\
             hint: load it into a new tenant (`--set database.tenant=NAME`), and use that from then on",
            self.tenant
        );
        Error::Unavailable { database: self.database.name().to_owned(), reason }
    }

    /// Writes which terms the messages hold, with the key that came with them.
    async fn index_words(&self, transaction: &TenantTransaction<'_>) -> std::result::Result<(), CopyFailure> {
        let Some(row) = transaction.query_optional("SELECT key FROM epitome.scrub_keys", &[]).await? else {
            return Ok(());
        };
        let key: [u8; 32] = row.try_get::<_, Vec<u8>>(0)?.try_into().map_err(|_| std::io::Error::other("a bad key"))?;
        let term_key = TermKey::new(&ScrubKey::new(key));
        let sql = "SELECT m.number, c.conversation_id, m.content FROM epitome.messages m
                     JOIN epitome.conversations c ON c.number = m.conversation
                   WHERE m.number > $1 ORDER BY m.number LIMIT $2";
        let mut seen = i64::MIN;
        loop {
            let page = transaction.query_all(sql, &[&seen, &PAGE]).await?;
            let Some(last) = page.last() else { return Ok(()) };
            seen = last.try_get(0)?;
            let mut numbers = Vec::with_capacity(page.len());
            let mut keys = Vec::with_capacity(page.len());
            for row in &page {
                let conversation = conversation_id_of(row.try_get(1)?)?;
                numbers.push(row.try_get::<_, i64>(0)?);
                keys.push(self.write_term_keys(&conversation, &read_text(row, 2)?, &term_key));
            }
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            put_terms(transaction, &numbers, &keys).await?;
        }
    }
}

/// Whether the tenant has anything but a key.
async fn is_used(transaction: &TenantTransaction<'_>) -> std::result::Result<bool, CopyFailure> {
    let tables = BACKUP_TABLES.iter().filter(|table| table.name != "scrub_keys");
    let found = tables.map(|table| format!("EXISTS (SELECT FROM epitome.{})", table.name)).collect::<Vec<_>>();
    let row = transaction.query_one(&format!("SELECT {}", found.join(" OR ")), &[]).await?;
    Ok(row.try_get(0)?)
}

/// Puts the rows of the file into temporary tables, which go with the transaction.
async fn stage_rows(transaction: &TenantTransaction<'_>, file: &Path) -> std::result::Result<(), CopyFailure> {
    for table in BACKUP_TABLES {
        // The types of the columns and nothing else: no key, no default, no reference.
        let sql = format!(
            "CREATE TEMPORARY TABLE staged_{0} ON COMMIT DROP AS SELECT {1} FROM epitome.{0} WHERE false",
            table.name,
            table.columns.join(", ")
        );
        transaction.execute(&sql, &[]).await?;
    }
    let (mut reader, _) = TenantFileReader::open(file)?;
    let mut rows = StagedRows { table: None, text: String::new() };
    while let Some(line) = reader.next_line()? {
        match line {
            BackupLine::Table(name) => {
                rows.flush(transaction).await?;
                let unknown =
                    || std::io::Error::other(format!("it has a table `{name}` that this version does not know"));
                rows.table = Some(BACKUP_TABLES.iter().find(|table| table.name == name).ok_or_else(unknown)?);
            }
            BackupLine::Row(row) => {
                rows.text.push(if rows.text.is_empty() { '[' } else { ',' });
                rows.text.push_str(&row);
                if rows.text.len() >= MOST_BYTES {
                    rows.flush(transaction).await?;
                }
            }
        }
    }
    rows.flush(transaction).await
}

/// Rows on their way into a temporary table.
struct StagedRows {
    table: Option<&'static BackupTable>,
    /// A list in JSON that is not closed yet.
    text: String,
}

impl StagedRows {
    async fn flush(&mut self, transaction: &TenantTransaction<'_>) -> std::result::Result<(), CopyFailure> {
        let Some(table) = self.table.filter(|_| !self.text.is_empty()) else { return Ok(()) };
        self.text.push(']');
        let columns = table.columns.join(", ");
        let sql = format!(
            "INSERT INTO staged_{0} ({columns}) SELECT {columns} FROM
               json_populate_recordset(NULL::staged_{0}, $1::text::json)",
            table.name
        );
        transaction.execute(&sql, &[&self.text]).await?;
        self.text.clear();
        Ok(())
    }
}

/// Moves rows from a temporary table to their place, under new numbers.
async fn place_rows(transaction: &TenantTransaction<'_>, table: &BackupTable) -> std::result::Result<(), CopyFailure> {
    let BackupTable { name, columns, numbered, references } = table;
    if *name == "scrub_keys" {
        // A process may have made a key for the empty tenant; nothing was written with it.
        transaction.execute("DELETE FROM epitome.scrub_keys", &[]).await?;
    }
    if let Some(numbered) = numbered {
        let sequence = match numbered {
            NumberedColumn::Sequence(sequence) => format!("'epitome.{sequence}'"),
            NumberedColumn::Identity => format!("pg_get_serial_sequence('epitome.{name}', 'number')"),
        };
        let sql = format!(
            "CREATE TEMPORARY TABLE renumbered_{name} ON COMMIT DROP AS
             SELECT old, nextval({sequence}) AS new FROM (SELECT number AS old FROM staged_{name} ORDER BY number) AS given"
        );
        transaction.execute(&sql, &[]).await?;
        transaction.execute(&format!("CREATE INDEX ON renumbered_{name} (old)"), &[]).await?;
        transaction.execute(&format!("ANALYZE renumbered_{name}"), &[]).await?;
    }
    let mut values = Vec::new();
    let mut joins = String::new();
    for column in *columns {
        let target = references.iter().find(|(from, _)| from == column).map(|(_, target)| *target);
        let target = target.or_else(|| (*column == "number" && numbered.is_some()).then_some(*name));
        match target {
            Some(target) => {
                values.push(format!("by_{column}.new"));
                joins += &format!(" JOIN renumbered_{target} by_{column} ON by_{column}.old = s.{column}");
            }
            None => values.push(format!("s.{column}")),
        }
    }
    let sql = format!(
        "INSERT INTO epitome.{name} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM staged_{name} s{joins}",
        columns.join(", "),
        values.join(", ")
    );
    let placed = transaction.execute(&sql, &[]).await?;
    let staged: i64 = transaction.query_one(&format!("SELECT count(*) FROM staged_{name}"), &[]).await?.try_get(0)?;
    if placed != staged as u64 {
        let what = format!("{} rows of {name} refer to rows that the backup does not have", staged as u64 - placed);
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what).into());
    }
    Ok(())
}
