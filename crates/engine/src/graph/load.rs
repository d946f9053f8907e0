//! Loading the graph of a worktree from what the store keeps, and keeping the last few.

use super::{FileEdges, Graph, GraphFile, GraphSymbol};
use crate::{Engine, Project, Result, index};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use store::{Fact, FileFact, TreeVersion, WorktreeId};

/// Graphs that were asked for lately, the newest last, each of a version of a worktree.
#[derive(Default)]
pub(crate) struct Graphs(Mutex<Vec<(WorktreeId, TreeVersion, Arc<Graph>)>>);

/// How many are kept: one for each of a few worktrees that are worked on at once.
const MOST: usize = 4;

/// How often to look again while others write.
const ATTEMPTS: usize = 5;

/// The graph of a project as its files are now.
pub(crate) async fn load(engine: &Engine, project: &Project) -> Result<Arc<Graph>> {
    let mut attempt = 1;
    loop {
        let now = index::refresh_edges(engine, project).await?;
        let worktree = now.id;
        if let Some(graph) = engine.graphs.of(&worktree, now.version) {
            return Ok(graph);
        }
        let symbols = engine.store.worktree_facts(&worktree, Fact::Symbols).await?;
        let edges = engine.store.edges(&worktree).await?;
        let redirects = engine.store.redirects(&project.id).await?;
        let after = engine.store.open_worktree(&project.id, &project.root_text()).await?;
        let is_whole = after.version == symbols.version
            && after.resolved.is_some_and(|resolved| resolved.version == symbols.version);
        if !is_whole && attempt < ATTEMPTS {
            attempt += 1;
            continue;
        }
        let edges: HashMap<String, Vec<u8>> = edges.into_iter().map(|file| (file.path, file.bytes)).collect();
        let files = symbols.files;
        let graph = index::blocking("loading the graph", move || {
            let files = files.into_par_iter().map(|file| graph_file(file, &edges)).collect();
            Arc::new(Graph::new(files).redirected(&redirects))
        })
        .await?;
        if is_whole {
            engine.graphs.keep(worktree, symbols.version, &graph);
        }
        return Ok(graph);
    }
}

impl Graphs {
    fn of(&self, worktree: &WorktreeId, version: TreeVersion) -> Option<Arc<Graph>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, at, _)| of == worktree && *at == version)?;
        let found = kept.remove(at);
        let graph = Arc::clone(&found.2);
        kept.push(found);
        Some(graph)
    }

    fn keep(&self, worktree: WorktreeId, version: TreeVersion, graph: &Arc<Graph>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, ..)| *of != worktree);
        kept.push((worktree, version, Arc::clone(graph)));
        let excess = kept.len().saturating_sub(MOST);
        kept.drain(..excess);
    }
}

/// One file as the graph wants it; bytes that are not ours are a file without symbols, or without edges.
fn graph_file(file: FileFact, edges: &HashMap<String, Vec<u8>>) -> GraphFile {
    let mut symbols = Vec::new();
    let read = index::each_symbol(&file.bytes, |symbol| {
        symbols.push(GraphSymbol {
            name: symbol.name.to_owned(),
            chain: symbol.chain.to_owned(),
            kind: symbol.kind,
            container: symbol.container,
            lines: symbol.lines,
            name_line: symbol.name_line,
        });
    });
    if read.is_err() {
        symbols.clear();
    }
    let mut edges = edges.get(&file.path).and_then(|bytes| FileEdges::decode(bytes)).unwrap_or_default();
    // An edge of another state of the file may start where no symbol is.
    let starts = |from: Option<u32>| from.is_none_or(|from| (from as usize) < symbols.len());
    edges.edges.retain(|edge| starts(edge.from));
    edges.unresolved.retain(|unresolved| starts(unresolved.from));
    GraphFile { path: file.path, language: file.language, lines: file.lines, symbols, edges }
}
