//! What ranking knows of a worktree before a question comes: its files, their units and names, and how central each is.
//!
//! Built once for a version of the worktree and kept in memory, as the graph is; a question then reads only the
//! postings of its own terms.

use super::meaning::Meanings;
use super::names::Names;
use super::question::{key, pieces};
use super::signs::Signs;
use crate::graph::FileEdges;
use crate::index::{self, Field, Small, UnitPlace, read_lengths};
use foldhash::HashMap;
use model::{EdgeKind, LineRange, SymbolId, SymbolKind, stem};
use providers::LocalEmbedder;
use rayon::prelude::*;
use std::ops::Range;
use store::{FileFact, Segment, TreeFile};
use syntax::Holds;

/// The files of a worktree, ready to be ranked.
pub(crate) struct Catalog {
    /// In the order of their paths.
    pub(super) files: Vec<Entry>,
    /// File by file, in the order of their lines.
    pub(super) units: Vec<Unit>,
    pub(super) names: Names,
    pub(super) meanings: Meanings,
    /// Terms of the body of the average unit and file.
    pub(super) average_unit: f32,
    pub(super) average_file: f32,
    /// Whether C has the say here, not C++: there a header only repeats what its source says.
    pub(super) headers_repeat: bool,
    /// For each unit of the store its place in `units`, if it is in this worktree.
    places: Vec<u32>,
    /// The first unit of each segment.
    segments: HashMap<i64, u32>,
}

/// A file.
pub(crate) struct Entry {
    pub(super) path: String,
    pub(super) lines: u32,
    pub(super) units: Range<u32>,
    pub(super) symbols: Range<u32>,
    /// Terms of its body.
    pub(super) terms: u32,
    pub(super) signs: Signs,
    pub(super) holds: Holds,
    /// Terms of its name, and of its directories less those, by number.
    pub(super) stem: Vec<u32>,
    pub(super) directories: Vec<u32>,
    /// What it is called: its name up to the first dot, or its directory where the name says nothing.
    pub(super) stem_keys: Vec<String>,
    /// Whether it mostly passes on what others define.
    pub(super) passes_on: bool,
    /// How many files use what it defines, and how many import it.
    pub(super) users: f32,
    pub(super) importers: f32,
}

/// A unit of a file.
pub(crate) struct Unit {
    pub(super) file: u32,
    pub(super) lines: LineRange,
    /// The symbol it mostly is, by its number in the catalog.
    pub(super) symbol: Option<u32>,
    /// Terms of its body.
    pub(super) terms: u32,
}

/// No unit.
const NOWHERE: u32 = u32::MAX;

/// What is read from the store.
pub(super) struct Sources {
    pub(super) files: Vec<TreeFile>,
    pub(super) symbols: Vec<FileFact>,
    pub(super) segments: Vec<Segment>,
    pub(super) edges: Vec<store::FileEdges>,
    pub(super) vectors: Vec<FileFact>,
}

impl Catalog {
    pub(super) fn new(sources: Sources, embedder: Option<&dyn LocalEmbedder>) -> Self {
        let Sources { files, symbols, segments, edges, vectors } = sources;
        let first_units = segments.iter().map(|segment| (segment.number, segment.first_unit.0)).collect();
        let mut lengths = Vec::new();
        for segment in &segments {
            let start = segment.first_unit.0 as usize;
            let read: Vec<u32> =
                read_lengths(&segment.lengths).iter().map(|lengths| lengths[Field::Body as usize]).collect();
            lengths.resize(lengths.len().max(start + read.len()), 0);
            lengths[start..start + read.len()].copy_from_slice(&read);
        }
        let facts: HashMap<&str, &FileFact> = symbols.iter().map(|fact| (fact.path.as_str(), fact)).collect();
        let read: Vec<ReadFile> =
            files.par_iter().map(|file| ReadFile::new(file, facts.get(file.path.as_str()).copied())).collect();
        let mut catalog = Self {
            files: Vec::with_capacity(files.len()),
            units: Vec::new(),
            names: Names::default(),
            meanings: Meanings::default(),
            average_unit: 1.0,
            average_file: 1.0,
            headers_repeat: false,
            places: vec![NOWHERE; lengths.len()],
            segments: first_units,
        };
        if let Some(embedder) = embedder {
            catalog.add_meanings(&files, &read, &vectors, embedder);
        }
        for (file, read) in files.into_iter().zip(read) {
            catalog.add(file, read, &lengths);
        }
        catalog.names.finish(catalog.files.len());
        catalog.weigh(edges);
        catalog
    }

