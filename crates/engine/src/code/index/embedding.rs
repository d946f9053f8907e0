//! Embedding a project by the source of vectors: its units and paths, then the messages about it.
//!
//! Vectors are stored as they arrive, so a run that was stopped continues where it ended.

use crate::Engine;
use crate::base::{Observer, Project, Result};
use crate::code::search::{EmbedEffort, SegmentState, enrich_catalog, load_catalog};
use crate::ledger::embed::VectorSource;
use crate::ledger::{CallInitiative, Degradation};
use crate::memory::embed_messages;

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
const FEW: u64 = 10_000;

/// Embeds texts that have no vector yet; `None` without a source of vectors, or where it may not be asked.
pub(super) async fn embed_project(
    engine: &Engine,
    project: &Project,
    initiative: CallInitiative,
    observer: &dyn Observer,
) -> Result<Option<EmbedReport>> {
    let model = match VectorSource::select_source(engine, initiative) {
        None => return Ok(None),
        Some(Err(unusable)) => return Ok(Some(EmbedReport { degraded: vec![unusable], ..EmbedReport::default() })),
        Some(Ok(source)) => source.vector_space().model,
    };
    let (worktree, catalog) = load_catalog(engine, project, SegmentState::AsKept).await?;
    let effort = (EmbedEffort::Index, observer);
    let (enrichment, of_files) = enrich_catalog(engine, project, (&worktree, &catalog), initiative, effort).await?;
    // Only a complete run knows every key that is still in use.
    if of_files.missing_count() == 0
        && let Some((space, keys)) = enrichment.embedded_texts()
    {
        let spaces = engine.store.vector_spaces(&project.id).await?;
        let kept: u64 = spaces.iter().map(|totals| totals.vectors).sum();
        if kept > FEW.max(TOO_MANY * of_files.texts) {
            engine.store.keep_vectors(&project.id, space, &keys).await?;
        }
    }
    let of_messages = embed_messages(engine, project, initiative, observer).await?;
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
