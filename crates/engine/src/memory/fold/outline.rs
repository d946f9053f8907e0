//! Models the active context of a conversation for the compaction planner: `FoldItem`s with sizes, speakers and which
//! tool call belongs to which result, without text.
//!
//! A million messages fit into memory this way, and planning them needs nothing else.

use model::{Message, MessagePart, MessageRole, SeqRange, SummaryId, TokenCount};
use std::collections::HashMap;

/// One place of the active context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoldItem {
    Message(FoldMessage),
    Summary(FoldNode),
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FoldMessage {
    pub(crate) seq: u64,
    pub(crate) tokens: TokenCount,
    pub(crate) voice: MessageVoice,
    /// The last message it must not be parted from: where the result of its last call is, or itself.
    pub(crate) reach: u64,
}

/// Whose turn a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageVoice {
    System,
    /// The user speaks.
    User,
    Assistant,
    /// Only results of tools, whether the agent stores them in the role of the tool or of the user.
    Results,
}

/// A summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoldNode {
    pub(crate) id: SummaryId,
    pub(crate) range: SeqRange,
    pub(crate) tokens: TokenCount,
    pub(crate) depth: u32,
}

/// What a summary costs in a context besides its text: the lines around it that say what it is.
pub(crate) const FENCE: TokenCount = TokenCount(90);

impl FoldItem {
    /// The messages it is or covers.
    pub(crate) fn seq_range(&self) -> SeqRange {
        match self {
            Self::Message(entry) => SeqRange { first: entry.seq, last: entry.seq },
            Self::Summary(node) => node.range,
        }
    }

    /// Its cost in tokens.
    pub(crate) fn token_cost(&self) -> u64 {
        match self {
            Self::Message(entry) => u64::from(entry.tokens.0),
            Self::Summary(node) => u64::from((node.tokens + FENCE).0),
        }
    }
}

/// The cost of all items in tokens.
pub(crate) fn total_cost(items: &[FoldItem]) -> u64 {
    items.iter().map(FoldItem::token_cost).sum()
}

/// Reads messages in order and notes what belongs together.
#[derive(Default)]
pub(crate) struct FoldOutliner {
    items: Vec<FoldItem>,
    /// Calls without a result: where they are.
    waiting: HashMap<String, usize>,
    /// Whether a person spoke since the agent did. What waits for a result is settled when it answers.
    was_spoken_to: bool,
}

impl FoldOutliner {
    /// Takes the next message.
    pub(crate) fn add_message(&mut self, message: &Message) {
        let at = self.items.len();
        let voice = message_voice(message);
        match voice {
            // A word said while a tool runs parts nothing: its result comes next.
            MessageVoice::User => self.was_spoken_to = true,
            // A result that comes after the answer, hours later perhaps, must not hold all messages between together.
            MessageVoice::Assistant if std::mem::take(&mut self.was_spoken_to) => self.waiting.clear(),
            MessageVoice::Assistant | MessageVoice::Results | MessageVoice::System => {}
        }
        for part in &message.body.parts {
            let MessagePart::Tool { call_id: Some(id), input, output, error, .. } = part else { continue };
            if input.is_some() {
                // Some models use an id twice: a result belongs to the call that was made last.
                self.waiting.insert(id.clone(), at);
            }
            if (output.is_some() || error.is_some())
                && let Some(call) = self.waiting.remove(id)
                && let Some(FoldItem::Message(entry)) = self.items.get_mut(call)
            {
                entry.reach = entry.reach.max(message.seq);
            }
        }
        let entry = FoldMessage { seq: message.seq, tokens: message.tokens, voice, reach: message.seq };
        self.items.push(FoldItem::Message(entry));
    }

    /// Takes the next summary.
    pub(crate) fn add_summary(&mut self, node: FoldNode) {
        self.items.push(FoldItem::Summary(node));
    }

    /// The context.
    pub(crate) fn finish(self) -> Vec<FoldItem> {
        self.items
    }
}

fn message_voice(message: &Message) -> MessageVoice {
    // Some agents store results of tools in the role of the user; a message with a text or a file is the user's all the
    // same.
    let says = |part: &MessagePart| {
        matches!(part, MessagePart::Text { text } if !text.trim().is_empty())
            || matches!(part, MessagePart::File { .. })
    };
    match message.body.role {
        MessageRole::System => MessageVoice::System,
        MessageRole::Assistant => MessageVoice::Assistant,
        MessageRole::Tool => MessageVoice::Results,
        MessageRole::User if message.body.parts.iter().any(says) => MessageVoice::User,
        MessageRole::User if message.body.parts.iter().any(|part| matches!(part, MessagePart::Tool { .. })) => {
            MessageVoice::Results
        }
        MessageRole::User => MessageVoice::User,
    }
}

/// After which items a cut parts nothing that belongs together.
pub(crate) fn safe_cuts(items: &[FoldItem]) -> Vec<bool> {
    let mut reach = 0;
    let mut safe = Vec::with_capacity(items.len());
    for item in items {
        let end = item.seq_range().last;
        if let FoldItem::Message(entry) = item {
            // The farthest result of any call so far: calls may overlap, and no cut may fall inside one of them.
            reach = reach.max(entry.reach);
        }
        safe.push(reach <= end);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::conversation_builder::ConversationBuilder;

    fn safe(talk: &ConversationBuilder) -> String {
        let mut outliner = FoldOutliner::default();
        talk.messages.iter().for_each(|message| outliner.add_message(message));
        safe_cuts(&outliner.finish()).into_iter().map(|safe| if safe { '|' } else { '-' }).collect()
    }

    #[test]
    fn a_result_that_comes_after_the_next_answer_holds_nothing_together() {
        let (asked, id) = ConversationBuilder::new().user("Run the tests.").tool_call("Bash", "{}");
        let spoken_between = asked.clone().user("Hurry.").tool_result(&id, "ok", None).assistant("Done.");
        assert_eq!(safe(&spoken_between), "|--||");
        let late = asked.user("Never mind.").assistant("I stopped it.").tool_result(&id, "killed", None).user("Go on.");
        assert_eq!(safe(&late), "||||||");
    }
}
