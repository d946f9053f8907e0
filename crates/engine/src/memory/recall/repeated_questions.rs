//! Filters out recalled messages that are no answer: those that only repeat the question or only announce something.
//!
//! For a user who asks again, the earlier question matches best. That message still counts for its neighbours, which
//! may answer it, but is left out. A question that also states something ("… for the fryer I bought last week?") stays.

use super::words::{WordPurpose, each_word, word_purpose};
use crate::memory::fact::{announces_step, split_sentences};
use model::{Message, MessagePart, MessageRole, remove_injected};
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The terms of the current question, for comparison with earlier ones.
pub(super) struct AskedQuestion {
    terms: HashSet<String>,
}

/// A question with more new words than this share states something: one in two.
const OWN_SHARE: usize = 2;

impl AskedQuestion {
    pub(super) fn new(query: &str) -> Self {
        Self { terms: content_terms(query) }
    }

    /// Whether a message cannot answer it.
    pub(super) fn is_unanswered_by(&self, message: &Message) -> bool {
        match message.body.role {
            // What a program wrote in the user's place is no question of theirs.
            MessageRole::User => message.body.is_by_person() && self.is_repeated_by(&message.body.content()),
            MessageRole::Assistant => only_announces(message),
            MessageRole::System | MessageRole::Tool => false,
        }
    }

    fn is_repeated_by(&self, content: &str) -> bool {
        // Hooks put recalled text before a prompt; with it the prompt would never look like a bare question.
        let text = remove_injected(content);
        let sentences = split_sentences(&text);
        if sentences.is_empty() || !sentences.iter().all(|sentence| is_question(sentence)) {
            return false;
        }
        let terms = content_terms(&text);
        // Half of its words may be new: "and how was it for staging" adds little, "the fryer I bought last week" tells
        // something.
        let own = terms.difference(&self.terms).count();
        own * OWN_SHARE < terms.len() || terms.is_empty()
    }
}

/// Whether a message of a person asks and states nothing: it is what the answer was to, and no answer itself. Only the mark
/// counts here, so that "Should be Redis." stays, and so does what asks for work or tells something by the way.
pub(super) fn only_asks(message: &Message) -> bool {
    let content = message.body.content();
    let sentences = split_sentences(&remove_injected(&content));
    let asks = |sentence: &String| {
        let is_marked = sentence.trim_end_matches([')', '"', '\'', '*', '_', ' ']).ends_with(['?', '？']);
        is_marked && !PROPOSES.is_match(sentence) && !tells_by_the_way(sentence)
    };
    message.body.is_by_person() && !sentences.is_empty() && sentences.iter().all(asks)
}

/// A request or a suggestion in the form of a question, and one that seeks assent to what it says.
static PROPOSES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:can|could|would|will|won['’]t|can['’]t)\syou\b | \b(?:how|what)\sabout\b | \bwhy\s(?:not|don['’]?t\s(?:we|you|i))\b
            | \bplease\b | \bshouldn['’]?t\s(?:we|it|this|that|the)\b
            | [,;–—-]\s*(?:right|ok(?:ay)?|yes|no|or(?:\snot)?|correct|agreed|is(?:n['’]t)?\sit|do(?:n['’]t)?\s(?:we|you))\s*[?？]",
    )
    .expect("the pattern is ours")
});

/// Whether a question has a statement of the person in it: "any recipes for the fryer that I bought?" has one, "which
/// fryer did I buy?" has none.
fn tells_by_the_way(sentence: &str) -> bool {
    static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:^|(\w+(?:['’]t)?)[\s,]+)(?:i|we)(?:['’](?:m|ve|d|ll|re))?\s+[a-z]")
            .expect("the pattern is ours")
    });
    SUBJECT.captures_iter(sentence).any(|found| {
        let before = found.get(1).map(|word| word.as_str().to_lowercase()).unwrap_or_default();
        let before = before.replace('’', "'");
        // Behind an auxiliary verb it is the subject of the question.
        !AUXILIARY_VERBS.contains(&before.strip_suffix("n't").unwrap_or(&before))
    })
}

