//! Decides whether a question needs a search at all, by rules on its wording and the symbols the project defines, in
//! microseconds.
//!
//! Looking up what a question does not need costs an agent tokens and attention. Skipping what was needed costs a wrong
//! answer, so every doubt is a reason to search.

use crate::code::search::intent::{contains_phrase, is_trace};
use crate::code::search::is_stop_word;
use crate::code::search::strategy::RankStrategy;

/// Whether something was looked up, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct GateDecision {
    /// Whether something was looked up.
    pub retrieve: bool,
    /// Why.
    pub reason: String,
    /// How sure the decision is, 1 at most.
    pub confidence: f32,
    /// The strategy that suits the question, where its wording says so.
    pub suggested: Option<RankStrategy>,
}

impl GateDecision {
    fn new(retrieve: bool, reason: &str, confidence: f32) -> Self {
        Self { retrieve, reason: reason.to_owned(), confidence, suggested: None }
    }

    /// A question that spells what it is about: words lead there best.
    fn for_mention(reason: &str, confidence: f32) -> Self {
        Self { suggested: Some(RankStrategy::Keyword), ..Self::new(true, reason, confidence) }
    }

    /// Whether the wording says nothing either way.
    pub(super) fn is_open(&self) -> bool {
        self.confidence <= UNDECIDED_CONFIDENCE
    }
}

/// The confidence of a decision on wording that says nothing either way.
const UNDECIDED_CONFIDENCE: f32 = 0.5;

/// Decides by the wording of a question. `defines` says whether this project defines a symbol of that name.
pub(crate) fn gate_question(question: &str, defines: impl Fn(&str) -> bool) -> GateDecision {
    let lower = question.trim().to_lowercase();
    let lower = lower.trim_end_matches(['.', '!', '?', ' ']);
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| contains_phrase(lower, phrase));
    // From here on the order matters: signs of code come first, because they outweigh any chatty wording around them
    // ("thanks, and what does `open_store` do").
    if question.matches('`').count() >= 2 {
        return GateDecision::for_mention("names something in backticks", 0.95);
    }
    if is_trace(question) {
        return GateDecision::new(true, "holds a trace", 0.9);
    }
    if question.split_whitespace().any(is_code) {
        return GateDecision::for_mention("spells a name or a path", 0.95);
    }
    if has(OUR_PLACE) {
        return GateDecision::new(true, "is about this project", 0.9);
    }
    // "How did we solve that" names no code, yet only this project's conversations can answer it.
    if has(PROJECT_REFERENCE_PHRASES) {
        return GateDecision::new(true, "is about what is ours", 0.85);
    }
    // Only the whole text: "ok, where is it parsed" begins with chatter and is a question.
    if SMALL_TALK_PHRASES.contains(&lower) {
        return GateDecision::new(false, "is no question", 0.9);
    }
    let bare = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    // A capital inside of a sentence is how types are written.
    let is_type = |word: &str| word.starts_with(char::is_uppercase) && defines(word);
    // The first word is skipped: every sentence begins with a capital.
    let is_general = names_language(question)
        && (starts_with_any(lower, GENERAL_QUESTION_PHRASES)
            || has(&["syntax for", "best practice", "best practices"]))
        && !question.split_whitespace().skip(1).map(bare).any(|word| !is_language(&word) && is_type(&word));
    if is_general {
        return GateDecision::new(false, "is a general question about a language", 0.8);
    }
    // Before the rules below: "what is a catalog" asks for a concept, unless this project defines `Catalog`.
    if question.split_whitespace().map(bare).any(|word| is_telling(&word) && defines(&word)) {
        return GateDecision::new(true, "names something defined here", 0.9);
    }
    if asks_concept(lower) {
        return GateDecision::new(false, "asks what a concept is", 0.75);
    }
    if starts_with_any(lower, &["write a function to", "write a function that", "write a script that", "write a regex"])
    {
        return GateDecision::new(false, "is a task that needs nothing of this project", 0.7);
    }
    if FOLLOW_UPS.contains(&lower) || starts_with_any(lower, &["translate this", "translate that", "summarize that"]) {
        return GateDecision::new(false, "asks about what was just said", 0.8);
    }
    // A search that was not needed costs tokens; a search that was left out costs a wrong answer.
    GateDecision::new(true, "nothing speaks against looking", UNDECIDED_CONFIDENCE)
}

