//! The binary's own answers: what `search` ranks, and which lines `context` shows.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::tree::Tree;
use super::{Answer, Region};
use crate::bench::session::Session;

/// More results than any measure looks at.
const RESULTS: u32 = 50;

/// The regions that `search` gives.
pub(super) fn search(session: &mut Session, question: &str) -> Result<Vec<Region>> {
    let (reply, _) = session.call("search", &json!({ "query": question, "limit": RESULTS }))?;
    let results = reply["results"].as_array().context("results")?;
    results
        .iter()
        .map(|hit| Region::read(&hit["path"], &hit["start_line"], &hit["end_line"]).context("a result"))
        .collect()
}

/// Lines that answers showed, and those that are not as in the file.
#[derive(Default)]
pub(super) struct Compared {
    pub(super) lines: u64,
    pub(super) differ: u64,
}

/// The lines of files that `context` shows within a budget.
pub(super) fn context(
    session: &mut Session,
    tree: &mut Tree,
    question: &str,
    budget: u64,
    compared: &mut Compared,
) -> Result<Answer> {
    let (reply, _) = session.call("context", &json!({ "query": question, "budget": budget }))?;
    let mut items = Vec::new();
    for item in reply["items"].as_array().context("items")? {
        if item["from"] != "conversation" {
            items.push(shown(tree, item, compared).with_context(|| format!("an item from {}", item["source"]))?);
        }
    }
    Ok(Answer { items, tokens: reply["tokens"].as_u64().context("tokens")? })
}

/// The path of an item and the numbers of its lines, each compared with the file.
fn shown(tree: &mut Tree, item: &Value, compared: &mut Compared) -> Result<(String, Vec<u32>)> {
    let (path, lines) = item["source"].as_str().and_then(|source| source.rsplit_once(':')).context("a place")?;
    let mut number: u32 = lines.split_once('-').context("a range")?.0.parse()?;
    tree.open([path].into_iter());
    let text = item["text"].as_str().context("text")?.trim_end_matches('\n');
    let mut numbers = Vec::new();
    for line in text.split('\n') {
        let there = tree.line(path, number).map(|there| there.trim_end_matches('\r'));
        let is_same = there == Some(line.trim_end_matches('\r'));
        if let Some(next) = after_gap(line).filter(|_| !is_same) {
            number = next;
            continue;
        }
        compared.lines += 1;
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
