//! The command tree: global options, one subcommand per operation, and the rest.

use crate::errors::{Class, Problem};
use crate::ops;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

const ABOUT: &str = "The whole, in brief: the right context for coding agents, and none of it lost";

const EXAMPLES: &str = "\
Examples:
  epitome init                                  connect the agents that are installed here
  epitome context \"how are passwords checked\"   ask about the project around you
  epitome search parse_header --limit 5         find the places
  epitome read src/lib.rs --mode map            see the shape of a file
  epitome mcp                                   serve an agent on stdio

Exit status: 0 ok, 1 error, 2 usage, 3 nothing found, 4 not authorised, 5 integrity failure, 6 findings, 75 busy.";

pub(super) fn command() -> Command {
    let operations = ops::ALL.iter().map(|operation| match operation.name() {
        "index" => operation.command().arg(
            Arg::new("path")
                .value_name("PATH")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("The project to index; the same as --project"),
        ),
        "relations" => super::relations::with_flag(operation.command()),
        "value" => super::value::with_switch(operation.command()),
        _ => operation.command(),
    });
    Command::new("epitome")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global())
        .subcommands(operations)
        .subcommands([
            super::init::command(),
            super::disconnect::command(),
            super::hook::command(),
            super::daemon::command(),
            super::drain::command(),
            super::git_hooks::command(),
            super::export::command(),
            super::mcp::command(),
            super::serve::command(),
            super::watch::command(),
            super::config::command(),
            super::sensitive::command(),
            super::database::command(),
            super::doctor::command(),
            super::completions::command(),
            super::completions::man_command(),
            super::reference::command(),
        ])
}

fn global() -> [Arg; 5] {
    let heading = "Everywhere";
    [
        Arg::new("project")
            .long("project")
            .value_name("PATH")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::DirPath)
            .help("The project (default: the one around the current directory)"),
        Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print exactly one JSON object"),
        Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue).help("No progress, no warnings"),
        Arg::new("color")
            .long("color")
            .value_name("WHEN")
            .value_parser(["auto", "always", "never"])
            .default_value("auto")
            .help("Use colours; NO_COLOR turns them off too"),
        Arg::new("set")
            .long("set")
            .value_name("KEY=VALUE")
            .action(ArgAction::Append)
            .help("Override one configuration value, for example context.budget=2000"),
    ]
    .map(|argument| argument.global(true).help_heading(heading))
}

/// The project the command line names, if it names one.
pub(super) fn project_argument(matches: &ArgMatches) -> Option<PathBuf> {
    let own = matches.subcommand().and_then(|(name, arguments)| match name {
        "index" => arguments.get_one::<PathBuf>("path"),
        _ => None,
    });
    own.or_else(|| matches.get_one::<PathBuf>("project")).cloned()
}

/// Help and version go out as asked; anything else is a usage error.
pub(super) fn refuse(error: &clap::Error) -> ExitCode {
    // Nobody is left to tell when even this cannot be printed.
    let _ = error.print();
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let told: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = told.join(" ").trim_start_matches("error: ").to_owned();
        let problem = Problem::new(Class::Usage, "usage", message).hint("epitome --help, or --help behind a command");
        let _ = writeln!(std::io::stdout(), "{}", problem.json());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
