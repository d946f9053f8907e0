//! Parses a recall question into weighted search terms, the speakers it names, and dates, and computes the bonus of a
//! message for its speaker and date.

use super::corpus::{Corpus, CorpusMessage};
use super::dates::{PartialDate, find_dates};
use super::intent::RecallIntent;
use super::scope::CorpusScope;
use super::words::{WordPurpose, each_word, word_purpose};
use model::terms::each_word as each_written;
use regex::Regex;
use std::sync::LazyLock;

/// A question, taken apart.
pub(super) struct RecallQuestion {
    pub(super) words: Vec<RecallWord>,
    /// The speakers it names, unless it names all there are.
    pub(super) who: Vec<u32>,
    pub(super) dates: Vec<PartialDate>,
    /// It asks when something happens, or how long it takes.
    pub(super) asks_when: bool,
    pub(super) intent: RecallIntent,
    /// The question without the speakers it names: a message of Ada's seldom contains "Ada".
    pub(super) about: String,
}

/// A word to look for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecallWord {
    pub(super) written: String,
    pub(super) term: String,
    pub(super) weight: f32,
}

/// A longer question is a paste; its first words say what it is about.
const MOST_WORDS: usize = 64;

/// The weight of a word that asks for something to be done ("show", "give").
const REQUEST_WEIGHT: f32 = 0.25;

static ASKS_WHEN: LazyLock<Regex> = LazyLock::new(|| {
    let asking = r"when|how long|since|deadline|(?:what|which) (?:date|day|time|year|month)|how (?:many|much) (?:days|weeks|months|years|time)";
    Regex::new(&format!(r"(?i)\b(?:{asking})\b")).expect("the pattern is a constant")
});

/// The bonus for the speaker, in points of words.
const SPEAKER_BONUS: f32 = 2.0;

impl RecallQuestion {
    /// Takes a question apart, as asked of a scope.
    pub(super) fn new(text: &str, corpus: &Corpus, scope: &CorpusScope) -> Self {
        let speakers = scope.speaker_numbers(corpus);
        // Words of names, as they are kept.
        let mut names: Vec<(String, u32)> = Vec::new();
        for speaker in &speakers {
            each_word(&corpus.speakers[*speaker as usize], |_, term| names.push((term.to_owned(), *speaker)));
        }
        let mut words = Vec::new();
        let mut stops = Vec::new();
        let mut who = Vec::new();
        each_word(text, |written, term| {
            let before = who.len();
            who.extend(names.iter().filter(|(name, _)| name == term).map(|(_, speaker)| *speaker));
            // A name is looked for in who speaks, not in what is said: others mention Ada more often than she does.
            if who.len() > before {
                return;
            }
            let purpose = word_purpose(written);
            let weight = if purpose == WordPurpose::Request { REQUEST_WEIGHT } else { 1.0 };
            let word = RecallWord { written: written.to_owned(), term: term.to_owned(), weight };
            add_word(if purpose == WordPurpose::Stop { &mut stops } else { &mut words }, word);
        });
        who.sort_unstable();
        who.dedup();
        // A question of stop words alone ("who was it") is searched by these rather than by nothing.
        if words.is_empty() && who.is_empty() {
            words = stops;
        }
        words.truncate(MOST_WORDS);
        // A question that names all speakers prefers none of them, and the bonus would be noise.
        if who.len() == speakers.len() {
            who.clear();
        }
        let mut about = String::with_capacity(text.len());
        each_written(text, |written| {
            let mut is_name = false;
            each_word(written, |_, term| is_name |= names.iter().any(|(name, _)| name == term));
            if !is_name {
                about.push_str(written);
                about.push(' ');
            }
        });
        Self {
            words,
            who,
            dates: find_dates(text),
            asks_when: ASKS_WHEN.is_match(text),
            intent: RecallIntent::from_question(text),
            about,
        }
    }

    /// Whether a message is of a speaker that the question names.
    pub(super) fn names_speaker(&self, entry: &CorpusMessage) -> bool {
        entry.speaker.is_some_and(|speaker| self.who.contains(&speaker))
    }

    /// The bonus of a message for its speaker.
    pub(super) fn speaker_bonus(&self, entry: &CorpusMessage) -> f32 {
        if self.names_speaker(entry) { SPEAKER_BONUS } else { 0.0 }
    }

    /// The largest bonus that a message can get for its speaker.
    pub(super) fn most_speaker_bonus(&self) -> f32 {
        if self.who.is_empty() { 0.0 } else { SPEAKER_BONUS }
    }

    /// How near a message lies to a date of the question, from 0 to 1.
    pub(super) fn date_nearness(&self, entry: &CorpusMessage) -> f32 {
        let near = |day| self.dates.iter().map(|date| date.nearness(day)).fold(0.0, f32::max);
        entry.day.map_or(0.0, near)
    }

    /// How well a message tells of a date of the question, from 0 to 1.
    pub(super) fn told_nearness(&self, entry: &CorpusMessage) -> f32 {
        self.dates.iter().map(|date| entry.told.nearness(*date)).fold(0.0, f32::max)
    }

    /// The terms to look for.
    pub(super) fn search_terms(&self) -> Vec<String> {
        self.words.iter().map(|word| word.term.clone()).collect()
    }
}

/// Keeps one word for each term, with the largest weight.
fn add_word(words: &mut Vec<RecallWord>, word: RecallWord) {
    match words.iter_mut().find(|known| known.term == word.term) {
        Some(known) => known.weight = known.weight.max(word.weight),
        None => words.push(word),
    }
}
