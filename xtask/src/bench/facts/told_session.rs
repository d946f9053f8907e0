//! Imports and folds sessions with the real binary for the fact benchmark, and reads back the facts of each, with the
//! words of its messages to find labels in.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::word_list::split_words;
use crate::bench::BenchSetup;
use crate::process::{self, command_in};

/// A session as the program read it.
pub(super) struct ToldSession {
    /// The words of each message.
    pub(super) messages: BTreeMap<u64, Vec<String>>,
    pub(super) facts: Vec<ToldFact>,
}

/// A fact that the program took.
pub(super) struct ToldFact {
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) words: Vec<String>,
    /// The message it came up in.
    pub(super) message: u64,
    /// Whether an agent is told it, or a summary says what ended it.
    pub(super) is_told: bool,
}

/// Imports a folder of sessions, folds them, and reads what is told of each, by the path it was read from.
pub(super) fn read_sessions(bench: &BenchSetup, folder: &Path) -> Result<HashMap<String, ToldSession>> {
    let folder = folder.display().to_string();
    let report = run_program(bench, &["import", &folder, "--json", "--quiet"])?;
    run_program(bench, &["compact", "--all", "--provider", "builtin", "--json", "--quiet"])?;
    let imported = report["conversations"].as_array().context("an import without conversations")?;
    imported
        .iter()
        .map(|conversation| {
            let field =
                |key: &str| conversation[key].as_str().with_context(|| format!("a conversation without `{key}`"));
            Ok((field("source")?.to_owned(), read_session(bench, field("id")?)?))
        })
        .collect()
}

/// What is told of one conversation.
pub(super) fn read_session(bench: &BenchSetup, conversation: &str) -> Result<ToldSession> {
    let history = ["history", "--conversation", conversation, "--limit", "1000000", "--json", "--quiet"];
    let history = run_program(bench, &history)?;
    let described = run_program(bench, &["describe", conversation, "--json", "--quiet"])?;
    let messages = history["messages"].as_array().into_iter().flatten();
    let messages = messages
        .map(|message| {
            let seq = message["seq"].as_u64().context("a message without `seq`")?;
            Ok((seq, split_words(message["content"].as_str().unwrap_or_default())))
        })
        .collect::<Result<_>>()?;
    let facts = described["facts"].as_array().into_iter().flatten();
    Ok(ToldSession { messages, facts: facts.map(ToldFact::from_json).collect::<Result<_>>()? })
}

impl ToldFact {
    fn from_json(fact: &Value) -> Result<Self> {
        let field = |key: &str| fact[key].as_str().with_context(|| format!("a fact without `{key}`"));
        let kind = field("kind")?;
        let state = field("state")?;
        let text = field("subject")?;
        // What ended a failure is told as the fix of it, which is another thing than that it stands.
        let is_fix = ["ended", "passing"].contains(&state) && fact["ended_by"].is_string();
        Ok(Self {
            kind: if is_fix { "fix" } else { kind }.to_owned(),
            text: text.to_owned(),
            words: split_words(text),
            message: fact["first_seq"].as_u64().context("a fact without `first_seq`")?,
            is_told: is_fix || fact["told"].as_bool().context("a fact without `told`")?,
        })
    }
}

/// Runs the program in the scratch directory, with data of its own.
pub(super) fn run_program(bench: &BenchSetup, arguments: &[&str]) -> Result<Value> {
    let mut program = command_in(&bench.scratch, &bench.binary, arguments);
    program.env("EPITOME_HOME", bench.scratch.join("home"));
    serde_json::from_str(&process::read_output(program)?).context("one JSON object")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_over_is_not_told_and_what_ended_it_is() {
        let fact = |state: &str, ended_by: Value| {
            let fact = json!({
                "kind": "failure", "state": state, "subject": "boom", "first_seq": 3, "ended_by": ended_by,
                "told": state == "standing",
            });
            let fact = ToldFact::from_json(&fact).expect("a fact");
            (fact.kind, fact.is_told)
        };
        assert_eq!(fact("standing", Value::Null), ("failure".to_owned(), true));
        assert_eq!(fact("ended", Value::Null), ("failure".to_owned(), false));
        assert_eq!(fact("ended", json!("a.rs")), ("fix".to_owned(), true));
    }
}
