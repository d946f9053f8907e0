//! Puts the problems of `diagnose` together by session, in the shape that programs of other systems read: equal errors
//! of a session once, with how often they came.

use super::PlacedProblem;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A report for each session with a problem, by path.
pub(super) fn build_reports(found: &[PlacedProblem], titles: &HashMap<String, String>) -> Vec<Value> {
    let mut by_path: BTreeMap<&str, Vec<&PlacedProblem>> = BTreeMap::new();
    for placed in found {
        by_path.entry(&placed.path).or_default().push(placed);
    }
    by_path.into_iter().map(|(path, problems)| build_report(path, titles.get(path), &problems)).collect()
}

fn build_report(path: &str, title: Option<&String>, problems: &[&PlacedProblem]) -> Value {
    let mut errors: Vec<(&PlacedProblem, u64)> = Vec::new();
    for placed in problems {
        let is_same = |(known, _): &&mut (&PlacedProblem, u64)| {
            let (known, new) = (&known.problem, &placed.problem);
            (known.kind, &known.what, &known.event) == (new.kind, &new.what, &new.event)
        };
        match errors.iter_mut().find(is_same) {
            // The newest stands for all: it says when it was last.
            Some(entry) => *entry = (*placed, entry.1 + 1),
            None => errors.push((*placed, 1)),
        }
    }
    let errors: Vec<Value> = errors.iter().map(|(placed, count)| describe_error(placed, *count)).collect();
    let last = problems.iter().filter_map(|placed| placed.problem.at.as_deref()).max();
    // Agents call a transcript by the id of its session.
    let name = Path::new(path).file_stem().map(|name| name.to_string_lossy().into_owned());
    let agent = problems.first().map(|placed| placed.agent.as_str());
    let name_here = || agent.zip(name.as_deref()).map(|(agent, name)| format!("{agent}:{name}"));
    let session_name = title.cloned().or_else(name_here);
    json!({ "sessionId": name, "sessionName": session_name, "filePath": path, "errors": errors, "lastTimestamp": last })
}

fn describe_error(placed: &PlacedProblem, count: u64) -> Value {
    let problem = &placed.problem;
    json!({ "type": problem.kind.type_name(), "hookEvent": problem.event, "command": problem.command,
            "timestamp": problem.at, "details": problem.what, "count": count })
}

/// What all sessions come to.
pub(super) fn count_totals(scanned: u64, found: &[PlacedProblem]) -> Value {
    let sessions: BTreeSet<&str> = found.iter().map(|placed| placed.path.as_str()).collect();
    let warnings = found.iter().filter(|placed| placed.problem.kind.is_warning()).count();
    let mut types: BTreeMap<&str, u64> = BTreeMap::new();
    for placed in found {
        *types.entry(placed.problem.kind.type_name()).or_default() += 1;
    }
    // Of types that came equally often the first by name, so that the same sessions give the same report.
    let common = types.iter().rev().max_by_key(|(_, count)| **count);
    json!({ "sessionsScanned": scanned, "sessionsWithErrors": sessions.len(), "totalErrors": found.len() - warnings,
            "totalWarnings": warnings,
            "mostCommon": common.map(|(name, count)| json!({ "type": name, "count": count })) })
}
