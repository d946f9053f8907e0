//! JSON types of the `entity` operation, and what people see of them: an entity, a link, an end, a relation.

use model::show_name;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// An entity: what somebody named, or what is in code, documents and conversations.
#[derive(Serialize, JsonSchema)]
pub(super) struct EntityLine {
    pub(super) id: String,
    pub(super) r#type: &'static str,
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<String>,
    /// What it says, or what is known of it; of a symbol its signature
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// The same in short; of a symbol its documentation
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// What else is known: of a symbol `async`, `exported`, `return_type`, `bases`; of a file its exports and imports
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    /// The digest of its text
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct EntityLinkLine {
    pub(super) id: String,
    pub(super) source_id: String,
    pub(super) target_id: String,
    pub(super) relationship: &'static str,
    pub(super) weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
    created_at: String,
}

/// An end of a link.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LinkedEnd {
    pub(crate) id: String,
    /// `concept`, `function`, `requirement`, `message`, …, or `gone` where it leads nowhere any more
    pub(crate) r#type: &'static str,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RelationLine {
    source_id: String,
    target_id: String,
    relationship: &'static str,
    weight: f64,
    /// The link that somebody made, if somebody did
    #[serde(skip_serializing_if = "Option::is_none")]
    link_id: Option<String>,
    distance: u32,
    /// Its farther end
    entity: LinkedEnd,
}

/// Hundredths as replies have them.
pub(crate) fn to_weight(hundredths: u32) -> f64 {
    f64::from(hundredths) / 100.0
}

impl From<engine::EntityView> for EntityLine {
    fn from(it: engine::EntityView) -> Self {
        Self {
            id: it.id,
            r#type: it.kind,
            name: it.name,
            qualified_name: it.qualified_name,
            content: it.content,
            summary: it.summary,
            metadata: it.metadata,
            file_path: it.file,
            start_line: it.lines.map(|lines| lines.start),
            end_line: it.lines.map(|lines| lines.end),
            hash: it.hash,
            created_at: it.created.map(|at| at.to_string()),
            updated_at: it.updated.map(|at| at.to_string()),
        }
    }
}

impl From<engine::EntityLink> for EntityLinkLine {
    fn from(it: engine::EntityLink) -> Self {
        Self {
            id: it.id.to_string(),
            source_id: it.source,
            target_id: it.target,
            relationship: it.relationship.as_str(),
            weight: to_weight(it.weight),
            metadata: it.metadata.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))),
            created_at: it.created.to_string(),
        }
    }
}

impl From<engine::NamedEnd> for LinkedEnd {
    fn from(it: engine::NamedEnd) -> Self {
        let (start_line, end_line) = (it.lines.map(|lines| lines.start), it.lines.map(|lines| lines.end));
        Self { id: it.id, r#type: it.kind, name: it.name, path: it.path, start_line, end_line }
    }
}

impl From<engine::EntityRelation> for RelationLine {
    fn from(it: engine::EntityRelation) -> Self {
        Self {
            source_id: it.source,
            target_id: it.target,
            relationship: it.relationship.as_str(),
            weight: to_weight(it.weight),
            link_id: it.link,
            distance: it.distance,
            entity: it.end.into(),
        }
    }
}

impl EntityLine {
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{} ({}, {})\n", show_name(&self.name), self.r#type, show_name(&self.id));
        for told in [self.summary.as_ref(), self.content.as_ref()].into_iter().flatten() {
            text += &format!("    {}\n", told.trim().replace('\n', "\n    "));
        }
        if let Some(file) = &self.file_path {
            let lines = self.start_line.zip(self.end_line).map(|(start, end)| format!(":{start}-{end}"));
            text += &format!("    file: {}{}\n", show_name(file), lines.unwrap_or_default());
        }
        if let Some(metadata) = &self.metadata {
            text += &format!("    {metadata}\n");
        }
        text
    }
}

impl RelationLine {
    pub(super) fn to_text(&self) -> String {
        let sure = if self.weight < 1.0 { format!(" {:.2}", self.weight) } else { String::new() };
        let link = self.link_id.as_ref().map(|id| format!(", {id}")).unwrap_or_default();
        let (source, target) = (show_name(&self.source_id), show_name(&self.target_id));
        let end = format!("{} {}", self.entity.r#type, show_name(&self.entity.name));
        let indent = "  ".repeat(self.distance as usize);
        format!("{indent}{source} {}{sure} {target} ({end}{link})\n", self.relationship)
    }
}
