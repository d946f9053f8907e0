//! Schema migrations of the PostgreSQL store: plain SQL files applied in order by the owner; `epitome.migrations`
//! lists those applied. Also checks server version, schema version and protections when a store connects or is
//! verified.

use super::database::TenantTransaction;
use super::failure::{PostgresFailure, error_of};
use super::table_sums::{carry_over, compare_sums, note_differences, sum_triggers};
use crate::references::{PART_REFERENCE, TABLE_REFERENCES};
use crate::{DatabaseFault, Error, FaultKind, Result};
use deadpool_postgres::Client;
use tokio_postgres::types::Type;

pub(super) const MIGRATIONS: &[&str] = &[
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
    include_str!("../../migrations/postgres/0011_memories.sql"),
    include_str!("../../migrations/postgres/0012_sessions.sql"),
    include_str!("../../migrations/postgres/0013_removals.sql"),
    include_str!("../../migrations/postgres/0014_tenant_keys.sql"),
    include_str!("../../migrations/postgres/0015_part_marks.sql"),
    include_str!("../../migrations/postgres/0016_rewrites.sql"),
    include_str!("../../migrations/postgres/0017_tool_calls.sql"),
    include_str!("../../migrations/postgres/0018_file_problems.sql"),
    include_str!("../../migrations/postgres/0019_table_sums.sql"),
    include_str!("../../migrations/postgres/0020_worktree_identity.sql"),
    include_str!("../../migrations/postgres/0021_documents.sql"),
    include_str!("../../migrations/postgres/0022_entities.sql"),
    include_str!("../../migrations/postgres/0023_session_records.sql"),
    include_str!("../../migrations/postgres/0024_projects.sql"),
    include_str!("../../migrations/postgres/0025_authors.sql"),
];

