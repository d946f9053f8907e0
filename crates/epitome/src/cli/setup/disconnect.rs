//! The command `epitome disconnect`: removes from the settings files of agents what `epitome init` wrote, and nothing
//! else.

use super::init::{agent_argument, named_agents};
use crate::cli::CommandSetup;
use crate::cli::output::TerminalOutput;
use crate::connect::{self, AgentConnection, ConnectionRegistry, DisconnectOutcome, UserHome};
use crate::daemon_link::stop_daemon;
use crate::errors::{AppError, ErrorClass};
use agents::connectors::Program;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use std::fmt::Write as _;

const ABOUT_TEXT: &str = "Take out of the files of agents what `epitome init` wrote";

const LONG_ABOUT: &str = "\
Take out of the files of agents what `epitome init` wrote

A file that nobody touched since is again what it was, byte for byte. Where others changed it, only what is ours \
goes. Once no agent is connected, the daemon leaves. Conversations and indexes stay where they are.";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("disconnect")
        .about(ABOUT_TEXT)
        .long_about(LONG_ABOUT)
        .arg(agent_argument("Only this agent"))
        .arg(
            Arg::new("yes")
                .long("yes")
                .short('y')
                .action(ArgAction::SetTrue)
                .help("As with init; it never asks anyway"),
        )
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Say what would happen, and end"))
}

pub(in crate::cli) fn run(
    start: &CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let disk = |error: std::io::Error| AppError::new(ErrorClass::Unavailable, "disk", error.to_string());
    let mut connections = ConnectionRegistry::open(&start.loaded.directories.data).map_err(disk)?;
    let named = named_agents(arguments)?;
    let wanted = |connection: &&AgentConnection| {
        named.is_empty() || named.iter().any(|connector| connector.name == connection.record.agent)
    };
    let mut chosen: Vec<AgentConnection> = connections.all_connections().iter().filter(wanted).cloned().collect();
    let dry = arguments.get_flag("dry-run");
    let mut files = Vec::new();
    let mut text = String::new();
    let mut left = 0_u8;
    // Only a named agent can leave a file that another agent still reads; without a name all of them are disconnected.
    let machine = UserHome::from_environment(&start.loaded.environment).filter(|_| !named.is_empty());
    if let Some(machine) = &machine {
        let mut kept = Vec::new();
        for path in chosen.iter().map(|connection| connection.record.path.clone()) {
            // VS Code and Copilot CLI read one file of hooks: taking it away for one would silently disconnect the
            // other.
            let Some(other) = connect::other_reader(machine, &connections, &path, &named) else { continue };
            let _ = writeln!(text, "{}: stays, {} reads it, too", path.display(), other.title);
            if !dry {
                connections.hand_over(&path, other.name).map_err(disk)?;
            }
            files.push(json!({ "agent": other.name, "path": path, "outcome": "stays" }));
            kept.push(path);
        }
        chosen.retain(|connection| !kept.contains(&connection.record.path));
    }
    for connection in &chosen {
        let path = connection.record.path.display();
        let outcome = connect::undo_connection((!dry).then_some(&mut connections), connection);
        match &outcome {
            Ok(outcome) => drop(writeln!(text, "{}", describe_outcome(*outcome, &path.to_string()))),
            // One file that cannot be changed does not keep the others from being disconnected.
            Err(trouble) => {
                output.print_labelled("error", "31", &format!("left alone: {path}: {trouble}"));
                left = 1;
            }
        }
        files.push(outcome_json(connection, &outcome.map_err(|trouble| trouble.to_string())));
    }
    if !dry {
        // After the files: a folder is removed only when nothing of the user is left in it.
        connect::remove_folders(&chosen);
    }
    if chosen.is_empty() && text.is_empty() {
        text.push_str("nothing is connected\n");
        // Entries that the user wrote by hand are not ours to remove, but silence would look like success.
        warn_unrecorded(start, output);
    } else if dry {
        text.push_str("nothing was written\n");
    }
    let is_stopped = !dry && dismiss_daemon(start, &connections);
    if is_stopped {
        text.push_str("the daemon leaves\n");
    }
    output.write_reply(&json!({ "files": files, "applied": !dry, "daemon_stopped": is_stopped }), &text)?;
    Ok(left)
}

/// Has the daemon leave where no agent is left that would call it; whether there was one. What waits in the spool stays
/// there until a later command drains it.
fn dismiss_daemon(start: &CommandSetup, connections: &ConnectionRegistry) -> bool {
    let machine = UserHome::from_environment(&start.loaded.environment);
    let is_needed = machine.is_some_and(|machine| !connect::find_connected_agents(&machine, connections).is_empty());
    !is_needed && stop_daemon(&start.loaded.directories.state)
}

/// Prints where entries of ours stand that our registry has no record of: only the user who wrote them may remove them.
fn warn_unrecorded(start: &CommandSetup, output: &TerminalOutput) {
    let environment = &start.loaded.environment;
    let (Some(machine), Ok(program)) = (UserHome::from_environment(environment), connect::program_path(environment))
    else {
        return;
    };
    for path in connect::find_unrecorded_files(&machine, &Program::from_path(program.to_string_lossy())) {
        let what = format!("{} has entries of epitome that `epitome init` did not write down", path.display());
        output.print_warning(&format!("{what}; take them out by hand"));
    }
}

fn describe_outcome(outcome: DisconnectOutcome, path: &str) -> String {
    match outcome {
        DisconnectOutcome::Restored => format!("{path}: as it was"),
        DisconnectOutcome::Kept => format!("{path}: our entries removed; your later changes kept"),
        DisconnectOutcome::Removed => format!("{path}: removed, it was ours"),
        DisconnectOutcome::Missing => format!("{path}: was gone already"),
    }
}

fn outcome_json(connection: &AgentConnection, outcome: &Result<DisconnectOutcome, String>) -> Value {
    let agent = &connection.record.agent;
    let path = &connection.record.path;
    match outcome {
        Ok(outcome) => json!({ "agent": agent, "path": path, "outcome": outcome.as_str() }),
        Err(reason) => json!({ "agent": agent, "path": path, "outcome": "left alone", "reason": reason }),
    }
}
