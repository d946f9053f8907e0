//! `epitome doctor`: does everything that must work, work? Each finding comes with what to do.

mod canary;
mod captured;
mod connected;
mod fired;
mod handshake;
mod provider;
mod versions;

use super::Start;
use super::output::Output;
use crate::compose;
use crate::config::Directories;
use crate::connect::{Connected, Machine};
use crate::daemon::Running;
use crate::errors::Problem;
use agents::connectors::{CONNECTORS, Connector};
use clap::{Arg, ArgAction, ArgMatches, Command};
use provider::Asking;
use providers::Embedder;
use providers::vendors::builtin::Builtin;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub(super) fn command() -> Command {
    Command::new("doctor")
        .about("Check the installation and say how to fix what is wrong")
        .arg(
            Arg::new("online")
                .long("online")
                .action(ArgAction::SetTrue)
                .help("Ask each configured provider whether it answers; nothing is paid for"),
        )
        .arg(
            Arg::new("fix").long("fix").action(ArgAction::SetTrue).help(
                "Write again what is missing in the files of connected agents, take in what they wrote meanwhile, and forget \
                 what went wrong in hooks",
            ),
        )
}

/// What one check found.
struct Check {
    name: String,
    outcome: Result<String, Finding>,
}

struct Finding {
    what: String,
    fix: String,
}

/// Exit status when something should be fixed.
const FINDINGS: u8 = 6;

