//! Sums over all rows of the tables that PostgreSQL keeps for good: triggers carry them on with every statement
//! (`0019_table_sums.sql`), and here they are compared with the rows, taken anew, and carried over a migration.

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use crate::{CountedRows, DatabaseFault, Result};

/// Tables that can be made again from the messages.
const DERIVED: [&str; 4] = ["context_items", "contexts", "conversation_facts", "jobs"];

/// What the triggers of a summed table are called behind its name.
const TRIGGER_ENDINGS: [&str; 3] = ["added", "changed", "deleted"];

/// The triggers that a line of a migration names tables for, as `trigger NAME`.
pub(super) fn sum_triggers(migrations: &[&str]) -> Vec<String> {
    let lists = migrations.iter().filter(|sql| sql.contains("epitome.sum_added()"));
    let lists = lists.filter_map(|sql| sql.split_once("FOREACH name IN ARRAY ARRAY[")?.1.split_once(']'));
    let tables = lists.flat_map(|(list, _)| list.split(',').map(|name| name.trim().trim_matches('\'')));
    tables.flat_map(|table| TRIGGER_ENDINGS.map(|ending| format!("trigger {table}_{ending}"))).collect()
}

/// Tables whose rows are not those that were stored.
pub(super) async fn compare_sums(transaction: &TenantTransaction<'_>) -> Result<Vec<DatabaseFault>, PostgresFailure> {
    // All rows of the tenant are read, which takes longer than a question may.
    transaction.execute("SELECT set_config('statement_timeout', '0', true)", &[]).await?;
    let sql = "SELECT table_name, coalesce(stored.row_count, 0)::bigint, coalesce(found.row_count, 0),
                 coalesce(stored.digest, 0) = coalesce(found.digest, 0)
               FROM (SELECT table_name, sum(row_count) AS row_count, sum(digest) AS digest FROM epitome.table_sums
                     GROUP BY table_name) AS stored
               FULL JOIN epitome.count_rows(epitome.current_tenant()) AS found USING (table_name) ORDER BY table_name";
    let mut faults = Vec::new();
    for row in transaction.query_all(sql, &[]).await? {
        let (table, is_same): (String, bool) = (row.try_get(0)?, row.try_get(3)?);
        faults.extend(DatabaseFault::from_sums(&table, row.try_get(1)?, row.try_get(2)?, is_same));
    }
    Ok(faults)
}

impl PostgresStore {
    /// Takes the rows of some tables as they are, or those of all, while nobody writes.
    async fn recount_rows(&self, tables: Option<&[&str]>) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Rewrite).await?;
                let names = tables.map(|tables| tables.join(" "));
                let sql = "SELECT epitome.recount_rows(string_to_array($1::text, ' '))";
                transaction.execute(sql, &[&names]).await?;
                transaction.commit().await
            })
            .await
    }

    pub(super) async fn recount_all(&self) -> Result<()> {
        self.recount_rows(None).await
    }

    pub(super) async fn recount_derived_rows(&self) -> Result<()> {
        self.recount_rows(Some(&DERIVED)).await
    }

    pub(super) async fn compare_counts(&self, which: CountedRows) -> Result<()> {
        let tables = match which {
            CountedRows::Conversations => &["conversations"][..],
            CountedRows::Messages => &["conversations", "messages"],
        };
        for table in tables {
            let sql = format!(
                "SELECT (SELECT coalesce(sum(row_count), 0)::bigint FROM epitome.table_sums WHERE table_name = $1),
                   (SELECT count(*) FROM epitome.{table})"
            );
            self.query_rows(&sql, &[table], |row| {
                let (stored, found): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
                if found == stored {
                    return Ok(());
                }
                Err(PostgresFailure::Damaged(format!("of {stored} rows of {table}, {found} are found")))
            })
            .await?;
        }
        Ok(())
    }
}

