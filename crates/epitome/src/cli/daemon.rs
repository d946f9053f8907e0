//! `epitome daemon`: the process that hooks leave behind, to be run, looked at or stopped by hand.

use super::Start;
use super::output::Output;
use crate::compose;
use crate::daemon::{self, Post, Running};
use crate::errors::{Class, Problem};
use clap::{ArgMatches, Command};
use serde_json::json;
use std::time::Duration;

const LONG_ABOUT: &str = "\
Take in what hooks leave behind, and answer them, until nothing happens any more

Hooks start it by themselves where it helps, and do without it where it is not there. There is one at most; it \
leaves after `hooks.daemon_seconds` without an event, or when another version of epitome was installed.";

pub(super) fn command() -> Command {
    Command::new("daemon")
        .about("Take in what hooks leave behind, and answer them, until nothing happens any more")
        .long_about(LONG_ABOUT)
        .subcommand(Command::new("status").about("Say whether it runs"))
        .subcommand(Command::new("stop").about("Have it leave; hooks go on without it"))
}

pub(super) async fn run(start: Start, arguments: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let state = start.loaded.directories.state.clone();
    match arguments.subcommand_name() {
        Some("status") => match daemon::look(&state) {
            Some(Running { version, process }) => output.either(
                &json!({ "running": true, "version": version, "process": process }),
                &format!("runs as process {process}, version {version}\n"),
            )?,
            None => output.either(&json!({ "running": false }), "does not run; hooks start it where it helps\n")?,
        },
        Some("stop") => {
            let stopped = daemon::stop(&state);
            output.either(&json!({ "stopped": stopped }), if stopped { "leaves\n" } else { "does not run\n" })?;
        }
        _ => {
            let taken = Post::take(&state).map_err(|error| {
                Problem::new(Class::Unavailable, "daemon", format!("cannot take the post of the daemon: {error}"))
            })?;
            let Some(post) = taken else {
                output.note("another one runs");
                return Ok(0);
            };
            let idle = Duration::from_secs(u64::from(start.loaded.config.hooks.daemon_seconds));
            let app = compose::app(start.loaded, start.project).await?;
            daemon::run(post, app, idle).await?;
        }
    }
    Ok(0)
}
