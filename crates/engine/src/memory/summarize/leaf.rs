//! Everything that a summary of messages could say, as weighted lines: facts, requests of the user, sentences. Which of
//! them fit into the summary is chosen in `note_selection.rs`.

use super::notes::{DETAIL, NoteSection, SummaryNote, SummaryNotes};
use super::salience::TopicVocabulary;
use crate::memory::fact::{FactExtractor, is_announcement, is_requirement, own_words, split_sentences};
use crate::memory::truncate_text;
use model::{Fact, FactKind, FactState, Message, MessagePart, MessageRole};

/// A longer sentence is cut with a mark; the message has it whole.
const LONGEST_SENTENCE: usize = 280;
const LONGEST_COMMAND: usize = 120;
/// Topics to choose from.
const TOPICS: usize = 24;
/// Sentences of one message that may become notes.
const PER_MESSAGE: usize = 40;

/// Notes of some messages, in order.
pub(crate) fn build_notes(messages: &[Message]) -> SummaryNotes {
    let Some(first) = messages.first() else { return SummaryNotes::default() };
    let mut vocabulary = TopicVocabulary::default();
    for text in messages.iter().flat_map(|message| &message.body.parts).filter_map(spoken_text) {
        vocabulary.add_text(text);
    }
    let facts = FactExtractor::extract_facts(&first.conversation, messages);
    // Paths count as words of the topic: a sentence that names a changed file tells more than one that names none.
    for path in facts.iter().filter(|fact| fact.kind == FactKind::File) {
        vocabulary.add_text(&path.subject);
    }
    let mut lines: Vec<SummaryNote> = facts.iter().filter_map(fact_note).collect();
    let binding: Vec<String> =
        lines.iter().filter(|note| note.section < NoteSection::Changed).map(|note| note.text.clone()).collect();
    for (at, message) in messages.iter().enumerate() {
        // The last message before the user speaks again reports what was done; those before it announce steps.
        let concludes = messages.get(at + 1).is_none_or(|next| next.body.role == MessageRole::User);
        sentence_notes(message, concludes, &vocabulary, &binding, &mut lines);
    }
    SummaryNotes { lines, topics: vocabulary.top_topics(TOPICS) }
}

/// The words of a part that the user or the agent wrote, in contrast to what a tool returned.
fn spoken_text(part: &MessagePart) -> Option<&str> {
    match part {
        MessagePart::Text { text } => Some(text),
        MessagePart::Subtask { description, .. } => description.as_deref(),
        MessagePart::Tool { .. }
        | MessagePart::Reasoning { .. }
        | MessagePart::Patch { .. }
        | MessagePart::File { .. }
        | MessagePart::Compaction { .. }
        | MessagePart::StepStart
        | MessagePart::StepFinish { .. }
        | MessagePart::Snapshot { .. }
        | MessagePart::Agent { .. }
        | MessagePart::Retry { .. } => None,
    }
}

fn fact_note(fact: &Fact) -> Option<SummaryNote> {
    let by = |files: &Option<String>| files.as_ref().map(|files| format!("{DETAIL}after {files}")).unwrap_or_default();
    let with = || {
        fact.seen_with
            .as_ref()
            .map(|with| format!("{DETAIL}{}", truncate_text(with, LONGEST_COMMAND)))
            .unwrap_or_default()
    };
    let about = &fact.subject;
    let often = f64::from(fact.times.min(20));
    let (section, weight, text) = match (fact.kind, fact.state) {
        (FactKind::Correction, _) => (NoteSection::Required, 96.0, about.clone()),
        (FactKind::Rule, FactState::Stated) => (NoteSection::Required, 94.0, about.clone()),
        (FactKind::Task, _) if is_requirement(about) => (NoteSection::Required, 83.0, about.clone()),
        (FactKind::Task, _) => (NoteSection::Asked, 62.0, about.clone()),
        (FactKind::Decision, FactState::Stated) => (NoteSection::Decided, 90.0, about.clone()),
        (FactKind::File, FactState::Read) => (NoteSection::Read, 55.0 + often, about.clone()),
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
        (FactKind::Todo, FactState::Open | FactState::Begun) => (NoteSection::Open, 70.0, about.clone()),
        // A failure that ended by itself and a step that is done need no line: nothing is left to do about them.
        // That a command ran is in the messages.
        (FactKind::Rule | FactKind::Decision | FactKind::Command | FactKind::Failure | FactKind::Todo, _) => {
            return None;
        }
    };
    // How often a rule was repeated or a step was listed tells nothing.
    let times = if section.is_files() || section == NoteSection::Ran { fact.times } else { 1 };
    Some(SummaryNote { section, text, times, weight, at: fact.first_seq })
}

fn render_ending(fact: &Fact) -> String {
    fact.exit_code.map_or_else(|| format!("{DETAIL}failed"), |code| format!("{DETAIL}exit {code}"))
}

fn sentence_notes(
    message: &Message,
    concludes: bool,
    vocabulary: &TopicVocabulary,
    binding: &[String],
    lines: &mut Vec<SummaryNote>,
) {
    let role = message.body.role;
    let at = message.seq;
    // Text that a program adds is long, and never tells what happened.
    if message.body.speaker.as_deref() == Some(model::SPEAKER_PROGRAM) {
        return;
    }
    let texts = message
        .body
        .parts
        .iter()
        .filter_map(|part| if let MessagePart::Text { text } = part { Some(text) } else { None });
    let own: Vec<String> = texts.map(|text| own_words(text)).collect();
    let all: Vec<String> = own.iter().flat_map(|text| split_sentences(text)).collect();
    let last = all.len().saturating_sub(1);
    // The beginning and the end of a long message: people and models put what matters there.
    let told = all.iter().enumerate().filter(|(place, _)| *place < PER_MESSAGE / 2 || *place + PER_MESSAGE / 2 > last);
    for (place, sentence) in told {
        // A fact may join two sentences.
        if sentence.len() < 8 || binding.iter().any(|text| text.contains(sentence.as_str())) {
            continue;
        }
        let telling = vocabulary.sentence_weight(sentence).min(8.0);
        let (section, weight) = match role {
            MessageRole::User if !message.body.is_by_person() => (NoteSection::Said, 20.0 + telling * 2.5),
            MessageRole::User if place == 0 => (NoteSection::Asked, request_weight(telling)),
            MessageRole::User => (NoteSection::Said, 58.0 + telling * 2.5),
            MessageRole::Assistant if is_announcement(sentence) => (NoteSection::Said, 12.0 + telling),
            MessageRole::Assistant if concludes && (place == 0 || place == last) => {
                (NoteSection::Said, 45.0 + telling * 2.5)
            }
            MessageRole::Assistant => (NoteSection::Said, 25.0 + telling * 2.5),
            MessageRole::System | MessageRole::Tool => (NoteSection::Said, 10.0 + telling),
        };
        let words = truncate_text(sentence, LONGEST_SENTENCE);
        let text = if section == NoteSection::Asked {
            words
        } else {
            format!("{}: {words}", message.body.speaker.as_deref().unwrap_or(role.as_str()))
        };
        lines.push(SummaryNote { section, text, times: 1, weight, at });
    }
}

/// The weight of the first sentence of a user's message: thanks and nods carry no information.
pub(super) fn request_weight(telling: f64) -> f64 {
    if telling == 0.0 { 40.0 } else { 76.0 + telling * 1.5 }
}
