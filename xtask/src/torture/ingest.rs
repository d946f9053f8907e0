//! Torture scenario: `epitome ingest` is killed at random times while messages come in; no acknowledged message may be
//! lost.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::ingest_client::IngestClient;
use super::journal::ClientJournal;
use super::{ScenarioRound, TortureScenario};

pub(super) const INGEST_KILL_SCENARIO: TortureScenario = TortureScenario {
    name: "ingest",
    what: "kills during ingest",
    rounds: 100,
    least: 10,
    prepare: None,
    run,
    beside: 2,
};

/// Kills of one home.
const KILLS: u64 = 5;
/// The latest moment of a kill: long enough to have stored much, short enough to meet every part of a start.
const MAX_KILL_DELAY_MS: u64 = 400;
/// A start after a kill takes no longer. On a machine of its own it takes a tenth of that; this is for one that does
/// other things as well.
pub(super) const RESTART_TIMEOUT: Duration = Duration::from_secs(20);

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let home = round.new_home("home");
    let mut journal = ClientJournal::open(&round.folder.join("journal"))?;
    for _ in 0..KILLS {
        let next = journal.next_number();
        let killed_after = Some(Duration::from_millis(round.chance.number_below(MAX_KILL_DELAY_MS)));
        let numbers = next..next + 20_000;
        let fed = IngestClient { home: &home, conversation: "c", numbers, killed_after }.run(&mut journal)?;
        // A start after a kill has to recover the log, and must not take minutes for it.
        ensure!(
            fed.first.is_none_or(|first| first < RESTART_TIMEOUT),
            "the first acknowledgement took {:?}",
            fed.first
        );
        journal.check_stored(&home, "c")?;
    }
    // All is well afterwards: messages that were sent before are known, and new ones are stored.
    let next = journal.next_number();
    let numbers = next..next + 50;
    let fed = IngestClient { home: &home, conversation: "c", numbers, killed_after: None }.run(&mut journal)?;
    ensure!(fed.status.success() && journal.len() >= 50, "{}: {}", fed.status, fed.said);
    journal.check_stored(&home, "c")?;
    Ok(KILLS)
}
