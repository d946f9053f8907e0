//! What a tool costs besides what it shows: time and disk of an index, time of a question, tokens of an answer, and the
//! tokens that the description of its MCP tools takes in every request of an agent.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::super::python_process::PythonProcess;
use super::install::semble_command;
use super::published_tools::PublishedTool;
use crate::bench::session::McpSession;
use crate::bench::{duration_percentiles, round_thousandths};
use crate::process::read_output;

#[derive(Default)]
pub(super) struct ToolCosts {
    /// Seconds, of each repository.
    pub(super) index: Vec<f64>,
    index_bytes: u64,
    /// Seconds.
    pub(super) questions: Vec<f64>,
    pub(super) answers: Vec<f64>,
    pub(super) answer_tokens: Vec<u64>,
}

impl ToolCosts {
    /// Runs what makes an index and measures what it left on disk.
    pub(super) fn add_index(&mut self, command: Command, data: &Path) -> Result<()> {
        let started = Instant::now();
        read_output(command)?;
        self.index.push(started.elapsed().as_secs_f64());
        self.index_bytes += folder_bytes(data)?;
        Ok(())
    }

    pub(super) fn into_json(mut self) -> Value {
        self.answer_tokens.sort_unstable();
        let milliseconds = |seconds: Vec<f64>| (!seconds.is_empty()).then(|| duration_percentiles(seconds));
        let seconds = (!self.index.is_empty()).then(|| round_thousandths(self.index.iter().sum()));
        let at = |share: usize| self.answer_tokens.get(self.answer_tokens.len().saturating_sub(1) * share / 100);
        json!({
            "index_seconds": seconds,
            "index_megabytes": seconds.filter(|_| self.index_bytes > 0).map(|_| self.index_bytes as f64 / 1e6),
            "question": milliseconds(self.questions),
            "answer": milliseconds(self.answers),
            "answer_tokens_median": at(50),
            "answer_tokens_p95": at(95),
        })
    }
}

/// The bytes of all files below a folder; none where there is no such folder.
fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs_err::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                bytes += entry.metadata()?.len();
            }
        }
    }
    Ok(bytes)
}

/// The tokens of what an MCP client is told of a server before it asks anything: instructions, and each tool's name,
/// description and parameters.
pub(super) fn count_fixed_tokens(
    tools: &[Box<dyn PublishedTool>],
    folder: &Path,
    helper: &mut PythonProcess,
) -> Result<BTreeMap<&'static str, Value>> {
    let project = folder.join("empty");
    fs_err::create_dir_all(&project)?;
    let mut counted = BTreeMap::new();
    let servers = tools.iter().filter_map(|tool| Some((tool.name(), tool.server_command(&project)?)));
    // It is no tool of the list, because its questions are asked inside of one process.
    let semble = semble_command(&project, "from semble.cli import main; main()");
    for (name, command) in servers.chain([("semble", semble)]) {
        let mut session = McpSession::speak(command).with_context(|| format!("the server of {name}"))?;
        let listed = session.list_tools()?;
        let mut texts = vec![session.instructions().to_owned()];
        texts.extend(listed.iter().map(|tool| {
            json!({ "name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"] })
                .to_string()
        }));
        let tokens: u64 = helper.count_tokens(&texts)?.iter().sum();
        session.close()?;
        counted.insert(name, json!({ "tools": listed.len(), "tokens": tokens }));
    }
    Ok(counted)
}
