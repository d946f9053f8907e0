//! The catalog, the in-memory data of a worktree that ranking needs: files, units, names, and how central each file is.
//!
//! Kept in memory, as the graph is, so that a question reads only the postings of its own terms. A catalog never
//! changes: after a change of some files the next one is made from it (`catalog_renewal.rs`) and shares with it what is
//! the same.

use super::features::FileFeature;
use super::file_spellings::FileSpellings;
use super::inverted_index::InvertedIndex;
use super::overlay::{OverlayMap, OverlayVec};
use super::path_kind::PathTraits;
use super::path_table::PathTable;
use super::question::{name_key, word_pieces};
use super::ranking::RankedHit;
use super::similarity::CatalogVectors;
use super::static_features::{STATIC_FEATURE_COUNT, StaticFeatures, static_feature_values};
use super::symbol_names::{NameIndex, NameKind, NewSymbol};
use super::term_lookup::TermCache;
use crate::base::image::ImageFile;
use crate::base::int8_vectors::Int8Vector;
use crate::base::int8_vectors::quantize;
use crate::code::graph::ResolvedEdges;
use crate::code::index;
use crate::code::index::TermField;
use crate::code::index::read_lengths;
use crate::code::symbol_codec;
use crate::code::symbol_codec::UnitPlace;
use foldhash::HashMap;
use model::{LineRange, SymbolId, SymbolKind};
use providers::LocalEmbedder;
use rayon::prelude::*;
use search::StemRules;
use std::ops::Range;
use std::sync::Arc;
use store::{FileId, FileRecord, Segment, TreeFile};
use syntax::ContentKind;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The files of a worktree, ready to be ranked.
#[derive(Clone, Default)]
pub(crate) struct Catalog {
    /// Removed files keep their number, so that the numbers of the others stay.
    pub(super) files: Vec<Arc<CatalogFile>>,
    /// The values of each file that ranking reads for most files, packed for the cache.
    pub(super) rows: Vec<FileRow>,
    /// Units file by file, in the order of their lines; units of removed files stay.
    pub(super) units: OverlayVec<UnitRow>,
    /// How many files and units there are without the removed ones.
    pub(super) file_count: usize,
    pub(super) unit_count: usize,
    pub(super) names: NameIndex,
    /// Files by the terms of their names, and of their directories less those.
    pub(super) stems: InvertedIndex,
    pub(super) directories: InvertedIndex,
    pub(super) spellings: FileSpellings,
    /// Postings of terms that were asked for lately.
    pub(super) heard: TermCache,
    pub(super) meanings: CatalogVectors,
    /// Terms of the body of the average unit and file.
    pub(super) average_unit: f32,
    pub(super) average_file: f32,
    /// Whether the project is more C than C++: in C a header only repeats what its source says.
    pub(super) headers_repeat: bool,
    /// Whether the names of most files are made of words.
    pub(super) names_tell: bool,
    pub(super) paths: PathTable,
    /// The newest file with a version.
    pub(super) versions: OverlayMap<FileId, u32>,
    /// Paths whose version changed since edges were last written.
    pub(super) since_edges: Vec<String>,
    /// For each unit of the store its place in `units`, if it is in this worktree.
    pub(super) places: Vec<u32>,
    /// The first unit of each segment.
    pub(super) segments: HashMap<i64, u32>,
    /// Terms of all bodies, and files of C and of C++.
    pub(super) terms: u64,
    pub(super) sources: [usize; 2],
    /// Files whose name has a word in it.
    pub(super) worded: usize,
    /// Whether it was built from all files and not renewed since.
    pub(super) is_new: bool,
    /// The image that it began with.
    pub(super) image: Option<Arc<ImageFile>>,
}

