//! The command `cargo xtask torture`: fault-injection tests of stored data, many rounds: processes killed while they
//! write, disks that fail, flipped bytes. The oracle is outside the product: a client that notes every acknowledgement
//! in a synced journal of its own, and compares it with what the real binary gives back. All randomness comes from one
//! seed, and every round has its own from that, so a round that failed can be run again alone.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::bench::machine;
use crate::process::{self, cargo_command};
use crate::repository;
use crate::seeded_random::SeededRandom;

mod bit_flips;
mod clock;
mod disk;
mod flood;
mod fold;
mod frames;
mod home;
mod hooks;
mod impostor;
mod index_kill;
mod ingest;
mod ingest_client;
mod journal;
mod kept_work;
mod lease;
mod lines;
mod links;
mod many_writers;
mod mcp_caller;
mod million;
mod numbered_messages;
mod power;
mod server;
mod shim;

use home::TortureHome;

/// One kind of attempt.
pub(crate) struct TortureScenario {
    name: &'static str,
    what: &'static str,
    /// Rounds of a full run; a short one has a tenth, and no fewer than `least`.
    rounds: usize,
    least: usize,
    /// Makes what all rounds begin with.
    prepare: Option<fn(&TortureSetup) -> Result<()>>,
    /// Gives how many blows were dealt.
    run: fn(&mut ScenarioRound<'_>) -> Result<u64>,
    /// Rounds that may run side by side.
    beside: usize,
}

const SCENARIOS: &[&TortureScenario] = &[
    &ingest::INGEST_KILL_SCENARIO,
    &fold::FOLD_KILL_SCENARIO,
    &many_writers::MANY_WRITERS_SCENARIO,
    &disk::FULL_DISK_SCENARIO,
    &disk::FAILING_DISK_SCENARIO,
    &disk::READ_ONLY,
    &bit_flips::BIT_FLIP_SCENARIO,
    &lines::MALFORMED_LINES_SCENARIO,
    &clock::CLOCK_SCENARIO,
    &lease::LEASE_SCENARIO,
    &flood::FLOOD_SCENARIO,
    &server::SERVER_STOP_SCENARIO,
    &hooks::HOOK_KILL_SCENARIO,
    &index_kill::INDEX_KILL_SCENARIO,
    &kept_work::KEPT_WORK_SCENARIO,
    &kept_work::KEPT_WORK_SERVER_SCENARIO,
    &power::POWER_LOSS_SCENARIO,
    &links::LINK_SWAP_SCENARIO,
    &impostor::IMPOSTOR_SCENARIO,
    &frames::FRAME_SCENARIO,
    &million::MILLION_SCENARIO,
];

/// Where a run happens.
pub(crate) struct TortureSetup {
    /// The debug binary: it can be held at points.
    binary: PathBuf,
    /// Preloaded into processes whose disk or clock misbehaves.
    shim: PathBuf,
    scratch: PathBuf,
    /// A short run: what is large is a tenth as large.
    is_short: bool,
}

/// One round of a scenario.
pub(crate) struct ScenarioRound<'p> {
    place: &'p TortureSetup,
    number: usize,
    chance: SeededRandom,
    /// Its own directory, removed when it went well.
    folder: PathBuf,
}

impl TortureSetup {
    /// The result of the scenario's `prepare`.
    fn base_folder(&self, name: &str) -> PathBuf {
        self.scratch.join(format!("base-{name}"))
    }
}

impl ScenarioRound<'_> {
    /// A home in the round's directory.
    fn new_home(&self, name: &str) -> TortureHome {
        TortureHome::new(&self.place.binary, self.folder.join(name))
    }
}

/// The `torture` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    // A scenario starts this program as another user.
    if let [argument, folder] = arguments
        && argument == impostor::IMPOSTOR_ARGUMENT
    {
        return impostor::be_impostor(Path::new(folder));
    }
    let wanted = TortureOptions::parse(arguments)?;
    process::run_command(cargo_command(repository::root(), &["build", "--workspace", "--all-targets", "--quiet"]))?;
    // The commit of what was built: a developer who goes on working changes nothing that is tried.
    let commit = machine::current_commit()?;
    run_scenarios(&wanted, |result| {
        // A part of a scenario proves nothing about the whole, so it leaves no record.
        if wanted.is_full() { record_result(result, &commit, wanted.seed) } else { Ok(()) }
    })
}

/// Puts the result of a scenario into the record of this machine and day, in the place of an earlier one. Each result has
/// its own commit: scenarios may run one by one.
fn record_result(mut result: Value, commit: &str, seed: u64) -> Result<()> {
    (result["commit"], result["seed"]) = (json!(commit), json!(seed));
    let folder = repository::root().join("bench").join("runs").join(machine::run_name()?);
    fs_err::create_dir_all(&folder)?;
    let file = folder.join("torture.json");
    let known = if file.exists() { serde_json::from_str(&fs_err::read_to_string(&file)?)? } else { json!({}) };
    let mut scenarios = known["scenarios"].as_array().cloned().unwrap_or_default();
    match scenarios.iter_mut().find(|other| other["scenario"] == result["scenario"]) {
        Some(other) => *other = result,
        None => scenarios.push(result),
    }
    let record = json!({ "machine": machine::describe_machine(), "scenarios": scenarios });
    Ok(fs_err::write(file, serde_json::to_string_pretty(&record)? + "\n")?)
}

