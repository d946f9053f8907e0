//! The command `epitome project`: `project forget --data --yes` removes everything that is stored of a project. It is no
//! operation, so that no agent can ask for it.

use super::output::TerminalOutput;
use super::sensitive_purge::{record_json, warn_of_leftover};
use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use crate::ops::render_count;
use clap::{Arg, ArgAction, ArgMatches, Command};
use engine::{ForgottenProject, RewriteRecord};
use serde_json::{Value, json};

pub(super) fn build_command() -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("project")
        .about("Remove what is stored of a project")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("forget")
                .about("Remove the project's conversations, transcripts, memories and index for good")
                .arg(flag("data", "All of its data; there is nothing else to forget yet").required(true))
                .arg(flag("yes", "Do it; without this, say what would go and change nothing"))
                .after_help(
                    "The files of the project and the transcripts of agents are not touched. What was removed is \
                     recorded, and `epitome verify` names it.\n\nExample:\n  epitome project forget --data --yes",
                ),
        )
}

pub(super) async fn run(app: &App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let Some(("forget", arguments)) = arguments.subcommand() else {
        return Err(AppError::new(ErrorClass::Usage, "unknown_command", "name a command of `epitome project`"));
    };
    let project = &app.project;
    let conversations = app.engine.project_conversations(&project.id).await?;
    let messages: u64 = conversations.iter().map(|conversation| conversation.messages).sum();
    let what = format!(
        "{} with {}",
        render_count(conversations.len() as u64, "conversation"),
        render_count(messages, "message")
    );
    let root = project.root.display();
    if !arguments.get_flag("yes") {
        let would =
            json!({ "project": project.id.to_string(), "conversations": conversations.len(), "messages": messages });
        output.write_reply(&would, &format!("{root}: {what} would be removed for good\n"))?;
        output.print_note("nothing was changed; epitome project forget --data --yes removes it");
        return Ok(0);
    }
    let ForgottenProject { records, leftover } = app.engine.forget_project(&project.id).await?;
    let json: Vec<Value> = records.iter().map(record_json).collect();
    let left = left_text(&records);
    output.write_reply(
        &json!({ "project": project.id.to_string(), "rewrites": json }),
        &format!("{root}: {what} removed; {left}\n"),
    )?;
    if let Some(leftover) = leftover {
        warn_of_leftover(output, &leftover);
    }
    Ok(0)
}

fn left_text(records: &[RewriteRecord]) -> String {
    format!("`epitome verify` names {} from now on", render_count(records.len() as u64, "removal"))
}
