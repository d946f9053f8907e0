//! What must hold after a day: for what the model received, for the archive, and for the home.

use anyhow::Result;
use serde_json::Value;

use super::day::{PLANTED, Planted, Played};
use super::known::Host;
use super::model::{Exchange, Purpose};
use super::stage::Stage;
use super::texts::{told_in, words_of};

mod archive;
mod home;
mod outputs;
mod requests;

/// One thing that was looked at.
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Held,
    Failed(String),
    /// The agent cannot do it; what is missing.
    NotThere(&'static str),
}

/// Counts of a day, for the record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) planted: usize,
    pub(super) restored: usize,
    pub(super) junk_facts: usize,
    pub(super) messages_missing: usize,
    pub(super) messages_doubled: usize,
}

/// A day, and where it was played.
pub(super) struct Evidence<'e> {
    pub(super) host: &'e Host,
    pub(super) stage: &'e Stage,
    pub(super) played: &'e Played,
}

/// Looks at everything. What cannot be looked at is a check that failed.
pub(super) fn look(evidence: &Evidence) -> (Vec<Check>, Counts) {
    let mut counts = Counts::default();
    let mut checks = requests::look(evidence, &mut counts);
    checks.extend(outputs::look(evidence));
    checks.extend(archive::look(evidence, &mut counts));
    // Disconnecting is the end of the day, so this comes last.
    checks.extend(home::look(evidence));
    (checks, counts)
}

/// A check from something that may say what is wrong.
fn check(name: &'static str, wrong: Result<Option<String>>) -> Check {
    let outcome = match wrong {
        Ok(None) => Outcome::Held,
        Ok(Some(wrong)) => Outcome::Failed(wrong),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    };
    Check { name, outcome }
}

/// The same, where the agent can do it at all.
fn check_where(
    is_there: bool,
    why: &'static str,
    name: &'static str,
    wrong: impl FnOnce() -> Result<Option<String>>,
) -> Check {
    if is_there { check(name, wrong()) } else { Check { name, outcome: Outcome::NotThere(why) } }
}

impl Evidence<'_> {
    /// The requests of a turn, in order.
    fn requests(&self, turn: &str) -> impl DoubleEndedIterator<Item = &Exchange> {
        self.played
            .exchanges
            .iter()
            .filter(move |exchange| matches!(&exchange.purpose, Purpose::Turn(name) if name == turn))
    }

    /// The conversation up to the last request of a turn.
    fn last_words(&self, turn: &str) -> &str {
        self.requests(turn).next_back().map(|exchange| exchange.spoken.as_str()).unwrap_or_default()
    }

    /// What the hooks told, as the first request of a turn has it.
    fn told(&self, turn: &str) -> Vec<String> {
        self.requests(turn).next().map(|exchange| told_in(&words_of(&exchange.request))).unwrap_or_default()
    }

    /// What the user had laid down before a compaction; without the open step where the agent has no list of them.
    fn planted_before(&self, compaction: usize) -> Vec<&'static str> {
        let is_in_force = |planted: Planted| compaction > 0 || planted == Planted::InTheMorning;
        let planted = PLANTED.iter().filter(|(words, planted)| is_in_force(*planted) && self.was_planted(words));
        planted.map(|(words, _)| *words).collect()
    }

    /// Whether it was laid down at all: an open step needs a tool for it.
    fn was_planted(&self, words: &str) -> bool {
        self.requests("rules").any(|exchange| words_of(&exchange.request).contains(words))
            || self.played.turns.iter().any(|turn| turn.prompt.contains(words))
    }

    fn conversation(&self, number: usize) -> String {
        format!("{}:{}", self.host.name, self.played.sessions[number])
    }

    /// Every message of a conversation, oldest first.
    fn messages(&self, number: usize) -> Result<Vec<Value>> {
        let conversation = self.conversation(number);
        let mut reply = self.stage.json(&["history", "--conversation", &conversation, "--limit", "1000000"])?;
        Ok(std::mem::take(&mut reply["messages"]).as_array().cloned().unwrap_or_default())
    }
}
