//! Runs the real `epitome` binary with a home directory of its own for a torture scenario, and reads its replies.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

#[derive(Clone)]
pub(super) struct TortureHome {
    binary: PathBuf,
    pub(super) folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl TortureHome {
    pub(super) fn new(binary: &Path, folder: PathBuf) -> Self {
        let variables = vec![
            // Small chunks, so that a short conversation is folded many times.
            ("EPITOME_MEMORY_LEAF_CHUNK_TOKENS".to_owned(), "800".to_owned()),
            ("EPITOME_MEMORY_LEAF_TARGET_TOKENS".to_owned(), "120".to_owned()),
            ("EPITOME_MEMORY_CONDENSED_TARGET_TOKENS".to_owned(), "200".to_owned()),
        ];
        Self { binary: binary.to_owned(), folder, variables }
    }

    /// The same with another variable in its environment.
    pub(super) fn with_variable(&self, name: &str, value: impl Into<String>) -> Self {
        let mut with = self.clone();
        with.variables.push((name.to_owned(), value.into()));
        with
    }

    pub(super) fn build_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).env("EPITOME_HOME", &self.folder).stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.folder.parent().unwrap_or(&self.folder));
        command
    }

    /// Runs to the end. A panic is a failure whatever else is expected.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Output> {
        let output = self.build_command(arguments).output().context("cannot start epitome")?;
        let said = String::from_utf8_lossy(&output.stderr);
        // A panic that was caught and reported is still a defect.
        ensure!(!said.contains("panicked"), "epitome {}: {said}", arguments.join(" "));
        Ok(output)
    }

    /// Runs to a good end and gives what it printed.
    pub(super) fn read_output(&self, arguments: &[&str]) -> Result<String> {
        let output = self.run(arguments)?;
        let said = String::from_utf8_lossy(&output.stderr);
        let printed = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "epitome {} ({}): {said}{printed}", arguments.join(" "), output.status);
        Ok(printed.into_owned())
    }

    /// The same, read as JSON.
    pub(super) fn read_json(&self, arguments: &[&str]) -> Result<Value> {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.read_output(&arguments)?).with_context(|| format!("epitome {}", arguments.join(" ")))
    }

    /// Every message of a conversation, oldest first.
    pub(super) fn read_messages(&self, conversation: &str) -> Result<Vec<Value>> {
        let mut reply = self.read_json(&["history", "--conversation", conversation, "--limit", "1000000"])?;
        let messages = reply["messages"].as_array_mut().with_context(|| "history has no messages")?;
        Ok(std::mem::take(messages))
    }

    /// The context of a conversation for a model; equal for equal folds.
    pub(super) fn assemble_context(&self, conversation: &str) -> Result<String> {
        self.read_output(&["assemble", conversation, "--json"])
    }

    pub(super) fn run_verify(&self) -> Result<()> {
        self.read_output(&["verify", "--json"]).map(drop)
    }
}
