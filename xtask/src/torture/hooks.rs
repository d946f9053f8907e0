//! Torture scenario: many sessions call hooks at once, while the daemon that stores their events is killed again and
//! again.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::home::TortureHome;
use super::{ScenarioRound, TortureScenario};
use crate::seeded_random::SeededRandom;

/// 10,000 calls in a full run.
pub(super) const HOOK_KILL_SCENARIO: TortureScenario = TortureScenario {
    name: "hooks",
    what: "hook calls, the daemon killed at random",
    rounds: 20,
    least: 1,
    prepare: None,
    run,
    beside: 1,
};

/// Sessions side by side, and the calls of each.
const SESSIONS: u64 = 4;
const CALLS: u64 = 125;
const CALLS_IN_SHORT: u64 = 25;
/// The longest that a daemon lives.
const MAX_DAEMON_LIFETIME_MS: u64 = 3_000;

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let home = round.new_home("home").with_variable("EPITOME_HOOKS_DAEMON_SECONDS", "60");
    let calls = if round.place.is_short { CALLS_IN_SHORT } else { CALLS };
    let is_over = AtomicBool::new(false);
    let kills = AtomicU64::new(0);
    std::thread::scope(|scope| -> Result<()> {
        // The killer runs beside the sessions, since a daemon is started again by the next hook.
        let killer = scope.spawn(|| kill_until(&home, &mut round.chance, &is_over, &kills));
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|session| {
                let home = &home;
                scope.spawn(move || (0..calls).try_for_each(|call| call_hook(home, session, call)))
            })
            .collect();
        let called = sessions.into_iter().map(|session| session.join().expect("a session does not panic"));
        // All sessions are joined before the killer is stopped, or a daemon would be killed after the last call.
        let called = called.collect::<Result<Vec<()>>>();
        is_over.store(true, Ordering::Relaxed);
        killer.join().expect("the killer does not panic")?;
        called.map(drop)
    })?;
    home.read_output(&["drain"])?;
    for session in 0..SESSIONS {
        let messages = home.read_messages(&format!("claude-code:s{session}"))?;
        let mut said: Vec<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
        said.sort_unstable();
        let mut expected: Vec<String> = (0..calls).map(|call| call_prompt(session, call)).collect();
        expected.sort_unstable();
        ensure!(said == expected, "session {session} has {} of {calls} events", said.len());
    }
    home.run_verify()?;
    home.read_output(&["daemon", "stop"])?;
    // Without a kill the round would have proved nothing.
    ensure!(kills.load(Ordering::Relaxed) > 0, "no daemon was there to be killed");
    Ok(SESSIONS * calls)
}

fn call_prompt(session: u64, call: u64) -> String {
    format!("Call {call} of session {session} is unmistakeable.")
}

/// One event, and the promise that its agent sees nothing of all this.
fn call_hook(home: &TortureHome, session: u64, call: u64) -> Result<()> {
    let body = json!({ "session_id": format!("s{session}"), "cwd": home.folder, "prompt": call_prompt(session, call) });
    let mut command = home.build_command(&["hook", "UserPromptSubmit"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start epitome")?;
    child.stdin.take().context("standard input")?.write_all(body.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    // An agent shows what a hook prints on standard error, so silence is part of the promise.
    ensure!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn kill_until(home: &TortureHome, chance: &mut SeededRandom, is_over: &AtomicBool, kills: &AtomicU64) -> Result<()> {
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(chance.number_below(MAX_DAEMON_LIFETIME_MS)));
        if let Some(process) = home.read_json(&["daemon", "status"])?["process"].as_u64() {
            // The daemon may have ended meanwhile.
            let killed = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status()?;
            kills.fetch_add(u64::from(killed.success()), Ordering::Relaxed);
        }
    }
    Ok(())
}
