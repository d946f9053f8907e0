//! The tree of lines: which message each line belongs to, so that a parent is a message whatever lies between.
//!
//! Only lines already read are parents, so there is no circle, whatever was written.

use std::collections::HashMap;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Ancestry(HashMap<String, Line>);

struct Line {
    /// The message that the line belongs to, or the nearest one above it.
    message: Option<Arc<str>>,
    thread: Option<Arc<str>>,
}

impl Ancestry {
    pub(super) fn knows(&self, uuid: &str) -> bool {
        self.0.contains_key(uuid)
    }

    pub(super) fn thread(&self, uuid: &str) -> Option<Arc<str>> {
        self.0.get(uuid)?.thread.clone()
    }

    /// The message at a line or above it.
    pub(super) fn message_at(&self, uuid: &str) -> Option<String> {
        self.0.get(uuid)?.message.as_deref().map(str::to_owned)
    }

    /// A line that is, or belongs to, a message.
    pub(super) fn say(&mut self, uuid: String, message: &str, thread: Option<Arc<str>>) {
        self.0.insert(uuid, Line { message: Some(Arc::from(message)), thread });
    }

    /// A line that only stands between messages.
    pub(super) fn pass(&mut self, uuid: String, parent: Option<&str>, thread: Option<Arc<str>>) {
        let message = parent.and_then(|parent| self.0.get(parent)).and_then(|parent| parent.message.clone());
        self.0.entry(uuid).or_insert(Line { message, thread });
    }
}
