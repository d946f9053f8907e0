//! Builds every git command that the program runs, so that an untrusted repository cannot run a program through git (by
//! filters, text conversions, external diffs, hooks, file monitors, transports, pagers). The commands in use
//! (`rev-parse`, `merge-base`, `ls-tree`, `ls-files`, `rev-list`, `diff-tree`, `cat-file`) convert no file, write no index, show no
//! page; the rest is turned off below. Never let git compare with the working tree: it would run the filters.

use std::path::Path;
use std::process::{Command, Stdio};

/// Environment variables that could replace the repository around `folder`, or make git start a program.
const REMOVED_GIT_VARIABLES: [&str; 20] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ASKPASS",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PAGER",
    "GIT_PREFIX",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_WORK_TREE",
    "SSH_ASKPASS",
];

/// Settings that start a program, turned off for one command. The command line is stronger than every file.
const SETTINGS: [&str; 3] = ["core.fsmonitor=false", "core.attributesFile=/dev/null", "protocol.allow=never"];

/// A command of git about the repository around `folder`, without the command itself.
pub fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    for name in REMOVED_GIT_VARIABLES {
        command.env_remove(name);
    }
    command
        // Objects that a partial clone lacks stay missing: fetching them starts a program that the repository names.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        // Without this, git may rewrite the user's index while it reads it.
        .env("GIT_OPTIONAL_LOCKS", "0")
        // A path is a path: `:(exclude)` in the name of a file means nothing.
        .env("GIT_LITERAL_PATHSPECS", "1")
        // A prompt would wait for ever: no user sees it.
        .env("GIT_TERMINAL_PROMPT", "0")
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}
