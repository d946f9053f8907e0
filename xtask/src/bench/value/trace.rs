//! Reads a transcript as what was billed and what was sent: the requests with the usage that the vendor reported, and
//! the texts that came into the context between them. What the agent's host sends besides (its own prompt, its tools,
//! reminders) is not in a transcript: it is the part of a request that the texts do not explain.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::bench::replay::result_text;

/// A session as its transcript tells of it.
#[derive(Default)]
pub(super) struct SessionTrace {
    /// When it began, as written there.
    pub(super) started: String,
    pub(super) directory: String,
    pub(super) branch: Option<String>,
    /// In the order in which they were sent.
    pub(super) requests: Vec<BilledRequest>,
    pub(super) texts: Vec<ContextText>,
    pub(super) reads: Vec<FileRead>,
    /// Calls of other agents, whose requests are not in the transcript.
    pub(super) subagents: u64,
}

/// A request to the model, as it was billed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BilledRequest {
    /// The line of its answer.
    pub(super) line: usize,
    /// How often the conversation was summed up before.
    pub(super) period: usize,
    pub(super) model: String,
    pub(super) input: u64,
    pub(super) cache_read: u64,
    /// Kept for five minutes, and for an hour.
    pub(super) short_writes: u64,
    pub(super) long_writes: u64,
    pub(super) output: u64,
}

impl BilledRequest {
    /// All that was sent with it.
    pub(super) fn context(&self) -> u64 {
        self.input + self.cache_read + self.short_writes + self.long_writes
    }
}

/// A text that came into the context.
pub(super) struct ContextText {
    pub(super) line: usize,
    pub(super) origin: TextOrigin,
    pub(super) text: String,
    /// Has a picture beside it, whose tokens nobody counts here.
    pub(super) is_pictured: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextOrigin {
    Prompt,
    Model,
    /// The tool by its name.
    Output(String),
}

/// A whole file that a tool of the agent read.
pub(super) struct FileRead {
    pub(super) line: usize,
    pub(super) path: String,
    /// The file, and what the model got of it.
    pub(super) content: String,
    pub(super) shown: String,
}

/// The words of the host that are told apart here.
const READING_TOOL: &str = "Read";
const SUBAGENT_TOOLS: [&str; 2] = ["Task", "Agent"];

impl SessionTrace {
    /// None where no request is in it.
    pub(super) fn parse(transcript: &str) -> Result<Option<Self>> {
        let mut reader = TraceReader::default();
        for (number, line) in transcript.lines().enumerate() {
            // A line that was cut off when the session ended is no reason to leave the rest out.
            if let Ok(line) = serde_json::from_str::<Value>(line) {
                reader.take_line(number, &line)?;
            }
        }
        let TraceReader { trace, started, .. } = reader;
        Ok((!trace.requests.is_empty()).then_some(Self { started, ..trace }))
    }
}

#[derive(Default)]
struct TraceReader {
    trace: SessionTrace,
    started: String,
    period: usize,
    /// Requests by the id of their answer: an answer is written in several lines.
    answers: HashMap<String, usize>,
    /// Tools by the id of the call.
    calls: HashMap<String, String>,
}

impl TraceReader {
    fn take_line(&mut self, number: usize, line: &Value) -> Result<()> {
        if line["isSidechain"] == true {
            return Ok(());
        }
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        for (known, key) in [(&mut self.started, "timestamp"), (&mut self.trace.directory, "cwd")] {
            if known.is_empty() {
                *known = text(key);
            }
        }
        if self.trace.branch.is_none() {
            self.trace.branch = line["gitBranch"].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        }
        if line["subtype"] == "compact_boundary" {
            self.period += 1;
        }
        match line["type"].as_str() {
            Some("assistant") => self.take_answer(number, line)?,
            Some("user") => self.take_input(number, line),
            _ => {}
        }
        Ok(())
    }

