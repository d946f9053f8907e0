//! Checks of `epitome doctor` on connected agents: whether their settings files still hold our entries, their hooks
//! really run, and hooks failed. Mends what can be mended with `--fix`.

use super::canary::{self, CanaryOutcome};
use super::{DoctorCheck, DoctorFinding};
use crate::cli::CommandSetup;
use crate::connect::{self, ConnectedAgent, ConnectionRegistry, UserHome};
use crate::hook::{self, LastSeen};
use crate::spool::Spool;
use agents::connectors::{ConnectPlan, Connector, FilePlan, Program};
use model::{EventKind, Timestamp};
use std::io;

/// Whether what can be mended is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FixMode {
    Yes,
    No,
}

pub(super) fn check_connections(
    start: &CommandSetup,
    mending: FixMode,
    connected: io::Result<&[ConnectedAgent]>,
) -> Vec<DoctorCheck> {
    // These two need no record of connections, so they are reported even if that record is damaged.
    let mut checks = vec![check_failures(start, mending), check_spool(start)];
    match connected.and_then(|connected| check_agents(start, mending, connected)) {
        Ok(connected) => checks.extend(connected),
        Err(error) => checks.push(DoctorCheck {
            name: "connections".to_owned(),
            outcome: Err(DoctorFinding {
                what: error.to_string(),
                fix: "put it back from a backup, or remove it and take our entries out of those files by hand"
                    .to_owned(),
            }),
        }),
    }
    checks
}

/// The agents that are connected.
pub(super) fn connected_agents(start: &CommandSetup) -> io::Result<Vec<ConnectedAgent>> {
    let connections = ConnectionRegistry::open(&start.loaded.directories.data)?;
    let machine = UserHome::from_environment(&start.loaded.environment);
    Ok(machine.map(|machine| connect::find_connected_agents(&machine, &connections)).unwrap_or_default())
}

/// Failures of hooks, which are not reported to their agent.
fn check_failures(start: &CommandSetup, mending: FixMode) -> DoctorCheck {
    let state = &start.loaded.directories.state;
    let failures = hook::read_failures(state);
    let outcome = match failures.last() {
        None => Ok("none failed".to_owned()),
        // Only `--fix` forgets failures: otherwise one look would hide them from the next one.
        Some(_) if mending == FixMode::Yes && hook::clear_failures(state).is_ok() => {
            Ok(format!("{} failures forgotten", failures.len()))
        }
        Some(last) => Err(DoctorFinding {
            what: format!(
                "{} failed, last {} of {}: {}",
                failures.len(),
                last.event,
                last.agent,
                last.failure.as_sentence()
            ),
            fix: "mend the cause, then epitome doctor --fix".to_owned(),
        }),
    };
    DoctorCheck { name: "hooks".to_owned(), outcome }
}

fn check_spool(start: &CommandSetup) -> DoctorCheck {
    let spool = Spool::in_directory(&start.loaded.directories.data);
    let aside = fs_err::read_dir(spool.quarantine_folder()).map_or(0, Iterator::count);
    let outcome = if aside == 0 {
        Ok(format!("{} bytes wait", spool.waiting_bytes()))
    } else {
        Err(DoctorFinding {
            what: format!("{aside} events could not be read and were put aside"),
            fix: format!("look at them in {}, and remove them", spool.quarantine_folder().display()),
        })
    };
    DoctorCheck { name: "spool".to_owned(), outcome }
}

fn check_agents(start: &CommandSetup, mending: FixMode, connected: &[ConnectedAgent]) -> io::Result<Vec<DoctorCheck>> {
    let mut connections = ConnectionRegistry::open(&start.loaded.directories.data)?;
    let Some(machine) = UserHome::from_environment(&start.loaded.environment) else { return Ok(Vec::new()) };
    let program = connect::program_path(&start.loaded.environment)?;
    let program = Program::from_path(program.to_string_lossy());
    let heard = LastSeen::read(&start.loaded.directories.state);
    let mut checks = Vec::new();
    for ConnectedAgent { connector, hooks, .. } in connected {
        let plan = machine
            .with_snapshot(|snapshot| connector.plan_connection(snapshot, &program, &connections.connection_records()));
        // The canary runs first: files in order mean nothing if this program cannot answer a hook.
        let outcome = canary::run_canary(connector.name).and_then(|sung| {
            let by_plugin = plan.by_plugin;
            let files = check_files(plan, mending, &mut connections)?;
            // The plugin has no path of its own, so the program has to be on the PATH.
            let how = if by_plugin { check_plugin(start)? } else { files };
            let late = match sung {
                CanaryOutcome::Well => "",
                CanaryOutcome::Late => "; the machine is too busy just now for hooks to answer",
            };
            Ok(format!("{how}{}{late}", describe_events(&heard, connector, hooks)))
        });
        checks.push(DoctorCheck { name: connector.name.to_owned(), outcome });
    }
    Ok(checks)
}

/// Whether the plugin finds a program to run: it has no path of its own.
fn check_plugin(start: &CommandSetup) -> Result<String, DoctorFinding> {
    match connect::program_on_path(&start.loaded.environment) {
        Some(program) => Ok(format!("connected by our plugin, which runs {}", program.display())),
        None => Err(DoctorFinding {
            what: "our plugin is enabled and runs `epitome`, which is not on the PATH".to_owned(),
            fix: "put the folder of this program on the PATH".to_owned(),
        }),
    }
}

/// Whether its files say what they should. A program that was moved shows here.
fn check_files(
    plan: ConnectPlan,
    mending: FixMode,
    connections: &mut ConnectionRegistry,
) -> Result<String, DoctorFinding> {
    // A file that could not even be planned for is reported before those that only differ.
    if let Some((path, trouble)) = plan.refused.first() {
        return Err(DoctorFinding {
            what: format!("{}: {trouble}", path.display()),
            fix: "mend the file, then epitome doctor --fix".to_owned(),
        });
    }
    let count = plan.files.len();
    for file in plan.files.into_iter().filter(|file| !FilePlan::is_done(file)) {
        let path = file.record.path.display().to_string();
        let fix = || {
            let name = plan.connector.name;
            format!("epitome doctor --fix; epitome init --agent {name} --dry-run shows what it would write")
        };
        if mending == FixMode::No {
            let what = if plan.by_plugin {
                format!("{path} has the server or the hooks a second time, beside our plugin")
            } else {
                format!("our entry in {path} was changed or removed")
            };
            return Err(DoctorFinding { what, fix: fix() });
        }
        connect::apply_plan(connections, file)
            .map_err(|trouble| DoctorFinding { what: format!("{path}: {trouble}"), fix: fix() })?;
    }
    Ok(format!("{} in order", crate::ops::render_count(count as u64, "file")))
}

/// When each hook last ran, and which never did; nothing about an agent without hooks.
fn describe_events(heard: &LastSeen, connector: &Connector, registered: &[String]) -> String {
    // Of calls only those leave something that a checkpoint is made at.
    let leaves = |event: &&String| agents::event_kind_named(event) != EventKind::Call;
    let never = registered.iter().filter(leaves).filter(|event| heard.event_time(connector.name, event).is_none());
    let never: Vec<&str> = never.map(String::as_str).collect();
    match heard.newest_event(connector.name) {
        _ if registered.is_empty() => String::new(),
        None => "; no event yet".to_owned(),
        Some((event, at)) if never.is_empty() => format!("; last event {event} at {}", Timestamp(at)),
        Some((event, at)) => format!("; last event {event} at {}, never {}", Timestamp(at), never.join(", ")),
    }
}
