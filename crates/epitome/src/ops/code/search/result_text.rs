//! Renders `search` results as text for the terminal: path, symbol, signature, the matching line, and why it matched.

use super::{SearchLine, SearchRelated, SearchReply, SearchResult};
use crate::ops::style::{TextRole, TextStyle};
use model::{show_name, show_text};
use std::fmt::Write;

/// Columns in front of a line of a file: its number and two spaces.
const NUMBER_WIDTH: usize = 6;
const INDENT: usize = NUMBER_WIDTH + 2;

/// Columns in front of the details of a result, without line numbers.
const BARE_INDENT: usize = 4;

/// The results one below the other.
pub(super) fn render_list(reply: &SearchReply, style: &TextStyle) -> String {
    let mut text = String::new();
    for hit in &reply.results {
        // A blank line separates results that have several lines.
        text.push_str(if text.is_empty() || !hit.is_previewed() { "" } else { "\n" });
        render_hit(&mut text, hit, style);
    }
    if text.is_empty() {
        text.push_str("nothing found\n");
    } else if !reply.notes.is_empty() && reply.results.iter().any(SearchResult::is_previewed) {
        text.push('\n');
    }
    text + &show_text(&reply.notes.concat())
}

fn render_hit(text: &mut String, hit: &SearchResult, style: &TextStyle) {
    let path = style.colour_text(TextRole::Path, &hit.shown_path());
    let range = style.colour_text(TextRole::Number, &format!("{}-{}", hit.start_line, hit.end_line));
    let shown = format!("{path}:{range}");
    // A link would lead into the project of the caller.
    let place = match &hit.project {
        Some(_) => shown,
        None => style.link_text(&hit.path, hit.first_line(), &shown),
    };
    let kind = style.colour_text(TextRole::Detail, hit.kind);
    let name = style.colour_text(TextRole::Name, &show_name(hit.symbol_name()));
    let _ = writeln!(text, "{}", format!("{place}  {kind} {name}").trim_end());
    for line in hit.preview_lines() {
        let number = style.colour_text(TextRole::Number, &format!("{:>NUMBER_WIDTH$}", line.line));
        let _ = writeln!(text, "{number}  {}", highlight_line(line, style));
    }
    let indent = if hit.is_previewed() { INDENT } else { BARE_INDENT };
    let mut row = |said: &str| {
        let _ = writeln!(text, "{:indent$}{said}", "");
    };
    if let Some(summary) = &hit.summary {
        row(&in_one_line(summary));
    }
    if !hit.why.is_empty() {
        row(&style.colour_text(TextRole::Detail, &show_name(&hit.why)));
    }
    for part in &hit.parts {
        row(&format!("{:>+8.*}  {} {:.2}", part.decimal_places(), part.worth, part.name, part.value));
    }
    for SearchRelated { relation, named } in &hit.related {
        row(&format!("{relation} {}", named.to_line()));
    }
    if hit.related_omitted > 0 {
        row(&format!("and {} more", hit.related_omitted));
    }
}

/// A line with the words of the question in their colour, as much of it as the window has room for.
fn highlight_line(line: &SearchLine, style: &TextStyle) -> String {
    let room = style.columns.map_or(usize::MAX, |columns| columns.saturating_sub(INDENT + 1));
    let end = line.text.char_indices().nth(room).map_or(line.text.len(), |(at, _)| at);
    let mut shown = String::new();
    let mut at = 0;
    // A highlight that is cut off at the edge is not coloured, or the colour would run on.
    for highlight in line.highlights.iter().filter(|highlight| highlight.end <= end) {
        shown.push_str(&show_text(&line.text[at..highlight.start]));
        shown.push_str(&style.colour_text(TextRole::Match, &show_text(&line.text[highlight.clone()])));
        at = highlight.end;
    }
    shown.push_str(&show_text(&line.text[at..end]));
    shown.push_str(if end < line.text.len() { "…" } else { "" });
    shown
}

