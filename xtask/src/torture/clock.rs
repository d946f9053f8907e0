//! A clock that goes backwards: order, leases and jobs do not depend on it.

use anyhow::{Result, ensure};

use super::feed::Feed;
use super::fold::MESSAGES;
use super::journal::Journal;
use super::shim::Shim;
use super::{Round, Scenario};

pub(super) const BACKWARDS: Scenario =
    Scenario { name: "clock", what: "clocks that went backwards", rounds: 20, least: 2, prepare: None, run, beside: 2 };

fn run(round: &mut Round<'_>) -> Result<u64> {
    let home = round.home("home");
    let mut journal = Journal::open(&round.folder.join("journal"))?;
    for _ in 0..3 {
        let off = round.chance.below(10_000_000) as i64 - 9_000_000;
        let back = 1 + round.chance.below(100_000);
        let misled = Shim::new(round.place).clock(off).backwards(back).around(&home);
        let next = journal.next();
        let numbers = next..next + MESSAGES / 2;
        Feed { home: &misled, conversation: "c", numbers: numbers.clone(), killed_after: None }.run(&mut journal)?;
        ensure!(journal.next() == numbers.end, "{} acknowledged", journal.len());
        misled.read(&["compact", "c"])?;
        journal.check(&home, "c")?;
    }
    Ok(3)
}
