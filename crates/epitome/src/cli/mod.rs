//! The command line: parses the arguments and runs a command, either an operation as a subcommand or one that is no
//! operation. Only this interface prints. Standard output is data (with `--json` exactly one JSON object), standard
//! error is for messages.

mod archive;
mod backup;
mod command_examples;
mod command_tree;
mod database;
mod drain;
mod export;
mod ingest;
mod links;
mod observer;
mod operation;
mod output;
pub(crate) mod processes;
mod project;
mod relations_export;
mod salvage;
mod sensitive;
mod sensitive_purge;
mod sensitive_scan;
mod setup;
mod spend_switch;

use crate::compose::{self, App};
use crate::config::{ConfigSources, Environment, LoadedConfig};
use crate::errors::{AppError, ErrorClass};
use clap::ArgMatches;
use engine::Project;
use output::TerminalOutput;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the command that the process was started with. `begin` is called when it is known and about to run.
pub(crate) fn main(begin: impl FnOnce()) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let matches = match command_tree::parse_arguments(&arguments) {
        Ok(matches) => matches,
        Err(error) => return command_tree::print_refusal(&error),
    };
    begin();
    let output = TerminalOutput::new(&matches);
    ExitCode::from(match run_command(&matches, &output) {
        Ok(status) => status,
        Err(problem) => output.print_error(&problem),
    })
}

/// One match arm per command; what is not named here is an operation.
fn run_command(matches: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let (name, arguments) = matches.subcommand().unwrap_or(("help", matches));
    match name {
        "completions" => setup::completions::run(arguments, output),
        "man" => setup::completions::print_manual(output),
        // These commands print what is compiled in, so they work even with a broken configuration.
        "reference" => setup::reference::run(arguments, output),
        _ => {
            let start = CommandSetup::new(matches)?;
            start.print_warnings(output);
            match name {
                "config" => setup::config::run(&start, arguments, output),
                "sensitive" if !sensitive::needs_store(arguments) => sensitive::run(&start, arguments, output),
                "init" => setup::init::run(&start, arguments, output),
                "disconnect" => setup::disconnect::run(&start, arguments, output),
                "upgrade" => setup::upgrade::run(&start, output),
                "salvage" => salvage::run(&start, arguments, output),
                _ => start.with_runtime(async |start| match name {
                    "daemon" => processes::daemon::run(start, arguments, output).await,
                    "git-hooks" => setup::git_hooks::run(start, arguments, output).await,
                    "diagnose" => setup::diagnose::run(&start, arguments, output),
                    "doctor" => Box::pin(setup::doctor::run(start, arguments, output)).await,
                    "database" => database::run(arguments, output).await,
                    "mcp" => processes::mcp::run(start.open_app().await?, arguments).await,
                    "drain" => drain::run(&start.open_app().await?, output).await,
                    "watch" => processes::watch::run(&start.open_app().await?, arguments, output).await,
                    "serve" => processes::serve::run(start.open_app().await?, arguments, output).await,
                    "dashboard" => processes::dashboard::run(start.open_app().await?, arguments, output).await,
                    "relations" if arguments.get_flag("export") => {
                        relations_export::run(&start.open_app().await?, output).await
                    }
                    "backup" => Box::pin(backup::run(start, arguments, output)).await,
                    "archive" => archive::run(&start.open_app().await?, arguments, output).await,
                    "sensitive" if sensitive_purge::is_chosen(arguments) => {
                        Box::pin(sensitive_purge::run(start, arguments, output)).await
                    }
                    "sensitive" => Box::pin(sensitive_scan::run(start, output)).await,
                    "project" if project::forgets(arguments) => {
                        project::run(&start.open_app().await?, arguments, output).await
                    }
                    "export" => export::run(&start.open_app().await?, arguments, output).await,
                    "value" if spend_switch::switches_spending(arguments) => {
                        spend_switch::run(&start.open_app().await?, arguments, output).await
                    }
                    "ingest" => ingest::run(&start.open_app().await?, arguments, output).await,
                    _ => operation::run(&start.open_app().await?, name, arguments, output).await,
                }),
            }
        }
    }
}

/// What a command needs before it can do anything: the project and the configuration.
pub(crate) struct CommandSetup {
    project: Project,
    loaded: LoadedConfig,
    /// `--set` overrides, for a process of our own that must see what we see.
    flags: Vec<String>,
}

impl CommandSetup {
    fn new(matches: &ArgMatches) -> Result<Self, AppError> {
        let project = match command_tree::project_argument(matches) {
            Some(path) => Project::from_directory(&path)?,
            None => Project::discover_from(&current_directory()?)?,
        };
        let flags: Vec<String> = matches.get_many("set").into_iter().flatten().cloned().collect();
        let environment = Environment::from_process();
        let sources = ConfigSources { environment: &environment, project_root: Some(&project.root), flags: &flags };
        Ok(Self { loaded: crate::config::load_config(sources)?, project, flags })
    }

    fn print_warnings(&self, output: &TerminalOutput) {
        for warning in &self.loaded.warnings {
            output.print_warning(&warning.to_string());
        }
        output.start_log(&self.loaded.config.log);
    }

    fn with_runtime(self, work: impl AsyncFnOnce(Self) -> Result<u8, AppError>) -> Result<u8, AppError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            AppError::new(ErrorClass::Unavailable, "threads", format!("cannot start threads: {error}"))
        })?;
        let status = runtime.block_on(work(self));
        // A thread that is blocked on standard input must not keep the process alive.
        runtime.shutdown_background();
        status
    }

    async fn open_app(self) -> Result<App, AppError> {
        compose::open_app(self.loaded, self.project).await
    }
}

#[expect(clippy::disallowed_methods, reason = "the project around the shell is what a command means by default")]
fn current_directory() -> Result<PathBuf, AppError> {
    std::env::current_dir().map_err(|error| {
        AppError::new(ErrorClass::Unavailable, "directory", format!("cannot tell the current directory: {error}"))
            .with_hint("name the project with --project")
    })
}
