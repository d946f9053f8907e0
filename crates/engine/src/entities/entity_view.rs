//! An entity as replies show it, whatever it is: something that somebody named, a symbol or file, a document with what it
//! says, or something of a conversation.

use super::entity_table::Entity;
use model::{LineRange, Timestamp};
use serde_json::Value;

/// An entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityView {
    /// Its id.
    pub id: String,
    /// Its type, as a word.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its name with those of what it stands in.
    pub qualified_name: Option<String>,
    /// What it says, or what is known of it.
    pub content: Option<String>,
    /// The same in short.
    pub summary: Option<String>,
    /// What else is known of it.
    pub metadata: Option<Value>,
    /// Its file, or the file it is about.
    pub file: Option<String>,
    /// Its lines in the file.
    pub lines: Option<LineRange>,
    /// The digest of its text.
    pub hash: Option<String>,
    /// When it was first stated or said.
    pub created: Option<Timestamp>,
    /// When it was last stated or said.
    pub updated: Option<Timestamp>,
}

impl EntityView {
    pub(super) fn new(id: String, kind: &'static str, name: String) -> Self {
        Self {
            id,
            kind,
            name,
            qualified_name: None,
            content: None,
            summary: None,
            metadata: None,
            file: None,
            lines: None,
            hash: None,
            created: None,
            updated: None,
        }
    }
}

impl From<Entity> for EntityView {
    fn from(it: Entity) -> Self {
        Self {
            content: it.content,
            summary: it.summary,
            // A text that is no JSON any more, since a secret was cut out of it, stays one.
            metadata: it.metadata.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))),
            file: it.file,
            created: Some(it.created),
            updated: Some(it.updated),
            ..Self::new(it.id.to_string(), it.kind.as_str(), it.name)
        }
    }
}
