//! Retrieval over a project: searches code and documents for a question (`search`), and packs code, documents and
//! conversations into an answer within a token budget (`context`). Contains the request and the report of `search`.

mod answer_notes;
mod consultation;
mod context;
mod critique;
mod gate;
mod hyde;
mod related_search;
mod search_all;
mod verdict;

pub use answer_notes::{NoteDetail, entity_lines, note_lines};
pub use consultation::{ConsultOutcome, ConsultTask};
pub(crate) use context::build_answer;
pub use context::{AnswerFormat, AnswerItem, AnswerQuery, ConversationFilter, ItemOrigin, ItemPlace, PackedAnswer};
pub use critique::{CritiqueReport, CritiqueRequest};
pub(crate) use critique::{critique_draft, find_contradicted};
pub use gate::GateDecision;

use crate::base::{Error, Project, Result};
use crate::code::search::{
    NameCorrection, RankStrategy, RelatedKind, SearchAim, SearchFilters, SearchHit, add_previews, related_hits,
};
use crate::entities::{Entity, find_entities, find_linked};
use crate::ledger::CallInitiative;
use crate::{Engine, feedback};
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
    pub with_related: Vec<RelatedKind>,
    /// Whether a model may guess an answer to search with, where the question is worth one.
    pub hyde: bool,
    /// Whether each result is shown with its signature and the line that fits best.
    pub preview: bool,
    /// Only places whose cosine with the question is at least this.
    pub threshold: Option<f32>,
    /// Who asks: models that cost money are asked for users alone, unless the settings allow more.
    pub initiative: CallInitiative,
}

/// The results, best first.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The results, best first; where the question was split, those of its parts take turns.
    pub hits: Vec<SearchHit>,
    /// The parts of the question, where it asks several things.
    pub questions: Vec<String>,
    /// Names that were corrected.
    pub corrected: Vec<NameCorrection>,
    /// Models that were asked, or would have been.
    pub consulted: Vec<ConsultOutcome>,
    /// Parts that did not run, and how to enable them.
    pub degraded: Vec<String>,
    /// Entities that somebody named and that the question is about, best first.
    pub entities: Vec<Entity>,
}

/// So many entities stand beside the results.
const MOST_ENTITIES: usize = 3;

pub(crate) async fn search_project(engine: &Engine, project: &Project, request: SearchRequest) -> Result<SearchReport> {
    if request.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    // Checked before the search: a filter that fits nothing would look like a project without an answer.
    request.filters.check_languages()?;
    if request.threshold.is_some_and(|threshold| !(-1.0..=1.0).contains(&threshold)) {
        return Err(Error::Parameter { field: "threshold", reason: "must be between -1 and 1".to_owned() });
    }
    let mut found = match &request.related {
        // The reply could only be about one of them, and the caller would not know which.
        Some(_) if !request.query.trim().is_empty() => {
            let reason = "cannot be combined with a query: pass one of them".to_owned();
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
    // Behind the cut to `limit`: the graph is asked about the results that are shown, not about every candidate.
    related_hits::add_related(&engine.code, project, &mut found.hits, &request.with_related).await?;
    if request.preview {
        add_previews(&engine.code, project, &mut found.hits).await?;
    }
    found.entities = match &request.related {
        Some(place) => find_linked(engine, project, place, MOST_ENTITIES).await?,
        None => find_entities(engine, project, &request.query, MOST_ENTITIES).await?,
    };
    // Noted last, so that feedback holds the places as the caller saw them.
    let question = request.related.as_deref().unwrap_or(&request.query);
    let place = |hit: &SearchHit| format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end);
    feedback::note_answer(engine, project, "search", question, found.hits.iter().map(place)).await;
    Ok(found)
}

/// How well the best place of a project fits a question: what says how much of an answer about several projects is its.
pub(crate) async fn measure_fit(engine: &Engine, project: &Project, query: &AnswerQuery) -> Result<f32> {
    let AnswerQuery { query, filters, strategy, initiative, .. } = query;
    let (strategy, initiative) = (*strategy, *initiative);
    let (aim, limit, hyde, threshold) = (SearchAim::Files, 1, false, None);
    let wanted = SearchOptions { query, filters, limit, aim, strategy, hyde, threshold, initiative };
    let found = search_all(engine, project, &wanted).await?;
    Ok(found.hits.first().map_or(0.0, |hit| hit.score.max(0.0)))
}