/// A file.
#[derive(Clone)]
pub(crate) struct CatalogFile {
    pub(super) path: String,
    pub(super) version: FileId,
    pub(super) lines: u32,
    pub(super) units: Range<u32>,
    /// The number that the store has for its first unit.
    pub(super) first_stored: u32,
    pub(super) symbols: Range<u32>,
    /// Terms of its body.
    pub(super) terms: u32,
    pub(super) signs: PathTraits,
    pub(super) holds: ContentKind,
    pub(super) language: Option<&'static str>,
    /// Terms of its name, and of its directories less those, by number.
    pub(super) stem: Vec<u32>,
    pub(super) directories: Vec<u32>,
    /// What it is called: its name up to the first dot, or its directory where the name says nothing.
    pub(super) stem_keys: Vec<String>,
    /// The lines that could not be parsed.
    pub(super) unparsed: Vec<LineRange>,
}

/// The values that ranking reads for every file that matches a question.
#[derive(Clone)]
pub(crate) struct FileRow {
    pub(super) units: Range<u32>,
    pub(super) is_gone: bool,
    pub(super) nature: StaticFeatures,
}

impl FileRow {
    /// Its units.
    pub(super) fn unit_range(&self) -> Range<usize> {
        self.units.start as usize..self.units.end as usize
    }
}

/// A unit of a file, as it is kept.
#[derive(Clone, Copy, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(super) struct UnitRow {
    file: u32,
    first_line: u32,
    last_line: u32,
    /// [`NO_SYMBOL`] where it is none.
    symbol: u32,
    terms: u32,
    /// 1 in a test module, else 0.
    is_in_tests: u32,
}

/// A unit of a file.
pub(crate) struct CatalogUnit {
    pub(super) file: u32,
    pub(super) lines: LineRange,
    /// The symbol it mostly is, by its number in the catalog.
    pub(super) symbol: Option<u32>,
    /// Terms of its body.
    pub(super) terms: u32,
    /// Whether it is part of a test module.
    pub(super) is_in_tests: bool,
}

/// Parse problems are reported for so many of the first results, and for so many files at most.
const TOLD_OF: usize = 5;
const MOST_TOLD: usize = 2;

/// No unit, and no symbol.
const NO_UNIT: u32 = u32::MAX;
const NO_SYMBOL: u32 = u32::MAX;

/// The rows of the store that a catalog is built from.
pub(super) struct CatalogSources {
    pub(super) segments: Vec<Segment>,
    pub(super) files: Vec<TreeFile>,
    pub(super) symbols: Vec<FileRecord>,
    pub(super) vectors: Vec<FileRecord>,
    pub(super) edges: Vec<store::EncodedEdges>,
    pub(super) since_edges: Vec<String>,
}

impl Catalog {
    pub(super) fn new(sources: CatalogSources, embedder: Option<&dyn LocalEmbedder>) -> Self {
        let CatalogSources { segments, files, symbols, vectors, edges, since_edges } = sources;
        let mut catalog = Self { since_edges, is_new: true, ..Self::default() };
        catalog.add_files(&files, &symbols, &vectors, &UnitLengths::from_segments(segments.iter()), embedder);
        catalog.set_segments(&segments);
        catalog.link_edges(edges);
        // After all edges are linked: the rating of a file counts the files that use it.
        for file in 0..catalog.files.len() as u32 {
            catalog.find_place(file);
            catalog.rate_file(file);
        }
        catalog.update_averages();
        // From here on everything is the shared base. Catalogs that are made from this one copy only what they add.
        catalog.units.freeze_base();
        catalog.names.freeze_base();
        // Behind `names`: the ranges are laid out by term number, and the last file may have brought the last new term.
        catalog.stems.build_base(catalog.names.term_count(), catalog.files.iter().map(|file| file.stem.as_slice()));
        let directories = catalog.files.iter().map(|file| file.directories.as_slice());
        catalog.directories.build_base(catalog.names.term_count(), directories);
        catalog.spellings.freeze_base();
        catalog.meanings.freeze_base();
        catalog.paths.freeze_base();
        catalog.versions.freeze_base();
        catalog
    }

