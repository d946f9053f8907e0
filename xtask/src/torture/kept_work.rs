//! Torture scenarios: processes are killed, and their disk or their server fails, while they keep what is no message:
//! memories, lessons, entities, links, checkpoints and subscriptions. What was acknowledged must be there, nothing may be
//! there in part, and what was not acknowledged can be said again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::home::TortureHome;
use super::shim::{FaultRepeat, FaultShim};
use super::{ScenarioRound, TortureScenario};
use crate::crash_cluster::CrashCluster;
use crate::seeded_random::SeededRandom;

pub(super) const KEPT_WORK_SCENARIO: TortureScenario = TortureScenario {
    name: "kept",
    what: "kills and failing disks while memories, entities and records are kept",
    rounds: 60,
    least: 4,
    prepare: None,
    run: strike_processes,
    beside: 2,
};

pub(super) const KEPT_WORK_SERVER_SCENARIO: TortureScenario = TortureScenario {
    name: "kept-server",
    what: "kills and stops of PostgreSQL while memories, entities and records are kept",
    rounds: 10,
    least: 1,
    prepare: None,
    run: strike_server,
    beside: 1,
};

/// Pieces of work of a round: four of each kind.
const PIECES: u64 = 24;
/// The latest moment of a kill: a process that keeps something is done after about that.
const MAX_KILL_DELAY_MS: u64 = 250;
/// Writes and syncs of such a process, about.
const WRITES: u64 = 24;
const SYNCS: u64 = 4;

/// Errors of the system, by their numbers.
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// Every piece has this session.
const SESSION: &str = "work";

/// A client that keeps pieces of work, each with a process of its own. What a piece says follows from its number.
pub(super) struct WorkClient {
    home: TortureHome,
    /// The project, whose path is the same wherever the home lies.
    project: PathBuf,
    acknowledged: BTreeSet<u64>,
}

/// What a piece of work is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Memory,
    Entity,
    Link,
    Checkpoint,
    Subscription,
    Lesson,
}

fn kind_of(number: u64) -> PieceKind {
    let kinds = [
        PieceKind::Lesson,
        PieceKind::Memory,
        PieceKind::Entity,
        PieceKind::Link,
        PieceKind::Checkpoint,
        PieceKind::Subscription,
    ];
    kinds[(number % kinds.len() as u64) as usize]
}

/// The words of a piece. Made up, so that no two pieces say nearly the same.
fn piece_text(number: u64) -> String {
    let mut chance = SeededRandom::new(number).fork_named("piece");
    let mut word = || {
        let mut syllable = || {
            let (consonant, vowel) = (*chance.pick_one(b"bdfgklmnprst"), *chance.pick_one(b"aeiou"));
            [char::from(consonant), char::from(vowel)]
        };
        [syllable(), syllable(), syllable()].concat().into_iter().collect::<String>()
    };
    let words: Vec<String> = (0..6).map(|_| word()).collect();
    format!("Piece {number} is about {}.", words.join(" "))
}

fn piece_name(number: u64) -> String {
    format!("Piece {number}")
}

fn piece_tag(number: u64) -> String {
    format!("piece-{number}")
}

fn number_of_tag(tag: &Value) -> Option<u64> {
    tag.as_str()?.strip_prefix("piece-")?.parse().ok()
}

/// The arguments that keep a piece.
fn piece_arguments(number: u64) -> Vec<String> {
    let (text, name, tag) = (piece_text(number), piece_name(number), piece_tag(number));
    let state = json!({ "query": text, "plan": [{ "step": name }] }).to_string();
    let session = ["--session", SESSION];
    let words: Vec<&str> = match kind_of(number) {
        PieceKind::Memory => vec!["remember", &text, "--tag", &tag],
        PieceKind::Entity => vec!["entity", "add", &name, "--type", "concept", "--content", &text],
        // The piece before it is an entity.
        PieceKind::Link => {
            let before = piece_name(number - 1);
            let words = ["entity", "link", &before, HUB, "--metadata", &state];
            return words.map(str::to_owned).to_vec();
        }
        PieceKind::Checkpoint => {
            [&["checkpoint", "save", "--state", &state, "--description", &name], &session[..]].concat()
        }
        PieceKind::Subscription => [&["subscription", "add", &text, "--pattern", "keyword"], &session[..]].concat(),
        PieceKind::Lesson => {
            [&["reflection", "add", &text, "--outcome", "success", "--context", &name, "--tag", &tag], &session[..]]
                .concat()
        }
    };
    words.into_iter().map(str::to_owned).collect()
}

/// The entity that every link leads to.
const HUB: &str = "Hub";

impl WorkClient {
    pub(super) fn new(home: &TortureHome, project: &Path) -> Self {
        Self { home: home.clone(), project: project.to_owned(), acknowledged: BTreeSet::new() }
    }

