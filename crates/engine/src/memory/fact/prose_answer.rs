//! Recognizes answers that a user writes to questions which a model asked in its text: by the number of the question, or
//! as a short message behind a question that offers a choice. "minor, this is a big change" is a decision to those who
//! know what was asked, so it is kept with its question.

use super::decision::{ANSWERED_MARK, is_agreement, states_choice};
use super::directive::classify_sentence;
use super::own_words::{own_words, split_sentences};
use crate::memory::truncate_text;
use model::FactKind;
use regex::Regex;
use std::sync::LazyLock;

/// A longer message does more than answer.
const MAX_ANSWER_WORDS: usize = 40;
const MAX_ANSWER_CHARS: usize = 300;
/// A question stands at the end of what a model says, or before the options it offers.
const LAST_SENTENCES: usize = 8;
const MAX_QUESTION_CHARS: usize = 160;

/// What a model asked at the end of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProseQuestions {
    /// By the number that the model gave them.
    numbered: Vec<(u32, String)>,
    /// The last one that offers a choice.
    choice: Option<String>,
    /// The last one that offers a step: "Should I move the old rows, too?"
    offer: Option<String>,
}

impl ProseQuestions {
    /// The questions of a text; `None` where it asks nothing that a choice answers.
    pub(super) fn read(text: &str) -> Option<Self> {
        // Most texts ask nothing, and cutting them into sentences is the costly part.
        if !text.contains(['?', '？']) {
            return None;
        }
        let words = own_words(text);
        let numbered = words.lines().filter_map(read_number).filter_map(|(number, line)| {
            let question = split_sentences(line).into_iter().find(|sentence| is_question(sentence))?;
            Some((number, clean_question(&question)))
        });
        let sentences = split_sentences(&words);
        // A question that stands earlier was answered by the text itself, as in "Why? Because …".
        let mut last = sentences.iter().rev().take(LAST_SENTENCES);
        let choice = last.clone().find(|sentence| is_question(sentence) && CHOICE.is_match(sentence));
        let offer = last.find(|sentence| is_question(sentence) && OFFER.is_match(sentence));
        let clean = |question: &String| clean_question(question);
        let found = Self { numbered: numbered.collect(), choice: choice.map(clean), offer: offer.map(clean) };
        (found != Self::default()).then_some(found)
    }

    /// The answers of a message, each with its question.
    pub(super) fn find_answers(&self, text: &str) -> Vec<String> {
        let words = own_words(text);
        let by_number: Vec<String> = words
            .lines()
            .filter_map(read_number)
            .filter_map(|(number, answer)| {
                let (_, question) = self.numbered.iter().find(|(asked, _)| *asked == number)?;
                // A numbered line that asks back decides nothing.
                (states_choice(answer) && !is_question(answer)).then(|| join_answer(answer, question))
            })
            .collect();
        // Where the user answered by numbers, the rest of the message explains the answers and is none itself.
        if !by_number.is_empty() {
            return by_number;
        }
        let answer = words.split_whitespace().collect::<Vec<_>>().join(" ");
        // A long message after a question is a new task more often than an answer to it.
        let is_short = answer.len() <= MAX_ANSWER_CHARS && answer.split(' ').count() <= MAX_ANSWER_WORDS;
        let is_other = answer.starts_with(['/', '<', '[']) || is_question(&answer) || is_agreement(&answer);
        if !is_short || is_other || !states_choice(&answer) {
            return Vec::new();
        }
        // A correction says what was wrong with the question, or with what was done before it.
        let is_correction = |words: &str| classify_sentence(words) == Some(FactKind::Correction);
        let refused = answer.trim_start_matches(|c: char| c.is_alphabetic()).trim_start_matches([',', '.', '!', ' ']);
        match (&self.choice, &self.offer) {
            (Some(question), _) if !is_correction(&answer) => vec![join_answer(&answer, question)],
            // "Yes" lets the agent go on; "no, leave them" and "yes, but only the new ones" settle something.
            (None, Some(question)) if LIMITED.is_match(&answer) && !is_correction(refused) => {
                vec![join_answer(&answer, question)]
            }
            _ => Vec::new(),
        }
    }
}

