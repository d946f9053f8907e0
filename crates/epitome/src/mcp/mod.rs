//! The MCP server: operations as tools, over stdio and streamable HTTP, in both eras of the protocol. The SDK
//! implements the protocol; added here: which tools under which names (`profile`), argument coercion
//! (`coerce_arguments`), reply schemas (`outline`), results (`render`), progress and cancellation (`call_observer`), a
//! stdio transport that survives bad input (`stdio`). What an agent reads is the same for the same request and state.

mod any_operation;
mod call_observer;
mod coerce_arguments;
mod conformance;
mod flow_limits;
mod http;
mod outline;
mod own_command;
mod parameter_mapping;
mod profile;
mod prompts;
mod render;
mod reply_mapping;
mod resources;
mod schema;
mod server;
mod stdio;
mod tool_routes;

pub(crate) use http::{HttpOptions, build_router};
pub(crate) use profile::{DEFAULT_PROFILE, find_profile, reading_tools};
pub(crate) use tool_routes::{find_renamed, renamed_names};

use crate::compose::App;
use crate::errors::AppError;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Who may expand summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ExpansionRule {
    /// Every caller.
    #[default]
    Everybody,
    /// Only callers that work under a grant: an agent hands long reading to a subagent.
    UnderGrant,
}

/// Serves one client on standard input and output until it hangs up.
pub(crate) async fn serve_stdio(app: Arc<App>, profile: &str, expansion: ExpansionRule) -> Result<(), AppError> {
    // The client's end of input is the only way to stop here, and requests before it are finished.
    let server = server::McpHandler::new(app, self::find_profile(profile)?, CancellationToken::new());
    let server = server.with_expansion(expansion);
    stdio::serve_lines(server, tokio::io::stdin(), tokio::io::stdout()).await
}
