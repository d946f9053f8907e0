//! The command `epitome sensitive scan`: says where secrets are among what is stored already, found by the rules of
//! today. It changes nothing, and prints no value.

use super::CommandSetup;
use super::observer::TerminalObserver;
use super::output::TerminalOutput;
use super::sensitive::FINDINGS;
use crate::compose::App;
use crate::errors::AppError;
use crate::hook::{DRAIN_WAIT_TIMEOUT, drain_spool};
use crate::ops::render_count;
use clap::{ArgMatches, Command};
use engine::{SecretScan, StoredOrigin};
use model::show_name;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Places that are listed one by one for a person; `--json` has all.
const MAX_LISTED_PLACES: usize = 50;
/// Exit status when something could not be read, as `verify` has it.
const DAMAGED: u8 = 5;

pub(super) fn build_command() -> Command {
    Command::new("scan").about(
        "Look through what is stored already, and say where secrets are, without showing them; exit status 6 when there \
         are some",
    )
}

/// Whether the arguments of `sensitive` ask for the scan.
pub(super) fn is_chosen(arguments: &ArgMatches) -> bool {
    arguments.subcommand_name() == Some("scan")
}

/// Opens the store, with what hooks left behind in its place: that is stored too.
pub(super) async fn open_drained_app(start: CommandSetup, output: &TerminalOutput) -> Result<App, AppError> {
    let app = start.open_app().await?;
    if let Err(error) = drain_spool(&app, DRAIN_WAIT_TIMEOUT).await {
        output.print_warning(&format!("cannot take in what hooks left behind: {error}"));
    }
    Ok(app)
}

pub(super) async fn run(start: CommandSetup, output: &TerminalOutput) -> Result<u8, AppError> {
    let app = open_drained_app(start, output).await?;
    let observer = TerminalObserver::new(output);
    let scan = app.engine.scan_secrets(&observer).await?;
    drop(observer);
    output.write_reply(&scan_json(&scan), &scan_text(&scan))?;
    for problem in &scan.problems {
        output.print_warning(&format!("not looked at: {}: {}", problem.subject, problem.what));
    }
    // A scan that could not read everything must not pass for one that found nothing.
    Ok(match (scan.problems.is_empty(), scan.found.is_empty()) {
        (false, _) => DAMAGED,
        (true, false) => FINDINGS,
        (true, true) => 0,
    })
}

pub(super) fn count_secrets(scan: &SecretScan) -> u64 {
    scan.origins.values().map(|count| count.secrets).sum()
}

pub(super) fn count_by_rule(scan: &SecretScan) -> BTreeMap<&str, u64> {
    let mut rules = BTreeMap::new();
    for found in &scan.found {
        *rules.entry(found.rule.as_str()).or_default() += found.count;
    }
    rules
}

fn scan_json(scan: &SecretScan) -> Value {
    let found: Vec<Value> = scan
        .found
        .iter()
        .map(|found| {
            json!({
                "origin": found.origin.as_str(),
                "conversation": found.conversation,
                "place": found.place,
                "rule": found.rule,
                "count": found.count,
            })
        })
        .collect();
    let origins: Map<String, Value> = scan
        .origins
        .iter()
        .map(|(origin, count)| {
            (origin.as_str().to_owned(), json!({ "looked_at": count.looked_at, "secrets": count.secrets }))
        })
        .collect();
    let problems: Vec<Value> =
        scan.problems.iter().map(|problem| json!({ "subject": problem.subject, "what": problem.what })).collect();
    json!({ "found": found, "origins": origins, "rules": count_by_rule(scan), "problems": problems })
}

fn scan_text(scan: &SecretScan) -> String {
    let mut text = String::new();
    for found in scan.found.iter().take(MAX_LISTED_PLACES) {
        let times = if found.count > 1 { format!(" ×{}", found.count) } else { String::new() };
        let within = found.conversation.as_ref().map_or_else(String::new, |name| format!(" of {}", show_name(name)));
        let place = show_name(&found.place);
        let _ = writeln!(text, "{}{times}  {} {place}{within}", found.rule, found.origin.as_str());
    }
    if scan.found.len() > MAX_LISTED_PLACES {
        let _ = writeln!(text, "{} more places; --json lists them all", scan.found.len() - MAX_LISTED_PLACES);
    }
    for (rule, count) in count_by_rule(scan) {
        let _ = writeln!(text, "{count} by the rule {rule}");
    }
    let looked_at: Vec<String> =
        scan.origins.iter().map(|(origin, count)| render_count(count.looked_at, origin_noun(*origin))).collect();
    let looked_at = if looked_at.is_empty() { "nothing is stored".to_owned() } else { looked_at.join(", ") };
    let _ = writeln!(text, "{} in {looked_at}", render_count(count_secrets(scan), "secret"));
    text
}

/// What one of an origin is called in counts.
fn origin_noun(origin: StoredOrigin) -> &'static str {
    match origin {
        StoredOrigin::Transcript => "line",
        StoredOrigin::Message
        | StoredOrigin::Summary
        | StoredOrigin::Fact
        | StoredOrigin::SessionSummary
        | StoredOrigin::Memory
        | StoredOrigin::Entity
        | StoredOrigin::Record
        | StoredOrigin::Artifact
        | StoredOrigin::Field
        | StoredOrigin::Name => origin.as_str(),
    }
}
