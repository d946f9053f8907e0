//! Merges the notes of several summaries into those of a summary of summaries: turns follow each other, later lines
//! replace earlier ones about the same thing, and all are weighted again.

use super::notes::{NoteSection, SummaryNote, SummaryNotes};
use super::salience::TopicVocabulary;

/// Puts notes of consecutive stretches together, oldest first.
pub(crate) fn merge_notes(stretches: Vec<SummaryNotes>) -> SummaryNotes {
    let count = stretches.len().max(1) as f64;
    let mut vocabulary = TopicVocabulary::default();
    stretches.iter().flat_map(|notes| &notes.lines).for_each(|note| vocabulary.add_text(&note.text));
    let mut merged = SummaryNotes { turns: Vec::new(), lines: Vec::new(), topics: interleave_topics(&stretches) };
    for (at, mut notes) in stretches.into_iter().enumerate() {
        let late = (at + 1) as f64 / count;
        for note in &mut notes.lines {
            // Lines that were read back from a text have no weight; those of messages were weighed by their facts.
            if note.weight == 0.0 {
                note.weight = note_weight(note, &vocabulary);
            }
            // Among equals the later one: the work continues from it.
            note.weight += late;
            // Places of two stretches must not mix: the number of the stretch goes above any place inside of it.
            note.at = note.at.saturating_add((at as u64) << 40);
        }
        merged.merge_later(notes);
    }
    for note in merged.lines.iter_mut().filter(|note| note.section.is_files()) {
        // A file that was changed in many stretches is what the work is about.
        note.weight += f64::from(note.times.min(30)) / 3.0;
    }
    merged
}

/// The first topic of each stretch, then the second of each, so that old stretches keep theirs.
fn interleave_topics(stretches: &[SummaryNotes]) -> Vec<String> {
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

fn note_weight(note: &SummaryNote, vocabulary: &TopicVocabulary) -> f64 {
    let telling = || vocabulary.sentence_weight(&note.text).min(8.0);
    match note.section {
        NoteSection::Required => 94.0,
        NoteSection::Decided => 86.0 + telling(),
        NoteSection::Asked => 68.0 + telling(),
        NoteSection::Changed => 80.0,
        NoteSection::New => 78.0,
        NoteSection::Failing => 70.0,
        NoteSection::Open => 84.0,
        NoteSection::Deleted => 60.0,
        NoteSection::Read => 56.0,
        NoteSection::Said => 40.0 + telling() * 2.0,
        NoteSection::Fixed => 40.0,
        NoteSection::Ran => 28.0,
    }
}
