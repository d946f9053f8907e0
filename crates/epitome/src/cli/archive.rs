//! The command `epitome archive`: puts conversations away, which is `epitome session archive` for each of them.

use super::observer::TerminalObserver;
use super::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use crate::ops::memory::session::SessionOperation;
use crate::ops::{AnyOperation as _, ErasedOperation};
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

pub(super) fn build_command() -> Command {
    Command::new("archive")
        .about("Put conversations away; nothing is hidden or deleted")
        .arg(
            Arg::new("conversation")
                .value_name("CONVERSATION")
                .required(true)
                .num_args(1..)
                .help("The conversation's name or id, or `latest`"),
        )
        .after_help("Example:\n  epitome archive a6a3")
}

pub(super) async fn run(app: &App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let observer = TerminalObserver::new(output);
    let call = app.build_call(&observer);
    let mut sessions: Vec<Value> = Vec::new();
    let mut text = String::new();
    for name in arguments.get_many::<String>("conversation").into_iter().flatten() {
        let parameters = json!({ "action": "archive", "session": name });
        let answer = ErasedOperation::<SessionOperation>::NEW.run_json(&call, parameters).await?;
        sessions.extend(answer.json["sessions"].as_array().cloned().unwrap_or_default());
        text.push_str(&answer.text);
    }
    drop(observer);
    output.write_reply(&json!({ "sessions": sessions }), &text)?;
    Ok(0)
}
