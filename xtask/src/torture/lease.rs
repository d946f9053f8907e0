//! Torture scenario: a process is killed while it folds, by a clock that was a century off; the next process, by the
//! right clock or another wrong one, is not kept waiting.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::fold::{self, POINTS};
use super::shim::FaultShim;
use super::{ScenarioRound, TortureScenario, copy_folder};

pub(super) const LEASE_SCENARIO: TortureScenario = TortureScenario {
    name: "lease",
    what: "holders of a lease killed under a wrong clock",
    rounds: 60,
    least: 4,
    prepare: Some(fold::prepare),
    run,
    beside: 2,
};

const CENTURY_SECONDS: i64 = 100 * 365 * 24 * 60 * 60;

/// A lease that had to run out would take longer.
const MAX_WAIT: Duration = Duration::from_secs(10);

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let base = round.place.base_folder("fold");
    let home = round.new_home("home");
    copy_folder(&base.join("home"), &home.folder)?;
    let offsets = [CENTURY_SECONDS, -CENTURY_SECONDS / 2, 0];
    let at = |seconds: i64| FaultShim::new(round.place).with_clock_offset(seconds).wrap_home(&home);
    let [holder, other] = [round.number % 3, (round.number / 3) % 3].map(|which| at(offsets[which]));
    let (point, _) = POINTS[round.number % POINTS.len()];
    let held = round.folder.join("held");
    let mut folding =
        fold::hold_at_point(&holder, point, 1, &held)?.with_context(|| format!("nothing came to `{point}`"))?;
    // While it lives no other process folds, whatever the clocks say; where it has let go already, there is nothing to
    // do.
    let meanwhile = other.run(&["compact", "c"])?;
    ensure!(matches!(meanwhile.status.code(), Some(0 | 75)), "{meanwhile:?}");
    folding.kill()?;
    folding.wait()?;
    let started = Instant::now();
    other.read_output(&["compact", "c"])?;
    ensure!(started.elapsed() < MAX_WAIT, "a dead holder kept its successor waiting for {:?}", started.elapsed());
    home.run_verify()?;
    ensure!(home.assemble_context("c")? == fs_err::read_to_string(base.join("assembled"))?, "folded in another way");
    Ok(1)
}
