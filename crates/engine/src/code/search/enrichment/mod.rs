//! The enrichment of a catalog, data that language models made of its files: summaries of symbols, and embedding
//! vectors of a [`VectorSource`]. Both are stored by the text they are of, so they are looked up by reading the files;
//! a file whose version did not change is not read again. The vectors of a source are used when every unit has one, and
//! not before: no answer mixes two models. Where a project has neither, nothing is read and nothing is kept.

mod builder;
mod model_vectors;
mod summary_index;
mod unit_texts;

pub(super) use model_vectors::{CosineScale, SourceScales, VectorOf};
pub(super) use summary_index::SummaryIndex;

use super::catalog::Catalog;
use crate::base::{Observer, Project, Result, VersionedLru};
use crate::code::CodeContext;
use crate::ledger::embed::{EmbedProgress, MOST_AT_QUESTION, VectorSource};
use crate::ledger::{CallInitiative, CallPurpose, Degradation};
use builder::EnrichmentBuilder;
use foldhash::HashMap;
use model::ContentHash;
use model_vectors::{FileEmbeddings, ModelVectors};
use std::sync::{Arc, Weak};
use store::{FileId, VectorSpace, WorktreeId};
use summary_index::FileSummaries;

/// The enrichments that were made lately, by worktree.
pub(crate) type EnrichmentCache = VersionedLru<Arc<Enrichment>, ()>;

/// The summaries and vectors of the files of a catalog.
#[derive(Default)]
pub(crate) struct Enrichment {
    /// The catalog it belongs to; the reference is weak and keeps no catalog in memory.
    catalog: Weak<Catalog>,
    /// The revision of the project's summaries that it was made from.
    revision: u64,
    pub(super) summaries: SummaryIndex,
    files: HashMap<FileId, EnrichedFile>,
    /// The model that vectors are of.
    space: Option<VectorSpace>,
    /// The vectors, where no text lacks one.
    pub(super) vectors: Option<ModelVectors>,
    /// One of the texts that lack one.
    missing: Option<ContentHash>,
    progress: EmbedProgress,
}

#[derive(Clone)]
struct EnrichedFile {
    summaries: Arc<FileSummaries>,
    embeddings: Option<Arc<FileEmbeddings>>,
}

impl Enrichment {
    /// Why the vectors of the source are not all there.
    pub(super) fn vector_shortfall(&self) -> Vec<Degradation> {
        let Some(space) = self.space.as_ref().filter(|_| self.progress.degraded.is_empty()) else {
            return self.progress.degraded.clone();
        };
        let left = self.progress.missing_count();
        let texts = self.progress.texts;
        let reason = format!("{} has embedded {} of {texts} texts of the project", space.model, texts - left);
        vec![Degradation { reason, fix: Some("epitome index embeds the others".to_owned()) }]
    }

    /// The model that vectors are of, and the digests of the texts that have one.
    pub(crate) fn embedded_texts(&self) -> Option<(&VectorSpace, Vec<ContentHash>)> {
        let embeddings = self.files.values().filter_map(|file| file.embeddings.as_ref());
        Some((self.space.as_ref()?, embeddings.flat_map(|file| file.text_keys().copied()).collect()))
    }

    /// The summary of the symbol that a unit of the catalog mostly is.
    pub(crate) fn unit_summary(&self, catalog: &Catalog, unit: u32) -> Option<&str> {
        if self.summaries.is_empty() {
            return None;
        }
        let symbol = catalog.symbol_of(unit);
        self.summaries.of_unit(unit, symbol.as_ref().map(|(id, _)| id.qualified_name()))
    }
}

/// How much may be embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmbedEffort {
    /// A few missing texts: the caller waits for an answer.
    Question,
    /// Everything.
    Index,
}

/// Looks up summaries and vectors of the files of a catalog, and embeds missing texts as far as the effort allows.
/// Returns how many.
pub(crate) async fn enrich_catalog(
    code: &CodeContext,
    project: &Project,
    (worktree, catalog): (&WorktreeId, &Arc<Catalog>),
    initiative: CallInitiative,
    (effort, observer): (EmbedEffort, &dyn Observer),
) -> Result<(Arc<Enrichment>, EmbedProgress)> {
    let revision = code.store.symbol_summary_revision(&project.id).await?;
    let (source, unusable) = match VectorSource::select_source(&code.ledger, initiative) {
        Some(Ok(source)) => (Some(source), None),
        Some(Err(unusable)) => (None, Some(unusable)),
        None => (None, None),
    };
    // The common case, without models: no file is read and nothing is cached.
    if revision == 0 && source.is_none() {
        let progress = EmbedProgress { degraded: unusable.into_iter().collect(), ..EmbedProgress::default() };
        return Ok((Arc::new(Enrichment { progress: progress.clone(), ..Enrichment::default() }), progress));
    }
    let purpose = CallPurpose { operation: "embed", project: Some(&project.id), session: None, initiative };
    let run = source.as_ref().map(|source| source.start_run(&code.ledger, &project.id, purpose, observer));
    let space = source.as_ref().map(VectorSource::vector_space);
    let most = MOST_AT_QUESTION as u64;
    let kept = code.enrichments.get(worktree, ()).filter(|kept| kept.revision == revision);
    if let Some(kept) = &kept
        // The same catalog by address: its numbers of units are those that the enrichment was made with.
        && Weak::ptr_eq(&kept.catalog, &Arc::downgrade(catalog))
        && kept.space == space
    {
        // Another process (`epitome index`) may have embedded the rest since; one lookup tells.
        let is_more_known = match (kept.missing, &run, &space) {
            (Some(missing), Some(run), Some(space)) => !run.load_known(space, &[missing]).await?.is_empty(),
            _ => false,
        };
        let is_left = effort == EmbedEffort::Question && !is_more_known && kept.progress.missing_count() > most;
        if kept.missing.is_none() || is_left {
            let known = kept.progress.embedded + kept.progress.known;
            return Ok((Arc::clone(kept), EmbedProgress { embedded: 0, known, ..kept.progress.clone() }));
        }
    }
    let mut builder = EnrichmentBuilder::new(code, project, (worktree, catalog), (revision, run), (effort, most));
    builder.progress.degraded.extend(unusable);
    // Summaries are reused after a change of the model, vectors are not.
    let kept = kept.as_ref().map(|kept| (&kept.files, kept.space == space));
    builder.add_files(kept).await?;
    let enrichment = Arc::new(builder.finish(space).await?);
    code.enrichments.insert(worktree.clone(), (), Arc::clone(&enrichment));
    let progress = enrichment.progress.clone();
    Ok((enrichment, progress))
}
