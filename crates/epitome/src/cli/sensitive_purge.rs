//! The command `epitome sensitive purge`: replaces the secrets that `sensitive scan` finds among what is stored. It is
//! no operation, so that no agent can ask for it.

use super::CommandSetup;
use super::observer::TerminalObserver;
use super::output::TerminalOutput;
use super::sensitive_scan;
use crate::errors::AppError;
use crate::ops::render_count;
use clap::{Arg, ArgAction, ArgMatches, Command};
use engine::{RewriteRecord, SecretPurge, StoredOrigin};
use model::show_name;
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) fn build_command() -> Command {
    Command::new("purge")
        .about("Replace the secrets that `sensitive scan` finds in what is stored; `verify` names what was replaced")
        .arg(
            Arg::new("yes")
                .long("yes")
                .action(ArgAction::SetTrue)
                .help("Do it; without this, say what would be replaced and change nothing"),
        )
}

/// Whether the arguments of `sensitive` ask for the purge.
pub(super) fn is_chosen(arguments: &ArgMatches) -> bool {
    arguments.subcommand_name() == Some("purge")
}

pub(super) async fn run(start: CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let is_confirmed = arguments.subcommand_matches("purge").is_some_and(|purge| purge.get_flag("yes"));
    if !is_confirmed {
        let status = Box::pin(sensitive_scan::run(start, output)).await?;
        output.print_note("nothing was changed; epitome sensitive purge --yes replaces them for good");
        return Ok(status);
    }
    let app = sensitive_scan::open_drained_app(start, output).await?;
    let observer = TerminalObserver::new(output);
    let purge = app.engine.purge_secrets(&observer).await?;
    drop(observer);
    output.write_reply(&purge_json(&purge), &purge_text(&purge))?;
    if let Some(leftover) = &purge.leftover {
        warn_of_leftover(output, leftover);
    }
    Ok(0)
}

pub(super) fn warn_of_leftover(output: &TerminalOutput, leftover: &str) {
    output.print_warning(&format!(
        "old bytes may still lie in the files of the database: {leftover}; stop the other processes, and run `epitome \
         sensitive purge --yes`"
    ));
}

pub(super) fn record_json(record: &RewriteRecord) -> Value {
    json!({
        "at": record.at.to_string(),
        "reason": record.reason.as_str(),
        "subject": record.subject,
        "items": record.items,
        "before": record.before.to_string(),
        "after": record.after.map(|hash| hash.to_string()),
    })
}

fn purge_json(purge: &SecretPurge) -> Value {
    json!({
        "secrets": sensitive_scan::count_secrets(&purge.scan),
        "rules": sensitive_scan::count_by_rule(&purge.scan),
        "rewrites": purge.records.iter().map(record_json).collect::<Vec<_>>(),
        "transcripts": purge.transcripts,
        "names": purge.names,
        "leftover": purge.leftover,
    })
}

fn purge_text(purge: &SecretPurge) -> String {
    let secrets = sensitive_scan::count_secrets(&purge.scan);
    if secrets == 0 {
        return "no secrets are stored; nothing was changed\n".to_owned();
    }
    let in_names = purge.scan.origins.get(&StoredOrigin::Name).map_or(0, |count| count.secrets);
    let mut text = format!("replaced {}\n", render_count(secrets - in_names, "secret"));
    for record in &purge.records {
        let _ = writeln!(text, "{}  {}", show_name(&record.subject), render_count(record.items, "change"));
    }
    text.push_str(
        "summaries and facts of these conversations are made anew; `epitome verify` names what was replaced\n",
    );
    if !purge.transcripts.is_empty() {
        text.push_str("these files of agents still hold the secrets, and are not changed:\n");
        for path in &purge.transcripts {
            let _ = writeln!(text, "  {}", show_name(path));
        }
    }
    if !purge.names.is_empty() {
        text.push_str("these names still hold secrets, because conversations and sessions are known by them:\n");
        for place in &purge.names {
            let _ = writeln!(text, "  {place}");
        }
    }
    text
}