    /// Adds files, and returns the files whose count of users changed: a file that comes back uses again what it used.
    pub(super) fn add_files(
        &mut self,
        files: &[TreeFile],
        symbols: &[FileRecord],
        vectors: &[FileRecord],
        lengths: &UnitLengths,
        embedder: Option<&dyn LocalEmbedder>,
    ) -> Vec<u32> {
        let records: HashMap<&str, &FileRecord> = symbols.iter().map(|record| (record.path.as_str(), record)).collect();
        let read: Vec<CatalogFileInput> =
            // Decoding and stemming run in parallel; `add_file` numbers terms and symbols in the order of files, so
            // that two loads of one worktree give the same numbers.
            files.par_iter().map(|file| CatalogFileInput::new(file, records.get(file.path.as_str()).copied())).collect();
        if let Some(embedder) = embedder {
            self.add_meanings(files, &read, vectors, embedder);
        }
        files.iter().zip(read).flat_map(|(file, read)| self.add_file(file, read, lengths)).collect()
    }

    /// Replaces the table of segments.
    pub(super) fn set_segments(&mut self, segments: &[Segment]) {
        self.segments = segments.iter().map(|segment| (segment.number, segment.first_unit.0)).collect();
    }

    /// Notes where the units of a file are in the store.
    pub(super) fn find_place(&mut self, file: u32) {
        let CatalogFile { first_stored, units, .. } = &*self.files[file as usize];
        let first = *first_stored as usize;
        let end = *first_stored as usize + units.len();
        // Units of the store that belong to another worktree stay NO_UNIT: a segment is shared by all worktrees of a
        // project.
        self.places.resize(self.places.len().max(end), NO_UNIT);
        self.places[first..end].iter_mut().zip(units.clone()).for_each(|(place, unit)| *place = unit);
    }

    /// Forgets where the units of a file are in the store.
    pub(super) fn lose_place(&mut self, file: u32) {
        let CatalogFile { first_stored, units, .. } = &*self.files[file as usize];
        // Postings of a removed version stay in their segment; NO_UNIT makes each of them skip.
        self.places[*first_stored as usize..*first_stored as usize + units.len()].fill(NO_UNIT);
    }

