//! `epitome completions` and the manual page, both made from the command tree.

use super::output::Output;
use super::root;
use crate::errors::{Class, Problem};
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

pub(super) fn command() -> Command {
    Command::new("completions")
        .about("Print a completion script for a shell")
        .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)).help("The shell"))
}

pub(super) fn man_command() -> Command {
    Command::new("man").about("Print the manual page").hide(true)
}

pub(super) fn run(arguments: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let shell = *arguments.get_one::<Shell>("shell").unwrap_or(&Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut root::command(), "epitome", &mut script);
    output.data(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub(super) fn man(output: &Output) -> Result<u8, Problem> {
    let mut page = Vec::new();
    clap_mangen::Man::new(root::command())
        .render(&mut page)
        .map_err(|error| Problem::new(Class::Internal, "internal", error.to_string()))?;
    output.data(&String::from_utf8_lossy(&page))?;
    Ok(0)
}
