//! Updates a catalog incrementally: makes the catalog of the next version of a worktree from the last one. Unchanged
//! parts are shared, and the cost depends on the changed files alone.

use super::catalog::{Catalog, UnitLengths};
use foldhash::HashSet;
use providers::LocalEmbedder;
use std::sync::Arc;
use store::{FileRecord, Segment, SegmentFile, TreeFile};

/// Where more than one file in so many changed, the catalog is built anew.
const REBUILD_SHARE_DIVISOR: usize = 10;

/// The differences between two versions of a worktree.
pub(super) struct CatalogRenewal {
    /// All segments there are.
    pub(super) segments: Vec<Segment>,
    /// The files in the segments that the catalog does not know.
    pub(super) moved: Vec<SegmentFile>,
    /// Paths that lead to other files now, or to none.
    pub(super) left: Vec<String>,
    /// The files that are new at these paths, with their records.
    pub(super) came: Vec<TreeFile>,
    pub(super) symbols: Vec<FileRecord>,
    pub(super) vectors: Vec<FileRecord>,
    /// New edges of some files.
    pub(super) edges: Vec<store::EncodedEdges>,
    pub(super) since_edges: Vec<String>,
}

impl Catalog {
    /// Whether a file is here as it is.
    pub(super) fn has_version(&self, file: &TreeFile) -> bool {
        self.paths.find_file(&file.path).is_some_and(|number| self.files[number as usize].version == file.file)
    }

    /// The paths of its files.
    pub(super) fn file_paths(&self) -> impl Iterator<Item = &str> {
        let there = self.files.iter().zip(&self.rows).filter(|(_, row)| !row.is_gone);
        there.map(|(file, _)| file.path.as_str())
    }

    /// The paths whose edges it knows, with or without a file.
    pub(super) fn linked_paths(&self) -> impl Iterator<Item = &str> {
        self.paths.linked_paths()
    }

    /// Whether a catalog with so many other files is better read anew.
    pub(super) fn is_worn(&self, others: usize) -> bool {
        // Removed files count as well: they stay in memory, so a catalog that was renewed often enough is built anew.
        (others + self.files.len() - self.file_count) * REBUILD_SHARE_DIVISOR > self.file_count
    }

    /// The catalog after some changes: the same as one that is made of all files anew.
    pub(super) fn apply_renewal(&self, renewal: CatalogRenewal, embedder: Option<&dyn LocalEmbedder>) -> Self {
        let CatalogRenewal { segments, moved, left, came, symbols, vectors, edges, since_edges } = renewal;
        let mut next = self.clone();
        next.since_edges = since_edges;
        next.is_new = false;
        let mut rated: Vec<u32> = Vec::new();
        let stays: HashSet<&str> = came.iter().map(|file| file.path.as_str()).collect();
        for path in &left {
            let Some(file) = next.paths.find_file(path) else { continue };
            next.remove_file(file);
            // A file that was only edited keeps its path: its edges go on counting until new ones are linked.
            if !stays.contains(path.as_str()) {
                rated.extend(next.paths.set_file(path, None));
            }
        }
        next.move_units(&moved);
        let first = next.files.len() as u32;
        // Lengths are decoded only for segments with a new file; the others keep what the catalog has.
        let has_new = |segment: &&Segment| {
            let units = segment.first_unit.0..segment.first_unit.0 + segment.units;
            came.iter().any(|file| units.contains(&file.first_unit.0))
        };
        let lengths = UnitLengths::from_segments(segments.iter().filter(has_new));
        rated.extend(next.add_files(&came, &symbols, &vectors, &lengths, embedder));
        next.set_segments(&segments);
        rated.extend(next.link_edges(edges));
        for file in first..next.files.len() as u32 {
            next.find_place(file);
            rated.push(file);
        }
        rated.sort_unstable();
        // A file may be touched by several edges, and rating it sums over its symbols.
        rated.dedup();
        for file in rated {
            next.rate_file(file);
        }
        next.update_averages();
        next
    }

    /// Takes a file out.
    fn remove_file(&mut self, file: u32) {
        self.lose_place(file);
        self.rows[file as usize].is_gone = true;
        let entry = Arc::clone(&self.files[file as usize]);
        self.names.remove_file(entry.stem.iter().chain(&entry.directories).copied(), entry.symbols.clone());
        self.adjust_totals(&entry, |all, these| all - these);
    }

    /// Follows versions into the segments that they are in now.
    fn move_units(&mut self, moved: &[SegmentFile]) {
        let here = |moved: &SegmentFile| {
            let file = *self.versions.find_newest(&moved.file)?;
            self.is_there(file).then_some((file, moved.first_unit.0))
        };
        let here: Vec<(u32, u32)> = moved.iter().filter_map(here).collect();
        // All old places are cleared first: a file may have moved to where another file was.
        for (file, _) in &here {
            self.lose_place(*file);
        }
        for (file, first) in here {
            Arc::make_mut(&mut self.files[file as usize]).first_stored = first;
            self.find_place(file);
        }
    }
}
