//! Builds the clap command tree of `epitome` and its `--help` page: global options, one subcommand for each operation,
//! and the commands that are no operations.

use super::command_examples::add_examples;
use crate::errors::{AppError, ErrorClass};
use crate::ops::{self, AnyOperation, CommandGroup, PROJECT_PATH, wrap_report};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use std::ffi::OsString;
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

/// Makes a command with its arguments.
type CommandBuilder = fn() -> Command;

/// The commands that are no operations.
const OTHER_COMMANDS: [(&str, CommandGroup, CommandBuilder); 23] = [
    ("archive", CommandGroup::Remember, super::archive::build_command),
    ("export", CommandGroup::Remember, super::export::build_command),
    ("doctor", CommandGroup::LookAfter, super::setup::doctor::build_command),
    ("diagnose", CommandGroup::LookAfter, super::setup::diagnose::build_command),
    ("dashboard", CommandGroup::LookAfter, super::processes::dashboard::build_command),
    ("sensitive", CommandGroup::LookAfter, super::sensitive::build_command),
    ("backup", CommandGroup::LookAfter, super::backup::build_command),
    ("salvage", CommandGroup::LookAfter, super::salvage::build_command),
    ("config", CommandGroup::LookAfter, super::setup::config::build_command),
    ("upgrade", CommandGroup::LookAfter, super::setup::upgrade::build_command),
    ("init", CommandGroup::Connect, super::setup::init::build_command),
    ("disconnect", CommandGroup::Connect, super::setup::disconnect::build_command),
    ("git-hooks", CommandGroup::Connect, super::setup::git_hooks::build_command),
    ("mcp", CommandGroup::Connect, super::processes::mcp::build_command),
    ("serve", CommandGroup::Connect, super::processes::serve::build_command),
    ("database", CommandGroup::Connect, super::database::build_command),
    ("completions", CommandGroup::Connect, super::setup::completions::build_command),
    ("drain", CommandGroup::Plumbing, super::drain::build_command),
    ("watch", CommandGroup::Plumbing, super::processes::watch::build_command),
    ("daemon", CommandGroup::Plumbing, super::processes::daemon::build_command),
    ("hook", CommandGroup::Plumbing, super::processes::hook::build_command),
    ("man", CommandGroup::Plumbing, super::setup::completions::man_command),
    ("reference", CommandGroup::Plumbing, super::setup::reference::build_command),
];

/// Reads the arguments that the process was started with.
pub(super) fn parse_arguments(arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
    // To build all commands takes longer than most of them run, so only the one that is named is built at first.
    let narrow = bare_root().subcommands(named_command(arguments).and_then(build_named));
    match narrow.try_get_matches_from(arguments) {
        // A refusal may have to name other commands, and a page of help lists them.
        Err(refusal) if refusal.kind() != ErrorKind::DisplayVersion => root_command().try_get_matches_from(arguments),
        read => read,
    }
}

/// The first argument that is neither an option of every command nor the value of one.
fn named_command(arguments: &[OsString]) -> Option<&str> {
    let mut rest = arguments.iter().skip(1).map(|argument| argument.to_str());
    while let Some(argument) = rest.next() {
        match argument? {
            "--project" | "--color" | "--set" => {
                rest.next();
            }
            option if option.starts_with('-') => {}
            name => return Some(name),
        }
    }
    None
}

fn build_named(name: &str) -> Option<Command> {
    let operation = ops::find_operation(name).map(AnyOperation::build_command);
    operation.or_else(|| {
        let (_, _, build) = OTHER_COMMANDS.iter().find(|(known, _, _)| *known == name)?;
        Some(add_examples(build()))
    })
}

/// The whole command line, for help and for what is made from all of it.
pub(super) fn root_command() -> Command {
    let commands = grouped_commands();
    let template = help_template(&commands);
    bare_root().help_template(template).subcommands(commands.into_iter().map(|(_, command)| command))
}

/// What is before any command.
fn bare_root() -> Command {
    Command::new("epitome")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT_TEXT)
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global_arguments())
}

/// Every command with its group: operations first, in their own order.
fn grouped_commands() -> Vec<(CommandGroup, Command)> {
    let operations = ops::ALL_OPERATIONS.iter().map(|operation| (operation.command_group(), operation.build_command()));
    let others = OTHER_COMMANDS.iter().map(|(_, group, build)| (*group, add_examples(build())));
    operations.chain(others).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_command_that_is_named_is_the_first_word_that_is_no_option() {
        let named = |line| named_command(&words(line)).map(str::to_owned);
        assert_eq!(named("epitome --json --project search --set a=b -q status").as_deref(), Some("status"));
        assert_eq!(named("epitome --project=search value --by day").as_deref(), Some("value"));
        assert_eq!(named("epitome --version"), None);
    }

    #[test]
    fn every_command_is_found_by_the_name_that_it_has() {
        for command in root_command().get_subcommands() {
            assert_eq!(build_named(command.get_name()).as_ref().map(Command::get_name), Some(command.get_name()));
        }
    }

    #[test]
    fn what_one_command_reads_and_refuses_is_what_all_of_them_would() {
        let lines = [
            "epitome --json search cart --limit 3",
            "epitome search --project here cart",
            "epitome",
            "epitome --version",
            "epitome serach cart",
            "epitome search --limti 3",
            "epitome help",
            "epitome --help",
            "epitome search --help",
        ];
        for line in lines {
            let said = |read: Result<ArgMatches, clap::Error>| match read {
                Ok(read) => format!("json {}: {:?}", read.get_flag("json"), read.subcommand()),
                Err(refusal) => refusal.render().to_string(),
            };
            let all = root_command().try_get_matches_from(words(line));
            assert_eq!(said(parse_arguments(&words(line))), said(all), "{line}");
        }
    }
}