fn join_answer(answer: &str, question: &str) -> String {
    format!("{}{ANSWERED_MARK}{question}\")", answer.trim())
}

/// The number in front of a line, and the rest of it.
fn read_number(line: &str) -> Option<(u32, &str)> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:[*_#]*\s*)?(?:q\s?)?(\d{1,2})\s*[.):]\**\s+(\S.*)$").expect("the pattern is ours")
    });
    let found = NUMBER.captures(line)?;
    Some((found[1].parse().ok()?, found.get(2)?.as_str()))
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['*', ')', '"', '_', ' ']).ends_with(['?', '？'])
}

/// Without the marks of a heading, and without the mark of a question, which would end the sentence it is told in.
fn clean_question(question: &str) -> String {
    truncate_text(question.trim_matches(['*', '_', '#', '?', '？', ' ']), MAX_QUESTION_CHARS)
}

/// Words of a question that offers a choice. "Shall I go on?" offers none.
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: or | which | prefer | rather | what\s(?:would|do|should) | how\s(?:would|should|do)\s(?:you|we|i) | where\sshould
            | oder | welche[nrs]? | lieber | ou | quelle? | prefieres | cuál | o\sbien )\b
        | 还是 | 哪 | 怎么 | どちら | どの | それとも | 아니면 | 어느 | 어떤",
    )
    .expect("the pattern is ours")
});

/// Words of a question that offers a step or a way, which may be refused or limited.
static OFFER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: (?:should|shall|could|can|may)\s(?:i|we) | do\syou\swant | would\syou\slike | want\sme\sto | is\sthat\s(?:ok|okay|fine|right) | does\s(?:this|that)\s(?:look|sound|work)
            | soll\s(?:ich|wir) | möchtest\sdu )\b | 要不要 | 是否 | しますか | ましょうか | 할까요",
    )
    .expect("the pattern is ours")
});

/// An answer that refuses with what is wanted in its place, or agrees within bounds.
static LIMITED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(?: (?:no|nope|nah|nein|non)\b[\s,.!:—-]+\S+\s\S+ | (?:yes|yeah|yep|ok(?:ay)?|sure|ja|oui)\b.*\b(?:but|only|except|instead|without|just|not|don['’]?t|aber|nur|sans)\b )",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(question: &str, answer: &str) -> Vec<String> {
        ProseQuestions::read(question).map(|asked| asked.find_answers(answer)).unwrap_or_default()
    }

    #[test]
    fn a_short_message_answers_a_choice() {
        let asked = "The notes are written. Should I bump the version?\n\nOr do you want a patch release (0.7.30)?";
        assert_eq!(
            answers(asked, "minor, this is a big change"),
            ["minor, this is a big change (answers \"Or do you want a patch release (0.7.30)\")"]
        );
        assert_eq!(answers(asked, "yes"), [""; 0]);
        assert_eq!(answers(asked, "what is the difference?"), [""; 0]);
        assert_eq!(answers(asked, "No, that's wrong."), [""; 0]);
        assert_eq!(answers("Shall I go on?", "minor, this is a big change"), [""; 0]);
        assert_eq!(answers("Done.", "minor"), [""; 0]);
    }

    #[test]
    fn an_offer_is_refused_or_limited_by_what_is_wanted() {
        let asked = "The table is migrated. Should I move the old rows, too?";
        let question = " (answers \"Should I move the old rows, too\")";
        for answer in ["no, leave them where they are", "yes, but only those of this year"] {
            assert_eq!(answers(asked, answer), [format!("{answer}{question}")]);
        }
        for answer in
            ["yes", "no", "yes, go ahead", "What does that cost?", "No, that's wrong.", "yes and then write the notes"]
        {
            assert_eq!(answers(asked, answer), [""; 0], "{answer}");
        }
    }

    #[test]
    fn a_number_finds_its_question() {
        let asked = "Before I begin:\n1. Which states should be shown?\n2. Is a history needed?\n3. Dates are in UTC.";
        assert_eq!(
            answers(asked, "1. use all states\n2. no history tracking needed\n3. fine"),
            [
                "use all states (answers \"Which states should be shown\")",
                "no history tracking needed (answers \"Is a history needed\")"
            ]
        );
    }
}
