//! Torture scenarios: the disk is full, fails now and then, or is read-only; no acknowledged message may be lost.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::fold::MESSAGES;
use super::ingest_client::{ClientOutcome, IngestClient};
use super::journal::ClientJournal;
use super::shim::{FaultRepeat, FaultShim};
use super::{ScenarioRound, TortureScenario, copy_folder};

pub(super) const FULL_DISK_SCENARIO: TortureScenario = TortureScenario {
    name: "full",
    what: "disks that ran full",
    rounds: 100,
    least: 5,
    prepare: None,
    run: fill_disk,
    beside: 2,
};

pub(super) const FAILING_DISK_SCENARIO: TortureScenario = TortureScenario {
    name: "failing",
    what: "writes and syncs that failed",
    rounds: 100,
    least: 5,
    prepare: None,
    run: fail_writes,
    beside: 2,
};

pub(super) const READ_ONLY: TortureScenario = TortureScenario {
    name: "read-only",
    what: "disks that may not be written",
    rounds: 20,
    least: 2,
    prepare: None,
    run: read_only,
    beside: 2,
};

/// Errors of the system, by their numbers.
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// Writes of a short run, about.
const WRITES: u64 = 100;

fn fill_disk(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let at = 1 + round.chance.number_below(WRITES);
    ingest_with_failure(round, |shim| shim.with_failure("write", at, FaultRepeat::On, ENOSPC))
}

fn fail_writes(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let act = *round.chance.pick_one(&["write", "write", "sync"]);
    let at = 1 + round.chance.number_below(if act == "sync" { 5 } else { WRITES });
    ingest_with_failure(round, |shim| shim.with_failure(act, at, FaultRepeat::Once, EIO))
}

fn read_only(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let folder = round.folder.join("home");
    let met = ingest_with_failure(round, |shim| shim.read_only(&folder))?;
    Ok(met + read_what_was_left(round)?)
}

/// A writer is killed, and its disk cannot be written from then on: what it left is read and proved, with whatever of
/// its log is there, and code is found as it is.
fn read_what_was_left(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let home = round.new_home("left");
    let project = round.folder.join("project");
    fs_err::create_dir_all(&project)?;
    fs_err::write(project.join("one.rs"), "pub fn quokka() {}\n")?;
    let path = project.display().to_string();
    home.read_output(&["--project", &path, "search", "quokka"])?;
    fs_err::write(project.join("one.rs"), "pub fn quokka() {}\n\npub fn wombat() {}\n")?;
    let mut journal = ClientJournal::open(&round.folder.join("left-journal"))?;
    IngestClient { home: &home, conversation: "c", numbers: 1..20, killed_after: None }.run(&mut journal)?;
    let killed_after = Some(Duration::from_millis(100 + round.chance.number_below(900)));
    IngestClient { home: &home, conversation: "c", numbers: 20..20 + MESSAGES, killed_after }.run(&mut journal)?;
    // A copy to a medium that is read only has no file of shared memory, or an old one.
    let shared_memory = home.folder.join("data/epitome.db-shm");
    if round.chance.number_below(2) == 0 && shared_memory.exists() {
        fs_err::remove_file(shared_memory)?;
    }
    let troubled = FaultShim::new(round.place).read_only(&home.folder).wrap_home(&home);
    journal.check_stored(&troubled, "c")?;
    let found = troubled.read_output(&["--project", &path, "search", "wombat"])?;
    ensure!(found.contains("one.rs"), "what changed is not found: {found}");
    let refused = IngestClient { home: &troubled, conversation: "c", numbers: 1..2, killed_after: None };
    ensure!(!refused.run(&mut ClientJournal::open(&round.folder.join("refused"))?)?.status.success(), "it was written");
    journal.check_stored(&home, "c")?;
    Ok(1)
}

/// Messages meet a disk that fails: whatever is acknowledged is stored, the failure has a name, and when the disk is
/// well again so is everything else.
fn ingest_with_failure(round: &mut ScenarioRound<'_>, trouble: impl FnOnce(FaultShim) -> FaultShim) -> Result<u64> {
    let home = round.new_home("home");
    let mut journal = ClientJournal::open(&round.folder.join("journal"))?;
    let before = round.chance.number_below(30);
    // The disk may fail for a new store as well as for one with history.
    if before > 0 {
        IngestClient { home: &home, conversation: "c", numbers: 1..before, killed_after: None }.run(&mut journal)?;
        copy_folder(&home.folder, &round.folder.join("before"))?;
    }
    let troubled = trouble(FaultShim::new(round.place)).wrap_home(&home);
    let next = journal.next_number();
    let numbers = next..next + MESSAGES;
    let fed = IngestClient { home: &troubled, conversation: "c", numbers: numbers.clone(), killed_after: None };
    let fed = fed.run(&mut journal)?;
    let met = !fed.status.success();
    // A good end with a message missing would be a silent loss.
    ensure!(met || journal.next_number() == numbers.end, "a good end, and {} acknowledged", journal.len());
    check_error_named(&fed)?;
    journal.check_stored(&home, "c")?;
    // Sent again from the beginning: messages that were stored before the failure must be known, not doubled.
    IngestClient { home: &home, conversation: "c", numbers: numbers.clone(), killed_after: None }.run(&mut journal)?;
    ensure!(journal.next_number() == numbers.end, "{} acknowledged when the disk was well again", journal.len());
    journal.check_stored(&home, "c")?;
    Ok(u64::from(met))
}

/// A failure says what failed; it is never an unexpected one, such as a panic.
fn check_error_named(fed: &ClientOutcome) -> Result<()> {
    if fed.status.success() {
        return Ok(());
    }
    let is_named = fed.said.contains("error") && !fed.said.contains("unexpectedly");
    ensure!(is_named && fed.status.code().is_some(), "{} with `{}`", fed.status, fed.said);
    Ok(())
}