    /// The unit that a posting of a segment means, if it is in this worktree.
    pub(super) fn unit(&self, segment: i64, unit: u32) -> Option<u32> {
        let at = self.segments.get(&segment)?.checked_add(unit)?;
        self.places.get(at as usize).copied().filter(|place| *place != NOWHERE)
    }

    /// Whether it knows a segment.
    pub(super) fn knows(&self, segment: i64) -> bool {
        self.segments.contains_key(&segment)
    }

    /// The symbol a unit mostly is.
    pub(super) fn symbol_of(&self, unit: u32) -> Option<(SymbolId, SymbolKind)> {
        let symbol = self.names.symbol(self.units[unit as usize].symbol?);
        Some((SymbolId::new(&self.files[symbol.file as usize].path, &symbol.chain), symbol.kind))
    }

    fn add_meanings(
        &mut self,
        files: &[TreeFile],
        read: &[ReadFile],
        vectors: &[FileFact],
        embedder: &dyn LocalEmbedder,
    ) {
        let path = |file: &TreeFile| {
            let bare = file.path.rsplit_once('.').map_or(&*file.path, |(bare, _)| bare);
            index::small(embedder.embed_now(bare).ok().flatten().as_ref())
        };
        let paths: Vec<Small> = files.par_iter().map(path).collect();
        let kept: HashMap<&str, &[u8]> = vectors.iter().map(|fact| (&*fact.path, &*fact.bytes)).collect();
        for ((file, read), path) in files.iter().zip(read).zip(&paths) {
            let bytes = kept.get(file.path.as_str()).copied().unwrap_or_default();
            self.meanings.add(bytes, read.units.len(), path);
        }
    }

    fn add(&mut self, file: TreeFile, read: ReadFile, lengths: &[u32]) {
        let number = self.files.len() as u32;
        let (first, first_symbol) = (self.units.len() as u32, self.names.count());
        for (at, place) in (file.first_unit.0..).zip(&read.units) {
            let Some(home) = self.places.get_mut(at as usize) else { break };
            *home = self.units.len() as u32;
            let symbol = place.symbol.map(|symbol| first_symbol + symbol);
            self.units.push(Unit { file: number, lines: place.lines, symbol, terms: lengths[at as usize] });
        }
        let units = first..self.units.len() as u32;
        let terms = self.units[units.start as usize..].iter().map(|unit| unit.terms).sum();
        let mut own: Vec<u32> = read.stem.iter().map(|term| self.names.term(term)).collect();
        own.sort_unstable();
        own.dedup();
        let mut directories: Vec<u32> = read.directories.iter().map(|term| self.names.term(term)).collect();
        directories.sort_unstable();
        directories.dedup();
        directories.retain(|term| own.binary_search(term).is_err());
        self.names.add_file(number, own.iter().chain(&directories).copied(), read.symbols);
        self.files.push(Entry {
            signs: Signs::of(&file.path),
            path: file.path,
            lines: file.lines,
            units,
            symbols: first_symbol..self.names.count(),
            terms,
            holds: read.holds,
            stem: own,
            directories,
            stem_keys: read.stem_keys,
            passes_on: false,
            users: 0.0,
            importers: 0.0,
        });
    }

