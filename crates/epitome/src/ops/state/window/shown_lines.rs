//! Which lines of which files a result of a tool shows (`ShownLines`): numbered ones, as tools of agents read files; ours,
//! under the heading of their place; and what the model wrote itself.

use agents::ContextResult;
use serde_json::Value;
use std::path::Path;

/// Lines of a file that stand together, as they were shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownLines {
    /// Within the project.
    pub(super) path: String,
    /// The number of the first one, where it is known.
    pub(super) start: Option<u32>,
    pub(super) lines: Vec<String>,
}

/// How a result begins that says that nothing was done.
const FAILED: &str = "<tool_use_error>";
/// How a line of ours begins that stands for lines left out.
const LEFT_OUT: &str = "…:";

impl ShownLines {
    /// What a result shows, and what its call said.
    pub(super) fn of_result(result: &ContextResult, root: &Path) -> Vec<Self> {
        let Some(text) = result.text.as_deref().filter(|text| !text.contains(FAILED)) else { return Vec::new() };
        let input = &result.input;
        let Some(file) = ["file_path", "notebook_path"].iter().find_map(|name| input[*name].as_str()) else {
            return of_our_text(input, text, root);
        };
        let Some(path) = path_within(file, root) else { return Vec::new() };
        let mut found = numbered_runs(&path, text);
        let written = |name: &str, start| {
            let lines: Vec<String> = input[name].as_str()?.lines().map(str::to_owned).collect();
            (!lines.is_empty()).then(|| Self { path: path.clone(), start, lines })
        };
        found.extend(written("content", Some(1)));
        found.extend(written("new_string", None));
        found
    }
}

/// A file as the project names it; none outside of it.
fn path_within(file: &str, root: &Path) -> Option<String> {
    let below = Path::new(file);
    let below = if below.is_absolute() { below.strip_prefix(root).ok()? } else { below };
    let is_plain = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    below.to_str().filter(|path| is_plain && !path.is_empty()).map(str::to_owned)
}

/// Lines with their numbers before them, as `    12→text` or `12<tab>text`.
fn numbered_runs(path: &str, text: &str) -> Vec<ShownLines> {
    let mut runs: Vec<ShownLines> = Vec::new();
    for (number, line) in text.lines().filter_map(split_number) {
        match runs.last_mut() {
            Some(run) if run.start.is_some_and(|start| start + run.lines.len() as u32 == number) => {
                run.lines.push(line.to_owned());
            }
            _ => runs.push(ShownLines { path: path.to_owned(), start: Some(number), lines: vec![line.to_owned()] }),
        }
    }
    runs
}

fn split_number(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start_matches(' ');
    let (number, rest) = line.split_at(line.find(|c: char| !c.is_ascii_digit())?);
    let text = rest.strip_prefix('→').or_else(|| rest.strip_prefix('\t'))?;
    Some((number.parse().ok()?, text))
}

/// What a tool of ours shows: texts in JSON, texts under headings, or one text alone.
fn of_our_text(input: &Value, text: &str, root: &Path) -> Vec<ShownLines> {
    if let Some(items) = serde_json::from_str::<Value>(text).ok().as_ref().and_then(|reply| reply["items"].as_array()) {
        let place = |item: &Value| {
            item["source"].as_str().map(str::to_owned).or_else(|| {
                let (path, lines) = (item["path"].as_str()?, [&item["start_line"], &item["end_line"]]);
                Some(format!("{path}:{}-{}", lines[0].as_u64()?, lines[1].as_u64()?))
            })
        };
        let shown = |item: &Value| Some(runs_at(&place(item)?, item["text"].as_str()?, root));
        return items.iter().filter_map(shown).flatten().collect();
    }
    let headed = headed_texts(text);
    if !headed.is_empty() {
        return headed.into_iter().flat_map(|(place, text)| runs_at(place, &text, root)).collect();
    }
    match input["targets"].as_array().map(Vec::as_slice) {
        Some([Value::String(target)]) => {
            // A file is shown from its first line where nothing is left out of it.
            let is_whole = input["mode"] == "raw" && !target.contains([':', '#']);
            let place = if is_whole { format!("{target}:1-") } else { target.clone() };
            runs_at(&place, text, root)
        }
        _ => Vec::new(),
    }
}

/// Texts between fences below headings, with what the headings say.
fn headed_texts(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(heading) = line.strip_prefix("## ") else { continue };
        let Some(fence) = lines.next().filter(|line| line.starts_with("```")) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        found.push((heading.split(" (").next().unwrap_or(heading), body.join("\n")));
    }
    found
}

