//! `Vandal`: changes a database past everything that forbids it, as a failing disk, an administrator or another program
//! would, for tests of what a look at the damage finds.

use std::path::Path;

/// An attacker who has the database itself.
pub enum Vandal {
    /// With the file of the embedded store.
    Sqlite(rusqlite::Connection),
    /// As the owner of the tables.
    Postgres(tokio_postgres::Client),
}

impl Vandal {
    /// On the embedded store in a folder.
    pub fn in_folder(data: &Path) -> Self {
        let vandal = rusqlite::Connection::open(data.join("epitome.db")).expect("opens");
        vandal.pragma_update(None, "foreign_keys", false).expect("sets");
        Self::Sqlite(vandal)
    }

    /// On a server, as its administrator.
    pub async fn on_server(admin_url: &str) -> Self {
        let (vandal, connection) = tokio_postgres::connect(admin_url, tokio_postgres::NoTls).await.expect("connects");
        tokio::spawn(connection);
        // Triggers and foreign keys rest in this role.
        let past_all = "SET session_replication_role = replica; SET search_path = epitome";
        vandal.batch_execute(past_all).await.expect("sets");
        Self::Postgres(vandal)
    }

    /// Executes a statement that changes at least one row.
    pub async fn change(&self, sql: &str) {
        let changed = match self {
            Self::Sqlite(vandal) => change_untriggered(vandal, sql),
            Self::Postgres(vandal) => vandal.execute(sql, &[]).await.expect("changes"),
        };
        assert_ne!(changed, 0, "{sql}");
    }

    /// Empties the tables of conversations, for the next damage.
    pub async fn empty_postgres(&self) {
        let Self::Postgres(vandal) = self else { panic!("a file is deleted instead") };
        // Sums are emptied with all that they are over, or the rest would have rows that no sum counts.
        let sql = "TRUNCATE conversations, messages, frames, artifacts, jobs, grants, message_terms, scrub_keys, table_sums CASCADE";
        vandal.batch_execute(sql).await.expect("empties");
    }
}

/// Executes a statement without the triggers, and puts them back: what was done is found by what it did.
fn change_untriggered(vandal: &rusqlite::Connection, sql: &str) -> u64 {
    let triggers: Vec<(String, String)> = {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
        let mut statement = vandal.prepare(sql).expect("asks");
        let triggers = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("asks");
        triggers.collect::<rusqlite::Result<_>>().expect("reads")
    };
    for (name, _) in &triggers {
        vandal.execute_batch(&format!("DROP TRIGGER {name}")).expect("drops");
    }
    let changed = vandal.execute(sql, []).expect("changes") as u64;
    for (_, sql) in &triggers {
        vandal.execute_batch(sql).expect("makes");
    }
    changed
}