/// The schema version this build works with.
pub(super) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Tables whose rows are only ever added.
pub(super) const APPEND_ONLY_TABLES: &[&str] = &[
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
    "memories",
    "memory_notes",
    "entities",
    "entity_links",
    "session_summaries",
    "removals",
    "session_records",
    "session_record_notes",
];
/// Tables of the archive, of the ledger, of calls and of feedback that count or wait, each with what may be done to its rows.
pub(super) const COUNTER_TABLE_GRANTS: &[(&str, &str)] = &[
    ("generations", "SELECT, INSERT"),
    ("tails", "SELECT, INSERT, DELETE"),
    ("line_kinds", "SELECT, INSERT, UPDATE"),
    ("message_origins", "SELECT, INSERT, UPDATE"),
    ("reservations", "SELECT, INSERT, DELETE"),
    ("ledger_entries", "SELECT, INSERT, DELETE"),
    ("ledger_totals", "SELECT, INSERT, UPDATE"),
    ("spending_stopped", "SELECT, INSERT, DELETE"),
    ("tool_calls", "SELECT, INSERT, DELETE"),
    ("tool_call_totals", "SELECT, INSERT, UPDATE"),
    ("mode_arms", "SELECT, INSERT, UPDATE, DELETE"),
    ("answers", "SELECT, INSERT, DELETE"),
    ("answer_places", "SELECT, INSERT, UPDATE, DELETE"),
    // Written by the role that changes canonical rows, and by no other.
    ("rewrites", "SELECT"),
    // Written by triggers.
    ("table_sums", "SELECT"),
];
/// Tables of folded conversations that change, each with what may be done to its rows.
pub(super) const FOLD_TABLE_GRANTS: &[(&str, &str)] = &[
    ("contexts", "SELECT, INSERT, UPDATE"),
    ("context_items", "SELECT, INSERT, DELETE"),
    ("conversation_facts", "SELECT, INSERT, UPDATE, DELETE"),
    ("jobs", "SELECT, INSERT, UPDATE, DELETE"),
    ("grants", "SELECT, INSERT, UPDATE"),
];
/// Tables that can be rebuilt.
pub(super) const DERIVED_TABLES: &[&str] = &[
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

/// Tables that belong to a project and can be rebuilt, in an order that no reference refuses to have them emptied in.
pub(super) const DERIVED_DELETION_TABLES: &[&str] = &[
    "edges",
    "changes",
    "worktree_files",
    "worktrees",
    "facts",
    "files",
    "postings",
    "segments",
    "redirects",
    "symbol_summaries",
    "vectors",
    "vector_spaces",
];

/// The oldest server that has all we use and is still maintained.
const OLDEST_SERVER: (i32, &str) = (140_000, "14");

/// Checks that a server is one to work with and gives its version.
pub(super) async fn check_server(client: &Client, database: &str) -> Result<String> {
    let fail = |error: tokio_postgres::Error| error_of(database.to_owned(), &error);
    let sql = "SELECT current_setting('server_version'), current_setting('server_version_num')::integer";
    let row = client.query_typed_one(sql, &[]).await.map_err(fail)?;
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
    let role = client.query_typed_one(sql, &[]).await.map_err(fail)?;
    let bypasses: bool = role.get(1);
    let role: String = role.get(0);
    if bypasses {
        let hint = "hint: connect as `epitome_app`, which `epitome database init` makes";
        return refused(format!("role `{role}` bypasses row-level security\n{hint}"));
    }
    let sql = "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'epitome'";
    match client.query_typed_opt(sql, &[]).await.map_err(fail)?.map(|row| row.get(0)) {
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
    if client.query_typed_one(sql, &[]).await.map_err(fail)?.get(0) {
        let hint = "hint: connect as `epitome_app`, which `epitome database init` makes";
        return refused(format!("role `{role}` owns the tables and could switch row-level security off\n{hint}"));
    }
    let sql = "SELECT coalesce(max(version), 0) FROM epitome.migrations";
    let found = client.query_typed_one(sql, &[]).await.map_err(fail)?.get::<_, i64>(0) as u32;
    match found.cmp(&SCHEMA_VERSION) {
        std::cmp::Ordering::Greater => {
            Err(Error::Newer { database: database.to_owned(), found, known: SCHEMA_VERSION })
        }
        // Connecting never migrates: the application's role has no right to, and two versions may run side by side for
        // a while.
        std::cmp::Ordering::Less => {
            let hint = "hint: run `epitome database init` as the owner";
            refused(format!("its schema is {found}, this version needs {SCHEMA_VERSION}\n{hint}"))
        }
        std::cmp::Ordering::Equal => Ok(()),
    }
}

/// Applies what is missing, if anything, and gives the version found before.
pub(super) async fn migrate_schema(transaction: &tokio_postgres::Transaction<'_>) -> Result<u32, PostgresFailure> {
    apply_migrations(transaction, MIGRATIONS).await
}

pub(super) async fn apply_migrations(
    transaction: &tokio_postgres::Transaction<'_>,
    migrations: &[&str],
) -> Result<u32, PostgresFailure> {
    let exists = "SELECT 1 FROM pg_tables WHERE schemaname = 'epitome' AND tablename = 'migrations'";
    let found = if transaction.query_typed_opt(exists, &[]).await?.is_some() {
        let newest = "SELECT coalesce(max(version), 0) FROM epitome.migrations";
        transaction.query_typed_one(newest, &[]).await?.get::<_, i64>(0) as u32
    } else {
        0
    };
    let is_summed = "SELECT to_regclass('epitome.table_sums') IS NOT NULL";
    let is_summed = transaction.query_typed_one(is_summed, &[]).await?.get(0) && (found as usize) < migrations.len();
    if is_summed {
        transaction.batch_execute(&note_differences()).await?;
    }
    // The caller holds an advisory lock and one transaction around this, so a migration is applied whole or not at all.
    for (version, sql) in (1_i64..).zip(migrations).skip(found as usize) {
        transaction.batch_execute(sql).await?;
        let sql = "INSERT INTO epitome.migrations (version) VALUES ($1)";
        transaction.execute_typed(sql, &[(&version, Type::INT8)]).await?;
    }
    if is_summed {
        transaction.batch_execute(&carry_over()).await?;
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
          WHERE c.relnamespace = 'epitome'::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
            -- The owner reads past the policy of these: a function of ours does so for everybody.
            AND NOT (c.relrowsecurity
              AND (c.relforcerowsecurity OR c.relname IN ('message_terms', 'table_sums', 'tenant_secret')))
        UNION ALL
        SELECT 'table ' || c.relname || ' lets every tenant in' FROM pg_class c
          WHERE c.relnamespace = 'epitome'::regnamespace AND c.relkind = 'r'
            AND c.relname NOT IN ('migrations', 'tenant_secret')
            -- Policies add up, so one that is not ours opens what ours closes.
            AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid HAVING count(*) = 1
              AND bool_and(pg_get_expr(p.polqual, c.oid) = pg_get_expr(p.polwithcheck, c.oid)
                AND pg_get_expr(p.polqual, c.oid) LIKE '%tenant_id = ( SELECT epitome.current_tenant()%'))
        UNION ALL
        SELECT 'role ' || r.rolname || ' may change messages' FROM pg_roles r, pg_class c
          WHERE c.oid = 'epitome.messages'::regclass AND r.rolcanlogin AND NOT r.rolsuper
            AND NOT pg_has_role(r.oid, c.relowner, 'USAGE')
            AND (has_table_privilege(r.oid, c.oid, 'UPDATE') OR has_table_privilege(r.oid, c.oid, 'DELETE'))
        UNION ALL
        SELECT 'trigger ' || t.tgname || ' is switched off' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          WHERE c.relnamespace = 'epitome'::regnamespace AND t.tgenabled NOT IN ('O', 'A')
        ORDER BY 1";
    let mut faults = read_faults(transaction, sql, FaultKind::Structure).await?;
    faults.extend(find_dropped(transaction).await?);
    for reference in TABLE_REFERENCES.iter().chain([&PART_REFERENCE]) {
        faults.extend(read_faults(transaction, &reference.to_sql("epitome."), reference.fault_kind()).await?);
    }
    faults.extend(compare_sums(transaction).await?);
    Ok(faults)
}

/// Triggers and indexes that the migrations make and that are not there.
async fn find_dropped(transaction: &TenantTransaction<'_>) -> Result<Vec<DatabaseFault>, PostgresFailure> {
    let sql = "SELECT 'trigger ' || t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                 WHERE c.relnamespace = 'epitome'::regnamespace
               UNION ALL
               SELECT 'index ' || c.relname FROM pg_class c
                 WHERE c.relnamespace = 'epitome'::regnamespace AND c.relkind = 'i'";
    let found = read_faults(transaction, sql, FaultKind::Structure).await?;
    let mut faults = Vec::new();
    for object in made_objects() {
        if !found.iter().any(|fault| fault.what == object) {
            faults.push(DatabaseFault { what: format!("{object} is not there"), kind: FaultKind::Structure });
        }
    }
    Ok(faults)
}

/// Every line of the migrations.
#[cfg(test)]
pub(super) fn migration_lines() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().flat_map(|sql| sql.lines())
}

/// Triggers and indexes that the migrations name and do not drop again, as `trigger NAME` and `index NAME`.
fn made_objects() -> std::collections::BTreeSet<String> {
    let mut made = std::collections::BTreeSet::new();
    for line in MIGRATIONS.iter().flat_map(|sql| sql.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let named = |at: usize| words.get(at).map(|name| name.trim_start_matches("epitome.").trim_end_matches(';'));
        match words.as_slice() {
            ["CREATE", "TRIGGER", ..] => made.extend(named(2).map(|name| format!("trigger {name}"))),
            ["CREATE", "INDEX", ..] => made.extend(named(2).map(|name| format!("index {name}"))),
            ["CREATE", "UNIQUE", "INDEX", ..] => made.extend(named(3).map(|name| format!("index {name}"))),
            ["DROP", "INDEX", ..] => {
                made.retain(|object| Some(object.as_str()) != named(2).map(|it| format!("index {it}")).as_deref());
            }
            _ => {}
        }
    }
    // Names that a loop of a migration puts together are no names.
    made.retain(|object| !object.contains(['%', '\'']));
    made.extend(sum_triggers(MIGRATIONS));
    made
}

/// What a query for faults finds, in the same order in every store.
async fn read_faults(
    transaction: &TenantTransaction<'_>,
    sql: &str,
    kind: FaultKind,
) -> Result<Vec<DatabaseFault>, PostgresFailure> {
    let rows = transaction.query_all(sql, &[]).await?;
    let mut found = rows.iter().map(|row| row.try_get::<_, String>(0)).collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    Ok(found.into_iter().map(|what| DatabaseFault { what, kind }).collect())
}
