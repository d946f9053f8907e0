//! Runs one indexing of a project: updates the code index, then on request counts the tokens that skeletons save and
//! has a model describe symbols, and last computes the embedding vectors of code, documents and messages. Contains the
//! request and the report of `Engine::index_project`.

use crate::Engine;
use crate::base::{Observer, Project, Result};
use crate::code::index::{self, IndexOverrides, IndexTask, SkippedFile};
use crate::code::orient::{SkeletonEfficiency, measure_efficiency};
use crate::code::search::{EmbedEffort, SegmentState, enrich_catalog, load_catalog};
use crate::code::symbol_summaries::{SummarizeReport, summarize_symbols};
use crate::ledger::embed::VectorSource;
use crate::ledger::{CallInitiative, Degradation};
use crate::memory::embed_messages;
use store::CodeTotals;

/// What to index.
#[derive(Clone, Debug, Default)]
pub struct IndexRequest {
    /// Forget what is indexed and start anew.
    pub rebuild: bool,
    /// Count what reading skeletons instead of files saves.
    pub report: bool,
    /// Have models describe symbols, at a cost.
    pub summarize: Option<SummarizeRequest>,
    /// For this run, other settings than the configured ones.
    pub narrowed: IndexOverrides,
    /// Who wants it: texts are embedded by a model that costs for users alone, unless they allow more.
    pub initiative: CallInitiative,
}

/// Who describes symbols.
#[derive(Clone, Debug, Default)]
pub struct SummarizeRequest {
    /// The provider, as `vendor` or `vendor/model`; none for the configured chain.
    pub provider: Option<String>,
}

/// The result of an index run.
#[derive(Clone, Debug, Default)]
pub struct IndexReport {
    /// The totals of the worktree now.
    pub totals: CodeTotals,
    /// Files parsed in this run.
    pub indexed: u64,
    /// Files that did not change.
    pub unchanged: u64,
    /// Files that were removed.
    pub removed: u64,
    /// Files left out or only partly understood.
    pub skipped: Vec<SkippedFile>,
    /// What skeletons save, if the request asked for it.
    pub efficiency: Option<SkeletonEfficiency>,
    /// The result of describing symbols, if the request asked for it.
    pub summaries: Option<SummarizeReport>,
    /// The result of embedding, if a model for it is configured.
    pub embedding: Option<EmbedReport>,
}

/// The result of embedding the texts of a project.
#[derive(Clone, Debug, Default)]
pub struct EmbedReport {
    /// The model; none where it cannot be used.
    pub model: Option<String>,
    /// Embedded in this run.
    pub embedded: u64,
    /// Embedded before.
    pub known: u64,
    /// Not embedded. The next run goes on with them.
    pub left: u64,
    /// The reasons for missing vectors, each once.
    pub degraded: Vec<Degradation>,
}

/// Stale vectors are dropped once there are this many times as many vectors as texts: vectors of other worktrees of the
/// project are among them, and would have to be paid for again.
const TOO_MANY: u64 = 3;

/// Up to this many vectors, none is dropped.
const MIN_KEPT_VECTORS: u64 = 10_000;

/// Brings all of the index up to date.
pub(crate) async fn index_project(
    engine: &Engine,
    project: &Project,
    request: IndexRequest,
    observer: &dyn Observer,
) -> Result<IndexReport> {
    let IndexRequest { rebuild, report, summarize, narrowed, initiative } = request;
    // The lock is held while the files of the index are read.
    let (run, turn) = index::update_index(&engine.code, project, IndexTask { rebuild, narrowed }, observer).await?;
    let efficiency =
        if report { Some(measure_efficiency(&engine.code, project, &run.worktree, observer).await?) } else { None };
    let summaries = match &summarize {
        Some(SummarizeRequest { provider }) => {
            Some(summarize_symbols(&engine.code, project, &run.worktree, provider.as_deref(), observer).await?)
        }
        None => None,
    };
    drop(turn);
    // Vectors are stored as they arrive, so a run that was stopped continues where it ended.
    let embedding = embed_project(engine, project, initiative, observer).await?;
    let worktree = engine.store.open_worktree(&project.id, &project.root_text()).await?;
    let totals = engine.store.code_totals(&worktree.id).await?;
    Ok(IndexReport {
        totals,
        indexed: run.indexed,
        // Files that this run did not scan are unchanged as well, and were not counted one by one.
        unchanged: totals.files.saturating_sub(run.indexed),
        removed: run.removed,
        skipped: run.skipped,
        efficiency,
        summaries,
        embedding,
    })
}

/// Embeds texts that have no vector yet; `None` without a source of vectors, or where it may not be asked.
async fn embed_project(
    engine: &Engine,
    project: &Project,
    initiative: CallInitiative,
    observer: &dyn Observer,
) -> Result<Option<EmbedReport>> {
    let model = match VectorSource::select_source(&engine.ledger, initiative) {
        None => return Ok(None),
        Some(Err(unusable)) => return Ok(Some(EmbedReport { degraded: vec![unusable], ..EmbedReport::default() })),
        Some(Ok(source)) => source.vector_space().model,
    };
    let (worktree, catalog) = load_catalog(&engine.code, project, SegmentState::AsKept).await?;
    let effort = (EmbedEffort::Index, observer);
    let (enrichment, of_files) =
        enrich_catalog(&engine.code, project, (&worktree, &catalog), initiative, effort).await?;
    // Only a complete run knows every key that is still in use.
    if of_files.missing_count() == 0
        && let Some((space, keys)) = enrichment.embedded_texts()
    {
        let spaces = engine.store.vector_spaces(&project.id).await?;
        let kept: u64 = spaces.iter().map(|totals| totals.vectors).sum();
        if kept > MIN_KEPT_VECTORS.max(TOO_MANY * of_files.texts) {
            engine.store.keep_vectors(&project.id, space, &keys).await?;
        }
    }
    let of_messages = embed_messages(&engine.memory, project, initiative, observer).await?;
    let mut report = EmbedReport { model: Some(model), ..EmbedReport::default() };
    for part in [of_files, of_messages] {
        report.embedded += part.embedded;
        report.known += part.known;
        report.left += part.missing_count();
        for degraded in part.degraded {
            if !report.degraded.contains(&degraded) {
                report.degraded.push(degraded);
            }
        }
    }
    Ok(Some(report))
}
