//! Torture scenario: the process is killed at every named point while a conversation is folded into summaries.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use super::home::TortureHome;
use super::ingest::RESTART_TIMEOUT;
use super::ingest_client::IngestClient;
use super::journal::ClientJournal;
use super::shim::{CLOCK_OFFSET_SECONDS, FaultShim};
use super::{ScenarioRound, TortureScenario, TortureSetup, copy_folder};

pub(super) const FOLD_KILL_SCENARIO: TortureScenario = TortureScenario {
    name: "fold",
    what: "kills during compaction, at named points",
    rounds: 400,
    least: POINTS.len(),
    prepare: Some(prepare),
    run,
    beside: 2,
};

/// Where a debug build can be held while it folds, and how often one fold of everything passes there at most.
pub(super) const POINTS: [(&str, u64); 7] = [
    ("lease.written", 1),
    ("fold.added", 12),
    ("fold.written", 12),
    ("facts.written", 1),
    ("release.written", 1),
    ("committing", 14),
    ("committed", 14),
];

/// Messages of the conversation that is folded.
pub(super) const MESSAGES: u64 = 160;

/// A conversation to fold, and what it looks like when no fault disturbs the folding.
pub(super) fn prepare(place: &TortureSetup) -> Result<()> {
    let folder = place.base_folder("fold");
    fs_err::create_dir_all(&folder)?;
    let home = TortureHome::new(&place.binary, folder.join("home"));
    let mut journal = ClientJournal::open(&folder.join("journal"))?;
    IngestClient { home: &home, conversation: "c", numbers: 1..MESSAGES + 1, killed_after: None }.run(&mut journal)?;
    // A copy is folded without disturbance: every disturbed fold has to end with the same context.
    copy_folder(&home.folder, &folder.join("whole"))?;
    let whole = TortureHome::new(&place.binary, folder.join("whole"));
    whole.read_output(&["compact", "c"])?;
    fs_err::write(folder.join("assembled"), whole.assemble_context("c")?)?;
    Ok(())
}

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let base = round.place.base_folder("fold");
    let home = round.new_home("home");
    copy_folder(&base.join("home"), &home.folder)?;
    let (point, most) = POINTS[round.number % POINTS.len()];
    let times = 1 + round.chance.number_below(most);
    let held = round.folder.join("held");
    let mut folding = match hold_at_point(&home, point, times, &held)? {
        Some(child) => child,
        // The fold was done before it passed the point that many times.
        None => hold_at_point(&home, point, 1, &held)?.with_context(|| format!("nothing came to `{point}`"))?,
    };
    folding.kill()?;
    folding.wait()?;
    check_recovery(&home, round.place)?;
    ensure!(home.assemble_context("c")? == fs_err::read_to_string(base.join("assembled"))?, "folded in another way");
    // Messages that come now find their place behind the others.
    let mut journal = ClientJournal::open(&round.folder.join("journal"))?;
    let numbers = 1..MESSAGES + 20;
    IngestClient { home: &home, conversation: "c", numbers, killed_after: None }.run(&mut journal)?;
    ensure!(journal.len() == MESSAGES + 19, "{} acknowledged", journal.len());
    journal.check_stored(&home, "c")?;
    Ok(1)
}

/// Everything fits together as the process left it, and folding goes on where it was left.
pub(super) fn check_recovery(home: &TortureHome, place: &TortureSetup) -> Result<()> {
    let started = Instant::now();
    home.run_verify()?;
    let took = started.elapsed();
    ensure!(took < RESTART_TIMEOUT, "looking at it took {took:?}");
    // The process that held the lease is gone; after the lease has expired another one takes over.
    let later = FaultShim::new(place).with_clock_offset(CLOCK_OFFSET_SECONDS).wrap_home(home);
    later.read_output(&["compact", "c"])?;
    home.run_verify()
}

/// Folds until a point is passed for the so-manieth time, and holds it there; none if it ended before.
pub(super) fn hold_at_point(home: &TortureHome, point: &str, times: u64, file: &Path) -> Result<Option<Child>> {
    let armed = home.with_variable("EPITOME_HOLD", format!("{point}:{times}:{}", file.display()));
    let mut command = armed.build_command(&["compact", "c"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot start epitome")?;
    let started = Instant::now();
    loop {
        // The file is written by the process at the moment it stops there, so its existence is the only safe sign.
        if file.exists() {
            return Ok(Some(child));
        }
        // With fewer passes than `times`, the fold ends first: the caller then knows it has tried every pass.
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "epitome compact, to be held at `{point}`: {status}");
            return Ok(None);
        }
        // Without a limit, a fold that waits for a lock would hang the whole run.
        if started.elapsed() > Duration::from_mins(1) {
            child.kill()?;
            bail!("epitome compact did not come to `{point}` and did not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
