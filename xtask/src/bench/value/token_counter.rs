//! Counts the tokens of texts as the program counts them: by asking it to read files that hold them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::bench::BenchSetup;
use crate::bench::session::McpSession;

/// How many files one request names.
const FILES: usize = 50;

pub(super) struct TokenCounter {
    session: McpSession,
    folder: PathBuf,
}

impl TokenCounter {
    pub(super) fn start(bench: &BenchSetup) -> Result<Self> {
        // Files and a store of its own, so that nothing that is counted comes into the project that is played.
        let folder = bench.scratch.join("counted").join("texts");
        fs_err::create_dir_all(&folder)?;
        let session = McpSession::open(bench, &bench.scratch.join("counted").join("home"), &folder)?;
        Ok(Self { session, folder })
    }

    pub(super) fn count_texts(&mut self, texts: &[&str]) -> Result<Vec<u64>> {
        let mut counts = Vec::with_capacity(texts.len());
        for chunk in texts.chunks(FILES) {
            let mut targets = Vec::new();
            for (at, text) in chunk.iter().enumerate() {
                let name = format!("{at}.txt");
                fs_err::write(self.folder.join(&name), text)?;
                targets.push(name);
            }
            let (reply, _) = self.session.call_operation("read", &json!({ "targets": targets, "mode": "raw" }))?;
            let items = reply["items"].as_array().context("items")?;
            ensure!(
                items.len() == chunk.len(),
                "{} of {} texts were counted: {}",
                items.len(),
                chunk.len(),
                reply["omitted"]
            );
            counts.extend(items.iter().map(|item| item["tokens"].as_u64().unwrap_or_default()));
        }
        Ok(counts)
    }

    pub(super) fn count_text(&mut self, text: &str) -> Result<u64> {
        Ok(self.count_texts(&[text])?[0])
    }

    pub(super) fn close(self) -> Result<()> {
        self.session.close()
    }
}

/// The tokens that an agent is told of our MCP server in each of its requests: the instructions, and each tool's name,
/// description and parameters.
pub(super) fn count_fixed_tokens(bench: &BenchSetup, project: &Path, counter: &mut TokenCounter) -> Result<u64> {
    let mut session = McpSession::start(&bench.binary, "core", &bench.scratch.join("counted").join("home"), project)?;
    let mut texts = vec![session.instructions().to_owned()];
    texts.extend(session.list_tools()?.iter().map(|tool: &Value| {
        json!({ "name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"] })
            .to_string()
    }));
    session.close()?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(counter.count_texts(&texts)?.iter().sum())
}
