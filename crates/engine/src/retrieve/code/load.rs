//! Loading the catalog of a worktree from what the store keeps, and bringing it up to date with what is written.

use super::catalog::{Catalog, Sources};
use super::renew::Renewal;
use super::{ATTEMPTS, MadeFrom};
use crate::index;
use crate::{Engine, Project, Result};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Fact, FileChange, FileEdges, FileFact, FileId, TreeFile, TreeVersion, Worktree, WorktreeId};

/// The catalog of a project as its files are now, and the worktree it is of.
pub(crate) async fn load(engine: &Engine, project: &Project) -> Result<(WorktreeId, Arc<Catalog>)> {
    let mut attempt = 1;
    loop {
        let now = index::refresh(engine, project).await?;
        let made_from = made_from(&now);
        if let Some(catalog) = engine.catalogs.of(&now.id, made_from) {
            return Ok((now.id, catalog));
        }
        let kept = engine.catalogs.any(&now.id);
        let is_of_same_edges = kept.as_ref().is_some_and(|((_, of), _)| of.is_some() && *of == made_from.1);
        if let Some(watched) =
            engine.watches.of(project).filter(|_| attempt == 1 && kept.is_some() && !is_of_same_edges)
        {
            // Whoever wrote those edges is about to bring the catalog there.
            drop(watched.turn().await);
            attempt += 1;
            continue;
        }
        let changes = paths(&engine.store.changes(&now.id).await?);
        // What changed is noted since the last edges: where those are others, nobody knows.
        let renewed = match kept.filter(|_| is_of_same_edges) {
            Some((_, kept)) => renewed(engine, &now.id, kept, &changes, &changes, Vec::new()).await?,
            None => None,
        };
        let catalog = match renewed {
            Some(renewed) => renewed,
            None => anew(engine, &now.id, changes).await?,
        };
        let after = keep(engine, project, &now.id, made_from, &catalog).await?;
        if after.version == now.version || attempt == ATTEMPTS {
            return Ok((now.id, catalog));
        }
        attempt += 1;
    }
}

/// Brings the catalog that is kept of a worktree to the version that edges were just written for, where it is of the
/// edges before. Where none is kept, or somebody is quicker than us, the next question loads one.
pub(crate) async fn follow(
    engine: &Engine,
    project: &Project,
    worktree: &Worktree,
    version: TreeVersion,
    changes: &[FileChange],
    mut edges: Vec<FileEdges>,
) -> Result<()> {
    let Some(before) = worktree.resolved else { return Ok(()) };
    let kept = engine.catalogs.any(&worktree.id).filter(|((_, of), _)| *of == Some(before.version));
    let Some((_, kept)) = kept else { return Ok(()) };
    let gone = changes.iter().filter(|change| change.now.is_none());
    edges.extend(gone.map(|change| FileEdges { path: change.path.clone(), count: 0, bytes: Vec::new() }));
    let Some(catalog) = renewed(engine, &worktree.id, kept, &paths(changes), &[], edges).await? else { return Ok(()) };
    keep(engine, project, &worktree.id, (version, Some(version)), &catalog).await?;
    Ok(())
}

/// Keeps a catalog, if nobody wrote while it was read; says how the worktree is after that.
async fn keep(
    engine: &Engine,
    project: &Project,
    worktree: &WorktreeId,
    of: MadeFrom,
    catalog: &Arc<Catalog>,
) -> Result<Worktree> {
    let after = engine.store.open_worktree(&project.id, &project.root_text()).await?;
    if made_from(&after) == of {
        engine.catalogs.keep(worktree.clone(), of, Arc::clone(catalog));
    }
    Ok(after)
}

fn made_from(worktree: &Worktree) -> MadeFrom {
    (worktree.version, worktree.resolved.map(|resolved| resolved.version))
}

fn paths(changes: &[FileChange]) -> Vec<String> {
    changes.iter().map(|change| change.path.clone()).collect()
}

async fn anew(engine: &Engine, worktree: &WorktreeId, since_edges: Vec<String>) -> Result<Arc<Catalog>> {
    let store = &engine.store;
    // Segments first: when some are put together after that, a question meets one that is not known here.
    let segments = store.segments(worktree).await?;
    let files = store.worktree_files(worktree).await?;
    let symbols = store.worktree_facts(worktree, Fact::Symbols).await?.files;
    let vectors = match engine.embedder {
        Some(_) => store.worktree_facts(worktree, Fact::Vectors).await?.files,
        None => Vec::new(),
    };
    let edges = store.edges(worktree).await?;
    let sources = Sources { segments, files, symbols, vectors, edges, since_edges };
    let embedder = engine.embedder.clone();
    index::blocking("loading names", move || Arc::new(Catalog::new(sources, embedder.as_deref()))).await
}

/// A catalog with what the files at some paths are now, and with some other edges; nothing where too much is another.
async fn renewed(
    engine: &Engine,
    worktree: &WorktreeId,
    kept: Arc<Catalog>,
    changed: &[String],
    since_edges: &[String],
    edges: Vec<FileEdges>,
) -> Result<Option<Arc<Catalog>>> {
    let store = &engine.store;
    let segments = store.segments(worktree).await?;
    let unknown: Vec<i64> =
        segments.iter().map(|segment| segment.number).filter(|number| !kept.knows(*number)).collect();
    let moved = if unknown.is_empty() { Vec::new() } else { store.segment_files(worktree, &unknown).await? };
    // What was another one since the edges before may be back as it was.
    let asked: BTreeSet<&String> = changed.iter().chain(&kept.since_edges).collect();
    let asked: Vec<String> = asked.into_iter().cloned().collect();
    if kept.is_worn(asked.len()) {
        return Ok(None);
    }
    let found = store.files_at(worktree, &asked).await?;
    let differ = asked.into_iter().zip(found).filter(|(_, file)| !file.as_ref().is_some_and(|file| kept.holds(file)));
    let (left, came): (Vec<String>, Vec<Option<TreeFile>>) = differ.unzip();
    let came: Vec<TreeFile> = came.into_iter().flatten().collect();
    let symbols = facts(engine, worktree, Fact::Symbols, &came).await?;
    let vectors = match engine.embedder {
        Some(_) => facts(engine, worktree, Fact::Vectors, &came).await?,
        None => Vec::new(),
    };
    let since_edges = since_edges.to_vec();
    let renewal = Renewal { segments, moved, left, came, symbols, vectors, edges, since_edges };
    let embedder = engine.embedder.clone();
    let made = index::blocking("renewing names", move || Arc::new(kept.renewed(renewal, embedder.as_deref())));
    Ok(Some(made.await?))
}

/// One fact of some files.
async fn facts(engine: &Engine, worktree: &WorktreeId, fact: Fact, files: &[TreeFile]) -> Result<Vec<FileFact>> {
    let versions: Vec<FileId> = files.iter().map(|file| file.file).collect();
    let facts = engine.store.facts(worktree, fact, &versions).await?;
    let named = files.iter().cloned().zip(facts).filter_map(|(file, bytes)| {
        let TreeFile { path, file, language, lines, .. } = file;
        Some(FileFact { path, file, language, lines, bytes: bytes? })
    });
    Ok(named.collect())
}
