//! Searches code and documents for a question, for `search` and for answers: splits it where it asks several things,
//! adds a model's guess (HyDE) where one is worth its cost, and interleaves the results of the parts.

use super::{SearchReport, hyde};
use crate::Engine;
use crate::base::question_split::split_questions;
use crate::base::{Project, Result};
use crate::code::search::{
    self, CodeQuestion, CodeSearch, QuestionIntent, REASON_GAP, RankStrategy, RankedFiles, RankedHit, SearchAim,
    SearchFilters, SearchHit,
};
use crate::ledger::CallInitiative;

/// What to look up, and how.
pub(super) struct SearchOptions<'a> {
    pub(super) query: &'a str,
    pub(super) filters: &'a SearchFilters,
    pub(super) limit: usize,
    pub(super) aim: SearchAim,
    pub(super) strategy: RankStrategy,
    /// Whether a model may guess an answer to search with.
    pub(super) hyde: bool,
    /// The least cosine of a region with the question.
    pub(super) threshold: Option<f32>,
    pub(super) initiative: CallInitiative,
}

/// The best regions for a question.
pub(super) async fn search_all(engine: &Engine, project: &Project, look: &SearchOptions<'_>) -> Result<SearchReport> {
    let questions = split_questions(look.query, |part| CodeQuestion::new(part).terms.len());
    if questions.len() == 1 {
        return search_one(engine, project, look).await;
    }
    let mut replies = Vec::new();
    for query in &questions {
        let mut reply = search_one(engine, project, &SearchOptions { query, ..*look }).await?;
        for hit in &mut reply.hits {
            hit.why = format!("{}{}for: {query}", hit.why, if hit.why.is_empty() { "" } else { REASON_GAP });
        }
        replies.push(reply);
    }
    let questions = questions.into_iter().map(str::to_owned).collect();
    let mut all = SearchReport { questions, ..SearchReport::from_hits(Vec::new()) };
    let mut lists = Vec::new();
    for reply in replies {
        all.corrected.extend(reply.corrected);
        all.consulted.extend(reply.consulted);
        // Every part degrades for the same reason (no vectors, say); the reader is told once.
        all.degraded
            .extend(reply.degraded.into_iter().filter(|reason| !all.degraded.contains(reason)).collect::<Vec<_>>());
        lists.push(reply.hits.into_iter());
    }
    let mut is_left = true;
    // In turn, not by score: scores of two questions cannot be compared, and the part with more matches would fill the
    // reply.
    while is_left && all.hits.len() < look.limit {
        is_left = false;
        for list in &mut lists {
            // A place that another part has already found is passed over, so that no part takes two turns for one
            // place.
            let is_new =
                |hit: &SearchHit| !all.hits.iter().any(|other| (&other.path, other.lines) == (&hit.path, hit.lines));
            if let Some(hit) = list.by_ref().find(is_new) {
                all.hits.push(hit);
                is_left = true;
            }
        }
    }
    all.hits.truncate(look.limit);
    Ok(all)
}

/// Searches for a question that was not split.
async fn search_one(engine: &Engine, project: &Project, look: &SearchOptions<'_>) -> Result<SearchReport> {
    let SearchOptions { query, filters, limit, aim, strategy, threshold, initiative, .. } = *look;
    let mut degraded = Vec::new();
    let consulted = if look.hyde {
        Some(hyde::guess_answer(engine, project, search::clip_question(query), &mut degraded).await?)
    } else {
        None
    };
    let guess = consulted.as_ref().and_then(|consulted| consulted.text.as_deref());
    let weights = strategy.fusion_weights(QuestionIntent::from_question(query));
    let wanted = CodeSearch { text: query, guess, filters, limit, aim, weights, around: None, threshold, initiative };
    let mut reply = SearchReport::from(search::search_code(&engine.code, project, &wanted).await?);
    reply.consulted.extend(consulted);
    reply.degraded.extend(degraded);
    // An empty reply would read as "the project has nothing about it", while the graph only lacked a name to start
    // from.
    if strategy == RankStrategy::Graph && reply.hits.is_empty() {
        reply.degraded.push(NOTHING_NAMED.to_owned());
    }
    Ok(reply)
}

/// Why the graph alone leads nowhere.
const NOTHING_NAMED: &str = "the graph alone was asked, and nothing in the question is the name of a symbol or file: \
                             name one, or leave the strategy to linear";

impl SearchReport {
    /// A report with results and no notes.
    pub(super) fn from_hits(hits: Vec<SearchHit>) -> Self {
        let questions = Vec::new();
        let corrected = Vec::new();
        let consulted = Vec::new();
        let degraded = Vec::new();
        let entities = Vec::new();
        Self { hits, questions, corrected, consulted, degraded, entities }
    }
}

impl From<RankedFiles> for SearchReport {
    fn from(files: RankedFiles) -> Self {
        let RankedFiles { catalog, enrichment, question, ranked, corrected, mut degraded } = files;
        degraded.extend(catalog.unparsed_notes(&ranked));
        let summary = |unit: Option<u32>| enrichment.unit_summary(&catalog, unit?).map(str::to_owned);
        let hit = |ranked: &RankedHit| SearchHit {
            summary: summary(ranked.unit),
            ..ranked.to_search_hit(&catalog, &question)
        };
        let hits = ranked.iter().map(hit).collect();
        Self { corrected, degraded, ..Self::from_hits(hits) }
    }
}
