//! What ranking knows of a worktree before a question comes: its files, their units and names, and how central each is.
//!
//! Built once for a version of the worktree and kept in memory, as the graph is; a question then reads only the
//! postings of its own terms.

use super::meaning::Meanings;
use super::names::{Names, Sort};
use super::question::{key, pieces};
use super::signs::Signs;
use crate::graph::FileEdges;
use crate::index::{self, Field, Small, UnitPlace, read_lengths};
use foldhash::HashMap;
use model::{EdgeKind, LineRange, SymbolId, SymbolKind, stem};
use providers::LocalEmbedder;
use rayon::prelude::*;
use std::ops::Range;
use store::{FileFact, FileId, Segment, TreeFile};
use syntax::Holds;

/// The files of a worktree, ready to be ranked.
#[derive(Clone)]
pub(crate) struct Catalog {
    /// Those that are gone keep their number.
    pub(super) files: Vec<Entry>,
    /// File by file, in the order of their lines; those of files that are gone as well.
    pub(super) units: Vec<Unit>,
    /// How many of both are there.
    pub(super) file_count: usize,
    pub(super) unit_count: usize,
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
#[derive(Clone)]
pub(crate) struct Entry {
    pub(super) path: String,
    pub(super) version: FileId,
    pub(super) is_gone: bool,
    pub(super) lines: u32,
    pub(super) units: Range<u32>,
    pub(super) symbols: Range<u32>,
    /// Terms of its body.
    pub(super) terms: u32,
    pub(super) signs: Signs,
    pub(super) holds: Holds,
    pub(super) language: Option<&'static str>,
    /// Terms of its name, and of its directories less those, by number.
    pub(super) stem: Vec<u32>,
    pub(super) directories: Vec<u32>,
    /// What it is called: its name up to the first dot, or its directory where the name says nothing.
    pub(super) stem_keys: Vec<String>,
    /// Lines of it that import something.
    pub(super) import_lines: u32,
    /// Whether it mostly passes on what others define.
    pub(super) passes_on: bool,
    /// How many files use what it defines, and how many import it.
    pub(super) users: f32,
    pub(super) importers: f32,
}

/// A unit of a file.
#[derive(Clone)]
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
    /// None where they are those of before.
    pub(super) edges: Option<Vec<store::FileEdges>>,
    pub(super) vectors: Vec<FileFact>,
}

impl Catalog {
    pub(super) fn new(sources: Sources, embedder: Option<&dyn LocalEmbedder>) -> Self {
        let Sources { files, symbols, segments, edges, vectors } = sources;
        let mut catalog = Self {
            files: Vec::with_capacity(files.len()),
            units: Vec::new(),
            file_count: 0,
            unit_count: 0,
            names: Names::default(),
            meanings: Meanings::default(),
            average_unit: 1.0,
            average_file: 1.0,
            headers_repeat: false,
            places: Vec::new(),
            segments: HashMap::default(),
        };
        catalog.extend(&files, &symbols, &vectors, &lengths(&segments), embedder);
        catalog.find_places(&files, &segments);
        catalog.weigh(edges.unwrap_or_default());
        catalog.finish();
        catalog
    }

    /// Adds files.
    pub(super) fn extend(
        &mut self,
        files: &[TreeFile],
        symbols: &[FileFact],
        vectors: &[FileFact],
        lengths: &[u32],
        embedder: Option<&dyn LocalEmbedder>,
    ) {
        let facts: HashMap<&str, &FileFact> = symbols.iter().map(|fact| (fact.path.as_str(), fact)).collect();
        let read: Vec<ReadFile> =
            files.par_iter().map(|file| ReadFile::new(file, facts.get(file.path.as_str()).copied())).collect();
        if let Some(embedder) = embedder {
            self.add_meanings(files, &read, vectors, embedder);
        }
        for (file, read) in files.iter().zip(read) {
            self.add(file, read, lengths);
        }
    }

    /// Notes for each unit of the store where it is here.
    pub(super) fn find_places(&mut self, files: &[TreeFile], segments: &[Segment]) {
        self.segments = segments.iter().map(|segment| (segment.number, segment.first_unit.0)).collect();
        self.places.clear();
        let here: HashMap<&str, Range<u32>> =
            self.files.iter().filter(|file| !file.is_gone).map(|file| (&*file.path, file.units.clone())).collect();
        for file in files {
            let Some(units) = here.get(file.path.as_str()) else { continue };
            let first = file.first_unit.0 as usize;
            let end = first + units.len();
            self.places.resize(self.places.len().max(end), NOWHERE);
            self.places[first..end].iter_mut().zip(units.clone()).for_each(|(place, unit)| *place = unit);
        }
    }

