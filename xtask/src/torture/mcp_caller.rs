//! A client of `epitome mcp` for torture scenarios that asks one thing after the other.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::home::TortureHome;

pub(super) struct McpCaller {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl McpCaller {
    pub(super) fn start(home: &TortureHome, project: &Path) -> Result<Self> {
        let folder = project.display().to_string();
        let mut command = home.build_command(&["--project", &folder, "mcp", "--profile", "full"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start epitome mcp")?;
        let input = child.stdin.take().context("a pipe")?;
        let output = BufReader::new(child.stdout.take().context("a pipe")?);
        Ok(Self { child, input, output, asked: 0 })
    }

    /// Calls a tool and waits for the answer, an error of the tool included.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.asked += 1;
        let call = tool_call(self.asked, tool, arguments);
        writeln!(self.input, "{call}")?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server ended at call {} ({tool})", self.asked);
            let answer: Value = serde_json::from_str(&line).context("a line of the server is no JSON")?;
            // What the server says besides, as progress, has no id.
            if answer["id"] == self.asked {
                return Ok(answer);
            }
        }
    }
}

impl Drop for McpCaller {
    fn drop(&mut self) {
        // A server that is already gone is as good as stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The request that calls a tool.
pub(super) fn tool_call(id: u64, tool: &str, arguments: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// The most memory that a process has had so far, in KiB. A process that ended has none.
pub(super) fn peak_memory(process: u32) -> u64 {
    let Ok(status) = fs_err::read_to_string(format!("/proc/{process}/status")) else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
