//! Assertions of the end-to-end tests after an agent's scripted day: on the requests to the model, on the archive, and
//! on the home directory.

use anyhow::Result;
use serde_json::Value;

use super::agents::HostAgent;
use super::day::{PLANTED_FACTS, PlantingTime, PlayedDay};
use super::model::{ModelExchange, RequestPurpose};
use super::sandbox::HostSandbox;
use super::texts::{told_in, words_of};

mod archive;
mod home;
mod outputs;
mod requests;

/// One check and its outcome.
pub(super) struct HostCheck {
    pub(super) name: &'static str,
    pub(super) outcome: CheckOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    Held,
    Failed(String),
    /// The agent cannot do it; what is missing.
    NotThere(&'static str),
}

/// Counts of a day, for the record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DayCounts {
    pub(super) planted: usize,
    pub(super) restored: usize,
    pub(super) junk_facts: usize,
    pub(super) messages_missing: usize,
    pub(super) messages_doubled: usize,
}

/// A day, and where it was played.
pub(super) struct DayEvidence<'e> {
    pub(super) host: &'e HostAgent,
    pub(super) stage: &'e HostSandbox,
    pub(super) played: &'e PlayedDay,
}

/// Looks at everything. What cannot be looked at is a check that failed.
pub(super) fn run_checks(evidence: &DayEvidence) -> (Vec<HostCheck>, DayCounts) {
    let mut counts = DayCounts::default();
    let mut checks = requests::check_requests(evidence, &mut counts);
    checks.extend(outputs::check_outputs(evidence));
    checks.extend(archive::check_archive(evidence, &mut counts));
    // Disconnecting is the end of the day, so this comes last.
    checks.extend(home::check_home(evidence));
    (checks, counts)
}

/// A check from something that may say what is wrong.
fn build_check(name: &'static str, wrong: Result<Option<String>>) -> HostCheck {
    let outcome = match wrong {
        Ok(None) => CheckOutcome::Held,
        Ok(Some(wrong)) => CheckOutcome::Failed(wrong),
        // A check that could not be made counts as failed: silence must not look like success.
        Err(error) => CheckOutcome::Failed(format!("{error:#}")),
    };
    HostCheck { name, outcome }
}

/// The same, where the agent can do it at all.
fn check_where(
    is_there: bool,
    why: &'static str,
    name: &'static str,
    wrong: impl FnOnce() -> Result<Option<String>>,
) -> HostCheck {
    if is_there { build_check(name, wrong()) } else { HostCheck { name, outcome: CheckOutcome::NotThere(why) } }
}

impl DayEvidence<'_> {
    /// The requests of a turn, in order.
    fn turn_requests(&self, turn: &str) -> impl DoubleEndedIterator<Item = &ModelExchange> {
        self.played
            .exchanges
            .iter()
            .filter(move |exchange| matches!(&exchange.purpose, RequestPurpose::Turn(name) if name == turn))
    }

    /// The conversation up to the last request of a turn.
    fn last_words(&self, turn: &str) -> &str {
        self.turn_requests(turn).next_back().map(|exchange| exchange.spoken.as_str()).unwrap_or_default()
    }

    /// The text of our hooks, as the first request of a turn has it.
    fn told_texts(&self, turn: &str) -> Vec<String> {
        self.turn_requests(turn).next().map(|exchange| told_in(&words_of(&exchange.request))).unwrap_or_default()
    }

    /// The facts that the user stated before a compaction; without the open step if the agent has no list of steps.
    fn planted_before(&self, compaction: usize) -> Vec<&'static str> {
        let is_in_force = |planted: PlantingTime| compaction > 0 || planted == PlantingTime::InTheMorning;
        let planted = PLANTED_FACTS.iter().filter(|(words, planted)| is_in_force(*planted) && self.was_planted(words));
        planted.map(|(words, _)| *words).collect()
    }

    /// Whether it was laid down at all: an open step needs a tool for it.
    fn was_planted(&self, words: &str) -> bool {
        self.turn_requests("rules").any(|exchange| words_of(&exchange.request).contains(words))
            || self.played.turns.iter().any(|turn| turn.prompt.contains(words))
    }

    fn conversation_id(&self, number: usize) -> String {
        format!("{}:{}", self.host.name, self.played.sessions[number])
    }

    /// Every message of a conversation, oldest first.
    fn read_messages(&self, number: usize) -> Result<Vec<Value>> {
        let conversation = self.conversation_id(number);
        let mut reply = self.stage.read_json(&["history", "--conversation", &conversation, "--limit", "1000000"])?;
        Ok(std::mem::take(&mut reply["messages"]).as_array().cloned().unwrap_or_default())
    }
}
