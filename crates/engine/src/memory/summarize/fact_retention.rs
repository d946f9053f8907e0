//! Measures how many of the important notes a summary text still contains, whether a model or the built-in summarizer
//! wrote it.

use super::notes::{NoteSection, SummaryNote, names_path};
use model::KeptFacts;

/// How many of the lines that matter a text has.
pub(crate) fn count_kept(lines: &[SummaryNote], text: &str) -> KeptFacts {
    let mut score = KeptFacts::default();
    for note in lines.iter().filter(|note| is_weighty(note)) {
        score.of += 1;
        score.kept += u32::from(states_note(text, note));
    }
    score
}

/// Whether a reader who goes on with the work must not miss a line.
pub(super) fn is_weighty(note: &SummaryNote) -> bool {
    matches!(
        note.section,
        NoteSection::Required
            | NoteSection::Decided
            | NoteSection::Changed
            | NoteSection::New
            | NoteSection::Failing
            | NoteSection::Open
    )
}

fn states_note(text: &str, note: &SummaryNote) -> bool {
    // Paths may be written below a common directory; everything else has to be there word for word.
    if note.section.is_files() { names_path(text, &note.text) } else { text.contains(note.subject_text()) }
}
