//! The suites every vendor must pass, and a scripted server to pass them against.
//!
//! No vendor is reachable from a test, so what vendors do is played: the server says what a script says, in a vendor's
//! own form or against all form.

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