    /// Where the units of a segment are.
    pub(super) fn segment_units(&self, segment: i64) -> Option<SegmentUnits<'_>> {
        let first = *self.segments.get(&segment)?;
        Some(SegmentUnits(self.places.get(first as usize..).unwrap_or_default()))
    }

    /// Whether a type or function of the product is called so: not a selector of a style sheet, and nothing in a test.
    pub(crate) fn defines_symbol(&self, name: &str) -> bool {
        let key = name_key(name);
        let is_product = |file: u32| {
            let is_code = self.files[file as usize].holds == ContentKind::Code;
            // `nature[0]` is the feature `Test`, the first of the static ones.
            is_code && self.rows[file as usize].nature[0] == 0.0
        };
        let symbols = self.names.with_key(&key).map(|symbol| self.names.symbol(symbol));
        let mut there = symbols.filter(|symbol| self.is_there(symbol.file) && is_product(symbol.file));
        there.any(|symbol| symbol.sort != NameKind::Value)
    }

    /// The files that a file imports, and those that these import where they only pass on, too.
    pub(super) fn passed_on(&self, file: u32) -> Vec<u32> {
        let imported = |file: u32| self.paths.imported_files(&self.files[file as usize].path);
        let mut all = imported(file);
        let passes_on = |file: &u32| {
            self.rows[*file as usize].nature[FileFeature::PassesOn as usize - FileFeature::Test as usize] > 0.0
        };
        // One level deeper is enough for `pkg/__init__.py` that re-exports `pkg/sub/__init__.py`, and bounds the walk.
        let further: Vec<u32> = all.iter().filter(|file| passes_on(file)).flat_map(|file| imported(*file)).collect();
        all.extend(further);
        all
    }

    /// Notes on the first files found that could not be parsed in places.
    pub(crate) fn unparsed_notes(&self, ranked: &[RankedHit]) -> Vec<String> {
        let mut told: Vec<u32> = Vec::new();
        // A file may be there with several regions, and is named once.
        for RankedHit { file, .. } in ranked.iter().take(TOLD_OF) {
            if !self.files[*file as usize].unparsed.is_empty() && !told.contains(file) {
                told.push(*file);
            }
        }
        let tell = |file: &u32| {
            let file = &self.files[*file as usize];
            index::tell_unparsed(&file.path, &file.unparsed)
        };
        told.iter().take(MOST_TOLD).map(tell).collect()
    }

    /// Whether what a question read of it is not as it was written.
    pub(super) fn is_damaged(&self) -> bool {
        self.image.as_ref().is_some_and(|image| image.is_damaged())
    }

    /// Whether the catalog knows a segment.
    pub(super) fn has_segment(&self, segment: i64) -> bool {
        self.segments.contains_key(&segment)
    }

    /// Whether a file is not gone.
    pub(super) fn is_there(&self, file: u32) -> bool {
        !self.rows[file as usize].is_gone
    }

    /// A unit.
    #[inline]
    pub(super) fn unit(&self, unit: u32) -> CatalogUnit {
        let row = self.units.at(unit as usize);
        CatalogUnit {
            file: row.file,
            lines: LineRange { start: row.first_line, end: row.last_line },
            symbol: Some(row.symbol).filter(|symbol| *symbol != NO_SYMBOL),
            terms: row.terms,
            is_in_tests: row.is_in_tests != 0,
        }
    }

    /// The kind of the main symbol of a unit.
    pub(super) fn kind_of(&self, unit: u32) -> Option<SymbolKind> {
        Some(self.names.symbol(self.unit(unit).symbol?).kind)
    }

    /// The symbol a unit mostly is.
    pub(super) fn symbol_of(&self, unit: u32) -> Option<(SymbolId, SymbolKind)> {
        let symbol = self.names.symbol(self.unit(unit).symbol?);
        Some((SymbolId::new(&self.files[symbol.file as usize].path, symbol.qualified_name), symbol.kind))
    }

    fn add_meanings(
        &mut self,
        files: &[TreeFile],
        read: &[CatalogFileInput],
        vectors: &[FileRecord],
        embedder: &dyn LocalEmbedder,
    ) {
        let path = |file: &TreeFile| {
            // The extension says nothing about meaning, and would draw all files of a language together.
            let bare = file.path.rsplit_once('.').map_or(&*file.path, |(bare, _)| bare);
            quantize(embedder.embed_now(bare).ok().flatten().as_ref())
        };
        let paths: Vec<Int8Vector> = files.par_iter().map(path).collect();
        let kept: HashMap<&str, &[u8]> = vectors.iter().map(|record| (&*record.path, &*record.bytes)).collect();
        for ((file, read), path) in files.iter().zip(read).zip(&paths) {
            let bytes = kept.get(file.path.as_str()).copied().unwrap_or_default();
            self.meanings.add_file(bytes, read.units.len(), path);
        }
    }

    fn add_file(&mut self, file: &TreeFile, read: CatalogFileInput, lengths: &UnitLengths) -> Vec<u32> {
        let number = self.files.len() as u32;
        let first = self.units.len() as u32;
        let first_symbol = self.names.symbol_count();
        let mut terms = 0;
        for (at, place) in (file.first_unit.0..).zip(&read.units) {
            let symbol = place.symbol.map(|symbol| first_symbol + symbol);
            let of_unit = lengths.of_unit(at);
            let own_symbol = place.symbol.and_then(|symbol| read.symbols.get(symbol as usize));
            let is_in_tests = own_symbol.is_some_and(NewSymbol::is_in_tests);
            self.units.push(UnitRow {
                file: number,
                first_line: place.lines.start,
                last_line: place.lines.end,
                symbol: symbol.unwrap_or(NO_SYMBOL),
                terms: of_unit,
                is_in_tests: u32::from(is_in_tests),
            });
            terms += of_unit;
        }
        let mut own: Vec<u32> = read.stem.iter().map(|term| self.names.intern_term(term)).collect();
        own.sort_unstable();
        own.dedup();
        let mut directories: Vec<u32> = read.directories.iter().map(|term| self.names.intern_term(term)).collect();
        directories.sort_unstable();
        directories.dedup();
        // `http/http_client.rs` must not count the word twice, once for the name and once for the directory.
        directories.retain(|term| own.binary_search(term).is_err());
        self.names.add_file(number, own.iter().chain(&directories).copied(), read.symbols);
        for term in &own {
            self.stems.add_posting(*term, number);
        }
        for term in &directories {
            self.directories.add_posting(*term, number);
        }
        self.spellings.add_file(number, &file.path, &read.stem_keys);
        let entry = CatalogFile {
            signs: PathTraits::from_path(&file.path),
            path: file.path.clone(),
            version: file.file,
            lines: file.lines,
            units: first..self.units.len() as u32,
            first_stored: file.first_unit.0,
            symbols: first_symbol..self.names.symbol_count(),
            terms,
            holds: read.holds,
            language: read.language,
            stem: own,
            directories,
            stem_keys: read.stem_keys,
            unparsed: read.unparsed,
        };
        self.rows.push(FileRow { units: entry.units.clone(), is_gone: false, nature: [0.0; STATIC_FEATURE_COUNT] });
        self.adjust_totals(&entry, |all, these| all + these);
        // A file that is restored comes back with its old version under a new number; the old number is of a removed
        // file.
        self.versions.delta_mut().insert(file.file, number);
        self.files.push(Arc::new(entry));
        self.paths.set_file(&file.path, Some(number))
    }

    /// Counts a file in, or out.
    pub(super) fn adjust_totals(&mut self, file: &CatalogFile, by: fn(usize, usize) -> usize) {
        self.file_count = by(self.file_count, 1);
        self.unit_count = by(self.unit_count, file.units.len());
        self.terms = by(self.terms as usize, file.terms as usize) as u64;
        let is_one_of = |endings: &[&str]| endings.iter().any(|ending| file.path.ends_with(ending));
        self.worded = by(self.worded, usize::from(is_worded(&file.path)));
        for (sources, endings) in self.sources.iter_mut().zip([&[".c"][..], &[".cc", ".cpp", ".cxx"]]) {
            *sources = by(*sources, usize::from(is_one_of(endings)));
        }
    }

    /// Values that depend on all files: averages, and the rarity of names.
    pub(super) fn update_averages(&mut self) {
        let [c, cpp] = self.sources;
        self.headers_repeat = c > cpp;
        self.names_tell = self.worded * 2 >= self.file_count;
        self.average_unit = (self.terms as f32 / self.unit_count.max(1) as f32).max(1.0);
        self.average_file = (self.terms as f32 / self.file_count.max(1) as f32).max(1.0);
        self.names.update_idf(self.file_count);
    }

    /// Notes the edges of files, and returns the files whose count of users changed.
    pub(super) fn link_edges(&mut self, edges: Vec<store::EncodedEdges>) -> Vec<u32> {
        let decoded: Vec<(String, ResolvedEdges)> = edges
            .into_par_iter()
            // Damaged edges are edges that are missing: the file is found by its words and counts as used by less.
            .map(|file| (file.path, ResolvedEdges::decode(&file.bytes).unwrap_or_default()))
            .collect();
        decoded.into_iter().flat_map(|(path, edges)| self.paths.set_edges(&path, edges)).collect()
    }

    /// Sets the static features of a file: its kind, and how central it is.
    pub(super) fn rate_file(&mut self, file: u32) {
        let entry = &self.files[file as usize];
        let defines = self.names.defines_more_than_values(entry.symbols.clone());
        self.rows[file as usize].nature =
            static_feature_values(entry, self.paths.file_centrality(&entry.path), defines);
    }
}

