//! One message in a timeline.

use crate::http::dashboard::elements::{count_of, label, moment, quoted_block, said_block, text};
use maud::{Markup, html};
use serde_json::Value;

/// A message of `history` or `expand`: who, when, how long, and the words.
pub(super) fn message_entry(message: &Value) -> Markup {
    let role = text(&message["role"]);
    let content = ["content", "text"].map(|key| text(&message[key])).into_iter().find(|said| !said.is_empty());
    let seq = ["seq", "first_seq"].into_iter().find_map(|key| message[key].as_u64());
    let is_prose = matches!(role, "user" | "assistant");
    html! {
        li class=(format!("entry {}", if matches!(role, "user" | "tool") { role } else { "other" })) {
            div.head {
                (label(role, if role == "user" { "accent" } else { "calm" }))
                @if let Some(seq) = seq { span { "message " (seq) } }
                span { (moment(&message["at"])) }
                @if message["tokens"].is_number() { span { (count_of(&message["tokens"], "token", "tokens")) } }
            }
            @match content {
                Some(said) if is_prose => (said_block(said)),
                Some(said) => (quoted_block(said)),
                None => p.quiet { "without words" },
            }
        }
    }
}
