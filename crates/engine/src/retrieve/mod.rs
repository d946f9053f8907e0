//! Here is a question, give me the places: find candidates, score them, pack the best into a budget.

mod answer_notes;
mod code;
mod consultation;
mod context;
mod filters;
mod gate;
mod hyde;
mod intent;
mod preview;
mod question_split;
mod related_hits;
mod related_search;
mod search_all;
mod strategy;
mod verdict;

pub use answer_notes::{NoteDetail, note_lines};
use code::SearchAim;
pub(crate) use code::{
    CatalogCache, EmbedEffort, EmbedProgress, EncoderQueue, EnrichmentCache, LONGEST_TEXT, QueryVector, SegmentState,
};
pub use code::{EncodeReport, NameCorrection};
pub(crate) use code::{dot_product, encode_project, enrich_catalog, load_catalog, update_catalog, vector_length};
pub use consultation::{ConsultOutcome, ConsultTask};
pub(crate) use context::build_answer;
pub use context::{AnswerFormat, AnswerItem, AnswerQuery, ConversationFilter, ItemOrigin, ItemPlace, PackedAnswer};
pub use filters::SearchFilters;
pub use gate::GateDecision;
pub use intent::QuestionIntent;
pub use preview::{HitPreview, ShownLine};
pub use related_hits::RelatedKind;
pub use strategy::RankStrategy;

use crate::ledger::CallInitiative;
use crate::relate::{NamedNode, RelationKind};
use crate::{Engine, Error, Project, Result, feedback};
use model::{LineRange, SymbolId, SymbolKind};
use search_all::{SearchOptions, search_all};

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// The question: words, identifiers, a path. Nothing where something related is looked for.
    pub query: String,
    /// What to find related places for: a symbol, file, message, summary or fact.
    pub related: Option<String>,
    /// How many results at most.
    pub limit: u32,
    /// Where to look.
    pub filters: SearchFilters,
    /// How files are ranked.
    pub strategy: RankStrategy,
    /// What to show with each result.
    pub expand: Vec<RelatedKind>,
    /// Whether a model may guess an answer to search with, where the question is worth one.
    pub hyde: bool,
    /// Whether each result is shown with its signature and the line that fits best.
    pub preview: bool,
    /// Only places whose cosine with the question is at least this.
    pub threshold: Option<f32>,
    /// Who asks: models that cost are asked for users alone, unless they allow more.
    pub initiative: CallInitiative,
}

/// One result.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// Project-relative path.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
    /// How well its file fits; comparable within one reply only.
    pub score: f32,
    /// How well it fits itself; comparable within one reply only.
    pub fit: f32,
    /// The symbol it mostly is.
    pub symbol: Option<(SymbolId, SymbolKind)>,
    /// The lines of the symbol in it whose name fits best, where it is more than that.
    pub focus: Option<LineRange>,
    /// How many lines its file has, where that is known.
    pub file_lines: Option<u32>,
    /// Whether it is prose for people to read.
    pub is_prose: bool,
    /// What a model said about the symbol it mostly is.
    pub summary: Option<String>,
    /// What made it fit.
    pub why: String,
    /// Stems of the words of the question that it has.
    pub matched: Vec<String>,
    /// What to show of it, where that was asked for.
    pub preview: HitPreview,
    /// Every part of the score: its name, its value, and what the value is worth.
    pub parts: Vec<ScorePart>,
    /// What it hangs together with, where that was asked for.
    pub related: Vec<HitRelation>,
    /// How many more of those there are.
    pub related_omitted: usize,
}

/// Something that a result hangs together with.
#[derive(Clone, Debug, PartialEq)]
pub struct HitRelation {
    /// How, seen from the result.
    pub relation: RelationKind,
    /// What.
    pub named: NamedNode,
}

/// One part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// What it is.
    pub name: &'static str,
    /// How much of it there is.
    pub value: f32,
    /// What that adds to the score.
    pub worth: f32,
}

/// The results, best first.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The results, one for each file; of a question that is several, theirs in turn.
    pub hits: Vec<SearchHit>,
    /// The questions that the question is, where it is several.
    pub questions: Vec<String>,
    /// Names that were read as others.
    pub corrected: Vec<NameCorrection>,
    /// Models that were asked, or would have been.
    pub consulted: Vec<ConsultOutcome>,
    /// What did not run, and how to have it.
    pub degraded: Vec<String>,
}

pub(crate) async fn search_project(engine: &Engine, project: &Project, request: SearchRequest) -> Result<SearchReport> {
    if request.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    request.filters.check_languages()?;
    if request.threshold.is_some_and(|threshold| !(-1.0..=1.0).contains(&threshold)) {
        return Err(Error::Parameter { field: "threshold", reason: "must be between -1 and 1".to_owned() });
    }
    let mut found = match &request.related {
        Some(_) if !request.query.trim().is_empty() => {
            let reason = "cannot stand beside a question: ask one of them".to_owned();
            return Err(Error::Parameter { field: "related", reason });
        }
        Some(id) => related_search::search_related(engine, project, id, &request).await?,
        None => {
            let limit = request.limit as usize;
            let SearchRequest { query, filters, strategy, hyde, threshold, initiative, .. } = &request;
            let strategy = *strategy;
            let hyde = *hyde;
            let threshold = *threshold;
            let initiative = *initiative;
            let wanted =
                SearchOptions { query, filters, limit, aim: SearchAim::Files, strategy, hyde, threshold, initiative };
            search_all(engine, project, &wanted).await?
        }
    };
    related_hits::add_related(engine, project, &mut found.hits, &request.expand).await?;
    if request.preview {
        preview::add_previews(engine, project, &mut found.hits).await?;
    }
    let question = request.related.as_deref().unwrap_or(&request.query);
    feedback::note_found(engine, project, question, &found).await;
    Ok(found)
}
