//! The cache of code graphs in memory, one for each of the last few worktrees; after edges are written, the cached
//! graph is updated with the changed files instead of being loaded again.

use super::graph_image::{graph_key, read_graph, write_graph};
use super::worktree_graph::next_ids;
use super::{Graph, GraphOutline, GraphRenewal};
use crate::base::image::{ImageFile, ImageFolder};
use crate::base::{Clock, Project, Result, VersionedLru, run_blocking};
use crate::code::worktree_view::{ResolvedChange, WorktreeView};
use async_trait::async_trait;
use std::sync::Arc;
use store::{FileId, FileRecord, FileRecordKind, Redirect, Store, TreeVersion, Worktree, WorktreeId};

/// What the names of images of graphs end with.
const IMAGE_KIND: &str = "graph";

/// The graphs that were asked for lately.
pub(crate) struct GraphView {
    store: Arc<dyn Store>,
    graphs: Arc<VersionedLru<Arc<Graph>>>,
    /// Where graphs lie that processes share.
    images: Option<ImageFolder>,
}

impl GraphView {
    pub(crate) fn new(store: Arc<dyn Store>, clock: &Arc<dyn Clock>, images: Option<ImageFolder>) -> Self {
        // One for each of a few worktrees that are asked about at once.
        Self { store, graphs: Arc::new(VersionedLru::new(4, clock)), images }
    }

    /// The graph in the image of a worktree, if that is of its present version.
    pub(crate) async fn open_image(&self, now: &Worktree, redirects: Vec<Redirect>) -> Result<Option<Arc<Graph>>> {
        let Some(folder) = &self.images else { return Ok(None) };
        let (path, key) = (folder.path_of(&now.id, IMAGE_KIND), graph_key(now));
        let read = move || read_graph(&ImageFile::open(&path, &key)?, Arc::new(next_ids(&redirects)));
        let found = run_blocking("opening the graph", read).await?.filter(|(version, _)| *version == now.version);
        let Some((version, graph)) = found.map(|(version, graph)| (version, Arc::new(graph))) else { return Ok(None) };
        self.graphs.insert(now.id.clone(), version, Arc::clone(&graph));
        Ok(Some(graph))
    }

    /// Writes the image of a graph that was just made from all files, behind the answer.
    pub(crate) fn share_graph(
        &self,
        now: &Worktree,
        version: TreeVersion,
        graph: &Arc<Graph>,
        records: Vec<FileRecord>,
    ) {
        let Some(folder) = self.images.clone() else { return };
        let (path, key, graph) = (folder.path_of(&now.id, IMAGE_KIND), graph_key(now), Arc::clone(graph));
        let (worktree, kept) = (now.id.clone(), Arc::clone(&self.graphs));
        folder.write_behind(move || {
            write_graph(&graph, &records, version, &path, &key)?;
            // From here on this process reads the pages that the others read, too.
            let image = ImageFile::open(&path, &key);
            if let Some((version, shared)) = image.and_then(|image| read_graph(&image, Arc::clone(&graph.moved))) {
                kept.replace_same(&worktree, version, Arc::new(shared));
            }
            Ok(())
        });
    }

    /// The graph of a version of a worktree, where it is kept.
    pub(crate) fn cached(&self, worktree: &WorktreeId, version: TreeVersion) -> Option<Arc<Graph>> {
        self.graphs.get(worktree, version)
    }

    /// Keeps the graph of a version of a worktree.
    pub(crate) fn insert(&self, worktree: WorktreeId, version: TreeVersion, graph: Arc<Graph>) {
        self.graphs.insert(worktree, version, graph);
    }

    /// Drops the graphs that no question asked for in a while.
    pub(crate) fn release_idle(&self) -> usize {
        self.graphs.release_idle()
    }
}

#[async_trait]
impl WorktreeView for GraphView {
    async fn follow_change(&self, project: &Project, change: &ResolvedChange) -> Result<()> {
        let (id, store) = (&change.worktree.id, &self.store);
        // Where every edge may differ, loading the graph from the store is as quick as renewing it.
        let (Some(edges), Some(resolved)) = (&change.edges, change.worktree.resolved) else { return Ok(()) };
        // Only the graph of the version before can take these changes.
        let kept = self.graphs.any_version(id).filter(|(of, _)| *of == resolved.version);
        let Some((_, graph)) = kept else { return Ok(()) };
        let (paths, now): (Vec<String>, Vec<FileId>) =
            change.changes.iter().filter_map(|change| Some((change.path.clone(), change.now?))).unzip();
        let files = store.files_at(id, &paths).await?;
        let facts = store.load_records(id, FileRecordKind::Symbols, &now).await?;
        let mut outlines = Vec::with_capacity(paths.len());
        for ((path, file), (found, bytes)) in paths.into_iter().zip(now).zip(files.into_iter().zip(facts)) {
            // Another version is there already, so a newer run changes the worktree: the next question loads the graph.
            let (Some(found), Some(bytes)) = (found.filter(|found| found.file == file), bytes) else { return Ok(()) };
            outlines.push(GraphOutline::from_bytes(path, found.language, found.lines, &bytes));
        }
        let gone =
            change.changes.iter().filter(|change| change.now.is_none()).map(|change| change.path.clone()).collect();
        let redirects = if change.has_redirects { Some(store.load_redirects(&project.id).await?) } else { None };
        let edges = edges.iter().map(|file| (file.path.clone(), file.bytes.clone())).collect();
        let renewal = GraphRenewal { outlines, gone, edges, redirects };
        let graph = run_blocking("renewing the graph", move || Arc::new(graph.apply_renewal(renewal))).await?;
        self.graphs.replace(id, change.version, graph);
        Ok(())
    }
}
