//! The hidden command `epitome reference`, for people who work on Epitome: writes the reference pages under
//! `docs/reference` from the definitions in the code, or checks that they are up to date.

mod pages;

use crate::cli::output::TerminalOutput;
use crate::errors::{AppError, ErrorClass};
use crate::http::openapi_document;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

pub(in crate::cli) fn build_command() -> Command {
    Command::new("reference")
        .about("Write the reference pages")
        .hide(true)
        .arg(
            Arg::new("directory")
                .value_name("DIRECTORY")
                .value_parser(value_parser!(PathBuf))
                .default_value("docs/reference")
                .help("Where they are"),
        )
        .arg(
            Arg::new("openapi")
                .long("openapi")
                .action(ArgAction::SetTrue)
                .help("Only print the description of the HTTP API, which the client libraries are written from"),
        )
        .arg(Arg::new("check").long("check").action(ArgAction::SetTrue).help("Only say whether they are fresh"))
}

pub(in crate::cli) fn run(arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    if arguments.get_flag("openapi") {
        output.write_json(&openapi_document())?;
        return Ok(0);
    }
    let fallback = PathBuf::from("docs/reference");
    let directory = arguments.get_one::<PathBuf>("directory").unwrap_or(&fallback);
    let failed = |error: std::io::Error| AppError::new(ErrorClass::Unavailable, "disk", error.to_string());
    let mut stale = Vec::new();
    for (name, page) in pages::all_pages() {
        let path = directory.join(name);
        // An unchanged page is not written again, so that its time stays and the check can be run before every commit.
        if fs_err::read_to_string(&path).is_ok_and(|text| text == page) {
            continue;
        }
        if arguments.get_flag("check") {
            stale.push(path.display().to_string());
        } else {
            fs_err::create_dir_all(directory).map_err(failed)?;
            fs_err::write(&path, page).map_err(failed)?;
            output.print_note(&format!("wrote {}", path.display()));
        }
    }
    if stale.is_empty() {
        return Ok(0);
    }
    Err(AppError::new(
        ErrorClass::Unavailable,
        "stale_reference",
        format!("not what the code says: {}", stale.join(", ")),
    )
    .with_hint("run epitome reference and commit what it writes"))
}
