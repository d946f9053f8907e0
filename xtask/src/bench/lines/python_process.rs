//! A Python child process of the retrieval benchmark: the folder of the data defines in Python what a work tree and a
//! token are, and the baseline semble is a Python package.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::LineRegion;
use super::data::QuestionGroup;

const SCRIPT: &str = include_str!("scripted.py");

/// How many chunks of semble are asked for: more than the largest budget holds.
const CHUNKS: usize = 60;

pub(super) struct PythonProcess {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl PythonProcess {
    /// Starts it. `BENCH_PYTHON` names another Python than `python3`.
    pub(super) fn start(data: &Path, work: &Path) -> Result<Self> {
        let python = std::env::var_os("BENCH_PYTHON").unwrap_or_else(|| "python3".into());
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .args([data, work])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start Python")?;
        let output = BufReader::new(child.stdout.take().context("standard output")?);
        Ok(Self { input: child.stdin.take(), output, child })
    }

    /// Makes the work tree of a group of questions; none where its commit cannot be had.
    pub(super) fn make_tree(&mut self, group: &QuestionGroup) -> Result<Option<PathBuf>> {
        let QuestionGroup { set, slug, commit, .. } = group;
        let reply = self.send_request(&json!({ "do": "make_tree", "set": set, "slug": slug, "commit": commit }))?;
        Ok(reply["root"].as_str().map(PathBuf::from))
    }

    /// Tokens of some texts.
    pub(super) fn count_tokens(&mut self, texts: &[String]) -> Result<Vec<u64>> {
        let reply = self.send_request(&json!({ "do": "count_tokens", "texts": texts }))?;
        let counts = reply["counts"].as_array().context("counts")?;
        counts.iter().map(|count| count.as_u64().context("a count")).collect()
    }

    /// Has semble index a work tree; says why not where it is not installed.
    pub(super) fn index_chunks(&mut self, root: &Path) -> Result<Option<String>> {
        let reply = self.send_request(&json!({ "do": "index_chunks", "root": root }))?;
        Ok(reply["missing"].as_str().map(str::to_owned))
    }

    /// The chunks that semble ranks first.
    pub(super) fn find_chunks(&mut self, root: &Path, query: &str) -> Result<Vec<LineRegion>> {
        let reply =
            self.send_request(&json!({ "do": "find_chunks", "root": root, "query": query, "limit": CHUNKS }))?;
        let regions = reply["regions"].as_array().context("regions")?;
        regions
            .iter()
            .map(|region| LineRegion::from_json(&region[0], &region[1], &region[2]).context("a region"))
            .collect()
    }

    pub(super) fn close(mut self) -> Result<()> {
        drop(self.input.take());
        ensure!(self.child.wait()?.success(), "the Python process failed");
        Ok(())
    }

    fn send_request(&mut self, request: &Value) -> Result<Value> {
        let input = self.input.as_mut().context("standard input")?;
        writeln!(input, "{request}")?;
        input.flush()?;
        let mut line = String::new();
        // An empty read means that the script failed; its message is on standard error.
        ensure!(self.output.read_line(&mut line)? > 0, "the Python process ended while it was asked");
        Ok(serde_json::from_str(&line)?)
    }
}
