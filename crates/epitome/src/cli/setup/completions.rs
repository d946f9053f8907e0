//! The commands `epitome completions` and `epitome man` (hidden): print shell completions and the manual page, both
//! made from the command tree.

use crate::cli::command_tree;
use crate::cli::output::TerminalOutput;
use crate::errors::{AppError, ErrorClass};
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

pub(in crate::cli) fn build_command() -> Command {
    Command::new("completions")
        .about("Print a completion script for a shell")
        .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)).help("The shell"))
}

pub(in crate::cli) fn man_command() -> Command {
    Command::new("man").about("Print the manual page").hide(true)
}

pub(in crate::cli) fn run(arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let shell = *arguments.get_one::<Shell>("shell").unwrap_or(&Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_tree::root_command(), "epitome", &mut script);
    output.write_text(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub(in crate::cli) fn print_manual(output: &TerminalOutput) -> Result<u8, AppError> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command_tree::root_command())
        .render(&mut page)
        .map_err(|error| AppError::new(ErrorClass::Internal, "internal", error.to_string()))?;
    output.write_text(&String::from_utf8_lossy(&page))?;
    Ok(0)
}
