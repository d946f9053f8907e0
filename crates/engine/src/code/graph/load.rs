//! Loading the graph of a worktree from what the store keeps, and bringing it up to date with what is written.

use super::{Graph, GraphOutline, GraphRenewal};
use crate::Engine;
use crate::base::run_blocking;
use crate::base::{Project, Result};
use crate::code::index;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use store::{CodeFactKind, EncodedEdges, FileChange, FileFact, FileId, TreeVersion, Worktree};

/// How often to read again while other runs write.
const ATTEMPTS: usize = 5;

/// The graph of a project as its files are now.
pub(crate) async fn load_graph(engine: &Engine, project: &Project) -> Result<Arc<Graph>> {
    let mut attempt = 1;
    loop {
        let current = index::refresh_edges(engine, project).await?;
        let worktree = current.worktree.id.clone();
        if let Some(graph) = engine.kept.graphs.get(&worktree, current.worktree.version) {
            return Ok(graph);
        }
        let symbols = engine.store.worktree_facts(&worktree, CodeFactKind::Symbols).await?;
        let edges = engine.store.load_edges(&worktree).await?;
        let redirects = engine.store.load_redirects(&project.id).await?;
        // Symbols, edges and redirects are three reads and no snapshot: a write between them shows as another version
        // here.
        let after = engine.store.open_worktree(&project.id, &project.root_text()).await?;
        let is_whole = after.version == symbols.version
            && after.resolved.is_some_and(|resolved| resolved.version == symbols.version);
        if !is_whole && attempt < ATTEMPTS {
            attempt += 1;
            continue;
        }
        let files = symbols.files;
        let graph = run_blocking("loading the graph", move || {
            // A file may have no edges yet, and then has none in the graph.
            let mut edges: HashMap<String, Vec<u8>> = edges.into_iter().map(|file| (file.path, file.bytes)).collect();
            let edges: Vec<Vec<u8>> = files.iter().map(|file| edges.remove(&file.path).unwrap_or_default()).collect();
            let outlines: Vec<GraphOutline> = files.into_par_iter().map(build_outline).collect();
            Arc::new(Graph::new(outlines.into_iter().zip(edges).collect(), &redirects))
        })
        .await?;
        // A graph of mixed versions may answer this one question, but must not be cached as a whole one.
        if is_whole {
            engine.kept.graphs.insert(worktree, symbols.version, Arc::clone(&graph));
        }
        return Ok(graph);
    }
}

/// Brings the cached graph of a worktree to the version that edges were just written for. Where none is cached, or
/// another run has changed the worktree since, the next question loads one.
pub(crate) async fn renew_graph(
    engine: &Engine,
    project: &Project,
    worktree: &Worktree,
    version: TreeVersion,
    changes: &[FileChange],
    written: WrittenEdges,
) -> Result<()> {
    let (id, store) = (&worktree.id, &engine.store);
    let Some(resolved) = worktree.resolved else { return Ok(()) };
    // Only the graph of the version before can take these changes.
    let Some(graph) = engine.kept.graphs.get(id, resolved.version) else { return Ok(()) };
    let (paths, now): (Vec<String>, Vec<FileId>) =
        changes.iter().filter_map(|change| Some((change.path.clone(), change.now?))).unzip();
    let files = store.files_at(id, &paths).await?;
    let facts = store.load_facts(id, CodeFactKind::Symbols, &now).await?;
    let mut outlines = Vec::with_capacity(paths.len());
    for ((path, file), (found, bytes)) in paths.into_iter().zip(now).zip(files.into_iter().zip(facts)) {
        // Another version is there already, so a newer run changes the worktree: the next question loads the graph.
        let (Some(found), Some(bytes)) = (found.filter(|found| found.file == file), bytes) else { return Ok(()) };
        outlines.push(GraphOutline::from_bytes(path, found.language, found.lines, &bytes));
    }
    let gone = changes.iter().filter(|change| change.now.is_none()).map(|change| change.path.clone()).collect();
    let redirects = if written.has_redirects { Some(store.load_redirects(&project.id).await?) } else { None };
    let edges = written.edges.into_iter().map(|file| (file.path, file.bytes)).collect();
    let renewal = GraphRenewal { outlines, gone, edges, redirects };
    let graph = run_blocking("renewing the graph", move || Arc::new(graph.apply_renewal(renewal))).await?;
    engine.kept.graphs.insert(id.clone(), version, graph);
    Ok(())
}

/// The result of a resolution as it was written.
pub(crate) struct WrittenEdges {
    pub(crate) edges: Vec<EncodedEdges>,
    pub(crate) has_redirects: bool,
}

fn build_outline(file: FileFact) -> GraphOutline {
    GraphOutline::from_bytes(file.path, file.language, file.lines, &file.bytes)
}
