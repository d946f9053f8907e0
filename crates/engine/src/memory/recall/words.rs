//! The tokenizer of recall: splits text into words as code search does, stems them as English prose, and classifies the
//! words of a question as stop words, requests or topic.

use model::terms::each_term;
use search::{StemRules, is_stop_word};

/// Hands every term of `text` to `emit`: as written (in lower case) and as it is kept.
pub(in crate::memory) fn each_word(text: &str, mut emit: impl FnMut(&str, &str)) {
    let mut room = String::new();
    each_term(text, |written| {
        StemRules::English.stem_word(written, &mut room);
        emit(written, &room);
    });
}

/// The purpose of a word in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::memory) enum WordPurpose {
    /// A stop word.
    Stop,
    /// A word that asks for a form of the answer. It may also be the topic (`order`, `type`), so it counts a little.
    Request,
    /// A word that names the topic.
    Content,
}

/// The purpose of a word, as written, in a question.
pub(in crate::memory) fn word_purpose(written: &str) -> WordPurpose {
    // By the written word, not by its stem, which would drop "others" as "other".
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
    GENERIC_SPEAKER_NAMES.iter().any(|label| speaker.eq_ignore_ascii_case(label))
}

const GENERIC_SPEAKER_NAMES: [&str; 9] =
    ["user", "assistant", "system", "tool", "human", "ai", "developer", "function", "model"];

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
