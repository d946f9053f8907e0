//! The indexing pipeline, which brings the index of a project up to date: walk, plan, extract, write, resolve.
//!
//! A full scan and a single save are the same walk with fewer changes. Files are extracted in parallel and written in
//! batches, each one transaction, so memory stays bounded and a crash leaves every finished batch usable.

mod body_hash;
mod defaults;
mod entry_stamp;
mod fingerprint;
mod ignore_files;
mod kept_walk;
mod merge;
mod parse_problems;
mod plan;
mod postings;
mod redirect;
mod resolve;
mod resolver_setup;
mod scan;
mod segment;
mod settings;
mod vectors;
mod walk;
mod walk_record;
mod write;

pub(crate) use defaults::is_last;
pub(crate) use parse_problems::tell_unparsed;
pub(crate) use postings::{TermField, UnitCounts, read_lengths};
pub(crate) use vectors::{FileVectors, path_words};

use crate::base::{Error, Observer, Project, Result};
use crate::code::CodeContext;
use crate::code::symbol_codec;
use crate::code::watch::{IndexLock, WatchedProject};
use fingerprint::Fingerprinter;
use kept_walk::WalkKeeper;
use plan::IndexPlan;
use scan::{DiskScan, scan_changed};
pub use settings::{IndexDepth, IndexSettings};
use std::sync::Arc;
use store::{FileRecordKind, IndexState, Worktree, WorktreeId};
use walk::WalkResult;
use write::IndexWriter;

