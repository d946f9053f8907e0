//! From the catalog of one version of a worktree to that of the next: only files that changed are read again.

use super::catalog::{Catalog, Sources, lengths};
use foldhash::HashMap;
use providers::LocalEmbedder;
use store::{FileId, TreeFile};

/// Where more than one file in so many changed, everything is read anew.
const FEW: usize = 10;

impl Catalog {
    /// The files that are new here, if they are few and reading them alone is worth it.
    pub(super) fn news(&self, files: &[TreeFile]) -> Option<Vec<TreeFile>> {
        let here: HashMap<&str, FileId> =
            self.files.iter().filter(|file| !file.is_gone).map(|file| (&*file.path, file.version)).collect();
        let is_new = |file: &&TreeFile| here.get(file.path.as_str()) != Some(&file.file);
        let new: Vec<TreeFile> = files.iter().filter(is_new).cloned().collect();
        let gone = self.files.len() - self.file_count;
        ((new.len() + gone) * FEW <= files.len()).then_some(new)
    }

    /// The catalog with other files: all of them are in `sources`, with facts of those that are new, and edges where
    /// those are others than before.
    pub(super) fn renew(&mut self, sources: Sources, embedder: Option<&dyn LocalEmbedder>) {
        let Sources { files, symbols, segments, edges, vectors } = sources;
        let now: HashMap<&str, FileId> = files.iter().map(|file| (&*file.path, file.file)).collect();
        let mut before: HashMap<String, (f32, f32, u32)> = HashMap::default();
        for file in &mut self.files {
            if file.is_gone || now.get(file.path.as_str()) == Some(&file.version) {
                continue;
            }
            file.is_gone = true;
            before.insert(file.path.clone(), (file.users, file.importers, file.import_lines));
            self.names.leave(file.stem.iter().chain(&file.directories).copied(), file.symbols.clone());
        }
        let here: HashMap<&str, FileId> =
            self.files.iter().filter(|file| !file.is_gone).map(|file| (&*file.path, file.version)).collect();
        let new: Vec<TreeFile> = files.iter().filter(|file| !here.contains_key(&*file.path)).cloned().collect();
        let first = self.files.len();
        self.extend(&new, &symbols, &vectors, &lengths(&segments), embedder);
        self.find_places(&files, &segments);
        for file in &mut self.files[first..] {
            if let Some(weights) = before.get(&file.path) {
                (file.users, file.importers, file.import_lines) = *weights;
            }
        }
        if let Some(edges) = edges {
            self.weigh(edges);
        }
        self.finish();
    }
}
