//! Selects what a summary says within its token budget: turns, the lines of facts beside them, and the topics that its
//! last line names.
//!
//! Turns are told in as much detail as the weighty facts leave room for. Lines of facts are taken by weight, but no
//! section takes more than its share before the others had theirs; what a turn says already is not said again.

use super::fact_retention::is_weighty;
use super::notes::{EXPAND_LINE_PREFIX, NoteSection, SummaryNote, SummaryNotes, render_notes};
use super::turn::TURN_DETAILS;
use super::turn_fit::FittedTurns;
use model::{TokenCount, count_tokens};
use std::collections::{HashMap, HashSet};

/// Most topics that a summary points at.
const TOPICS: usize = 12;
/// What expanding gives where nothing else is to be named.
const DEFAULT_EXPAND_TOPIC: &str = "the exact words";
/// The shares that facts, and files among them, may claim before turns had theirs, in percent.
const FACTS_PERCENT: u32 = 65;
const FILES_PERCENT: u32 = 40;

/// The text of the notes that fits `target`.
pub(crate) fn fit_notes(notes: &SummaryNotes, target: TokenCount) -> String {
    // For the closing line, which must always fit: it is what leads back to everything that is left out.
    let reserved = (target.0 / 10).max(count_tokens(EXPAND_LINE_PREFIX).0 + count_tokens(DEFAULT_EXPAND_TOPIC).0 + 2);
    let budget = target.0.saturating_sub(reserved);
    let mut turns = fit_turns(notes, budget);
    let told = turns.render();
    let left = budget.saturating_sub(count_tokens(&told).0);
    let unsaid: Vec<&SummaryNote> = notes.lines.iter().filter(|note| !note.is_said_in(&told)).collect();
    let (mut chosen, left) = select_notes(&unsaid, left);
    turns.refine(left);
    loop {
        let told = turns.render();
        let said: String =
            chosen.iter().map(|note| note.text.as_str()).chain([told.as_str()]).collect::<Vec<_>>().join("\n");
        let topics = select_topics(notes, &said, reserved);
        let text = render_notes(&told, chosen.iter().copied(), &topics);
        // Tokens of lines do not add up exactly; the lightest one goes, then the lightest turn.
        if count_tokens(&text) <= target {
            return text;
        }
        if chosen.pop().is_none() && !turns.drop_lightest() {
            return fit_closing(&turns.render(), &topics, target);
        }
    }
}

/// The turns in the most detail that leaves room for the weighty facts.
fn fit_turns(notes: &SummaryNotes, budget: u32) -> FittedTurns<'_> {
    let mut turns = FittedTurns::new(&notes.turns);
    let mut needed = 0;
    for detail in 0..TURN_DETAILS.len() {
        turns.set_detail(detail);
        let told = turns.render();
        let unsaid = notes.lines.iter().filter(|note| is_weighty(note) && !note.is_said_in(&told));
        let (files, others): (Vec<_>, Vec<_>) = unsaid.partition(|note| note.section.is_files());
        let files = files.into_iter().map(note_cost).sum::<u32>().min(budget * FILES_PERCENT / 100);
        let others = others.into_iter().map(note_cost).sum::<u32>();
        needed = (files + others).min(budget * FACTS_PERCENT / 100);
        if turns.token_count() + needed <= budget {
            return turns;
        }
    }
    turns.drop_to(budget.saturating_sub(needed));
    turns
}

/// Where not even the first and the last turn fit: their beginning, and the closing line.
fn fit_closing(told: &str, topics: &[String], target: TokenCount) -> String {
    let closing = render_notes("", [], topics);
    let room = target.0.saturating_sub(count_tokens(&closing).0 + 2);
    let line = told.lines().next().unwrap_or_default();
    render_notes(&super::statement::cut_text(line, room), [], topics)
}

/// The line that names what is found by expanding, beside a text that says the rest.
pub(crate) fn render_closing(notes: &SummaryNotes, said: &str, budget: u32) -> String {
    render_notes("", [], &select_topics(notes, said, budget))
}

/// Topics that the text does not name itself.
fn select_topics(notes: &SummaryNotes, said: &str, budget: u32) -> Vec<String> {
    let unsaid = notes.topics.iter().filter(|topic| !said.contains(topic.as_str()));
    let topics = fit_topics(unsaid, budget.saturating_sub(count_tokens(EXPAND_LINE_PREFIX).0 + 1));
    if topics.is_empty() { vec![DEFAULT_EXPAND_TOPIC.to_owned()] } else { topics }
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

/// The lines to say, heaviest first, and the tokens that are left.
fn select_notes<'a>(lines: &[&'a SummaryNote], budget: u32) -> (Vec<&'a SummaryNote>, u32) {
    let mut ranked: Vec<(&SummaryNote, u32)> = lines.iter().map(|note| (*note, note_cost(note))).collect();
    ranked.sort_by(|(a, a_cost), (b, b_cost)| {
        b.weight.total_cmp(&a.weight).then(a_cost.cmp(b_cost)).then(a.at.cmp(&b.at)).then_with(|| a.text.cmp(&b.text))
    });
    let mut choice = NoteSelection { left: budget, ..NoteSelection::default() };
    // Twice over the same list: within shares first, so that many rules leave room for the changed files, then the rest
    // to whatever is heaviest.
    for within_share in [true, false] {
        for (place, (note, cost)) in ranked.iter().enumerate() {
            let share = budget * note.section.budget_percent() / 100;
            let cap = match (within_share, note.section.may_fill_rest()) {
                (true, _) => share,
                (false, true) => budget,
                (false, false) => share * 2,
            };
            choice.try_add(place, note, *cost, cap);
        }
    }
    let mut places: Vec<usize> = choice.places.into_iter().collect();
    places.sort_unstable();
    (places.into_iter().map(|place| ranked[place].0).collect(), choice.left)
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
