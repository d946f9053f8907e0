//! The command `epitome git-hooks`: installs, removes and lists git hooks that start Epitome when files changed, and
//! runs their action: an update of the index, or a report before a push on what it affects.

use crate::cli::CommandSetup;
use crate::cli::output::TerminalOutput;
use crate::compose;
use crate::connect;
use crate::detach::spawn_detached;
use crate::errors::{AppError, ErrorClass};
use crate::git_hooks::{self, EVENTS, GitHookStatus, GitHooks};
use crate::ops;
use clap::{Arg, ArgMatches, Command};
use engine::NullObserver;
use serde_json::json;
use std::ffi::OsStr;
use std::io::{ErrorKind, Read as _};
use std::time::Duration;

const LONG_ABOUT: &str = "\
Have git keep the index up to date, and say what a push touches

After a commit, a merge, a checkout and a rebase the index is brought up to date in the background. Before a push \
what it touches is told on standard error; nothing is ever held back. Hooks that are there already go on working: \
ours runs them first, and `uninstall` puts them back. The hooks are where git looks for them, `core.hooksPath` \
included.";

/// The longest that a user should wait for a push to begin.
const PUSH_REPORT_TIMEOUT: Duration = Duration::from_secs(10);
/// Lines of a report that people read before a push.
const MOST_LINES: usize = 25;

pub(in crate::cli) fn build_command() -> Command {
    Command::new("git-hooks")
        .about("Have git keep the index up to date, and say what a push touches")
        .long_about(LONG_ABOUT)
        .subcommand_required(true)
        .subcommand(Command::new("install").about("Install them in this repository"))
        .subcommand(Command::new("uninstall").about("Take them away, and put back what was there before"))
        .subcommand(Command::new("status").about("Say which hooks there are, and whose"))
        .subcommand(
            Command::new("run")
                .about("What the hooks run")
                .hide(true)
                .arg(Arg::new("event").required(true))
                .arg(Arg::new("arguments").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true)),
        )
}

pub(in crate::cli) async fn run(
    start: CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let (act, arguments) = arguments.subcommand().unwrap_or(("status", arguments));
    if act == "run" {
        // Git aborts a commit or a push when a hook fails, so a problem of ours is only printed.
        if let Err(problem) = handle_event(start, arguments, output).await {
            output.print_warning(&problem.message);
        }
        return Ok(0);
    }
    let hooks = GitHooks::for_project(&start.project).map_err(|error| {
        let message = format!("cannot tell where the hooks of {} are: {error}", start.project.root.display());
        let hint = if error.kind() == ErrorKind::PermissionDenied {
            "name a folder of the project, or set core.hooksPath with git config --global"
        } else {
            "run it inside of a git repository"
        };
        AppError::new(ErrorClass::Usage, "no_repository", message).with_hint(hint)
    })?;
    let program =
        connect::program_path(&start.loaded.environment).map_err(|error| disk_error("find our own program", &error))?;
    let mut rows = Vec::new();
    let mut text = format!("{}\n", hooks.folder.display());
    for event in EVENTS {
        let standing = match act {
            "install" => hooks.install_hook(event, &program),
            "uninstall" => hooks.uninstall_hook(event),
            _ => Ok(hooks.hook_status(event)),
        };
        let standing: GitHookStatus = standing.map_err(|error| disk_error(&format!("{act} {event}"), &error))?;
        rows.push(json!({ "event": event, "standing": standing.as_str() }));
        text.push_str(&format!("  {event:<14} {}\n", standing.as_str()));
    }
    output.write_reply(&json!({ "folder": hooks.folder, "hooks": rows }), &text)?;
    Ok(0)
}

fn disk_error(what: &str, error: &std::io::Error) -> AppError {
    AppError::new(ErrorClass::Unavailable, "disk", format!("cannot {what}: {error}"))
}

/// Git says that something happened.
async fn handle_event(start: CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<(), AppError> {
    let event = arguments.get_one::<String>("event").map_or("", String::as_str);
    let root = start.project.root.clone();
    if event != "pre-push" {
        // A rebase runs the hook for every commit; one index run at its end is enough.
        if !git_hooks::is_rebasing(&root) {
            let [index, quiet, project] = ["index", "--quiet", "--project"].map(OsStr::new);
            // Detached, because git waits for the hook, and an index run may take long.
            spawn_detached(&[index, quiet, project, root.as_os_str()], None);
        }
        return Ok(());
    }
    let mut lines = String::new();
    std::io::stdin().lock().read_to_string(&mut lines).map_err(|error| disk_error("read what git says", &error))?;
    let remote = arguments.get_many::<String>("arguments").and_then(|mut words| words.next());
    let ranges = git_hooks::push_ranges(&root, remote.map_or("origin", String::as_str), &lines);
    if ranges.is_empty() {
        return Ok(());
    }
    let app = compose::open_app(start.loaded, start.project).await?;
    let impact = ops::find_operation("impact").expect("impact is an operation");
    for range in ranges {
        let call = app.build_call(&NullObserver);
        let asked = impact.run_json(&call, json!({ "diff": range, "limit": 10 }));
        // A push must not wait for a report that only informs.
        match tokio::time::timeout(PUSH_REPORT_TIMEOUT, asked).await {
            Ok(answer) => output.print_note(&shorten_report(&answer.map_err(AppError::from)?.text)),
            Err(_) => output.print_note("epitome: working out what the push affects takes too long"),
        }
    }
    Ok(())
}

fn shorten_report(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().take(MOST_LINES).map(|line| format!("epitome: {line}")).collect();
    let more = text.lines().count().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.push(format!("epitome: … {more} more lines: epitome impact --diff"));
    }
    lines.join("\n")
}