    /// Makes the folder of the project, and what links lead to.
    pub(super) fn begin(&self) -> Result<()> {
        fs_err::create_dir_all(&self.project)?;
        fs_err::create_dir_all(&self.home.folder)?;
        let hub = ["entity", "add", HUB, "--type", "concept"];
        let output = self.start(&self.home, &hub)?.wait_with_output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    fn start(&self, home: &TortureHome, arguments: &[&str]) -> Result<Child> {
        let project = self.project.display().to_string();
        let arguments = [&["--project", &project, "--json"], arguments].concat();
        let mut command = home.build_command(&arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().context("cannot start epitome")
    }

    fn start_piece(&self, home: &TortureHome, number: u64) -> Result<Child> {
        let arguments = piece_arguments(number);
        self.start(home, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Waits for the end of a process and notes a piece that it acknowledged.
    fn finish(&mut self, number: u64, child: Child) -> Result<Output> {
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(!said.contains("panicked"), "piece {number}: {said}");
        if output.status.success() {
            self.acknowledged.insert(number);
        }
        Ok(output)
    }

    /// Keeps a piece without disturbance.
    pub(super) fn keep(&mut self, number: u64) -> Result<()> {
        let output = self.finish(number, self.start_piece(&self.home, number)?)?;
        let (said, printed) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        ensure!(output.status.success(), "piece {number}: {said}{printed}");
        Ok(())
    }

    /// Keeps a piece without disturbance; a link misses an end that an earlier process could not keep.
    fn keep_or_miss(&mut self, number: u64) -> Result<()> {
        let output = self.finish(number, self.start_piece(&self.home, number)?)?;
        check_error_named(&output)
    }

    /// Takes over what another client knows to be acknowledged.
    pub(super) fn note_acknowledged(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.acknowledged.extend(numbers);
    }

    fn read(&self, arguments: &[&str]) -> Result<Value> {
        let output = self.start(&self.home, arguments)?.wait_with_output()?;
        // There is nothing, which is an answer.
        if output.status.code() == Some(3) {
            return Ok(json!({}));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "epitome {}: {said}", arguments.join(" "));
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    fn read_list(&self, arguments: &[&str], name: &str) -> Result<Vec<Value>> {
        Ok(self.read(arguments)?[name].as_array().cloned().unwrap_or_default())
    }

    /// What is stored, and how often; whatever of a piece is there must be all of it.
    fn read_stored(&self) -> Result<BTreeMap<u64, u64>> {
        let mut stored: BTreeMap<u64, u64> = BTreeMap::new();
        let mut add = |number: u64| *stored.entry(number).or_default() += 1;
        for memory in self.read_list(&["memories"], "memories")? {
            let number =
                number_of_tag(&memory["tags"][0]).with_context(|| format!("a memory without its note: {memory}"))?;
            ensure!(memory["content"] == piece_text(number), "piece {number} came back as {memory}");
            if kind_of(number) == PieceKind::Lesson {
                ensure!(memory["metadata"][0]["context"] == piece_name(number), "piece {number} came back as {memory}");
            }
            add(number);
        }
        let number_of = |name: &Value| name.as_str()?.strip_prefix("Piece ")?.parse::<u64>().ok();
        for entity in self.read_list(&["entity", "list", "--limit", "1000"], "entities")? {
            let Some(number) = number_of(&entity["name"]) else { continue };
            ensure!(entity["content"] == piece_text(number), "piece {number} came back as {entity}");
            add(number);
        }
        for relation in self.read_list(&["entity", "show", HUB], "relations")? {
            let from =
                number_of(&relation["entity"]["name"]).with_context(|| format!("an end is no piece: {relation}"))?;
            add(from + 1);
        }
        for checkpoint in
            self.read_list(&["checkpoint", "list", "--session", SESSION, "--limit", "1000"], "checkpoints")?
        {
            let number = number_of(&checkpoint["details"]["description"]);
            let number = number.with_context(|| format!("no checkpoint of ours: {checkpoint}"))?;
            let id = checkpoint["id"].as_str().context("a checkpoint has an id")?;
            let loaded = self.read_list(&["checkpoint", "load", id, "--session", SESSION], "checkpoints")?;
            let state = loaded.first().map(|loaded| &loaded["state"]);
            let is_whole = state
                .is_some_and(|it| it["query"] == piece_text(number) && it["plan"][0]["step"] == piece_name(number));
            ensure!(is_whole, "piece {number} came back as {loaded:?}");
            add(number);
        }
        for subscription in self.read_list(&["subscription", "list", "--session", SESSION], "subscriptions")? {
            let text = subscription["pattern"]["value"].as_str().unwrap_or_default();
            let number = number_of(&json!(text.split(" is about").next())).context("no subscription of ours")?;
            ensure!(text == piece_text(number), "piece {number} came back as {subscription}");
            add(number);
        }
        Ok(stored)
    }

    /// Everything acknowledged is there, nothing is there in part, and the store proves itself.
    pub(super) fn check_stored(&self) -> Result<()> {
        let stored = self.read_stored()?;
        for number in &self.acknowledged {
            ensure!(stored.contains_key(number), "piece {number} was acknowledged and is lost; there are {stored:?}");
        }
        self.home.run_verify()
    }

    /// All of it said again: what is known is not doubled, and what was not acknowledged is kept now.
    fn check_again(&mut self) -> Result<()> {
        // A checkpoint that is saved again is another one: it has another time.
        for number in 1..=PIECES {
            if kind_of(number) != PieceKind::Checkpoint || !self.acknowledged.contains(&number) {
                self.keep(number)?;
            }
        }
        self.check_stored()?;
        let doubled = |(number, times): &(&u64, &u64)| **times > 1 && kind_of(**number) != PieceKind::Checkpoint;
        let stored = self.read_stored()?;
        let doubled: Vec<_> = stored.iter().filter(doubled).collect();
        ensure!(doubled.is_empty() && stored.len() as u64 == PIECES, "there are {stored:?}, doubled {doubled:?}");
        Ok(())
    }
}

/// A failure says what failed; it is never an unexpected one.
fn check_error_named(output: &Output) -> Result<()> {
    let said = [&output.stderr[..], &output.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let is_named = said.contains("error") && !said.contains("unexpectedly");
    ensure!(output.status.success() || (is_named && output.status.code().is_some()), "{} with `{said}`", output.status);
    Ok(())
}

/// A kill after a random while; gives whether it came before the end.
fn kill_after(mut child: Child, chance: &mut SeededRandom) -> Result<(Child, u64)> {
    std::thread::sleep(Duration::from_millis(chance.number_below(MAX_KILL_DELAY_MS)));
    let is_running = child.try_wait()?.is_none();
    child.kill()?;
    Ok((child, u64::from(is_running)))
}

fn strike_processes(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let home = round.new_home("home");
    let mut client = WorkClient::new(&home, &round.folder.join("project"));
    client.begin()?;
    let mut blows = 0;
    for number in 1..=PIECES {
        let shim = FaultShim::new(round.place);
        let troubled = match round.chance.number_below(6) {
            0 => {
                client.keep_or_miss(number)?;
                continue;
            }
            1 => {
                let at = 1 + round.chance.number_below(WRITES);
                shim.with_failure("write", at, FaultRepeat::On, ENOSPC).wrap_home(&home)
            }
            2 => {
                let at = 1 + round.chance.number_below(WRITES);
                shim.with_failure("write", at, FaultRepeat::Once, EIO).wrap_home(&home)
            }
            3 => {
                let at = 1 + round.chance.number_below(SYNCS);
                shim.with_failure("sync", at, FaultRepeat::Once, EIO).wrap_home(&home)
            }
            _ => {
                let (child, struck) = kill_after(client.start_piece(&home, number)?, &mut round.chance)?;
                client.finish(number, child)?;
                blows += struck;
                continue;
            }
        };
        let output = client.finish(number, client.start_piece(&troubled, number)?)?;
        check_error_named(&output)?;
        blows += u64::from(!output.status.success());
    }
    client.check_stored()?;
    client.check_again()?;
    Ok(blows)
}

fn strike_server(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let cluster = CrashCluster::start(&format!("torture-kept-{}", round.number))?;
    let plain = round.new_home("home");
    fs_err::create_dir_all(&plain.folder)?;
    let ready = plain.read_json(&["database", "init", &cluster.url()])?;
    let home = plain.with_variable("EPITOME_DATABASE_URL", ready["url"].as_str().context("a URL")?);
    let mut client = WorkClient::new(&home, &round.folder.join("project"));
    client.begin()?;
    let mut blows = 0;
    for number in 1..=PIECES {
        let child = client.start_piece(&home, number)?;
        let child = match round.chance.number_below(6) {
            0 => {
                std::thread::sleep(Duration::from_millis(round.chance.number_below(MAX_KILL_DELAY_MS)));
                cluster.stop_server()?;
                cluster.start_server()?;
                blows += 1;
                // It may see the server again and go on, or say that it cannot.
                child
            }
            1..=3 => {
                let (child, struck) = kill_after(child, &mut round.chance)?;
                blows += struck;
                child
            }
            _ => child,
        };
        client.finish(number, child)?;
    }
    client.check_stored()?;
    client.check_again()?;
    Ok(blows)
}
