//! Explains why a message was recalled: which words of the question it contains in and around its best passage, which
//! only its neighbours contain, or its speaker, date, rule or meaning. Also chooses the neighbours shown with it.

use super::corpus::{Corpus, NeighbourFlags};
use super::fusion::RankedMessage;
use super::lexical::WordPostings;
use super::question::RecallQuestion;
use foldhash::{HashMap, HashMapExt};

/// By passage the words it holds, as bits; only of passages around results.
pub(super) struct PassageWords(HashMap<u32, u64>);

/// The words of a passage and of its neighbours.
pub(super) struct MatchedWords {
    /// Words of the message itself.
    own: u64,
    /// Messages beside it, nearest first, with the words that only they hold.
    beside: Vec<(u32, u64)>,
}

impl PassageWords {
    /// The words around the best passages of a few results.
    pub(super) fn from_results(corpus: &Corpus, found: &WordPostings, results: &[RankedMessage]) -> Self {
        let mut held: HashMap<u32, u64> = HashMap::new();
        for ranked in results {
            for (passage, _) in nearby_passages(corpus, ranked.matched.passage) {
                held.insert(passage, 0);
            }
        }
        // The question keeps so few words that there is a bit for each.
        // Word by word, not passage by passage: each posting list is searched for a few dozen passages.
        for (bit, places) in found.iter().enumerate() {
            for (passage, held) in &mut held {
                *held |= u64::from(places.count_in(*passage) > 0) << bit;
            }
        }
        Self(held)
    }

    /// The words around a passage.
    pub(super) fn words_around(&self, corpus: &Corpus, passage: u32) -> MatchedWords {
        let message = corpus.of[passage as usize];
        let mut own = 0;
        let mut beside = Vec::<(u32, u64)>::new();
        let near: Vec<(u32, u64)> = nearby_passages(corpus, passage)
            .map(|(place, other)| (other, self.0.get(&place).copied().unwrap_or(0)))
            .collect();
        near.iter().filter(|(other, _)| *other == message).for_each(|(_, held)| own |= held);
        for (other, held) in near.into_iter().filter(|(other, _)| *other != message) {
            match beside.iter_mut().find(|(known, _)| *known == other) {
                // Only words that the message itself lacks: a neighbour is shown for what it adds.
                Some((_, known)) => *known |= held & !own,
                None => beside.push((other, held & !own)),
            }
        }
        beside.retain(|(_, held)| *held != 0);
        MatchedWords { own, beside }
    }
}

/// A passage and those that count with it, nearest first, each with its message.
fn nearby_passages(corpus: &Corpus, passage: u32) -> impl Iterator<Item = (u32, u32)> {
    let near = corpus.near[passage as usize];
    let steps = [
        (true, 0),
        (near.has(NeighbourFlags::PREVIOUS), -1),
        (near.has(NeighbourFlags::NEXT), 1),
        (near.has(NeighbourFlags::SECOND_PREVIOUS), -2),
        (near.has(NeighbourFlags::SECOND_NEXT), 2),
    ];
    let places = steps.into_iter().filter(|(is_near, _)| *is_near);
    places.filter_map(move |(_, step)| {
        let place = passage.checked_add_signed(step)?;
        Some((place, *corpus.of.get(place as usize)?))
    })
}

impl MatchedWords {
    /// The messages beside it that hold a word it lacks: the two nearest at most, in their order.
    pub(super) fn neighbour_messages(&self) -> impl Iterator<Item = u32> {
        let mut beside: Vec<u32> = self.beside.iter().map(|(message, _)| *message).take(2).collect();
        beside.sort_unstable();
        beside.into_iter()
    }

    /// The reasons why a message fits, as text.
    pub(super) fn explain_match(&self, question: &RecallQuestion, corpus: &Corpus, ranked: &RankedMessage) -> String {
        let words = |held: u64| {
            let words = question.words.iter().enumerate().filter(|(bit, _)| held & (1 << bit) != 0);
            words.map(|(_, word)| format!("`{}`", word.written)).collect::<Vec<_>>().join(", ")
        };
        let beside = self.beside.iter().fold(0, |all, (_, held)| all | held) & !self.own;
        let mut reasons = Vec::new();
        if self.own != 0 {
            reasons.push(format!("holds {}", words(self.own)));
        }
        if beside != 0 {
            reasons.push(format!("beside {}", words(beside)));
        }
        let entry = &corpus.messages[ranked.matched.message as usize];
        if let Some(speaker) = entry.speaker.filter(|_| ranked.matched.speaker > 0.0) {
            reasons.push(format!("said by {}", corpus.speakers[speaker as usize]));
        }
        if let Some(day) = entry.day.filter(|_| ranked.time > MIN_TIME_SCORE) {
            reasons.push(format!("dated {day}"));
        }
        if entry.rule {
            reasons.push("a standing rule".to_owned());
        }
        // Last: everything is somewhat near in meaning, so it explains a result only where nothing else does.
        if reasons.is_empty() && ranked.meaning > 0.0 {
            reasons.push("similar meaning".to_owned());
        }
        if reasons.is_empty() { "newest".to_owned() } else { reasons.join("; ") }
    }
}

/// A date that adds less is not what made a message fit.
const MIN_TIME_SCORE: f32 = 0.5;
