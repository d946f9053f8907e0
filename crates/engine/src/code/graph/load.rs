//! Loading the graph of a worktree from what the store keeps, and bringing it up to date with what is written.

use super::{Graph, GraphOutline, GraphRenewal};
use crate::Engine;
use crate::base::{Error, Project, Result, run_blocking};
use crate::code::index::{self, CurrentWorktree};
use rayon::prelude::*;
use search::{ViewLoader, ViewReading, load_view};
use std::collections::HashMap;
use std::sync::Arc;
use store::{CodeFactKind, EncodedEdges, FileChange, FileFact, FileId, Redirect, TreeVersion, Worktree, WorktreeFacts};

/// The graph of a project as its files are now.
pub(crate) async fn load_graph(engine: &Engine, project: &Project) -> Result<Arc<Graph>> {
    load_view(GraphLoader { engine, project, current: None, version: None }).await
}

/// How the graph of a project is loaded.
struct GraphLoader<'a> {
    engine: &'a Engine,
    project: &'a Project,
    /// Held until the graph is kept, so that no other run of this process writes meanwhile.
    current: Option<CurrentWorktree>,
    /// The version that was read.
    version: Option<TreeVersion>,
}

/// What a graph is made of.
struct GraphSources {
    symbols: WorktreeFacts,
    edges: Vec<EncodedEdges>,
    redirects: Vec<Redirect>,
}

impl ViewLoader for GraphLoader<'_> {
    type View = Arc<Graph>;
    type Reading = GraphSources;
    type Error = Error;

    async fn find_kept(&mut self) -> Result<Option<Arc<Graph>>> {
        // Given back first: the next one waits for it.
        self.current = None;
        let current = index::refresh_edges(self.engine, self.project).await?;
        let kept = self.engine.kept.graphs.get(&current.worktree.id, current.worktree.version);
        self.current = Some(current);
        Ok(kept)
    }

    async fn read_store(&mut self) -> Result<ViewReading<GraphSources>> {
        let Some(current) = &self.current else { return Ok(ViewReading::Lost) };
        let (store, worktree) = (&self.engine.store, &current.worktree.id);
        let symbols = store.worktree_facts(worktree, CodeFactKind::Symbols).await?;
        let edges = store.load_edges(worktree).await?;
        let redirects = store.load_redirects(&self.project.id).await?;
        // Symbols, edges and redirects are three reads and no snapshot: a write between them shows as another version
        // here.
        let after = store.open_worktree(&self.project.id, &self.project.root_text()).await?;
        let version = symbols.version;
        self.version = Some(version);
        let is_whole = after.version == version && after.resolved.is_some_and(|resolved| resolved.version == version);
        let sources = GraphSources { symbols, edges, redirects };
        Ok(if is_whole { ViewReading::Whole(sources) } else { ViewReading::Torn(sources) })
    }

    async fn build_view(&mut self, reading: GraphSources) -> Result<Arc<Graph>> {
        let GraphSources { symbols, edges, redirects } = reading;
        run_blocking("loading the graph", move || {
            let files = symbols.files;
            // A file may have no edges yet, and then has none in the graph.
            let mut edges: HashMap<String, Vec<u8>> = edges.into_iter().map(|file| (file.path, file.bytes)).collect();
            let edges: Vec<Vec<u8>> = files.iter().map(|file| edges.remove(&file.path).unwrap_or_default()).collect();
            let outlines: Vec<GraphOutline> = files.into_par_iter().map(build_outline).collect();
            Arc::new(Graph::new(outlines.into_iter().zip(edges).collect(), &redirects))
        })
        .await
    }

    fn keep_view(&mut self, graph: &Arc<Graph>) {
        if let (Some(current), Some(version)) = (&self.current, self.version) {
            self.engine.kept.graphs.insert(current.worktree.id.clone(), version, Arc::clone(graph));
        }
    }

    fn conflict_error(&self) -> Error {
        store::Error::Conflict { what: "index", id: self.project.id.to_string() }.into()
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