/// Whether the name of a file has a word in it: `f0012.py` has none.
fn is_worded(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    word_pieces(stem)
        .iter()
        .any(|piece| !piece.is_ascii() || piece.chars().filter(char::is_ascii_alphabetic).count() >= 3)
}

/// For each unit of the store, from the first of a segment on, its place in the catalog.
#[derive(Clone, Copy)]
pub(super) struct SegmentUnits<'a>(&'a [u32]);

impl SegmentUnits<'_> {
    /// The unit that a posting of the segment means, if it is in this worktree.
    pub(super) fn find_unit(self, unit: u32) -> Option<u32> {
        self.0.get(unit as usize).copied().filter(|place| *place != NO_UNIT)
    }
}

/// How many terms the bodies of units have, by the numbers of the store.
pub(super) struct UnitLengths {
    /// Segments in the order of their first unit.
    segments: Vec<(u32, Vec<u32>)>,
}

impl UnitLengths {
    /// Of segments in the order of their first unit.
    pub(super) fn from_segments<'a>(segments: impl Iterator<Item = &'a Segment>) -> Self {
        let bodies = |segment: &Segment| {
            let lengths = read_lengths(&segment.lengths);
            (segment.first_unit.0, lengths.iter().map(|lengths| lengths[TermField::Body as usize]).collect())
        };
        Self { segments: segments.map(bodies).collect() }
    }

    fn of_unit(&self, unit: u32) -> u32 {
        let after = self.segments.partition_point(|(first, _)| *first <= unit);
        let Some((first, lengths)) = self.segments[..after].last() else { return 0 };
        lengths.get((unit - first) as usize).copied().unwrap_or_default()
    }
}

