//! Part of the fact benchmark on synthetic conversations: sentences of a known kind are planted among talk about other
//! things, and the share that is extracted as that kind is measured.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::fact_scores::{fact_family, share};
use super::label_set::read_table;
use super::told_session::{ToldSession, read_session};
use super::word_list::{contained_share, split_words};
use crate::bench::BenchSetup;
use crate::process::{self, command_in};

/// What the speakers talk about otherwise; nothing in it binds or decides.
const NEUTRAL_EXCHANGES: [(&str, &str); 6] = [
    (
        "How long does the import take at the moment?",
        "About forty seconds for the large file, most of it in the parser.",
    ),
    ("Which of the two services answers first?", "The order service, as the trace shows."),
    ("What does the worker do when the queue is empty?", "It sleeps for a second and looks again."),
    ("Where is the table of currencies read?", "In billing/rates.rs, once at the start."),
    ("How many rows has the audit table by now?", "Roughly nine million, according to the statistics."),
    ("Who calls the old endpoint nowadays?", "Two clients did so last week, says the access log."),
];

/// A planted sentence has at least so many of its words in the fact that tells it.
const SAME_SENTENCE: f64 = 0.8;

/// The share of planted sentences that are told as what they are, by type and role.
pub(super) fn measure_planted(bench: &BenchSetup, table: &Path) -> Result<Value> {
    let planted = read_table(table, 3)?;
    let lines = bench.scratch.join("planted.jsonl");
    fs_err::write(&lines, render_conversation(&planted))?;
    let mut ingest = command_in(&bench.scratch, &bench.binary, &["ingest", "--conversation", "planted"]);
    ingest.env("EPITOME_HOME", bench.scratch.join("home")).stdin(File::open(&lines)?);
    process::read_output(ingest)?;
    Ok(score_planted(&planted, &read_session(bench, "planted")?))
}

/// A conversation in which each sentence is said by its role, after a sentence about something else.
fn render_conversation(planted: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (row, (question, answer)) in planted.iter().zip(NEUTRAL_EXCHANGES.iter().cycle()) {
        let mut asked = (*question).to_owned();
        let mut answered = (*answer).to_owned();
        let said = if row[0] == "user" { &mut asked } else { &mut answered };
        *said += &format!(" {}", row[2]);
        for (role, content) in [("user", asked), ("assistant", answered)] {
            text += &format!("{}\n", json!({ "role": role, "content": content }));
        }
    }
    text
}

fn score_planted(planted: &[Vec<String>], told: &ToldSession) -> Value {
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for row in planted {
        let words = split_words(&row[2]);
        let is_told = told
            .facts
            .iter()
            .any(|fact| fact_family(&fact.kind) == row[1] && contained_share(&words, &fact.words) >= SAME_SENTENCE);
        let [wanted, found] = counts.entry(format!("{} of the {}", row[1], row[0])).or_default();
        (*wanted, *found) = (*wanted + 1, *found + usize::from(is_told));
    }
    let shares = counts.into_iter().map(|(name, [wanted, found])| (name, share(found, wanted)));
    Value::Object(shares.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::facts::told_session::ToldFact;

    #[test]
    fn a_sentence_counts_only_as_what_it_is() {
        let row = |role: &str, is: &str, text: &str| vec![role.to_owned(), is.to_owned(), text.to_owned()];
        let planted = [row("user", "rule", "Never push to main."), row("assistant", "decision", "We settled on tabs.")];
        let talk = render_conversation(&planted);
        assert_eq!(talk.lines().count(), 4);
        assert!(talk.lines().nth(3).is_some_and(|line| line.contains("We settled on tabs.")));
        let fact = |kind: &str, text: &str| ToldFact {
            kind: kind.to_owned(),
            text: text.to_owned(),
            words: split_words(text),
            message: 1,
            is_told: true,
        };
        let told = |facts| ToldSession { messages: BTreeMap::new(), facts };
        let none = told(vec![fact("decision", "never push to main"), fact("constraint", "We settled on tabs.")]);
        assert_eq!(
            score_planted(&planted, &none),
            json!({ "decision of the assistant": 0.0, "rule of the user": 0.0 })
        );
        let both = told(vec![fact("constraint", "never push to main"), fact("decision", "We settled on tabs.")]);
        assert_eq!(
            score_planted(&planted, &both),
            json!({ "decision of the assistant": 1.0, "rule of the user": 1.0 })
        );
    }
}
