//! Loading the catalog of a worktree from what the store keeps, and bringing it up to date with what is written.

use super::catalog::{Catalog, CatalogSources};
use super::catalog_renewal::CatalogRenewal;
use super::{ATTEMPTS, MadeFrom};
use crate::Engine;
use crate::base::run_blocking;
use crate::base::{Project, Result};
use crate::code::index;
use foldhash::HashSet;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{CodeFactKind, EncodedEdges, FileChange, FileFact, FileId, TreeFile, TreeVersion, Worktree, WorktreeId};

/// Whether the cached catalog knows the segments of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentState {
    AsKept,
    /// The store has segments that the cached catalog does not know, because a merge wrote them.
    Moved,
}

/// The catalog of a project as its files are now, and the worktree it is of.
pub(crate) async fn load_catalog(
    engine: &Engine,
    project: &Project,
    segments: SegmentState,
) -> Result<(WorktreeId, Arc<Catalog>)> {
    let mut attempt = 1;
    loop {
        // Held until the catalog is kept: a run that makes edges meanwhile would move the worktree to another version.
        let current = index::refresh_index(engine, project).await?;
        let now = &current.worktree;
        let of = made_from(now);
        if let Some(catalog) = engine.catalogs.get(&now.id, of).filter(|_| segments == SegmentState::AsKept) {
            return Ok((now.id.clone(), catalog));
        }
        let catalog = of_now(engine, now).await?;
        let after = cache_if_current(engine, project, &now.id, of, &catalog).await?;
        // Under steady writes a catalog that is a version old answers better than a question that never ends.
        if made_from(&after) == of || attempt == ATTEMPTS {
            return Ok((now.id.clone(), catalog));
        }
        attempt += 1;
    }
}

/// Brings the catalog that is kept of a worktree to the version that edges were just written for. Where none is cached,
/// or another run has changed the worktree since, the next question loads one. `edges: None` means all files.
pub(crate) async fn update_catalog(
    engine: &Engine,
    project: &Project,
    worktree: &Worktree,
    version: TreeVersion,
    changes: &[FileChange],
    edges: Option<Vec<EncodedEdges>>,
) -> Result<()> {
    let Some(((_, of), kept)) = engine.catalogs.any_version(&worktree.id) else { return Ok(()) };
    let before = worktree.resolved.map(|resolved| resolved.version);
    // The new edges are those of changed files only. They fit the cached catalog only if it has the edges from before.
    let followed = match edges.filter(|_| before.is_some() && before == of) {
        Some(mut edges) => {
            let gone = changes.iter().filter(|change| change.now.is_none());
            // The resolver writes no edges for a removed file, and its old ones would go on counting as uses.
            edges.extend(gone.map(|change| without_edges(&change.path)));
            renew_catalog(engine, &worktree.id, kept, changed_paths(changes), Vec::new(), edges).await?
        }
        None => caught_up(engine, &worktree.id, kept, Vec::new()).await?,
    };
    if let Some(catalog) = followed {
        cache_if_current(engine, project, &worktree.id, (version, Some(version)), &catalog).await?;
    }
    Ok(())
}

/// The catalog of the current version: the cached one, renewed by as few files as possible, or one that is built anew.
async fn of_now(engine: &Engine, now: &Worktree) -> Result<Arc<Catalog>> {
    let changes = changed_paths(&engine.store.load_changes(&now.id).await?);
    let brought = match engine.catalogs.any_version(&now.id) {
        // The store notes which paths changed since the last edges, and the cached catalog is of those edges.
        Some(((_, of), kept)) if of.is_some() && of == made_from(now).1 => {
            renew_catalog(engine, &now.id, kept, changes.clone(), changes.clone(), Vec::new()).await?
        }
        // The edges changed since, and the list of files whose edges changed is unknown: all files are compared.
        Some((_, kept)) => caught_up(engine, &now.id, kept, changes.clone()).await?,
        None => None,
    };
    match brought {
        Some(catalog) => Ok(catalog),
        None => build_catalog(engine, &now.id, changes).await,
    }
}

/// Keeps a catalog, if no run wrote to the worktree while it was read; returns the worktree as it is after that.
async fn cache_if_current(
    engine: &Engine,
    project: &Project,
    worktree: &WorktreeId,
    of: MadeFrom,
    catalog: &Arc<Catalog>,
) -> Result<Worktree> {
    let after = engine.store.open_worktree(&project.id, &project.root_text()).await?;
    // Another process may have written between the reads, and the catalog would mix two versions under one key.
    if made_from(&after) == of {
        engine.catalogs.insert(worktree.clone(), of, Arc::clone(catalog));
    }
    Ok(after)
}

fn made_from(worktree: &Worktree) -> MadeFrom {
    (worktree.version, worktree.resolved.map(|resolved| resolved.version))
}

fn changed_paths(changes: &[FileChange]) -> Vec<String> {
    changes.iter().map(|change| change.path.clone()).collect()
}

