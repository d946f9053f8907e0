//! The conformance test suite of the store traits: a store backend is supported when it passes all of it. `run_cases`
//! runs it; the integration tests of the SQLite and the PostgreSQL store call that.
//!
//! Cases assert sets and the orders that the traits state, never scores or the store's own numbers.

mod anchor;
mod archive;
mod artifact;
mod code;
mod concurrency;
mod damage;
mod durable;
mod entities;
mod entity_rewrite;
mod feedback;
mod folds;
mod index;
mod jobs;
mod ledger;
mod memory;
mod message_search;
mod passages;
mod records;
mod resolution;
mod rewrite;
pub mod sample;
mod segments;
mod sessions;
mod tool_calls;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
mod vandal;
mod vectors;

pub use damage::refuses_what_was_changed;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
pub use vandal::Vandal;

use crate::Store;
use futures::future::BoxFuture;
use std::sync::Arc;

/// Two handles on one database, as two processes would have them.
pub struct StorePair {
    /// The handle most cases use.
    pub first: Arc<dyn Store>,
    /// The other one.
    pub second: Arc<dyn Store>,
}

/// One promise of the port.
pub struct StoreCase {
    /// The promise.
    pub name: &'static str,
    /// Panics when the promise is broken. The stores must be empty.
    pub run: for<'a> fn(&'a StorePair) -> BoxFuture<'a, ()>,
}

/// Promises about conversations and memories.
pub const MEMORY: &[&[StoreCase]] = &[
    memory::CASES,
    message_search::CASES,
    passages::CASES,
    durable::CASES,
    entities::CASES,
    sessions::CASES,
    records::CASES,
];
/// Promises about the anchor.
pub const ANCHOR: &[&[StoreCase]] = &[anchor::CASES];
/// Promises about what is purged or forgotten.
pub const REWRITE: &[&[StoreCase]] = &[rewrite::CASES, entity_rewrite::CASES];
/// Promises about the raw archive and about artifacts.
pub const ARCHIVE: &[&[StoreCase]] = &[archive::CASES, artifact::CASES];
/// Promises about folded conversations.
pub const FOLDS: &[&[StoreCase]] = &[folds::CASES, jobs::CASES];
/// Promises about the ledger, about dispatches of operations and about feedback.
pub const LEDGER: &[&[StoreCase]] = &[ledger::CASES, tool_calls::CASES, feedback::CASES];
/// Promises about file records.
pub const CODE: &[&[StoreCase]] = &[code::CASES, index::CASES, resolution::CASES, segments::CASES];
/// Promises about vectors.
pub const VECTORS: &[&[StoreCase]] = &[vectors::CASES];
/// Promises about many callers at once.
pub const CONCURRENCY: &[&[StoreCase]] = &[concurrency::CASES];

/// Runs every case on empty stores of its own, and panics with the names of those that failed.
pub async fn run_cases(groups: &[&'static [StoreCase]], open: impl AsyncFn(&'static str) -> StorePair) {
    let mut failed = Vec::new();
    for case in groups.iter().copied().flatten() {
        let stores = open(case.name).await;
        if tokio::spawn(async move { (case.run)(&stores).await }).await.is_err() {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "broken promises: {failed:#?}");
}

/// The table of a file's cases.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        pub(super) const CASES: &[StoreCase] =
            &[$(StoreCase { name: stringify!($name), run: |stores| Box::pin($name(stores)) }),*];
    };
}
use cases;
