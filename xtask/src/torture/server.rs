//! Torture scenario: PostgreSQL is stopped without a clean shutdown (crash) in the middle of a fold.

use anyhow::{Context as _, Result, ensure};

use super::fold::{self, MESSAGES, POINTS};
use super::ingest_client::IngestClient;
use super::journal::ClientJournal;
use super::{ScenarioRound, TortureScenario};
use crate::crash_cluster::CrashCluster;

pub(super) const SERVER_STOP_SCENARIO: TortureScenario = TortureScenario {
    name: "server",
    what: "stops of PostgreSQL during compaction",
    rounds: 20,
    least: 2,
    prepare: None,
    run,
    beside: 1,
};

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let cluster = CrashCluster::start(&format!("torture-{}", round.number))?;
    let plain = round.new_home("home");
    fs_err::create_dir_all(&plain.folder)?;
    let ready = plain.read_json(&["database", "init", &cluster.url()])?;
    let home = plain.with_variable("EPITOME_DATABASE_URL", ready["url"].as_str().context("a URL")?);
    let mut journal = ClientJournal::open(&round.folder.join("journal"))?;
    IngestClient { home: &home, conversation: "c", numbers: 1..MESSAGES + 1, killed_after: None }.run(&mut journal)?;
    ensure!(journal.len() == MESSAGES, "{} acknowledged", journal.len());
    // A short run begins with the folds themselves.
    let (point, most) = POINTS[(round.number + 1) % POINTS.len()];
    let held = round.folder.join("held");
    let times = 1 + round.chance.number_below(most.min(4));
    let mut folding =
        fold::hold_at_point(&home, point, times, &held)?.with_context(|| format!("nothing came to `{point}`"))?;
    cluster.stop_server()?;
    cluster.start_server()?;
    // It may see the server again and go on, or say that it cannot.
    fs_err::remove_file(&held)?;
    folding.wait()?;
    journal.check_stored(&home, "c")?;
    fold::check_recovery(&home, round.place)?;
    let base = round.place.base_folder("fold");
    if base.exists() {
        ensure!(
            home.assemble_context("c")? == fs_err::read_to_string(base.join("assembled"))?,
            "folded in another way"
        );
    }
    journal.check_stored(&home, "c")?;
    Ok(1)
}
