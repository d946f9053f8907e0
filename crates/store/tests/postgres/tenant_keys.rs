//! Integration tests of tenant keys: the application's role, with the name of another tenant or without a key, reads
//! and writes nothing of it, whatever settings it makes.

use crate::server::{Server, connect};
use store::conformance::sample::{build_append, text_row};
use store::postgres::{AppRole, PostgresStore};
use store::{Error, MemoryStore as _};

const WRONG_KEY: &str = "the key is not that of tenant \"a\"";

async fn refusal(client: &tokio_postgres::Client, sql: &str) -> String {
    let error = client.query(sql, &[]).await.expect_err(sql);
    error.as_db_error().expect("the server said it").message().to_owned()
}

/// `psql` as the application's role, which knows its password and every name, but no key.
#[tokio::test]
async fn a_name_alone_opens_no_tenant() {
    let server = Server::start().await;
    let ours = server.store().await.for_tenant("a").expect("a name");
    ours.append_messages(build_append("c", vec![text_row("secret words"), text_row("")])).await.expect("appends");
    let app = connect(&server.url).await;
    let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'epitome'
                    AND has_table_privilege(schemaname || '.' || tablename, 'SELECT') AND tablename <> 'migrations'";
    let tables: Vec<String> = app.query(tables, &[]).await.expect("asks").iter().map(|row| row.get(0)).collect();
    assert!(tables.len() > 40, "{tables:?}");
    let full = ["messages", "message_terms", "message_parts", "conversations", "scrub_keys"];
    let read = async |client: &tokio_postgres::Client, table: &str| {
        client.query(&format!("SELECT 1 FROM epitome.{table}"), &[]).await
    };
    for settings in [
        "SELECT 1",
        "SET epitome.tenant = ''; SET epitome.tenant_key = ''",
        "SET epitome.tenant = 'a'; SET epitome.tenant_key = ''",
        "SET epitome.tenant = 'a'; RESET epitome.tenant_key",
        "SET epitome.tenant = 'a'; SET epitome.tenant_key = 'a'",
        "SET row_security = off; SET epitome.tenant = 'a'",
    ] {
        app.batch_execute(settings).await.expect("anybody may set anything");
        for table in &tables {
            let rows = read(&app, table).await.map_or(0, |rows| rows.len());
            assert_eq!(rows, 0, "{table} after {settings}");
        }
        if settings.contains("'a'") && !settings.contains("row_security") {
            for table in full {
                assert_eq!(refusal(&app, &format!("SELECT 1 FROM epitome.{table}")).await, WRONG_KEY);
            }
            assert_eq!(refusal(&app, "SELECT epitome.messages_with('{}')").await, WRONG_KEY);
        }
    }
    app.batch_execute("RESET row_security").await.expect("sets");
    // The key of one tenant does not open another.
    let theirs = server.tenant_client("b").await;
    assert_eq!(read(&theirs, "messages").await.expect("its own").len(), 0);
    theirs.batch_execute("SET epitome.tenant = 'a'").await.expect("sets");
    assert_eq!(refusal(&theirs, "SELECT 1 FROM epitome.messages").await, WRONG_KEY);
    for sql in ["SELECT secret FROM epitome.tenant_secret", "SELECT epitome.tenant_key('\\x00'::bytea, 'a')"] {
        let said = refusal(&app, sql).await;
        assert!(said.starts_with("permission denied for "), "{said}");
    }
    let own = server.tenant_client("a").await;
    for table in full {
        assert!(!read(&own, table).await.expect("its own").is_empty(), "{table}");
    }
}

#[tokio::test]
async fn a_url_for_one_tenant_opens_no_other() {
    let server = Server::start().await;
    let all = server.store().await;
    all.for_tenant("b")
        .expect("a name")
        .append_messages(build_append("c", vec![text_row("hi")]))
        .await
        .expect("appends");
    let role = AppRole::default();
    let url = PostgresStore::tenant_url(&server.admin_url, &role, "a").await.expect("makes a URL");
    assert!(!url.contains("tenant_secret"), "{url}");
    let store = PostgresStore::connect(&url, 1).await.expect("connects");
    let ours = store.for_tenant("a").expect("a name");
    ours.append_messages(build_append("c", vec![text_row("hello")])).await.expect("appends");
    assert_eq!(ours.memory_totals().await.expect("reads").messages, 1);
    // An empty answer would look like a tenant that has nothing.
    let theirs = store.for_tenant("b").expect("a name").memory_totals().await.expect_err("it is refused");
    assert!(theirs.to_string().ends_with("the key is not that of tenant \"b\""), "{theirs}");
    let lacking = crate::server::plain_url(&server.url);
    let error = PostgresStore::connect(lacking, 1).await.err().expect("it is refused");
    let Error::Unavailable { reason, .. } = &error else { panic!("{error:?}") };
    assert!(reason.starts_with("its URL has neither `tenant_secret` nor `tenant_key`\nhint: "), "{reason}");
}
