//! The built-in text that sums up a session, in four parts: main topics, key decisions, unresolved questions, important
//! context. It is made of the user's own requests and of facts, never by a model.

use crate::memory::fact::{FactTelling, split_sentences};
use crate::memory::list::person_words;
use crate::memory::truncate_text;
use model::{Fact, FactKind, FactState, Message, MessageRole};
use regex::Regex;
use std::fmt::Write;
use std::sync::LazyLock;

/// Lines of one part; more are counted.
const MAX_PART_LINES: usize = 8;
/// A longer line is cut with a mark.
const MAX_LINE_CHARS: usize = 200;

/// A sentence of fewer words leans on what was said before.
const MIN_TOPIC_WORDS: usize = 3;
/// A longer sentence that begins with a courtesy says more than that.
const MAX_COURTESY_WORDS: usize = 5;

/// What the text needs of messages besides facts.
#[derive(Default)]
pub(super) struct SessionNotes {
    /// What the user asked first in each turn.
    requests: Vec<String>,
    /// The last question that has no answer yet.
    open_question: Option<String>,
}

impl SessionNotes {
    /// Takes the next message.
    pub(super) fn add_message(&mut self, message: &Message) {
        let is_assistant = message.body.role == MessageRole::Assistant;
        let Some(words) = spoken_words(message) else { return };
        let sentences = split_sentences(&words);
        // The next message answers what was asked before it.
        self.open_question = asked_last(&sentences);
        if !is_assistant {
            // The first sentence that names a topic stands for the message: the others explain it.
            self.requests.extend(sentences.into_iter().find(|sentence| is_topic(sentence)));
        }
    }
}

/// What a person or a model says in a message.
fn spoken_words(message: &Message) -> Option<String> {
    let is_assistant = message.body.role == MessageRole::Assistant;
    let words = if is_assistant { Some(message.body.content()) } else { person_words(message) };
    words.filter(|words| !words.trim().is_empty())
}

fn asked_last(sentences: &[String]) -> Option<String> {
    sentences.last().filter(|last| last.ends_with(['?', '？'])).cloned()
}

/// The question with which the newest messages of a session end, and which message asks it.
pub(crate) fn open_question(newest: &[Message]) -> Option<(&Message, String)> {
    let last = newest.iter().rev().find_map(|message| Some((message, spoken_words(message)?)));
    last.and_then(|(message, words)| Some((message, asked_last(&split_sentences(&words))?)))
}

/// Whether a sentence of the user says what it is about: "Good." and "Thanks, see you tomorrow." do not.
fn is_topic(sentence: &str) -> bool {
    static COURTESY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:thanks?|thank you|good|great|fine|nice|perfect|cool|ok(?:ay)?|yes|no|hi|hello|bye|see you)\b",
        )
        .expect("the pattern is ours")
    });
    let words = sentence.split_whitespace().count();
    words >= MIN_TOPIC_WORDS && !(COURTESY.is_match(sentence) && words <= MAX_COURTESY_WORDS)
}

pub(super) fn build_session_text(facts: &[Fact], notes: &SessionNotes) -> String {
    let of = |kind: FactKind, states: &[FactState]| {
        let fits = move |fact: &&Fact| fact.kind == kind && states.contains(&fact.state);
        facts.iter().filter(fits).map(|fact| fact.subject.clone()).collect::<Vec<String>>()
    };
    let telling = FactTelling::of_conversation(facts);
    let told = |kind: FactKind| {
        facts.iter().filter(move |fact| fact.kind == kind && telling.is_told(fact)).map(|fact| fact.subject.clone())
    };
    let mut unresolved: Vec<String> = told(FactKind::Todo).collect();
    // A test is told as a fact only while it fails.
    unresolved.extend(told(FactKind::Test).map(|test| format!("{test} fails")));
    unresolved.extend(told(FactKind::Failure));
    unresolved.extend(notes.open_question.clone());
    let mut context: Vec<String> = told(FactKind::Rule).collect();
    let files: Vec<String> = told(FactKind::File).collect();
    if !files.is_empty() {
        let more = files.len().saturating_sub(MAX_PART_LINES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        context.push(format!("changed files: {}{more}", files[..files.len().min(MAX_PART_LINES)].join(", ")));
    }
    let mut text = String::new();
    // Every part is there, also an empty one: programs read the text by its headings.
    write_part(&mut text, "Main topics", &notes.requests);
    write_part(&mut text, "Key decisions", &of(FactKind::Decision, &[FactState::Stated]));
    write_part(&mut text, "Unresolved questions", &unresolved);
    write_part(&mut text, "Important context", &context);
    text.trim_end().to_owned()
}

fn write_part(text: &mut String, heading: &str, lines: &[String]) {
    let _ = writeln!(text, "{heading}:");
    // The first lines say how it began and the last ones how it stands; what is between them is counted.
    let (first, last) = if lines.len() > MAX_PART_LINES {
        (MAX_PART_LINES / 2, MAX_PART_LINES - MAX_PART_LINES / 2)
    } else {
        (lines.len(), 0)
    };
    let mut write_line = |line: &str| {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "- {}", truncate_text(&line, MAX_LINE_CHARS));
    };
    lines[..first].iter().for_each(|line| write_line(line));
    if lines.len() > MAX_PART_LINES {
        write_line(&format!("… {} more", lines.len() - MAX_PART_LINES));
    }
    lines[lines.len() - last..].iter().for_each(|line| write_line(line));
    if lines.is_empty() {
        write_line("none");
    }
}
