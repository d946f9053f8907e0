//! Maps each line of a transcript, by its uuid, to the message it belongs to, so that the parent of a message is always
//! a message, whatever lines lie between. Only lines already read can be parents, so there is no cycle, whatever was
//! written.

use std::collections::HashMap;
use std::sync::Arc;

use super::external_ids::HashKey;

#[derive(Default)]
pub(crate) struct LineTree {
    lines: HashMap<HashKey, LineNode>,
    /// The messages that lines belong to, by number.
    messages: Vec<Box<str>>,
}

struct LineNode {
    /// The message that the line belongs to, or the nearest one above it.
    message: Option<u32>,
    thread: Option<Arc<str>>,
}

impl LineTree {
    pub(crate) fn has_line(&self, uuid: &str) -> bool {
        self.lines.contains_key(&HashKey::from_text(uuid))
    }

    pub(crate) fn line_thread(&self, uuid: &str) -> Option<Arc<str>> {
        self.lines.get(&HashKey::from_text(uuid))?.thread.clone()
    }

    /// The message at a line or above it.
    pub(crate) fn message_at(&self, uuid: &str) -> Option<String> {
        let message = self.lines.get(&HashKey::from_text(uuid))?.message?;
        Some(self.messages[message as usize].to_string())
    }

    /// A line that is, or belongs to, a message.
    pub(crate) fn add_message(&mut self, uuid: &str, message: &str, thread: Option<Arc<str>>) {
        // The lines of one answer mostly follow each other, so comparing with the last name stores most names once.
        if self.messages.last().is_none_or(|last| **last != *message) {
            self.messages.push(message.into());
        }
        let message = Some(self.messages.len() as u32 - 1);
        self.lines.insert(HashKey::from_text(uuid), LineNode { message, thread });
    }

    /// A line that only stands between messages.
    pub(crate) fn add_event(&mut self, uuid: &str, parent: Option<&str>, thread: Option<Arc<str>>) {
        let message =
            // An event inherits the message of its parent: the walk up the tree is done once, when the line is read.
            parent.and_then(|parent| self.lines.get(&HashKey::from_text(parent))).and_then(|parent| parent.message);
        self.lines.entry(HashKey::from_text(uuid)).or_insert(LineNode { message, thread });
    }
}
