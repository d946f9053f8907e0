//! Starts `epitome serve` for the conformance suite, on a free port with a home directory of its own, and stops it
//! after the run.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::process::command_in;
use crate::repository;

/// Opening an empty database takes far less; on a busy machine it may not.
const READY_WITHIN: Duration = Duration::from_secs(30);

pub(super) struct ConformanceServer {
    child: Child,
    /// Where MCP is served.
    pub(super) mcp: String,
    /// Everything the server said on stderr.
    pub(super) log: PathBuf,
}

impl ConformanceServer {
    /// Returns once the server has said where it listens.
    pub(super) fn start(binary: &Path, folder: &Path) -> Result<ConformanceServer> {
        if !binary.is_file() {
            bail!("{} does not exist\nhint: cargo build --workspace --all-targets", binary.display());
        }
        let log = folder.join("server.log");
        let mut serve =
            command_in(repository::root(), binary, &["serve", "--conformance-fixtures", "--address", "127.0.0.1:0"]);
        serve.env("EPITOME_HOME", folder.join("home"));
        serve.stdout(Stdio::piped()).stderr(fs_err::File::create(&log)?.into_file());
        let child = serve.spawn().with_context(|| format!("cannot start {}", binary.display()))?;
        // From here on the server is stopped whatever happens.
        let mut server = ConformanceServer { child, mcp: String::new(), log };
        let line = server.first_line()?;
        server.mcp = mcp_url(&line).with_context(|| format!("the server's first line is not its address: {line}"))?;
        Ok(server)
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

impl Drop for ConformanceServer {
    fn drop(&mut self) {
        // A server that is already gone is as good as stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn mcp_url(line: &str) -> Option<String> {
    let ready: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(ready["mcp"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_carries_the_url() {
        let line = r#"{"url":"http://127.0.0.1:4000","mcp":"http://127.0.0.1:4000/mcp"}"#;
        assert_eq!(mcp_url(line).as_deref(), Some("http://127.0.0.1:4000/mcp"));
        assert_eq!(mcp_url("listening on 4000"), None);
    }

    #[test]
    fn a_server_that_dies_at_once_is_reported_with_its_last_words() {
        let folder = std::env::temp_dir().join(format!("xtask-server-{}", std::process::id()));
        fs_err::create_dir_all(&folder).expect("a temporary folder");
        let binary = folder.join("epitome");
        fs_err::write(&binary, "#!/bin/sh\necho \"no such option: $2\" >&2\nexit 2\n").expect("a script");
        make_executable(&binary);
        let error = ConformanceServer::start(&binary, &folder).err().expect("the script exits at once").to_string();
        fs_err::remove_dir_all(&folder).expect("the temporary folder goes away");
        assert_eq!(
            error,
            "the server did not say where it listens; its talk was:\nno such option: --conformance-fixtures"
        );
    }

    fn make_executable(path: &Path) {
        use std::os::unix::fs::PermissionsExt as _;
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    }
}