/// What a run is to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct IndexTask {
    /// Forget what is indexed and start anew.
    pub(crate) rebuild: bool,
    /// Other settings than the configured ones.
    pub(crate) narrowed: IndexOverrides,
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
    fn apply_to(&self, settings: &IndexSettings) -> IndexSettings {
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

/// The result of a run.
pub(crate) struct IndexRun {
    pub(crate) worktree: WorktreeId,
    /// Files parsed in this run.
    pub(crate) indexed: u64,
    /// Files that were removed.
    pub(crate) removed: u64,
    /// Files left out or only partly understood, by path.
    pub(crate) skipped: Vec<SkippedFile>,
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

/// Brings all of the index up to date. Where the project is watched, no other task of this process changes it while the
/// lock is held.
pub(crate) async fn update_index(
    code: &CodeContext,
    project: &Project,
    task: IndexTask,
    observer: &dyn Observer,
) -> Result<(IndexRun, Option<IndexLock>)> {
    let watched = code.watches.find_watch(project);
    let turn = lock_index(watched.as_ref()).await;
    let mut run = in_turn(code, project, task, EdgeFreshness::Now, watched, observer).await?;
    // Of every file, not only of those that this run parsed: a reader of this report may see no other.
    for (path, reasons) in code.store.file_problems(&run.worktree).await? {
        run.skipped.extend(reasons.into_iter().map(|reason| SkippedFile { path: path.clone(), reason }));
    }
    run.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((run, turn))
}

/// Without this lock, two runs at once would each take a part of the changed paths.
async fn lock_index(watched: Option<&Arc<WatchedProject>>) -> Option<IndexLock> {
    match watched {
        Some(watched) => Some(watched.lock_index().await),
        None => None,
    }
}

async fn in_turn(
    code: &CodeContext,
    project: &Project,
    task: IndexTask,
    edges: EdgeFreshness,
    watched: Option<Arc<WatchedProject>>,
    observer: &dyn Observer,
) -> Result<IndexRun> {
    // The paths are taken before they are indexed: a run that fails or is cancelled must mark everything as changed.
    let taken = watched.as_ref().map(|watched| watched.guard_dirty());
    let run = bring_up_to_date(code, project, task, edges, watched.clone(), observer).await?;
    if let Some(taken) = taken {
        taken.commit();
    }
    code.watches.tell_refreshed();
    Ok(run)
}

async fn bring_up_to_date(
    code: &CodeContext,
    project: &Project,
    task: IndexTask,
    edges: EdgeFreshness,
    watched: Option<Arc<WatchedProject>>,
    observer: &dyn Observer,
) -> Result<IndexRun> {
    let settings = task.narrowed.apply_to(&code.settings);
    check_languages(&settings.languages)?;
    let is_narrowed = task.narrowed != IndexOverrides::default();
    let store = &code.store;
    if task.rebuild {
        store.drop_index(&project.id).await?;
    }
    let worktree = store.open_worktree(&project.id, &project.root_text()).await?;
    // A rebuilt, narrowed or unfinished index says nothing about files outside of the changed paths.
    if let Some(watched) =
        watched.as_ref().filter(|_| task.rebuild || is_narrowed || worktree.state == IndexState::NotReady)
    {
        watched.invalidate_all();
    }
    observer.report_progress("looking for files", 0, 0);
    // Whoever rebuilds the index trusts nothing that was kept.
    let keeper = code.images.as_ref().filter(|_| !task.rebuild && !is_narrowed);
    let keeper = keeper.and_then(|images| WalkKeeper::new(images, &worktree, &project.root, &settings));
    let scan = scan_changed(project, &settings, watched.clone(), keeper, &*code.clock);
    // A process that watches nothing looks everywhere and compares all files: the store is read while the disk is.
    let (scan, files_before) = match &watched {
        None => tokio::join!(scan, async { Some(store.worktree_files(&worktree.id).await) }),
        Some(_) => (scan.await, None),
    };
    let DiskScan { walked: WalkResult { files, skipped, .. }, within } = scan?;
    let (before, is_resolved) = match within {
        None => {
            let before = match files_before {
                Some(before) => before?,
                None => store.worktree_files(&worktree.id).await?,
            };
            let is_resolved = resolve::is_resolved(&worktree, &before);
            (before, is_resolved)
        }
        // The first scan of a watch compared every manifest; since then a changed manifest is among the changed paths.
        Some(within) => {
            let is_resolved = worktree.resolved.is_some_and(|resolved| resolved.version == worktree.version);
            (store.files_within(&worktree.id, &within.scope_paths()).await?, is_resolved)
        }
    };
    let making = Arc::new(Fingerprinter::new(&settings, code.embedder.clone()));
    let plan = IndexPlan::from_files(files, &before, &making);
    let mut run = IndexRun { worktree: worktree.id.clone(), indexed: 0, removed: plan.removed.len() as u64, skipped };
    let is_same = plan.is_empty();
    if !is_same {
        let writing = IndexWriter { code, project, worktree: &worktree.id, making };
        writing.write_changes(plan, &mut run, observer).await?;
        // Every save writes a segment of its own, and each question reads all of them.
        merge::merge_small(code, &worktree.id).await?;
    }
    // Questions that need no current edges leave them to the first question that does.
    let will_do = edges == EdgeFreshness::Once && edges.are_in(&worktree);
    let resolves = !will_do && (!is_same || !is_resolved);
    if resolves && let Some(change) = resolve::resolve_worktree(code, project, observer).await? {
        for view in &code.views {
            view.follow_change(project, &change).await?;
        }
    }
    // An unchanged index is not written to, so a refresh before every question costs no transaction.
    if !is_same || resolves || worktree.state == IndexState::NotReady {
        store.finish_index(&worktree.id, code.clock.now()).await?;
    }
    note_commit(code, project, &worktree).await;
    // The next run without these overrides has to look at every file again.
    if let Some(watched) = watched.filter(|_| is_narrowed) {
        watched.invalidate_all();
    }
    Ok(run)
}

/// Keeps at which commit the files were compared. That only tells people how old an index is: where it cannot be kept, the
/// question is answered all the same.
async fn note_commit(code: &CodeContext, project: &Project, worktree: &Worktree) {
    let commit = project.head_commit();
    if commit != worktree.commit
        && let Err(error) = code.store.note_commit(&worktree.id, commit.as_deref()).await
    {
        tracing::debug!(%error, "the commit of the index was not kept");
    }
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
pub(crate) async fn refresh_index(code: &CodeContext, project: &Project) -> Result<CurrentWorktree> {
    refresh_for(code, project, EdgeFreshness::Once).await
}

/// The same, with edges as they are now.
pub(crate) async fn refresh_edges(code: &CodeContext, project: &Project) -> Result<CurrentWorktree> {
    refresh_for(code, project, EdgeFreshness::Now).await
}

async fn refresh_for(code: &CodeContext, project: &Project, edges: EdgeFreshness) -> Result<CurrentWorktree> {
    let open = async || Ok::<_, Error>(code.store.open_worktree(&project.id, &project.root_text()).await?);
    let watched = code.watches.find_watch(project);
    let turn = lock_index(watched.as_ref()).await;
    // No event since the last scan: one row of the store is read, and no directory.
    if watched.as_ref().is_some_and(|watched| watched.is_quiet()) {
        let worktree = open().await?;
        if worktree.state != IndexState::NotReady && edges.are_in(&worktree) {
            return Ok(CurrentWorktree { worktree, _turn: turn });
        }
    }
    let bring =
        async |watched| in_turn(code, project, IndexTask::default(), edges, watched, &crate::base::NullObserver).await;
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
pub(crate) async fn symbols_of(code: &CodeContext, project: &Project, path: &str) -> Result<Vec<model::Symbol>> {
    Ok(symbols_at(code, project, &[path.to_owned()]).await?.pop().unwrap_or_default())
}

/// The symbols of some files of a project, as they were indexed; none of a file that is not indexed.
pub(crate) async fn symbols_at(
    code: &CodeContext,
    project: &Project,
    paths: &[String],
) -> Result<Vec<Vec<model::Symbol>>> {
    let store = &code.store;
    let worktree = code.store.open_worktree(&project.id, &project.root_text()).await?.id;
    let files = store.files_at(&worktree, paths).await?;
    let versions: Vec<_> = files.iter().flatten().map(|file| file.file).collect();
    let symbols = store.load_records(&worktree, FileRecordKind::Symbols, &versions).await?;
    let texts = store.load_records(&worktree, FileRecordKind::Texts, &versions).await?;
    let mut facts = symbols.into_iter().zip(texts);
    let decoded = paths.iter().zip(&files).map(|(path, file)| {
        let (symbols, texts) = file.as_ref().and_then(|_| facts.next()).unwrap_or_default();
        // Damaged bytes are treated as a file that is not indexed.
        symbol_codec::decode_symbols(path, &symbols.unwrap_or_default(), &texts.unwrap_or_default()).unwrap_or_default()
    });
    Ok(decoded.collect())
}
