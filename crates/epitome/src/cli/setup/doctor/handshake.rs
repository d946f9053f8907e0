//! Check of `epitome doctor`: starts our own binary as an MCP server and does a handshake and a tool listing, as an
//! agent would, in each era of the protocol.

use super::{DoctorCheck, DoctorFinding};
use crate::cli::CommandSetup;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[derive(Clone, Copy)]
pub(super) enum ProtocolEra {
    /// With a handshake, up to 2025-11-25.
    Initialize,
    /// Without one, from 2026-07-28 on.
    Stateless,
}

/// An agent gives up about as soon.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn check_handshake(name: &'static str, era: ProtocolEra, start: &CommandSetup) -> DoctorCheck {
    let outcome = match tokio::time::timeout(HANDSHAKE_TIMEOUT, count_tools(era, start)).await {
        Ok(Ok(tools)) => Ok(format!("{tools} tools offered")),
        Ok(Err(what)) => Err(what),
        Err(_) => Err(format!("no answer within {} s", HANDSHAKE_TIMEOUT.as_secs())),
    };
    let outcome =
        outcome.map_err(|what| DoctorFinding { what, fix: "run epitome mcp by hand and see what it says".to_owned() });
    DoctorCheck { name: name.to_owned(), outcome }
}

async fn count_tools(era: ProtocolEra, start: &CommandSetup) -> Result<usize, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find our own program: {error}"))?;
    let mut child = tokio::process::Command::new(program)
        .arg("mcp")
        .arg("--project")
        .arg(&start.project.root)
        // The settings of this run, so that the server under test is the one that the user asks about.
        .args(start.flags.iter().flat_map(|flag| ["--set", flag]))
        .current_dir(&start.project.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // Log lines are not part of the protocol and would only fill the report.
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot start: {error}"))?;
    let mut input = child.stdin.take().ok_or("no standard input")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no standard output")?).lines();
    for message in handshake_messages(era) {
        let line = format!("{message}\n");
        input.write_all(line.as_bytes()).await.map_err(|error| format!("it stopped listening: {error}"))?;
    }
    while let Some(line) = lines.next_line().await.map_err(|error| format!("cannot read its answer: {error}"))? {
        let reply: Value = serde_json::from_str(&line).map_err(|_| format!("it answered `{line}`, not JSON"))?;
        // Notifications and the reply to `initialize` come before it, in any order.
        if reply["id"] == json!("list") {
            let tools = reply["result"]["tools"].as_array().ok_or_else(|| format!("it refused: {}", reply["error"]))?;
            return Ok(tools.len());
        }
    }
    Err("it ended without listing its tools".to_owned())
}

fn handshake_messages(era: ProtocolEra) -> Vec<Value> {
    match era {
        ProtocolEra::Initialize => vec![
            json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "epitome doctor", "version": env!("CARGO_PKG_VERSION") } } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list" }),
        ],
        ProtocolEra::Stateless => {
            vec![json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": { "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "epitome doctor", "version": env!("CARGO_PKG_VERSION") } } } })]
        }
    }
}
