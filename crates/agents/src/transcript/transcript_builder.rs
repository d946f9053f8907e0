//! Builds one message from one record, for formats whose records state their author and parent. A message has the id of
//! its record; its parent is the nearest message up the tree, because records between may be events, or else the
//! message before. What the host added to a prompt becomes a message of its own behind it, named after it.

use model::{EventTime, LineKind, MessagePart, NewMessage, ProjectedMessage};

use super::author::Author;
use super::external_ids::{ExternalIds, IdAssignment};
use super::line_tree::LineTree;

#[derive(Default)]
pub(crate) struct TranscriptBuilder {
    names: ExternalIds,
    ancestry: LineTree,
    last: Option<String>,
}

/// Where a record stands, apart from what it says.
pub(crate) struct RecordPosition<'a> {
    pub(crate) number: u64,
    pub(crate) id: Option<&'a str>,
    pub(crate) parent: ParentRef<'a>,
    pub(crate) at: Option<EventTime>,
    /// The side thread it belongs to.
    pub(crate) thread: Option<String>,
    /// Two records that say the same have the same.
    pub(crate) verbatim: &'a str,
}

/// What a record follows.
#[derive(Clone, Copy)]
pub(crate) enum ParentRef<'a> {
    /// The record of this id; none where it begins something.
    Record(Option<&'a str>),
    /// The message before.
    Last,
}

/// What a record says, and who says it.
pub(crate) struct MessageContent {
    pub(crate) author: Author,
    pub(crate) parts: Vec<MessagePart>,
    /// What the host added to it.
    pub(crate) added: Vec<MessagePart>,
}

impl MessageContent {
    /// The same without anything added.
    pub(crate) fn new(author: Author, parts: Vec<MessagePart>) -> Self {
        Self { author, parts, added: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.added.is_empty()
    }
}

impl TranscriptBuilder {
    /// Whether a message was given out.
    pub(crate) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Tells what a record says, which is something.
    pub(crate) fn add_message(
        &mut self,
        place: &RecordPosition<'_>,
        said: MessageContent,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        let name = match self.names.assign_id(place.id, place.number, place.verbatim) {
            IdAssignment::New(name) => name,
            IdAssignment::Copy(name) => {
                // The line repeats a message under another record, so it is reported under the message's own name.
                return LineKind::Repeat { of: self.ancestry.message_at(&name).unwrap_or(name) };
            }
        };
        let mut above = match place.parent {
            ParentRef::Record(parent) => parent.and_then(|parent| self.ancestry.message_at(parent)),
            ParentRef::Last => self.last.clone(),
        };
        let host = Author::Host(said.author.role());
        // What the host added follows the person's words, under a name that is derived from theirs.
        let told = [(name.clone(), said.author, said.parts), (format!("{name}:added"), host, said.added)];
        for (external, author, parts) in told.into_iter().filter(|(_, _, parts)| !parts.is_empty()) {
            out.push(ProjectedMessage {
                parent: above.replace(external.clone()),
                message: NewMessage {
                    external_id: Some(external),
                    role: author.role(),
                    speaker: author.speaker(),
                    session: None,
                    at: place.at.clone(),
                    metadata: None,
                    parts,
                    part_marks: model::PartMarks::default(),
                },
                lines: vec![place.number],
                thread: place.thread.clone(),
                continues: None,
            });
        }
        // Children of the record follow its last message, which is what the host added, if anything.
        self.ancestry.add_message(&name, above.as_deref().unwrap_or_default(), None);
        self.last = above;
        LineKind::Message
    }

    /// Passes a record that only stands between messages.
    pub(crate) fn add_event(&mut self, id: Option<&str>, parent: Option<&str>) {
        if let Some(id) = id {
            self.ancestry.add_event(id, parent, None);
        }
    }
}
