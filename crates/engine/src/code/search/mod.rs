//! Code search: ranks the files or regions (units) of a project for a question by words, names, paths, semantic
//! similarity and how central a file is, in one weighted sum.

mod barrel_files;
mod catalog;
mod catalog_image;
mod catalog_load;
mod catalog_renewal;
mod documents;
mod encoder;
mod enrichment;
mod evidence;
mod features;
mod file_lines;
mod file_spellings;
mod filters;
mod image_records;
pub(crate) mod intent;
mod inverted_index;
mod key_index;
mod overlay;
mod path_kind;
mod path_table;
mod preview;
mod question;
mod rank_fusion;
mod ranking;
mod region_features;
pub(crate) mod related_hits;
mod search_hit;
mod similarity;
mod static_features;
pub(crate) mod strategy;
mod symbol_names;
mod term_lookup;
mod test_intent;
mod typos;
mod word_forms;

pub(crate) use catalog::{Catalog, unique_stems};
pub(crate) use catalog_load::{CatalogView, SegmentState, load_catalog};
pub(crate) use documents::MAX_DOCUMENT_RANK;
pub use encoder::EncodeReport;
pub(crate) use encoder::{EncoderQueue, encode_project};
pub(crate) use enrichment::{EmbedEffort, EnrichmentCache, enrich_catalog};
pub use filters::SearchFilters;
pub use intent::QuestionIntent;
pub(crate) use preview::add_previews;
pub use preview::{HitPreview, ShownLine};
pub(crate) use question::{CodeQuestion, QuestionLength, clip_question, is_stop_word, title_of, word_pieces};
pub(crate) use ranking::{RankedHit, SearchAim};
pub use related_hits::RelatedKind;
pub(crate) use search_hit::REASON_GAP;
pub use search_hit::{HitRelation, ScorePart, SearchHit};
pub use strategy::RankStrategy;
pub use typos::NameCorrection;

use crate::base::int8_vectors::{DIMENSIONS, quantize};
use crate::base::{Error, NullObserver, Observer, Project, Result, run_blocking};
use crate::code::CodeContext;
use crate::code::graph::{self, NodeId};
use crate::code::graph_load::load_graph;
use crate::code::relate::with_members;
use crate::ledger::embed::{VectorSource, embed_question, tell_fallback};
use crate::ledger::{CallInitiative, CallPurpose};
use enrichment::Enrichment;
use foldhash::HashMap;
use providers::{EmbeddingModel, Vector};
use ranking::{RankingRules, rank_files};
use search::{Attempts, QueryVector};
use similarity::{SimilarityQuery, blend_vectors};
use std::sync::Arc;
use store::TreeVersion;
use strategy::{FusionWeights, RankFusion, file_nearness};
use term_lookup::TermFetcher;

/// The version of the files and, if there are edges, the version that the edges are of.
pub(crate) type MadeFrom = (TreeVersion, Option<TreeVersion>);

/// A search of code.
pub(crate) struct CodeSearch<'a> {
    /// The question.
    pub(crate) text: &'a str,
    /// A model's guess of the answer.
    pub(crate) guess: Option<&'a str>,
    pub(crate) filters: &'a SearchFilters,
    pub(crate) limit: usize,
    pub(crate) aim: SearchAim,
    /// The weight of each ranking, where several are fused.
    pub(crate) weights: Option<FusionWeights>,
    /// The symbol or file that the graph ranking starts at; `None` where it starts at the names in the question.
    pub(crate) around: Option<&'a str>,
    /// The least cosine of a region with the question.
    pub(crate) threshold: Option<f32>,
    /// Who asks.
    pub(crate) initiative: CallInitiative,
}

/// The files that fit a question best, with the catalog they are in.
pub(crate) struct RankedFiles {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) enrichment: Arc<Enrichment>,
    pub(crate) question: CodeQuestion,
    pub(crate) ranked: Vec<RankedHit>,
    pub(crate) corrected: Vec<NameCorrection>,
    pub(crate) degraded: Vec<String>,
}

