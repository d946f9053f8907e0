//! The command `epitome dashboard`: serves the dashboard on a free port of this machine, and opens a browser with a link
//! that signs it in once.

use crate::cli::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use crate::http::{self, ServeOptions};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::sync::Arc;

const ABOUT_TEXT: &str = "Show in the browser what is stored, indexed, remembered and saved";

const LONG_ABOUT: &str = "\
Show in the browser what is stored, indexed, remembered and saved

The pages are served by this process on a free port of this machine until Ctrl-C. The link that it opens and prints signs \
one browser in, once, within two minutes. `epitome serve` has the same pages at `/`, for people who have its token.

Examples:
  epitome dashboard
  epitome dashboard --no-browser        print the link only";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("dashboard").about(ABOUT_TEXT).long_about(LONG_ABOUT).arg(
        Arg::new("no-browser").long("no-browser").action(ArgAction::SetTrue).help("Print the link and open no browser"),
    )
}

pub(in crate::cli) async fn run(app: App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let options = ServeOptions {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        allow_remote: false,
        profile: "core".to_owned(),
        conformance_fixtures: false,
        shows_machine: true,
    };
    let opens_browser = !arguments.get_flag("no-browser");
    let local = Arc::new(app.for_tenant(&app.config.database.tenant, &app.config.memory.author)?);
    let app = Arc::new(app.for_remote_callers(Vec::new()));
    let mut told = Ok(());
    http::serve_http(app, local, options, |door| {
        let url = format!("http://{}", door.address);
        let link = format!("{url}{}", door.sign_in);
        output.print_note("this link opens the dashboard in one browser, once; Ctrl-C ends the pages");
        told = output.write_reply(&json!({ "url": url, "link": link }), &format!("{link}\n"));
        if opens_browser && !open_browser(&link) {
            output.print_note("no browser could be started: open the link yourself");
        }
    })
    .await?;
    told.map(|()| 0)
}

/// Asks the desktop to open an address; whether there is one to ask.
fn open_browser(link: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = std::process::Command::new(program);
    command.args(arguments).arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
