//! Benchmark that replays real transcripts as if the agent had run with our hooks: what was added to its context, what
//! was saved, and how long it waited. The user of the benchmark supplies the transcripts: a folder of Claude Code's,
//! named by `REPLAYED_TRANSCRIPTS`.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::{BenchSetup, duration_percentiles, workload_number};
use crate::process::{self, command_in};

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let folder =
        std::env::var_os("REPLAYED_TRANSCRIPTS").context("REPLAYED_TRANSCRIPTS names no folder of transcripts")?;
    let mut transcripts: Vec<PathBuf> =
        fs_err::read_dir(PathBuf::from(folder))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    transcripts.sort();
    let most = workload_number(workload, "sessions")?;
    // Spread over the folder, since sessions of one day are alike.
    let step = (transcripts.len() / most).max(1);
    let project = bench.scratch.join("project");
    fs_err::create_dir_all(&project)?;
    process::read_output(command_in(&project, "git", &["init", "--quiet"]))?;
    let mut replay = SessionReplay::new(bench, project);
    let mut sessions = 0;
    for transcript in transcripts.iter().step_by(step).take(most) {
        sessions += usize::from(replay.replay_session(transcript)?.is_some());
    }
    let mut value = command_in(&replay.project, &bench.binary, &["value", "--json"]);
    value.env("EPITOME_HOME", &bench.scratch);
    let value: Value = serde_json::from_str(&process::read_output(value)?)?;
    let waited: BTreeMap<&str, Value> =
        replay.waited.into_iter().map(|(event, it)| (event, duration_percentiles(it))).collect();
    Ok(json!({ "sessions": sessions, "answered": replay.answered, "waited": waited, "value": value }))
}

/// What a hook told the agent, behind a line of the transcript.
pub(super) struct HookTelling {
    pub(super) line: usize,
    pub(super) event: &'static str,
    pub(super) text: ToldText,
}

pub(super) enum ToldText {
    /// Text beside what the agent has.
    Added(String),
    /// The output of a call as the agent got it, and what it would have got.
    Shortened { whole: String, shown: String },
}

pub(super) struct SessionReplay<'b> {
    bench: &'b BenchSetup,
    pub(super) project: PathBuf,
    /// Seconds by event.
    waited: BTreeMap<&'static str, Vec<f64>>,
    /// How often an event was answered with something.
    answered: BTreeMap<&'static str, u64>,
    /// Of the transcript that is played.
    told: Vec<HookTelling>,
    line: usize,
}

/// A session on its way.
struct ReplayedSession {
    id: String,
    transcript: PathBuf,
    /// Calls by their id: the tool and what it was given.
    calls: HashMap<String, (Value, Value)>,
}

impl<'b> SessionReplay<'b> {
    pub(super) fn new(bench: &'b BenchSetup, project: PathBuf) -> Self {
        let (waited, answered) = (BTreeMap::new(), BTreeMap::new());
        Self { bench, project, waited, answered, told: Vec::new(), line: 0 }
    }

    /// Plays one transcript; gives what the agent was told, and nothing where it is no transcript.
    pub(super) fn replay_session(&mut self, path: &Path) -> Result<Option<Vec<HookTelling>>> {
        // Paths of the other machine lead nowhere here, and hooks would find no project.
        let text = self.moved_here(&String::from_utf8_lossy(&fs_err::read(path)?));
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.bench.scratch.join(".claude").join("projects").join("-project");
        fs_err::create_dir_all(&folder)?;
        let mut session = ReplayedSession { transcript: folder.join(format!("{id}.jsonl")), id, calls: HashMap::new() };
        let mut written = fs_err::File::create(&session.transcript)?;
        let numbered = text.lines().enumerate();
        let lines: Vec<(usize, &str, Value)> =
            numbered.filter_map(|(at, line)| Some((at, line, serde_json::from_str(line).ok()?))).collect();
        if !lines.iter().any(|(_, _, line)| line["sessionId"].is_string()) {
            return Ok(None);
        }
        self.line = 0;
        self.call_hook(&session, "SessionStart", json!({ "source": "startup" }))?;
        for (at, line, read) in &lines {
            self.line = *at;
            // Written line by line between the hooks, as the agent does it: hooks look into the file while it grows.
            let shown = self.hooks_before(&mut session, read)?;
            written.write_all(shown.map_or_else(|| (*line).to_owned(), |line| line.to_string()).as_bytes())?;
            written.write_all(b"\n")?;
            self.hooks_after(&mut session, read)?;
        }
        self.call_hook(&session, "Stop", json!({ "stop_hook_active": false }))?;
        self.call_hook(&session, "SessionEnd", json!({ "reason": "other" }))?;
        Ok(Some(std::mem::take(&mut self.told)))
    }

