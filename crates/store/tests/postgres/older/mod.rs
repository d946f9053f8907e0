//! Integration tests of upgrades: a database as each older version left it, with rows of two tenants, is brought up to
//! date, and nothing in it is lost, changed or mixed up.

use crate::server::{connect, empty_database};
use store::postgres::{AppRole, PostgresStore};
use store::{FoldStore as _, MemoryStore as _, MessageQuery, MessageWindow};
use testkit::postgres::PostgresCluster;

/// Schema 10, before memories, sessions and tenant keys: two imported conversations, two that were ingested (one has a
/// NUL in it), an artifact, and a summary.
const ROWS_OF_SCHEMA_10: &str = include_str!("rows_of_schema_10.sql");
/// The schema of those rows.
const KEPT_SCHEMA: usize = 10;
/// The first schema that has titles, in its archive, and the first that folds.
const FIRST_ARCHIVE: usize = 4;
const FIRST_FOLDS: usize = 7;

const MIGRATIONS: [&str; 25] = [
    include_str!("../../../migrations/postgres/0001_initial.sql"),
    include_str!("../../../migrations/postgres/0002_ledger.sql"),
    include_str!("../../../migrations/postgres/0003_symbol_summaries.sql"),
    include_str!("../../../migrations/postgres/0004_archive.sql"),
    include_str!("../../../migrations/postgres/0005_vectors.sql"),
    include_str!("../../../migrations/postgres/0006_scrub_keys.sql"),
    include_str!("../../../migrations/postgres/0007_folds.sql"),
    include_str!("../../../migrations/postgres/0008_unit_vectors.sql"),
    include_str!("../../../migrations/postgres/0009_feedback.sql"),
    include_str!("../../../migrations/postgres/0010_model_registry.sql"),
    include_str!("../../../migrations/postgres/0011_memories.sql"),
    include_str!("../../../migrations/postgres/0012_sessions.sql"),
    include_str!("../../../migrations/postgres/0013_removals.sql"),
    include_str!("../../../migrations/postgres/0014_tenant_keys.sql"),
    include_str!("../../../migrations/postgres/0015_part_marks.sql"),
    include_str!("../../../migrations/postgres/0016_rewrites.sql"),
    include_str!("../../../migrations/postgres/0017_tool_calls.sql"),
    include_str!("../../../migrations/postgres/0018_file_problems.sql"),
    include_str!("../../../migrations/postgres/0019_table_sums.sql"),
    include_str!("../../../migrations/postgres/0020_worktree_identity.sql"),
    include_str!("../../../migrations/postgres/0021_documents.sql"),
    include_str!("../../../migrations/postgres/0022_entities.sql"),
    include_str!("../../../migrations/postgres/0023_session_records.sql"),
    include_str!("../../../migrations/postgres/0024_projects.sql"),
    include_str!("../../../migrations/postgres/0025_authors.sql"),
];

/// Takes over the rows of the schema `kept`, as far as a still older one has the tables and columns.
const COPY_KEPT_ROWS: &str = "DO $$ DECLARE found RECORD; BEGIN
    FOR found IN
      SELECT o.relname AS name, string_agg(quote_ident(a.attname), ', ') AS columns
      FROM pg_class o JOIN pg_class k ON k.relname = o.relname AND k.relnamespace = 'kept'::regnamespace
      JOIN pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      JOIN pg_attribute b ON b.attrelid = k.oid AND b.attname = a.attname AND NOT b.attisdropped
      WHERE o.relnamespace = 'epitome'::regnamespace AND o.relkind = 'r' AND o.relname <> 'migrations'
      GROUP BY o.relname
    LOOP
      EXECUTE format('INSERT INTO epitome.%1$I (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM kept.%1$I',
        found.name, found.columns);
    END LOOP;
  END $$";

async fn apply(admin: &tokio_postgres::Client, migrations: &[&str]) {
    for migration in migrations {
        admin.batch_execute(migration).await.expect("makes the older tables");
    }
}

/// Loads rows as a restored dump is loaded: nothing is checked or refused meanwhile.
async fn load(admin: &tokio_postgres::Client, rows: &str) {
    admin.batch_execute("SET session_replication_role = replica").await.expect("sets");
    admin.batch_execute(rows).await.expect("the rows are loaded");
    admin.batch_execute("RESET session_replication_role").await.expect("sets");
}

