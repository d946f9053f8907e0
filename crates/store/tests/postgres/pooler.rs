//! Integration tests of `PostgresStore` behind pgbouncer in transaction mode: every transaction may run on another
//! connection of the server, and each of those serves other tenants before and after.

use crate::server::{Server, plain_url};
use std::sync::Arc;
use store::conformance::sample::{build_append, conversation_id, text_row};
use store::conformance::{CONCURRENCY, FOLDS, MEMORY, StorePair, run_cases};
use store::postgres::PostgresStore;
use store::{MemoryStore as _, MessageWindow};
use testkit::pooler::TransactionPooler;

/// A pooler in front of a server, and the URL through it.
#[expect(clippy::print_stderr, reason = "whoever runs the tests has to see that this one did not run")]
fn put_pooler(server: &Server, connections: usize) -> Option<(TransactionPooler, String)> {
    let config: tokio_postgres::Config = plain_url(&server.url).parse().expect("it is a URL");
    let port = config.get_ports()[0];
    let Some(pooler) = TransactionPooler::start(port, connections) else {
        eprintln!("skipped: pgbouncer is not installed (Debian: `apt install pgbouncer`, or `cargo xtask provision`)");
        return None;
    };
    let url = server.url.replacen(&format!(":{port}/"), &format!(":{}/", pooler.port()), 1);
    assert_ne!(url, server.url);
    Some((pooler, url))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_may_hand_every_transaction_to_another_connection() {
    let server = Server::start().await;
    let Some((_pooler, url)) = put_pooler(&server, 2) else { return };
    let first = PostgresStore::connect(&url, 4).await.expect("connects");
    let second = PostgresStore::connect(&url, 4).await.expect("connects");
    let groups = [MEMORY, FOLDS, CONCURRENCY].concat();
    run_cases(&groups, async |name| StorePair {
        first: Arc::new(first.for_tenant(name).expect("a case has a name")),
        second: Arc::new(second.for_tenant(name).expect("a case has a name")),
    })
    .await;
}

/// Twelve tenants write and read at once over two connections of the server: settings that outlive their transaction
/// would show one tenant's rows to another.
#[tokio::test(flavor = "multi_thread")]
async fn tenants_share_connections_and_nothing_else() {
    let server = Server::start().await;
    let Some((_pooler, url)) = put_pooler(&server, 2) else { return };
    let store = PostgresStore::connect(&url, 8).await.expect("connects");
    let work = (0..12).map(|number| {
        let tenant = store.for_tenant(&format!("t{number}")).expect("a name");
        tokio::spawn(async move {
            for round in 0..10 {
                let words = format!("tenant {number} round {round}");
                tenant.append_messages(build_append("c", vec![text_row(&words)])).await.expect("appends");
                let said = tenant.load_messages(&conversation_id("c"), MessageWindow::Last(99)).await.expect("reads");
                assert_eq!(said.len(), round + 1);
                assert!(said.iter().all(|message| message.body.content().starts_with(&format!("tenant {number} "))));
            }
        })
    });
    for done in futures::future::join_all(work).await {
        done.expect("each has its own");
    }
    let named = "SELECT count(*) FROM pg_prepared_statements";
    let through = crate::server::connect(&url).await;
    // Simple queries, for the driver would make a statement with a name.
    let rows = through.simple_query(named).await.expect("asks");
    let count = rows.iter().find_map(|message| {
        let tokio_postgres::SimpleQueryMessage::Row(row) = message else { return None };
        row.get(0).map(str::to_owned)
    });
    assert_eq!(count.as_deref(), Some("0"), "no statement has a name");
}
