//! Loading the graph of a worktree, as its files are now, from what the store keeps.

use crate::base::run_blocking;
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::graph::{Graph, GraphOutline};
use crate::code::index;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use store::{FileRecord, FileRecordKind};

/// How often to read again while other runs write.
const ATTEMPTS: usize = 5;

/// The graph of a project as its files are now.
pub(crate) async fn load_graph(code: &CodeContext, project: &Project) -> Result<Arc<Graph>> {
    let mut attempt = 1;
    loop {
        let current = index::refresh_edges(code, project).await?;
        let worktree = current.worktree.id.clone();
        if let Some(graph) = code.graphs.cached(&worktree, current.worktree.version) {
            return Ok(graph);
        }
        let symbols = code.store.worktree_records(&worktree, FileRecordKind::Symbols).await?;
        let edges = code.store.load_edges(&worktree).await?;
        let redirects = code.store.load_redirects(&project.id).await?;
        // Symbols, edges and redirects are three reads and no snapshot: a write between them shows as another version
        // here.
        let after = code.store.open_worktree(&project.id, &project.root_text()).await?;
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
            code.graphs.insert(worktree, symbols.version, Arc::clone(&graph));
        }
        return Ok(graph);
    }
}

fn build_outline(file: FileRecord) -> GraphOutline {
    GraphOutline::from_bytes(file.path, file.language, file.lines, &file.bytes)
}
