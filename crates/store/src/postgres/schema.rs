//! Schema migrations of the PostgreSQL store: plain SQL files applied in order by the owner; `epitome.migrations`
//! lists those applied. Also checks server version, schema version and protections when a store connects or is
//! verified.

use super::database::TenantTransaction;
use super::failure::{PostgresFailure, error_of};
use crate::{DatabaseFault, Error, Result};
use deadpool_postgres::Client;

const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_initial.sql"),
    include_str!("../../migrations/postgres/0002_ledger.sql"),
    include_str!("../../migrations/postgres/0003_symbol_summaries.sql"),
    include_str!("../../migrations/postgres/0004_archive.sql"),
    include_str!("../../migrations/postgres/0005_vectors.sql"),
    include_str!("../../migrations/postgres/0006_scrub_keys.sql"),
    include_str!("../../migrations/postgres/0007_folds.sql"),
    include_str!("../../migrations/postgres/0008_unit_vectors.sql"),
    include_str!("../../migrations/postgres/0009_feedback.sql"),
    include_str!("../../migrations/postgres/0010_model_registry.sql"),
];

/// The schema version this build works with.
pub(super) const KNOWN: u32 = MIGRATIONS.len() as u32;

/// Tables whose rows are only ever added.
pub(super) const CANONICAL: &[&str] = &[
    "conversations",
    "messages",
    "message_parts",
    "message_terms",
    "frames",
    "generation_frames",
    "quarantine",
    "scrub_keys",
    "summaries",
    "summary_covers",
    "artifacts",
    "message_artifacts",
];
/// Tables of the archive, of the ledger and of feedback that count or wait, each with what may be done to its rows.
pub(super) const COUNTING: &[(&str, &str)] = &[
    ("generations", "SELECT, INSERT"),
    ("tails", "SELECT, INSERT, DELETE"),
    ("line_kinds", "SELECT, INSERT, UPDATE"),
    ("message_origins", "SELECT, INSERT, UPDATE"),
    ("reservations", "SELECT, INSERT, DELETE"),
    ("ledger_entries", "SELECT, INSERT, DELETE"),
    ("ledger_totals", "SELECT, INSERT, UPDATE"),
    ("spending_stopped", "SELECT, INSERT, DELETE"),
    ("answers", "SELECT, INSERT, DELETE"),
    ("answer_places", "SELECT, INSERT, UPDATE, DELETE"),
];
/// Tables of folded conversations that change, each with what may be done to its rows.
pub(super) const FOLDS: &[(&str, &str)] = &[
    ("contexts", "SELECT, INSERT, UPDATE"),
    ("context_items", "SELECT, INSERT, DELETE"),
    ("conversation_facts", "SELECT, INSERT, UPDATE, DELETE"),
    ("jobs", "SELECT, INSERT, UPDATE, DELETE"),
    ("grants", "SELECT, INSERT, UPDATE"),
];
/// Tables that can be rebuilt.
pub(super) const DERIVED: &[&str] = &[
    "worktrees",
    "segments",
    "postings",
    "files",
    "facts",
    "worktree_files",
    "changes",
    "edges",
    "redirects",
    "symbol_summaries",
    "vector_spaces",
    "vectors",
];

/// The oldest server that has all we use and is still maintained.
const OLDEST_SERVER: (i32, &str) = (140_000, "14");

/// Checks that a server is one to work with and gives its version.
pub(super) async fn check_server(client: &Client, database: &str) -> Result<String> {
    let fail = |error: tokio_postgres::Error| error_of(database.to_owned(), &error);
    let sql = "SELECT current_setting('server_version'), current_setting('server_version_num')::integer";
    let row = client.query_one(sql, &[]).await.map_err(fail)?;
    let version: String = row.get(0);
    let number: i32 = row.get(1);
    if number < OLDEST_SERVER.0 {
        let reason = format!("PostgreSQL {version} is older than {}", OLDEST_SERVER.1);
        return Err(Error::Unavailable { database: database.to_owned(), reason });
    }
    Ok(version)
}