/// Finds the files that fit a question best.
pub(crate) async fn search_code(code: &CodeContext, project: &Project, wanted: &CodeSearch<'_>) -> Result<RankedFiles> {
    let text = clip_question(wanted.text);
    let mut question = CodeQuestion::new(text);
    // An error, not an empty reply: `???` would look like a project that has nothing about it.
    if question.terms.is_empty() {
        let reason = "has no word to look for: write at least one letter or digit".to_owned();
        return Err(Error::Parameter { field: "query", reason });
    }
    let mut degraded = Vec::new();
    if text.len() < wanted.text.len() {
        degraded.push(format!("the question is read up to its byte {}: it is longer than any question", text.len()));
    }
    let mut attempts = Attempts::default();
    let mut segments = SegmentState::AsKept;
    loop {
        let (worktree, catalog) = load_catalog(code, project, segments).await?;
        let effort = (EmbedEffort::Question, &NullObserver as &dyn Observer);
        let (enrichment, _) = enrich_catalog(code, project, (&worktree, &catalog), wanted.initiative, effort).await?;
        let mut terms = TermFetcher::default();
        terms.fetch_terms(code, &worktree, &catalog, &question).await?;
        // A word that only a model's summary uses is no typo of a name in the code.
        let is_summarized = |stem: &str| !enrichment.summaries.units_with_stem(stem).is_empty();
        let corrected =
            question.correct_typos(text, &catalog, |stem| terms.has_term(&catalog, stem) || is_summarized(stem));
        if !corrected.is_empty() {
            // Corrected names bring new terms; those that were read stay in `terms`.
            terms.fetch_terms(code, &worktree, &catalog, &question).await?;
        }
        // Segments may be put together between two reads; then all of them have to be asked again.
        if !terms.is_known_to(&catalog) && attempts.try_again() {
            segments = SegmentState::Moved;
            // Typos were corrected against the old catalog, and may be names in the new one.
            question = CodeQuestion::new(text);
            continue;
        }
        let meant = meaning_of(code, project, (&catalog, &enrichment), wanted, &mut degraded).await?;
        let near = match wanted.weights {
            // The graph is loaded only where its ranking counts: the default sum reads users and importers from the
            // catalog.
            Some([.., graph]) if graph > 0.0 => {
                graph_nearness(code, project, &catalog, &question, wanted.around).await?
            }
            _ => HashMap::default(),
        };
        let fusion = wanted.weights.map(|weights| RankFusion { weights, near });
        let for_documents = QuestionIntent::from_question(text).is_conceptual();
        let rules = RankingRules {
            filters: wanted.filters.clone(),
            limit: wanted.limit,
            fusion,
            aim: wanted.aim,
            for_documents,
            threshold: wanted.threshold,
        };
        // Ranking is pure computation over all files, and would hold up other requests on the async threads.
        let files = run_blocking("ranking", move || {
            let found = terms.into_hits(&catalog).with_summaries(&enrichment.summaries, &catalog, &question);
            let ranked = rank_files(&catalog, &mut question, meant.as_ref(), &found, &rules);
            RankedFiles { catalog, enrichment, question, ranked, corrected, degraded }
        });
        let mut files = files.await?;
        // What was read may be zeros in place of what was written; the catalog of the store has no image.
        if files.catalog.is_damaged() && attempts.try_again() {
            code.catalogs.discard_image(&code.store.open_worktree(&project.id, &project.root_text()).await?);
            question = CodeQuestion::new(text);
            degraded = files.degraded;
            continue;
        }
        // A configured model replaces the models inside the program, the encoder included.
        if wanted.aim == SearchAim::Regions && wanted.weights.is_none() && files.enrichment.vectors.is_none() {
            let reordered = encoder::reorder_regions(code, project, text, &mut files).await;
            // The order without the encoder is an answer, too, so its failure must not cost the reply.
            if let Err(error) = reordered {
                files.degraded.push(format!("the encoder has no part in the order: {error}"));
            }
        }
        return Ok(files);
    }
}

