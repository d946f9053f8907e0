//! The command `epitome diagnose`: looks through the newest transcripts of agents for what went wrong with Epitome in
//! real sessions (hooks that failed, a server that was lost, calls that were refused, took too long or were repeated).
//! `doctor` checks the installation as it is now; this looks at what happened.

mod call_scan;
mod host_notes;
mod problem;
mod session_reports;
mod session_scan;

use super::doctor::FINDINGS;
use crate::cli::CommandSetup;
use crate::cli::observer::TerminalObserver;
use crate::cli::output::TerminalOutput;
use crate::compose;
use crate::errors::{AppError, ErrorClass};
use crate::hook::read_failures;
use crate::ops::{render_count, wrap_report};
use crate::transcripts::LocalTranscripts;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::{Observer, Project, ReadableTranscript};
use model::Timestamp;
use problem::{SessionProblem, SessionProblemKind};
use serde_json::{Value, json};
use session_scan::{ScanOutcome, read_title, scan_transcript};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

const HELP: &str = "\
Looks through the transcripts of the agents on this machine that are about this project, and tells of each session what \
went wrong with Epitome in it: hooks that failed, a server that was lost, calls that were refused, took too long or were \
made again and again. Nothing is changed. `epitome doctor` checks the installation as it is now.

Exit status 6: something went wrong.

Examples:
  epitome diagnose
  epitome diagnose --all --days 30 --verbose
  epitome diagnose ~/.claude/projects --json";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("diagnose")
        .about("Look through the newest sessions of agents for what went wrong with Epitome in them")
        .arg(
            Arg::new("paths").value_name("PATH").num_args(0..).help(
                "Transcripts to look through, of whatever project (default: those of the agents on this machine)",
            ),
        )
        .arg(
            Arg::new("days")
                .long("days")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .default_value("7")
                .help("Only transcripts that were written in the last so many days"),
        )
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Sessions of all projects (default: those of this project)"),
        )
        .arg(
            Arg::new("verbose")
                .long("verbose")
                .short('v')
                .action(ArgAction::SetTrue)
                .help("Each problem with its place (default: each kind with its newest)"),
        )
        .after_help(HELP)
}

/// A problem and where it was found.
struct PlacedProblem {
    agent: String,
    path: String,
    line: u64,
    problem: SessionProblem,
}

/// What was looked through, and what was found.
#[derive(Default)]
struct DiagnoseReport {
    looked: u64,
    unreadable: u64,
    /// Transcripts of other projects, or of none that they name.
    elsewhere: u64,
    days: Option<u32>,
    found: Vec<PlacedProblem>,
    /// What their sources call the sessions with problems, by path.
    titles: HashMap<String, String>,
    /// What hooks wrote down when they failed.
    recorded: Vec<Value>,
}

pub(in crate::cli) fn run(
    start: &CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let paths: Vec<String> = arguments.get_many("paths").into_iter().flatten().cloned().collect();
    let days = arguments.get_one::<u32>("days").copied();
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
    let is_everything = arguments.get_flag("all") || !paths.is_empty();
    let projects = ProjectFilter { project: &start.project, known: Mutex::default() };
    let is_wanted = |directory: Option<&str>| is_everything || projects.holds(directory);
    let recent: Vec<_> = chosen.transcripts.iter().filter(is_recent).collect();
    let mut report = DiagnoseReport { days: days.filter(|_| paths.is_empty()), ..DiagnoseReport::default() };
    let observer = TerminalObserver::new(output);
    for (done, transcript) in recent.iter().enumerate() {
        observer.report_progress("transcripts", done as u64, recent.len() as u64);
        if observer.is_cancelled() {
            return Err(engine::Error::Cancelled.into());
        }
        report.add_transcript(&***transcript, scan_transcript(&***transcript, &is_wanted));
    }
    drop(observer);
    let failures = read_failures(&start.loaded.directories.state);
    let failures = failures.iter().filter(|failure| since.is_none_or(|since| failure.at >= since));
    report.recorded = failures
        .map(|failure| {
            let at = Timestamp(failure.at).to_string();
            json!({ "agent": failure.agent, "event": failure.event, "at": at, "what": failure.failure.as_sentence() })
        })
        .collect();
    let text = report.to_text(arguments.get_flag("verbose"));
    let columns = output.text_style("none", &start.project.root).columns;
    output
        .write_reply(&report.to_json(), &columns.map_or_else(|| text.clone(), |columns| wrap_report(&text, columns)))?;
    Ok(if report.found.is_empty() && report.recorded.is_empty() { 0 } else { FINDINGS })
}

