//! The tree of lines: which message each line belongs to, so that a parent is a message whatever lies between.
//!
//! Only lines already read are parents, so there is no circle, whatever was written.

use std::collections::HashMap;
use std::sync::Arc;

use super::names::Key;

#[derive(Default)]
pub(crate) struct Ancestry {
    lines: HashMap<Key, Line>,
    /// The messages that lines belong to, by number.
    messages: Vec<Box<str>>,
}

struct Line {
    /// The message that the line belongs to, or the nearest one above it.
    message: Option<u32>,
    thread: Option<Arc<str>>,
}

impl Ancestry {
    pub(crate) fn knows(&self, uuid: &str) -> bool {
        self.lines.contains_key(&Key::of(uuid))
    }

    pub(crate) fn thread(&self, uuid: &str) -> Option<Arc<str>> {
        self.lines.get(&Key::of(uuid))?.thread.clone()
    }

    /// The message at a line or above it.
    pub(crate) fn message_at(&self, uuid: &str) -> Option<String> {
        let message = self.lines.get(&Key::of(uuid))?.message?;
        Some(self.messages[message as usize].to_string())
    }

    /// A line that is, or belongs to, a message.
    pub(crate) fn say(&mut self, uuid: &str, message: &str, thread: Option<Arc<str>>) {
        // Lines of one answer mostly follow each other.
        if self.messages.last().is_none_or(|last| **last != *message) {
            self.messages.push(message.into());
        }
        let message = Some(self.messages.len() as u32 - 1);
        self.lines.insert(Key::of(uuid), Line { message, thread });
    }

    /// A line that only stands between messages.
    pub(crate) fn pass(&mut self, uuid: &str, parent: Option<&str>, thread: Option<Arc<str>>) {
        let message = parent.and_then(|parent| self.lines.get(&Key::of(parent))).and_then(|parent| parent.message);
        self.lines.entry(Key::of(uuid)).or_insert(Line { message, thread });
    }
}
