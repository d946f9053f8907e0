//! The built-in embedder keeps the promises of the port.

use providers::conformance::embedder;
use providers::vendors::builtin::Builtin;

#[tokio::test]
async fn the_built_in_embedder_keeps_every_promise() {
    embedder::run(&Builtin).await;
}
