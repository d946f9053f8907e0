//! Runs any operation as a subcommand of the command line: parameters from the arguments, reply printed as text or
//! JSON.

use super::observer::TerminalObserver;
use super::output::TerminalOutput;
use crate::booking::{CallSubject, note_dispatch};
use crate::compose::App;
use crate::errors::{AppError, ErrorClass, exit_status};
use crate::hook::{DRAIN_WAIT_TIMEOUT, drain_spool};
use crate::ops::{self, CommandExit, OperationAnswer};
use clap::ArgMatches;
use engine::{CallDoor, CallSource};
use serde_json::Value;
use std::time::{Duration, Instant};

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
    // A proof leaves the store as it found it, and nothing is written to one that was just found damaged.
    if name != PROOF && answer.exit != CommandExit::Integrity {
        note_command(app, operation.name(), arguments, &mut answer, elapsed);
        // Behind the reply, which must not wait for its own statistics, nor for another process that writes for long.
        let _ = tokio::time::timeout(BOOKING_TIME, app.engine.flush_pending()).await;
    }
    // After the reply, which does not wait for what the next process reads.
    app.engine.finish_writes().await;
    Ok(exit_status(answer.exit))
}

/// The operation that proves the store.
const PROOF: &str = "verify";

/// How long a command waits at its end for its entry in the ledger.
const BOOKING_TIME: Duration = Duration::from_secs(1);

/// Notes the command for the ledger. A command belongs to an agent only where a session is named: a person's own spare
/// no model anything.
fn note_command(app: &App, name: &str, arguments: &ArgMatches, answer: &mut OperationAnswer, elapsed: Duration) {
    let text = |name: &str| arguments.try_get_one::<String>(name).ok().flatten().cloned();
    let params = ["query", "pattern", "symbol", "name", "path", "id"].map(|name| (name.to_owned(), text(name)));
    let given = params.into_iter().filter_map(|(name, value)| Some((name, Value::from(value?))));
    CallSubject::from_params(name, &Value::Object(given.collect())).complete(&mut answer.facts);
    let session = Some(app.config.ledger.session.clone()).filter(|session| !session.is_empty());
    let source = CallSource { door: CallDoor::Cli, session, agent: None, tool: name.to_owned() };
    note_dispatch(app, source, name, std::mem::take(&mut answer.facts), answer.text.clone(), elapsed);
}
