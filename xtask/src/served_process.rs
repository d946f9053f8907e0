//! Starts a process of ours that serves something and says where on its first line, and stops it when it is dropped.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// Opening an empty database takes far less; on a busy machine it may not.
const READY_WITHIN: Duration = Duration::from_secs(30);

pub(crate) struct ServedProcess {
    child: Child,
    /// The JSON of its first line.
    pub(crate) ready: Value,
    /// Everything it said on stderr.
    pub(crate) log: PathBuf,
}

impl ServedProcess {
    /// Returns once the process has said where it listens.
    pub(crate) fn start(mut command: Command, log: PathBuf) -> Result<ServedProcess> {
        command.stdout(Stdio::piped()).stderr(fs_err::File::create(&log)?.into_file());
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {program}\nhint: cargo build --workspace --all-targets"))?;
        // From here on the process is stopped whatever happens.
        let mut served = ServedProcess { child, ready: Value::Null, log };
        let line = served.first_line()?;
        served.ready = serde_json::from_str(&line)
            .with_context(|| format!("the server's first line is not its address: {line}"))?;
        Ok(served)
    }

    /// A text of its first line.
    pub(crate) fn ready_text(&self, key: &str) -> Result<&str> {
        self.ready[key].as_str().with_context(|| format!("the server's first line has no `{key}`: {}", self.ready))
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    fn first_line(&mut self) -> Result<String> {
        let stdout = self.child.stdout.take().expect("stdout is piped");
        let (sender, receiver) = mpsc::channel();
        // Reads to the end, so that a server which says more never blocks on a full pipe.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // The receiver leaves after the first line.
                drop(sender.send(line));
            }
        });
        receiver.recv_timeout(READY_WITHIN).map_err(|_| {
            let log = fs_err::read_to_string(&self.log).unwrap_or_else(|error| error.to_string());
            anyhow::anyhow!("the server did not say where it listens; its talk was:\n{}", log.trim_end())
        })
    }
}

impl Drop for ServedProcess {
    fn drop(&mut self) {
        // A server that is already gone is as good as stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::process::command_in;

    #[test]
    fn a_server_that_dies_at_once_is_reported_with_its_last_words() {
        let folder = std::env::temp_dir().join(format!("xtask-server-{}", std::process::id()));
        fs_err::create_dir_all(&folder).expect("a temporary folder");
        let binary = folder.join("epitome");
        fs_err::write(&binary, "#!/bin/sh\necho \"no such option: $2\" >&2\nexit 2\n").expect("a script");
        make_executable(&binary);
        let command = command_in(&folder, &binary, &["serve", "--fast"]);
        let error =
            ServedProcess::start(command, folder.join("log")).err().expect("the script exits at once").to_string();
        fs_err::remove_dir_all(&folder).expect("the temporary folder goes away");
        assert_eq!(error, "the server did not say where it listens; its talk was:\nno such option: --fast");
    }

    fn make_executable(path: &Path) {
        use std::os::unix::fs::PermissionsExt as _;
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    }
}
