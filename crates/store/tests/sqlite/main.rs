//! Integration tests of `SqliteStore`, the embedded store: runs the conformance suite on it, and in the modules tests
//! what only SQLite promises about its files and processes.

mod children;
mod file;
#[path = "../spending/mod.rs"]
mod spending;

use proptest::test_runner::{Config, TestRunner};
use std::sync::Arc;
use store::conformance::{
    ANCHOR, ARCHIVE, CODE, CONCURRENCY, FOLDS, LEDGER, MEMORY, REWRITE, StoreCase, StorePair, VECTORS, Vandal,
    refuses_what_was_changed, run_cases,
};
use store::sqlite::SqliteStore;
use tempfile::TempDir;

async fn conforms(groups: &[&'static [StoreCase]]) {
    let homes = std::sync::Mutex::new(Vec::new());
    run_cases(groups, async |_| {
        let home = TempDir::new().expect("the temporary directory is writable");
        let open = || SqliteStore::open(home.path(), home.path()).expect("opens");
        let stores = StorePair { first: Arc::new(open()), second: Arc::new(open()) };
        homes.lock().expect("nobody panics while holding it").push(home);
        stores
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
    let home = TempDir::new().expect("the temporary directory is writable");
    let open = || Arc::new(SqliteStore::open(home.path(), home.path()).expect("opens"));
    let stores = StorePair { first: open(), second: open() };
    let vandal = Vandal::in_folder(home.path());
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
    let config = Config { cases: 60, max_shrink_iters: 200, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&spending::plans(), |plan| {
        let home = TempDir::new().expect("the temporary directory is writable");
        let open = || Arc::new(SqliteStore::open(home.path(), home.path()).expect("opens"));
        let stores = StorePair { first: open(), second: open() };
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
