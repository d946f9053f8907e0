//! Runs child processes for xtask commands: each starts in a directory chosen by the caller, with no input, and a
//! failure names the command.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// A command that will run in `directory` and never waits for a keyboard.
pub(crate) fn command_in(directory: &Path, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    command
}

/// The cargo that runs us, so that a toolchain chosen on the command line stays chosen.
pub(crate) fn cargo_command(directory: &Path, arguments: &[&str]) -> Command {
    command_in(directory, std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Runs to the end with its output shown; an exit status other than 0 is an error.
pub(crate) fn run_command(mut command: Command) -> Result<()> {
    let name = describe_command(&command);
    let status = command.status().with_context(|| format!("cannot start `{name}`"))?;
    if !status.success() {
        bail!("`{name}` failed ({status})");
    }
    Ok(())
}

/// Runs to the end and returns its standard output; what it says on stderr is shown only if it fails.
pub(crate) fn read_output(mut command: Command) -> Result<String> {
    let name = describe_command(&command);
    let output = command.output().with_context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        let talk = String::from_utf8_lossy(&output.stderr);
        bail!("`{name}` failed ({})\n{}", output.status, talk.trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{name}` printed something that is not UTF-8"))
}

/// Where `program` is, if the search path has it.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|candidate| candidate.is_file())
}

fn describe_command(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut text = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text += &argument.to_string_lossy();
    }
    text
}

/// The program that runs here. A build since it was started has put another one in its place, so its path may lead
/// nowhere; on Linux the system still has the file itself.
pub(crate) fn own_program() -> Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    Ok(if running.exists() { running } else { std::env::current_exe()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_and_repeats_its_last_words() {
        let failing = command_in(Path::new("."), "sh", &["-c", "echo lost >&2; exit 3"]);
        let error = read_output(failing).expect_err("exit status 3").to_string();
        assert_eq!(error, "`sh -c echo lost >&2; exit 3` failed (exit status: 3)\nlost");
    }

    #[test]
    fn a_program_that_does_not_exist_is_not_found() {
        assert_eq!(find_program("no-program-has-this-name"), None);
        assert!(find_program("sh").is_some());
    }
}
