//! Runs the `epitome` binary for the team benchmark: `TeamServer`, one of several `epitome serve` processes on one
//! PostgreSQL database, which can be killed; single commands on that database; and HTTP requests to a server, which name
//! the tenant by its token.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::BenchSetup;

pub(super) struct TeamServer {
    child: Child,
    pub(super) address: String,
}

impl TeamServer {
    /// Starts a server; the home has the tokens of the tenants.
    pub(super) fn start(bench: &BenchSetup, home: &Path, url: &str) -> Result<Self> {
        let mut child = Command::new(&bench.binary)
            .args(["serve", "--address", "127.0.0.1:0"])
            .current_dir(&bench.scratch)
            .env("EPITOME_HOME", home)
            .env("EPITOME_DATABASE_URL", url)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start epitome")?;
        let output = child.stdout.take().context("standard output")?;
        // From here on the server is stopped whatever happens.
        let mut server = Self { child, address: String::new() };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let ready: Value = serde_json::from_str(&line).with_context(|| format!("the server said `{line}`"))?;
        let url = ready["url"].as_str().unwrap_or_default();
        url.trim_start_matches("http://").clone_into(&mut server.address);
        Ok(server)
    }

    /// Ends it without a word, as a machine that loses its power would.
    pub(super) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for TeamServer {
    fn drop(&mut self) {
        // A server that is already gone is as good as stopped.
        let _ = self.kill();
    }
}

/// Runs a command of the binary on the database, and gives what it printed.
pub(super) fn run_command(bench: &BenchSetup, home: &Path, url: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(&bench.binary)
        .args(arguments)
        .current_dir(&bench.scratch)
        .env("EPITOME_HOME", home)
        .env("EPITOME_DATABASE_URL", url)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "epitome {}: {said}", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

/// Sends a request, and gives the status and the reply.
pub(super) fn send_post(address: &str, path: &str, token: &str, body: &Value) -> Result<(u16, Value)> {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_mins(2)))?;
    write!(
        stream,
        // `connection: close` lets the reader take all up to the end of the stream instead of parsing chunks.
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).context("a status")?;
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    Ok((status, serde_json::from_str(body).unwrap_or_else(|_| json!(body))))
}
