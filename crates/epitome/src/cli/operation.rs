//! Any operation as a command.

use super::observer::Terminal;
use super::output::Output;
use crate::compose::App;
use crate::errors::{Class, Problem, exit_status};
use crate::ops;
use clap::ArgMatches;
use std::time::Instant;

pub(super) async fn run(app: &App, name: &str, arguments: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let operation = ops::find(name)
        .ok_or_else(|| Problem::new(Class::Usage, "unknown_command", format!("there is no command `{name}`")))?;
    let started = Instant::now();
    let observer = Terminal::new(output);
    let call = app.call(&observer);
    let mut answer = operation.run_matches(&call, arguments).await?;
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
