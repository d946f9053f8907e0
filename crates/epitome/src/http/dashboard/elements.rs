//! Small pieces of pages: numbers, times, names and texts out of a reply, tiles, labels and bars. All foreign text goes
//! through here, so that it is shown and never obeyed.

use maud::{Markup, html};
use serde_json::Value;
use std::borrow::Cow;

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
pub(super) fn tile(label: &str, figure: &str, note: &str) -> Markup {
    html! {
        div.tile {
            div.label { (label) }
            div.figure { (figure) }
            @if !note.is_empty() { div.note { (note) } }
        }
    }
}

/// A short word with a tone: `good`, `bad`, `calm`.
pub(super) fn label(word: &str, tone: &str) -> Markup {
    html! { span class=(format!("label {tone}")) { (word) } }
}

/// What stands where there is nothing yet, and how there would be something.
pub(super) fn empty_note(what: &str, how: Option<&str>) -> Markup {
    html! {
        div.empty {
            p { (what) }
            @if let Some(command) = how { p { code { (command) } } }
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

/// Text of others as it is, without what a browser or a reader would obey.
pub(super) fn quoted_block(content: &str) -> Markup {
    html! { pre.quoted tabindex="0" { (model::show_text(content)) } }
}

/// A share of a whole as a bar with its figures in words.
pub(super) fn share_bar(part: i64, whole: i64, words: &str) -> Markup {
    html! {
        div.share {
            progress max=(whole.max(1)) value=(part.clamp(0, whole.max(1))) aria-label=(words) {}
            span { (words) }
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
