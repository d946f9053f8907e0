//! Notes of messages: their facts, what the user asked for, and the sentences that tell most.

use super::notes::{DETAIL, Note, Notes, Section};
use super::salience::Vocabulary;
use crate::memory::cut;
use crate::memory::fact::{Facts, is_announcement, is_firm, own_words, sentences};
use model::{Fact, FactKind, FactState, Message, Part, Role};

/// A longer sentence is cut with a mark; the message has it whole.
const LONGEST_SENTENCE: usize = 280;
const LONGEST_COMMAND: usize = 120;
/// Topics to choose from.
const TOPICS: usize = 24;
/// Sentences of one message that may be told.
const PER_MESSAGE: usize = 40;

/// Notes of some messages, in order.
pub(crate) fn notes(messages: &[Message]) -> Notes {
    let Some(first) = messages.first() else { return Notes::default() };
    let mut vocabulary = Vocabulary::default();
    for text in messages.iter().flat_map(|message| &message.body.parts).filter_map(said) {
        vocabulary.read(text);
    }
    let facts = Facts::of(&first.conversation, messages);
    for path in facts.iter().filter(|fact| fact.kind == FactKind::File) {
        vocabulary.read(&path.subject);
    }
    let mut lines: Vec<Note> = facts.iter().filter_map(fact_note).collect();
    let binding: Vec<String> =
        lines.iter().filter(|note| note.section < Section::Changed).map(|note| note.text.clone()).collect();
    for (at, message) in messages.iter().enumerate() {
        let concludes = messages.get(at + 1).is_none_or(|next| next.body.role == Role::User);
        sentence_notes(message, concludes, &vocabulary, &binding, &mut lines);
    }
    Notes { lines, topics: vocabulary.topics(TOPICS) }
}

/// The words of a part that somebody said, in contrast to what a tool returned.
fn said(part: &Part) -> Option<&str> {
    match part {
        Part::Text { text } => Some(text),
        Part::Subtask { description, .. } => description.as_deref(),
        Part::Tool { .. }
        | Part::Reasoning { .. }
        | Part::Patch { .. }
        | Part::File { .. }
        | Part::Compaction { .. }
        | Part::StepStart
        | Part::StepFinish { .. }
        | Part::Snapshot { .. }
        | Part::Agent { .. }
        | Part::Retry { .. } => None,
    }
}

fn fact_note(fact: &Fact) -> Option<Note> {
    let by = |files: &Option<String>| files.as_ref().map(|files| format!("{DETAIL}by {files}")).unwrap_or_default();
    let with =
        || fact.seen_with.as_ref().map(|with| format!("{DETAIL}{}", cut(with, LONGEST_COMMAND))).unwrap_or_default();
    let about = &fact.subject;
    let often = f64::from(fact.times.min(20));
    let (section, weight, text) = match (fact.kind, fact.state) {
        (FactKind::Correction, _) => (Section::Required, 96.0, about.clone()),
        (FactKind::Constraint, _) if is_firm(about) => (Section::Required, 94.0, about.clone()),
        (FactKind::Constraint, _) => (Section::Required, 83.0, about.clone()),
        (FactKind::Decision, _) => (Section::Decided, 90.0, about.clone()),
        (FactKind::File, FactState::Read) => (Section::Read, 55.0 + often, about.clone()),
        (FactKind::File, FactState::Written) => (Section::New, 78.0 + often / 4.0, about.clone()),
        (FactKind::File, FactState::Deleted) => (Section::Deleted, 66.0, about.clone()),
        (FactKind::File, _) => (Section::Changed, 80.0 + often / 4.0, about.clone()),
        (FactKind::Test, FactState::Failing) => (Section::Failing, 82.0, format!("{about}{}", with())),
        (FactKind::Test, _) => (Section::Fixed, 50.0, format!("{about}{}", by(&fact.ended_by))),
        (FactKind::Failure, FactState::Standing) => (Section::Failing, 76.0, format!("{about}{}", with())),
        (FactKind::Failure, _) if fact.ended_by.is_some() => {
            (Section::Fixed, 48.0, format!("{about}{}", by(&fact.ended_by)))
        }
        (FactKind::Command, FactState::Failed) => {
            (Section::Ran, 60.0, format!("{}{}", cut(about, LONGEST_COMMAND), ended(fact)))
        }
        (FactKind::Command, _) if fact.times > 1 => (Section::Ran, 30.0 + often, cut(about, LONGEST_COMMAND)),
        (FactKind::Command, _) => (Section::Ran, 25.0, cut(about, LONGEST_COMMAND)),
        (FactKind::Todo, FactState::Open | FactState::Begun) => (Section::Open, 70.0, about.clone()),
        (FactKind::Failure | FactKind::Todo, _) => return None,
    };
    // How often a rule was said or a step was listed is no news.
    let times = if section.is_files() || section == Section::Ran { fact.times } else { 1 };
    Some(Note { section, text, times, weight, at: fact.first_seq })
}

fn ended(fact: &Fact) -> String {
    fact.exit_code.map_or_else(|| format!("{DETAIL}failed"), |code| format!("{DETAIL}exit {code}"))
}

fn sentence_notes(
    message: &Message,
    concludes: bool,
    vocabulary: &Vocabulary,
    binding: &[String],
    lines: &mut Vec<Note>,
) {
    let (role, at) = (message.body.role, message.seq);
    // What a program adds is long, and never what happened.
    if message.body.speaker.as_deref() == Some(model::SPEAKER_PROGRAM) {
        return;
    }
    let texts =
        message.body.parts.iter().filter_map(|part| if let Part::Text { text } = part { Some(text) } else { None });
    let own: Vec<String> = texts.map(|text| own_words(text)).collect();
    let all: Vec<String> = own.iter().flat_map(|text| sentences(text)).collect();
    let last = all.len().saturating_sub(1);
    let told = all.iter().enumerate().filter(|(place, _)| *place < PER_MESSAGE / 2 || *place + PER_MESSAGE / 2 > last);
    for (place, sentence) in told {
        if sentence.len() < 8 || binding.contains(sentence) {
            continue;
        }
        let telling = vocabulary.weigh(sentence).min(8.0);
        let (section, weight) = match role {
            Role::User if !message.body.is_by_person() => (Section::Said, 20.0 + telling * 2.5),
            Role::User if place == 0 => (Section::Asked, asked(telling)),
            Role::User => (Section::Said, 58.0 + telling * 2.5),
            Role::Assistant if is_announcement(sentence) => (Section::Said, 12.0 + telling),
            Role::Assistant if concludes && (place == 0 || place == last) => (Section::Said, 45.0 + telling * 2.5),
            Role::Assistant => (Section::Said, 25.0 + telling * 2.5),
            Role::System | Role::Tool => (Section::Said, 10.0 + telling),
        };
        let words = cut(sentence, LONGEST_SENTENCE);
        let text = if section == Section::Asked {
            words
        } else {
            format!("{}: {words}", message.body.speaker.as_deref().unwrap_or(role.as_str()))
        };
        lines.push(Note { section, text, times: 1, weight, at });
    }
}

/// What the first sentence of somebody's message weighs: thanks and nods tell nothing.
pub(super) fn asked(telling: f64) -> f64 {
    if telling == 0.0 { 40.0 } else { 76.0 + telling * 1.5 }
}
