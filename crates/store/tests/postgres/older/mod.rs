//! Integration tests of upgrades: a database as an older version left it, with rows of two tenants, is brought up to
//! date, and nothing in it is lost, changed or mixed up.

use crate::server::{connect, empty_database};
use store::postgres::{AppRole, PostgresStore};
use store::{FoldStore as _, MemoryStore as _, MessageQuery, MessageWindow};
use testkit::postgres::PostgresCluster;

/// Schema 10, before memories, sessions and tenant keys: two imported conversations, two that were ingested (one has a
/// NUL in it), an artifact, and a summary.
const ROWS_OF_SCHEMA_10: &str = include_str!("rows_of_schema_10.sql");

/// The tables that those rows were in.
const SCHEMA_10: [&str; 10] = [
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
];

/// The database of an older version, and the store on it after the upgrade.
async fn upgrade(cluster: &PostgresCluster) -> (tokio_postgres::Client, PostgresStore) {
    let url = empty_database(cluster).await;
    let admin = connect(&url).await;
    for migration in SCHEMA_10 {
        admin.batch_execute(migration).await.expect("makes the older tables");
    }
    // As a restored dump is loaded: nothing is checked or refused meanwhile.
    admin.batch_execute("SET session_replication_role = replica").await.expect("sets");
    admin.batch_execute(ROWS_OF_SCHEMA_10).await.expect("the rows are loaded");
    admin.batch_execute("RESET session_replication_role").await.expect("sets");
    let ready = PostgresStore::init(&url, &AppRole::default()).await.expect("brings it up to date");
    assert_eq!((ready.found, ready.version > 10), (10, true));
    (admin, PostgresStore::connect(&ready.url, 2).await.expect("connects"))
}

#[tokio::test]
async fn an_older_database_is_brought_up_to_date() {
    let cluster = PostgresCluster::start();
    let (admin, store) = upgrade(&cluster).await;
    for (tenant, conversations, messages) in [("alpha", 3, 37), ("beta", 2, 36)] {
        let store = store.for_tenant(tenant).expect("a name");
        // Reading compares every message with its hash and its place in the chain.
        let found = store.list_conversations().await.expect("reads");
        assert_eq!(found.len(), conversations, "{tenant}");
        let mut read = 0;
        for conversation in &found {
            let window = MessageWindow::After { seq: 0, limit: 1_000 };
            let said = store.load_messages(&conversation.id, window).await.expect("reads");
            assert_eq!(said.last().map(|message| message.hash), Some(conversation.head), "{tenant}");
            read += said.len();
        }
        assert_eq!(read, messages, "{tenant}");
        assert_eq!(store.check_canonical().await.expect("checks"), [], "{tenant}");

        // What migration 0012 fills in from the rows that were there.
        let named = |name: &str| found.iter().find(|conversation| conversation.name == name).expect("it is there");
        let imported = named("claude-code:s-1");
        let title = (tenant == "alpha").then_some("Discount codes and checkout retries");
        assert_eq!(imported.title.as_deref(), title);
        assert_eq!((imported.created.0, imported.updated.0), (1_772_359_260_000, 1_772_533_440_000));
        assert_eq!((named("zoo").created.0, named("zoo").updated.0), (1_769_932_860_000, 1_769_933_520_000));

        // Terms are found under their new keys, and lead to the tenant's own messages only.
        let find = MessageQuery { terms: vec!["zebra3".to_owned()], ..MessageQuery::default() };
        let places = store.find_messages(find, None).await.expect("looks").cursors();
        assert_eq!(places.len(), 1, "{tenant}");
        let message = store.messages_numbered(&places).await.expect("reads").remove(0).expect("it is there");
        assert_eq!(message.body.content(), "zebra3 migrates in March\0 with NUL");
    }
    let alpha = store.for_tenant("alpha").expect("a name");
    let imported = alpha.list_conversations().await.expect("reads");
    let imported = imported.iter().find(|conversation| conversation.name == "claude-code:s-1").expect("it is there");
    assert_eq!(alpha.active_context(&imported.id).await.expect("reads").summaries.len(), 1);
    let unkeyed = "SELECT count(*) FROM epitome.message_terms a JOIN epitome.message_terms b
                     ON a.tenant_id < b.tenant_id AND a.keys && b.keys";
    let shared: i64 = admin.query_one(unkeyed, &[]).await.expect("asks").get(0);
    assert_eq!(shared, 0, "equal words of two tenants are no equal numbers");
}
