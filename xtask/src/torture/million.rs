//! Torture scenario: a million messages in ten conversations. Each is acknowledged, `verify` proves all of them, and
//! questions are still answered.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::ingest_client::IngestClient;
use super::journal::ClientJournal;
use super::mcp_caller::McpCaller;
use super::numbered_messages;
use super::{ScenarioRound, TortureScenario};

pub(super) const MILLION_SCENARIO: TortureScenario = TortureScenario {
    name: "million",
    what: "messages stored, proved and found",
    rounds: 1,
    least: 1,
    prepare: None,
    run,
    beside: 1,
};

const MESSAGES: u64 = 1_000_000;
const CONVERSATIONS: u64 = 10;
/// Said once, among all the others.
const NEEDLE: &str = "The zanzibar wharf keeps its quixotic tide tables in crate seventeen.";

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let messages = if round.place.is_short { MESSAGES / 10 } else { MESSAGES };
    let each = messages / CONVERSATIONS;
    let home = round.new_home("home");
    let started = Instant::now();
    for conversation in 0..CONVERSATIONS {
        let name = format!("c{conversation}");
        let mut journal = ClientJournal::open(&round.folder.join(&name))?;
        let numbers = 1..each + 1;
        let fed = IngestClient { home: &home, conversation: &name, numbers, killed_after: None }.run(&mut journal)?;
        ensure!(
            fed.status.success() && journal.len() == each,
            "{} of {each} acknowledged: {}",
            journal.len(),
            fed.said
        );
        // One conversation is compared word by word; the chains of all are proved below.
        if conversation == 0 {
            journal.check_stored(&home, &name)?;
        }
    }
    let stored = started.elapsed();
    let mut caller = McpCaller::start(&home, &round.folder)?;
    let needle = json!({ "conversation": "c5", "messages": [{ "role": "user", "content": NEEDLE }] });
    let answer = caller.call("ingest", &needle)?;
    ensure!(answer["result"]["isError"] != true, "{answer}");
    let asked = Instant::now();
    let answer = caller.call("recall", &json!({ "query": "zanzibar wharf tide tables", "within": "all" }))?.to_string();
    ensure!(answer.contains("crate seventeen"), "recall does not find the one message: {answer:.2000}");
    let recalled = asked.elapsed();
    drop(caller);
    for conversation in [1, CONVERSATIONS - 1] {
        let name = format!("c{conversation}");
        let last = home.read_json(&["history", "--conversation", &name, "--limit", "3"])?;
        let last =
            last["messages"].as_array().and_then(|messages| messages.last()).context("history has no messages")?;
        ensure!(last["content"] == numbered_messages::message_text(each), "the last of {name} is {last}");
    }
    let asked = Instant::now();
    let proof = home.read_json(&["verify"])?;
    let proved = asked.elapsed();
    ensure!(proof["messages"] == messages + 1, "verify proves {} of {}", proof["messages"], messages + 1);
    println!("million: {messages} stored in {stored:.0?}, first recall {recalled:.1?}, verify {proved:.1?}");
    Ok(messages)
}
