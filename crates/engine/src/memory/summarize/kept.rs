//! How much of what must not get lost a text still says. Works on any text, whoever wrote it.

use super::notes::{Note, Section, names_path};
use model::KeptFacts;

/// How many of the lines that matter a text has.
pub(crate) fn kept(lines: &[Note], text: &str) -> KeptFacts {
    let matters = |note: &&Note| {
        matches!(
            note.section,
            Section::Required | Section::Decided | Section::Changed | Section::New | Section::Failing | Section::Open
        )
    };
    let mut score = KeptFacts::default();
    for note in lines.iter().filter(matters) {
        score.of += 1;
        score.kept += u32::from(says(text, note));
    }
    score
}

fn says(text: &str, note: &Note) -> bool {
    if note.section.is_files() { names_path(text, &note.text) } else { text.contains(note.about()) }
}
