//! Renders answer items as Markdown, XML (for models that prefer tags) or plain text, those of one file under one
//! heading, and counts the tokens of an item as rendered.

use super::{AnswerItem, ItemOrigin};
use crate::base::text_fence;
use model::{TokenCount, count_tokens, show_name, show_text};
use std::fmt::Write;

/// How to write an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerFormat {
    /// Headings and fenced text.
    #[default]
    Markdown,
    /// One element for each item.
    Xml,
    /// Places and text between lines of `=`, more of them than the text has in a row.
    Plain,
}

/// The item with its cost in tokens, heading included.
pub(super) fn price_item(item: AnswerItem, format: AnswerFormat) -> AnswerItem {
    AnswerItem { tokens: count_tokens(&render_item(&item, format)), ..item }
}

/// A text with fewer bytes than this for each remaining token is counted whole.
const BYTES: usize = 6;

/// A beginning may end inside of a token, and may then have so many tokens more than the same part of the whole.
const TOKEN_BOUNDARY_SLACK: TokenCount = TokenCount(8);

/// Prices an item; `None` if it costs more than `most`. Tokenizing takes time, so a text that is far too long is
/// recognised by its beginning.
pub(super) fn priced_within(item: AnswerItem, format: AnswerFormat, most: TokenCount) -> Option<AnswerItem> {
    let text = render_item(&item, format);
    let beginning = &text[..text.floor_char_boundary(most.0 as usize * BYTES)];
    if beginning.len() < text.len() && count_tokens(beginning) > most + TOKEN_BOUNDARY_SLACK {
        return None;
    }
    let tokens = count_tokens(&text);
    (tokens <= most).then_some(AnswerItem { tokens, ..item })
}

/// An item as it stands alone in an answer.
pub(super) fn render_item(item: &AnswerItem, format: AnswerFormat) -> String {
    render_group(&[item], format)
}

/// All items as they stand in an answer: those of one file that follow each other under one heading.
pub(super) fn render_items(items: &[AnswerItem], format: AnswerFormat) -> String {
    let path = |item: &AnswerItem| item.place.as_ref().map(|place| place.path.clone());
    // Items of conversations have no path, and two of them must not share a heading.
    let of_one_file = |a: &AnswerItem, b: &AnswerItem| path(a).is_some() && path(a) == path(b);
    let groups = items.chunk_by(of_one_file);
    groups.map(|group| render_group(&group.iter().collect::<Vec<_>>(), format)).collect()
}

/// The cost of a second region of a file beside its text: the gap, and its lines in the heading.
const SECOND_REGION_TOKENS: TokenCount = TokenCount(12);

/// The tokens that an item saves where an earlier one of its file has the heading already.
pub(super) fn shared_heading(item: &AnswerItem, format: AnswerFormat) -> TokenCount {
    // The heading is counted with the tokenizer, by a region without text: paths differ in tokens per letter.
    let bare = AnswerItem { text: String::new(), ..item.clone() };
    count_tokens(&render_item(&bare, format)).saturating_sub(SECOND_REGION_TOKENS)
}

/// The line between two regions of a file.
const REGION_GAP_LINE: &str = "…\n";

/// Items of one file, or a single item, under one heading.
fn render_group(items: &[&AnswerItem], format: AnswerFormat) -> String {
    let Some(first) = items.first() else { return String::new() };
    let mut body = String::new();
    for item in items {
        body.push_str(if body.is_empty() { "" } else { REGION_GAP_LINE });
        // Regions end with the blank lines below them; a reader does not need those before a gap or an end.
        let shown = item.text.trim_end_matches('\n');
        body.push_str(shown);
        body.push_str(if shown.is_empty() { "" } else { "\n" });
    }
    // A path may hold a line break, and what follows it would pass for an item of its own.
    let source = show_name(&render_heading(items)).into_owned();
    let body = show_text(&body);
    let mut text = String::new();
    let at = first.at.as_deref().map_or(String::new(), |at| format!(", {at}"));
    match format {
        AnswerFormat::Markdown => {
            // A document may contain a fence of its own, which would end ours in the middle.
            let fence = text_fence(&body, '`');
            let _ = writeln!(text, "## {source}{at}\n{fence}\n{body}{fence}");
        }
        AnswerFormat::Xml => {
            let at = first.at.as_deref().map_or(String::new(), |at| format!(" at=\"{}\"", escape_xml(at)));
            let kind = match first.origin {
                ItemOrigin::Code => "code",
                ItemOrigin::Document => "document",
                ItemOrigin::Conversation => "conversation",
            };
            // Only what would end the element: the rest is text for a model, not for a parser.
            let body = body.replace(&format!("</{kind}"), &format!("&lt;/{kind}"));
            let _ = writeln!(text, "<{kind} source=\"{}\"{at}>\n{body}</{kind}>", escape_xml(&source));
        }
        AnswerFormat::Plain => {
            // Without an end that the text cannot hold, a line of it could pass for the heading of another file.
            let fence = text_fence(&body, '=');
            let _ = writeln!(text, "{fence} {source}{at}\n{body}{fence}");
        }
    }
    text
}

/// Where items are from: the lines that are shown of a file, and how many it has.
fn render_heading(items: &[&AnswerItem]) -> String {
    let places: Vec<_> = items.iter().filter_map(|item| item.place.as_ref()).collect();
    let Some(first) = places.first() else { return items.first().map(|item| item.source.clone()).unwrap_or_default() };
    let lines = items.iter().filter_map(|item| {
        let lines = item.place.as_ref()?.lines;
        Some(format!("{}-{}{}", lines.start, lines.end, if item.is_summary { " (summary)" } else { "" }))
    });
    let lines: Vec<String> = lines.collect();
    let of = first.of.map_or(String::new(), |of| format!(" of {of}"));
    format!("{}:{}{of}", first.path, lines.join(", "))
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
