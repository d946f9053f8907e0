//! The MCP server: operations as tools, over stdio and streamable HTTP, in both eras of the protocol. The SDK
//! implements the protocol; added here: which tools under which names (`profile`), argument coercion
//! (`coerce_arguments`), reply schemas (`outline`), results (`render`), progress and cancellation (`call_observer`), a
//! stdio transport that survives bad input (`stdio`). What an agent reads is the same for the same request and state.

mod any_operation;
mod call_observer;
mod coerce_arguments;
mod conformance;
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

pub(crate) use http::{HttpOptions, build_router};
pub(crate) use profile::{DEFAULT, find_profile, reading_tools};

use crate::compose::App;
use crate::errors::AppError;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Serves one client on standard input and output until it hangs up.
pub(crate) async fn serve_stdio(app: Arc<App>, profile: &str) -> Result<(), AppError> {
    // The client's end of input is the only way to stop here, and requests before it are finished.
    let server = server::McpHandler::new(app, self::find_profile(profile)?, CancellationToken::new());
    stdio::serve_lines(server, tokio::io::stdin(), tokio::io::stdout()).await
}
