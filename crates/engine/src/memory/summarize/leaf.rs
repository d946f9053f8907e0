//! Everything that a summary of messages could say: the turns in order, and the facts beside them as weighted lines.
//! Which of it fits into the summary is chosen in `note_selection.rs`.

use super::notes::{DETAIL_SEPARATOR, NoteSection, SummaryNote, SummaryNotes};
use super::salience::TopicVocabulary;
use super::turn_actions::delegated_task;
use super::turn_builder::build_turns;
use crate::memory::fact::{FactExtractor, is_requirement};
use crate::memory::truncate_text;
use model::{Fact, FactKind, FactState, Message, MessagePart};

const LONGEST_COMMAND: usize = 120;
/// Topics to choose from.
const TOPICS: usize = 24;

/// Notes of some messages, in order.
pub(crate) fn build_notes(messages: &[Message]) -> SummaryNotes {
    let Some(first) = messages.first() else { return SummaryNotes::default() };
    let mut vocabulary = TopicVocabulary::default();
    for text in messages.iter().flat_map(|message| &message.body.parts).filter_map(spoken_text) {
        vocabulary.add_text(text);
    }
    let facts = FactExtractor::extract_facts(&first.conversation, messages);
    for path in facts.iter().filter(|fact| fact.kind == FactKind::File) {
        vocabulary.add_text(&path.subject);
    }
    let mut lines: Vec<SummaryNote> = Vec::new();
    for note in facts.iter().filter_map(fact_note) {
        // Several ranges of one file are one file.
        match lines.iter_mut().find(|known| note.section == NoteSection::Read && known.text == note.text) {
            Some(known) => known.times += note.times,
            None => lines.push(note),
        }
    }
    SummaryNotes { turns: build_turns(messages), lines, topics: vocabulary.top_topics(TOPICS) }
}

/// The words of a part that the user or the agent wrote, in contrast to what a tool returned.
fn spoken_text(part: &MessagePart) -> Option<&str> {
    if let MessagePart::Text { text } = part { Some(text) } else { delegated_task(part) }
}

fn fact_note(fact: &Fact) -> Option<SummaryNote> {
    let by = |files: &Option<String>| {
        files.as_ref().map(|files| format!("{DETAIL_SEPARATOR}after {files}")).unwrap_or_default()
    };
    let with = || {
        fact.seen_with
            .as_ref()
            .map(|with| format!("{DETAIL_SEPARATOR}{}", truncate_text(with, LONGEST_COMMAND)))
            .unwrap_or_default()
    };
    let about = &fact.subject;
    let often = f64::from(fact.times.min(20));
    let (section, weight, text) = match (fact.kind, fact.state) {
        (FactKind::Correction, _) => (NoteSection::Required, 96.0, about.clone()),
        (FactKind::Rule, FactState::Stated) => (NoteSection::Required, 94.0, about.clone()),
        (FactKind::Task, _) if is_requirement(about) => (NoteSection::Required, 83.0, about.clone()),
        (FactKind::Decision, FactState::Stated) => (NoteSection::Decided, 90.0, about.clone()),
        (FactKind::File, FactState::Read) => (NoteSection::Read, 55.0 + often, without_range(about).to_owned()),
        (FactKind::File, FactState::Written) => (NoteSection::New, 78.0 + often / 4.0, about.clone()),
        (FactKind::File, FactState::Deleted) => (NoteSection::Deleted, 66.0, about.clone()),
        (FactKind::File, _) => (NoteSection::Changed, 80.0 + often / 4.0, about.clone()),
        (FactKind::Test, FactState::Failing) => (NoteSection::Failing, 82.0, format!("{about}{}", with())),
        (FactKind::Test, _) => (NoteSection::Fixed, 50.0, format!("{about}{}", by(&fact.ended_by))),
        (FactKind::Failure, FactState::Standing) => (NoteSection::Failing, 76.0, format!("{about}{}", with())),
        (FactKind::Failure, _) if fact.ended_by.is_some() => {
            (NoteSection::Fixed, 48.0, format!("{about}{}", by(&fact.ended_by)))
        }
        (FactKind::Command, FactState::Failed) => {
            (NoteSection::Ran, 60.0, format!("{}{}", truncate_text(about, LONGEST_COMMAND), render_ending(fact)))
        }
        (FactKind::Todo, FactState::Open | FactState::Begun) => (NoteSection::Open, 84.0, about.clone()),
        // A failure that ended by itself and a step that is done need no line: nothing is left to do about them.
        // That a command ran is in the messages, and what was asked is in the turns.
        (
            FactKind::Rule
            | FactKind::Task
            | FactKind::Decision
            | FactKind::Command
            | FactKind::Failure
            | FactKind::Todo,
            _,
        ) => {
            return None;
        }
    };
    // How often a rule was repeated or a step was listed tells nothing.
    let times = if section.is_files() || section == NoteSection::Ran { fact.times } else { 1 };
    Some(SummaryNote { section, text, times, weight, at: fact.first_seq })
}

/// A path without the lines that were read of it: `src/a.rs:1-400,520`.
fn without_range(path: &str) -> &str {
    let is_range =
        |range: &str| !range.is_empty() && range.bytes().all(|byte| byte.is_ascii_digit() || b"-,".contains(&byte));
    path.rsplit_once(':').filter(|(_, range)| is_range(range)).map_or(path, |(path, _)| path)
}

fn render_ending(fact: &Fact) -> String {
    fact.exit_code.map_or_else(|| format!("{DETAIL_SEPARATOR}failed"), |code| format!("{DETAIL_SEPARATOR}exit {code}"))
}