const AUXILIARY_VERBS: &[&str] = &[
    "am", "are", "ca", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "might", "must",
    "shall", "should", "was", "were", "will", "wo", "would",
];

fn only_announces(message: &Message) -> bool {
    let announces = |part: &MessagePart| {
        if let MessagePart::Text { text } = part {
            split_sentences(text).iter().all(|sentence| announces_step(sentence))
        } else {
            part.searchable_texts().is_empty()
        }
    };
    let has_text = message.body.parts.iter().any(|part| matches!(part, MessagePart::Text { .. }));
    has_text && message.body.parts.iter().all(announces)
}

/// Words that say what the text is about; those that only point at earlier talk are no content.
fn content_terms(text: &str) -> HashSet<String> {
    let mut terms = HashSet::new();
    each_word(text, |written, term| {
        if word_purpose(written) == WordPurpose::Content && !BACK_REFERENCE_WORDS.contains(&written) {
            terms.insert(term.to_owned());
        }
    });
    terms
}

const BACK_REFERENCE_WORDS: &[&str] =
    &["ago", "earlier", "last", "previous", "previously", "remember", "remind", "said", "session", "time"];

/// Whether a sentence asks: by its mark, or by how it begins.
fn is_question(sentence: &str) -> bool {
    let sentence = sentence.trim_end_matches([')', '"', '\'', '*', '_', ' ']);
    let first = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    sentence.ends_with(['?', '？']) || QUESTION_WORDS.contains(&&*first.to_lowercase())
}

const QUESTION_WORDS: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "explain", "how", "is", "remind", "should", "show", "tell", "was",
    "were", "what", "when", "where", "which", "who", "why",
];

#[cfg(test)]
mod tests {
    use super::super::segment_builder::tests::message;
    use super::*;

    fn check(query: &str, said: &str, is_echo: bool) {
        let message = message("c", 1, said);
        assert_eq!(AskedQuestion::new(query).is_unanswered_by(&message), is_echo, "{query} / {said}");
    }

    #[test]
    fn a_question_is_not_its_own_answer() {
        check("how are discounts rounded", "How are discounts rounded?", true);
        check("How are the discounts rounded?", "Remind me how discounts are rounded.", true);
        check("how are discounts rounded", "In the earlier conversation: how were discounts rounded?", true);
        check("how are discounts rounded", "We decided that discounts are rounded down.", false);
        check("how are discounts rounded", "Discounts are rounded down. How is the tax rounded?", false);
        check("which appliance did I buy", "Any recipes for the air fryer I bought at the market on Sunday?", false);
        check("whole cents", "whole cents", false);
    }

    #[test]
    fn a_message_of_questions_alone_only_asks() {
        for (said, asks) in [
            ("Which cache should we use? Redis?", true),
            ("Where didn't we close the handle?", true),
            ("Why does the proxy listen on port 80?", true),
            ("Should be Redis.", false),
            ("Can you add a limit of ten requests?", false),
            ("How about ten requests a minute?", false),
            ("The limit is ten, right?", false),
            ("Any recipes for the fryer I bought on Sunday?", false),
            ("Which cache? We'll use Redis.", false),
            ("", false),
        ] {
            let mut message = message("c", 1, said);
            assert_eq!(only_asks(&message), asks, "{said}");
            message.body.role = MessageRole::Assistant;
            assert!(!only_asks(&message), "{said}");
        }
    }

    #[test]
    fn an_announcement_is_no_answer() {
        let mut said = message("c", 1, "Let me look at how discounts are rounded.");
        said.body.role = MessageRole::Assistant;
        assert!(AskedQuestion::new("how are discounts rounded").is_unanswered_by(&said));
        said.body.parts.push(MessagePart::StepStart);
        assert!(AskedQuestion::new("how are discounts rounded").is_unanswered_by(&said));
        said.body.parts.push(MessagePart::Text { text: "They are rounded down.".to_owned() });
        assert!(!AskedQuestion::new("how are discounts rounded").is_unanswered_by(&said));
    }
}