/// The results as a numbered list whose places are links.
pub(super) fn render_markdown(reply: &SearchReply) -> String {
    let mut text = String::new();
    for (at, hit) in reply.results.iter().enumerate() {
        let SearchResult { path, start_line, end_line, .. } = hit;
        let path = show_name(path);
        let label = code_span(&format!("{}:{start_line}-{end_line}", hit.shown_path()));
        // In angle brackets, as a path may contain spaces or parentheses, which would end the link.
        let place = match &hit.project {
            Some(_) => label,
            None => format!("[{label}](<{path}#L{start_line}-L{end_line}>)"),
        };
        let _ = write!(text, "{}. {place} {}", at + 1, hit.kind);
        let name = hit.symbol_name();
        let _ = writeln!(
            text,
            "{}",
            if name.is_empty() { String::new() } else { format!(" {}", code_span(&show_name(name))) }
        );
        for line in hit.preview_lines() {
            let _ = writeln!(text, "   - line {}: {}", line.line, code_span(&show_text(&line.text)));
        }
        if let Some(summary) = &hit.summary {
            let _ = writeln!(text, "   - {}", in_one_line(summary));
        }
        if !hit.why.is_empty() {
            let _ = writeln!(text, "   - {}", show_name(&hit.why));
        }
        for part in &hit.parts {
            let _ = writeln!(text, "   - `{:+.*}` {} {:.2}", part.decimal_places(), part.worth, part.name, part.value);
        }
        for SearchRelated { relation, named } in &hit.related {
            let _ = writeln!(text, "   - {relation} {}", named.to_line());
        }
        if hit.related_omitted > 0 {
            let _ = writeln!(text, "   - and {} more", hit.related_omitted);
        }
    }
    if text.is_empty() {
        text.push_str("nothing found\n");
    }
    let notes = reply.notes.concat();
    if notes.is_empty() { text } else { format!("{text}\n{notes}") }
}

/// Text as code, whatever backticks are in it.
fn code_span(text: &str) -> String {
    // Markdown ends a code span at as many backticks as it began with, so one more than in the text is used.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// A text without line breaks, as a terminal may be shown it.
fn in_one_line(text: &str) -> String {
    show_name(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::style::FileLinks;
    use expect_test::expect;

    fn line(line: u32, text: &str, word: &str) -> SearchLine {
        let highlights = text.match_indices(word).map(|(at, _)| at..at + word.len()).collect();
        SearchLine { line, text: text.to_owned(), highlights }
    }

    fn reply() -> SearchReply {
        let hit = SearchResult {
            project: None,
            path: "src/spool.rs".to_owned(),
            start_line: 3,
            end_line: 9,
            score: 1.0,
            symbol: Some("src/spool.rs#Spool.append".to_owned()),
            kind: "method",
            signature: Some(line(4, "fn append(&mut self, record: &Record) -> Result<()>", "record")),
            line: Some(line(7, "self.file.sync_all()?; // a `record` is durable before it is answered", "record")),
            why: "matches: record · name".to_owned(),
            summary: Some("Adds a record\nat the end.".to_owned()),
            parts: Vec::new(),
            related: Vec::new(),
            related_omitted: 0,
        };
        SearchReply { results: vec![hit], ..SearchReply::default() }
    }

    #[test]
    fn a_terminal_gets_colours_and_links_and_lines_that_fit() {
        let links = FileLinks { template: "file://{path}".to_owned(), root: "/p".into() };
        let style = TextStyle { has_colour: true, links: Some(links), columns: Some(40), is_terminal: true };
        let shown = render_list(&reply(), &style).replace('\u{1b}', "^");
        expect![[r#"
            ^]8;;file:///p/src/spool.rs^\^[36msrc/spool.rs^[0m:^[32m3-9^[0m^]8;;^\  ^[2mmethod^[0m ^[1mSpool.append^[0m
            ^[32m     4^[0m  fn append(&mut self, ^[1m^[33mrecord^[0m: &R…
            ^[32m     7^[0m  self.file.sync_all()?; // a `re…
                    Adds a record at the end.
                    ^[2mmatches: record · name^[0m
        "#]]
        .assert_eq(&shown);
    }

    #[test]
    fn markdown_is_a_list_of_links() {
        expect![[r#"
            1. [`src/spool.rs:3-9`](<src/spool.rs#L3-L9>) method `Spool.append`
               - line 4: `fn append(&mut self, record: &Record) -> Result<()>`
               - line 7: ``self.file.sync_all()?; // a `record` is durable before it is answered``
               - Adds a record at the end.
               - matches: record · name
        "#]]
        .assert_eq(&render_markdown(&reply()));
    }
}
