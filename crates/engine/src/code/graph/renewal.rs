//! Updates the in-memory graph of a worktree incrementally: makes the graph of the next version from the last one. Only
//! files that changed, and files with edges to them before or after, are linked again.

use super::links::{EndpointResolver, LinkLists, file_position};
use super::outline::GraphOutline;
use super::worktree_graph::{Graph, GraphFile, GraphLink, NodeId, next_ids};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::Redirect;

/// The difference between two versions of a worktree.
pub(crate) struct GraphRenewal {
    /// Files that were added or changed.
    pub(crate) outlines: Vec<GraphOutline>,
    /// Paths of files that are gone.
    pub(crate) gone: Vec<String>,
    /// Files with other edges; every added or changed file is among them.
    pub(crate) edges: Vec<(String, Vec<u8>)>,
    /// The redirects of the project, if there are new ones.
    pub(crate) redirects: Option<Vec<Redirect>>,
}

impl Graph {
    /// The graph after some changes: equal to one that is made from all files.
    pub(crate) fn apply_renewal(&self, renewal: GraphRenewal) -> Self {
        let mut files = self.renewed_files(&renewal);
        let mut relinked: BTreeSet<u32> = BTreeSet::new();
        let mut touched: BTreeSet<u32> = BTreeSet::new();
        for outline in renewal.outlines {
            let Ok(at) = file_position(&files, &outline.path) else { continue };
            // Links into this file refer to its symbols by place, so shifted places need the linking files linked
            // again.
            if !outline.keeps_places_of(&files[at].outline) {
                relinked.extend(files[at].into.linked_files());
            }
            files[at].outline = Arc::new(outline);
            files[at].image_number = None;
            relinked.insert(at as u32);
            touched.insert(at as u32);
        }
        for (path, edges) in renewal.edges {
            let Ok(at) = file_position(&files, &path) else { continue };
            files[at].edges = edges.into();
            relinked.insert(at as u32);
        }
        let ends = EndpointResolver::of_few(&files);
        let links: Vec<(u32, Vec<(NodeId, GraphLink)>)> =
            relinked.iter().map(|at| (*at, ends.file_links(*at))).collect();
        let mut into: BTreeMap<u32, Vec<(NodeId, GraphLink)>> = BTreeMap::new();
        for (at, links) in links {
            // Files at the old ends lose incoming links and files at the new ends gain some.
            touched.extend(files[at as usize].out.linked_files());
            for &(from, link) in &links {
                into.entry(link.node.file_number()).or_default().push((link.node, GraphLink { node: from, ..link }));
            }
            files[at as usize].out = Arc::new(LinkLists::new(files[at as usize].outline.len(), links));
        }
        touched.extend(into.keys());
        for at in touched {
            let file = &mut files[at as usize];
            let mut links = into.remove(&at).unwrap_or_default();
            // Incoming links from files that were linked again are in `into`; the others are still right.
            links.extend(file.into.all_links(at).filter(|(_, link)| !relinked.contains(&link.node.file_number())));
            file.into = Arc::new(LinkLists::new(file.outline.len(), links));
        }
        let moved = renewal.redirects.map_or_else(|| Arc::clone(&self.moved), |all| Arc::new(next_ids(&all)));
        let names = self.names.as_ref().map(|names| names.follow_files(&files));
        Self { files, moved, names }
    }

    /// The files with the added ones, unlinked, and without the removed ones.
    fn renewed_files(&self, renewal: &GraphRenewal) -> Vec<GraphFile> {
        let gone: BTreeSet<usize> =
            renewal.gone.iter().filter_map(|path| file_position(&self.files, path).ok()).collect();
        let came: BTreeSet<&str> = renewal.outlines.iter().map(|outline| outline.path.as_str()).collect();
        let came: Vec<&str> = came.into_iter().filter(|path| file_position(&self.files, path).is_err()).collect();
        // Most saves add and remove no file: numbers stay, and every file is shared as it is.
        if gone.is_empty() && came.is_empty() {
            return self.files.clone();
        }
        let mut numbers = Vec::with_capacity(self.files.len());
        let mut files = Vec::with_capacity(self.files.len() + came.len());
        let mut came = came.into_iter().peekable();
        let empty = |path: &str| GraphFile::new(GraphOutline::from_bytes(path.to_owned(), None, 0, &[]), &[]);
        for (at, file) in self.files.iter().enumerate() {
            while let Some(path) = came.next_if(|path| *path < file.outline.path.as_str()) {
                files.push(empty(path));
            }
            let stays = !gone.contains(&at);
            numbers.push(stays.then_some(files.len() as u32));
            files.extend(stays.then(|| file.clone()));
        }
        files.extend(came.map(empty));
        for file in &mut files {
            file.out = Arc::new(file.out.renumber_files(&numbers));
            file.into = Arc::new(file.into.renumber_files(&numbers));
        }
        files
    }
}
