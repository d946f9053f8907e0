//! Cuts the messages that every context shows, whatever they cost, where they do not fit its budget: instructions, the
//! newest words of the user and the newest turn. Each keeps its beginning, with the handle that leads to the rest.
//!
//! All are cut to one length, so that a long one gives way before a short one loses a word.

use super::AssembledItem;
use crate::base::beginning_within;
use model::{Message, MessagePart, MessageRole, SeqRange, TokenCount, count_tokens, show_quoted};
use std::cell::Cell;

/// A message that is cut keeps this much, with the line above it and the handle.
const MIN_CUT_TOKENS: u32 = 56;
/// What the handle costs at most, with the line break before it.
const HANDLE_TOKENS: TokenCount = TokenCount(28);

/// Cuts messages until all items fit. Where even their beginnings are too many, messages are taken out, and returned.
pub(super) fn cut_messages(items: &mut Vec<AssembledItem>, room: TokenCount) -> Vec<SeqRange> {
    let mut sizes: Vec<u32> = items.iter().map(printed_tokens).collect();
    let mut dropped = Vec::new();
    let most = loop {
        let (cuttable, fixed): (Vec<_>, Vec<_>) =
            sizes.iter().copied().zip(items.iter()).partition(|(_, item)| matches!(item, AssembledItem::Message(_)));
        let fixed: u32 = fixed.into_iter().map(|(size, _)| size).sum();
        let most = common_length(cuttable.into_iter().map(|(size, _)| size).collect(), room.0.saturating_sub(fixed));
        match find_expendable(items) {
            Some(at) if most < MIN_CUT_TOKENS => {
                sizes.remove(at);
                if let AssembledItem::Message(message) = items.remove(at) {
                    dropped.push(SeqRange { first: message.seq, last: message.seq });
                }
            }
            _ => break most.max(MIN_CUT_TOKENS),
        }
    };
    for (item, size) in items.iter_mut().zip(sizes) {
        let heading = item.render_heading();
        if let AssembledItem::Message(message) = item
            && size > most
        {
            cut_message(message, TokenCount(most).saturating_sub(count_tokens(&heading) + HANDLE_TOKENS));
        }
    }
    dropped
}

/// What an item costs in a text, with the blank line behind it.
fn printed_tokens(item: &AssembledItem) -> u32 {
    let text = match item {
        AssembledItem::Message(message) => show_quoted(&message.body.content()).into_owned(),
        AssembledItem::Thread { text, .. }
        | AssembledItem::Summary { text, .. }
        | AssembledItem::Gap { text, .. }
        | AssembledItem::Facts { text, .. } => text.clone(),
    };
    count_tokens(&format!("{}{text}\n\n", item.render_heading())).0
}

/// The message that is taken out next, the newest one never: what the agent did, then instructions, then the user's words.
fn find_expendable(items: &[AssembledItem]) -> Option<usize> {
    const ORDER: [&[MessageRole]; 3] =
        [&[MessageRole::Assistant, MessageRole::Tool], &[MessageRole::System], &[MessageRole::User]];
    let (_, older) = items.split_last()?;
    let first_of = |roles: &&[MessageRole]| {
        older
            .iter()
            .position(|item| matches!(item, AssembledItem::Message(message) if roles.contains(&message.body.role)))
    };
    ORDER.iter().find_map(first_of)
}

/// The length to which texts of some lengths are cut so that together they have no more than `room`.
fn common_length(mut sizes: Vec<u32>, mut room: u32) -> u32 {
    sizes.sort_unstable();
    let mut waiting = sizes.len() as u32;
    for size in sizes {
        if size.saturating_mul(waiting) > room {
            return room / waiting;
        }
        room -= size;
        waiting -= 1;
    }
    u32::MAX
}

/// Cuts a message behind so many tokens of its content.
fn cut_message(message: &mut Message, room: TokenCount) {
    let content = message.body.content();
    // Quoting adds a backslash to some lines, so the room is that of the quoted text.
    let quoted = count_tokens(&show_quoted(&content)).0.max(1);
    let plain = u64::from(room.0) * u64::from(count_tokens(&content).0) / u64::from(quoted);
    let end = beginning_within(&content, TokenCount(u32::try_from(plain).unwrap_or(room.0))).0.len();
    let handle = format!("\n[… expand {}.{end} for the rest]", message.id);
    message.body.parts = cut_parts(&message.body.parts, end, &handle);
    message.tokens = count_tokens(&message.body.content());
}