async fn build_catalog(engine: &Engine, worktree: &WorktreeId, since_edges: Vec<String>) -> Result<Arc<Catalog>> {
    tracing::debug!("reading all names");
    let store = &engine.store;
    // Segments first: when some are put together after that, a question meets one that is not known here.
    let segments = store.load_segments(worktree).await?;
    let files = store.worktree_files(worktree).await?;
    let symbols = store.worktree_facts(worktree, CodeFactKind::Symbols).await?.files;
    // Vectors are the largest fact, and without a model that embeds the question none of them is compared.
    let vectors = match engine.embedder {
        Some(_) => store.worktree_facts(worktree, CodeFactKind::Vectors).await?.files,
        None => Vec::new(),
    };
    let edges = store.load_edges(worktree).await?;
    let sources = CatalogSources { segments, files, symbols, vectors, edges, since_edges };
    let embedder = engine.embedder.clone();
    run_blocking("loading names", move || Arc::new(Catalog::new(sources, embedder.as_deref()))).await
}

/// A catalog with all current files and edges, whichever process wrote them; `None` where too many files changed.
async fn caught_up(
    engine: &Engine,
    worktree: &WorktreeId,
    kept: Arc<Catalog>,
    since_edges: Vec<String>,
) -> Result<Option<Arc<Catalog>>> {
    let files = engine.store.worktree_files(worktree).await?;
    let mut edges = engine.store.load_edges(worktree).await?;
    let have_edges: HashSet<&str> = edges.iter().map(|file| file.path.as_str()).collect();
    // The store has no row for a file without edges, so files that lost theirs are named here.
    let have_none: Vec<EncodedEdges> =
        kept.file_paths().filter(|path| !have_edges.contains(path)).map(without_edges).collect();
    let are: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let gone = kept.file_paths().filter(|path| !are.contains(path)).map(str::to_owned);
    let others = files.iter().filter(|file| !kept.has_version(file)).map(|file| file.path.clone());
    let changed: Vec<String> = gone.chain(others).collect();
    edges.extend(have_none);
    tracing::debug!(changed = changed.len(), "comparing all files");
    renew_catalog(engine, worktree, kept, changed, since_edges, edges).await
}

fn without_edges(path: &str) -> EncodedEdges {
    EncodedEdges { path: path.to_owned(), count: 0, bytes: Vec::new() }
}

/// A catalog with the current files at some paths, and with some new edges; `None` where too many files changed.
async fn renew_catalog(
    engine: &Engine,
    worktree: &WorktreeId,
    kept: Arc<Catalog>,
    changed: Vec<String>,
    since_edges: Vec<String>,
    edges: Vec<EncodedEdges>,
) -> Result<Option<Arc<Catalog>>> {
    let store = &engine.store;
    let segments = store.load_segments(worktree).await?;
    let unknown: Vec<i64> =
        segments.iter().map(|segment| segment.number).filter(|number| !kept.has_segment(*number)).collect();
    let moved = if unknown.is_empty() { Vec::new() } else { store.segment_files(worktree, &unknown).await? };
    // A file that differed when the cached catalog was made may have been restored since: no list of changes names it
    // then.
    let asked: BTreeSet<String> = changed.into_iter().chain(kept.since_edges.iter().cloned()).collect();
    let asked: Vec<String> = asked.into_iter().collect();
    // Before the reads below: a rebuild reads all files anyway.
    if kept.is_worn(asked.len()) {
        return Ok(None);
    }
    let found = store.files_at(worktree, &asked).await?;
    let differ =
        asked.into_iter().zip(found).filter(|(_, file)| !file.as_ref().is_some_and(|file| kept.has_version(file)));
    let (left, came): (Vec<String>, Vec<Option<TreeFile>>) = differ.unzip();
    let came: Vec<TreeFile> = came.into_iter().flatten().collect();
    let symbols = load_facts(engine, worktree, CodeFactKind::Symbols, &came).await?;
    let vectors = match engine.embedder {
        Some(_) => load_facts(engine, worktree, CodeFactKind::Vectors, &came).await?,
        None => Vec::new(),
    };
    let renewal = CatalogRenewal { segments, moved, left, came, symbols, vectors, edges, since_edges };
    let embedder = engine.embedder.clone();
    let made = run_blocking("renewing names", move || Arc::new(kept.apply_renewal(renewal, embedder.as_deref())));
    Ok(Some(made.await?))
}

/// One fact of some files.
async fn load_facts(
    engine: &Engine,
    worktree: &WorktreeId,
    fact: CodeFactKind,
    files: &[TreeFile],
) -> Result<Vec<FileFact>> {
    let versions: Vec<FileId> = files.iter().map(|file| file.file).collect();
    let facts = engine.store.load_facts(worktree, fact, &versions).await?;
    let named = files.iter().cloned().zip(facts).filter_map(|(file, bytes)| {
        let TreeFile { path, file, language, lines, .. } = file;
        Some(FileFact { path, file, language, lines, bytes: bytes? })
    });
    Ok(named.collect())
}
