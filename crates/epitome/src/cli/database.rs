//! The command `epitome database`: prepares a PostgreSQL database for use by a team.

use super::output::TerminalOutput;
use crate::compose::{self, AppRole};
use crate::errors::{AppError, ErrorClass};
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use serde_json::json;
use std::path::PathBuf;

pub(super) fn build_command() -> Command {
    let url = Arg::new("url")
        .value_name("URL")
        .required(true)
        .help("The database as its owner sees it: postgres://owner@host/database");
    let role = Arg::new("role")
        .long("role")
        .value_name("NAME")
        .default_value("epitome_app")
        .help("The role that Epitome connects as; made when it does not exist");
    let password = Arg::new("password-file")
        .long("password-file")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
        .help("A file with the password to give that role; without it the role keeps what it has");
    let init = Command::new("init")
        .about("Make a database ready, or bring it up to date: tables, a role with few rights, row-level security")
        .args([url.clone(), role.clone(), password.clone()]);
    let name = Arg::new("tenant").value_name("NAME").required(true).help("The tenant; any name but the empty one");
    let tenant = Command::new("tenant")
        .about("Print the URL for one tenant of a database, which opens no other tenant")
        .args([url, name, role, password]);
    Command::new("database")
        .about("Prepare a PostgreSQL database")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([init, tenant])
}

pub(super) async fn run(arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let (action, arguments) = arguments.subcommand().unwrap_or(("init", arguments));
    let word = |name: &str| arguments.get_one::<String>(name).cloned().unwrap_or_default();
    let password = match arguments.get_one::<PathBuf>("password-file") {
        Some(file) => {
            let text = fs_err::read_to_string(file)
                .map_err(|error| AppError::new(ErrorClass::Usage, "password_file", error.to_string()))?;
            // Editors end a file with a newline, which is not part of the password.
            Some(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        None => None,
    };
    let role = AppRole { name: word("role"), password };
    if action == "tenant" {
        let tenant = word("tenant");
        let url = compose::tenant_url(&word("url"), role, &tenant).await?;
        let text = format!("epitome config set database.tenant '{tenant}'\nepitome config set database.url '{url}'\n");
        output.write_reply(&json!({ "url": url, "tenant": tenant }), &text)?;
        return Ok(0);
    }
    let ready = compose::init_database(&word("url"), role).await?;
    let text = match ready.found {
        version if version == ready.version => format!("was ready (schema {version})\n"),
        0 => format!("made ready (schema {})\n", ready.version),
        found => format!("brought from schema {found} to {}\n", ready.version),
    };
    let json = json!({ "url": ready.url, "schema_found": ready.found, "schema": ready.version });
    output.write_reply(&json, &format!("{text}epitome config set database.url '{}'\n", ready.url))?;
    Ok(0)
}
