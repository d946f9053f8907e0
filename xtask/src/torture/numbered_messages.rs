//! Generates test messages for torture scenarios whose every word follows from a number, so that what comes back can be
//! checked without having kept it.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::seeded_random::SeededRandom;

const WORDS: [&str; 24] = [
    "cache",
    "must",
    "never",
    "lose",
    "a",
    "record",
    "src/store.rs",
    "failed",
    "with",
    "exit",
    "code",
    "error[E0382]",
    "then",
    "cargo",
    "test",
    "passed",
    "again",
    "because",
    "the",
    "lock",
    "was",
    "held",
    "twice",
    "überall",
];

/// The text of a message.
pub(super) fn message_text(number: u64) -> String {
    let mut chance = SeededRandom::new(number).fork_named("text");
    // Every seventeenth is long, so that compression and page overflow are met, too.
    let words = 8 + chance.number_below(if number.is_multiple_of(17) { 400 } else { 60 });
    let mut text = format!("message {number}:");
    for _ in 0..words {
        text.push(' ');
        let word: &str = chance.pick_one::<&str>(&WORDS);
        text.push_str(word);
    }
    text
}

/// The line that `ingest` takes.
pub(super) fn message_line(number: u64) -> Value {
    let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
    json!({ "id": format!("m{number}"), "role": role, "content": message_text(number) })
}

/// The number of a message that came back.
pub(super) fn message_number(content: &str) -> Result<u64> {
    let digits = content.strip_prefix("message ").and_then(|rest| rest.split(':').next());
    digits.and_then(|digits| digits.parse().ok()).with_context(|| format!("not a message of ours: {content:.80}"))
}
