//! The command `epitome watch`: keeps the index up to date while files change, and prints each update.

use crate::cli::observer::TerminalObserver;
use crate::cli::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use clap::Command;
use engine::{IndexRequest, Observer};
use serde_json::json;
use std::time::{Duration, Instant};

const LONG_ABOUT: &str = "\
Keep the index up to date while files change

Only what changed is parsed again. `epitome mcp` and `epitome serve` do this by themselves; run it for a project \
that is worked on without them. With --json every update is one JSON line.";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("watch").about("Keep the index up to date while files change").long_about(LONG_ABOUT)
}

/// How often a wish to stop is looked for.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(in crate::cli) async fn run(app: &App, output: &TerminalOutput) -> Result<u8, AppError> {
    let observer = TerminalObserver::new(output);
    let watch = app.engine.watch_project(&app.project)?;
    let mut first = true;
    loop {
        // The wait is cut into short pieces, because Ctrl-C only sets a flag that is looked at between them.
        while tokio::time::timeout(STOP_POLL_INTERVAL, watch.wait_changed()).await.is_err() {
            if observer.is_cancelled() {
                return Ok(0);
            }
        }
        let started = Instant::now();
        let report = app.engine.index_project(&app.project, IndexRequest::default(), &observer).await?;
        let elapsed = started.elapsed();
        // The first report tells that the index is complete; later ones only appear when something changed.
        if first || report.indexed + report.removed > 0 {
            let told = json!({
                "files": report.totals.files,
                "indexed": report.indexed,
                "removed": report.removed,
                "elapsed_ms": elapsed.as_millis() as u64,
            });
            let text = format!(
                "{} parsed, {} removed, {} in all, {} ms\n",
                report.indexed,
                report.removed,
                report.totals.files,
                elapsed.as_millis()
            );
            output.write_reply(&told, &text)?;
        }
        if first {
            output.print_note("watching; Ctrl-C stops");
            first = false;
        }
    }
}
