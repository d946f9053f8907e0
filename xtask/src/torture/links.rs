//! Torture scenario: files and folders become links that lead outside, and files again, without a pause, while they are
//! read, indexed, imported and taken in by hooks. No word from outside may be told or stored.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::home::TortureHome;
use super::mcp_caller::McpCaller;
use super::{ScenarioRound, TortureScenario};

pub(super) const LINK_SWAP_SCENARIO: TortureScenario = TortureScenario {
    name: "links",
    what: "calls while paths became links",
    rounds: 20,
    least: 2,
    prepare: None,
    run,
    beside: 1,
};

/// A word that stands only outside, and one that stands in both.
const OUTSIDE_WORD: &str = "zebraoutside";
const COMMON_WORD: &str = "quokka";
/// The name of a file that is only outside.
const OUTSIDE_NAME: &str = "zebraname";
/// How often everything is asked in a round.
const TURNS: u64 = 60;

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let place = LinkedPlace::build(&round.folder)?;
    let home = round.new_home("home");
    let home = home.with_variable("HOME", round.folder.join("user").display().to_string());
    let home = home.with_variable("EPITOME_HOOKS_DAEMON_SECONDS", "0");
    let (is_over, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    let asked = std::thread::scope(|scope| -> Result<u64> {
        let swapper = scope.spawn(|| place.swap_until(&is_over, &swaps));
        let asked = ask_all(&home, &place);
        is_over.store(true, Ordering::Relaxed);
        swapper.join().expect("the swapper does not panic")?;
        asked
    })?;
    ensure!(swaps.load(Ordering::Relaxed) > TURNS, "{} swaps only", swaps.load(Ordering::Relaxed));
    home.read_output(&["drain"])?;
    check_stored(&home)?;
    home.run_verify()?;
    Ok(asked)
}

/// Asks everything again and again; every answer is looked at.
fn ask_all(home: &TortureHome, place: &LinkedPlace) -> Result<u64> {
    let mut caller = McpCaller::start(home, &place.project)?;
    let transcript = place.transcripts.join("s.jsonl").display().to_string();
    let mut asked = 0;
    for turn in 0..TURNS {
        for (tool, arguments) in [
            ("read", json!({ "targets": ["sub/inner.rs"] })),
            ("read", json!({ "targets": ["one.rs", "sub/inner.rs", "sub"] })),
            ("index", json!({})),
            ("search", json!({ "query": COMMON_WORD, "limit": 20 })),
            ("context", json!({ "query": format!("what does {COMMON_WORD} do"), "budget": 2000 })),
            ("tree", json!({})),
            ("import", json!({ "paths": [transcript] })),
        ] {
            let answer = caller.call(tool, &arguments)?;
            check_told(tool, &answer.to_string())?;
            asked += 1;
        }
        if turn % 4 == 0 {
            call_hook(home, place, turn)?;
            asked += 1;
        }
    }
    Ok(asked)
}

fn check_told(what: &str, told: &str) -> Result<()> {
    for word in [OUTSIDE_WORD, OUTSIDE_NAME] {
        ensure!(!told.contains(word), "{what} tells `{word}` from outside: {told:.2000}");
    }
    Ok(())
}

