//! What is told about how an answer came about: one line each, below the answer.

use super::ConsultOutcome;
use crate::code::search::NameCorrection;

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteDetail {
    /// What changes how the answer is to be read.
    Brief,
    /// What models said as well, and why others were not asked.
    Every,
}

/// A longer line is cut: a question of many pages would be told again.
const LONGEST: usize = 400;

/// What there is to tell, as lines.
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

/// What became of asking a model; nothing where it failed, which is told elsewhere.
fn render_outcome(consulted: &ConsultOutcome) -> Option<String> {
    let tokens = consulted.cost.spent_tokens();
    if let Some(why) = consulted.skipped {
        return Some(format!("not asked, {why}"));
    }
    if consulted.model.is_none() && tokens == 0 {
        return consulted.text.as_ref().map(|_| "answered before, at no cost".to_owned());
    }
    let model = consulted.model.as_deref().unwrap_or("nobody who answered");
    let (dollars, ms) = (consulted.cost.money.to_dollars(), consulted.took.as_millis());
    Some(format!("{model}, {tokens} tokens, ${dollars:.6}, {ms} ms"))
}

fn shorten_line(line: &str) -> String {
    let kept = &line[..line.floor_char_boundary(LONGEST)];
    format!("{kept}{}\n", if kept.len() < line.len() { "…" } else { "" })
}
