//! Following a project's files while a server runs, so that questions find the index as it should be.

use crate::compose::App;
use engine::{IndexRequest, Unobserved};
use std::sync::Arc;

/// Keeps the index up to date until the process ends. What goes wrong is logged and leaves the questions as they are
/// without it: each looks at the disk itself.
pub(crate) fn follow(app: Arc<App>) {
    // An agent started in a home directory must not have all of it read.
    if !app.project.is_repository() {
        return;
    }
    tokio::spawn(async move {
        let watch = match app.engine.watch(&app.project) {
            Ok(watch) => watch,
            Err(error) => return tracing::warn!(%error, "the project is not watched"),
        };
        loop {
            watch.changed().await;
            if let Err(error) = app.engine.index(&app.project, IndexRequest::default(), &Unobserved).await {
                tracing::warn!(%error, "the index was not brought up to date");
                if matches!(error, engine::Error::Watch { .. }) {
                    return;
                }
            }
        }
    });
}
