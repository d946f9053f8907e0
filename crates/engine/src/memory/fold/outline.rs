//! A conversation's active context as the planner sees it: sizes, speakers and what belongs together, no text.
//!
//! A million messages fit into memory this way, and planning them needs nothing else.

use model::{Message, Part, Role, SeqRange, SummaryId, Tokens};
use std::collections::HashMap;

/// One place of the active context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Message(Entry),
    Summary(Node),
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) seq: u64,
    pub(crate) tokens: Tokens,
    pub(crate) voice: Voice,
    /// The last message it must not be parted from: where the result of its last call is, or itself.
    pub(crate) reach: u64,
}

/// Who is heard in a message, as far as turns go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    System,
    /// The user speaks.
    User,
    Assistant,
    /// Only results of tools, whoever the agent says they come from.
    Results,
}

/// A summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) id: SummaryId,
    pub(crate) range: SeqRange,
    pub(crate) tokens: Tokens,
    pub(crate) depth: u32,
}

/// What a summary costs in a context besides its text: the lines around it that say what it is.
pub(crate) const FENCE: Tokens = Tokens(90);

impl Item {
    /// The messages it is or stands for.
    pub(crate) fn range(&self) -> SeqRange {
        match self {
            Self::Message(entry) => SeqRange { first: entry.seq, last: entry.seq },
            Self::Summary(node) => node.range,
        }
    }

    /// What it takes of a budget.
    pub(crate) fn cost(&self) -> u64 {
        match self {
            Self::Message(entry) => u64::from(entry.tokens.0),
            Self::Summary(node) => u64::from((node.tokens + FENCE).0),
        }
    }
}

/// What all of them take of a budget.
pub(crate) fn cost(items: &[Item]) -> u64 {
    items.iter().map(Item::cost).sum()
}

/// Reads messages in order and notes what belongs together.
#[derive(Default)]
pub(crate) struct Outliner {
    items: Vec<Item>,
    /// Calls without a result: where they are.
    waiting: HashMap<String, usize>,
}

impl Outliner {
    /// Takes the next message.
    pub(crate) fn message(&mut self, message: &Message) {
        let at = self.items.len();
        for part in &message.body.parts {
            let Part::Tool { call_id: Some(id), input, output, error, .. } = part else { continue };
            if input.is_some() {
                // Some models use an id twice: a result belongs to the call that was made last.
                self.waiting.insert(id.clone(), at);
            }
            if (output.is_some() || error.is_some())
                && let Some(call) = self.waiting.remove(id)
                && let Some(Item::Message(entry)) = self.items.get_mut(call)
            {
                entry.reach = entry.reach.max(message.seq);
            }
        }
        let voice = voice(message);
        let entry = Entry { seq: message.seq, tokens: message.tokens, voice, reach: message.seq };
        self.items.push(Item::Message(entry));
    }

    /// Takes the next summary.
    pub(crate) fn summary(&mut self, node: Node) {
        self.items.push(Item::Summary(node));
    }

    /// The context.
    pub(crate) fn finish(self) -> Vec<Item> {
        self.items
    }
}

fn voice(message: &Message) -> Voice {
    let says = |part: &Part| {
        matches!(part, Part::Text { text } if !text.trim().is_empty()) || matches!(part, Part::File { .. })
    };
    match message.body.role {
        Role::System => Voice::System,
        Role::Assistant => Voice::Assistant,
        Role::Tool => Voice::Results,
        Role::User if message.body.parts.iter().any(says) => Voice::User,
        Role::User if message.body.parts.iter().any(|part| matches!(part, Part::Tool { .. })) => Voice::Results,
        Role::User => Voice::User,
    }
}

/// After which items a cut parts nothing that belongs together.
pub(crate) fn safe_cuts(items: &[Item]) -> Vec<bool> {
    let mut reach = 0;
    let mut safe = Vec::with_capacity(items.len());
    for item in items {
        let end = item.range().last;
        if let Item::Message(entry) = item {
            reach = reach.max(entry.reach);
        }
        safe.push(reach <= end);
    }
    safe
}