/// Knows which directories belong to a project; each is looked up once.
struct ProjectFilter<'a> {
    project: &'a Project,
    known: Mutex<HashMap<String, bool>>,
}

impl ProjectFilter<'_> {
    /// A transcript that names no directory is of no project.
    fn holds(&self, directory: Option<&str>) -> bool {
        let Some(directory) = directory else { return false };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holds) = known.get(directory) {
            return *holds;
        }
        let around = Project::once_around(Path::new(directory));
        let holds = around.is_some_and(|project| project.id == self.project.id);
        known.insert(directory.to_owned(), holds);
        holds
    }
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

impl DiagnoseReport {
    fn add_transcript(&mut self, transcript: &dyn ReadableTranscript, scanned: std::io::Result<ScanOutcome>) {
        let path = transcript.source_path();
        match scanned {
            Err(_) => {
                self.looked += 1;
                self.unreadable += 1;
            }
            Ok(ScanOutcome::Elsewhere) => self.elsewhere += 1,
            Ok(ScanOutcome::Scanned(problems)) => {
                self.looked += 1;
                // Only a session that is reported is read a second time, for its name.
                let title = Some(transcript).filter(|_| !problems.is_empty()).and_then(read_title);
                self.titles.extend(title.map(|title| (path.clone(), title)));
                self.found.extend(problems.into_iter().map(|(line, problem)| PlacedProblem {
                    agent: transcript.agent_name().to_string(),
                    path: path.clone(),
                    line,
                    problem,
                }));
            }
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "transcripts": self.looked,
            "unreadable": self.unreadable,
            "elsewhere": self.elsewhere,
            "days": self.days,
            "problems": self.found.iter().map(PlacedProblem::to_json).collect::<Vec<_>>(),
            "hooks": self.recorded,
            "sessions": session_reports::build_reports(&self.found, &self.titles),
            "totals": session_reports::count_totals(self.looked, &self.found),
        })
    }

    fn to_text(&self, is_all: bool) -> String {
        let of = self.days.map(|days| format!(" of the last {}", render_count(days.into(), "day"))).unwrap_or_default();
        let problems = render_count(self.found.len() as u64, "problem");
        let mut text = format!("looked through {}{of}: {problems}\n", render_count(self.looked, "transcript"));
        if self.elsewhere > 0 {
            let elsewhere = render_count(self.elsewhere, "transcript");
            let _ = writeln!(text, "not looked through: {elsewhere} of other projects or of none (--all)");
        }
        if self.unreadable > 0 {
            let _ = writeln!(text, "{} could not be read", render_count(self.unreadable, "transcript"));
        }
        for kind in SessionProblemKind::ALL {
            let of_kind: Vec<&PlacedProblem> = self.found.iter().filter(|placed| placed.problem.kind == kind).collect();
            let Some(newest) = of_kind.last() else { continue };
            let _ = writeln!(text, "\n{}: {}", kind.title(), of_kind.len());
            let shown = if is_all { of_kind.as_slice() } else { std::slice::from_ref(newest) };
            text.extend(shown.iter().map(|placed| placed.to_line()));
            let _ = writeln!(text, "  fix: {}", kind.fix());
        }
        if let Some(last) = self.recorded.last() {
            let hooks = render_count(self.recorded.len() as u64, "failure");
            let what = last["what"].as_str().unwrap_or_default();
            let _ = writeln!(text, "\nhooks wrote down {hooks}, the newest: {what}\n  fix: epitome doctor --fix");
        }
        if !self.found.is_empty() {
            text.push_str(
                "\nnext: epitome doctor checks what is there now; epitome import takes in what hooks missed\n",
            );
        }
        text
    }
}
