//! The command `epitome diagnose`: looks through the newest transcripts of agents for what went wrong with Epitome in
//! real sessions (hooks that failed, a server that was lost, calls that were refused, hooks that ran twice). `doctor`
//! checks the installation as it is now; this looks at what happened.

mod session_reports;
mod session_scan;

use super::doctor::FINDINGS;
use crate::cli::CommandSetup;
use crate::cli::output::TerminalOutput;
use crate::compose;
use crate::errors::{AppError, ErrorClass};
use crate::hook::read_failures;
use crate::ops::render_count;
use crate::transcripts::LocalTranscripts;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::ReadableTranscript;
use model::Timestamp;
use serde_json::{Value, json};
use session_scan::{SessionProblem, scan_lines};
use std::fmt::Write;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

pub(in crate::cli) fn build_command() -> Command {
    Command::new("diagnose")
        .about("Look through the newest sessions of agents for what went wrong with Epitome in them")
        .arg(
            Arg::new("paths")
                .value_name("PATH")
                .num_args(0..)
                .help("Transcripts to look through (default: those of the agents on this machine)"),
        )
        .arg(
            Arg::new("days")
                .long("days")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .default_value("7")
                .help("Only transcripts that were written in the last so many days"),
        )
        .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).conflicts_with("days").help("All transcripts"))
        .arg(Arg::new("verbose").long("verbose").short('v').action(ArgAction::SetTrue).help(
            "Each problem with its place (default: each kind with its newest)",
        ))
        .after_help("Exit status 6: something went wrong.\n\nExamples:\n  epitome diagnose\n  epitome diagnose --days 30 --verbose")
}

/// A problem and where it was found.
struct PlacedProblem {
    agent: String,
    path: String,
    line: u64,
    problem: SessionProblem,
}

pub(in crate::cli) fn run(
    start: &CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let paths: Vec<String> = arguments.get_many("paths").into_iter().flatten().cloned().collect();
    let days = arguments.get_one::<u32>("days").copied().filter(|_| !arguments.get_flag("all"));
    let known = LocalTranscripts::new(start.loaded.directories.clone(), start.loaded.environment.clone());
    let chosen = known.select_transcripts(&paths, None);
    if let Some((path, reason)) = chosen.skipped.first().filter(|_| chosen.transcripts.is_empty() && !paths.is_empty())
    {
        let message = format!("cannot look through {path}: {reason}");
        return Err(AppError::new(ErrorClass::NotFound, "not_found", message));
    }
    let since = days.map(|days| compose::current_time().0.saturating_sub(i64::from(days) * 24 * 60 * 60 * 1_000));
    let is_recent = |transcript: &&Arc<dyn ReadableTranscript>| {
        // A named path is looked at whatever its age; one whose age cannot be told is looked at, too.
        !paths.is_empty()
            || since.is_none_or(|since| written_at(&transcript.source_path()).is_none_or(|at| at >= since))
    };
    let mut looked = 0;
    let mut unreadable = 0;
    let mut found = Vec::new();
    for transcript in chosen.transcripts.iter().filter(is_recent) {
        looked += 1;
        match transcript.open_at(0).and_then(scan_lines) {
            Ok(problems) => found.extend(problems.into_iter().map(|(line, problem)| PlacedProblem {
                agent: transcript.agent_name().to_string(),
                path: transcript.source_path(),
                line,
                problem,
            })),
            Err(_) => unreadable += 1,
        }
    }
    let failures = read_failures(&start.loaded.directories.state);
    let recorded: Vec<Value> = failures
        .iter()
        .filter(|failure| since.is_none_or(|since| failure.at >= since))
        .map(|failure| {
            let at = Timestamp(failure.at).to_string();
            json!({ "agent": failure.agent, "event": failure.event, "at": at, "what": failure.failure.as_sentence() })
        })
        .collect();
    let json = json!({
        "transcripts": looked,
        "unreadable": unreadable,
        "days": days,
        "problems": found.iter().map(PlacedProblem::to_json).collect::<Vec<_>>(),
        "hooks": recorded,
        "sessions": session_reports::build_reports(&found),
        "totals": session_reports::count_totals(looked, &found),
    });
    let is_all = arguments.get_flag("verbose");
    output.write_reply(&json, &render_text(looked, unreadable, days, &found, &recorded, is_all))?;
    Ok(if found.is_empty() && recorded.is_empty() { 0 } else { FINDINGS })
}

/// When a file was written last, in milliseconds.
fn written_at(path: &str) -> Option<i64> {
    let modified = fs_err::metadata(path).ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

impl PlacedProblem {
    fn to_json(&self) -> Value {
        json!({
            "kind": self.problem.kind.as_str(),
            "agent": self.agent,
            "path": self.path,
            "line": self.line,
            "at": self.problem.at,
            "what": self.problem.what,
            "fix": self.problem.kind.fix(),
        })
    }

    fn to_line(&self) -> String {
        let at = self.problem.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        format!("  {}:{}{at}: {}\n", self.path, self.line, self.problem.what)
    }
}

fn render_text(
    looked: u64,
    unreadable: u64,
    days: Option<u32>,
    found: &[PlacedProblem],
    recorded: &[Value],
    is_all: bool,
) -> String {
    let of = days.map(|days| format!(" of the last {}", render_count(days.into(), "day"))).unwrap_or_default();
    let problems = render_count(found.len() as u64, "problem");
    let mut text = format!("looked through {}{of}: {problems}\n", render_count(looked, "transcript"));
    if unreadable > 0 {
        let _ = writeln!(text, "{} could not be read", render_count(unreadable, "transcript"));
    }
    for kind in session_scan::SessionProblemKind::ALL {
        let of_kind: Vec<&PlacedProblem> = found.iter().filter(|placed| placed.problem.kind == kind).collect();
        let Some(newest) = of_kind.last() else { continue };
        let _ = writeln!(text, "{}: {} (fix: {})", kind.title(), of_kind.len(), kind.fix());
        if is_all {
            for placed in of_kind {
                text.push_str(&placed.to_line());
            }
        } else {
            text.push_str(&newest.to_line());
        }
    }
    if !found.is_empty() {
        text.push_str("next: epitome doctor checks what is there now; epitome import takes in what hooks missed\n");
    }
    if let Some(last) = recorded.last() {
        let hooks = render_count(recorded.len() as u64, "failure");
        let what = last["what"].as_str().unwrap_or_default();
        let _ = writeln!(text, "hooks wrote down {hooks}, the newest: {what} (fix: epitome doctor --fix)");
    }
    text
}
