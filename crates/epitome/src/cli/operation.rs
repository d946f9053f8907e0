//! Any operation as a command.

use super::observer::Terminal;
use super::output::Output;
use crate::compose::App;
use crate::errors::{Class, Problem, exit_status};
use crate::hook::{PATIENCE, drain};
use crate::ops;
use clap::ArgMatches;
use std::time::Instant;

pub(super) async fn run(app: &App, name: &str, arguments: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let operation = ops::find(name)
        .ok_or_else(|| Problem::new(Class::Usage, "unknown_command", format!("there is no command `{name}`")))?;
    let started = Instant::now();
    if operation.reads().has_conversations() {
        // What hooks left behind belongs to the answer; where it cannot be taken in, the answer is without it.
        if let Err(error) = drain(app, PATIENCE).await {
            output.warning(&format!("what hooks left behind was not taken in: {error}"));
        }
    }
    let observer = Terminal::new(output);
    let call = app.call(&observer);
    let style = output.text_style(&app.config.terminal.links, &call.project.root);
    let mut answer = operation.run_matches(&call, arguments, &style).await?;
    drop(observer);
    app.engine.flush().await;
    let elapsed = started.elapsed();
    if operation.timed() {
        answer.json["elapsed_ms"] = serde_json::json!(elapsed.as_millis() as u64);
        answer.text = format!("{}took {:.1} s\n", answer.text, elapsed.as_secs_f64());
    }
    output.either(&answer.json, &answer.text)?;
    Ok(exit_status(answer.exit))
}
