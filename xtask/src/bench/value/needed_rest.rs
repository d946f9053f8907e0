//! Whether a session shows that the agent needed what a shorter text leaves out: it repeated one of those lines, or went
//! on with a file that only they name. Doubt counts as need.

use std::collections::HashSet;

use serde_json::Value;

/// In how many answers of the model a need is looked for.
pub(super) const ANSWERS: usize = 5;

/// A line of fewer bytes is in many texts.
const TELLING_BYTES: usize = 12;

/// What the model said and asked for, in one answer.
#[derive(Default)]
pub(super) struct ModelAnswer {
    pub(super) line: usize,
    /// Its words, and the texts of its calls.
    pub(super) texts: Vec<String>,
    pub(super) calls: Vec<ToolCall>,
}

pub(super) struct ToolCall {
    pub(super) tool: String,
    /// The file it is about; empty where it is about none.
    pub(super) path: String,
}

/// The tools that change a file.
const WRITING_TOOLS: [&str; 4] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

impl ToolCall {
    pub(super) fn writes(&self) -> bool {
        WRITING_TOOLS.contains(&self.tool.as_str())
    }
}

/// The answers of a transcript, in order.
pub(super) fn read_answers(transcript: &str) -> Vec<ModelAnswer> {
    let mut answers: Vec<(String, ModelAnswer)> = Vec::new();
    for (number, line) in transcript.lines().enumerate() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        if line["type"] != "assistant" || line["isSidechain"] == true {
            continue;
        }
        let id = line["message"]["id"].as_str().unwrap_or_default();
        if answers.last().is_none_or(|(known, _)| known != id) {
            answers.push((id.to_owned(), ModelAnswer { line: number, ..ModelAnswer::default() }));
        }
        let Some((_, answer)) = answers.last_mut() else { continue };
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            collect_texts(block, &mut answer.texts);
            if block["type"] == "tool_use" {
                let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                answer.calls.push(ToolCall { tool: word(&block["name"]), path: word(&block["input"]["file_path"]) });
            }
        }
    }
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect_texts(value, texts)),
        Value::Object(fields) => fields.values().for_each(|value| collect_texts(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The answers behind a line in which a need would show.
pub(super) fn next_answers(answers: &[ModelAnswer], line: usize) -> &[ModelAnswer] {
    let from = answers.partition_point(|answer| answer.line <= line);
    &answers[from..(from + ANSWERS).min(answers.len())]
}

/// Whether these answers repeat a line that `shown` leaves out of `whole`, or name a file that is only there.
pub(super) fn needs_rest(whole: &str, shown: &str, answers: &[ModelAnswer], directory: &str) -> bool {
    let kept: HashSet<&str> = shown.lines().map(bare_line).collect();
    let left_out: Vec<&str> = whole.lines().map(bare_line).filter(|line| !kept.contains(line)).collect();
    let repeats = |text: &String| {
        left_out.iter().any(|line| {
            line.len() >= TELLING_BYTES
                && line.contains(char::is_alphabetic)
                && !shown.contains(line)
                && text.contains(line)
        })
    };
    let names = |call: &ToolCall| {
        let path = call.path.strip_prefix(directory).unwrap_or(&call.path).trim_start_matches('/');
        !path.is_empty() && !shown.contains(path) && left_out.iter().any(|line| line.contains(path))
    };
    answers.iter().any(|answer| answer.texts.iter().any(repeats) || answer.calls.iter().any(names))
}

/// A line without the number, or the path and number, that a tool wrote before it.
fn bare_line(line: &str) -> &str {
    let mut rest = line.trim();
    if let Some((number, text)) = rest.split_once(['→', '\t'])
        && number.trim().parse::<u32>().is_ok()
    {
        rest = text;
    } else if let Some((place, text)) = rest.split_once(':').and_then(|(_, rest)| rest.split_once(':'))
        && place.parse::<u32>().is_ok()
    {
        rest = text;
    }
    rest.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, path: &str) -> [ModelAnswer; 1] {
        let calls = vec![ToolCall { tool: "Edit".to_owned(), path: path.to_owned() }];
        [ModelAnswer { line: 1, texts: vec![text.to_owned()], calls }]
    }

    #[test]
    fn a_line_that_is_repeated_was_needed() {
        let whole = "   1→fn first() {\n   2→    let total = count_all();\n   3→}\n";
        let shown = "fn first() {\n}\n";
        assert!(needs_rest(whole, shown, &answer("    let total = count_all();\n    total", ""), "/p"));
        assert!(!needs_rest(whole, shown, &answer("fn first() {", ""), "/p"));
        assert!(!needs_rest(whole, whole, &answer("let total = count_all();", ""), "/p"));
        let found = "src/a.rs:7:    let total = count_all();";
        assert!(needs_rest(found, "nothing", &answer("let total = count_all();", ""), "/p"));
    }

    #[test]
    fn a_file_that_only_the_rest_names_was_needed() {
        let whole = "src/a.rs\nsrc/b.rs\n";
        assert!(needs_rest(whole, "src/a.rs\n", &answer("", "/p/src/b.rs"), "/p"));
        assert!(!needs_rest(whole, "src/a.rs\n", &answer("", "/p/src/a.rs"), "/p"));
    }

    #[test]
    fn only_the_next_answers_are_looked_at() {
        let said = |text: &str| {
            let block = format!("{{\"type\":\"text\",\"text\":\"{text}\"}}");
            format!("{{\"type\":\"assistant\",\"message\":{{\"id\":\"{text}\",\"content\":[{block}]}}}}")
        };
        let lines: Vec<String> = (0..9).map(|number| said(&format!("answer {number}"))).collect();
        let answers = read_answers(&lines.join("\n"));
        let next = next_answers(&answers, 2);
        assert_eq!((next.len(), next[0].line), (ANSWERS, 3));
        assert!(next[0].texts.contains(&"answer 3".to_owned()));
        assert_eq!(next_answers(&answers, 8).len(), 0);
    }
}
