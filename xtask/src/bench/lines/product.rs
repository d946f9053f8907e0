//! Gets the answers of the real binary for the retrieval benchmark, over MCP: the ranking of `search`, and the lines
//! that `context` shows.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::tree::TreeLines;
use super::{BenchAnswer, LineRegion};
use crate::bench::session::McpSession;

/// More results than any measure looks at.
pub(super) const RESULTS: u32 = 50;

/// The regions that `search` gives.
pub(super) fn search_regions(session: &mut McpSession, question: &str) -> Result<Vec<LineRegion>> {
    let (reply, _) = session.call_operation("search", &json!({ "query": question, "limit": RESULTS }))?;
    read_results(&reply)
}

/// The regions of a reply of `search`.
pub(super) fn read_results(reply: &Value) -> Result<Vec<LineRegion>> {
    let results = reply["results"].as_array().context("results")?;
    results
        .iter()
        .map(|hit| LineRegion::from_json(&hit["path"], &hit["start_line"], &hit["end_line"]).context("a result"))
        .collect()
}

/// Lines that answers showed, and those that are not as in the file.
#[derive(Default)]
pub(super) struct ComparedLines {
    pub(super) lines: u64,
    pub(super) differ: u64,
}

/// The lines of files that `context` shows within a budget.
pub(super) fn context_answer(
    session: &mut McpSession,
    tree: &mut TreeLines,
    question: &str,
    budget: u64,
    compared: &mut ComparedLines,
) -> Result<BenchAnswer> {
    let (reply, _) = session.call_operation("context", &json!({ "query": question, "budget": budget }))?;
    read_answer(&reply, tree, compared)
}

/// The lines of files that a reply of `context` shows.
pub(super) fn read_answer(reply: &Value, tree: &mut TreeLines, compared: &mut ComparedLines) -> Result<BenchAnswer> {
    let mut items = Vec::new();
    for item in reply["items"].as_array().context("items")? {
        if item["from"] != "conversation" {
            items.push(shown_lines(tree, item, compared).with_context(|| format!("an item from {}", item["source"]))?);
        }
    }
    Ok(BenchAnswer { items, tokens: reply["tokens"].as_u64().context("tokens")? })
}

/// The path of an item and the numbers of its lines, each compared with the file.
fn shown_lines(tree: &mut TreeLines, item: &Value, compared: &mut ComparedLines) -> Result<(String, Vec<u32>)> {
    let (path, lines) = item["source"].as_str().and_then(|source| source.rsplit_once(':')).context("a place")?;
    let mut number: u32 = lines.split_once('-').context("a range")?.0.parse()?;
    tree.open_files([path].into_iter());
    let text = item["text"].as_str().context("text")?.trim_end_matches('\n');
    let mut numbers = Vec::new();
    for line in text.split('\n') {
        let there = tree.line_text(path, number).map(|there| there.trim_end_matches('\r'));
        let is_same = there == Some(line.trim_end_matches('\r'));
        // A mark may stand in a file as well, so a line that equals the file's is text and no mark.
        if let Some(next) = after_gap(line).filter(|_| !is_same) {
            number = next;
            continue;
        }
        compared.lines += 1;
        // Counted and reported: an answer that quotes a file wrongly must not count as a good one.
        compared.differ += u64::from(!is_same);
        numbers.push(number);
        number += 1;
    }
    Ok((path.to_owned(), numbers))
}

/// The line that follows a mark of lines that are left out (`…:34-60`), if a line is one.
fn after_gap(line: &str) -> Option<u32> {
    let (_, range) = line.split_once("…:")?;
    let range: String = range.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    let last = range.split('-').rfind(|number| !number.is_empty())?;
    Some(last.parse::<u32>().ok()? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_says_where_the_text_goes_on() {
        assert_eq!(after_gap("    …:34-60"), Some(61));
        assert_eq!(after_gap("def a(): …:7"), Some(8));
        assert_eq!(after_gap("def a():"), None);
    }
}