    fn take_answer(&mut self, number: usize, line: &Value) -> Result<()> {
        let message = &line["message"];
        let usage = &message["usage"];
        let model = message["model"].as_str().unwrap_or_default();
        let count = |value: &Value| value.as_u64().unwrap_or_default();
        let billed = count(&usage["input_tokens"])
            + count(&usage["cache_read_input_tokens"])
            + count(&usage["cache_creation_input_tokens"]);
        // What the host says in the model's place was not billed.
        if billed > 0 {
            let id = message["id"].as_str().context("an answer without an id")?.to_owned();
            let at = *self.answers.entry(id).or_insert(self.trace.requests.len());
            if at == self.trace.requests.len() {
                let all = count(&usage["cache_creation_input_tokens"]);
                let long = count(&usage["cache_creation"]["ephemeral_1h_input_tokens"]).min(all);
                self.trace.requests.push(BilledRequest {
                    line: number,
                    period: self.period,
                    model: model.to_owned(),
                    input: count(&usage["input_tokens"]),
                    cache_read: count(&usage["cache_read_input_tokens"]),
                    short_writes: all - long,
                    long_writes: long,
                    output: 0,
                });
            }
            // The first lines of an answer have the count so far.
            let output = &mut self.trace.requests[at].output;
            *output = (*output).max(count(&usage["output_tokens"]));
        }
        for block in message["content"].as_array().into_iter().flatten() {
            let said = match block["type"].as_str() {
                Some("text") => block["text"].as_str().unwrap_or_default().to_owned(),
                Some("thinking") => block["thinking"].as_str().unwrap_or_default().to_owned(),
                Some("tool_use") => {
                    let name = block["name"].as_str().unwrap_or_default();
                    self.trace.subagents += u64::from(SUBAGENT_TOOLS.contains(&name));
                    self.calls.insert(block["id"].as_str().unwrap_or_default().to_owned(), name.to_owned());
                    format!("{name} {}", block["input"])
                }
                _ => continue,
            };
            self.add_text(number, TextOrigin::Model, said, false);
        }
        Ok(())
    }

    fn take_input(&mut self, number: usize, line: &Value) {
        let content = &line["message"]["content"];
        if let Some(said) = content.as_str() {
            self.add_text(number, TextOrigin::Prompt, said.to_owned(), false);
        }
        for block in content.as_array().into_iter().flatten() {
            if let Some(said) = block["text"].as_str() {
                self.add_text(number, TextOrigin::Prompt, said.to_owned(), false);
            }
            let Some(id) = block["tool_use_id"].as_str() else { continue };
            let tool = self.calls.get(id).cloned().unwrap_or_default();
            let shown = result_text(block);
            if let Some(read) = whole_file(number, &tool, &line["toolUseResult"]["file"], &shown) {
                self.trace.reads.push(read);
            }
            let is_pictured = block["content"].as_array().into_iter().flatten().any(|part| part["type"] == "image");
            self.add_text(number, TextOrigin::Output(tool), shown, is_pictured);
        }
    }

    fn add_text(&mut self, line: usize, origin: TextOrigin, text: String, is_pictured: bool) {
        if !text.is_empty() || is_pictured {
            self.trace.texts.push(ContextText { line, origin, text, is_pictured });
        }
    }
}

/// A file that was read from its first line to its last.
fn whole_file(line: usize, tool: &str, file: &Value, shown: &str) -> Option<FileRead> {
    let is_whole = tool == READING_TOOL && file["startLine"] == 1 && file["numLines"] == file["totalLines"];
    let (path, content) = (file["filePath"].as_str()?, file["content"].as_str()?);
    is_whole.then(|| FileRead { line, path: path.to_owned(), content: content.to_owned(), shown: shown.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_several_lines_is_one_request() {
        let usage = |output: u32| {
            format!(
                "{{\"input_tokens\":3,\"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":20,\
                 \"cache_creation\":{{\"ephemeral_1h_input_tokens\":20}},\"output_tokens\":{output}}}"
            )
        };
        let answer = |content: &str, output: u32| {
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"a\",\"model\":\"m\",\"usage\":{},\"content\":[{content}]}}}}",
                usage(output)
            )
        };
        let call = "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Read\",\"input\":{\"file_path\":\"/p/a\"}}";
        let result = "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"1 x\"}]},\
                      \"toolUseResult\":{\"file\":{\"filePath\":\"/p/a\",\"content\":\"x\",\"startLine\":1,\"numLines\":1,\"totalLines\":1}}}";
        let prompt = "{\"type\":\"user\",\"cwd\":\"/p\",\"timestamp\":\"2026\",\"message\":{\"content\":\"do it\"}}";
        let said = "{\"type\":\"text\",\"text\":\"I look\"}";
        let lines = [prompt.to_owned(), answer(said, 1), answer(call, 9), result.to_owned(), "{".to_owned()];
        let trace = SessionTrace::parse(&lines.join("\n")).expect("a transcript").expect("a session");
        let request = BilledRequest {
            line: 1,
            period: 0,
            model: "m".to_owned(),
            input: 3,
            cache_read: 100,
            short_writes: 0,
            long_writes: 20,
            output: 9,
        };
        assert_eq!((trace.requests[0].context(), &trace.requests[..]), (123, &[request][..]));
        let origins: Vec<&TextOrigin> = trace.texts.iter().map(|text| &text.origin).collect();
        let read = TextOrigin::Output("Read".to_owned());
        assert_eq!(origins, [&TextOrigin::Prompt, &TextOrigin::Model, &TextOrigin::Model, &read]);
        assert_eq!((trace.reads[0].path.as_str(), trace.reads[0].shown.as_str()), ("/p/a", "1 x"));
    }

    #[test]
    fn without_requests_there_is_no_session() {
        assert!(SessionTrace::parse("{\"type\":\"summary\"}").expect("lines").is_none());
    }
}