/// An agent says that the whole output of a tool is in a file.
fn call_hook(home: &TortureHome, place: &LinkedPlace, turn: u64) -> Result<()> {
    let output = json!({
        "stdout": "begin", "persistedOutputPath": place.outputs.join("b.txt"), "persistedOutputSize": 1_000,
    });
    let body = json!({
        "session_id": "h", "cwd": place.project, "transcript_path": place.folder.join("h.jsonl"), "tool_name": "Bash",
        "tool_use_id": format!("toolu_{turn}"), "tool_input": { "command": "ls" }, "tool_response": output,
    });
    let mut command = home.build_command(&["hook", "PostToolUse"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start epitome")?;
    child.stdin.take().context("standard input")?.write_all(body.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    check_told("hook", &String::from_utf8_lossy(&output.stdout))
}

/// Nothing from outside is in any conversation, in any file of the home as it is, or in a transcript that is exported.
fn check_stored(home: &TortureHome) -> Result<()> {
    let conversations = home.read_json(&["history", "--within", "all"])?;
    check_told("history", &conversations.to_string())?;
    for id in ["claude-code:h", "claude-code:s"] {
        let output = home.run(&["history", "--conversation", id, "--limit", "100000", "--json"])?;
        check_told(id, &String::from_utf8_lossy(&output.stdout))?;
        let output = home.run(&["export", id])?;
        check_told(id, &String::from_utf8_lossy(&output.stdout))?;
    }
    let mut folders = vec![home.folder.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_type()?.is_file() {
                let bytes = fs_err::read(entry.path())?;
                let has_word = bytes.windows(OUTSIDE_WORD.len()).any(|bytes| bytes == OUTSIDE_WORD.as_bytes());
                ensure!(!has_word, "{} holds a word from outside", entry.path().display());
            }
        }
    }
    // Behind the files: the ledger keeps what was asked for.
    let found = home.run(&["grep", OUTSIDE_WORD, "--within", "all", "--json"])?;
    let found: Value = serde_json::from_slice(&found.stdout).unwrap_or_default();
    ensure!(found["total"].as_u64().unwrap_or(0) == 0, "stored from outside: {found}");
    Ok(())
}

/// A project, the transcripts of an agent and the outputs of its tools, each with a twin outside.
struct LinkedPlace {
    folder: PathBuf,
    project: PathBuf,
    transcripts: PathBuf,
    outputs: PathBuf,
    /// What is swapped: a path, where its real content waits, and where the link does.
    swapped: Vec<[PathBuf; 3]>,
}

impl LinkedPlace {
    fn build(folder: &Path) -> Result<Self> {
        let folder = fs_err::canonicalize(folder)?;
        let outside = folder.join("outside");
        let project = folder.join("project");
        let transcripts = folder.join("user/.claude/projects/p");
        let outputs = folder.join("h/tool-results");
        let code =
            |word: &str| format!("/// The {COMMON_WORD} {word}.\npub fn {COMMON_WORD}_{word}() -> u32 {{\n    7\n}}\n");
        let write_line = |word: &str| {
            let message = json!({ "role": "user", "content": format!("The {COMMON_WORD} said {word}.") });
            json!({ "type": "user", "uuid": word, "sessionId": "s", "cwd": "/p", "message": message }).to_string()
                + "\n"
        };
        for (place, word) in [(&project.join("sub"), "inside"), (&outside.join("sub"), OUTSIDE_WORD)] {
            fs_err::create_dir_all(place)?;
            fs_err::write(place.join("inner.rs"), code(word))?;
        }
        fs_err::write(outside.join("sub").join(format!("{OUTSIDE_NAME}.rs")), code(OUTSIDE_WORD))?;
        fs_err::write(project.join("one.rs"), code("one"))?;
        fs_err::write(outside.join("one.rs"), code(OUTSIDE_WORD))?;
        for (place, word) in [(&transcripts, "inside"), (&outside.join("p"), OUTSIDE_WORD)] {
            fs_err::create_dir_all(place)?;
            fs_err::write(place.join("s.jsonl"), write_line(word))?;
        }
        for (place, word) in [(&outputs, "inside"), (&outside.join("tool-results"), OUTSIDE_WORD)] {
            fs_err::create_dir_all(place)?;
            fs_err::write(place.join("b.txt"), format!("begin {}", format!("{word} ").repeat(200)))?;
        }
        let mut swapped = Vec::new();
        for (path, leads_to) in [
            (project.join("sub"), outside.join("sub")),
            (project.join("one.rs"), outside.join("one.rs")),
            (transcripts.join("s.jsonl"), outside.join("p/s.jsonl")),
            (outputs.join("b.txt"), outside.join("tool-results/b.txt")),
        ] {
            let number = swapped.len();
            let [real, link] = ["real", "link"].map(|name| folder.join(format!("{name}-{number}")));
            symlink(leads_to, &link)?;
            swapped.push([path, real, link]);
        }
        Ok(Self { folder, project, transcripts, outputs, swapped })
    }

    /// Puts links in the place of everything and takes them away, until it is over; then all is real.
    fn swap_until(&self, is_over: &AtomicBool, swaps: &AtomicU64) -> Result<()> {
        while !is_over.load(Ordering::Relaxed) {
            for [path, real, link] in &self.swapped {
                fs_err::rename(path, real)?;
                fs_err::rename(link, path)?;
                std::thread::yield_now();
                fs_err::rename(path, link)?;
                fs_err::rename(real, path)?;
                swaps.fetch_add(1, Ordering::Relaxed);
            }
            // Long enough for a look at what is real, and too short for all that follows it.
            std::thread::sleep(std::time::Duration::from_micros(300));
        }
        Ok(())
    }
}
