//! Notes of summaries: the same lines, later ones deciding, weighed again by what they are about.

use super::leaf::asked;
use super::notes::{Note, Notes, Section};
use super::salience::Vocabulary;
use crate::memory::fact::is_firm;

/// Puts notes of consecutive stretches together, oldest first.
pub(crate) fn merge(stretches: Vec<Notes>) -> Notes {
    let count = stretches.len().max(1) as f64;
    let mut vocabulary = Vocabulary::default();
    stretches.iter().flat_map(|notes| &notes.lines).for_each(|note| vocabulary.read(&note.text));
    let mut merged = Notes { lines: Vec::new(), topics: in_turn(&stretches) };
    for (at, mut notes) in stretches.into_iter().enumerate() {
        let late = (at + 1) as f64 / count;
        for note in &mut notes.lines {
            if note.weight == 0.0 {
                note.weight = weight(note, &vocabulary);
            }
            // Among equals the later: what was done last is what is gone on with.
            note.weight += late;
            note.at = note.at.saturating_add((at as u64) << 40);
        }
        merged.extend(notes);
    }
    for note in merged.lines.iter_mut().filter(|note| note.section.is_files()) {
        note.weight += f64::from(note.times.min(30)) / 3.0;
    }
    merged
}

/// The first topic of each stretch, then the second of each: none is left out for being old.
fn in_turn(stretches: &[Notes]) -> Vec<String> {
    let most = stretches.iter().map(|notes| notes.topics.len()).max().unwrap_or_default();
    let turns = (0..most).flat_map(|turn| stretches.iter().filter_map(move |notes| notes.topics.get(turn)));
    let mut topics: Vec<String> = Vec::new();
    for topic in turns {
        if !topics.contains(topic) {
            topics.push(topic.clone());
        }
    }
    topics
}

fn weight(note: &Note, vocabulary: &Vocabulary) -> f64 {
    let telling = || vocabulary.weigh(&note.text).min(8.0);
    match note.section {
        Section::Required if is_firm(&note.text) => 94.0,
        Section::Required => 83.0,
        Section::Decided => 86.0 + telling(),
        Section::Asked => asked(telling()) - 8.0,
        Section::Changed => 80.0,
        Section::New => 78.0,
        Section::Failing => 70.0,
        Section::Open => 68.0,
        Section::Deleted => 60.0,
        Section::Read => 56.0,
        Section::Said => 40.0 + telling() * 2.0,
        Section::Fixed => 40.0,
        Section::Ran => 28.0,
    }
}
