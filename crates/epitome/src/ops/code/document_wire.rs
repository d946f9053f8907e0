//! JSON types that replies about documents share: a requirement, a place that a link leads to.

use crate::ops::wire::{SymbolLocation, round_hundredths};
use model::show_name;
use schemars::JsonSchema;
use serde::Serialize;

/// A requirement.
#[derive(Serialize, JsonSchema)]
pub(super) struct RequirementLine {
    /// `path#KEY`, or `path:line` of a sentence without a key
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    pub(super) text: String,
    /// `must`, `should`, `may`, or as the document says
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) priority: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<String>,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
}

/// Code or a test at the end of a link.
#[derive(Serialize, JsonSchema)]
pub(super) struct PlaceLine {
    #[serde(flatten)]
    pub(super) named: SymbolLocation,
    /// The line that names the other one
    pub(super) line: u32,
    /// 1 for an exact id or key, 0.7 for a name that is unique, 0.5 for a test that calls the code
    pub(super) weight: f64,
    pub(super) is_test: bool,
}

impl From<engine::LinkedRequirement> for RequirementLine {
    fn from(it: engine::LinkedRequirement) -> Self {
        let engine::LinkedRequirement { id, key, text, priority, status, lines } = it;
        Self { id, key, text, priority, status, start_line: lines.start, end_line: lines.end }
    }
}

impl From<engine::LinkedPlace> for PlaceLine {
    fn from(it: engine::LinkedPlace) -> Self {
        let weight = round_hundredths(it.weight.get());
        Self { named: it.named.into(), line: it.line, weight, is_test: it.is_test }
    }
}

impl RequirementLine {
    pub(super) fn to_line(&self) -> String {
        let words = [&self.priority, &self.status].into_iter().flatten().map(|word| show_name(word).into_owned());
        let words: Vec<String> = words.collect();
        let words = if words.is_empty() { String::new() } else { format!(" [{}]", words.join(", ")) };
        format!("{}{words}: {}", show_name(&self.id), show_name(&self.text))
    }
}

impl PlaceLine {
    pub(super) fn to_line(&self) -> String {
        let sure = if self.weight < 1.0 { format!(" {:.2}", self.weight) } else { String::new() };
        format!("{}{sure}, line {}", self.named.to_line(), self.line)
    }
}
