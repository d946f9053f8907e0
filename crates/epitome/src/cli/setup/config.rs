//! The command `epitome config`: lists settings with the place where each was set, prints one, or changes one in the
//! user's file.

use crate::cli::CommandSetup;
use crate::cli::output::TerminalOutput;
use crate::config::{edit, listing};
use crate::errors::AppError;
use clap::{Arg, ArgMatches, Command};
use serde_json::json;
use std::fmt::Write;

pub(in crate::cli) fn build_command() -> Command {
    let key = || Arg::new("key").value_name("KEY").required(true).help("The key, for example context.budget");
    Command::new("config")
        .about("Show and change the configuration")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list").about("Show every value with where it comes from"))
        .subcommand(Command::new("get").about("Show one value").arg(key()))
        .subcommand(
            Command::new("set")
                .about("Set one value in the user file")
                .arg(key())
                .arg(Arg::new("value").value_name("VALUE").required(true).help("The value, as TOML or as plain text")),
        )
        .subcommand(Command::new("path").about("Show which files and directories are used"))
}

pub(in crate::cli) fn run(
    start: &CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let (name, arguments) = arguments.subcommand().unwrap_or(("list", arguments));
    let word = |name: &str| arguments.get_one::<String>(name).map_or("", String::as_str);
    let loaded = &start.loaded;
    match name {
        "get" => {
            let entry = listing::find_entry(loaded, word("key"))?;
            let json = json!({ "key": entry.key, "value": entry.value, "origin": entry.origin, "about": entry.about });
            output.write_reply(&json, &format!("{}\n", entry.value))?;
        }
        "set" => {
            // `set` writes to the user file only: the project file is shared through git, and may only narrow.
            let file = loaded.directories.user_file();
            edit::set_key(&file, word("key"), word("value"))?;
            output
                .write_reply(&json!({ "file": file, "key": word("key") }), &format!("set in {}\n", file.display()))?;
        }
        "path" => {
            let paths = listing::config_paths(&loaded.directories, Some(&start.project.root));
            let json = paths.iter().map(|(name, path)| ((*name).to_owned(), json!(path))).collect();
            let text = paths.iter().fold(String::new(), |mut text, (name, path)| {
                let _ = writeln!(text, "{name:<14}{}", path.display());
                text
            });
            output.write_reply(&serde_json::Value::Object(json), &text)?;
        }
        _ => {
            let entries = listing::list_entries(loaded);
            let json = entries.iter().map(
                |entry| json!({ "key": entry.key, "value": entry.value, "origin": entry.origin, "about": entry.about }),
            );
            let text = entries.iter().fold(String::new(), |mut text, entry| {
                let _ = writeln!(text, "{} = {}  # {}", entry.key, entry.value, entry.origin);
                text
            });
            output.write_reply(&json!({ "values": json.collect::<Vec<_>>() }), &text)?;
        }
    }
    Ok(0)
}
