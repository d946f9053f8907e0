//! How an answer is written: for people, for models that like tags, or bare.

use super::{Item, Origin};
use model::{Tokens, count_tokens};
use std::fmt::Write;

/// How to write an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Headings and fenced text.
    #[default]
    Markdown,
    /// One element for each item.
    Xml,
    /// Places and text, nothing around them.
    Plain,
}

/// The item with what it costs as it stands in an answer.
pub(super) fn priced(item: Item, format: Format) -> Item {
    Item { tokens: count_tokens(&written(&item, format)), ..item }
}

/// A text of fewer bytes for each token that is left is counted whole.
const BYTES: usize = 6;

/// A beginning may end inside of a token and have so many more than it.
const TORN: Tokens = Tokens(8);

/// The same where it costs at most `most`. Counting takes time: what is too long is told by its beginning.
pub(super) fn priced_within(item: Item, format: Format, most: Tokens) -> Option<Item> {
    let text = written(&item, format);
    let beginning = &text[..text.floor_char_boundary(most.0 as usize * BYTES)];
    if beginning.len() < text.len() && count_tokens(beginning) > most + TORN {
        return None;
    }
    let tokens = count_tokens(&text);
    (tokens <= most).then_some(Item { tokens, ..item })
}

/// An item as it stands in an answer.
pub(super) fn written(item: &Item, format: Format) -> String {
    let mut text = String::new();
    let newline = if item.text.ends_with('\n') || item.text.is_empty() { "" } else { "\n" };
    let at = item.at.as_deref().map_or(String::new(), |at| format!(", {at}"));
    match format {
        Format::Markdown => {
            let fence = fence(&item.text);
            let _ = writeln!(text, "## {}{at} ({})\n{fence}\n{}{newline}{fence}\n", item.source, item.why, item.text);
        }
        Format::Xml => {
            let at = item.at.as_deref().map_or(String::new(), |at| format!(" at=\"{}\"", escaped(at)));
            let kind = match item.origin {
                Origin::Code => "code",
                Origin::Document => "document",
                Origin::Conversation => "conversation",
            };
            let (source, why) = (escaped(&item.source), escaped(&item.why));
            let _ = writeln!(text, "<{kind} source=\"{source}\"{at} why=\"{why}\">\n{}{newline}</{kind}>", item.text);
        }
        Format::Plain => {
            let _ = writeln!(text, "{}{at}\n{}{newline}", item.source, item.text);
        }
    }
    text
}

/// More backticks in a row than the text has.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
