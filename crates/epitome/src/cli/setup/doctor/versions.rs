//! Check of `epitome doctor`: compares the installed versions of agents with those that were tested; a newer one may
//! call, write or read otherwise than we know. A difference is shown but is no problem: most new versions change
//! nothing for us.

use super::DoctorCheck;
use crate::cli::CommandSetup;
use crate::connect;
use agents::CONNECTORS;
use agents::connectors::{Connector, Tried, Version};
use serde_json::Value;
use std::cmp::Ordering;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How far above a program the description of its package may lie.
const MAX_PARENT_LEVELS: usize = 4;
/// How long a program may take to say its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(3);
/// More than any program says of its version.
const MOST_BYTES: u64 = 4096;

/// One check for each agent that was tried and whose program is on the `PATH`.
pub(super) fn checks(start: &CommandSetup) -> Vec<DoctorCheck> {
    CONNECTORS.iter().filter_map(|connector| check(start, connector)).collect()
}

fn check(start: &CommandSetup, connector: &Connector) -> Option<DoctorCheck> {
    let Tried { package, version: tried } = connector.tried()?;
    let environment = &start.loaded.environment;
    let program = connector.programs().iter().find_map(|name| connect::agent_on_path(environment, name))?;
    let title = connector.title;
    // The description of the package is read first: starting an agent takes seconds and may have side effects.
    let what = match in_package(&program, &package).or_else(|| said(&program)) {
        None => format!("{title}: {} does not say which version it is; {tried} was tried", program.display()),
        Some(version) => match version.compare(&tried) {
            Ordering::Greater => format!("{title} {version} is newer than {tried}, with which epitome was tried"),
            Ordering::Less => format!("{title} {version} is older than {tried}, with which epitome was tried"),
            Ordering::Equal => format!("{title} {version}, with which epitome was tried"),
        },
    };
    Some(DoctorCheck { name: "agent version".to_owned(), outcome: Ok(what) })
}

/// The version in the `package.json` of the package that contains the program.
fn in_package(program: &Path, package: &str) -> Option<Version> {
    // The program on the PATH is a link into the package.
    let program = fs_err::canonicalize(program).ok()?;
    program.ancestors().skip(1).take(MAX_PARENT_LEVELS).find_map(|folder| {
        let text = fs_err::read(folder.join("package.json")).ok()?;
        let described: Value = serde_json::from_slice(&text).ok()?;
        Version::find(described["version"].as_str().filter(|_| described["name"] == package)?)
    })
}

/// The version that the program prints within its time limit. A child that it leaves running may hold its output open:
/// the check does not wait for that either.
fn said(program: &Path) -> Option<Version> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let output = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.take(MOST_BYTES).read_to_end(&mut text);
        // The receiver is gone if the program took too long.
        let _ = send.send(text);
    });
    let said = receive.recv_timeout(VERSION_TIMEOUT);
    // The program has ended, or its time is up.
    let _ = child.kill();
    let _ = child.wait();
    Version::find(&String::from_utf8_lossy(&said.ok()?))
}
