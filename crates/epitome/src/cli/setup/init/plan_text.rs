//! Renders the plans of `epitome init` for output: as text with the exact changes to each settings file, and as JSON.

use crate::mcp;
use agents::connectors::{ConnectPlan, FilePlan, Program, by_hand};
use serde_json::{Value, json};
use similar::TextDiff;
use std::fmt::Write as _;

pub(super) fn json_of(plan: &ConnectPlan) -> Value {
    let file =
        |file: &FilePlan| json!({ "path": file.record.path, "standing": file_state(file), "diff": render_diff(file) });
    let refused = plan.refused.iter().map(|(path, trouble)| json!({ "path": path, "reason": trouble.to_string() }));
    json!({
        "agent": plan.connector.name,
        "title": plan.connector.title,
        "files": plan.files.iter().map(file).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
        "note": plan.connector.note,
        "by_plugin": plan.by_plugin,
        "allows_reading": plan.allows_tools(),
    })
}

pub(super) fn text_of(plans: &[ConnectPlan], program: &Program) -> String {
    if plans.is_empty() {
        return format!(
            "no agent was found here; any that speaks MCP wants this in its settings:\n{}",
            by_hand(program)
        );
    }
    let mut text = String::new();
    for plan in plans {
        let _ = writeln!(text, "{}{}", plan.connector.title, how_it_stands(plan));
        plan.files.iter().filter(|file| !file.is_done()).for_each(|file| text.push_str(&render_diff(file)));
        for (path, trouble) in &plan.refused {
            let _ = writeln!(text, "left alone: {}: {trouble}", path.display());
        }
        // Notes are advice for what comes next; with nothing left to write they would repeat at every `init`.
        if plan.files.iter().all(FilePlan::is_done) {
            continue;
        }
        if let Some(note) = plan.connector.note {
            let _ = writeln!(text, "note: {note}");
        }
        if plan.connector.takes_permissions() && !plan.allows_tools() {
            let tools = reading_tools();
            let _ = writeln!(text, "note: it asks before it calls a tool; --allow-reading lets it call {tools}");
        }
    }
    text
}

/// The tools that only read, as a person reads them.
pub(super) fn reading_tools() -> String {
    mcp::reading_tools().map(|tool| format!("`{tool}`")).collect::<Vec<_>>().join(" and ")
}

/// How an agent stands before anything is written. It is connected only where all of ours stands in its files.
fn how_it_stands(plan: &ConnectPlan) -> &'static str {
    let is_done = plan.files.iter().all(FilePlan::is_done);
    let is_ours = plan.files.iter().any(|file| !file.record.written.is_empty());
    match (plan.by_plugin, is_done) {
        (true, true) => ": connected by our plugin, which brings the server and the hooks",
        (true, false) if plan.allows_tools() => ": connected by our plugin; what it may call without asking is written",
        (true, false) => ": connected by our plugin; what was written before it came goes",
        (false, true) if plan.files.is_empty() && plan.refused.is_empty() => {
            ": not connected; it has no settings of its own yet: start it once, then run this again"
        }
        (false, true) if plan.files.is_empty() => ": not connected",
        (false, true) if !plan.refused.is_empty() => ": connected in part",
        (false, true) if !is_ours => ": has it all already; epitome did not write it, and will not take it out",
        (false, true) => ": connected",
        (false, false) => "",
    }
}

fn file_state(file: &FilePlan) -> &'static str {
    match &file.now {
        _ if file.is_done() => "same",
        None => "new",
        Some(_) if file.next.is_none() => "removed",
        Some(_) => "changed",
    }
}

fn render_diff(file: &FilePlan) -> String {
    let now = file.now.as_deref().unwrap_or_default();
    let name = file.record.path.display().to_string();
    let header = |side: &Option<String>| if side.is_some() { name.clone() } else { "/dev/null".to_owned() };
    let next = file.next.as_deref().unwrap_or_default();
    let before = header(&file.now);
    let after = header(&file.next);
    TextDiff::from_lines(now, next).unified_diff().context_radius(2).header(&before, &after).to_string()
}
