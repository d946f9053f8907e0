//! Selects the notes (weighted lines) that fit into the token budget of a summary, and the topics that its last line
//! names.
//!
//! Greedy by weight, but no section takes more than its share before the others had theirs; among equals the shorter
//! ones, because more of them fit. Then what is left goes to whatever is heaviest.

use super::notes::{EXPAND, NoteSection, SummaryNote, SummaryNotes, render_notes};
use model::{TokenCount, count_tokens};
use std::collections::{HashMap, HashSet};

/// Most topics that a summary points at.
const TOPICS: usize = 12;
/// What expanding gives where nothing else is to be named.
const ANYTHING: &str = "the exact words";

/// The text of the notes that fits `target`.
pub(crate) fn fit_notes(notes: &SummaryNotes, target: TokenCount) -> String {
    let budget = target.0;
    // For the closing line, which must always fit: it is what leads back to everything that is left out.
    let reserved = (budget / 8).max(count_tokens(EXPAND).0 + count_tokens(ANYTHING).0 + 2);
    let mut chosen = select_notes(&notes.lines, budget.saturating_sub(reserved));
    loop {
        let said: String = chosen.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n");
        let topics = select_topics(notes, &said, reserved);
        let text = render_notes(chosen.iter().copied(), &topics);
        // Tokens of lines do not add up exactly; the lightest one goes.
        if count_tokens(&text) <= target || chosen.pop().is_none() {
            return text;
        }
    }
}

/// The line that names what is found by expanding, beside a text that says the rest.
pub(crate) fn render_closing(notes: &SummaryNotes, said: &str, budget: u32) -> String {
    render_notes([], &select_topics(notes, said, budget))
}

/// Topics that the text does not name itself.
fn select_topics(notes: &SummaryNotes, said: &str, budget: u32) -> Vec<String> {
    let unsaid = notes.topics.iter().filter(|topic| !said.contains(topic.as_str()));
    let topics = fit_topics(unsaid, budget.saturating_sub(count_tokens(EXPAND).0 + 1));
    if topics.is_empty() { vec![ANYTHING.to_owned()] } else { topics }
}

fn fit_topics<'a>(topics: impl Iterator<Item = &'a String>, budget: u32) -> Vec<String> {
    let mut left = budget;
    let fits = |topic: &&String| {
        let cost = count_tokens(topic).0 + 1;
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits
    };
    topics.filter(fits).take(TOPICS).cloned().collect()
}

/// The lines to say, heaviest first.
fn select_notes(lines: &[SummaryNote], budget: u32) -> Vec<&SummaryNote> {
    let mut ranked: Vec<(&SummaryNote, u32)> = lines.iter().map(|note| (note, note_cost(note))).collect();
    ranked.sort_by(|(a, a_cost), (b, b_cost)| {
        b.weight.total_cmp(&a.weight).then(a_cost.cmp(b_cost)).then(a.at.cmp(&b.at)).then_with(|| a.text.cmp(&b.text))
    });
    let mut choice = NoteSelection { left: budget, ..NoteSelection::default() };
    // Twice over the same list: within shares first, so that many rules leave room for the changed files, then the rest
    // to whatever is heaviest.
    for within_share in [true, false] {
        for (place, (note, cost)) in ranked.iter().enumerate() {
            let cap = if within_share { budget * note.section.budget_percent() / 100 } else { budget };
            choice.try_add(place, note, *cost, cap);
        }
    }
    let mut places: Vec<usize> = choice.places.into_iter().collect();
    places.sort_unstable();
    places.into_iter().map(|place| ranked[place].0).collect()
}

#[derive(Default)]
struct NoteSelection {
    left: u32,
    places: HashSet<usize>,
    used: HashMap<NoteSection, u32>,
    said: HashSet<String>,
}

impl NoteSelection {
    fn try_add(&mut self, place: usize, note: &SummaryNote, cost: u32, cap: u32) {
        if self.places.contains(&place) {
            return;
        }
        let used = self.used.get(&note.section).copied();
        let cost = cost + if used.is_none() { count_tokens(note.section.as_str()).0 + 1 } else { 0 };
        let used = used.unwrap_or_default();
        if cost > self.left || used + cost > cap || self.is_repetition(note) {
            return;
        }
        self.left -= cost;
        self.used.insert(note.section, used + cost);
        self.places.insert(place);
        if matches!(note.section, NoteSection::Said | NoteSection::Asked) {
            self.said.extend(model::terms::distinct_terms(&note.text));
        }
    }

    /// Whether most words of a sentence were said by others.
    fn is_repetition(&self, note: &SummaryNote) -> bool {
        if note.section != NoteSection::Said {
            return false;
        }
        let words = model::terms::distinct_terms(&note.text);
        let known = words.iter().filter(|word| self.said.contains(*word)).count();
        // Seven words of ten: models say the same thing at the beginning and at the end of a task.
        known * 10 > words.len() * 7
    }
}

fn note_cost(note: &SummaryNote) -> u32 {
    // A bullet, a count and the end of the line.
    count_tokens(&note.text).0 + if note.section.is_files() { 1 } else { 2 } + if note.times > 1 { 2 } else { 0 }
}
