//! Makes the store that pages are measured with: conversations that went through the program itself, one of them long
//! and unfolded, and a ledger of a month.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use crate::bench::transcripts::{generate_text, generate_word};
use crate::bench::{BenchSetup, round_thousandths, workload_number};
use crate::process::{self, cargo_command, command_in};
use crate::repository;
use crate::seeded_random::SeededRandom;

/// The conversation that is longer than all others.
pub(super) const LONG: &str = "long";

/// What `generate_text` takes from its mean for the frame of a transcript's line, and the mean of what is left.
const TEXT_BYTES: u64 = 250 + 350;

/// Written when everything is there, with what was made.
const READY: &str = "ready.json";

pub(super) struct PageStore {
    binary: PathBuf,
    pub(super) folder: PathBuf,
    /// What it holds, and how long that took.
    pub(super) made: Value,
}

impl PageStore {
    /// The store of a folder; made there where there is none yet.
    pub(super) fn open(bench: &BenchSetup, workload: &Table, folder: &Path) -> Result<Self> {
        let mut store = Self { binary: bench.binary.clone(), folder: folder.to_owned(), made: Value::Null };
        let ready = folder.join(READY);
        if !ready.is_file() {
            let made = store.make(workload)?;
            fs_err::write(&ready, made.to_string())?;
        }
        store.made = serde_json::from_str(&fs_err::read_to_string(&ready)?)?;
        Ok(store)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// A command of the program on this store.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command_in(&self.project(), &self.binary, arguments);
        command.env("EPITOME_HOME", self.home()).env("HOME", &self.folder);
        command
    }

    pub(super) fn conversation_id(&self, name: &str) -> Result<String> {
        let described = process::read_output(self.command(&["describe", name, "--json"]))?;
        let described: Value = serde_json::from_str(&described)?;
        Ok(described["id"].as_str().context("a conversation without an id")?.to_owned())
    }

    fn make(&self, workload: &Table) -> Result<Value> {
        let [messages, conversations, longest] =
            ["messages", "conversations", "longest"].map(|key| workload_number(workload, key));
        let (messages, conversations, longest) = (messages?, conversations?, longest?);
        self.make_project()?;
        let started = Instant::now();
        let mut chance = SeededRandom::new(21);
        let each = (messages - longest) / conversations;
        for talk in 1..=conversations {
            self.ingest(&format!("talk-{talk}"), &make_talk(&mut chance, talk, each))?;
        }
        let stored = started.elapsed().as_secs_f64();
        process::read_output(self.command(&["compact", "--all", "--until", "8000"]))?;
        let folded = started.elapsed().as_secs_f64() - stored;
        // After the others were folded, so that it is one that nobody folded yet.
        self.ingest(LONG, &make_talk(&mut chance, 0, longest))?;
        process::read_output(self.command(&["index"]))?;
        let entries = workload_number(workload, "entries")?;
        let microseconds = self.fill_ledger(entries, workload_number(workload, "ledger_sessions")?)?;
        Ok(json!({
            "messages": each * conversations + longest, "conversations": conversations + 1, "ledger_entries": entries, "microseconds_an_entry_debug": microseconds,
            "stored_seconds": round_thousandths(stored), "folded_seconds": round_thousandths(folded),
        }))
    }

    fn make_project(&self) -> Result<()> {
        fs_err::create_dir_all(self.home().join("config"))?;
        // Folding in the background would be counted as processor time of the pages.
        fs_err::write(self.home().join("config/config.toml"), "[memory]\nautocompact = false\n")?;
        fs_err::create_dir_all(self.project().join("src"))?;
        process::read_output(command_in(&self.project(), "git", &["init", "--quiet"]))?;
        for file in 0..40 {
            let functions =
                (0..20).map(|at| format!("def f{file}_{at}(x):\n    return f{file}_{}(x) + {at}\n\n", at + 1));
            fs_err::write(self.project().join(format!("src/m{file}.py")), functions.collect::<String>())?;
        }
        Ok(())
    }

    fn ingest(&self, name: &str, lines: &str) -> Result<()> {
        let mut command = self.command(&["ingest", "--conversation", name]);
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn()?;
        child.stdin.take().context("standard input is a pipe")?.write_all(lines.as_bytes())?;
        let status = child.wait()?;
        ensure!(status.success(), "epitome ingest ended with {status}");
        Ok(())
    }

    /// Records the calls of a month, and gives the microseconds that each took.
    fn fill_ledger(&self, entries: usize, sessions: usize) -> Result<Value> {
        let projects: Value = serde_json::from_str(&process::read_output(self.command(&["projects", "--json"]))?)?;
        let projects = projects["projects"].as_array().context("projects")?;
        let project = projects.iter().find(|project| project["current"] == true).context("the project")?;
        let project = project["project_id"].as_str().context("the project's id")?;
        let program = repository::target_directory()?.join("debug").join("examples").join("fill_ledger");
        if !program.is_file() {
            let arguments = ["build", "--workspace", "--all-targets", "--quiet"];
            process::run_command(cargo_command(repository::root(), &arguments))?;
        }
        let now = process::read_output(command_in(&self.folder, "date", &["+%s000"]))?;
        let mut fill = command_in(&self.folder, &program, &[]);
        fill.arg(self.home()).arg(project).args([entries, sessions].map(|number| number.to_string())).arg(now.trim());
        let started = Instant::now();
        process::read_output(fill)?;
        Ok(json!(started.elapsed().as_micros() as u64 / entries.max(1) as u64))
    }
}

/// A conversation as lines for `ingest`: mostly prose, some calls of tools, now and then a rule or a decision.
fn make_talk(chance: &mut SeededRandom, talk: usize, length: usize) -> String {
    (0..length).map(|at| format!("{}\n", make_message(chance, talk, at))).collect()
}

fn make_message(chance: &mut SeededRandom, talk: usize, at: usize) -> Value {
    let mut text = generate_text(chance, TEXT_BYTES, at);
    let mut words = || format!("{}{}", generate_word(chance), generate_word(chance));
    if at.is_multiple_of(60) {
        text = format!("We decided to use {} for the {} because it is small. {text}", words(), words());
    } else if at % 90 == 30 {
        text = format!("Never touch the {} module. {text}", words());
    }
    let minutes = talk * 7 + at;
    let day = format!("2026-{:02}-{:02}", 1 + minutes / 40_320 % 12, 1 + minutes / 1_440 % 28);
    let when = format!("{day}T{:02}:{:02}:00Z", minutes / 60 % 24, minutes % 60);
    let id = format!("{talk}.{at}");
    let call = match at % 10 {
        3 => json!({ "name": "Edit", "input": { "file_path": format!("src/{}.rs", words()) }, "output": "ok" }),
        8 => json!({ "name": "Bash", "input": { "command": format!("cargo test {}", words()) }, "output": "ok" }),
        _ => {
            let role = if at.is_multiple_of(2) { "user" } else { "assistant" };
            return json!({ "id": id, "role": role, "at": when, "content": text });
        }
    };
    let mut part = json!({ "type": "tool", "call_id": id, "status": "completed" });
    for (key, value) in call.as_object().into_iter().flatten() {
        part[key] = value.clone();
    }
    json!({ "id": id, "role": "assistant", "at": when, "parts": [{ "type": "text", "text": text }, part] })
}
