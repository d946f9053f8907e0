//! Bringing the index of a project up to date: walk, plan, extract, write, resolve.
//!
//! A full scan and a single save are the same walk with fewer changes. Files are extracted in parallel and written in
//! batches, each one transaction, so memory stays bounded and a crash leaves every finished batch usable.

mod body_hash;
mod defaults;
mod embedding;
mod fingerprint;
mod ignore_files;
mod merge;
mod parse_problems;
mod plan;
mod postings;
mod redirect;
mod resolve;
mod resolver_setup;
mod scan;
mod segment;
mod symbols;
mod terms;
mod vectors;
mod walk;
mod write;

pub(crate) use defaults::is_last;
pub use embedding::EmbedReport;
pub(crate) use merge::crowded_segments;
pub(crate) use parse_problems::tell_unparsed;
pub(crate) use postings::{FieldCounts, TermField, each_posting, read_lengths};
pub(crate) use symbols::{IndexedSymbol, UnitPlace, decode_units as unit_places, decode_unparsed, each_symbol};
pub(crate) use vectors::{DIMENSIONS, FileVectors, Int8Vector, in_bytes, path_words, quantize};
pub(crate) use walk::WalkScope;

use crate::base::{Error, Observer, Project, Result};
use crate::code::orient::{SkeletonEfficiency, measure_efficiency};
use crate::code::symbol_summaries::{SummarizeReport, summarize_symbols};
use crate::code::watch::{IndexLock, WatchedProject};
use crate::ledger::CallInitiative;
use crate::{Engine, EngineSettings, IndexDepth};
use fingerprint::Fingerprinter;
use plan::IndexPlan;
use scan::{DiskScan, scan_changed};
use std::sync::Arc;
use store::{CodeFactKind, CodeTotals, IndexState, Worktree};
use walk::WalkResult;
use write::IndexWriter;

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

/// Settings of one run; what is empty is as configured. The next run without them looks at everything again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexOverrides {
    /// Only these languages are parsed.
    pub languages: Vec<String>,
    /// Only files that one of these patterns fits.
    pub include: Vec<String>,
    /// No file that one of these patterns fits.
    pub exclude: Vec<String>,
    /// How much of each file is kept.
    pub depth: Option<IndexDepth>,
}

impl IndexOverrides {
    fn apply_to(&self, settings: &EngineSettings) -> EngineSettings {
        let mut settings = settings.clone();
        if !self.languages.is_empty() {
            settings.languages.clone_from(&self.languages);
        }
        if !self.include.is_empty() {
            settings.include.clone_from(&self.include);
        }
        // Excludes add to the configured patterns: a run cannot index what the user has left out.
        settings.ignore.extend(self.exclude.iter().cloned());
        settings.depth = self.depth.unwrap_or(settings.depth);
        settings
    }
}

/// A file that is not in the index, or only in part, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Project-relative path.
    pub path: String,
    /// Why.
    pub reason: String,
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

/// When edges are brought up to date. They are computed from all files at once, and most questions need none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgeFreshness {
    Now,
    /// Only if there are none yet. Which file uses which changes slowly, and ranking works with edges of a moment ago.
    Once,
}

impl EdgeFreshness {
    /// Whether the edges of a worktree are fresh enough.
    fn are_in(self, worktree: &Worktree) -> bool {
        match self {
            Self::Now => worktree.resolved.is_some_and(|resolved| resolved.version == worktree.version),
            Self::Once => worktree.resolved.is_some() && worktree.state != IndexState::NotReady,
        }
    }
}

/// Brings all of the index up to date.
pub(crate) async fn run(
    engine: &Engine,
    project: &Project,
    request: IndexRequest,
    observer: &dyn Observer,
) -> Result<IndexReport> {
    let initiative = request.initiative;
    let mut report = run_for(engine, project, request, EdgeFreshness::Now, observer).await?;
    report.embedding = embedding::embed_project(engine, project, initiative, observer).await?;
    let worktree = engine.store.open_worktree(&project.id, &project.root_text()).await?;
    report.totals = engine.store.code_totals(&worktree.id).await?;
    // Files that this run did not scan are unchanged as well, and were not counted one by one.
    report.unchanged = report.totals.files.saturating_sub(report.indexed);
    Ok(report)
}