/// The database of an older version, and the store on it after the upgrade.
async fn upgrade(cluster: &PostgresCluster, version: usize) -> (tokio_postgres::Client, PostgresStore) {
    let url = empty_database(cluster).await;
    let admin = connect(&url).await;
    apply(&admin, &MIGRATIONS[..KEPT_SCHEMA]).await;
    load(&admin, ROWS_OF_SCHEMA_10).await;
    if version < KEPT_SCHEMA {
        admin.batch_execute("ALTER SCHEMA epitome RENAME TO kept").await.expect("renames");
        apply(&admin, &MIGRATIONS[..version]).await;
        load(&admin, COPY_KEPT_ROWS).await;
        admin.batch_execute("DROP SCHEMA kept CASCADE").await.expect("drops");
    } else {
        apply(&admin, &MIGRATIONS[KEPT_SCHEMA..version]).await;
    }
    let applied =
        format!("INSERT INTO epitome.migrations (version) SELECT generate_series(1, {version}) ON CONFLICT DO NOTHING");
    admin.batch_execute(&applied).await.expect("lists what was applied");
    let ready = PostgresStore::init(&url, &AppRole::default()).await.expect("brings it up to date");
    assert_eq!((ready.found as usize, ready.version as usize), (version, MIGRATIONS.len()));
    (admin, PostgresStore::connect(&ready.url, 2).await.expect("connects"))
}

#[tokio::test]
async fn every_older_database_is_brought_up_to_date() {
    let cluster = PostgresCluster::start();
    for version in 1..MIGRATIONS.len() {
        let (admin, store) = upgrade(&cluster, version).await;
        check_upgraded(&admin, &store, version).await;
    }
}

async fn check_upgraded(admin: &tokio_postgres::Client, store: &PostgresStore, version: usize) {
    for (tenant, conversations, messages) in [("alpha", 3, 37), ("beta", 2, 36)] {
        let what = format!("{tenant} of schema {version}");
        let store = store.for_tenant(tenant).expect("a name");
        // Reading compares every message with its hash and its place in the chain.
        let found = store.list_conversations().await.expect("reads");
        assert_eq!(found.len(), conversations, "{what}");
        let mut read = 0;
        for conversation in &found {
            let window = MessageWindow::After { seq: 0, limit: 1_000 };
            let said = store.load_messages(&conversation.id, window).await.expect("reads");
            assert_eq!(said.last().map(|message| message.hash), Some(conversation.head), "{what}");
            read += said.len();
        }
        assert_eq!(read, messages, "{what}");
        assert_eq!(store.check_canonical().await.expect("checks"), [], "{what}");

        // What migration 0012 fills in from the rows that were there.
        let named = |name: &str| found.iter().find(|conversation| conversation.name == name).expect("it is there");
        let imported = named("claude-code:s-1");
        let has_title = tenant == "alpha" && version >= FIRST_ARCHIVE;
        assert_eq!(imported.title.as_deref(), has_title.then_some("Discount codes and checkout retries"), "{what}");
        assert_eq!((imported.created.0, imported.updated.0), (1_772_359_260_000, 1_772_533_440_000), "{what}");
        assert_eq!((named("zoo").created.0, named("zoo").updated.0), (1_769_932_860_000, 1_769_933_520_000), "{what}");

        // Terms are found under their new keys, and lead to the tenant's own messages only.
        let find = MessageQuery { terms: vec!["zebra3".to_owned()], ..MessageQuery::default() };
        let places = store.find_messages(find, None).await.expect("looks").cursors();
        assert_eq!(places.len(), 1, "{what}");
        let message = store.messages_numbered(&places).await.expect("reads").remove(0).expect("it is there");
        assert_eq!(message.body.content(), "zebra3 migrates in March\0 with NUL", "{what}");
    }
    let alpha = store.for_tenant("alpha").expect("a name");
    let imported = alpha.list_conversations().await.expect("reads");
    let imported = imported.iter().find(|conversation| conversation.name == "claude-code:s-1").expect("it is there");
    let summaries = alpha.active_context(&imported.id).await.expect("reads").summaries;
    assert_eq!(summaries.len(), usize::from(version >= FIRST_FOLDS), "schema {version}");
    let unkeyed = "SELECT count(*) FROM epitome.message_terms a JOIN epitome.message_terms b
                     ON a.tenant_id < b.tenant_id AND a.keys && b.keys";
    let shared: i64 = admin.query_one(unkeyed, &[]).await.expect("asks").get(0);
    assert_eq!(shared, 0, "equal words of two tenants are no equal numbers, schema {version}");
}
