//! The store for teams passes the suite, and keeps the promises that only it makes.

mod differential;
mod init;
mod recovery;
mod server;
mod tenancy;

use server::Server;
use std::sync::Arc;
use store::conformance::{CODE, CONCURRENCY, Case, MEMORY, Stores, run};

/// Each case has a tenant of its own, which is as good as a database of its own.
async fn conforms(groups: &[&'static [Case]]) {
    let server = Server::start().await;
    let (first, second) = (server.store().await, server.store().await);
    run(groups, async |name| Stores {
        first: Arc::new(first.for_tenant(name).expect("a case has a name")),
        second: Arc::new(second.for_tenant(name).expect("a case has a name")),
    })
    .await;
}

#[tokio::test]
async fn it_keeps_conversations() {
    conforms(MEMORY).await;
}

#[tokio::test]
async fn it_keeps_code() {
    conforms(CODE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_serves_many_at_once() {
    conforms(CONCURRENCY).await;
}
