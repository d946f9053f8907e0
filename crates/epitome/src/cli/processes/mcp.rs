//! The command `epitome mcp`: serves MCP to one agent on standard input and output.

use crate::background::{JobResources, ProcessKind, start_jobs};
use crate::compose::App;
use crate::errors::AppError;
use crate::mcp::ExpansionRule;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(in crate::cli) fn build_command() -> Command {
    Command::new("mcp")
        .about("Serve an agent over MCP on standard input and output")
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("PROFILE")
                .default_value(crate::mcp::DEFAULT_PROFILE)
                .help("Which tools to offer: core, full, or the names of another tool (lvm, lcm, memtrace, ctx-sys)"),
        )
        .arg(
            Arg::new("subagents-only")
                .long("subagents-only")
                .action(ArgAction::SetTrue)
                .help("Expand summaries only for callers with a grant, as subagents get one (epitome grant)"),
        )
}

pub(in crate::cli) async fn run(app: App, arguments: &ArgMatches) -> Result<u8, AppError> {
    let profile = arguments.get_one::<String>("profile").map_or(crate::mcp::DEFAULT_PROFILE, String::as_str);
    let expansion =
        if arguments.get_flag("subagents-only") { ExpansionRule::UnderGrant } else { ExpansionRule::Everybody };
    let app = Arc::new(app.for_agents());
    let stop = CancellationToken::new();
    start_jobs(ProcessKind::McpServer, &JobResources::for_app(&app, stop.clone()));
    let served = crate::mcp::serve_stdio(Arc::clone(&app), profile, expansion).await;
    // The jobs end first, so that none starts new work while the rest is written.
    stop.cancel();
    // What was counted is kept in memory until here; a process that ends without it loses the last entries of the
    // ledger.
    app.engine.flush_pending().await;
    served.map(|()| 0)
}
