//! Renders the notes printed below an answer, one line each: parts of a split question, corrected names, models that
//! were asked, and parts that did not run; and the entities that a question is about.

use super::ConsultOutcome;
use crate::code::search::NameCorrection;
use crate::entities::Entity;
use model::show_name;

/// How many notes are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteDetail {
    /// Notes that change how the answer is to be read.
    Brief,
    /// Also the texts of models, and why a model was not asked.
    Every,
}

/// Longer lines are cut: a note quotes the question, and a question may have many pages.
const MAX_NOTE_LINE_BYTES: usize = 400;

/// The notes of an answer, one a line.
pub fn note_lines(
    questions: &[String],
    corrected: &[NameCorrection],
    consulted: &[ConsultOutcome],
    degraded: &[String],
    detail: NoteDetail,
) -> Vec<String> {
    let mut lines = Vec::new();
    if !questions.is_empty() {
        lines.push(format!("several questions: {}", questions.join(" | ")));
    }
    for NameCorrection { given, meant } in corrected {
        lines.push(format!("nothing is called {given}: read as {meant}"));
    }
    for consulted in consulted {
        // A model that was skipped changes nothing about the answer, so only the detailed notes say why it was skipped.
        let is_told = detail == NoteDetail::Every || consulted.skipped.is_none();
        if let Some(outcome) = render_outcome(consulted).filter(|_| is_told) {
            lines.push(format!("{}: {outcome}", consulted.errand.as_str()));
        }
        let said = consulted.text.iter().filter(|_| detail == NoteDetail::Every);
        lines.extend(said.flat_map(|said| said.lines()).map(|line| format!("    {line}")));
    }
    lines.extend(degraded.iter().map(|reason| format!("degraded: {reason}")));
    lines.iter().map(|line| shorten_line(line)).collect()
}

/// Entities that somebody named, one a line: what they are and what is known of them, in short where that is known.
pub fn entity_lines(entities: &[Entity]) -> Vec<String> {
    let line = |entity: &Entity| {
        let told = entity.summary.as_ref().or(entity.content.as_ref());
        let told = told.map(|told| format!(": {}", show_name(told))).unwrap_or_default();
        shorten_line(&format!("{} {}{told}", entity.kind.as_str(), show_name(&entity.name)))
    };
    entities.iter().map(line).collect()
}

/// The result of asking a model; `None` where the call failed, which is among the degradations.
fn render_outcome(consulted: &ConsultOutcome) -> Option<String> {
    let tokens = consulted.cost.spent_tokens();
    if let Some(why) = consulted.skipped {
        return Some(format!("not asked, {why}"));
    }
    // An answer from the cache has a text and no model: without this branch it would read as a call that cost nothing.
    if consulted.model.is_none() && tokens == 0 {
        return consulted.text.as_ref().map(|_| "answered before, at no cost".to_owned());
    }
    let model = consulted.model.as_deref().unwrap_or("no model answered");
    let dollars = consulted.cost.money.to_dollars();
    let ms = consulted.took.as_millis();
    Some(format!("{model}, {tokens} tokens, ${dollars:.6}, {ms} ms"))
}

fn shorten_line(line: &str) -> String {
    let kept = &line[..line.floor_char_boundary(MAX_NOTE_LINE_BYTES)];
    format!("{kept}{}\n", if kept.len() < line.len() { "…" } else { "" })
}
