//! Entry point of `cargo xtask`, the project's development commands: `cargo xtask ci` checks what must hold before a
//! change goes in, the others are its parts. One file per command, one line per command in [`COMMANDS`].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to the person who runs it")]
#![allow(clippy::disallowed_methods, reason = "a chore runs on the developer's machine, with its environment")]

use std::process::ExitCode;

use anyhow::{Result, bail};

mod bench;
mod browser;
mod ci;
mod clients;
mod conformance;
mod crash_cluster;
mod dist;
mod editor;
mod hosts;
mod licences;
mod pictures;
mod process;
mod provision;
mod repository;
mod seeded_random;
mod served_process;
mod site;
mod tidy;
mod torture;

struct XtaskCommand {
    name: &'static str,
    summary: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[XtaskCommand] = &[
    XtaskCommand { name: "ci", summary: "run every check, stage by stage (--list, --only STAGE)", run: ci::run },
    XtaskCommand { name: "tidy", summary: "check the house rules that a reading of the text can hold", run: tidy::run },
    XtaskCommand {
        name: "provision",
        summary: "make this machine able to run the tests: PostgreSQL, Node, Chromium, crates",
        run: provision::run,
    },
    XtaskCommand {
        name: "clients",
        summary: "write the typed part of the client libraries, or run their tests (--check)",
        run: clients::run,
    },
    XtaskCommand {
        name: "dist",
        summary: "make the packages of a release (--out DIR), or install and use each (--check DIR)",
        run: dist::run,
    },
    XtaskCommand {
        name: "editor",
        summary: "pack the extension for VS Code and use it in the real workbench (--pack: no workbench)",
        run: editor::run,
    },
    XtaskCommand { name: "site", summary: "make the site of README, guides and reference (--out DIR)", run: site::run },
    XtaskCommand {
        name: "conformance",
        summary: "run the official MCP conformance suite against the server",
        run: conformance::run,
    },
    XtaskCommand {
        name: "browser",
        summary: "look at every page of the dashboard in Chromium, with a full, an empty and a hostile store",
        run: browser::run,
    },
    XtaskCommand {
        name: "pictures",
        summary: "take the pictures that README and docs show, into docs/pictures",
        run: pictures::run,
    },
    XtaskCommand {
        name: "licences",
        summary: "check the licence and source of every dependency against deny.toml",
        run: licences::run,
    },
    XtaskCommand {
        name: "torture",
        summary: "kill, starve and damage the debug binary, and look what is lost (--tenth, --seed N, --only NAME, --round N)",
        run: torture::run,
    },
    XtaskCommand {
        name: "hosts",
        summary: "play a day in the real agents against a scripted model (NAME…, --record, --keep)",
        run: hosts::run,
    },
    XtaskCommand { name: "bench", summary: "measure the release binary and record the run (NAME…)", run: bench::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run_command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_command(arguments: &[String]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else { bail!("no command given\n{}", render_usage()) };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        println!("{}", render_usage());
        return Ok(());
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => bail!("unknown command `{name}`\n{}", render_usage()),
    }
}

fn render_usage() -> String {
    let commands: Vec<String> = COMMANDS.iter().map(|it| format!("  {:12} {}", it.name, it.summary)).collect();
    format!("usage: cargo xtask COMMAND\n\n{}", commands.join("\n"))
}

/// For the commands that take no argument.
fn refuse_arguments(arguments: &[String]) -> Result<()> {
    match arguments.first() {
        None => Ok(()),
        Some(argument) => bail!("unexpected argument `{argument}`"),
    }
}
