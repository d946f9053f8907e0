//! The command `epitome upgrade`: says how this program was installed, what to type for the newest version, and what of
//! the old one still runs. It asks no network and runs nothing.

use crate::cli::CommandSetup;
use crate::cli::output::TerminalOutput;
use crate::connect::{self, InstallSource};
use crate::daemon_link::ping_daemon;
use crate::errors::{AppError, ErrorClass};
use clap::Command;
use serde_json::json;
use std::fmt::Write as _;

const ABOUT_TEXT: &str = "Say how to get the newest version, for the way this one was installed";

const LONG_ABOUT: &str = "\
Say how to get the newest version, for the way this one was installed

Nothing is downloaded and nothing is run. Behind an upgrade, databases are brought up to date by the first command that \
opens them; a daemon of the old version leaves at the next hook; servers of agents go on with the old program until the \
agent starts them again, and an old program refuses a database that a newer one has changed instead of writing to it.";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("upgrade").about(ABOUT_TEXT).long_about(LONG_ABOUT)
}

pub(in crate::cli) fn run(start: &CommandSetup, output: &TerminalOutput) -> Result<u8, AppError> {
    let program = connect::program_path(&start.loaded.environment)
        .map_err(|error| AppError::new(ErrorClass::Unavailable, "disk", error.to_string()))?;
    let source = InstallSource::find(&program);
    let version = env!("CARGO_PKG_VERSION");
    let steps = source.upgrade_steps(&program);
    let daemon = ping_daemon(&start.loaded.directories.state).map(|daemon| daemon.version);
    let mut text = format!("epitome {version}, installed by {}: {}\n", source.as_str(), program.display());
    if source == InstallSource::NpmCache {
        let _ = writeln!(text, "npm may empty this cache, and agents would lose the program: install it for good");
    }
    text.push_str("for the newest version:\n");
    for step in &steps {
        let _ = writeln!(text, "  {step}");
    }
    text.push_str("then:\n  epitome doctor --fix     # writes the place of the program anew where it has moved\n");
    text.push_str("and start your agents again: what runs now stays the old version until then\n");
    if let Some(daemon) = daemon.as_ref().filter(|daemon| *daemon != version) {
        let _ = writeln!(text, "a daemon of version {daemon} still runs; it leaves at the next hook of this version");
    }
    let reply = json!({
        "version": version, "program": program, "installed_by": source.as_str(), "steps": steps, "daemon": daemon,
    });
    output.write_reply(&reply, &text).map(|()| 0)
}
