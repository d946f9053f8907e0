//! The command `epitome watch`: keeps the index up to date while files change, and prints each update.

use crate::cli::observer::TerminalObserver;
use crate::cli::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use clap::{Arg, ArgMatches, Command};
use engine::{IndexRequest, Observer};
use serde_json::json;
use std::pin::pin;
use std::time::{Duration, Instant};

const LONG_ABOUT: &str = "\
Keep the index up to date while files change

Only what changed is parsed again. `epitome mcp` and `epitome serve` do this by themselves; run it for a project \
that is worked on without them. With --json every update is one JSON line.";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("watch").about("Keep the index up to date while files change").long_about(LONG_ABOUT).arg(
        Arg::new("debounce")
            .long("debounce")
            .value_name("MS")
            .value_parser(clap::value_parser!(u64).range(1..=60_000))
            .default_value("300")
            .help("Wait until nothing has changed for so many milliseconds"),
    )
}

/// How often a wish to stop is looked for.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(in crate::cli) async fn run(app: &App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let observer = TerminalObserver::new(output);
    let debounce = arguments.get_one::<u64>("debounce").copied().map(Duration::from_millis);
    let watch = app.engine.watch_project(&app.project)?.with_debounce(debounce.unwrap_or(STOP_POLL_INTERVAL));
    let mut first = true;
    loop {
        // Looked at in short pieces, because Ctrl-C only sets a flag. It is one wait all the same, which may be longer than
        // a piece.
        let mut change = pin!(watch.wait_changed());
        while tokio::time::timeout(STOP_POLL_INTERVAL, change.as_mut()).await.is_err() {
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
