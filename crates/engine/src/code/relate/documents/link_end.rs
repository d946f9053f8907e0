//! What links of documents join: requirements and user stories with ids, and nodes of a graph.

use crate::code::graph::NodeId;
use model::LineRange;
use syntax::DocumentFacts;

/// A requirement, a user story or an open question.
#[derive(Clone, Debug)]
pub(crate) struct DocumentItem {
    /// `path#KEY`, or `path:line` where it has no key.
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) key: Option<String>,
    pub(crate) text: String,
    pub(crate) priority: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) file: NodeId,
    pub(crate) lines: LineRange,
}

pub(crate) const REQUIREMENT: &str = "requirement";
pub(crate) const USER_STORY: &str = "user_story";
pub(crate) const QUESTION: &str = "question";

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum LinkEnd {
    /// A symbol, a section or a file.
    Node(NodeId),
    /// An item, by its place in the table.
    Item(usize),
}

/// A place in one end that names the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocumentLink {
    pub(crate) from: LinkEnd,
    pub(crate) to: LinkEnd,
    /// In the file of `from`.
    pub(crate) line: u32,
    pub(crate) weight: f32,
}

/// A file with what it says.
pub(crate) struct ReadDocument {
    pub(crate) file: NodeId,
    pub(crate) facts: DocumentFacts,
}
