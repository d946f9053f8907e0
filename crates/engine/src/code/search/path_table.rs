//! The table of the paths of a worktree, for ranking by centrality: the catalog file at each path, and counts of how
//! many files use and import it.
//!
//! Edges lead to paths, and stay when the text of a file changes. So uses are counted by path, and each path keeps what
//! it added to others: when its edges change, only those counts change.

use super::key_index::KeyIndex;
use crate::code::graph::ResolvedEdges;
use model::EdgeKind;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct PathTable {
    pub(super) numbers: KeyIndex,
    pub(super) rows: Vec<PathRow>,
}

/// One path.
#[derive(Clone, Default)]
pub(super) struct PathRow {
    /// The file at the path; `None` where only edges name the path, or the file was removed.
    pub(super) file: Option<u32>,
    /// How many files use what it defines, and how many import it.
    pub(super) users: u32,
    pub(super) importers: u32,
    pub(super) leads: Arc<EdgeTargets>,
}

/// Where the edges of a file lead.
#[derive(Default)]
pub(super) struct EdgeTargets {
    /// Lines that import something.
    pub(super) import_lines: u32,
    /// Paths with how many of their symbols are used.
    pub(super) used: Box<[(u32, u32)]>,
    pub(super) imported: Box<[u32]>,
}

impl EdgeTargets {
    fn lead_somewhere(&self) -> bool {
        self.import_lines > 0 || !self.used.is_empty() || !self.imported.is_empty()
    }
}

/// How central a file is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FileCentrality {
    pub(super) users: u32,
    pub(super) importers: u32,
    pub(super) import_lines: u32,
}

impl PathTable {
    /// The file that a path leads to.
    pub(super) fn find_file(&self, path: &str) -> Option<u32> {
        self.rows[self.numbers.newest_number(path)? as usize].file
    }

    /// Sets the file at a path, or removes it. Edges of a removed file do not count; returns the files whose counts
    /// changed.
    pub(super) fn set_file(&mut self, path: &str, file: Option<u32>) -> Vec<u32> {
        let number = self.intern_path(path);
        let before = std::mem::replace(&mut self.rows[number as usize].file, file);
        // An edit replaces one version by another: its edges counted before and count now.
        if before.is_some() == file.is_some() {
            return Vec::new();
        }
        let leads = Arc::clone(&self.rows[number as usize].leads);
        self.adjust_counts(&leads, if file.is_some() { add_count } else { subtract_count })
    }

    /// Replaces the edges of a file; returns the files whose counts changed.
    pub(super) fn set_edges(&mut self, path: &str, edges: ResolvedEdges) -> Vec<u32> {
        let from = self.intern_path(path);
        let leads = Arc::new(self.collect_targets(from, edges));
        let before = std::mem::replace(&mut self.rows[from as usize].leads, Arc::clone(&leads));
        // Edges of a path without a file are kept and not counted: `set_file` counts them when the file comes back.
        let Some(file) = self.rows[from as usize].file else { return Vec::new() };
        let mut touched = self.adjust_counts(&before, subtract_count);
        touched.extend(self.adjust_counts(&leads, add_count));
        touched.push(file);
        touched
    }

    /// The paths whose edges lead somewhere, also those whose file was removed: its edges would count again with it.
    pub(super) fn linked_paths(&self) -> impl Iterator<Item = &str> {
        let is_linked = |numbers: &[u32]| {
            numbers.iter().map(|number| &self.rows[*number as usize].leads).any(|leads| leads.lead_somewhere())
        };
        self.numbers.entries().filter(move |(_, numbers)| is_linked(numbers)).map(|(path, _)| path)
    }

    /// How central the file at a path is.
    pub(super) fn file_centrality(&self, path: &str) -> FileCentrality {
        let row = self.numbers.newest_number(path).map(|number| &self.rows[number as usize]);
        let standing = |row: &PathRow| FileCentrality {
            users: row.users,
            importers: row.importers,
            import_lines: row.leads.import_lines,
        };
        row.map_or(FileCentrality { users: 0, importers: 0, import_lines: 0 }, standing)
    }

    /// The files that the file at a path imports.
    pub(super) fn imported_files(&self, path: &str) -> Vec<u32> {
        let Some(number) = self.numbers.newest_number(path) else { return Vec::new() };
        let imported = &self.rows[number as usize].leads.imported;
        imported.iter().filter_map(|to| self.rows[*to as usize].file).collect()
    }

    /// Turns everything into the shared base.
    pub(super) fn freeze_base(&mut self) {
        self.numbers.freeze_base();
    }

    fn intern_path(&mut self, path: &str) -> u32 {
        if let Some(number) = self.numbers.newest_number(path) {
            return number;
        }
        let number = self.rows.len() as u32;
        self.numbers.add_number(path, number);
        self.rows.push(PathRow::default());
        number
    }

    fn collect_targets(&mut self, from: u32, edges: ResolvedEdges) -> EdgeTargets {
        let mut lines: Vec<u32> = Vec::new();
        let mut imported: Vec<u32> = Vec::new();
        let mut symbols: Vec<(u32, Option<String>)> = Vec::new();
        for edge in edges.edges {
            if edge.kind == EdgeKind::Imports {
                lines.extend(edge.lines.first());
            }
            match self.intern_path(&edge.to.path) {
                // A file that uses itself is not more central for it.
                to if to == from => {}
                to if edge.kind == EdgeKind::Imports => imported.push(to),
                to => symbols.push((to, edge.to.qualified_name)),
            }
        }
        symbols.sort_unstable();
        // By symbol, not by call: a file that calls `log` a hundred times uses one thing of the other file.
        symbols.dedup();
        let by_file = symbols.chunk_by(|a, b| a.0 == b.0);
        let used = by_file.map(|symbols| (symbols[0].0, symbols.len() as u32)).collect();
        for list in [&mut lines, &mut imported] {
            list.sort_unstable();
            list.dedup();
        }
        EdgeTargets { import_lines: lines.len() as u32, used, imported: imported.into() }
    }

    fn adjust_counts(&mut self, leads: &EdgeTargets, by: fn(u32, u32) -> u32) -> Vec<u32> {
        let mut touched = Vec::new();
        for (to, symbols) in &leads.used {
            let row = &mut self.rows[*to as usize];
            row.users = by(row.users, *symbols);
            touched.extend(row.file);
        }
        for to in &leads.imported {
            let row = &mut self.rows[*to as usize];
            row.importers = by(row.importers, 1);
            touched.extend(row.file);
        }
        touched
    }
}

fn add_count(all: u32, these: u32) -> u32 {
    all + these
}

fn subtract_count(all: u32, these: u32) -> u32 {
    all - these
}