/// The parts that make the first `end` bytes of a content, with the handle behind them.
fn cut_parts(parts: &[MessagePart], end: usize, handle: &str) -> Vec<MessagePart> {
    let mut kept = Vec::new();
    let mut left = end;
    for part in parts {
        let texts = part.searchable_texts();
        let bytes = (texts.iter().map(|text| text.len() + 1).sum::<usize>()).saturating_sub(1);
        if bytes <= left {
            kept.push(part.clone());
            // A part without words has no line break behind it either.
            left = left.saturating_sub(if texts.is_empty() { 0 } else { bytes + 1 });
            continue;
        }
        kept.push(cut_part(part, left, handle));
        return kept;
    }
    kept
}

fn cut_part(part: &MessagePart, end: usize, handle: &str) -> MessagePart {
    let cut = |text: &str, end: usize| format!("{}{handle}", &text[..text.floor_char_boundary(end)]);
    if let MessagePart::Reasoning { text } = part {
        return MessagePart::Reasoning { text: cut(text, end) };
    }
    let MessagePart::Tool { call_id, name, status, input, output, error, title } = part else {
        return MessagePart::Text { text: cut(&part.searchable_texts().join("\n"), end) };
    };
    let left = Cell::new(Some(end));
    // In the order in which they stand in the content; what is behind the cut is not shown.
    let field = |text: &Option<String>| {
        let text = text.as_ref().filter(|text| !text.is_empty())?;
        let room = left.get()?;
        if text.len() <= room {
            left.set(Some(room.saturating_sub(text.len() + 1)));
            return Some(text.clone());
        }
        left.set(None);
        Some(cut(text, room))
    };
    let title = field(title);
    // Never cut: an API of a model takes no other name for its tool.
    let named = name.as_ref().map_or(0, |name| name.len() + 1);
    left.set(left.get().map(|room| room.saturating_sub(named)));
    let (input, output, error) = (field(input), field(output), field(error));
    let (call_id, name, status) = (call_id.clone(), name.clone(), status.clone());
    MessagePart::Tool { call_id, name, status, input, output, error, title }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::conversation_builder::ConversationBuilder;
    use proptest::prelude::*;

    #[test]
    fn a_long_text_gives_way_before_a_short_one_loses_a_word() {
        assert_eq!(common_length(vec![100, 20, 300], 1_000), u32::MAX);
        assert_eq!(common_length(vec![100, 20, 300], 220), 100);
        assert_eq!(common_length(vec![300, 300], 100), 50);
        assert_eq!(common_length(Vec::new(), 0), u32::MAX);
    }

    #[test]
    fn a_call_that_is_cut_stays_a_call() {
        let (talk, _) = ConversationBuilder::new().tool_call("Write", r#"{"file_path":"a.md","content":"0123456789"}"#);
        let cut = cut_parts(&talk.messages[0].body.parts, 20, "\n[more]");
        let [MessagePart::Tool { name: Some(name), input: Some(input), .. }] = cut.as_slice() else {
            panic!("a call: {cut:?}")
        };
        assert_eq!((name.as_str(), input.as_str()), ("Write", "{\"file_path\":\"\n[more]"));
    }

    proptest! {
        #[test]
        fn what_is_left_is_the_beginning_and_leads_to_the_rest(
            texts in prop::collection::vec("[a-z é\n]{0,30}", 1..5), end in 0_usize..60,
        ) {
            let parts: Vec<MessagePart> = texts.iter().map(|text| MessagePart::Text { text: text.clone() }).collect();
            let content = model::content_of(&parts);
            prop_assume!(!content.is_empty());
            let end = content.floor_char_boundary(end.min(content.len().saturating_sub(1)));
            let shown = model::content_of(&cut_parts(&parts, end, "|"));
            let beginning = shown.strip_suffix('|').map(|text| text.trim_end_matches('\n'));
            prop_assert_eq!(beginning, content.get(..end).map(|text| text.trim_end_matches('\n')), "{:?}", parts);
        }
    }
}
