//! Words as recall knows them: cut as everywhere, stemmed as prose, and told apart by what they do in a question.

use model::terms::each_term;
use search::{StemRules, is_stop_word};

/// Hands every term of `text` to `emit`: as written (in lower case) and as it is kept.
pub(super) fn each_word(text: &str, mut emit: impl FnMut(&str, &str)) {
    let mut room = String::new();
    each_term(text, |written| {
        StemRules::English.stem_word(written, &mut room);
        emit(written, &room);
    });
}

/// What a word does in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordPurpose {
    /// It holds the sentence together.
    Stop,
    /// It says what to do with what is found. It may also be what is meant (`order`, `type`), so it counts a little.
    Request,
    /// It says what to find.
    Content,
}

/// What a word, as written, does in a question.
pub(super) fn word_purpose(written: &str) -> WordPurpose {
    if is_stop_word(StemRules::English, written) {
        WordPurpose::Stop
    } else if REQUEST.contains(&written) {
        WordPurpose::Request
    } else {
        WordPurpose::Content
    }
}

/// Whether a speaker's label is a role, not the name of a person.
pub(super) fn is_generic(speaker: &str) -> bool {
    GENERIC.iter().any(|label| speaker.eq_ignore_ascii_case(label))
}

const GENERIC: [&str; 9] = ["user", "assistant", "system", "tool", "human", "ai", "developer", "function", "model"];

const REQUEST: &[&str] = &[
    "tell",
    "give",
    "list",
    "mention",
    "mentioned",
    "mentions",
    "describe",
    "summarize",
    "summary",
    "walk",
    "kind",
    "type",
    "many",
    "much",
    "ever",
    "throughout",
    "conversations",
    "conversation",
    "discussions",
    "order",
    "sequence",
    "items",
    "item",
    "clear",
    "comprehensive",
    "please",
    "let",
    "know",
];