/// A file as its records and its path show it, without what depends on others.
struct CatalogFileInput {
    units: Vec<UnitPlace>,
    unparsed: Vec<LineRange>,
    symbols: Vec<NewSymbol>,
    holds: ContentKind,
    language: Option<&'static str>,
    stem: Vec<String>,
    directories: Vec<String>,
    stem_keys: Vec<String>,
}

impl CatalogFileInput {
    fn new(file: &TreeFile, record: Option<&FileRecord>) -> Self {
        let bytes = record.map_or(&[][..], |record| &record.bytes);
        let mut symbols = Vec::new();
        // Bytes that are not ours are a file without units: it is found by its path.
        let units = symbol_codec::decode_units(bytes).unwrap_or_default();
        let unparsed = symbol_codec::decode_unparsed(bytes).unwrap_or_default();
        let read = symbol_codec::each_symbol(bytes, |symbol| symbols.push(NewSymbol::new(&symbol)));
        if read.is_err() {
            symbols.clear();
        }
        let (directory, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let base = name.rsplit_once('.').map_or(name, |(base, _)| base);
        let first = name.split('.').next().unwrap_or_default();
        // Up to the first dot: `login.test.ts` and `login.module.ts` are called `login` by people.
        let mut stem_keys = vec![name_key(&first.replace(|c: char| !c.is_alphanumeric(), ""))];
        // People call `http/mod.rs` by its directory: "the http module".
        if ["index", "mod", "__init__"].contains(&first) {
            let parent = directory.rsplit('/').next().unwrap_or_default();
            stem_keys.push(name_key(&parent.replace(|c: char| !c.is_alphanumeric(), "")));
        }
        stem_keys.retain(|key| !key.is_empty());
        let holds = file.language.as_deref().map_or(ContentKind::Data, syntax::content_kind_of);
        let language =
            syntax::all_languages().map(syntax::Language::name).find(|name| Some(*name) == file.language.as_deref());
        Self {
            units,
            unparsed,
            symbols,
            holds,
            language,
            stem: unique_stems(base),
            directories: unique_stems(directory),
            stem_keys,
        }
    }
}

/// The terms of a text, each once.
pub(crate) fn unique_stems(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut room = String::new();
    for piece in super::question::split_words(text).flat_map(word_pieces) {
        StemRules::Code.stem_word(&piece, &mut room);
        if !found.contains(&room) {
            found.push(room.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::is_worded;

    #[test]
    fn names_are_words_or_numbers() {
        for worded in ["src/lib.rs", "a/parseHTTPHeader.ts", "Makefile", "2024-notes.md", "数据库连接.py"] {
            assert!(is_worded(worded), "{worded}");
        }
        for numbered in ["words/f0012.py", "a.c", "x_1.ts", "17"] {
            assert!(!is_worded(numbered), "{numbered}");
        }
    }
}
