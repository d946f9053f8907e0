//! Torture scenario: the power goes. A day is recorded once, with every write and sync of its processes; each round
//! rebuilds the files at another point, with what was not synced dropped, kept in part or torn. Everything that was
//! acknowledged before that point must be there, `verify` must be content, and the day must go on.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::home::TortureHome;
use super::ingest_client::IngestClient;
use super::journal::ClientJournal;
use super::kept_work::WorkClient;
use super::numbered_messages;
use super::{ScenarioRound, TortureScenario, TortureSetup};
use crate::process::{self, command_in};
use crate::seeded_random::SeededRandom;

mod disk_log;

use disk_log::{CrashedDisk, DiskAct, FATES};

pub(super) const POWER_LOSS_SCENARIO: TortureScenario = TortureScenario {
    name: "power",
    what: "points at which the power went",
    rounds: 300,
    least: 30,
    prepare: Some(prepare),
    run,
    beside: 2,
};

/// Messages of each process that takes some in, and prompts of hooks.
const MESSAGES: u64 = 40;
const PROMPTS: u64 = 6;
/// Pieces of work that are no messages, two of each kind.
const PIECES: u64 = 12;
/// Lines of the transcript that is imported.
const LINES: u64 = 30;
/// A message above the threshold of artifacts has so many words.
const LARGE_WORDS: usize = 30_000;

/// The folder whose files are recorded, and the record.
fn recorded_root(place: &TortureSetup) -> PathBuf {
    place.base_folder("power").join("home")
}

fn record_path(place: &TortureSetup) -> PathBuf {
    place.base_folder("power").join("log")
}

/// The project of what is no message; outside of the home, so that its path stays.
fn project_path(place: &TortureSetup) -> PathBuf {
    place.base_folder("power").join("project")
}

/// Records the day.
fn prepare(place: &TortureSetup) -> Result<()> {
    let folder = place.base_folder("power");
    let root = recorded_root(place);
    fs_err::create_dir_all(&root)?;
    let library = build_recorder(&folder)?;
    let plain = TortureHome::new(&place.binary, root.clone()).with_variable("EPITOME_HOOKS_DAEMON_SECONDS", "0");
    let home = plain
        .with_variable("LD_PRELOAD", library.display().to_string())
        .with_variable("TORTURE_RECORD", record_path(place).display().to_string())
        .with_variable("TORTURE_ROOT", fs_err::canonicalize(&root)?.display().to_string());
    let transcript = folder.join("s.jsonl");
    fs_err::write(&transcript, (0..LINES).map(transcript_line).collect::<String>())?;
    let log = record_path(place);
    take_in(&home, &log, 0)?;
    let path = transcript.display().to_string();
    marked(&log, "import", || home.read_output(&["import", &path, "--agent", "claude-code"]))?;
    take_in(&home, &log, 1)?;
    for prompt in 0..PROMPTS {
        marked(&log, &format!("hook {prompt}"), || call_hook(&home, prompt))?;
    }
    marked(&log, "compact", || home.read_output(&["compact", "c"]))?;
    marked(&log, "large", || {
        feed_line(&home, "large", &json!({ "id": "l", "role": "tool", "content": large_text() }))
    })?;
    let mut client = WorkClient::new(&home, &project_path(place));
    marked(&log, "kept begin", || client.begin())?;
    for number in 1..=PIECES {
        marked(&log, &format!("kept {number}"), || client.keep(number))?;
    }
    marked(&log, "drain", || home.read_output(&["drain"]))?;
    take_in(&home, &log, 2)
}

fn build_recorder(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("record.c"), folder.join("record.so"));
    fs_err::write(&source, include_str!("power/record.c"))?;
    let paths = [library.display().to_string(), source.display().to_string()];
    process::run_command(command_in(folder, "cc", &["-shared", "-fPIC", "-O1", "-o", &paths[0], &paths[1], "-ldl"]))?;
    Ok(library)
}

/// Does something between a mark of its beginning and one of its good end.
fn marked<T>(log: &Path, name: &str, act: impl FnOnce() -> Result<T>) -> Result<()> {
    let mark = |name: &str| -> Result<()> {
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(log)?;
        Ok(file.write_all(&disk_log::encode_mark(name))?)
    };
    mark(&format!("begin {name}"))?;
    act().with_context(|| format!("the day cannot be recorded: {name}"))?;
    mark(&format!("end {name}"))
}

/// The messages of one process: what they are is known from their numbers, and what was acknowledged from the record.
fn take_in(home: &TortureHome, log: &Path, turn: u64) -> Result<()> {
    marked(log, "ingest", || {
        let mut journal = ClientJournal::open(&log.with_extension("journal"))?;
        let numbers = turn * MESSAGES + 1..(turn + 1) * MESSAGES + 1;
        let fed = IngestClient { home, conversation: "c", numbers, killed_after: None }.run(&mut journal)?;
        ensure!(fed.status.success() && journal.len() == MESSAGES, "{}", fed.said);
        Ok(())
    })
}

fn transcript_line(number: u64) -> String {
    let message = json!({ "role": "user", "content": numbered_messages::message_text(number) });
    json!({ "type": "user", "uuid": format!("u{number}"), "sessionId": "s", "cwd": "/p", "message": message })
        .to_string()
        + "\n"
}

