//! The command `epitome daemon`: runs, shows or stops by hand the background process that hooks start.

use crate::cli::CommandSetup;
use crate::cli::output::TerminalOutput;
use crate::compose;
use crate::daemon::{self, DaemonLock};
use crate::daemon_link::{DaemonProcess, ping_daemon, stop_daemon};
use crate::errors::{AppError, ErrorClass};
use crate::ops::render_duration;
use clap::{ArgMatches, Command};
use serde_json::json;
use std::time::Duration;

const LONG_ABOUT: &str = "\
Take in what hooks leave behind, and answer them, until nothing happens any more

Hooks start it by themselves where it helps, and do without it where it is not there. There is one at most; it \
leaves after `hooks.daemon_seconds` without an event, or when another version of epitome was installed.";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("daemon")
        .about("Take in what hooks leave behind, and answer them, until nothing happens any more")
        .long_about(LONG_ABOUT)
        .subcommand(Command::new("status").about("Say whether it runs"))
        .subcommand(Command::new("stop").about("Have it leave; hooks go on without it"))
}

pub(in crate::cli) async fn run(
    start: CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let state = start.loaded.directories.state.clone();
    match arguments.subcommand_name() {
        Some("status") => match ping_daemon(&state) {
            Some(DaemonProcess { version, process, uptime_s }) => {
                let time = uptime_s.map(|seconds| format!(", for {}", render_duration(seconds))).unwrap_or_default();
                output.write_reply(
                    &json!({ "running": true, "version": version, "process": process, "uptime_s": uptime_s }),
                    &format!("runs as process {process}, version {version}{time}\n"),
                )?;
            }
            None => {
                output.write_reply(&json!({ "running": false }), "does not run; hooks start it where it helps\n")?;
            }
        },
        Some("stop") => {
            let stopped = stop_daemon(&state);
            output.write_reply(&json!({ "stopped": stopped }), if stopped { "leaves\n" } else { "does not run\n" })?;
        }
        _ => {
            let taken = DaemonLock::try_acquire(&state).map_err(|error| {
                AppError::new(ErrorClass::Unavailable, "daemon", format!("cannot take the post of the daemon: {error}"))
            })?;
            let Some(post) = taken else {
                // Several hooks may start a daemon at once; the others leave without an error.
                output.print_note("another one runs");
                return Ok(0);
            };
            let idle = Duration::from_secs(u64::from(start.loaded.config.hooks.daemon_seconds));
            let app = compose::open_app(start.loaded, start.project).await?;
            daemon::run(post, app, idle).await?;
        }
    }
    Ok(0)
}
