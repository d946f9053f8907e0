//! The command line: every operation as a subcommand, and the commands that are no operations.
//!
//! Only this door prints. Standard output is data (with `--json` exactly one JSON object), standard error is talk.

mod completions;
mod config;
mod daemon;
mod database;
mod disconnect;
mod doctor;
mod drain;
mod export;
mod git_hooks;
pub(crate) mod hook;
mod ingest;
mod init;
mod links;
mod mcp;
mod observer;
mod operation;
mod output;
mod reference;
mod relations;
mod root;
mod sensitive;
mod serve;
mod value;
mod watch;

use crate::compose::{self, App};
use crate::config::{Environment, Loaded, Sources};
use crate::errors::{Class, Problem};
use clap::ArgMatches;
use engine::Project;
use output::Output;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the command that the process was started with.
pub(crate) fn main() -> ExitCode {
    let matches = match root::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return root::refuse(&error),
    };
    let output = Output::new(&matches);
    ExitCode::from(match run(&matches, &output) {
        Ok(status) => status,
        Err(problem) => output.problem(&problem),
    })
}

/// One match arm per command; what is not named here is an operation.
fn run(matches: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let (name, arguments) = matches.subcommand().unwrap_or(("help", matches));
    match name {
        "completions" => completions::run(arguments, output),
        "man" => completions::man(output),
        "reference" => reference::run(arguments, output),
        _ => {
            let start = Start::new(matches)?;
            start.warn(output);
            match name {
                "config" => config::run(&start, arguments, output),
                "sensitive" => sensitive::run(&start, arguments, output),
                "init" => init::run(&start, arguments, output),
                "disconnect" => disconnect::run(&start, arguments, output),
                _ => start.with_runtime(async |start| match name {
                    "daemon" => daemon::run(start, arguments, output).await,
                    "git-hooks" => git_hooks::run(start, arguments, output).await,
                    "doctor" => doctor::run(start, arguments, output).await,
                    "database" => database::run(arguments, output).await,
                    "mcp" => mcp::run(start.app().await?, arguments).await,
                    "drain" => drain::run(&start.app().await?, output).await,
                    "watch" => watch::run(&start.app().await?, output).await,
                    "serve" => serve::run(start.app().await?, arguments, output).await,
                    "relations" if arguments.get_flag("export") => relations::run(&start.app().await?, output).await,
                    "export" => export::run(&start.app().await?, arguments, output).await,
                    "value" if value::turns(arguments) => value::run(&start.app().await?, arguments, output).await,
                    "ingest" => ingest::run(&start.app().await?, arguments, output).await,
                    _ => operation::run(&start.app().await?, name, arguments, output).await,
                }),
            }
        }
    }
}

/// What a command needs before it can do anything: the project and the configuration.
pub(crate) struct Start {
    project: Project,
    loaded: Loaded,
    /// `--set` overrides, for a process of our own that must see what we see.
    flags: Vec<String>,
}

impl Start {
    fn new(matches: &ArgMatches) -> Result<Self, Problem> {
        let project = match root::project_argument(matches) {
            Some(path) => Project::at(&path)?,
            None => Project::around(&current_directory()?)?,
        };
        let flags: Vec<String> = matches.get_many("set").into_iter().flatten().cloned().collect();
        let environment = Environment::from_process();
        let sources = Sources { environment: &environment, project_root: Some(&project.root), flags: &flags };
        Ok(Self { loaded: crate::config::load(sources)?, project, flags })
    }

    fn warn(&self, output: &Output) {
        for warning in &self.loaded.warnings {
            output.warning(&warning.to_string());
        }
        output.start_log(&self.loaded.config.log);
    }

    fn with_runtime(self, work: impl AsyncFnOnce(Self) -> Result<u8, Problem>) -> Result<u8, Problem> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Problem::new(Class::Unavailable, "threads", format!("cannot start threads: {error}")))?;
        let status = runtime.block_on(work(self));
        // A reader blocked on standard input must not keep the process alive.
        runtime.shutdown_background();
        status
    }

    async fn app(self) -> Result<App, Problem> {
        compose::app(self.loaded, self.project).await
    }
}

#[expect(clippy::disallowed_methods, reason = "the project around the shell is what a command means by default")]
fn current_directory() -> Result<PathBuf, Problem> {
    std::env::current_dir().map_err(|error| {
        Problem::new(Class::Unavailable, "directory", format!("cannot tell the current directory: {error}"))
            .hint("name the project with --project")
    })
}