    /// The unit that a posting of a segment means, if it is in this worktree.
    pub(super) fn unit(&self, segment: i64, unit: u32) -> Option<u32> {
        let at = self.segments.get(&segment)?.checked_add(unit)?;
        self.places.get(at as usize).copied().filter(|place| *place != NOWHERE)
    }

    /// Whether a type or function is called so.
    pub(crate) fn defines(&self, name: &str) -> bool {
        let symbols = self.names.with_key(&key(name)).iter().map(|symbol| self.names.symbol(*symbol));
        symbols.filter(|symbol| !self.files[symbol.file as usize].is_gone).any(|symbol| symbol.sort != Sort::Value)
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

    fn add(&mut self, file: &TreeFile, read: ReadFile, lengths: &[u32]) {
        let number = self.files.len() as u32;
        let (first, first_symbol) = (self.units.len() as u32, self.names.count());
        for (at, place) in (file.first_unit.0 as usize..).zip(&read.units) {
            let terms = lengths.get(at).copied().unwrap_or_default();
            let symbol = place.symbol.map(|symbol| first_symbol + symbol);
            self.units.push(Unit { file: number, lines: place.lines, symbol, terms });
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
            path: file.path.clone(),
            version: file.file,
            is_gone: false,
            lines: file.lines,
            units,
            symbols: first_symbol..self.names.count(),
            terms,
            holds: read.holds,
            language: read.language,
            stem: own,
            directories,
            stem_keys: read.stem_keys,
            import_lines: 0,
            passes_on: false,
            users: 0.0,
            importers: 0.0,
        });
    }

    /// What can be said only once all files are known.
    pub(super) fn finish(&mut self) {
        let there = || self.files.iter().filter(|file| !file.is_gone);
        let total: u64 = there().map(|file| u64::from(file.terms)).sum();
        let file_count = there().count();
        let unit_count: usize = there().map(|file| file.units.len()).sum();
        let ending = |endings: &[&str]| there().filter(|f| endings.iter().any(|end| f.path.ends_with(end))).count();
        self.headers_repeat = ending(&[".c"]) > ending(&[".cc", ".cpp", ".cxx"]);
        self.average_unit = (total as f32 / unit_count.max(1) as f32).max(1.0);
        self.average_file = (total as f32 / file_count.max(1) as f32).max(1.0);
        (self.file_count, self.unit_count) = (file_count, unit_count);
        for file in &mut self.files {
            let defines = self.names.defines_more_than_values(file.symbols.clone());
            file.passes_on = file.import_lines * 5 >= file.lines * 2 && file.lines > 0 || !defines && file.lines < 60;
        }
        let gone: Vec<bool> = self.files.iter().map(|file| file.is_gone).collect();
        self.names.finish(&gone);
    }

    /// Counts who uses whom.
    pub(super) fn weigh(&mut self, edges: Vec<store::FileEdges>) {
        let there = self.files.iter().zip(0..).filter(|(file, _)| !file.is_gone);
        let by_path: HashMap<&str, u32> = there.map(|(file, number)| (file.path.as_str(), number)).collect();
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
                if edge.kind == EdgeKind::Imports {
                    imported.push(to);
                } else {
                    used.push((to, edge.to.chain));
                }
            }
            lines.sort_unstable();
            lines.dedup();
            import_lines[from as usize] = lines.len() as u32;
            used.sort_unstable();
            used.dedup();
            for (to, _) in &used {
                users[*to as usize] += 1;
            }
            imported.sort_unstable();
            imported.dedup();
            for to in &imported {
                importers[*to as usize] += 1;
            }
        }
        for (at, file) in self.files.iter_mut().enumerate() {
            file.users = users[at] as f32;
            file.importers = importers[at] as f32;
            file.import_lines = import_lines[at];
        }
    }
}

/// How many terms the body of each unit of the store has.
pub(super) fn lengths(segments: &[Segment]) -> Vec<u32> {
    let mut lengths = Vec::new();
    for segment in segments {
        let start = segment.first_unit.0 as usize;
        let read = read_lengths(&segment.lengths);
        lengths.resize(lengths.len().max(start + read.len()), 0);
        let bodies = read.iter().map(|lengths| lengths[Field::Body as usize]);
        lengths[start..].iter_mut().zip(bodies).for_each(|(length, body)| *length = body);
    }
    lengths
}

/// A file as its facts and its path show it, without what depends on others.
struct ReadFile {
    units: Vec<UnitPlace>,
    symbols: Vec<super::names::NewSymbol>,
    holds: Holds,
    language: Option<&'static str>,
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
        let language =
            syntax::languages().map(syntax::Language::name).find(|name| Some(*name) == file.language.as_deref());
        Self { units, symbols, holds, language, stem: stems(base), directories: stems(directory), stem_keys }
    }
}

/// The terms of a text, each once.
pub(crate) fn stems(text: &str) -> Vec<String> {
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