/// Whether a question asks what a concept is, in a few words that everybody knows.
fn asks_concept(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    // A longer "what is a …" usually carries a condition that only the project can answer.
    let is_short = words.len() <= 7;
    let means = starts_with_any(lower, &["what does"]) && lower.ends_with(" mean");
    // "what is dependency injection": nothing but the name of it.
    let is_name = |words: &[&str]| !words.is_empty() && words.len() <= 2 && words.iter().all(|word| word.len() >= 4);
    let names =
        lower.strip_prefix("what is ").is_some_and(|rest| is_name(&rest.split_whitespace().collect::<Vec<_>>()));
    let known =
        ["what is a", "what is an", "what are", "what is the time complexity of", "what is the space complexity of"];
    is_short && (starts_with_any(lower, &known) || means || names)
}

/// Whether a word says enough to name something: short ones and those that hold sentences together are in every text.
fn is_telling(word: &str) -> bool {
    let is_plain = word.chars().all(|c| c.is_ascii_lowercase());
    !is_stop_word(&word.to_lowercase()) && (word.chars().count() >= 4 || !is_plain)
}

fn starts_with_any(text: &str, openings: &[&str]) -> bool {
    openings.iter().any(|opening| text.strip_prefix(opening).is_some_and(|rest| rest.starts_with(' ')))
}

/// Whether a word is written as only code and paths are.
fn is_code(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '/');
    let pairs = || word.as_bytes().windows(2);
    let is_camel = pairs().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_path = word.contains('/') && word.contains('.');
    // `e.g` and `i.e` have a stem of one letter and are no files.
    let is_file = word.rsplit_once('.').is_some_and(|(stem, end)| {
        stem.len() > 1 && (1..=4).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
    });
    let is_known = KNOWN_CAMELS.contains(&word.to_lowercase().as_str()) || syntax::language_called(word).is_some();
    !is_known && (word.contains('_') || word.contains("::") || is_camel || is_path || is_file)
}

/// Product names with capitals inside, which are not identifiers.
const KNOWN_CAMELS: &[&str] = &["github", "gitlab", "postgresql", "mysql", "openai", "node.js", "vue.js"];

const OUR_PLACE: &[&str] = &[
    "this project",
    "this codebase",
    "this repo",
    "this repository",
    "the codebase",
    "this module",
    "this file",
    "this function",
    "this class",
    "in here",
];
const PROJECT_REFERENCE_PHRASES: &[&str] =
    &["our implementation", "our", "we", "we've", "did i", "last time", "earlier", "yesterday"];
const SMALL_TALK_PHRASES: &[&str] = &[
    "thanks",
    "thank you",
    "ok",
    "okay",
    "yes",
    "no",
    "hi",
    "hello",
    "good",
    "great",
    "nice",
    "perfect",
    "go on",
    "continue",
    "done",
    "please",
];
const FOLLOW_UPS: &[&str] = &[
    "can you explain that more",
    "explain that more",
    "can you elaborate",
    "what do you mean",
    "say that again",
    "can you clarify",
    "tell me more",
];
const GENERAL_QUESTION_PHRASES: &[&str] =
    &["what is", "what are", "what does", "how do i", "how do you", "how to", "how can i", "explain"];
/// Shorter names of languages are words as well, and count only behind "in".
const MIN_LANGUAGE_NAME_BYTES: usize = 5;

/// Whether a question names a programming language.
fn names_language(question: &str) -> bool {
    let words: Vec<&str> =
        question.split_whitespace().map(|word| word.trim_matches(['?', '.', ',', '!', ':'])).collect();
    words.iter().any(|word| word.len() >= MIN_LANGUAGE_NAME_BYTES && is_language(word))
        || words.windows(2).any(|pair| pair[0].eq_ignore_ascii_case("in") && is_language(pair[1]))
}

