//! Words of recall: split as in code search, stemmed as prose, and classified by their purpose in a question.

use super::{irregular_words, porter};
use model::terms::each_term;

/// Hands every term of `text` to `emit`: as written (in lower case) and as it is kept.
pub(super) fn each_word(text: &str, mut emit: impl FnMut(&str, &str)) {
    let mut room = String::new();
    each_term(text, |written| {
        normalize_word(written, &mut room);
        emit(written, &room);
    });
}

/// Puts a word as it is kept into `kept`: the stem of its plain form.
pub(in crate::memory) fn normalize_word(written: &str, kept: &mut String) {
    // The irregular form first: a rule would make `bought` a stem of its own.
    porter::stem_into(irregular_words::base_form(written).unwrap_or(written), kept);
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
    if STOP.contains(&written) {
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

const STOP: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "between", "both", "but", "by", "can", "could", "did", "do", "does", "don", "done",
    "down", "during", "each", "few", "for", "from", "had", "has", "have", "having", "he", "her", "here", "hers", "him",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "might", "mine", "more", "most",
    "must", "my", "no", "nor", "not", "now", "of", "on", "once", "only", "or", "other", "our", "out", "over", "own",
    "s", "same", "shall", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "would",
    "you", "your", "yours",
];

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
