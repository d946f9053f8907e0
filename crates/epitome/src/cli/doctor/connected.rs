//! Connected agents: do their files still say what they should, do their hooks really run, and did any go wrong?

use super::super::Start;
use super::{Check, Finding, canary};
use crate::connect::{self, Connections, Machine};
use crate::hook::{self, Heard, Spool};
use agents::connectors::{Connector, FilePlan, Plan, Program};
use model::Timestamp;

/// Whether what can be mended is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mending {
    Yes,
    No,
}

pub(super) fn checks(start: &Start, mending: Mending) -> Vec<Check> {
    let mut checks = vec![failures(start, mending), spool(start)];
    match connections(start, mending) {
        Ok(connected) => checks.extend(connected),
        Err(error) => checks.push(Check {
            name: "connections".to_owned(),
            outcome: Err(Finding { what: error.to_string(), fix: "see the message".to_owned() }),
        }),
    }
    checks
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
            what: format!("{} failed, last {} of {}: {}", marks.len(), last.event, last.agent, last.reason),
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

fn connections(start: &Start, mending: Mending) -> std::io::Result<Vec<Check>> {
    let mut connections = Connections::open(&start.loaded.directories.data)?;
    let mut names: Vec<String> = connections.list().iter().map(|known| known.record.agent.clone()).collect();
    names.dedup();
    let (Some(machine), false) = (Machine::of(&start.loaded.environment), names.is_empty()) else {
        return Ok(Vec::new());
    };
    let program = Program::at(connect::program()?.to_string_lossy());
    let heard = Heard::read(&start.loaded.directories.state);
    let mut checks = Vec::new();
    for connector in names.iter().filter_map(|name| Connector::named(name)) {
        let plan = machine.look(|snapshot| connector.plan(snapshot, &program, &connections.records()));
        let registered = connections.hooks_of(connector.name);
        let broken = |what| Finding { what, fix: "install epitome again; if it stays, please report it".to_owned() };
        let outcome = canary::sings(connector.name).map_err(broken).and_then(|()| {
            let files = files(plan, mending, &mut connections)?;
            Ok(format!("{files}{}", lately(&heard, connector, &registered)))
        });
        checks.push(Check { name: connector.name.to_owned(), outcome });
    }
    Ok(checks)
}

/// Whether its files say what they should. A program that was moved shows here.
fn files(plan: Plan, mending: Mending, connections: &mut Connections) -> Result<String, Finding> {
    if let Some((path, trouble)) = plan.refused.first() {
        return Err(Finding { what: format!("{}: {trouble}", path.display()), fix: "mend the file".to_owned() });
    }
    let count = plan.files.len();
    for file in plan.files.into_iter().filter(|file| !FilePlan::is_done(file)) {
        let path = file.record.path.display().to_string();
        let fix = || format!("epitome init --agent {}, or epitome doctor --fix", plan.connector.name);
        if mending == Mending::No {
            return Err(Finding { what: format!("{path} does not say what it should any more"), fix: fix() });
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
