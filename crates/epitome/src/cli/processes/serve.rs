//! The command `epitome serve`: runs the HTTP server, with MCP over HTTP behind it, and manages its tokens. Standard
//! output gets one JSON line once connections are accepted, so that a script knows when and where; all else goes to
//! standard error.

use crate::cli::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use crate::http::{self, ServeOptions, tokens};
use clap::{Arg, ArgAction, ArgMatches, Command};
use engine::Project;
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

const ABOUT_TEXT: &str = "Serve programs over HTTP, and agents over MCP at /mcp";

const LONG_ABOUT: &str = "\
Serve programs over HTTP, and agents over MCP at /mcp

Every operation is POST /v1/NAME with the parameters as a JSON object; GET /openapi.json describes them all. GET \
/metrics is for Prometheus, GET /health for whoever restarts servers. Every request but /health carries \
`Authorization: Bearer TOKEN`. The first start makes the token; it is kept in a file that only you can read.

When connections are accepted, one JSON line with the addresses appears on standard output.";

const TOKEN_ABOUT: &str = "Print the token, or make another one for a tenant";

const TOKEN_LONG_ABOUT: &str = "\
Print the token, or make another one for a tenant

Without --tenant this is the token that `epitome serve` made for the configured tenant. With --tenant a new token is \
made, printed once and kept only as a hash in tokens.toml of the state directory; take its entry out to revoke it. \
With --member, what its holder remembers is theirs; without, it is for all of the tenant. A running server knows of changes after it is started again.";

/// The fixtures of the conformance suite open the MCP door without a token: no binary that people use has them.
const FIXTURES: bool = cfg!(debug_assertions);

pub(in crate::cli) fn build_command() -> Command {
    let token = Command::new("token").about(TOKEN_ABOUT).long_about(TOKEN_LONG_ABOUT).arg(
        Arg::new("tenant")
            .long("tenant")
            .value_name("NAME")
            .help("Make a new token for this tenant of a PostgreSQL database"),
    );
    let token = token.arg(
        Arg::new("member")
            .long("member")
            .value_name("NAME")
            .requires("tenant")
            .help("Whose token it is: what they keep is theirs until they share it"),
    );
    Command::new("serve")
        .about(ABOUT_TEXT)
        .long_about(LONG_ABOUT)
        .subcommand(token)
        .arg(
            Arg::new("address")
                .long("address")
                .value_name("ADDRESS")
                .value_parser(clap::value_parser!(SocketAddr))
                .help("Where to listen, for example 127.0.0.1:0 for any free port (default: `server.address`)"),
        )
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("PROFILE")
                .default_value("core")
                .help("Which tools MCP offers, as in `epitome mcp`"),
        )
        .arg(
            Arg::new("projects")
                .long("projects")
                .value_name("PATHS")
                .value_delimiter(',')
                .value_parser(clap::value_parser!(PathBuf))
                .help("Other projects that callers may name, too; without it only the one that is served"),
        )
        .arg(
            Arg::new("allow-remote")
                .long("allow-remote")
                .action(ArgAction::SetTrue)
                .help("Listen on an address that other machines can reach, although nothing is encrypted"),
        )
        .args(FIXTURES.then(|| {
            Arg::new("conformance-fixtures").long("conformance-fixtures").action(ArgAction::SetTrue).hide(true)
        }))
}

pub(in crate::cli) async fn run(app: App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let files = tokens::TokenFiles::new(&app.directories.state);
    if let Some(("token", arguments)) = arguments.subcommand() {
        let asked = arguments.get_one::<String>("tenant");
        let tenant = asked.unwrap_or(&app.config.database.tenant);
        // Only a named tenant gets a new token; without a name the existing one is printed, so that scripts can ask
        // again.
        let member = arguments.get_one::<String>("member").map_or("", String::as_str);
        let token =
            if asked.is_some() { files.add_token(tenant, member, &app.config)? } else { files.configured_token()? };
        output.write_reply(&json!({ "tenant": tenant, "token": token }), &format!("{token}\n"))?;
        return Ok(0);
    }
    let options = ServeOptions {
        address: arguments.get_one("address").copied().unwrap_or(app.config.server.address),
        allow_remote: arguments.get_flag("allow-remote"),
        profile: arguments.get_one::<String>("profile").cloned().unwrap_or_default(),
        shows_machine: false,
        conformance_fixtures: FIXTURES && arguments.get_flag("conformance-fixtures"),
    };
    let mut told = Ok(());
    // Hooks and transcripts of this machine belong to the configured tenant, whichever tenants call over HTTP.
    let local = Arc::new(app.for_tenant(&app.config.database.tenant, &app.config.memory.author)?);
    // A remote caller must not make the server read files of this machine.
    let named = arguments.get_many::<PathBuf>("projects").into_iter().flatten();
    let served = named.map(|path| Project::from_directory(path).map(|project| project.root));
    let app = Arc::new(app.for_remote_callers(served.collect::<Result<_, _>>()?));
    http::serve_http(app, local, options, |door| {
        let url = format!("http://{}", door.address);
        let token = tokens::shell_quote(&files.token_path());
        output.print_note(&format!("listening on {url}, MCP at {url}/mcp; Ctrl-C stops"));
        output.print_note(&format!("the dashboard is at {url}/"));
        output.print_note(&format!("the token is in {token}; a first call:"));
        output.print_note("  curl -d '{}' -H 'Content-Type: application/json' \\");
        output.print_note(&format!("    -H \"Authorization: Bearer $(cat {token})\" {url}/v1/status"));
        // The one line on standard output comes after the port is open, so that a script can wait for it.
        told = output.write_json(&json!({ "url": url, "mcp": format!("{url}/mcp") }));
    })
    .await?;
    told.map(|()| 0)
}