/// The vector of a question: of the configured source where all units have a vector of it and it answers, else of the
/// static model of the index; then `degraded` says why, where a source was configured.
async fn meaning_of(
    code: &CodeContext,
    project: &Project,
    (catalog, enrichment): (&Catalog, &Arc<Enrichment>),
    wanted: &CodeSearch<'_>,
    degraded: &mut Vec<String>,
) -> Result<Option<SimilarityQuery>> {
    let text = clip_question(wanted.text);
    match VectorSource::select_source(&code.ledger, wanted.initiative) {
        None => {}
        Some(Err(unusable)) => degraded.push(tell_fallback(&unusable)),
        // Not all units have a vector of the source: a mix of two models would compare cosines that do not compare.
        Some(Ok(_)) if enrichment.vectors.is_none() => {
            degraded.extend(enrichment.vector_shortfall().iter().map(tell_fallback));
        }
        Some(Ok(source)) => {
            let initiative = wanted.initiative;
            let purpose = CallPurpose { operation: "search", project: Some(&project.id), session: None, initiative };
            let run = source.start_run(&code.ledger, &project.id, purpose, &NullObserver);
            let title = title_of(text);
            // One call for all texts: the caller waits for a network round trip, and a provider charges for each.
            let texts: Vec<&str> = [Some(text), title, wanted.guess].into_iter().flatten().collect();
            match embed_question(&run, &texts).await? {
                Ok(vectors) => {
                    let mut vectors = vectors.into_iter();
                    let mut next = || vectors.next().flatten();
                    // The vectors come in the order of `texts`; a text that is absent there must not take one here.
                    let question = next();
                    let title = title.and_then(|_| next());
                    let vector = blend_vectors(question, wanted.guess.and_then(|_| next()));
                    let meant =
                        |vector: &Vector| SimilarityQuery::in_source(enrichment, catalog, vector, title.as_ref());
                    return Ok(vector.as_ref().and_then(meant));
                }
                Err(missed) => degraded.push(tell_fallback(&missed)),
            }
        }
    }
    Ok(static_meaning(code, text, wanted.guess, degraded))
}

/// The vector of a question in the static model, which made the vectors of the index.
fn static_meaning(
    code: &CodeContext,
    text: &str,
    guess: Option<&str>,
    degraded: &mut Vec<String>,
) -> Option<SimilarityQuery> {
    let embedder = code.embedder.as_ref()?;
    let EmbeddingModel { name, dimensions, .. } = embedder.model();
    // The index keeps vectors of one size; another model in the settings must not be compared number by number.
    if *dimensions != DIMENSIONS {
        let kept = DIMENSIONS;
        degraded.push(format!("meaning is left out: {name} gives {dimensions} numbers, the index keeps {kept}"));
        return None;
    }
    let vector = |text: &str| embedder.embed_now(text).ok().flatten();
    let question = QueryVector::new(&quantize(blend_vectors(vector(text), guess.and_then(vector)).as_ref()))?;
    let title = title_of(text).and_then(|title| QueryVector::new(&quantize(vector(title).as_ref())));
    Some(SimilarityQuery::in_index(question, title))
}

/// How near files are in the graph to what is named.
async fn graph_nearness(
    code: &CodeContext,
    project: &Project,
    catalog: &Catalog,
    question: &CodeQuestion,
    around: Option<&str>,
) -> Result<HashMap<String, f32>> {
    let named = catalog.symbols_with_keys(&question.keys);
    // Without a name there is no node to start from, and loading the graph would be for nothing.
    if around.is_none() && named.is_empty() {
        return Ok(HashMap::default());
    }
    let graph = load_graph(code, project).await?;
    let starts: Vec<NodeId> = match around {
        // A type is used through its members: callers of its methods are near it.
        Some(around) => with_members(&graph, graph::find_node(&graph, project, around)?),
        None => named.iter().filter_map(|id| graph.symbol_node(id)).collect(),
    };
    Ok(file_nearness(&graph, &starts))
}
