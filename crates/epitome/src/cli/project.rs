//! The command `epitome project forget`: `--data --yes` removes everything that is stored of a project. It is no operation,
//! so that no agent can ask for it; the other actions of `epitome project` are.

use super::output::TerminalOutput;
use super::sensitive_purge::{record_json, warn_of_leftover};
use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use crate::ops::render_count;
use crate::ops::state::project::{ProjectAction, find_listing};
use clap::ArgMatches;
use engine::{ForgottenProject, ProjectId, ProjectLookup, RewriteRecord};
use model::show_name;
use serde_json::{Value, json};

/// Whether a project is to be forgotten.
pub(super) fn forgets(arguments: &ArgMatches) -> bool {
    arguments.get_one::<ProjectAction>("action") == Some(&ProjectAction::Forget)
}

/// The project that is meant, by id, and how it is told.
async fn find_project(app: &App, arguments: &ArgMatches) -> Result<(ProjectId, String), AppError> {
    let Some(which) = arguments.get_one::<String>("which") else {
        return Ok((app.project.id.clone(), app.project.root.display().to_string()));
    };
    let list = app.engine.list_projects(ProjectLookup::OnDisk).await?;
    let listing = find_listing(&list, &app.project, Some(which), "which")?;
    Ok((listing.id.clone(), show_name(&listing.name).into_owned()))
}

pub(super) async fn run(app: &App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    if !arguments.get_flag("data") {
        let message = "forget needs --data: all that is stored of the project would go";
        return Err(AppError::new(ErrorClass::Usage, "usage", message)
            .with_hint("epitome project forget --data says what; with --yes it is removed"));
    }
    let (project, told) = find_project(app, arguments).await?;
    let conversations = app.engine.project_conversations(&project).await?;
    let messages: u64 = conversations.iter().map(|conversation| conversation.messages).sum();
    let what = format!(
        "{} with {}",
        render_count(conversations.len() as u64, "conversation"),
        render_count(messages, "message")
    );
    if !arguments.get_flag("yes") {
        let would =
            json!({ "project": project.to_string(), "conversations": conversations.len(), "messages": messages });
        output.write_reply(&would, &format!("{told}: {what} would be removed for good\n"))?;
        output.print_note("nothing was changed; --yes removes it");
        return Ok(0);
    }
    let ForgottenProject { records, leftover } = app.engine.forget_project(&project).await?;
    let json: Vec<Value> = records.iter().map(record_json).collect();
    let left = left_text(&records);
    output.write_reply(
        &json!({ "project": project.to_string(), "rewrites": json }),
        &format!("{told}: {what} removed; {left}\n"),
    )?;
    if let Some(leftover) = leftover {
        warn_of_leftover(output, &leftover);
    }
    Ok(0)
}

fn left_text(records: &[RewriteRecord]) -> String {
    format!("`epitome verify` names {} from now on", render_count(records.len() as u64, "removal"))
}