pub(super) async fn run(start: Start, arguments: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let asking = if arguments.get_flag("online") { Asking::Online } else { Asking::Offline };
    let mut checks = vec![
        Check { name: "version".to_owned(), outcome: Ok(env!("CARGO_PKG_VERSION").to_owned()) },
        configuration(&start),
        embeddings().await,
        handshake::check("MCP (2025-11-25)", handshake::Era::Initialize, &start).await,
        handshake::check("MCP (2026-07-28)", handshake::Era::Stateless, &start).await,
    ];
    checks.push(daemon(&start));
    let mending = if arguments.get_flag("fix") { connected::Mending::Yes } else { connected::Mending::No };
    let found = connected::found(&start);
    checks.push(agents_found(&start, found.as_deref().unwrap_or_default()));
    checks.extend(versions::checks(&start));
    let (connected, unknown) = match found {
        Ok(connected) => (connected, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    checks.extend(connected::checks(&start, mending, unknown.map_or(Ok(&connected), Err)));
    let directories = start.loaded.directories.clone();
    checks.extend(store(start, asking, mending, &connected).await);
    // Last: the store has made the directory by now.
    checks.push(permissions(&directories));
    let findings = checks.iter().filter(|check| check.outcome.is_err()).count();
    output.either(&report(&checks), &text(&checks))?;
    Ok(if findings == 0 { 0 } else { FINDINGS })
}

fn configuration(start: &Start) -> Check {
    let warnings = &start.loaded.warnings;
    let outcome = match warnings.first() {
        None => Ok(format!("read from {}", start.loaded.directories.user_file().display())),
        Some(first) => Err(Finding {
            what: format!("{} warnings, the first: {first}", warnings.len()),
            fix: "edit the file or variable that the warning names".to_owned(),
        }),
    };
    Check { name: "configuration".to_owned(), outcome }
}

/// There need not be one; of another version it is about to leave.
fn daemon(start: &Start) -> Check {
    let outcome = Ok(match crate::daemon::look(&start.loaded.directories.state) {
        Some(Running { version, process }) => format!("process {process}, version {version}"),
        None => "does not run; hooks start it where it helps".to_owned(),
    });
    Check { name: "daemon".to_owned(), outcome }
}

/// Conversations are private: nobody else may look into the directory that holds them.
fn permissions(directories: &Directories) -> Check {
    let open = |path: &Path| {
        let mode = fs_err::metadata(path).ok()?.permissions().mode() & 0o777;
        (mode & 0o077 != 0).then_some((path.to_owned(), mode))
    };
    let outcome = match open(&directories.data) {
        None => Ok(format!("{} is private", directories.data.display())),
        Some((path, mode)) => Err(Finding {
            what: format!("{} may be read by others (mode {mode:o})", path.display()),
            fix: format!("chmod 700 {}", path.display()),
        }),
    };
    Check { name: "permissions".to_owned(), outcome }
}

/// The store, and with it what is compared with what is in it: what providers have spent, what agents wrote down.
async fn store(start: Start, asking: Asking, mending: connected::Mending, connected: &[Connected]) -> Vec<Check> {
    let Start { project, loaded, .. } = start;
    let outcome = async {
        let app = compose::app(loaded, project).await?;
        let status = app.engine.status(&app.project, Vec::new()).await?;
        let what = format!("{}, {} messages", status.store, status.memory.messages);
        let mut others = provider::checks(&app, asking).await;
        others.extend(captured::checks(&app, mending, connected).await);
        others.extend(captured::without_messages(&status.silent));
        Ok::<_, Problem>((what, others))
    };
    let (outcome, others) = match outcome.await {
        Ok((what, others)) => (Ok(what), others),
        Err(problem) => {
            let fix = problem.hint.unwrap_or_else(|| "see the message".to_owned());
            (Err(Finding { fix, what: problem.message }), Vec::new())
        }
    };
    std::iter::once(Check { name: "store".to_owned(), outcome }).chain(others).collect()
}

/// Two texts about one thing must be nearer than two about different things, or the model inside is not what it was.
async fn embeddings() -> Check {
    let texts = ["parse the header of a request", "fn read_header(request: &[u8])", "charge the customer's card"];
    let outcome = match Builtin.embed(&texts).await.map(|embedded| embedded.vectors).as_deref() {
        Ok([Some(question), Some(near), Some(far)]) if question.cosine(near) > question.cosine(far) => {
            let model = Builtin.model();
            Ok(format!("{} {}, {} dimensions", model.name, model.version, model.dimensions))
        }
        _ => Err(Finding {
            what: "the built-in model does not answer as it should".to_owned(),
            fix: "install epitome again; if it stays, please report it".to_owned(),
        }),
    };
    Check { name: "embeddings".to_owned(), outcome }
}

/// The agents that are here, and whether they are connected.
fn agents_found(start: &Start, connected: &[Connected]) -> Check {
    let line = |connector: &&'static Connector| {
        let is_connected = connected.iter().any(|known| known.connector.name == connector.name);
        format!("{}{}", connector.title, if is_connected { "" } else { " (not connected)" })
    };
    let titles: Vec<String> = Machine::of(&start.loaded.environment).map_or_else(Vec::new, |machine| {
        machine.look(|snapshot| {
            let installed = CONNECTORS.iter().filter(|connector| connector.is_installed(snapshot));
            installed.map(line).collect()
        })
    });
    let found = if titles.is_empty() { "none found".to_owned() } else { titles.join(", ") };
    Check { name: "agents".to_owned(), outcome: Ok(found) }
}

fn report(checks: &[Check]) -> Value {
    let rows = checks.iter().map(|check| match &check.outcome {
        Ok(what) => json!({ "check": check.name, "ok": true, "what": what }),
        Err(finding) => json!({ "check": check.name, "ok": false, "what": finding.what, "fix": finding.fix }),
    });
    json!({ "ok": checks.iter().all(|check| check.outcome.is_ok()), "checks": rows.collect::<Vec<_>>() })
}

fn text(checks: &[Check]) -> String {
    let line = |check: &Check| match &check.outcome {
        Ok(what) => format!("ok       {:<18}{what}\n", check.name),
        Err(finding) => {
            format!("PROBLEM  {:<18}{}\n         {:<18}fix: {}\n", check.name, finding.what, "", finding.fix)
        }
    };
    checks.iter().map(line).collect()
}
