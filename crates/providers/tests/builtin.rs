//! Runs the conformance tests for embedders on the built-in embedder.

use providers::conformance::embedder;
use providers::vendors::builtin::BuiltinEmbedder;

#[tokio::test]
async fn the_built_in_embedder_keeps_every_promise() {
    embedder::run(&BuiltinEmbedder).await;
}
