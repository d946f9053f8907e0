//! What is in the context of an agent's model, by the transcript that the agent writes as it works (`ContextResult`). An
//! agent that names its calls to MCP servers is asked by the name of a call: the transcript that has the call, wherever it
//! lies, is the one of whoever makes it, a sub-agent included. Where a transcript does not show it for certain, nothing is
//! known. Reading costs no hook, and no state that could be wrong.

use crate::catalog::FORMATS;
use crate::{AgentEnvironment, TranscriptFormat};
use memchr::memmem;
use model::Timestamp;
use serde_json::Value;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a call of a tool left in a context.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextResult {
    /// The agent's id of the call.
    pub call: String,
    /// The tool, as the agent names it.
    pub tool: String,
    /// What it was called with.
    pub input: Value,
    /// The text that the model has of the result, as it has it; none where it has none, or more than one.
    pub text: Option<String>,
}

/// Up to which place a context is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextEnd<'c> {
    /// A call that is being made, at this time: what was before it for certain.
    Call(&'c str, Timestamp),
    /// The newest line of the session itself, as far as the transcript shows.
    Newest,
}

/// How one knows what is in the context of an agent's model.
pub(crate) struct WindowTraits {
    /// Under which name a call over MCP has the agent's id of it, in its `_meta`.
    pub(crate) call_key: &'static str,
    /// The results in the context, oldest first, by the end of a transcript; none where it does not have that place.
    pub(crate) results: fn(&[u8], ContextEnd<'_>) -> Option<Vec<ContextResult>>,
}

/// No more of a transcript is looked at: what is further back is not known.
const MAX_TRANSCRIPT_BYTES: u64 = 8 << 20;

/// A call is looked for in so many transcripts, those that were written to last.
const MAX_TRANSCRIPTS: usize = 8;

/// Transcripts lie no deeper below the folder of all of them.
const MAX_DEPTH: usize = 6;

/// Under which names calls over MCP may have the agent's id of them, in their `_meta`.
pub fn call_keys() -> impl Iterator<Item = &'static str> {
    windows().map(|(_, window)| window.call_key)
}

/// The results that are in the context of whoever makes a call now, oldest first, with the calls that have none yet; none
/// where no transcript has the call, or not yet.
pub fn results_before(around: &AgentEnvironment<'_>, call: &str, now: Timestamp) -> Option<Vec<ContextResult>> {
    let quoted = format!("\"{call}\"");
    windows().find_map(|(format, window)| {
        newest_transcripts(around, format).iter().find_map(|path| {
            let transcript = read_end(path)?;
            memmem::find(&transcript, quoted.as_bytes())?;
            (window.results)(&transcript, ContextEnd::Call(call, now))
        })
    })
}

/// The results that are in the context of a session, oldest first, by its newest line; none where nothing shows that.
pub fn session_results(around: &AgentEnvironment<'_>, agent: &str, session: &str) -> Option<Vec<ContextResult>> {
    let format = TranscriptFormat::from_name(agent)?;
    let window = format.window.as_ref()?;
    let path =
        find_transcripts(around, format).into_iter().find(|path| path.file_stem().is_some_and(|is| is == session));
    (window.results)(&read_end(&path?)?, ContextEnd::Newest)
}

fn windows() -> impl Iterator<Item = (&'static TranscriptFormat, &'static WindowTraits)> {
    FORMATS.iter().filter_map(|format| Some((*format, format.window.as_ref()?)))
}

/// The transcripts that were written to last, the newest first.
fn newest_transcripts(around: &AgentEnvironment<'_>, format: &TranscriptFormat) -> Vec<PathBuf> {
    let written = |path: PathBuf| {
        let at = fs_err::metadata(&path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        (std::cmp::Reverse(at), path)
    };
    let mut found: Vec<_> = find_transcripts(around, format).into_iter().map(written).collect();
    found.sort_unstable();
    found.into_iter().take(MAX_TRANSCRIPTS).map(|(_, path)| path).collect()
}

fn find_transcripts(around: &AgentEnvironment<'_>, format: &TranscriptFormat) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for place in (format.places)(around) {
        add_transcripts(&place, MAX_DEPTH, &mut found);
    }
    found
}

/// A folder that cannot be read has no transcript that is known.
fn add_transcripts(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() && depth > 0 {
            add_transcripts(&path, depth - 1, found);
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
}

/// The end of a transcript, which may begin in the middle of a line.
fn read_end(path: &Path) -> Option<Vec<u8>> {
    let mut file = fs_err::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_TRANSCRIPT_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_TRANSCRIPT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::EventTime;
    use serde_json::json;

    fn lines(call: &str, text: &str) -> String {
        let content = json!([{ "type": "tool_use", "id": call, "name": "mcp__epitome__read", "input": {} }]);
        let result = json!([{ "type": "tool_result", "tool_use_id": call, "content": text }]);
        let at = "2026-11-19T10:00:00.000Z";
        format!(
            "{}\n{}\n{}\n",
            json!({ "type": "assistant", "uuid": "a", "parentUuid": null, "timestamp": at, "message": { "content": content } }),
            json!({ "type": "user", "uuid": "r", "parentUuid": "a", "timestamp": at, "message": { "content": result } }),
            json!({ "type": "assistant", "uuid": "n", "parentUuid": "r", "timestamp": at, "message": {
                "content": [{ "type": "tool_use", "id": format!("{call}-next"), "name": "Read", "input": {} }],
            } }),
        )
    }

    #[test]
    fn a_call_is_found_in_the_transcript_of_whoever_makes_it() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let folder = home.path().join(".claude/projects/-p");
        fs_err::create_dir_all(folder.join("s/subagents")).expect("a folder");
        fs_err::write(folder.join("s.jsonl"), lines("c1", "of the session")).expect("a transcript");
        fs_err::write(folder.join("s/subagents/agent-x.jsonl"), lines("c2", "of its agent")).expect("a transcript");
        let variable = |_: &str| None;
        let around = AgentEnvironment { home: home.path(), variable: &variable };
        let now = EventTime::from_text("2026-11-19T10:01:00.000Z".to_owned()).instant.expect("a time");
        let texts = |found: Option<Vec<ContextResult>>| {
            found.map(|found| found.into_iter().filter_map(|result| result.text).collect::<Vec<_>>())
        };
        assert_eq!(texts(results_before(&around, "c1-next", now)), Some(vec!["of the session".to_owned()]));
        assert_eq!(texts(results_before(&around, "c2-next", now)), Some(vec!["of its agent".to_owned()]));
        assert_eq!(texts(results_before(&around, "c3-next", now)), None);
        assert_eq!(texts(session_results(&around, "claude-code", "s")), Some(vec!["of the session".to_owned()]));
        assert_eq!(texts(session_results(&around, "claude-code", "another")), None);
        assert_eq!(texts(session_results(&around, "codex", "s")), None);
    }
}