/// The lines of a text of a place: a path with lines or a name behind it. What is left out parts them.
fn runs_at(place: &str, text: &str, root: &Path) -> Vec<ShownLines> {
    let (file, behind) = place.split_once(['#', ':']).unwrap_or((place, ""));
    let Some(path) = path_within(file, root) else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let parts: Vec<&[&str]> = lines.split(|line| line.trim_start().starts_with(LEFT_OUT)).collect();
    let (first, last) = behind.split_once('-').unwrap_or((behind, behind));
    let count = |first: u32| last.parse::<u32>().ok().and_then(|last| Some(last.checked_sub(first)? as usize + 1));
    // A shorter view of the lines does not have as many.
    let is_exact = |first: &u32| parts.len() == 1 && count(*first).is_none_or(|count| count == lines.len());
    let start = first.parse::<u32>().ok().filter(is_exact);
    let run = |part: &[&str]| ShownLines {
        path: path.clone(),
        start,
        lines: part.iter().map(|line| (*line).to_owned()).collect(),
    };
    parts.into_iter().filter(|part| !part.is_empty()).map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(input: Value, text: &str, expected: &[(&str, Option<u32>, &[&str])]) {
        let result =
            ContextResult { call: "c".to_owned(), tool: "Read".to_owned(), input, text: Some(text.to_owned()) };
        let found = ShownLines::of_result(&result, Path::new("/p"));
        let found: Vec<(&str, Option<u32>, Vec<&str>)> = found
            .iter()
            .map(|run| (run.path.as_str(), run.start, run.lines.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(&str, Option<u32>, Vec<&str>)> =
            expected.iter().map(|(path, start, lines)| (*path, *start, lines.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn numbered_lines_are_those_of_the_file_that_was_asked_for() {
        let input = json!({ "file_path": "/p/src/a.rs" });
        check(
            input.clone(),
            "     9→one\n    10→\n    12\tthree\n\n<system-reminder>\n",
            &[("src/a.rs", Some(9), &["one", ""]), ("src/a.rs", Some(12), &["three"])],
        );
        check(input, "<tool_use_error>1→no</tool_use_error>", &[]);
        check(json!({ "file_path": "/elsewhere/a.rs" }), "1→one", &[]);
        check(json!({ "file_path": "/p/../q/a.rs" }), "1→one", &[]);
    }

    #[test]
    fn what_the_model_wrote_it_has() {
        let whole = json!({ "file_path": "/p/a.rs", "content": "one\ntwo\n" });
        check(whole, "ok", &[("a.rs", Some(1), &["one", "two"])]);
        let edit = json!({ "file_path": "/p/a.rs", "old_string": "one", "new_string": "three" });
        check(edit, "ok", &[("a.rs", None, &["three"])]);
    }

    #[test]
    fn our_own_texts_are_read_in_each_form() {
        let one = |target: &str| json!({ "targets": [target] });
        check(one("src/a.rs:4-5"), "four\nfive\n", &[("src/a.rs", Some(4), &["four", "five"])]);
        check(
            one("src/a.rs:4-9"),
            "four\n…:5-8\nnine\n",
            &[("src/a.rs", None, &["four"]), ("src/a.rs", None, &["nine"])],
        );
        check(one("src/a.rs#f"), "fn f\n", &[("src/a.rs", None, &["fn f"])]);
        check(json!({ "targets": ["a.rs"], "mode": "raw" }), "one\n", &[("a.rs", Some(1), &["one"])]);
        let page = "## src/a.rs:2-2 (calls of b)\n```\ntwo\n```\n## docs/b.md:1-1\n````\n```\n````\n";
        check(json!({ "query": "q" }), page, &[("src/a.rs", Some(2), &["two"]), ("docs/b.md", Some(1), &["```"])]);
        let reply = json!({ "items": [{ "path": "a.rs", "start_line": 3, "end_line": 3, "text": "three\n" }] });
        check(json!({ "targets": ["a.rs", "b.rs"] }), &reply.to_string(), &[("a.rs", Some(3), &["three"])]);
        let answer =
            json!({ "items": [{ "source": "a.rs:3-3", "text": "three\n" }, { "source": "msg_1", "text": "x" }] });
        check(json!({ "query": "q" }), &answer.to_string(), &[("a.rs", Some(3), &["three"]), ("msg_1", None, &["x"])]);
        check(json!({ "command": "cat a.rs" }), "one\n", &[]);
    }
}
