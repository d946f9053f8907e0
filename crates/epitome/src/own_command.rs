//! Runs a command of ours that is no operation (`doctor`) as a process of its own and gives its JSON, for profiles whose
//! system offers it as a tool, and for the dashboard. It reads the machine, so only somebody on this machine may run it.

use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use crate::ops::{CommandExit, OperationAnswer};
use engine::CallFacts;
use std::process::Stdio;
use std::time::Duration;

/// How long a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) async fn run(app: &App, words: &[String]) -> Result<OperationAnswer, AppError> {
    if app.is_for_remote_callers() {
        let message = format!("`{}` looks at the machine of the server", words.join(" "));
        return Err(AppError::new(ErrorClass::Forbidden, "not_allowed", message).with_hint("run it there"));
    }
    let failed = |what: String| AppError::new(ErrorClass::Unavailable, "command", what);
    let program = std::env::current_exe().map_err(|error| failed(format!("cannot find this program: {error}")))?;
    let mut command = tokio::process::Command::new(program);
    command.args(words).args(["--json", "--quiet"]).arg("--project").arg(&app.project.root);
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let ended = tokio::time::timeout(COMMAND_TIMEOUT, command.output()).await;
    let ended = ended.map_err(|_| failed(format!("`{}` took too long", words.join(" "))))?;
    let output = ended.map_err(|error| failed(format!("cannot run `{}`: {error}", words.join(" "))))?;
    let json =
        serde_json::from_slice(&output.stdout).map_err(|_| failed(format!("`{}` gave no answer", words.join(" "))))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(OperationAnswer { json, text, exit: CommandExit::Ok, is_escaped: false, facts: CallFacts::default() })
}
