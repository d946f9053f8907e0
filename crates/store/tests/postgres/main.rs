//! Integration tests of `PostgresStore`, the store for teams: runs the conformance suite on it, and in the modules
//! tests what only PostgreSQL promises (tenancy, encryption, recovery, initialization, upgrades, poolers).

mod backup;
mod differential;
mod init;
mod older;
mod pooler;
mod proof;
mod recovery;
mod rewrites;
mod server;
#[path = "../spending/mod.rs"]
mod spending;
mod tenancy;
mod tenant_keys;
mod tls;

use proptest::test_runner::{Config, TestRunner};
use server::Server;
use std::sync::Arc;
use store::conformance::{
    ANCHOR, ARCHIVE, CODE, CONCURRENCY, FOLDS, LEDGER, MEMORY, REWRITE, StoreCase, StorePair, VECTORS, Vandal,
    refuses_what_was_changed, run_cases,
};

/// Each case has a tenant of its own, which is as good as a database of its own.
async fn conforms(groups: &[&'static [StoreCase]]) {
    let server = Server::start().await;
    let first = server.owned_store().await;
    let second = server.store().await;
    run_cases(groups, async |name| StorePair {
        first: Arc::new(first.for_tenant(name).expect("a case has a name")),
        second: Arc::new(second.for_tenant(name).expect("a case has a name")),
    })
    .await;
}

#[tokio::test]
async fn it_keeps_conversations() {
    conforms(MEMORY).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_anchors_what_it_acknowledges() {
    conforms(ANCHOR).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_purges_and_forgets() {
    conforms(REWRITE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_the_archive() {
    conforms(ARCHIVE).await;
}

#[tokio::test]
async fn it_refuses_what_was_changed() {
    let server = Server::start().await;
    let stores = StorePair { first: Arc::new(server.store().await), second: Arc::new(server.store().await) };
    let vandal = Vandal::on_server(&server.admin_url).await;
    refuses_what_was_changed(&stores, async |sql| vandal.change(sql).await).await;
}

#[tokio::test]
async fn it_keeps_code() {
    conforms(CODE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_folds() {
    conforms(FOLDS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_the_ledger() {
    conforms(LEDGER).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_vectors() {
    conforms(VECTORS).await;
}

#[test]
fn no_ceiling_is_passed_whatever_happens() {
    let runtime = tokio::runtime::Runtime::new().expect("makes a runtime");
    let server = runtime.block_on(Server::start());
    let (first, second) = runtime.block_on(async { (server.store().await, server.store().await) });
    let tenant = std::cell::Cell::new(0);
    let config = Config { cases: 30, max_shrink_iters: 100, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&spending::plans(), |plan| {
        tenant.set(tenant.get() + 1);
        let open = |store: &store::postgres::PostgresStore| {
            Arc::new(store.for_tenant(&tenant.get().to_string()).expect("it has a name"))
        };
        let stores = StorePair { first: open(&first), second: open(&second) };
        runtime.block_on(spending::carry_out(&stores, &plan));
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_serves_many_at_once() {
    conforms(CONCURRENCY).await;
}
