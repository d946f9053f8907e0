//! Connected agents: do their files still say what they should, do their hooks really run, and did any go wrong?

use super::super::Start;
use super::canary::{self, Sung};
use super::{Check, Finding};
use crate::connect::{self, Connected, Connections, Machine};
use crate::hook::{self, Heard, Spool};
use agents::connectors::{Connector, FilePlan, Plan, Program};
use model::Timestamp;
use std::io;

/// Whether what can be mended is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mending {
    Yes,
    No,
}

pub(super) fn checks(start: &Start, mending: Mending, connected: io::Result<&[Connected]>) -> Vec<Check> {
    let mut checks = vec![failures(start, mending), spool(start)];
    match connected.and_then(|connected| connections(start, mending, connected)) {
        Ok(connected) => checks.extend(connected),
        Err(error) => checks.push(Check {
            name: "connections".to_owned(),
            outcome: Err(Finding {
                what: error.to_string(),
                fix: "put it back from a backup, or remove it and take our entries out of those files by hand"
                    .to_owned(),
            }),
        }),
    }
    checks
}

/// The agents that are connected.
pub(super) fn found(start: &Start) -> io::Result<Vec<Connected>> {
    let connections = Connections::open(&start.loaded.directories.data)?;
    let machine = Machine::of(&start.loaded.environment);
    Ok(machine.map(|machine| connect::connected(&machine, &connections)).unwrap_or_default())
}

/// What hooks could not do, and told nobody.
fn failures(start: &Start, mending: Mending) -> Check {
    let state = &start.loaded.directories.state;
    let marks = hook::left(state);
    let outcome = match marks.last() {
        None => Ok("none failed".to_owned()),
        Some(_) if mending == Mending::Yes && hook::clear(state).is_ok() => {
            Ok(format!("{} failures forgotten", marks.len()))
        }
        Some(last) => Err(Finding {
            what: format!("{} failed, last {} of {}: {}", marks.len(), last.event, last.agent, last.failure.sentence()),
            fix: "mend the cause, then epitome doctor --fix".to_owned(),
        }),
    };
    Check { name: "hooks".to_owned(), outcome }
}

fn spool(start: &Start) -> Check {
    let spool = Spool::of(&start.loaded.directories.data);
    let aside = fs_err::read_dir(spool.quarantined()).map_or(0, Iterator::count);
    let outcome = if aside == 0 {
        Ok(format!("{} bytes wait", spool.bytes()))
    } else {
        Err(Finding {
            what: format!("{aside} events could not be read and were put aside"),
            fix: format!("look at them in {}, and remove them", spool.quarantined().display()),
        })
    };
    Check { name: "spool".to_owned(), outcome }
}

fn connections(start: &Start, mending: Mending, connected: &[Connected]) -> io::Result<Vec<Check>> {
    let mut connections = Connections::open(&start.loaded.directories.data)?;
    let Some(machine) = Machine::of(&start.loaded.environment) else { return Ok(Vec::new()) };
    let program = connect::program(&start.loaded.environment)?;
    let program = Program::at(program.to_string_lossy());
    let heard = Heard::read(&start.loaded.directories.state);
    let mut checks = Vec::new();
    for Connected { connector, hooks, .. } in connected {
        let plan = machine.look(|snapshot| connector.plan(snapshot, &program, &connections.records()));
        let outcome = canary::sings(connector.name).and_then(|sung| {
            let by_plugin = plan.by_plugin;
            let files = files(plan, mending, &mut connections)?;
            let how = if by_plugin { plugin(start)? } else { files };
            let late = match sung {
                Sung::Well => "",
                Sung::Late => "; the machine is too busy just now for hooks to answer",
            };
            Ok(format!("{how}{}{late}", lately(&heard, connector, hooks)))
        });
        checks.push(Check { name: connector.name.to_owned(), outcome });
    }
    Ok(checks)
}

/// Whether the plugin finds a program to run: it has no path of its own.
fn plugin(start: &Start) -> Result<String, Finding> {
    match connect::program_on_path(&start.loaded.environment) {
        Some(program) => Ok(format!("connected by our plugin, which runs {}", program.display())),
        None => Err(Finding {
            what: "our plugin is enabled and runs `epitome`, which is not on the PATH".to_owned(),
            fix: "put the folder of this program on the PATH".to_owned(),
        }),
    }
}

/// Whether its files say what they should. A program that was moved shows here.
fn files(plan: Plan, mending: Mending, connections: &mut Connections) -> Result<String, Finding> {
    if let Some((path, trouble)) = plan.refused.first() {
        return Err(Finding {
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
        if mending == Mending::No {
            let what = if plan.by_plugin {
                format!("{path} has the server or the hooks a second time, beside our plugin")
            } else {
                format!("{path} does not say what it should any more")
            };
            return Err(Finding { what, fix: fix() });
        }
        connect::apply(connections, file)
            .map_err(|trouble| Finding { what: format!("{path}: {trouble}"), fix: fix() })?;
    }
    Ok(format!("{} in order", crate::ops::count(count as u64, "file")))
}

/// When which hook was last heard, and which never; nothing about an agent that has none.
fn lately(heard: &Heard, connector: &Connector, registered: &[String]) -> String {
    let never = registered.iter().filter(|event| heard.at(connector.name, event).is_none());
    let never: Vec<&str> = never.map(String::as_str).collect();
    match heard.last(connector.name) {
        _ if registered.is_empty() => String::new(),
        None => "; nothing heard yet".to_owned(),
        Some((event, at)) if never.is_empty() => format!("; last heard {event} at {}", Timestamp(at)),
        Some((event, at)) => format!("; last heard {event} at {}, never {}", Timestamp(at), never.join(", ")),
    }
}
