//! `Projection`, the trait of parsers that turn lines of a coding agent's transcript into messages, and its data types.
//!
//! The lines are the truth and are kept as they are; messages are a *projection* of them that can be made again. A
//! projection is pure and fed in file order, and keeps in memory only what it needs to put lines together.
//!
//! After a restart a projection is brought back by feeding it all lines up to where it paused last, and pausing there;
//! what it gives out meanwhile is known already. To make all messages anew, and the same, it must pause in every place
//! where it paused before, so these places belong to the record.

use std::borrow::Cow;
use std::fmt;

use crate::NewMessage;

/// Turns the lines of one transcript into messages.
pub trait Projection: Send {
    /// Takes the next raw line, without its newline. Says what it was, and which messages are complete now, in order.
    fn feed_line(&mut self, line: &[u8]) -> ProjectedLine;

    /// There is nothing more for now: gives out what was held back in case more lines belong to it. A later line that
    /// would have belonged to it becomes a message of its own that says which one it continues.
    fn pause(&mut self) -> Vec<ProjectedMessage>;

    /// What the lines so far say about the whole. `conversation` does not change once a message was given out.
    fn head(&self) -> &TranscriptHead;
}

/// The result of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedLine {
    /// The kind of the line.
    pub kind: LineKind,
    /// Messages that are complete now. They may be of earlier lines; this line's own may come with a later one.
    pub messages: Vec<ProjectedMessage>,
}

/// The kind of a line. Every line has exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Said something: it is, or becomes part of, a message.
    Message,
    /// Says what an earlier message said, as agents do when they copy lines.
    Repeat {
        /// The external id of that message.
        of: String,
    },
    /// Known, and not a message: the name of its kind.
    Event(Cow<'static, str>),
    /// Of a kind we do not know: the name it gives itself. Kept and counted.
    Unknown(String),
    /// Damaged: why. Its bytes are kept apart; what could be read of it is still given out as a message.
    Malformed(String),
    /// Nothing but space.
    Blank,
}

/// A message with its place in the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedMessage {
    /// The message. Its external id is unique in the conversation, and comes from the format's own ids where it has any.
    pub message: NewMessage,
    /// The lines it was made from, counted from 0, ascending; at least one.
    pub lines: Vec<u64>,
    /// External id of the message it follows, one of those given out before it. Two messages with one parent are two
    /// branches: the user went back.
    pub parent: Option<String>,
    /// The side thread it belongs to, by the agent's own id: work handed to another agent inside the same file.
    pub thread: Option<String>,
    /// External id of the message that was given out before all its lines were there, and goes on here.
    pub continues: Option<String>,
}

/// Data about a transcript as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptHead {
    /// Who wrote it.
    pub agent: AgentName,
    /// The agent's own id for the conversation.
    pub conversation: String,
    /// A line for people.
    pub title: Option<String>,
    /// The directory it was about, as the agent writes it.
    pub project_dir: Option<String>,
    /// The conversation it comes from.
    pub descent: Option<TranscriptDescent>,
}

/// How a conversation comes from another one of the same agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranscriptDescent {
    /// Work that the other one handed out.
    Subagent {
        /// The agent's own id of the other one.
        of: String,
    },
    /// Goes on from a point of the other one, usually with a copy of what was before.
    Fork {
        /// The agent's own id of the other one.
        of: String,
    },
}

/// The name of a coding agent, as in commands and configuration (`claude-code`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentName(pub Cow<'static, str>);

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How the lines lie on disk, which decides what must be kept to give the file back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TranscriptContainer {
    /// A file of lines. The lines are the file.
    Lines,
    /// Lines, compressed with zstd. Another compression of the same lines has other bytes, so the file is kept too.
    Zstd,
    /// One JSON document, however many newlines it has: the whole file is one line.
    Document,
    /// Rows of a database or small files of a directory. Lines are made of them, one each; what is given back is those.
    Rows,
}

crate::enum_words! { pub TranscriptContainer { Lines = "lines", Zstd = "zstd", Document = "document", Rows = "rows" } }

impl TranscriptContainer {
    /// Whether agents only add to it: what was there once stays.
    pub fn only_grows(self) -> bool {
        matches!(self, Self::Lines | Self::Zstd)
    }
}
