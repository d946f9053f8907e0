//! `epitome value --stop` and `--resume`: the switch for all spending.
//!
//! Only here: a program that is asked to save money must not be able to allow itself to spend it.

use super::output::Output;
use crate::compose::App;
use crate::errors::Problem;
use clap::{Arg, ArgAction, ArgMatches, Command};
use engine::Switch;
use serde_json::json;

/// The switch, on a command that otherwise shows things.
pub(super) fn with_switch(command: Command) -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    command
        .arg(
            flag("stop")
                .conflicts_with("resume")
                .help("Stop all model calls at once, of every process, until --resume"),
        )
        .arg(flag("resume").help("Allow model calls again, under their limits"))
}

/// Whether the switch is to be turned.
pub(super) fn turns(arguments: &ArgMatches) -> bool {
    arguments.get_flag("stop") || arguments.get_flag("resume")
}

pub(super) async fn run(app: &App, arguments: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let switch = if arguments.get_flag("stop") { Switch::Stop } else { Switch::Resume };
    app.engine.switch_spending(switch).await?;
    let words = match switch {
        Switch::Stop => "all model calls are stopped\n",
        Switch::Resume => "model calls are allowed under their limits\n",
    };
    output.either(&json!({ "stopped": switch == Switch::Stop }), words)?;
    Ok(0)
}
