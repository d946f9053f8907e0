//! An MCP client for benchmarks: starts `epitome mcp` once and calls its tools, one after the other, with the time of
//! each.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::BenchSetup;

pub(super) struct McpSession {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
    instructions: String,
}

impl McpSession {
    pub(super) fn open(bench: &BenchSetup, home: &Path, project: &Path) -> Result<Self> {
        Self::start(&bench.binary, "full", home, project)
    }

    /// Starts some binary with the tools of a profile.
    pub(super) fn start(binary: &Path, profile: &str, home: &Path, project: &Path) -> Result<Self> {
        let mut command = Command::new(binary);
        command.args(["mcp", "--profile", profile, "--project"]).arg(project).env("EPITOME_HOME", home);
        Self::speak(command)
    }

    /// Starts any MCP server over standard input and output.
    pub(super) fn speak(mut command: Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().context("standard output")?);
        let mut session = Self { input: child.stdin.take(), output, child, asked: 0, instructions: String::new() };
        let client = json!({ "name": "bench", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let greeting = session.send_request("initialize", &hello)?;
        session.instructions = greeting["instructions"].as_str().map(str::to_owned).unwrap_or_default();
        session.send_message(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// What the server tells its client before anything is asked.
    pub(super) fn instructions(&self) -> &str {
        &self.instructions
    }

    pub(super) fn list_tools(&mut self) -> Result<Vec<Value>> {
        let listed = self.send_request("tools/list", &json!({}))?;
        Ok(listed["tools"].as_array().context("tools")?.clone())
    }

    /// Calls an operation; gives its reply and the seconds it took.
    pub(super) fn call_operation(&mut self, operation: &str, arguments: &Value) -> Result<(Value, f64)> {
        let (mut result, seconds) = self.call_tool(operation, arguments)?;
        Ok((result["structuredContent"].take(), seconds))
    }

    /// Calls a tool; gives the result as it was sent and the seconds it took.
    pub(super) fn call_tool(&mut self, tool: &str, arguments: &Value) -> Result<(Value, f64)> {
        let started = Instant::now();
        let result = self.send_request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let seconds = started.elapsed().as_secs_f64();
        ensure!(result["isError"] != true, "{tool} {arguments}: {}", result["content"][0]["text"]);
        Ok((result, seconds))
    }

    /// The process that is asked.
    pub(super) fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn close(mut self) -> Result<()> {
        drop(self.input.take());
        self.child.wait()?;
        Ok(())
    }

    fn send_request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.send_message(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server hung up");
            let mut answer: Value = serde_json::from_str(&line)?;
            // Notifications of progress come between, and belong to no request.
            if answer["id"] == id {
                ensure!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return Ok(answer["result"].take());
            }
        }
    }

    fn send_message(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("standard input")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }
}
