//! Disks that are full, fail now and then, or may not be written.

use anyhow::{Result, ensure};

use super::feed::{Fed, Feed};
use super::fold::MESSAGES;
use super::journal::Journal;
use super::shim::{Failing, Shim};
use super::{Round, Scenario, copy};

pub(super) const FULL: Scenario =
    Scenario { name: "full", what: "disks that ran full", rounds: 100, least: 5, prepare: None, run: full, beside: 2 };

pub(super) const FAILING: Scenario = Scenario {
    name: "failing",
    what: "writes and syncs that failed",
    rounds: 100,
    least: 5,
    prepare: None,
    run: failing,
    beside: 2,
};

pub(super) const READ_ONLY: Scenario = Scenario {
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

fn full(round: &mut Round<'_>) -> Result<u64> {
    let at = 1 + round.chance.below(WRITES);
    meet(round, |shim| shim.fails("write", at, Failing::On, ENOSPC))
}

fn failing(round: &mut Round<'_>) -> Result<u64> {
    let act = *round.chance.pick(&["write", "write", "sync"]);
    let at = 1 + round.chance.below(if act == "sync" { 5 } else { WRITES });
    meet(round, |shim| shim.fails(act, at, Failing::Once, EIO))
}

fn read_only(round: &mut Round<'_>) -> Result<u64> {
    meet(round, Shim::read_only)
}

/// Messages meet a disk that fails: whatever is acknowledged is stored, the failure has a name, and when the disk is
/// well again so is everything else.
fn meet(round: &mut Round<'_>, trouble: impl FnOnce(Shim) -> Shim) -> Result<u64> {
    let home = round.home("home");
    let mut journal = Journal::open(&round.folder.join("journal"))?;
    let before = round.chance.below(30);
    if before > 0 {
        Feed { home: &home, conversation: "c", numbers: 1..before, killed_after: None }.run(&mut journal)?;
        copy(&home.folder, &round.folder.join("before"))?;
    }
    let troubled = trouble(Shim::new(round.place)).around(&home);
    let next = journal.next();
    let numbers = next..next + MESSAGES;
    let fed = Feed { home: &troubled, conversation: "c", numbers: numbers.clone(), killed_after: None };
    let fed = fed.run(&mut journal)?;
    let met = !fed.status.success();
    ensure!(met || journal.next() == numbers.end, "a good end, and {} acknowledged", journal.len());
    named(&fed)?;
    journal.check(&home, "c")?;
    Feed { home: &home, conversation: "c", numbers: numbers.clone(), killed_after: None }.run(&mut journal)?;
    ensure!(journal.next() == numbers.end, "{} acknowledged when the disk was well again", journal.len());
    journal.check(&home, "c")?;
    Ok(u64::from(met))
}

/// A failure says what failed; it is never one nobody thought of.
fn named(fed: &Fed) -> Result<()> {
    if fed.status.success() {
        return Ok(());
    }
    let is_named = fed.said.contains("error") && !fed.said.contains("unexpectedly");
    ensure!(is_named && fed.status.code().is_some(), "{} with `{}`", fed.status, fed.said);
    Ok(())
}
