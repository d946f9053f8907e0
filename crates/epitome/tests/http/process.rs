//! The binary: a home of its own, a project, and a server that ends with its value.

use crate::client::Request;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use tempfile::TempDir;

/// A home directory and a project, which outlive the servers that a test starts on them.
pub(crate) struct Place {
    pub(crate) home: TempDir,
    pub(crate) project: TempDir,
    variables: Vec<(String, String)>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::with_project(&[(
            "src/lib.rs",
            "/// Adds.\npub fn add(left: u64, right: u64) -> u64 {\n    left + right\n}\n",
        )])
    }

    pub(crate) fn with_project(files: &[(&str, &str)]) -> Self {
        let home = TempDir::with_prefix("epitome-home-").expect("a temporary directory");
        Self { home, project: testkit::fixture_tree(files), variables: Vec::new() }
    }

    /// The same with a variable for every process started here.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.home.path().join("state").join(name)
    }

    /// A command that knows nothing of the machine.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command
            .env_clear()
            .env("EPITOME_HOME", self.home.path())
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.arg("--project").arg(self.project.path()).args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// Runs a command that fails: its exit status and what it says, with the home written as HOME.
    pub(crate) fn failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        let said = String::from_utf8(output.stderr).expect("text");
        let status = output.status.code().expect("it ended by itself");
        format!("{said}exit status {status}\n").replace(&self.home.path().display().to_string(), "HOME")
    }

    /// Starts a server on a free port and waits until it accepts connections.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    pub(crate) fn serve_with(&self, arguments: &[&str]) -> Server {
        let arguments = [&["serve", "--address", "127.0.0.1:0"], arguments].concat();
        let mut command = self.command(&arguments);
        self.adopt(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts"))
    }

    /// A server that a test started by itself, once it accepts connections.
    pub(crate) fn adopt(&self, mut child: Child) -> Server {
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        assert!(!line.is_empty(), "the server did not start: {}", talk(&mut child));
        let addresses: Value = serde_json::from_str(&line).expect("one JSON line");
        let url = addresses["url"].as_str().expect("an address").to_owned();
        let address = url.strip_prefix("http://").expect("a plain address").parse().expect("an address");
        let token = fs_err::read_to_string(self.state("token")).expect("a token file").trim().to_owned();
        Server { child, address, token, line }
    }
}

/// A server that runs.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    /// What it printed when it was ready.
    pub(crate) line: String,
}

impl Server {
    /// A request with everything that a request should have.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.address, method, path)
            .header("host", &self.address.to_string())
            .header("authorization", &format!("Bearer {}", self.token))
    }

    pub(crate) fn get(&self, path: &str) -> Request {
        self.request("GET", path)
    }

    /// A call of an operation.
    pub(crate) fn call(&self, operation: &str, params: &Value) -> Request {
        self.request("POST", &format!("/v1/{operation}")).json(&params.to_string())
    }

    /// Asks it to stop, as a service manager would.
    pub(crate) fn terminate(&self) {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(status.expect("there is `kill`").success());
    }

    /// Waits for the end: how it ended, and everything it said.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let said = talk(&mut self.child);
        (self.child.wait().expect("it was started"), said)
    }
}

fn talk(child: &mut Child) -> String {
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    said
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already, as some tests want it to.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The last nine bits: who may do what.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs_err::metadata(path).expect("a file").permissions().mode() & 0o777
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("our own file");
}