/// A tenth of everything, with the binary that is built.
pub(crate) fn check_tenth() -> Result<()> {
    run_scenarios(&TortureOptions { is_short: true, seed: fresh_seed(), only: None, round: None }, |_| Ok(()))
}

/// The parsed command line.
struct TortureOptions {
    is_short: bool,
    seed: u64,
    only: Option<String>,
    round: Option<usize>,
}

impl TortureOptions {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut wanted = Self { is_short: false, seed: fresh_seed(), only: None, round: None };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--tenth" => wanted.is_short = true,
                "--seed" => wanted.seed = value()?.parse().context("`--seed` takes a number")?,
                "--round" => wanted.round = Some(value()?.parse().context("`--round` takes a number")?),
                "--only" => wanted.only = Some(value()?.clone()),
                _ => bail!("unexpected argument `{argument}`\nhint: --tenth, --seed N, --only NAME, --round N"),
            }
        }
        // Found before the first scenario runs, since each takes minutes.
        if let Some(name) = wanted.only.as_ref().filter(|name| !SCENARIOS.iter().any(|it| it.name == **name)) {
            let names: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
            bail!("no scenario `{name}`; there are: {}", names.join(", "));
        }
        Ok(wanted)
    }

    /// Whether its scenarios have all of their rounds, and so are worth recording.
    fn is_full(&self) -> bool {
        !self.is_short && self.round.is_none()
    }
}

fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |since| since.as_nanos() as u64 % 1_000_000_000)
}

fn run_scenarios(wanted: &TortureOptions, record: impl Fn(Value) -> Result<()>) -> Result<()> {
    let target = repository::target_directory()?;
    let scratch = target.join("torture");
    if scratch.exists() {
        fs_err::remove_dir_all(&scratch)?;
    }
    fs_err::create_dir_all(&scratch)?;
    let shim = shim::build_library(&scratch)?;
    let place = TortureSetup { binary: target.join("debug").join("epitome"), shim, scratch, is_short: wanted.is_short };
    // Printed first, so that even a run that is killed can be repeated.
    println!("seed {}", wanted.seed);
    for scenario in SCENARIOS.iter().filter(|it| wanted.only.as_ref().is_none_or(|only| it.name == only)) {
        let started = Instant::now();
        if let Some(prepare) = scenario.prepare {
            prepare(&place).with_context(|| format!("torture `{}` cannot begin", scenario.name))?;
        }
        let rounds = if wanted.is_short { (scenario.rounds / 10).max(scenario.least) } else { scenario.rounds };
        let blows = rounds_of(&place, scenario, rounds, wanted)?;
        let seconds = started.elapsed().as_secs_f64();
        println!("{:12} {blows:6} {} in {rounds} rounds, {seconds:.0} s", scenario.name, scenario.what);
        // Written at once: a later scenario that fails takes nothing from those that held.
        record(
            json!({ "scenario": scenario.name, "what": scenario.what, "blows": blows, "rounds": rounds, "seconds": seconds.round() }),
        )?;
    }
    Ok(fs_err::remove_dir_all(&place.scratch)?)
}

/// Runs the rounds of a scenario, a few side by side; the first that fails ends the run.
fn rounds_of(place: &TortureSetup, scenario: &TortureScenario, rounds: usize, wanted: &TortureOptions) -> Result<u64> {
    let numbers = wanted.round.map_or(0..rounds, |one| one..one + 1);
    let next = AtomicUsize::new(numbers.start);
    let end = AtomicUsize::new(numbers.end);
    let work = || -> Result<u64> {
        let mut blows = 0;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= end.load(Ordering::Relaxed) {
                return Ok(blows);
            }
            let dealt = run_round(place, scenario, number, wanted.seed);
            if dealt.is_err() {
                // The other workers stop after their round: one failure is enough, and its files are kept.
                end.store(0, Ordering::Relaxed);
            }
            blows += dealt?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..scenario.beside).map(|_| scope.spawn(work)).collect();
        let mut blows = 0;
        for worker in workers {
            blows += worker.join().map_err(|_| anyhow::anyhow!("a round of `{}` panicked", scenario.name))??;
        }
        Ok(blows)
    })
}

fn run_round(place: &TortureSetup, scenario: &TortureScenario, number: usize, seed: u64) -> Result<u64> {
    let folder = place.scratch.join(format!("{}-{number}", scenario.name));
    fs_err::create_dir_all(&folder)?;
    // Each round has its own seed, so that one of them can be run again alone.
    let chance = SeededRandom::new(seed).fork_named(scenario.name).fork_named(&number.to_string());
    let dealt = (scenario.run)(&mut ScenarioRound { place, number, chance, folder: folder.clone() });
    let dealt = dealt.with_context(|| {
        let again = format!("cargo xtask torture --only {} --round {number} --seed {seed}", scenario.name);
        format!(
            "torture `{}` round {number} failed; its files are in {}\nhint: {again}",
            scenario.name,
            folder.display()
        )
    })?;
    fs_err::remove_dir_all(folder)?;
    Ok(dealt)
}

/// Copies a directory with all that is in it.
fn copy_folder(from: &Path, into: &Path) -> Result<()> {
    fs_err::create_dir_all(into)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        let to = into.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs_err::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
