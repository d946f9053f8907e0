//! The command `epitome doctor`: runs all health checks (configuration, MCP handshake, daemon, connected agents, hooks,
//! store, providers, permissions) and prints each finding with what to do. Most checks are in the folder `doctor/`.

mod canary;
mod capture_checks;
mod connection_checks;
mod handshake;
mod hook_events;
mod provider_checks;
mod versions;

use crate::cli::CommandSetup;
use crate::cli::observer::WaitIndicator;
use crate::cli::output::TerminalOutput;
use crate::compose;
use crate::config::AppDirectories;
use crate::connect::{ConnectedAgent, UserHome};
use crate::daemon_link::{DaemonProcess, ping_daemon};
use crate::errors::AppError;
use agents::CONNECTORS;
use agents::connectors::Connector;
use clap::{Arg, ArgAction, ArgMatches, Command};
use provider_checks::ProbeMode;
use providers::Embedder;
use providers::vendors::builtin::BuiltinEmbedder;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub(in crate::cli) fn build_command() -> Command {
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
struct DoctorCheck {
    name: String,
    outcome: Result<String, DoctorFinding>,
}

struct DoctorFinding {
    what: String,
    fix: String,
}

/// Exit status when something should be fixed.
pub(super) const FINDINGS: u8 = 6;

pub(in crate::cli) async fn run(
    start: CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let asking = if arguments.get_flag("online") { ProbeMode::Online } else { ProbeMode::Offline };
    let waiting = WaitIndicator::new(output, "checking");
    let mut checks = vec![
        DoctorCheck { name: "version".to_owned(), outcome: Ok(env!("CARGO_PKG_VERSION").to_owned()) },
        check_configuration(&start),
        check_embeddings().await,
        // Both eras of the protocol, because an agent speaks only one of them and shows no error when the other one is
        // broken.
        handshake::check_handshake("MCP (2025-11-25)", handshake::ProtocolEra::Initialize, &start).await,
        handshake::check_handshake("MCP (2026-07-28)", handshake::ProtocolEra::Stateless, &start).await,
    ];
    checks.push(check_daemon(&start));
    let mending =
        if arguments.get_flag("fix") { connection_checks::FixMode::Yes } else { connection_checks::FixMode::No };
    let found = connection_checks::connected_agents(&start);
    checks.push(agents_found(&start, found.as_deref().unwrap_or_default()));
    checks.extend(versions::checks(&start));
    let (connected, unknown) = match found {
        Ok(connected) => (connected, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    checks.extend(connection_checks::check_connections(&start, mending, unknown.map_or(Ok(&connected), Err)));
    let directories = start.loaded.directories.clone();
    checks.extend(Box::pin(check_store(start, asking, mending, &connected)).await);
    // Last, because opening the store has made the directory by now.
    checks.push(check_permissions(&directories));
    drop(waiting);
    let findings = checks.iter().filter(|check| check.outcome.is_err()).count();
    output.write_reply(&checks_json(&checks), &render_checks(&checks))?;
    Ok(if findings == 0 { 0 } else { FINDINGS })
}

fn check_configuration(start: &CommandSetup) -> DoctorCheck {
    let warnings = &start.loaded.warnings;
    let outcome = match warnings.first() {
        None => Ok(format!("read from {}", start.loaded.directories.user_file().display())),
        Some(first) => Err(DoctorFinding {
            what: format!("{} warnings, the first: {first}", warnings.len()),
            fix: "edit the file or variable that the warning names".to_owned(),
        }),
    };
    DoctorCheck { name: "configuration".to_owned(), outcome }
}

/// There need not be one; of another version it is about to leave.
fn check_daemon(start: &CommandSetup) -> DoctorCheck {
    let outcome = Ok(match ping_daemon(&start.loaded.directories.state) {
        Some(DaemonProcess { version, process, .. }) => format!("process {process}, version {version}"),
        None => "does not run; hooks start it where it helps".to_owned(),
    });
    DoctorCheck { name: "daemon".to_owned(), outcome }
}

/// Conversations are private: no other user of the machine may look into the directory that holds them.
fn check_permissions(directories: &AppDirectories) -> DoctorCheck {
    let open = |path: &Path| {
        // Only the bits of group and others matter; the owner may do anything.
        let mode = fs_err::metadata(path).ok()?.permissions().mode() & 0o777;
        (mode & 0o077 != 0).then_some((path.to_owned(), mode))
    };
    let outcome = match open(&directories.data) {
        None => Ok(format!("{} is private", directories.data.display())),
        Some((path, mode)) => Err(DoctorFinding {
            what: format!("{} may be read by others (mode {mode:o})", path.display()),
            fix: format!("chmod 700 {}", path.display()),
        }),
    };
    DoctorCheck { name: "permissions".to_owned(), outcome }
}

/// The store, and with it what is compared with what is in it: what providers have spent, what agents wrote down.
async fn check_store(
    start: CommandSetup,
    asking: ProbeMode,
    mending: connection_checks::FixMode,
    connected: &[ConnectedAgent],
) -> Vec<DoctorCheck> {
    let CommandSetup { project, loaded, .. } = start;
    // Checks that need the store run only if it opens: otherwise one cause would be reported as many problems.
    let outcome = async {
        let app = compose::open_app(loaded, project).await?;
        let status = app.engine.project_status(&app.project, Vec::new()).await?;
        let what = format!("{}, {} messages", status.store, status.memory.messages);
        let mut others = provider_checks::check_providers(&app, asking).await;
        others.extend(capture_checks::check_transcripts(&app, mending, connected).await);
        others.extend(capture_checks::without_messages(&status.silent));
        Ok::<_, AppError>((what, others))
    };
    let (outcome, others) = match outcome.await {
        Ok((what, others)) => (Ok(what), others),
        Err(problem) => {
            let fix = problem.hint.unwrap_or_else(|| "see the message".to_owned());
            (Err(DoctorFinding { fix, what: problem.message }), Vec::new())
        }
    };
    std::iter::once(DoctorCheck { name: "store".to_owned(), outcome }).chain(others).collect()
}

/// Two texts about one thing must be nearer than two about different things, or the model inside is not what it was.
async fn check_embeddings() -> DoctorCheck {
    // The texts are about the same thing in different words, so a broken model cannot pass by comparing letters.
    let texts = ["parse the header of a request", "fn read_header(request: &[u8])", "charge the customer's card"];
    let outcome = match BuiltinEmbedder.embed(&texts).await.map(|embedded| embedded.vectors).as_deref() {
        Ok([Some(question), Some(near), Some(far)]) if question.cosine(near) > question.cosine(far) => {
            let model = BuiltinEmbedder.model();
            Ok(format!("{} {}, {} dimensions", model.name, model.version, model.dimensions))
        }
        _ => Err(DoctorFinding {
            what: "the built-in model does not answer as it should".to_owned(),
            fix: "install epitome again; if it stays, please report it".to_owned(),
        }),
    };
    DoctorCheck { name: "embeddings".to_owned(), outcome }
}

/// The agents that are here, and whether they are connected.
fn agents_found(start: &CommandSetup, connected: &[ConnectedAgent]) -> DoctorCheck {
    let line = |connector: &&'static Connector| {
        let is_connected = connected.iter().any(|known| known.connector.name == connector.name);
        format!("{}{}", connector.title, if is_connected { "" } else { " (not connected)" })
    };
    let titles: Vec<String> = UserHome::from_environment(&start.loaded.environment).map_or_else(Vec::new, |machine| {
        machine.with_snapshot(|snapshot| {
            let installed = CONNECTORS.iter().filter(|connector| connector.is_installed(snapshot));
            installed.map(line).collect()
        })
    });
    let found = if titles.is_empty() { "none found".to_owned() } else { titles.join(", ") };
    DoctorCheck { name: "agents".to_owned(), outcome: Ok(found) }
}

fn checks_json(checks: &[DoctorCheck]) -> Value {
    let rows = checks.iter().map(|check| match &check.outcome {
        Ok(what) => json!({ "check": check.name, "ok": true, "what": what }),
        Err(finding) => json!({ "check": check.name, "ok": false, "what": finding.what, "fix": finding.fix }),
    });
    json!({ "ok": checks.iter().all(|check| check.outcome.is_ok()), "checks": rows.collect::<Vec<_>>() })
}

fn render_checks(checks: &[DoctorCheck]) -> String {
    let line = |check: &DoctorCheck| match &check.outcome {
        Ok(what) => format!("ok       {:<18}{what}\n", check.name),
        Err(finding) => {
            format!("PROBLEM  {:<18}{}\n         {:<18}fix: {}\n", check.name, finding.what, "", finding.fix)
        }
    };
    checks.iter().map(line).collect()
}
