//! `epitome mcp`: the MCP door on standard input and output.

use crate::compose::App;
use crate::errors::Problem;
use crate::follow::follow;
use crate::hook::drain_while_serving;
use clap::{Arg, ArgMatches, Command};
use std::sync::Arc;

pub(super) fn command() -> Command {
    Command::new("mcp").about("Serve an agent over MCP on standard input and output").arg(
        Arg::new("profile")
            .long("profile")
            .value_name("PROFILE")
            .default_value(crate::mcp::DEFAULT)
            .help("Which tools to offer: core, full, or the names of another tool (lvm, lcm, memtrace, ctx-sys)"),
    )
}

pub(super) async fn run(app: App, arguments: &ArgMatches) -> Result<u8, Problem> {
    let profile = arguments.get_one::<String>("profile").map_or(crate::mcp::DEFAULT, String::as_str);
    let app = Arc::new(app);
    follow(Arc::clone(&app));
    drain_while_serving(Arc::clone(&app));
    let served = crate::mcp::serve_stdio(Arc::clone(&app), profile).await;
    app.engine.flush().await;
    served.map(|()| 0)
}
