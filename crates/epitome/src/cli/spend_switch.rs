//! The options `epitome value --stop` and `--resume`: switch off and on all calls to models that cost money. Only the
//! command line has this switch: a program that is asked to save money must not be able to allow itself to spend it.

use super::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use clap::ArgMatches;
use engine::SpendSwitch;
use serde_json::json;

/// Whether the switch is to be turned.
pub(super) fn switches_spending(arguments: &ArgMatches) -> bool {
    arguments.get_flag("stop") || arguments.get_flag("resume")
}

pub(super) async fn run(app: &App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let switch = if arguments.get_flag("stop") { SpendSwitch::Stop } else { SpendSwitch::Resume };
    app.engine.switch_spending(switch).await?;
    let words = match switch {
        SpendSwitch::Stop => "all model calls are stopped\n",
        SpendSwitch::Resume => "model calls are allowed under their limits\n",
    };
    output.write_reply(&json!({ "stopped": switch == SpendSwitch::Stop }), words)?;
    Ok(0)
}