async fn run_for(
    engine: &Engine,
    project: &Project,
    request: IndexRequest,
    edges: EdgeFreshness,
    observer: &dyn Observer,
) -> Result<IndexReport> {
    let watched = engine.watches.find_watch(project);
    let _turn = lock_index(watched.as_ref()).await;
    in_turn(engine, project, request, edges, watched, observer).await
}

/// Without this lock, two runs at once would each take a part of the changed paths.
async fn lock_index(watched: Option<&Arc<WatchedProject>>) -> Option<IndexLock> {
    match watched {
        Some(watched) => Some(watched.lock_index().await),
        None => None,
    }
}

async fn in_turn(
    engine: &Engine,
    project: &Project,
    request: IndexRequest,
    edges: EdgeFreshness,
    watched: Option<Arc<WatchedProject>>,
    observer: &dyn Observer,
) -> Result<IndexReport> {
    // The paths are taken before they are indexed: a run that fails or is cancelled must mark everything as changed.
    let taken = watched.as_ref().map(|watched| watched.guard_dirty());
    let report = bring_up_to_date(engine, project, request, edges, watched.clone(), observer).await?;
    if let Some(taken) = taken {
        taken.commit();
    }
    engine.watches.tell_refreshed();
    Ok(report)
}

async fn bring_up_to_date(
    engine: &Engine,
    project: &Project,
    request: IndexRequest,
    edges: EdgeFreshness,
    watched: Option<Arc<WatchedProject>>,
    observer: &dyn Observer,
) -> Result<IndexReport> {
    let settings = request.narrowed.apply_to(&engine.settings);
    check_languages(&settings.languages)?;
    let is_narrowed = request.narrowed != IndexOverrides::default();
    let store = &engine.store;
    if request.rebuild {
        store.drop_index(&project.id).await?;
    }
    let worktree = store.open_worktree(&project.id, &project.root_text()).await?;
    // A rebuilt, narrowed or unfinished index says nothing about files outside of the changed paths.
    if let Some(watched) =
        watched.as_ref().filter(|_| request.rebuild || is_narrowed || worktree.state == IndexState::NotReady)
    {
        watched.invalidate_all();
    }
    observer.report_progress("looking for files", 0, 0);
    let DiskScan { walked: WalkResult { files, skipped, .. }, within } =
        scan_changed(project, &settings, watched.clone()).await?;
    let (before, is_resolved) = match within {
        None => {
            let before = store.worktree_files(&worktree.id).await?;
            let is_resolved = resolve::is_resolved(&worktree, &before);
            (before, is_resolved)
        }
        // The first scan of a watch compared every manifest; since then a changed manifest is among the changed paths.
        Some(within) => {
            let is_resolved = worktree.resolved.is_some_and(|resolved| resolved.version == worktree.version);
            (store.files_within(&worktree.id, &within.scope_paths()).await?, is_resolved)
        }
    };
    let making = Arc::new(Fingerprinter::new(&settings, engine.embedder.clone()));
    let plan = IndexPlan::from_files(files, &before, &making);
    let mut report = IndexReport { removed: plan.removed.len() as u64, skipped, ..IndexReport::default() };
    let is_same = plan.is_empty();
    if !is_same {
        let writing = IndexWriter { engine, project, worktree: &worktree.id, making };
        writing.write_changes(plan, &mut report, observer).await?;
        // Every save writes a segment of its own, and each question reads all of them.
        merge::merge_small(engine, &worktree.id).await?;
    }
    // Questions that need no current edges leave them to the first question that does.
    let will_do = edges == EdgeFreshness::Once && edges.are_in(&worktree);
    let resolves = !will_do && (!is_same || !is_resolved);
    if resolves {
        resolve::resolve_worktree(engine, project, observer).await?;
    }
    // An unchanged index is not written to, so a refresh before every question costs no transaction.
    if !is_same || resolves || worktree.state == IndexState::NotReady {
        store.finish_index(&worktree.id, engine.clock.now()).await?;
    }
    // The next run without these overrides has to look at every file again.
    if let Some(watched) = watched.filter(|_| is_narrowed) {
        watched.invalidate_all();
    }
    if request.report {
        report.efficiency = Some(measure_efficiency(engine, project, &worktree.id, observer).await?);
    }
    if let Some(SummarizeRequest { provider }) = &request.summarize {
        report.summaries = Some(summarize_symbols(engine, project, &worktree.id, provider.as_deref(), observer).await?);
    }
    report.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

/// An unknown language would silently leave out the files that were meant.
fn check_languages(wanted: &[String]) -> Result<()> {
    let Some(unknown) = wanted.iter().find(|name| syntax::all_languages().all(|language| language.name() != *name))
    else {
        return Ok(());
    };
    let known: Vec<&str> = syntax::all_languages().map(syntax::Language::name).collect();
    let reason = format!("names `{unknown}`, which is none of {}", known.join(", "));
    Err(Error::Parameter { field: "index.languages", reason })
}

/// A worktree whose index is up to date. Where the project is watched, no other task of this process changes it while
/// this is held.
pub(crate) struct CurrentWorktree {
    pub(crate) worktree: Worktree,
    _turn: Option<IndexLock>,
}

/// Brings the index up to date before a question about files is answered from it, and returns the worktree to ask. Its
/// edges may be of a moment ago.
pub(crate) async fn refresh_index(engine: &Engine, project: &Project) -> Result<CurrentWorktree> {
    refresh_for(engine, project, EdgeFreshness::Once).await
}

/// The same, with edges as they are now.
pub(crate) async fn refresh_edges(engine: &Engine, project: &Project) -> Result<CurrentWorktree> {
    refresh_for(engine, project, EdgeFreshness::Now).await
}

async fn refresh_for(engine: &Engine, project: &Project, edges: EdgeFreshness) -> Result<CurrentWorktree> {
    let open = async || Ok::<_, Error>(engine.store.open_worktree(&project.id, &project.root_text()).await?);
    let watched = engine.watches.find_watch(project);
    let turn = lock_index(watched.as_ref()).await;
    // No event since the last scan: one row of the store is read, and no directory.
    if watched.as_ref().is_some_and(|watched| watched.is_quiet()) {
        let worktree = open().await?;
        if worktree.state != IndexState::NotReady && edges.are_in(&worktree) {
            return Ok(CurrentWorktree { worktree, _turn: turn });
        }
    }
    let bring = async |watched| {
        in_turn(engine, project, IndexRequest::default(), edges, watched, &crate::base::NullObserver).await
    };
    match bring(watched.clone()).await {
        // A question needs no watch: this one scans everything, and so do the ones that follow.
        Err(Error::Watch { .. }) => {
            if let Some(watched) = &watched {
                watched.give_up();
            }
            bring(None).await?;
        }
        brought => drop(brought?),
    }
    Ok(CurrentWorktree { worktree: open().await?, _turn: turn })
}

/// The symbols of one file of a project, as they were indexed.
pub(crate) async fn symbols_of(engine: &Engine, project: &Project, path: &str) -> Result<Vec<model::Symbol>> {
    Ok(symbols_at(engine, project, &[path.to_owned()]).await?.pop().unwrap_or_default())
}

/// The symbols of some files of a project, as they were indexed; none of a file that is not indexed.
pub(crate) async fn symbols_at(
    engine: &Engine,
    project: &Project,
    paths: &[String],
) -> Result<Vec<Vec<model::Symbol>>> {
    let (store, worktree) = (&engine.store, engine.store.open_worktree(&project.id, &project.root_text()).await?.id);
    let files = store.files_at(&worktree, paths).await?;
    let versions: Vec<_> = files.iter().flatten().map(|file| file.file).collect();
    let symbols = store.load_facts(&worktree, CodeFactKind::Symbols, &versions).await?;
    let texts = store.load_facts(&worktree, CodeFactKind::Texts, &versions).await?;
    let mut facts = symbols.into_iter().zip(texts);
    let decoded = paths.iter().zip(&files).map(|(path, file)| {
        let (symbols, texts) = file.as_ref().and_then(|_| facts.next()).unwrap_or_default();
        // Damaged bytes are treated as a file that is not indexed.
        symbols::decode_symbols(path, &symbols.unwrap_or_default(), &texts.unwrap_or_default()).unwrap_or_default()
    });
    Ok(decoded.collect())
}
