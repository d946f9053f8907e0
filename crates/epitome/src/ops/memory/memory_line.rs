//! The wire form of a memory (`MemoryLine`), as `memories`, `recall`, `remember` and `describe` give it, and its lines for
//! people.

use crate::ops::{render_count, round_hundredths};
use model::{DurableMemory, MemoryVisibility, show_name};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoryLine {
    pub(super) memory_id: String,
    /// `note` (asked for), `rule`, `decision` or `fix` (taken from a conversation), `reflection`, `item`
    kind: &'static str,
    pub(super) content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// `project` or `me`: told in every project
    #[serde(rename = "for")]
    audience: &'static str,
    /// The colleague it comes from, where it is not one's own
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    /// `team` where it is shared
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<&'static str>,
    /// Memories of other people that say the contrary
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<MemoryContradiction>,
    /// From 0 to 1; falls while it is neither stated nor recalled
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// Messages, summaries and facts that it was taken from
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<String>,
    depth: u32,
    created_at: String,
    last_seen_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    /// Where it is about another project than this one
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<String>,
    /// What the caller said about it besides, one for each time
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metadata: Vec<Value>,
}

/// Something that says the contrary.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoryContradiction {
    pub(super) id: String,
    /// Whether this one was said later than that one
    pub(super) newer: bool,
}

impl MemoryContradiction {
    /// What contradicts a memory, in the words of a list.
    pub(super) fn to_text(&self) -> String {
        format!("contradicts {}, which is {}", self.id, if self.newer { "older" } else { "newer" })
    }
}

/// What contradicts a memory.
pub(super) fn contradictions_of(memory: &DurableMemory) -> Vec<MemoryContradiction> {
    let disputes = memory.disputes.iter();
    disputes.map(|dispute| MemoryContradiction { id: dispute.with.to_string(), newer: dispute.is_newer }).collect()
}

impl MemoryLine {
    /// A memory with how far it is to be trusted, where that is told.
    pub(super) fn new(memory: &DurableMemory, confidence: Option<f64>) -> Self {
        let metadata = memory.metadata.iter();
        Self {
            memory_id: memory.id.to_string(),
            kind: memory.body.kind.as_str(),
            content: memory.body.content.clone(),
            tags: memory.tags.clone(),
            audience: if memory.body.project.is_some() { "project" } else { "me" },
            author: memory.colleague.clone(),
            visibility: (memory.visibility == MemoryVisibility::Team).then_some(memory.visibility.as_str()),
            contradicts: contradictions_of(memory),
            confidence: confidence.map(|confidence| round_hundredths(confidence as f32)),
            sources: memory.sources.clone(),
            conversation_id: memory.body.conversation.as_ref().map(ToString::to_string),
            depth: memory.body.depth,
            created_at: memory.body.created.to_string(),
            last_seen_at: memory.last_seen.to_string(),
            archived_at: memory.archived.map(|at| at.to_string()),
            superseded_by: memory.superseded_by.as_ref().map(ToString::to_string),
            project_id: None,
            // What cannot be read as JSON is given as the text it is.
            metadata: metadata
                .map(|text| serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()))
                .collect(),
        }
    }

    /// The same, of another project.
    pub(super) fn of_project(self, memory: &DurableMemory) -> Self {
        Self { project_id: memory.body.project.as_ref().map(ToString::to_string), ..self }
    }

    /// The memory in two lines or more: its words, and what is known about it.
    pub(super) fn to_text(&self) -> String {
        let words = self.content.trim().replace('\n', "\n    ");
        let mut about = vec![self.kind.to_owned()];
        if self.audience == "me" {
            about.push("for every project".to_owned());
        }
        about.extend(self.project_id.as_ref().map(|id| format!("of {id}")));
        about.extend(self.author.as_ref().map(|author| format!("from {}", show_name(author))));
        about.extend((self.visibility.is_some() && self.author.is_none()).then(|| "shared".to_owned()));
        about.extend(self.contradicts.iter().map(MemoryContradiction::to_text));
        // What was promoted has its kind among its tags, which stands here already.
        let tags: Vec<&str> = self.tags.iter().map(String::as_str).filter(|tag| *tag != self.kind).collect();
        about.extend((!tags.is_empty()).then(|| format!("tags {}", tags.join(" "))));
        let sources = self.sources.len() as u64;
        about.extend((sources > 0).then(|| format!("from {}", render_count(sources, "source"))));
        about.extend(self.confidence.map(|confidence| format!("confidence {confidence:.2}")));
        about.push(match (&self.superseded_by, &self.archived_at) {
            (Some(by), _) => format!("replaced by {by}"),
            (None, Some(at)) => format!("put aside {}", day_of(at)),
            (None, None) => format!("last seen {}", day_of(&self.last_seen_at)),
        });
        format!("{}  {words}\n    {}\n", self.memory_id, about.join(" · "))
    }

    /// What is known about it, for people: names and values.
    pub(super) fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("kind", self.kind.to_owned()), ("for", self.audience.to_owned())];
        fields.extend(self.author.clone().map(|author| ("from", author)));
        fields.extend(self.visibility.map(|visibility| ("visibility", visibility.to_owned())));
        fields.extend((!self.tags.is_empty()).then(|| ("tags", self.tags.join(" "))));
        fields.extend(self.confidence.map(|confidence| ("confidence", format!("{confidence:.2}"))));
        fields.push(("made", self.created_at.clone()));
        fields.push(("seen last", self.last_seen_at.clone()));
        fields.extend(self.archived_at.clone().map(|at| ("put aside", at)));
        fields.extend(self.superseded_by.clone().map(|by| ("replaced by", by)));
        fields.extend(self.sources.iter().map(|source| ("from", source.clone())));
        fields.extend(self.metadata.iter().map(|value| ("with", value.to_string())));
        fields
    }

    /// The memory in one line, with its id.
    pub(super) fn to_short_text(&self) -> String {
        let whose = if self.audience == "me" { ", for every project" } else { "" };
        let words = self.content.split_whitespace().collect::<Vec<_>>().join(" ");
        let from = self.author.as_ref().map(|author| format!(", from {}", show_name(author))).unwrap_or_default();
        let contrary: String = self.contradicts.iter().map(|it| format!("; {}", it.to_text())).collect();
        format!("- {words} ({}{whose}{from}{contrary})\n", self.memory_id)
    }
}

/// The date of a time as replies give it.
fn day_of(at: &str) -> &str {
    at.split('T').next().unwrap_or(at)
}