fn large_text() -> String {
    (0..LARGE_WORDS).map(|word| format!("word{word} ")).collect()
}

fn prompt_text(number: u64) -> String {
    format!("Prompt {number} was told before the power went.")
}

fn call_hook(home: &TortureHome, prompt: u64) -> Result<()> {
    let body = json!({ "session_id": "h", "cwd": home.folder, "prompt": prompt_text(prompt) });
    feed(home, &["hook", "UserPromptSubmit"], &body.to_string())
}

fn feed_line(home: &TortureHome, conversation: &str, line: &Value) -> Result<()> {
    feed(home, &["ingest", "--conversation", conversation], &line.to_string())
}

fn feed(home: &TortureHome, arguments: &[&str], input: &str) -> Result<()> {
    let mut command = home.build_command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start epitome")?;
    child.stdin.take().context("standard input")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let acts = disk_log::read_acts(&record_path(round.place))?;
    let at = choose_point(&acts, &mut round.chance);
    let (files, folders) = (*round.chance.pick_one(&FATES), *round.chance.pick_one(&FATES));
    let root = fs_err::canonicalize(recorded_root(round.place))?;
    let home = round.new_home("home").with_variable("EPITOME_HOOKS_DAEMON_SECONDS", "0");
    CrashedDisk::after_acts(&acts[..at], &root).rebuild(&home.folder, files, folders, &mut round.chance)?;
    let before = AcknowledgedDay::before(&acts[..at]);
    let journal = round.folder.join("journal");
    before.check(&home, &project_path(round.place), &journal).with_context(|| {
        format!(
            "the power went at act {at} of {}, in `{}`; files {files:?}, folders {folders:?}",
            acts.len(),
            before.doing
        )
    })?;
    Ok(1)
}

/// Half of the points are right behind an acknowledgement, where most is promised and least may be safe.
fn choose_point(acts: &[DiskAct], chance: &mut SeededRandom) -> usize {
    let is_said = |act: &DiskAct| matches!(act, DiskAct::Said(_) | DiskAct::Mark(_));
    let said: Vec<usize> = (0..acts.len()).filter(|at| is_said(&acts[*at])).collect();
    if chance.number_below(2) == 0 {
        *chance.pick_one(&said) + 1
    } else {
        chance.number_below(acts.len() as u64) as usize
    }
}

/// What was acknowledged up to a point.
#[derive(Default)]
struct AcknowledgedDay {
    /// Acknowledgements of numbered messages, in their order.
    messages: Vec<Value>,
    is_imported: bool,
    is_large_stored: bool,
    prompts: u64,
    /// Pieces of work that are no messages.
    kept: Vec<u64>,
    /// What was being done at the point.
    doing: String,
}

impl AcknowledgedDay {
    fn before(acts: &[DiskAct]) -> Self {
        let mut day = Self::default();
        let mut said = Vec::new();
        for act in acts {
            if let DiskAct::Said(bytes) = act {
                if day.doing == "begin ingest" {
                    said.extend_from_slice(bytes);
                }
            } else if let DiskAct::Mark(name) = act {
                day.doing.clone_from(name);
                day.is_imported |= name == "end import";
                day.is_large_stored |= name == "end large";
                day.kept.extend(name.strip_prefix("end kept ").and_then(|number| number.parse::<u64>().ok()));
                day.prompts += u64::from(name.starts_with("end hook"));
            }
        }
        // Half a line is no acknowledgement.
        let lines = said.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        day.messages = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        day
    }

    fn check(&self, home: &TortureHome, project: &Path, journal: &Path) -> Result<()> {
        let mut journal = ClientJournal::open(journal)?;
        for (number, acknowledged) in (1..).zip(&self.messages) {
            journal.add_acknowledgement(number, acknowledged)?;
        }
        journal.check_stored(home, "c")?;
        if self.is_imported {
            let stored = home.read_messages("claude-code:s")?.len() as u64;
            ensure!(stored == LINES, "{stored} of {LINES} lines of the transcript that was imported");
        }
        if self.is_large_stored {
            let stored = home.read_messages("large")?.len();
            ensure!(stored == 1, "{stored} large messages");
        }
        home.read_output(&["drain"])?;
        if self.prompts > 0 {
            let messages = home.read_messages("claude-code:h")?;
            let said: Vec<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
            let lost = (0..self.prompts).filter(|number| !said.contains(&prompt_text(*number).as_str())).count();
            ensure!(lost == 0, "{lost} of {} prompts are lost", self.prompts);
        }
        let mut client = WorkClient::new(home, project);
        client.note_acknowledged(self.kept.iter().copied());
        if !self.kept.is_empty() {
            client.check_stored()?;
            client.keep(PIECES + 1)?;
        }
        // Sent again and further: what is known is not doubled, and a store that met a power cut takes in more.
        let next = journal.next_number();
        let numbers = next..next + 3;
        let fed = IngestClient { home, conversation: "c", numbers: numbers.clone(), killed_after: None };
        let fed = fed.run(&mut journal)?;
        ensure!(journal.next_number() == numbers.end, "the day does not go on: {}", fed.said);
        journal.check_stored(home, "c")
    }
}
