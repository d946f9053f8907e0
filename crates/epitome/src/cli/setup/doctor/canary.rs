//! End-to-end check of `epitome doctor`: sends a made-up hook event the whole way (hook, spool, store, search, context
//! of a new session), in a temporary home. The check proves that this program, started as agents start it, does all
//! that.

use super::DoctorFinding;
use crate::hook::HookFailure;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const CANARY_PROMPT: &str = "The canary decided that quicksilver harbours need a lighthouse.";
const QUESTION: &str = "What did the canary decide about quicksilver harbours?";

/// How the canary came home.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CanaryOutcome {
    Well,
    /// Everything is kept and found, but a hook gave up before it had its answer: the machine is busy.
    Late,
}

/// Sends the canary for an agent; the finding says how far it came.
pub(super) fn run_canary(agent: &str) -> Result<CanaryOutcome, DoctorFinding> {
    // A home of its own: the test must not store anything among the user's conversations.
    let home = tempfile::tempdir().map_err(|error| canary_error(&error))?;
    let sung = check_round_trip(agent, home.path());
    // The hook reports its failures only in the state folder, because an agent would show them to its user.
    let failure = crate::hook::read_failures(&home.path().join("state")).pop().map(|failure| failure.failure);
    match (sung, failure) {
        (Ok(CanaryAnswer::Right), _) => Ok(CanaryOutcome::Well),
        // A machine that is busy is no defect: the hook ended itself in time, as it should.
        (Ok(CanaryAnswer::Missing), Some(HookFailure::Late)) => Ok(CanaryOutcome::Late),
        (sung, failure) => {
            let what = sung.err().unwrap_or_else(|| "the test session did not receive the stored memory".to_owned());
            Err(match failure {
                Some(failure) => DoctorFinding {
                    what: format!("{what}: {}", failure.as_sentence()),
                    fix: "see the message".to_owned(),
                },
                None => DoctorFinding { what, fix: "install epitome again; if it stays, please report it".to_owned() },
            })
        }
    }
}

/// Whether a session that asks receives the stored memory.
enum CanaryAnswer {
    Right,
    Missing,
}

fn canary_error(error: &std::io::Error) -> DoctorFinding {
    let fix = "see whether the directory for temporary files can be written".to_owned();
    DoctorFinding { what: format!("the canary could not be sent: {error}"), fix }
}

fn check_round_trip(agent: &str, home: &Path) -> Result<CanaryAnswer, String> {
    let broken = |error: std::io::Error| format!("the canary could not be sent: {error}");
    let hook = |session: &str, prompt: &str| {
        let body = json!({
            "session_id": session, "conversation_id": session, "hook_event_name": "UserPromptSubmit",
            "cwd": home, "prompt": prompt,
        });
        run_program(home, &["hook", "UserPromptSubmit", "--agent", agent], &body).map_err(broken)
    };
    let first = hook("canary-1", CANARY_PROMPT)?;
    // A first prompt about nothing known must not be answered: an answer would come from another store.
    if !["", "{}"].contains(&first.trim()) {
        return Err(format!("a prompt that nothing is known about was answered with {first}"));
    }
    let found = run_program(home, &["recall", QUESTION, "--json"], &Value::Null).map_err(broken)?;
    if !found.contains("quicksilver") {
        return Err("the text sent to a hook was not found in the store".to_owned());
    }
    let answer = hook("canary-2", QUESTION)?;
    // Some agents take no text from this hook; for them it is enough that the message was stored.
    let is_told = !agents::reads_prompt_context(agent) || answer.contains("lighthouse");
    Ok(if is_told { CanaryAnswer::Right } else { CanaryAnswer::Missing })
}

fn run_program(home: &Path, arguments: &[&str], input: &Value) -> std::io::Result<String> {
    let mut command = Command::new(std::env::current_exe()?);
    // The user's variables could lead the test to the real store or to another configuration.
    command.args(arguments).current_dir(home).env_clear().env("HOME", home).env("EPITOME_HOME", home);
    // The home is deleted in a moment: no daemon may stay behind in it.
    command.env("EPITOME_HOOKS_DAEMON_SECONDS", "0");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.to_string().as_bytes())?;
    }
    Ok(String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned())
}
