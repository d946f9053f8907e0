//! Summarizes the content of an artifact by its structure (schema, columns, headings, symbols), not by its beginning,
//! so that a reader knows what to ask for. No model: the same bytes give the same words, and any bytes give some.
//!
//! Each kind of content has a file here that turns it into lines, the most telling first; `fit_lines` keeps as many as
//! the budget allows and says how many it left out.

mod binary;
mod code;
mod json;
mod log;
mod prose;
mod scalar;
mod table;

use model::{TokenCount, count_tokens};
use std::borrow::Cow;
use std::path::Path;

/// Hints about content besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContentHint<'a> {
    /// What its source says it is.
    pub(crate) media_type: Option<&'a str>,
    /// What its source calls it.
    pub(crate) name: Option<&'a str>,
}

/// The summary of content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentSummary {
    /// What the content is, as its source says or as it looks.
    pub(crate) media_type: Cow<'static, str>,
    /// The text of the summary.
    pub(crate) summary: String,
}

/// One kind of content as lines, the headline first.
struct ContentOutline {
    media_type: &'static str,
    lines: Vec<String>,
}

/// How many bytes are read; the summary says where there are more.
const LOOKED_AT: usize = 16 << 20;
/// Characters of a line that are shown.
const LINE: usize = 160;

/// Summarizes content within a budget.
pub(crate) fn explore_content(content: &[u8], hint: ContentHint<'_>, budget: TokenCount) -> ContentSummary {
    let seen = &content[..content.len().min(LOOKED_AT)];
    let mut outline = outline_content(seen, hint, budget);
    if seen.len() < content.len() {
        let seen = scalar::render_count(seen.len(), "byte");
        let all = scalar::render_count(content.len(), "byte");
        outline.lines.insert(1.min(outline.lines.len()), format!("only the first {seen} of {all} were looked at"));
    }
    let said = hint.media_type.filter(|said| !said.is_empty() && *said != "application/octet-stream");
    let media_type = said.map_or(Cow::Borrowed(outline.media_type), |said| Cow::Owned(said.to_owned()));
    ContentSummary { media_type, summary: fit_lines(&outline.lines, budget) }
}

/// The first kind that the content turns out to be, from the surest to the one that everything is.
fn outline_content(content: &[u8], hint: ContentHint<'_>, budget: TokenCount) -> ContentOutline {
    if let Some(outline) = binary::outline_binary(content) {
        return outline;
    }
    let text = String::from_utf8_lossy(content);
    let is_named =
        |name: &str| Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let is_prose = hint.media_type == Some("text/markdown") || hint.name.is_some_and(is_named);
    // From the surest kind to the vaguest: JSON parses or does not, while any text has lines.
    json::outline_json(&text)
        .or_else(|| is_prose.then(|| prose::outline_prose(&text)))
        .or_else(|| code::outline_code(content, hint.name?, budget))
        .or_else(|| table::outline_table(&text))
        .or_else(|| log::outline_log(&text))
        .unwrap_or_else(|| prose::outline_prose(&text))
}

/// As many lines as fit, and how many did not.
fn fit_lines(lines: &[String], budget: TokenCount) -> String {
    let shown: Vec<String> = lines.iter().map(|line| clip_line(line)).collect();
    let mut kept = 0;
    let mut left = budget.0;
    for line in &shown {
        let cost = count_tokens(line).0 + 1;
        if cost > left {
            break;
        }
        (left, kept) = (left - cost, kept + 1);
    }
    loop {
        let mut text = shown[..kept].join("\n");
        if kept < shown.len() {
            text.push_str(&format!("\n… and {} more", scalar::render_count(shown.len() - kept, "line")));
        }
        // Tokens of lines do not add up exactly, and the last line has a cost of its own.
        if count_tokens(&text) <= budget {
            return text;
        }
        if kept == 0 {
            return String::new();
        }
        kept -= 1;
    }
}

/// A line of bounded length, without what could drive a terminal.
fn clip_line(line: &str) -> String {
    let mut shown: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LINE + 1).collect();
    if let Some((cut, _)) = shown.char_indices().nth(LINE) {
        shown.truncate(cut);
        shown.push('…');
    }
    shown.truncate(shown.trim_end().len());
    shown
}

#[cfg(test)]
mod tests;
