//! Conformance test suites that every `Generator` and `Embedder` must pass, and a scripted HTTP server to run them
//! against.
//!
//! No vendor is reachable from a test, so vendors are simulated: the server answers as a script says, in a vendor's
//! own format or in violation of any format.

pub mod embedder;
pub mod generator;
pub mod server;

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use futures::future::BoxFuture;

/// Runs named cases, and panics with the names of those that failed.
async fn run_cases<'a>(cases: impl Iterator<Item = (&'static str, BoxFuture<'a, ()>)>) {
    let mut failed = Vec::new();
    for (name, case) in cases {
        if AssertUnwindSafe(case).catch_unwind().await.is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "broken promises: {failed:#?}");
}
