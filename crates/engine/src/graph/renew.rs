//! From the graph of one version of a worktree to that of the next: only files that changed, and those whose edges lead
//! to them or did, are linked again.

use super::links::{Ends, Lists, place};
use super::loaded::{File, Graph, Link, NodeId, next_ids};
use super::outline::Outline;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::Redirect;

/// How one version of a worktree differs from the one before.
pub(crate) struct Renewal {
    /// Files that came or changed.
    pub(crate) outlines: Vec<Outline>,
    /// Paths of files that are gone.
    pub(crate) gone: Vec<String>,
    /// Files with other edges, of those that came or changed all.
    pub(crate) edges: Vec<(String, Vec<u8>)>,
    /// Where symbols of the project went, if there are new ones.
    pub(crate) redirects: Option<Vec<Redirect>>,
}

impl Graph {
    /// The graph after some changes: the same as one that is made of all files anew.
    pub(crate) fn renewed(&self, renewal: Renewal) -> Self {
        let mut files = self.after(&renewal);
        let mut relinked: BTreeSet<u32> = BTreeSet::new();
        let mut touched: BTreeSet<u32> = BTreeSet::new();
        for outline in renewal.outlines {
            let Ok(at) = place(&files, &outline.path) else { continue };
            if !outline.keeps_places_of(&files[at].outline) {
                relinked.extend(files[at].into.files());
            }
            files[at].outline = Arc::new(outline);
            relinked.insert(at as u32);
            touched.insert(at as u32);
        }
        for (path, edges) in renewal.edges {
            let Ok(at) = place(&files, &path) else { continue };
            files[at].edges = edges.into();
            relinked.insert(at as u32);
        }
        let ends = Ends::of_few(&files);
        let links: Vec<(u32, Vec<(NodeId, Link)>)> = relinked.iter().map(|at| (*at, ends.links(*at))).collect();
        let mut into: BTreeMap<u32, Vec<(NodeId, Link)>> = BTreeMap::new();
        for (at, links) in links {
            touched.extend(files[at as usize].out.files());
            for &(from, link) in &links {
                into.entry(link.node.file()).or_default().push((link.node, Link { node: from, ..link }));
            }
            files[at as usize].out = Arc::new(Lists::new(files[at as usize].outline.len(), links));
        }
        touched.extend(into.keys());
        for at in touched {
            let file = &mut files[at as usize];
            let mut links = into.remove(&at).unwrap_or_default();
            links.extend(file.into.all(at).filter(|(_, link)| !relinked.contains(&link.node.file())));
            file.into = Arc::new(Lists::new(file.outline.len(), links));
        }
        let moved = renewal.redirects.map_or_else(|| Arc::clone(&self.moved), |all| Arc::new(next_ids(&all)));
        Self { files, moved }
    }

    /// The files with those that came, unlinked, and without those that are gone.
    fn after(&self, renewal: &Renewal) -> Vec<File> {
        let gone: BTreeSet<usize> = renewal.gone.iter().filter_map(|path| place(&self.files, path).ok()).collect();
        let came: BTreeSet<&str> = renewal.outlines.iter().map(|outline| outline.path.as_str()).collect();
        let came: Vec<&str> = came.into_iter().filter(|path| place(&self.files, path).is_err()).collect();
        if gone.is_empty() && came.is_empty() {
            return self.files.clone();
        }
        let mut numbers = Vec::with_capacity(self.files.len());
        let mut files = Vec::with_capacity(self.files.len() + came.len());
        let mut came = came.into_iter().peekable();
        let empty = |path: &str| File::new(Outline::read(path.to_owned(), None, 0, &[]), &[]);
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
            file.out = Arc::new(file.out.renumbered(&numbers));
            file.into = Arc::new(file.into.renumbered(&numbers));
        }
        files
    }
}
