//! Torture scenario: the system clock goes backwards; the order of messages, leases and jobs must not depend on it.

use anyhow::{Result, ensure};

use super::fold::MESSAGES;
use super::ingest_client::IngestClient;
use super::journal::ClientJournal;
use super::shim::FaultShim;
use super::{ScenarioRound, TortureScenario};

pub(super) const CLOCK_SCENARIO: TortureScenario = TortureScenario {
    name: "clock",
    what: "clocks that went backwards",
    rounds: 20,
    least: 2,
    prepare: None,
    run,
    beside: 2,
};

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let home = round.new_home("home");
    let mut journal = ClientJournal::open(&round.folder.join("journal"))?;
    for _ in 0..3 {
        // Mostly backwards, up to months: a battery that failed, or a machine that was restored.
        let off = round.chance.number_below(10_000_000) as i64 - 9_000_000;
        let back = 1 + round.chance.number_below(100_000);
        let misled = FaultShim::new(round.place).with_clock_offset(off).with_backward_clock(back).wrap_home(&home);
        let next = journal.next_number();
        let numbers = next..next + MESSAGES / 2;
        IngestClient { home: &misled, conversation: "c", numbers: numbers.clone(), killed_after: None }
            .run(&mut journal)?;
        ensure!(journal.next_number() == numbers.end, "{} acknowledged", journal.len());
        misled.read_output(&["compact", "c"])?;
        journal.check_stored(&home, "c")?;
    }
    Ok(3)
}
