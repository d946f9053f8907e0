//! Builds the clap command tree of `epitome` and its `--help` page: global options, one subcommand for each operation,
//! and the commands that are no operations.

use super::command_examples::add_examples;
use crate::errors::{AppError, ErrorClass};
use crate::ops::{self, CommandGroup, PROJECT_PATH, wrap_report};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

const ABOUT_TEXT: &str = "The whole, in brief: the right context for coding agents, and none of it lost";

const EXAMPLES: &str = "\
Examples:
  epitome init                                  connect the agents that are installed here
  epitome context \"how are passwords checked\"   ask about the project around you
  epitome recall \"which port did we choose\"      ask what was said
  epitome search parse_header --limit 5         find the places
  epitome remember \"releases are cut on Fridays\" tell every later session
  epitome status                                see what is there and what runs
  epitome mcp                                   serve an agent on stdio

Exit status: 0 ok, 1 error, 2 usage, 3 nothing found, 4 not authorised, 5 integrity failure, 6 findings, 75 busy.";

pub(super) fn root_command() -> Command {
    let commands = grouped_commands();
    Command::new("epitome")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT_TEXT)
        .after_help(EXAMPLES)
        .help_template(help_template(&commands))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global_arguments())
        .subcommands(commands.into_iter().map(|(_, command)| command))
}

/// Every command with its group: operations first, in their own order.
fn grouped_commands() -> Vec<(CommandGroup, Command)> {
    let operations = ops::ALL_OPERATIONS.iter().map(|operation| (operation.command_group(), operation.build_command()));
    let others = vec![
        (CommandGroup::Remember, super::archive::build_command()),
        (CommandGroup::Remember, super::export::build_command()),
        (CommandGroup::LookAfter, super::setup::doctor::build_command()),
        (CommandGroup::LookAfter, super::setup::diagnose::build_command()),
        (CommandGroup::LookAfter, super::processes::dashboard::build_command()),
        (CommandGroup::LookAfter, super::sensitive::build_command()),
        (CommandGroup::LookAfter, super::backup::build_command()),
        (CommandGroup::LookAfter, super::salvage::build_command()),
        (CommandGroup::LookAfter, super::setup::config::build_command()),
        (CommandGroup::LookAfter, super::setup::upgrade::build_command()),
        (CommandGroup::Connect, super::setup::init::build_command()),
        (CommandGroup::Connect, super::setup::disconnect::build_command()),
        (CommandGroup::Connect, super::setup::git_hooks::build_command()),
        (CommandGroup::Connect, super::processes::mcp::build_command()),
        (CommandGroup::Connect, super::processes::serve::build_command()),
        (CommandGroup::Connect, super::database::build_command()),
        (CommandGroup::Connect, super::setup::completions::build_command()),
        (CommandGroup::Plumbing, super::drain::build_command()),
        (CommandGroup::Plumbing, super::processes::watch::build_command()),
        (CommandGroup::Plumbing, super::processes::daemon::build_command()),
        (CommandGroup::Plumbing, super::processes::hook::build_command()),
        (CommandGroup::Plumbing, super::setup::completions::man_command()),
        (CommandGroup::Plumbing, super::setup::reference::build_command()),
    ];
    operations.chain(others.into_iter().map(|(group, command)| (group, add_examples(command)))).collect()
}

/// The page of `epitome --help`: the library lists commands without headings, so the list is part of the template.
fn help_template(commands: &[(CommandGroup, Command)]) -> String {
    // Hidden commands are called by other programs, and would only lengthen the list.
    let is_shown = |command: &&(CommandGroup, Command)| !command.1.is_hide_set();
    let width = commands.iter().filter(is_shown).map(|(_, command)| command.get_name().len()).max().unwrap_or(0);
    let mut groups = String::new();
    for (group, heading) in CommandGroup::ALL {
        let _ = writeln!(groups, "{heading}:");
        for (_, command) in commands.iter().filter(is_shown).filter(|(of, _)| *of == group) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(groups, "  {:width$}  {about}", command.get_name());
        }
        groups.push('\n');
    }
    // The library wraps what it lists itself, and takes the template as it is.
    let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    if let Some((width, _)) = terminal {
        groups = wrap_report(&groups, width.0.into());
    }
    format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Everywhere:\n{{options}}{{after-help}}")
}

fn global_arguments() -> [Arg; 5] {
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
    // Most commands do not have this argument, and clap panics when a missing one is asked for directly.
    let own = matches.subcommand().and_then(|(_, arguments)| arguments.try_get_one::<PathBuf>(PROJECT_PATH).ok()?);
    own.or_else(|| matches.get_one::<PathBuf>("project")).cloned()
}

/// Help and version go out as asked; anything else is a usage error.
pub(super) fn print_refusal(error: &clap::Error) -> ExitCode {
    // If even this cannot be printed, there is no other place to report to.
    let _ = error.print();
    // A script that asked for JSON gets JSON for a wrong argument, too; clap failed before it could tell us of the
    // flag.
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        // The usage lines behind the first empty line are for people.
        let told: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = told.join(" ").trim_start_matches("error: ").to_owned();
        let problem =
            AppError::new(ErrorClass::Usage, "usage", message).with_hint("epitome --help, or --help behind a command");
        let _ = writeln!(std::io::stdout(), "{}", problem.to_json());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
