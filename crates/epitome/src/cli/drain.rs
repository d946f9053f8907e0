//! The command `epitome drain`: stores the hook events that wait in the spool as messages. Every command that reads
//! conversations does so first, too.

use super::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use crate::hook::{DRAIN_WAIT_TIMEOUT, DrainReport, drain_spool};
use crate::ops::render_count;
use clap::Command;
use serde_json::json;

pub(super) fn build_command() -> Command {
    Command::new("drain")
        .about("Take in what hooks left behind; commands that look at conversations do so by themselves")
}

pub(super) async fn run(app: &App, output: &TerminalOutput) -> Result<u8, AppError> {
    let DrainReport { events, stored, waiting, quarantined } = drain_spool(app, DRAIN_WAIT_TIMEOUT).await?;
    let text = format!(
        "{}: {} stored, {waiting} waiting for their transcript, {quarantined} put aside\n",
        render_count(events, "event"),
        render_count(stored, "message")
    );
    output.write_reply(
        &json!({ "events": events, "stored": stored, "waiting": waiting, "quarantined": quarantined }),
        &text,
    )?;
    Ok(0)
}
