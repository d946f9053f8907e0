//! Runs any operation as a subcommand of the command line: parameters from the arguments, reply printed as text or
//! JSON.

use super::observer::TerminalObserver;
use super::output::TerminalOutput;
use crate::compose::App;
use crate::errors::{AppError, ErrorClass, exit_status};
use crate::hook::{DRAIN_WAIT_TIMEOUT, drain_spool};
use crate::ops;
use clap::ArgMatches;
use std::time::Instant;

pub(super) async fn run(
    app: &App,
    name: &str,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let operation = ops::find_operation(name)
        .ok_or_else(|| AppError::new(ErrorClass::Usage, "unknown_command", format!("there is no command `{name}`")))?;
    let started = Instant::now();
    if operation.data_source().has_conversations() {
        // Events that hooks left behind belong to the reply. Where they cannot be taken in, the reply is given without
        // them, with a warning.
        if let Err(error) = drain_spool(app, DRAIN_WAIT_TIMEOUT).await {
            output.print_warning(&format!("what hooks left behind was not taken in: {error}"));
        }
    }
    let observer = TerminalObserver::new(output);
    let call = app.build_call(&observer);
    let style = output.text_style(&app.config.terminal.links, &call.project.root);
    let mut answer = operation.run_matches(&call, arguments, &style).await?;
    // The progress bar is cleared before the reply is printed over it.
    drop(observer);
    // Written before the reply: a process that is killed afterwards has lost nothing.
    app.engine.flush_pending().await;
    let elapsed = started.elapsed();
    if operation.is_timed() {
        answer.json["elapsed_ms"] = serde_json::json!(elapsed.as_millis() as u64);
        answer.text = format!("{}took {:.1} s\n", answer.text, elapsed.as_secs_f64());
    }
    if answer.is_escaped {
        output.print_note(
            "some characters are written out (\\u{1b}): a terminal would obey them; a pipe gets the exact text",
        );
    }
    output.write_rendered(&answer.json, &answer.text)?;
    // After the reply, which does not wait for what the next process reads.
    app.engine.finish_writes().await;
    Ok(exit_status(answer.exit))
}
