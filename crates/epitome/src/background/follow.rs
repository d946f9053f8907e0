//! Background job that watches a project's files. A server updates the index at each change; the daemon only watches,
//! so that a question reads nothing but what changed.

use crate::compose::App;
use engine::{ChangeBaseline, IndexRequest, NullObserver, ProjectWatch};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::AbortOnDropHandle;

/// How often it is looked whether the time of a subscription has come.
const SCHEDULE_INTERVAL: Duration = Duration::from_mins(1);

/// Keeps the index up to date until the process ends. What goes wrong is logged and leaves the questions as they are
/// without it: each looks at the disk itself.
pub(super) fn follow_project(app: Arc<App>) {
    tokio::spawn(async move {
        if let Err(error) = follow_files(&app).await {
            tracing::warn!(%error, "the project is not watched");
        }
    });
}

/// Watches the files until the handle is dropped, and leaves the index to the questions: they look only where something
/// changed. For a process that seldom answers about code, beside servers that keep the index up to date.
pub(crate) fn hold_watch(app: Arc<App>) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        match start_watch(&app).await {
            // The watch lives as long as this task: dropping the handle ends both.
            Ok(_watch) => std::future::pending().await,
            Err(error) => tracing::warn!(%error, "the project is not watched"),
        }
    }))
}

async fn follow_files(app: &App) -> engine::Result<()> {
    let watch = start_watch(app).await?;
    let mut baseline = ChangeBaseline::default();
    loop {
        // Before the wait, so that the state to compare with is the one before the change.
        suggest_changes(app, &mut baseline).await;
        wait_for_change(app, &watch).await;
        if let Err(error) = app.engine.index_project(&app.project, IndexRequest::default(), &NullObserver).await {
            // A watch that failed does not come back, and without it the loop would run without pause.
            if matches!(error, engine::Error::Watch { .. }) {
                return Err(error);
            }
            tracing::warn!(%error, "the index was not brought up to date");
        }
    }
}

/// Waits until a file changed; meanwhile it makes the suggestions whose time comes.
async fn wait_for_change(app: &App, watch: &ProjectWatch) {
    let mut changed = std::pin::pin!(watch.wait_changed());
    while tokio::time::timeout(SCHEDULE_INTERVAL, &mut changed).await.is_err() {
        if let Err(error) = app.engine.suggest_due(&app.project).await {
            tracing::warn!(%error, "no suggestions were made by schedule");
        }
    }
}

/// Makes suggestions of what changed, where somebody subscribed; a failure leaves the index as it is.
async fn suggest_changes(app: &App, baseline: &mut ChangeBaseline) {
    match app.engine.suggest_changes(&app.project, baseline).await {
        Ok(made) if !made.is_empty() => tracing::debug!(made = made.len(), "made suggestions of what changed"),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "no suggestions were made of what changed"),
    }
}

/// Starts watching: a repository at once, any other directory when it has an index. An agent that is started in a home
/// directory must not have all of it read; once a client has asked about a directory, it has been read anyway.
async fn start_watch(app: &App) -> engine::Result<ProjectWatch> {
    if !app.project.is_repository() {
        app.engine.wait_for_index(&app.project).await?;
    }
    app.engine.watch_project(&app.project)
}
