//! The command `epitome relations --export`: prints the whole graph, every definition, edge, entity and link, as JSON lines.

use super::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use engine::{ExportLine, ExportPlace};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Lines are written in pieces of this size.
const PIECE: usize = 1 << 16;

pub(super) async fn run(app: &App, output: &TerminalOutput) -> Result<u8, AppError> {
    let mut waiting = String::new();
    let mut failed = None;
    app.engine
        .export_graph(&app.project, &mut |line| {
            waiting.push_str(&line_json(&line).to_string());
            waiting.push('\n');
            // Written in pieces: a graph has millions of edges, and one write for each would be slow.
            if waiting.len() > PIECE {
                if let Err(problem) = output.write_text(&waiting) {
                    failed = Some(problem);
                    return ControlFlow::Break(());
                }
                waiting.clear();
            }
            ControlFlow::Continue(())
        })
        .await?;
    match failed {
        Some(problem) => Err(problem),
        None => output.write_text(&waiting).map(|()| 0),
    }
}

/// A line as scripts and benches read it: calls have a caller and a callee, other edges a from and a to.
fn line_json(line: &ExportLine) -> Value {
    match line {
        ExportLine::Definition { place: at, kind } => {
            json!({ "kind": "def", "path": at.path, "name": at.name, "line": at.line, "type": kind.as_str() })
        }
        ExportLine::Edge { kind, from, to, lines, confidence } => {
            let (start, end) = if kind.as_str() == "calls" { ("caller", "callee") } else { ("from", "to") };
            let confidence = crate::ops::round_hundredths(confidence.get());
            let mut edge = json!({
                "kind": kind.as_str(), start: place_json(from), end: place_json(to),
                "site": lines.first(), "confidence": confidence,
            });
            // Most edges have one line, and an export has millions of edges.
            if lines.len() > 1 {
                edge["sites"] = json!(lines);
            }
            edge
        }
        ExportLine::Entity { id, kind, name } => json!({ "kind": "entity", "id": id, "name": name, "type": kind }),
        ExportLine::Link { from, to, kind, weight } => {
            let confidence = f64::from(*weight) / 100.0;
            json!({ "kind": "link", "from": from, "to": to, "type": kind.as_str(), "confidence": confidence })
        }
    }
}

fn place_json(place: &ExportPlace) -> Value {
    json!({ "path": place.path, "name": place.name.as_deref().unwrap_or("<module>"), "line": place.line })
}
