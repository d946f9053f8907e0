//! Starts an `epitome` command as a detached child process: its parent does not wait for it, and its output is
//! discarded.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Leaves a command of ours behind, in a directory of its own or in this one; whether it could be started.
pub(crate) fn spawn_detached(arguments: &[&OsStr], directory: Option<&Path>) -> bool {
    let Some(mut command) = detached_command(arguments) else { return false };
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    command.stdin(Stdio::null()).spawn().is_ok()
}

/// Leaves a command behind that reads something; whether it has all of it.
pub(crate) fn spawn_detached_with(arguments: &[&OsStr], input: &[u8]) -> bool {
    let Some(mut command) = detached_command(arguments) else { return false };
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return false };
    let Some(mut stdin) = child.stdin.take() else { return false };
    // The pipe is closed when `stdin` is dropped, which tells the child that it has everything.
    stdin.write_all(input).is_ok()
}

fn detached_command(arguments: &[&OsStr]) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    // A process group of its own: a Ctrl-C in the terminal, or the end of the agent, does not end it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Some(command)
}
