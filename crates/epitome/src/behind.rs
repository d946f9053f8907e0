//! A process of our own that goes on when we end: nobody waits for it, and nobody hears from it.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Leaves a command of ours behind, in a directory of its own or in this one; whether it could be started.
pub(crate) fn leave_behind(arguments: &[&OsStr], directory: Option<&Path>) -> bool {
    let Ok(program) = std::env::current_exe() else { return false };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    // It outlives the terminal or the agent that it was started from.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().is_ok()
}
