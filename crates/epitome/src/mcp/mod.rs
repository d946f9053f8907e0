//! The MCP server: operations as tools, over stdio and streamable HTTP, in both eras of the protocol. The SDK
//! implements the protocol; added here: which tools under which names (`profile`), argument coercion
//! (`coerce_arguments`), reply schemas (`outline`), results (`render`), progress and cancellation (`call_observer`), a
//! stdio transport that survives bad input (`stdio`). What an agent reads is the same for the same request and state.

mod any_operation;
mod call_observer;
mod call_window;
mod coerce_arguments;
mod conformance;
mod flow_limits;
mod http;
mod outline;
mod parameter_mapping;
mod profile;
mod prompts;
mod render;
mod reply_mapping;
mod resources;
mod schema;
mod server;
mod stdio;
mod suggestion_updates;
mod tool_routes;

pub(crate) use http::{HttpOptions, build_router};
pub(crate) use profile::{DEFAULT_PROFILE, find_profile, reading_tools};
pub(crate) use tool_routes::{find_renamed, renamed_names};

use crate::compose::App;
use crate::errors::AppError;
use model::DigestBuilder;
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
    let session = app.config.ledger.session.clone();
    let session = if session.is_empty() { new_session() } else { session };
    // The client's end of input is the only way to stop here, and requests before it are finished.
    let server = server::McpHandler::new(app, self::find_profile(profile)?, CancellationToken::new());
    let server = server.with_expansion(expansion).with_session(session);
    stdio::serve_lines(server, tokio::io::stdin(), tokio::io::stdout()).await
}

/// A name for the session of a client that names none: its process and the moment at which it began.
fn new_session() -> String {
    let at = crate::compose::current_time().0;
    let digest = DigestBuilder::new("mcp session").add_field(&at.to_le_bytes());
    let hash = digest.add_field(&std::process::id().to_le_bytes()).finish().to_string();
    format!("mcp-{}", &hash[..12])
}