    /// What can be said only once all files are known.
    fn weigh(&mut self, edges: Vec<store::FileEdges>) {
        let total: u64 = self.units.iter().map(|unit| u64::from(unit.terms)).sum();
        self.average_unit = (total as f32 / self.units.len().max(1) as f32).max(1.0);
        self.average_file = (total as f32 / self.files.len().max(1) as f32).max(1.0);
        let ends_with = |file: &&Entry, endings: &[&str]| endings.iter().any(|ending| file.path.ends_with(ending));
        let plain = self.files.iter().filter(|file| ends_with(file, &[".c"])).count();
        self.headers_repeat =
            plain > self.files.iter().filter(|file| ends_with(file, &[".cc", ".cpp", ".cxx"])).count();
        let by_path: HashMap<&str, u32> = self.files.iter().map(|file| file.path.as_str()).zip(0..).collect();
        let decoded: Vec<(Option<u32>, FileEdges)> = edges
            .into_par_iter()
            .map(|file| (by_path.get(file.path.as_str()).copied(), FileEdges::decode(&file.bytes).unwrap_or_default()))
            .collect();
        let mut users = vec![0_u32; self.files.len()];
        let mut importers = vec![0_u32; self.files.len()];
        let mut import_lines = vec![0_u32; self.files.len()];
        for (from, edges) in decoded {
            let Some(from) = from else { continue };
            let mut used: Vec<(u32, Option<String>)> = Vec::new();
            let mut imported: Vec<u32> = Vec::new();
            let mut lines: Vec<u32> = Vec::new();
            for edge in edges.edges {
                if edge.kind == EdgeKind::Imports {
                    lines.push(edge.line);
                }
                let Some(&to) = by_path.get(edge.to.path.as_str()).filter(|to| **to != from) else { continue };
                match edge.kind {
                    EdgeKind::Imports => imported.push(to),
                    _ => used.push((to, edge.to.chain)),
                }
            }
            lines.sort_unstable();
            lines.dedup();
            import_lines[from as usize] = lines.len() as u32;
            used.sort_unstable();
            used.dedup();
            used.iter().for_each(|(to, _)| users[*to as usize] += 1);
            imported.sort_unstable();
            imported.dedup();
            imported.iter().for_each(|to| importers[*to as usize] += 1);
        }
        for (at, file) in self.files.iter_mut().enumerate() {
            file.users = users[at] as f32;
            file.importers = importers[at] as f32;
            let defines = self.names.defines_more_than_values(file.symbols.clone());
            file.passes_on = import_lines[at] * 5 >= file.lines * 2 && file.lines > 0 || !defines && file.lines < 60;
        }
    }
}

/// A file as its facts and its path show it, without what depends on others.
struct ReadFile {
    units: Vec<UnitPlace>,
    symbols: Vec<super::names::NewSymbol>,
    holds: Holds,
    stem: Vec<String>,
    directories: Vec<String>,
    stem_keys: Vec<String>,
}

impl ReadFile {
    fn new(file: &TreeFile, fact: Option<&FileFact>) -> Self {
        let bytes = fact.map_or(&[][..], |fact| &fact.bytes);
        let mut symbols = Vec::new();
        // Bytes that are not ours are a file without units: it is found by its path.
        let units = index::unit_places(bytes).unwrap_or_default();
        let read = index::each_symbol(bytes, |symbol| symbols.push(super::names::NewSymbol::new(&symbol)));
        if read.is_err() {
            symbols.clear();
        }
        let (directory, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let base = name.rsplit_once('.').map_or(name, |(base, _)| base);
        let first = name.split('.').next().unwrap_or_default();
        let mut stem_keys = vec![key(&first.replace(|c: char| !c.is_alphanumeric(), ""))];
        if ["index", "mod", "__init__"].contains(&first) {
            let parent = directory.rsplit('/').next().unwrap_or_default();
            stem_keys.push(key(&parent.replace(|c: char| !c.is_alphanumeric(), "")));
        }
        stem_keys.retain(|key| !key.is_empty());
        let holds = file.language.as_deref().map_or(Holds::Data, syntax::holds);
        Self { units, symbols, holds, stem: stems(base), directories: stems(directory), stem_keys }
    }
}

/// The terms of a text, each once.
pub(super) fn stems(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut room = String::new();
    for piece in super::question::words(text).flat_map(pieces) {
        stem(&piece, &mut room);
        if !found.contains(&room) {
            found.push(room.clone());
        }
    }
    found
}
