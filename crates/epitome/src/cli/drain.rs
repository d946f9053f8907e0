//! `epitome drain`: takes in what hooks left behind. Every command that looks at conversations does it, too.

use super::output::Output;
use crate::compose::App;
use crate::errors::Problem;
use crate::hook::{Drained, PATIENCE, drain};
use crate::ops::count;
use clap::Command;
use serde_json::json;

pub(super) fn command() -> Command {
    Command::new("drain")
        .about("Take in what hooks left behind; commands that look at conversations do so by themselves")
}

pub(super) async fn run(app: &App, output: &Output) -> Result<u8, Problem> {
    let Drained { events, stored, waiting, quarantined } = drain(app, PATIENCE).await?;
    let text = format!(
        "{}: {} stored, {waiting} waiting for their transcript, {quarantined} put aside\n",
        count(events, "event"),
        count(stored, "message")
    );
    output.either(
        &json!({ "events": events, "stored": stored, "waiting": waiting, "quarantined": quarantined }),
        &text,
    )?;
    Ok(0)
}
