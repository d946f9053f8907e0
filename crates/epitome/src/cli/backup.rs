//! The command `epitome backup`: writes everything that is stored into one file, while other processes go on, and puts
//! such a file back. It is no operation, so that no agent can ask for it.

use super::CommandSetup;
use super::observer::{TerminalObserver, WaitIndicator};
use super::output::TerminalOutput;
use crate::compose::unpack_backup;
use crate::errors::AppError;
use crate::hook::{DRAIN_WAIT_TIMEOUT, drain_spool};
use crate::ops::render_count;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use engine::VerifyReport;
use serde_json::json;
use std::path::PathBuf;

/// Exit status when what was restored does not prove itself, as `verify` has it.
const DAMAGED: u8 = 5;

pub(super) fn build_command() -> Command {
    let file = |help: &'static str| {
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .value_hint(ValueHint::FilePath)
            .help(help)
    };
    Command::new("backup")
        .about("Write everything that is stored into one file, or put such a file back")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("create")
                .about("Write a consistent copy into a new file, while other processes go on")
                .arg(file("The file to write; it must not exist"))
                .after_help(
                    "The file holds conversations, transcripts, artifacts, summaries, memories, the ledger and the key of\n\
                     placeholders. Indexes are left out: they are made again. On PostgreSQL it holds one tenant.\n\nExample:\n  \
                     epitome backup create monday.epitome",
                ),
        )
        .subcommand(
            Command::new("load")
                .about("Put a backup in the place of the store, and verify the result; exit status 5 when it is damaged")
                .arg(file("The file that `backup create` wrote"))
                .arg(
                    Arg::new("replace")
                        .long("replace")
                        .action(ArgAction::SetTrue)
                        .help("Move an embedded store that is there aside, whole; nothing is deleted"),
                )
                .after_help(
                    "On PostgreSQL it is loaded into the configured tenant, which must be empty, by the owner of the\n\
                     database (`database.owner_url`).\n\nExample:\n  epitome backup load monday.epitome --replace",
                ),
        )
}

pub(super) async fn run(start: CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let (name, arguments) = arguments.subcommand().unwrap_or(("create", arguments));
    let file = arguments.get_one::<PathBuf>("file").cloned().unwrap_or_default();
    if name == "load" {
        return load(start, &file, arguments.get_flag("replace"), output).await;
    }
    let app = start.open_app().await?;
    // What hooks left behind is acknowledged, too.
    if let Err(error) = drain_spool(&app, DRAIN_WAIT_TIMEOUT).await {
        output.print_warning(&format!("cannot take in what hooks left behind: {error}"));
    }
    let waiting = WaitIndicator::new(output, "writing the backup");
    let info = app.write_backup(&file).await?;
    drop(waiting);
    let reply = json!({ "file": file, "bytes": info.bytes, "files": info.files, "created": info.created.to_string() });
    let text = format!("wrote {} ({})\n", file.display(), render_count(info.bytes, "byte"));
    output.write_reply(&reply, &text)?;
    Ok(0)
}

async fn load(
    start: CommandSetup,
    file: &std::path::Path,
    replaces: bool,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let (info, aside) = unpack_backup(&start.loaded, file, replaces).await?;
    let app = start.open_app().await?;
    let observer = TerminalObserver::new(output);
    let name = format!("backup of {}", info.created);
    let (given_up, report) = app.engine.accept_restored(&name, &observer).await?;
    drop(observer);
    // Index and postings are of the store that was there before.
    app.engine.drop_recall_index().await?;
    let is_sound = report.problems.is_empty();
    let reply = json!({
        "created": info.created.to_string(),
        "program": info.program,
        "aside": aside,
        "ok": is_sound,
        "conversations": report.conversations,
        "messages": report.messages,
        "given_up": given_up.iter().map(|it| json!({ "subject": it.subject, "what": it.what })).collect::<Vec<_>>(),
        "problems": report.problems.iter().map(|it| json!({ "subject": it.subject, "what": it.what })).collect::<Vec<_>>(),
    });
    let mut text = format!("restored {name}: {}\n", totals_text(&report));
    if let Some(aside) = &aside {
        text.push_str(&format!("what was there before is in {}\n", aside.display()));
    }
    for problem in &report.problems {
        text.push_str(&format!("  {}: {}\n", problem.subject, problem.what));
    }
    output.write_reply(&reply, &text)?;
    Ok(if is_sound { 0 } else { DAMAGED })
}

fn totals_text(report: &VerifyReport) -> String {
    let outcome = if report.problems.is_empty() { "verified" } else { "NOT OK" };
    let messages = render_count(report.messages, "message");
    format!("{messages} in {}, {outcome}", render_count(report.conversations, "conversation"))
}
