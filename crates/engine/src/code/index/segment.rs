//! Extracts a batch of files in parallel and builds one write batch for the store: the records of each file (symbols,
//! uses, vectors) and one segment of postings over all their units.

use super::body_hash::body_hashes;
use super::fingerprint::Fingerprinter;
use super::parse_problems::tell_unparsed;
use super::plan::{ReadFiles, SourceContent};
use super::postings::{FIELDS, TermField, encode_lengths};
use super::settings::IndexDepth;
use super::{SkippedFile, vectors};
use crate::base::{Clock, run_long};
use crate::code::document_codec::encode_document;
use crate::code::graph::encode_uses;
use crate::code::symbol_codec::{self, UnitPlace};
use rayon::prelude::*;
use search::{CountedText, EncodedTerm, SegmentTerms, StemRules};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::time::Duration;
use store::{FileBatch, FileId, FileRecords, FileVersion, TermPostings};
use syntax::{FileExtract, ReferenceKind};

/// A file that takes longer to parse is not what its name says; it is found by its words all the same. Source that
/// people write takes milliseconds: a machine on which that becomes seconds is busy, which is no reason to leave
/// symbols out for good.
const DEADLINE: Duration = Duration::from_secs(15);

/// The result of a batch of files.
pub(super) struct ExtractedBatch {
    pub(super) batch: FileBatch,
    pub(super) skipped: Vec<SkippedFile>,
}

/// Extracts the files the project does not know yet, in parallel, and writes their postings in file order.
pub(super) fn build_batch(
    read: ReadFiles,
    known: &[Option<FileId>],
    making: &Fingerprinter,
    clock: &dyn Clock,
) -> ExtractedBatch {
    let ReadFiles { files, unreadable: skipped } = read;
    // An unreadable file leaves the index: what the index holds of it is no longer known to be true.
    let removed = skipped.iter().map(|file| file.path.clone()).collect();
    let mut batch = FileBatch { removed, ..FileBatch::default() };
    let mut new = Vec::new();
    for (file, known) in files.into_iter().zip(known) {
        match known {
            Some(id) => batch.known.push((file.path, *id, file.stamp)),
            None => new.push(file),
        }
    }
    let words = SegmentTerms::new(StemRules::Code);
    let extracted: Vec<ExtractedFile> =
        run_long(|| new.into_par_iter().map(|file| ExtractedFile::from_content(file, &words, making, clock)).collect());
    // In the order of files, by which units are numbered.
    let mut terms = Vec::with_capacity(extracted.len());
    for file in extracted {
        terms.push(file.terms);
        batch.versions.push(file.version);
    }
    batch.lengths = encode_lengths(terms.iter().flat_map(|file| &file.lengths));
    batch.postings = stored_terms(words.into_postings(&terms));
    ExtractedBatch { batch, skipped }
}

/// Terms as the store takes them.
pub(super) fn stored_terms(terms: Vec<EncodedTerm>) -> Vec<TermPostings> {
    terms.into_iter().map(|EncodedTerm { term, bytes }| TermPostings { term, bytes }).collect()
}

struct ExtractedFile {
    version: FileVersion,
    terms: CountedText<FIELDS>,
}

impl ExtractedFile {
    fn from_content(
        file: SourceContent,
        words: &SegmentTerms<FIELDS>,
        making: &Fingerprinter,
        clock: &dyn Clock,
    ) -> Self {
        // The clock starts at the first check: before that a language's grammar is loaded, once, which is not the
        // file's doing.
        let started = OnceCell::new();
        let late = || {
            let now = clock.monotonic_time();
            now.saturating_sub(*started.get_or_init(|| now)) > DEADLINE
        };
        let mut extract = syntax::extract_until(&file.path, &file.bytes, &making.limits, &late);
        let mut terms = words.start_text();
        // A file without symbols can be found by its text only, so its text is indexed at any depth.
        let with_bodies = making.depth == IndexDepth::Full || extract.symbols.is_empty();
        let text = std::str::from_utf8(&file.bytes).ok();
        for unit in &extract.units {
            terms.start_document();
            // Each unit of a file can be found by the words of its path.
            terms.count_text(TermField::Path as usize, &file.path);
            for symbol in unit.defines.iter().map(|symbol| &extract.symbols[*symbol]) {
                terms.count_text(TermField::Name as usize, &symbol.name);
                terms.count_text(TermField::Signature as usize, &symbol.signature);
                terms.count_text(TermField::Doc as usize, symbol.doc.as_deref().unwrap_or_default());
            }
            if with_bodies {
                // The text was checked as a whole, so a unit is a slice of it; units of other encodings are decoded one
                // by one.
                let bytes = &file.bytes[unit.span.to_range()];
                let body = text.and_then(|text| text.get(unit.span.to_range())).map(Cow::Borrowed);
                terms.count_text(TermField::Body as usize, &body.unwrap_or_else(|| String::from_utf8_lossy(bytes)));
            }
        }
        if making.depth == IndexDepth::Signatures {
            // Supertypes are part of a signature; calls and types in bodies are not.
            extract.references.retain(|used| matches!(used.kind, ReferenceKind::Extends | ReferenceKind::Implements));
            extract.bindings.clear();
        }
        let mut problems: Vec<String> = extract.problems.iter().map(ToString::to_string).collect();
        if !extract.unparsed.is_empty() {
            problems.push(tell_unparsed(&file.path, &extract.unparsed));
        }
        let document = syntax::read_document(&file.path, &file.bytes, extract.language, &extract.symbols);
        let units = std::mem::take(&mut extract.units);
        if !making.wants_language(extract.language) {
            // Symbols of a language that is not wanted are dropped; units stay, so that words are found.
            extract = FileExtract { language: extract.language, lines: extract.lines, ..FileExtract::default() };
        }
        let vectors = making.embedder.as_ref().map_or_else(Vec::new, |embedder| {
            let texts: Vec<_> =
                units.iter().map(|unit| String::from_utf8_lossy(&file.bytes[unit.span.to_range()])).collect();
            vectors::encode_vectors(&**embedder, &file.path, &texts)
        });
        let kept = extract.symbols.len();
        let places: Vec<UnitPlace> = units
            .iter()
            .map(|unit| UnitPlace {
                lines: unit.lines,
                // Symbols may have been dropped above.
                symbol: unit.symbol.filter(|symbol| *symbol < kept).map(|symbol| symbol as u32),
            })
            .collect();
        let version = FileVersion {
            path: file.path,
            hash: file.hash,
            made: file.made,
            stamp: file.stamp,
            language: extract.language.map(str::to_owned),
            lines: extract.lines,
            symbols: kept as u32,
            units: places.len() as u32,
            problems,
            records: FileRecords {
                symbols: symbol_codec::encode_symbols(
                    &places,
                    &extract.unparsed,
                    &extract.symbols,
                    &body_hashes(&file.bytes, &extract.symbols),
                ),
                texts: symbol_codec::encode_texts(&extract.symbols),
                uses: encode_uses(&extract),
                vectors,
                document: document.as_ref().map(encode_document).unwrap_or_default(),
            },
        };
        Self { version, terms: words.finish_text(terms) }
    }
}