    /// A transcript as if the session had been in our project.
    fn moved_here(&self, text: &str) -> String {
        let directory = text.lines().find_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            Some(line["cwd"].as_str()?.to_owned())
        });
        let here = self.project.display().to_string();
        directory.map_or_else(|| text.to_owned(), |directory| text.replace(&directory, &here))
    }

    /// The calls that the agent makes before it writes a line; returns the line, changed if an answer replaces its
    /// output.
    fn hooks_before(&mut self, session: &mut ReplayedSession, line: &Value) -> Result<Option<Value>> {
        let shown = self.report_results(session, line)?;
        // Lines that the program wrote itself call no hook for a prompt.
        if line["isSidechain"] == true || line["isMeta"] == true || line["isCompactSummary"] == true {
            return Ok(shown);
        }
        if line["subtype"] == "compact_boundary" {
            self.call_hook(session, "PreCompact", json!({ "trigger": "auto" }))?;
        }
        let said = line["message"]["content"].as_str().filter(|_| line["type"] == "user");
        // A prompt that begins with a tag was written by the program.
        if let Some(prompt) = said.filter(|text| !text.starts_with('<')) {
            self.call_hook(session, "UserPromptSubmit", json!({ "prompt": prompt }))?;
        }
        Ok(shown)
    }

    /// Tells of the results in a line, and shows them as the answers say.
    fn report_results(&mut self, session: &mut ReplayedSession, line: &Value) -> Result<Option<Value>> {
        let mut shown = None;
        for (index, block) in line["message"]["content"].as_array().into_iter().flatten().enumerate() {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            let Some((name, input)) = session.calls.remove(id) else { continue };
            let response = line.get("toolUseResult").unwrap_or(&block["content"]);
            let told = json!({ "tool_name": name, "tool_input": input, "tool_response": response, "tool_use_id": id });
            let answer = self.call_hook(session, "PostToolUse", told)?;
            let output = &answer["hookSpecificOutput"]["updatedToolOutput"];
            let texts = [output, &output["stdout"], &output["content"]];
            if let Some(text) = texts.into_iter().find_map(Value::as_str) {
                // A hook that replaced an output changes what the agent writes down afterwards.
                let line = shown.get_or_insert_with(|| line.clone());
                let whole = result_text(&line["message"]["content"][index]);
                let told = ToldText::Shortened { whole, shown: text.to_owned() };
                self.told.push(HookTelling { line: self.line, event: "PostToolUse", text: told });
                line["message"]["content"][index]["content"] = json!(text);
                line["toolUseResult"] = output.clone();
            }
        }
        Ok(shown)
    }

    /// The calls afterwards.
    fn hooks_after(&mut self, session: &mut ReplayedSession, line: &Value) -> Result<()> {
        if line["isCompactSummary"] == true {
            let summary = line["message"]["content"].as_str().unwrap_or_default();
            self.call_hook(session, "PostCompact", json!({ "trigger": "auto", "compact_summary": summary }))?;
            self.call_hook(session, "SessionStart", json!({ "source": "compact" }))?;
            return Ok(());
        }
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_use" {
                let call = (block["name"].clone(), block["input"].clone());
                session.calls.insert(block["id"].as_str().unwrap_or_default().to_owned(), call);
            }
        }
        Ok(())
    }

    /// Calls a hook; what it answers, or null.
    fn call_hook(&mut self, session: &ReplayedSession, event: &'static str, mut body: Value) -> Result<Value> {
        body["session_id"] = json!(session.id);
        body["transcript_path"] = json!(session.transcript);
        body["cwd"] = json!(self.project);
        body["hook_event_name"] = json!(event);
        let started = Instant::now();
        let mut child = Command::new(&self.bench.binary)
            .args(["hook", event, "--agent", "claude-code"])
            .current_dir(&self.project)
            .env("EPITOME_HOME", &self.bench.scratch)
            // Transcripts and settings of the person who runs the benchmark must not be read.
            .env("HOME", &self.bench.scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        // Taken, so that the pipe is closed: the hook reads until the end.
        child.stdin.take().context("standard input")?.write_all(body.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        self.waited.entry(event).or_default().push(started.elapsed().as_secs_f64());
        ensure!(output.status.success(), "{event} ended with {}", output.status);
        *self.answered.entry(event).or_default() += u64::from(!output.stdout.is_empty());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if let Some(text) = answer["hookSpecificOutput"]["additionalContext"].as_str() {
            let text = ToldText::Added(text.to_owned());
            self.told.push(HookTelling { line: self.line, event, text });
        }
        Ok(answer)
    }
}

/// The text of a result as the model got it.
pub(super) fn result_text(block: &Value) -> String {
    let parts = block["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    block["content"].as_str().map_or_else(|| parts.collect(), str::to_owned)
}