/// Lets the owner see the rows of all tenants in the tables that are summed, while `to_all` runs.
fn with_all_rows(to_all: &str) -> String {
    let force = |word: &str| {
        format!(
            "DO $$ DECLARE name TEXT; BEGIN
               FOR name IN SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                 WHERE t.tgfoid = 'epitome.sum_added'::regproc AND c.relname <> 'message_terms'
               LOOP EXECUTE format('ALTER TABLE epitome.%I {word} ROW LEVEL SECURITY', name); END LOOP;
             END $$;"
        )
    };
    format!("{} {to_all}; {}", force("NO FORCE"), force("FORCE"))
}

/// Keeps what does not fit before a migration: a change of the schema must not make damage look right.
pub(super) fn note_differences() -> String {
    with_all_rows(
        "CREATE TEMPORARY TABLE sum_differences ON COMMIT DROP AS
           SELECT tenant_id, table_name, sum(row_count)::bigint AS row_count, sum(digest) AS digest FROM (
             SELECT tenant_id, table_name, row_count, digest FROM epitome.table_sums
             UNION ALL
             SELECT tenant_id, table_name, -row_count, -digest FROM epitome.count_rows(NULL)) AS compared
           GROUP BY tenant_id, table_name HAVING sum(row_count) <> 0 OR sum(digest) <> 0",
    )
}

/// Counts all rows after a migration, which may have given them other columns.
pub(super) fn carry_over() -> String {
    with_all_rows(
        "DELETE FROM epitome.table_sums;
         INSERT INTO epitome.table_sums (tenant_id, table_name, row_count, digest)
           SELECT tenant_id, table_name, row_count, digest FROM epitome.count_rows(NULL)
           UNION ALL SELECT tenant_id, table_name, row_count, digest FROM sum_differences",
    )
}

#[cfg(test)]
mod tests {
    use super::super::AppRole;
    use super::super::schema::{MIGRATIONS, apply_migrations};
    use super::*;
    use crate::MemoryStore as _;
    use crate::conformance::sample::{build_append, text_row};
    use testkit::postgres::PostgresCluster;

    #[tokio::test]
    async fn a_migration_makes_no_damage_look_right() {
        let cluster = PostgresCluster::start();
        let ready = PostgresStore::init(cluster.url(), &AppRole::default()).await.expect("makes it ready");
        let connected = PostgresStore::connect(&ready.url, 2).await.expect("connects");
        let (whole, damaged) = (connected.for_tenant("whole"), connected.for_tenant("damaged"));
        let (whole, damaged) = (whole.expect("a name"), damaged.expect("a name"));
        for store in [&whole, &damaged] {
            store.append_messages(build_append("c", vec![text_row("one"), text_row("two")])).await.expect("appends");
        }
        let (mut admin, connection) =
            tokio_postgres::connect(cluster.url(), tokio_postgres::NoTls).await.expect("connects");
        tokio::spawn(connection);
        let vandalism = "SET session_replication_role = replica;
                         UPDATE epitome.messages SET stored_at = 7 WHERE seq = 2 AND tenant_id = 'damaged';
                         RESET session_replication_role";
        admin.batch_execute(vandalism).await.expect("changes");
        let migration = "ALTER TABLE epitome.messages ADD COLUMN later BIGINT NOT NULL DEFAULT 3";
        let migrations: Vec<&str> = MIGRATIONS.iter().copied().chain([migration]).collect();
        let transaction = admin.transaction().await.expect("begins");
        apply_migrations(&transaction, &migrations).await.map_err(|_| ()).expect("migrates");
        // This program knows one migration less, and would refuse the schema.
        let unlisted = format!("DELETE FROM epitome.migrations WHERE version > {}", MIGRATIONS.len());
        transaction.batch_execute(&unlisted).await.expect("forgets");
        transaction.commit().await.expect("commits");
        let sums = async |store: &PostgresStore| {
            let mut client = store.acquire_connection().await.map_err(|_| ()).expect("connects");
            let transaction = store.begin_transaction(&mut client, AccessMode::Read).await.map_err(|_| ());
            let faults = compare_sums(&transaction.expect("begins")).await.map_err(|_| ()).expect("compares");
            faults.into_iter().map(|fault| fault.what).collect::<Vec<_>>()
        };
        assert_eq!(sums(&whole).await, [""; 0]);
        assert_eq!(sums(&damaged).await, ["a row of messages is not as it was stored"]);
    }
}
