//! Tells by its wording what form of answer a question wants: something that was decided, the course of a thread, or
//! where the work stands.

use super::words::{WordPurpose, each_word, word_purpose};
use model::Message;
use regex::Regex;
use std::sync::LazyLock;

/// What a question wants beside the messages that fit it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecallIntent {
    /// It asks for a decision: statements of what was decided count more.
    pub(super) wants_decision: bool,
    /// It asks what was asked: messages that only ask may answer it.
    pub(super) wants_question: bool,
    pub(super) thread: Option<ThreadForm>,
    /// It asks for the newest state and names nothing that it is about: "I'm back, what is next?".
    pub(super) is_bare: bool,
}

/// Which course of a conversation a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadForm {
    /// What was said about something, in order: a list, an order, a summary.
    Course,
    /// What came last, and what is next.
    NewestState,
}

static DECISION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"decid\w+|decisions?|agreed?|agreement|chose|chosen|choose|choice|settled?|picked|opted|why d(?:id|o) we")
});

static QUESTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"ask(?:ed|s|ing)?|questions?|wonder(?:ed|ing)?|enquir\w+|inquir\w+"));

static COURSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"summar(?:y|ies|i[sz]e[ds]?)|recap|overview of|timeline|chronolog\w+|in (?:what|which) order|(?:the )?order in which|in order|walk me through|step by step what|how (?:has|have|did) .{3,60} (?:progress(?:ed)?|evolved?|develop(?:ed)?)|list (?:all|everything|every)|everything (?:we|i|you) (?:said|did|discussed)",
    )
});

static NEWEST_STATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"what(?:['’]s| is| was)? (?:is )?next|where (?:were|are) we(?: at| now)?\W*$|where did (?:we|i) (?:leave|stop)|left off|(?:i['’]m|i am) back|pick up where|continue where|what (?:is|was|were) (?:i|we) (?:doing|working on)|what remains|what is (?:still )?(?:open|left)|what['’]s left",
    )
});

fn pattern(words: &str) -> Regex {
    Regex::new(&format!(r"(?i)\b(?:{words})(?:\b|$)")).expect("the pattern is a constant")
}

/// Whether a text has a word that says what it is about.
fn has_content(text: &str) -> bool {
    let mut has_any = false;
    each_word(text, |written, _| {
        has_any |= word_purpose(written) == WordPurpose::Content && !GREETING_WORDS.contains(&written);
    });
    has_any
}

const GREETING_WORDS: &[&str] =
    &["hello", "hey", "hi", "morning", "now", "ok", "okay", "please", "so", "thanks", "today"];

impl RecallIntent {
    pub(super) fn from_question(text: &str) -> Self {
        let thread = if NEWEST_STATE.is_match(text) {
            Some(ThreadForm::NewestState)
        } else {
            COURSE.is_match(text).then_some(ThreadForm::Course)
        };
        let is_bare = thread == Some(ThreadForm::NewestState) && !has_content(&NEWEST_STATE.replace_all(text, " "));
        Self { wants_decision: DECISION.is_match(text), wants_question: QUESTION.is_match(text), thread, is_bare }
    }

    /// Whether a question that a person asked may answer it: it asks what was asked, and the other one does not.
    pub(super) fn is_answered_by_question(self, message: &Message) -> bool {
        self.wants_question && message.body.is_by_person() && !QUESTION.is_match(&message.body.content())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_say_what_form_of_answer_they_want() {
        let check = |question: &str, wants_decision: bool, thread: Option<ThreadForm>| {
            let found = RecallIntent::from_question(question);
            let wants_question = question.contains("ask");
            assert_eq!(found, RecallIntent { wants_decision, wants_question, thread, ..found }, "{question}");
        };
        check("what did I ask about the proxy", false, None);
        check("what did we decide about the rate limiter?", true, None);
        check("why did we drop Redis", true, None);
        check("which port does the proxy use", false, None);
        check("In what order did I bring up the features?", false, Some(ThreadForm::Course));
        check("Can you summarize how the release went?", false, Some(ThreadForm::Course));
        check("how did the import progress", false, Some(ThreadForm::Course));
        check("I'm back, what is next?", false, Some(ThreadForm::NewestState));
        check("where were we", false, Some(ThreadForm::NewestState));
        check("what's next", false, Some(ThreadForm::NewestState));
        for (question, is_bare) in [
            ("I'm back, what is next?", true),
            ("Hi, where were we?", true),
            ("what is next for the parser?", false),
            ("what is the parser", false),
        ] {
            assert_eq!(RecallIntent::from_question(question).is_bare, is_bare, "{question}");
        }
        check("where is the next page rendered", false, None);
        check("where are we storing sessions", false, None);
    }
}
