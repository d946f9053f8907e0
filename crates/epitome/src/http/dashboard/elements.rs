//! Small pieces of pages: numbers, times, names and texts out of a reply, tiles, labels and bars. All foreign text goes
//! through here, so that it is shown and never obeyed.

use maud::{Markup, html};
use serde_json::Value;
use std::borrow::Cow;

/// The address of a page with what it is asked for; what is empty is left out.
pub(super) fn page_address(path: &str, asked: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    for (at, (key, value)) in asked.iter().filter(|(_, value)| !value.is_empty()).enumerate() {
        address.push_str(if at == 0 { "?" } else { "&" });
        address.push_str(&format!("{key}="));
        for byte in value.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => address.push(char::from(byte)),
                other => address.push_str(&format!("%{other:02X}")),
            }
        }
    }
    address
}

/// A text of a reply; empty where there is none.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A name of a reply on one line, with everything visible.
pub(super) fn name(value: &Value) -> Cow<'_, str> {
    model::show_name(text(value))
}

/// The items of a list of a reply.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A whole number with its thousands apart.
pub(super) fn count(value: &Value) -> String {
    group_thousands(value.as_i64().unwrap_or_default())
}

/// A number with its noun.
pub(super) fn count_of(value: &Value, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value.as_i64() == Some(1) { one } else { many })
}

pub(super) fn group_thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if number < 0 { format!("−{grouped}") } else { grouped }
}

/// A moment of a reply to the minute, with the whole of it for machines and on hovering.
pub(super) fn moment(value: &Value) -> Markup {
    let at = text(value);
    // RFC 3339 to the minute. Other forms are kept as they were said.
    let shown = match (at.get(..10), at.get(10..11), at.get(11..16)) {
        (Some(day), Some("T"), Some(minute)) => format!("{day} {minute}"),
        _ => at.to_owned(),
    };
    html! { @if !at.is_empty() { time datetime=(at) title=(at) { (shown) } } }
}

/// A figure with its name, and what it means.
pub(super) fn tile(name: &str, figure: &str, note: &str) -> Markup {
    html! {
        div.tile {
            div.name { (name) }
            div.figure { (figure) }
            @if !note.is_empty() { div.note { (note) } }
        }
    }
}

/// The figure that a page is about.
pub(super) fn lead_tile(name: &str, figure: &str, note: &str) -> Markup {
    html! {
        div.tile.lead {
            div.name { (name) }
            div.figure { (figure) }
            div.note { (note) }
        }
    }
}

/// A short word with a tone: `good`, `bad`, `warn`, `accent`, `calm`.
pub(super) fn label(word: &str, tone: &str) -> Markup {
    html! { span class=(format!("label {tone}")) { (model::show_name(word)) } }
}

/// The heading of a section, what it shows, and where there is more of it.
pub(super) fn heading(title: &str, about: &str, more: Option<(&str, &str)>) -> Markup {
    html! {
        div.heading {
            h2 { (title) }
            @if let Some((words, address)) = more { a href=(address) { (words) } }
            @if !about.is_empty() { p { (about) } }
        }
    }
}

/// What stands where there is nothing yet, and how there would be something.
pub(super) fn empty_note(what: &str, how: Option<&str>) -> Markup {
    html! {
        div.empty {
            p { (what) }
            @if let Some(command) = how { p.how { code.command { (command) } } }
        }
    }
}

/// The beginning of an id, which every door accepts.
pub(super) fn short_id(id: &str) -> &str {
    let prefix = id.find('_').map_or(0, |at| at + 1);
    id.get(..prefix + 8).unwrap_or(id)
}

/// How a conversation is called everywhere: by its title, else by its opening words, else by its name.
pub(super) fn conversation_title(conversation: &Value) -> Cow<'_, str> {
    let candidates = ["title", "opening", "name"].map(|key| text(&conversation[key]));
    model::show_name(candidates.into_iter().find(|text| !text.is_empty()).unwrap_or("without a title"))
}

/// Code and output of others as it is, without what a browser or a reader would obey.
pub(super) fn quoted_block(content: &str) -> Markup {
    html! { pre.said.code tabindex="0" { (model::show_text(content)) } }
}

/// What somebody said, in the letters of the page.
pub(super) fn said_block(content: &str) -> Markup {
    html! { div.said.message tabindex="0" { (model::show_text(content)) } }
}

/// A number with its sign, in the colour of a gain or a loss.
pub(super) fn signed(value: &Value) -> Markup {
    let number = value.as_i64().unwrap_or_default();
    html! {
        @match number {
            0 => "0",
            1.. => span.gain-text { "+" (group_thousands(number)) },
            _ => span.loss-text { (group_thousands(number)) },
        }
    }
}

/// How a column of a table is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// What the row is about; stands without its heading on narrow windows.
    Lead,
    /// Running text.
    Text,
    /// One word or moment.
    Short,
    Number,
}

impl ColumnKind {
    fn class(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Text => "text",
            Self::Short => "short",
            Self::Number => "number",
        }
    }
}

/// A table that becomes a list of cards on narrow windows. The roles are written out, because browsers forget them
/// where a style sheet lays a table out otherwise.
pub(super) fn table(name: &str, columns: &[(&str, ColumnKind)], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div.table {
            table.cards role="table" aria-label=(name) {
                thead role="rowgroup" {
                    tr role="row" {
                        @for (heading, kind) in columns { th class=(kind.class()) role="columnheader" scope="col" { (heading) } }
                    }
                }
                tbody role="rowgroup" {
                    @for row in rows {
                        tr role="row" {
                            @for (cell, (heading, kind)) in row.iter().zip(columns) {
                                td class=(kind.class()) role="cell" data-label=(heading) { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Names with their values, one under the other.
pub(super) fn facts_table(rows: &[(&str, Markup)]) -> Markup {
    html! {
        div.table {
            table.facts-table {
                tbody { @for (name, value) in rows { tr { th scope="row" { (model::show_name(name)) } td { (value) } } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_have_their_thousands_apart() {
        let shown = [0, 999, 1_000, 353_347, -26_769].map(group_thousands);
        assert_eq!(shown, ["0", "999", "1,000", "353,347", "−26,769"]);
    }

    #[test]
    fn a_moment_is_shown_to_the_minute_and_other_forms_as_they_are() {
        let rendered = |at: &str| moment(&json!(at)).into_string();
        assert!(rendered("2026-03-12T09:04:00Z").contains(">2026-03-12 09:04<"));
        assert!(rendered("yesterday").contains(">yesterday<"));
        assert_eq!(rendered(""), "");
    }

    #[test]
    fn markup_in_foreign_text_is_text() {
        let block = quoted_block("<script>alert(1)</script>\u{1b}[31m").into_string();
        assert!(block.contains("&lt;script&gt;") && !block.contains('\u{1b}'), "{block}");
    }

    #[test]
    fn a_conversation_without_a_title_is_called_by_its_opening() {
        let listed = json!({ "title": "", "opening": "Add codes", "name": "codex:1" });
        assert_eq!(conversation_title(&listed), "Add codes");
    }
}
