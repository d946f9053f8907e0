//! What a session would have saved by reading whole files through us in the mode `auto`, where its transcript shows that
//! the agent did not need the rest. No part of the result: agents choose how they read, and the mode that is set is
//! `raw`.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::needed_rest::{ModelAnswer, needs_rest, next_answers};
use super::trace::{FileRead, SessionTrace};
use crate::bench::BenchSetup;
use crate::bench::session::McpSession;

/// A file that could have been read shorter.
pub(super) struct ShorterRead {
    pub(super) line: usize,
    pub(super) whole: String,
    pub(super) shown: String,
}

#[derive(Default)]
pub(super) struct ShorterReads {
    pub(super) reads: Vec<ShorterRead>,
    /// Whole files that were read; of these, those of which `auto` shows all; of the others, those whose rest was needed.
    pub(super) files: u64,
    pub(super) shown_whole: u64,
    pub(super) needed: u64,
}

pub(super) fn find_shorter_reads(
    bench: &BenchSetup,
    project: &Path,
    trace: &SessionTrace,
    answers: &[ModelAnswer],
) -> Result<ShorterReads> {
    let mut found = ShorterReads { files: trace.reads.len() as u64, ..ShorterReads::default() };
    // A store of its own: what is booked here must not change what the hooks of later sessions do.
    let mut session = McpSession::start(&bench.binary, "core", &bench.scratch.join("read"), project)?;
    for read in &trace.reads {
        let path = place_file(project, &trace.directory, read)?;
        let (reply, _) = session.call_tool("read", &json!({ "targets": [path], "mode": "auto" }))?;
        let shown = reply["content"][0]["text"].as_str().context("a text")?;
        if shown.len() >= read.shown.len() || shows_all(&read.content, shown) {
            found.shown_whole += 1;
        } else if is_changed_later(read, answers)
            || needs_rest(&read.shown, shown, next_answers(answers, read.line), &trace.directory)
        {
            found.needed += 1;
        } else {
            found.reads.push(ShorterRead { line: read.line, whole: read.shown.clone(), shown: shown.to_owned() });
        }
    }
    session.close()?;
    Ok(found)
}

/// Puts the file where it was in the project, as the agent read it.
fn place_file(project: &Path, directory: &str, read: &FileRead) -> Result<String> {
    let inside = Path::new(&read.path).strip_prefix(directory).ok();
    let inside = inside.filter(|path| path.components().all(|part| matches!(part, Component::Normal(_))));
    // A file from elsewhere is shown by its name alone.
    let name = inside.map_or_else(|| Path::new("elsewhere").join(file_name(&read.path)), PathBuf::from);
    let path = project.join(&name);
    fs_err::create_dir_all(path.parent().context("a folder")?)?;
    fs_err::write(&path, &read.content)?;
    Ok(name.display().to_string())
}

fn file_name(path: &str) -> PathBuf {
    Path::new(path).file_name().map(PathBuf::from).unwrap_or_default()
}

fn shows_all(content: &str, shown: &str) -> bool {
    content.lines().all(|line| shown.contains(line.trim()))
}

/// Whether the agent wrote to the file, or read it again within the next answers: then it needed the whole.
fn is_changed_later(read: &FileRead, answers: &[ModelAnswer]) -> bool {
    let later = answers.iter().filter(|answer| answer.line > read.line);
    let is_written = later.flat_map(|answer| &answer.calls).any(|call| call.path == read.path && call.writes());
    let next = next_answers(answers, read.line).iter().flat_map(|answer| &answer.calls);
    is_written || next.into_iter().any(|call| call.path == read.path)
}

#[cfg(test)]
mod tests {
    use super::super::needed_rest::ToolCall;
    use super::*;

    #[test]
    fn a_file_that_is_written_or_read_again_was_needed_whole() {
        let read = FileRead { line: 3, path: "/p/a".to_owned(), content: "x".to_owned(), shown: "1 x".to_owned() };
        let answer = |line: usize, tool: &str| ModelAnswer {
            line,
            texts: Vec::new(),
            calls: vec![ToolCall { tool: tool.to_owned(), path: "/p/a".to_owned() }],
        };
        let others = (4..12).map(|line| ModelAnswer { line, ..ModelAnswer::default() });
        let late = |tool: &str| others.clone().chain([answer(20, tool)]).collect::<Vec<_>>();
        assert!(is_changed_later(&read, &late("Edit")));
        assert!(!is_changed_later(&read, &late("Read")));
        assert!(is_changed_later(&read, &[answer(4, "Read")]));
        assert!(!is_changed_later(&read, &[answer(2, "Edit")]));
    }
}
