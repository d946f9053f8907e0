//! Loads the code graph of a worktree, as its files are now: brings the index up to date, then takes the graph from the
//! cache or builds it from the symbols and edges in the store.

use crate::base::{Error, Project, Result, run_blocking};
use crate::code::CodeContext;
use crate::code::graph::{Graph, GraphOutline};
use crate::code::index::{self, CurrentWorktree};
use rayon::prelude::*;
use search::{ViewLoader, ViewReading, load_view};
use std::collections::HashMap;
use std::sync::Arc;
use store::{EncodedEdges, FileRecord, FileRecordKind, Redirect, TreeVersion, WorktreeRecords};

/// The graph of a project as its files are now.
pub(crate) async fn load_graph(code: &CodeContext, project: &Project) -> Result<Arc<Graph>> {
    load_view(GraphLoader { code, project, current: None, version: None, records: Vec::new() }).await
}

/// How the graph of a project is loaded.
struct GraphLoader<'a> {
    code: &'a CodeContext,
    project: &'a Project,
    /// Held until the graph is kept, so that no other run of this process writes meanwhile.
    current: Option<CurrentWorktree>,
    /// The version that was read.
    version: Option<TreeVersion>,
    /// The symbols of all files, as they were read.
    records: Vec<FileRecord>,
}

/// What a graph is made of.
struct GraphSources {
    symbols: WorktreeRecords,
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
        let current = index::refresh_edges(self.code, self.project).await?;
        let now = &current.worktree;
        let mut kept = self.code.graphs.cached(&now.id, now.version);
        if kept.is_none() {
            let redirects = self.code.store.load_redirects(&self.project.id).await?;
            kept = self.code.graphs.open_image(now, redirects).await?;
        }
        self.current = Some(current);
        Ok(kept)
    }

    async fn read_store(&mut self) -> Result<ViewReading<GraphSources>> {
        let Some(current) = &self.current else { return Ok(ViewReading::Lost) };
        let (store, worktree) = (&self.code.store, &current.worktree.id);
        let symbols = store.worktree_records(worktree, FileRecordKind::Symbols).await?;
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
        let (graph, records) = run_blocking("loading the graph", move || {
            let files = symbols.files;
            // A file may have no edges yet, and then has none in the graph.
            let mut edges: HashMap<String, Vec<u8>> = edges.into_iter().map(|file| (file.path, file.bytes)).collect();
            let edges: Vec<Vec<u8>> = files.iter().map(|file| edges.remove(&file.path).unwrap_or_default()).collect();
            let outlines: Vec<GraphOutline> = files.par_iter().map(build_outline).collect();
            (Arc::new(Graph::new(outlines.into_iter().zip(edges).collect(), &redirects)), files)
        })
        .await?;
        self.records = records;
        Ok(graph)
    }

    fn keep_view(&mut self, graph: &Arc<Graph>) {
        if let (Some(current), Some(version)) = (&self.current, self.version) {
            self.code.graphs.insert(current.worktree.id.clone(), version, Arc::clone(graph));
            self.code.graphs.share_graph(&current.worktree, version, graph, std::mem::take(&mut self.records));
        }
    }

    fn conflict_error(&self) -> Error {
        store::Error::Conflict { what: "index", id: self.project.id.to_string() }.into()
    }
}

fn build_outline(file: &FileRecord) -> GraphOutline {
    GraphOutline::from_bytes(file.path.clone(), file.language.clone(), file.lines, &file.bytes)
}