/// Refuses a role that would see every tenant, and a schema that this build cannot work with.
pub(super) async fn check_schema(client: &Client, database: &str) -> Result<()> {
    let fail = |error: tokio_postgres::Error| error_of(database.to_owned(), &error);
    let refused = |reason: String| Err(Error::Unavailable { database: database.to_owned(), reason });
    // A role that bypasses row-level security would see every tenant's rows without a single error.
    let sql = "SELECT rolname::text, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
    let role = client.query_one(sql, &[]).await.map_err(fail)?;
    let bypasses: bool = role.get(1);
    let role: String = role.get(0);
    if bypasses {
        let hint = "hint: connect as `epitome_app`, which `epitome database init` makes";
        return refused(format!("role `{role}` bypasses row-level security\n{hint}"));
    }
    let sql = "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'epitome'";
    match client.query_opt(sql, &[]).await.map_err(fail)?.map(|row| row.get(0)) {
        None => return refused("it has no schema `epitome`\nhint: run `epitome database init`".to_owned()),
        Some(false) => {
            let hint = "hint: run `epitome database init`";
            return refused(format!("role `{role}` may not use the schema `epitome`\n{hint}"));
        }
        Some(true) => {}
    }
    // An owner could switch the policies off, and membership in the owner's role counts as owning.
    let sql = "SELECT coalesce(bool_or(pg_has_role(c.relowner, 'USAGE')), false)
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'epitome'";
    if client.query_one(sql, &[]).await.map_err(fail)?.get(0) {
        let hint = "hint: connect as `epitome_app`, which `epitome database init` makes";
        return refused(format!("role `{role}` owns the tables and could switch row-level security off\n{hint}"));
    }
    let sql = "SELECT coalesce(max(version), 0) FROM epitome.migrations";
    let found = client.query_one(sql, &[]).await.map_err(fail)?.get::<_, i64>(0) as u32;
    match found.cmp(&KNOWN) {
        std::cmp::Ordering::Greater => Err(Error::Newer { database: database.to_owned(), found, known: KNOWN }),
        // Connecting never migrates: the application's role has no right to, and two versions may run side by side for
        // a while.
        std::cmp::Ordering::Less => {
            let hint = "hint: run `epitome database init` as the owner";
            refused(format!("its schema is {found}, this version needs {KNOWN}\n{hint}"))
        }
        std::cmp::Ordering::Equal => Ok(()),
    }
}

/// Applies what is missing, if anything, and gives the version found before.
pub(super) async fn migrate_schema(transaction: &tokio_postgres::Transaction<'_>) -> Result<u32, PostgresFailure> {
    let exists = "SELECT 1 FROM pg_tables WHERE schemaname = 'epitome' AND tablename = 'migrations'";
    let found = if transaction.query_opt(exists, &[]).await?.is_some() {
        let newest = "SELECT coalesce(max(version), 0) FROM epitome.migrations";
        transaction.query_one(newest, &[]).await?.get::<_, i64>(0) as u32
    } else {
        0
    };
    // The caller holds an advisory lock and one transaction around this, so a migration is applied whole or not at all.
    for (version, sql) in (1_i64..).zip(MIGRATIONS).skip(found as usize) {
        transaction.batch_execute(sql).await?;
        transaction.execute("INSERT INTO epitome.migrations (version) VALUES ($1)", &[&version]).await?;
    }
    Ok(found)
}

/// Problems found in the catalog: damage that the server has seen, and protections that were removed from the schema.
pub(super) async fn find_faults(transaction: &TenantTransaction<'_>) -> Result<Vec<DatabaseFault>, PostgresFailure> {
    // A policy or trigger that an administrator disabled gives no error in daily use, so only this check can find it.
    let sql = "
        SELECT 'checksum failures in the database: ' || checksum_failures FROM pg_stat_database
          WHERE datname = current_database() AND checksum_failures > 0
        UNION ALL
        SELECT 'index ' || c.relname || ' is not valid' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
          WHERE c.relnamespace = 'epitome'::regnamespace AND NOT i.indisvalid
        UNION ALL
        SELECT 'table ' || c.relname || ' has row-level security switched off' FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
          WHERE c.relnamespace = 'epitome'::regnamespace AND c.relkind = 'r'
            AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
        UNION ALL
        SELECT 'trigger ' || t.tgname || ' is switched off' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          WHERE c.relnamespace = 'epitome'::regnamespace AND t.tgenabled NOT IN ('O', 'A')
        ORDER BY 1";
    let rows = transaction.query_all(sql, &[]).await?;
    rows.iter().map(|row| Ok(DatabaseFault { what: row.try_get(0)? })).collect()
}