fn is_language(word: &str) -> bool {
    syntax::language_called(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, retrieve: bool, confidence: f32) {
        let gate = gate_question(question, |word| word == "Catalog");
        assert_eq!((gate.retrieve, gate.confidence), (retrieve, confidence), "{question}: {}", gate.reason);
    }

    #[test]
    fn the_wording_of_a_question_says_whether_to_look() {
        check("what does `parse_header` return", true, 0.95);
        check("how does this project handle retries", true, 0.9);
        check("how does this codebase handle retries", true, 0.9);
        check("is our implementation thread-safe", true, 0.85);
        check("What is a promise in JavaScript?", false, 0.8);
        check("how do I sort a list in Python", false, 0.8);
        check("what is a closure", false, 0.75);
        check("it dies:\nError: boom\n    at f (src/a.js:1:2)\n    at g (src/b.js:3:4)", true, 0.9);
        check("Write a function to reverse a string", false, 0.7);
        check("Can you explain that more?", false, 0.8);
        check("thanks!", false, 0.9);
        check("rate limiting of requests", true, 0.5);
        check("what is dependency injection", false, 0.75);
        check("what is stored in g", true, 0.5);
        check("what does HTTP 404 mean", false, 0.75);
        check("what is the time complexity of quicksort?", false, 0.75);
        check("translate this to French", false, 0.8);
    }

    #[test]
    fn what_is_defined_here_is_never_a_general_question() {
        check("what is a Catalog", true, 0.9);
        check("how do I make a Catalog in Python", true, 0.9);
        check("how do I catalog a list in Python", false, 0.8);
        check("what is a token_bucket", true, 0.95);
        check("how do I use parseHeader in JavaScript", true, 0.95);
        check("what is src/main.rs", true, 0.95);
    }

    /// Words of the questions below that functions and types of Flask are called, as far as `Catalog::defines` compares.
    const FLASK_SYMBOL_WORDS: &str = " and app beforerequest blueprints environment exit flask get group jsonify makeresponse request \
        response run scaffold sendfromdirectory session set urlfor view ";

    const GENERAL_QUESTIONS: &[&str] = &[
        "What is a promise in JavaScript?",
        "Write a function to reverse a string",
        "Can you explain that more?",
        "how to sort a list in python",
        "what is a closure",
        "what is dependency injection",
        "how do I read a file in go",
        "what are generators in python",
        "explain the difference between let and var in javascript",
        "what is a monad",
        "write a regex that matches an email address",
        "how to center a div in css",
        "what is the time complexity of quicksort",
        "how do I exit vim",
        "what is a race condition",
        "thanks",
        "translate this to French",
        "what does HTTP 404 mean",
        "write a script that renames files",
        "how to use async await in javascript",
    ];

    const PROJECT_QUESTIONS: &[&str] = &[
        "how does the app find its templates",
        "where is the session cookie signed",
        "which function builds the url map",
        "what happens when a view returns a tuple",
        "how are blueprints registered",
        "where are configuration files loaded",
        "who calls make_response",
        "why does the test client keep cookies",
        "how is the request context pushed",
        "what does before_request do here",
        "where is the cli group defined",
        "how are error handlers looked up",
        "which tests cover url_for",
        "how is static file serving set up",
        "what changed in the json provider",
        "where does flask read environment variables",
        "how does send_from_directory protect against traversal",
        "what is the application factory in this project",
        "show the code that streams a response",
        "how are signals sent",
        "where are teardown functions run",
        "what is stored in g",
        "how is jsonify implemented",
        "which exceptions become HTTP 400",
        "how does the dev server reload",
        "where is the secret key checked",
        "how are async views run",
        "what does the testing runner isolate",
        "how do nested blueprints get their prefix",
        "explain the class hierarchy of Flask and Scaffold",
    ];

    #[test]
    fn general_questions_are_skipped_and_none_about_the_project() {
        let look = |question: &&&str| {
            gate_question(question, |word| {
                FLASK_SYMBOL_WORDS.contains(&format!(" {} ", word.replace('_', "").to_lowercase()))
            })
            .retrieve
        };
        let skipped = GENERAL_QUESTIONS.iter().filter(|question| !look(question)).count();
        assert!(skipped >= 16, "{skipped} of {}", GENERAL_QUESTIONS.len());
        let missed: Vec<_> = PROJECT_QUESTIONS.iter().filter(|question| !look(question)).collect();
        assert_eq!(missed, [] as [&&str; 0]);
    }
}
