//! Parameter and reply types that the `search` and `context` operations share: related results, corrected names, models
//! asked, notes.

use crate::ops::round_hundredths;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to show with each result
#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum RelatedParam {
    /// What it stands in, and what it is made from
    Parents,
    /// What its file imports
    Imports,
    /// The types it names
    Types,
}

impl From<RelatedParam> for engine::RelatedKind {
    fn from(kind: RelatedParam) -> Self {
        match kind {
            RelatedParam::Parents => Self::Parents,
            RelatedParam::Imports => Self::Imports,
            RelatedParam::Types => Self::Types,
        }
    }
}

/// A name that nothing is called, and what it was read as
#[derive(Serialize, JsonSchema)]
pub(super) struct QueryCorrection {
    given: String,
    meant: String,
}

/// A model that was asked, or was not
#[derive(Serialize, JsonSchema)]
pub(super) struct ModelConsultation {
    /// What for: `hyde` (a guess at the answer, to search with) or `gate` (whether to look at all)
    #[serde(rename = "for")]
    errand: &'static str,
    /// Why nobody had to be asked
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'static str>,
    /// What it said
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Who said it; absent where it was said and paid before
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Whether it was said before, so that nobody was asked again
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cached: bool,
    /// What asking cost
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<ConsultationCost>,
}

/// What a call cost
#[derive(Serialize, JsonSchema)]
struct ConsultationCost {
    tokens: i64,
    dollars: f64,
    /// How long it took
    ms: u64,
}

impl From<engine::NameCorrection> for QueryCorrection {
    fn from(engine::NameCorrection { given, meant }: engine::NameCorrection) -> Self {
        Self { given, meant }
    }
}

impl From<engine::ConsultOutcome> for ModelConsultation {
    fn from(consulted: engine::ConsultOutcome) -> Self {
        let tokens = consulted.cost.spent_tokens();
        let was_asked = consulted.model.is_some() || tokens > 0;
        let ms = u64::try_from(consulted.took.as_millis()).unwrap_or(u64::MAX);
        Self {
            errand: consulted.errand.as_str(),
            // A text without a model and without cost came from the cache.
            cached: consulted.text.is_some() && !was_asked,
            skipped: consulted.skipped,
            text: consulted.text,
            model: consulted.model,
            cost: was_asked.then(|| ConsultationCost { tokens, dollars: consulted.cost.money.to_dollars(), ms }),
        }
    }
}

/// Whether anything was looked up, and why
#[derive(Serialize, JsonSchema)]
pub(super) struct GateReply {
    /// Whether anything was looked up
    pub(super) retrieve: bool,
    pub(super) reason: String,
    /// How sure that is, 1 at most
    confidence: f64,
    /// The strategy that suits the question, where its wording says so: `keyword` where it spells a name
    #[serde(default, skip_serializing_if = "Option::is_none")]
    suggested_strategy: Option<&'static str>,
}

impl From<engine::GateDecision> for GateReply {
    fn from(gate: engine::GateDecision) -> Self {
        let suggested_strategy = gate.suggested.map(engine::RankStrategy::as_str);
        Self {
            retrieve: gate.retrieve,
            reason: gate.reason,
            confidence: round_hundredths(gate.confidence),
            suggested_strategy,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}
