//! Turning file contents into one batch for the store: facts of each file, and postings over all their units.

use super::Skipped;
use super::body::bodies;
use super::made::Making;
use super::plan::{ReadFile, ReadFiles};
use super::postings::{Counts, Field, Lengths, Writer, put_lengths};
use super::symbols::{self, UnitPlace};
use crate::graph::encode_uses;
use crate::{Clock, Depth};
use model::stem;
use model::terms::each_term;
use rayon::prelude::*;
use std::collections::HashMap;
use std::time::Duration;
use store::{Facts, FileBatch, FileId, FileVersion, TermPostings};
use syntax::{FileFacts, ReferenceKind};

/// A file that takes longer to parse is not what its name says; it is found by its words all the same.
const DEADLINE: Duration = Duration::from_secs(2);

/// What became of a batch of files.
pub(super) struct Extracted {
    pub(super) batch: FileBatch,
    pub(super) skipped: Vec<Skipped>,
}

/// Extracts the files the project does not know yet, in parallel, and writes their postings in file order.
pub(super) fn build(read: ReadFiles, known: &[Option<FileId>], making: &Making, clock: &dyn Clock) -> Extracted {
    let ReadFiles { files, unreadable: mut skipped } = read;
    let removed = skipped.iter().map(|file| file.path.clone()).collect();
    let mut batch = FileBatch { removed, ..FileBatch::default() };
    let mut new = Vec::new();
    for (file, known) in files.into_iter().zip(known) {
        match known {
            Some(id) => batch.known.push((file.path, *id, file.stamp)),
            None => new.push(file),
        }
    }
    let extracted: Vec<ExtractedFile> =
        new.into_par_iter().map(|file| ExtractedFile::of(file, making, clock)).collect();
    let mut postings: HashMap<String, Writer> = HashMap::new();
    let mut first_unit = 0;
    for file in extracted {
        for (term, units) in file.terms {
            let writer = postings.entry(term).or_default();
            for (unit, counts) in units {
                writer.push(first_unit + unit, &counts);
            }
        }
        for lengths in file.lengths {
            put_lengths(&mut batch.lengths, &lengths);
        }
        first_unit += file.version.units;
        skipped.extend(file.problems);
        batch.versions.push(file.version);
    }
    batch.postings = postings.into_iter().map(|(term, writer)| TermPostings { term, bytes: writer.bytes }).collect();
    batch.postings.sort_unstable_by(|a, b| a.term.cmp(&b.term));
    Extracted { batch, skipped }
}

struct ExtractedFile {
    version: FileVersion,
    lengths: Vec<Lengths>,
    /// For each term its units, numbered within the file, ascending.
    terms: HashMap<String, Vec<(u32, Counts)>>,
    problems: Vec<Skipped>,
}

impl ExtractedFile {
    fn of(file: ReadFile, making: &Making, clock: &dyn Clock) -> Self {
        let started = clock.ticks();
        let late = || clock.ticks().saturating_sub(started) > DEADLINE;
        let mut facts = syntax::extract_until(&file.path, &file.bytes, &making.limits, &late);
        let mut terms = UnitTerms::default();
        // What is found by nothing but its body keeps it.
        let with_bodies = making.depth == Depth::Full || facts.symbols.is_empty();
        for number in 0..facts.units.len() {
            terms.add(number as u32, &file, &facts, with_bodies);
        }
        if making.depth == Depth::Signatures {
            facts.references.retain(|used| matches!(used.kind, ReferenceKind::Extends | ReferenceKind::Implements));
            facts.bindings.clear();
        }
        let problems = facts
            .problems
            .iter()
            .map(|problem| Skipped { path: file.path.clone(), reason: problem.to_string() })
            .collect();
        let units = std::mem::take(&mut facts.units);
        if !making.wants(facts.language) {
            // Its words are found all the same.
            facts = FileFacts { language: facts.language, lines: facts.lines, ..FileFacts::default() };
        }
        let kept = facts.symbols.len();
        let places: Vec<UnitPlace> = units
            .iter()
            .map(|unit| UnitPlace {
                lines: unit.lines,
                symbol: unit.symbol.filter(|symbol| *symbol < kept).map(|symbol| symbol as u32),
            })
            .collect();
        let version = FileVersion {
            path: file.path,
            hash: file.hash,
            made: file.made,
            stamp: file.stamp,
            language: facts.language.map(str::to_owned),
            lines: facts.lines,
            symbols: kept as u32,
            units: places.len() as u32,
            facts: Facts {
                symbols: symbols::encode(&places, &facts.symbols, &bodies(&file.bytes, &facts.symbols)),
                texts: symbols::encode_texts(&facts.symbols),
                uses: encode_uses(&facts),
            },
        };
        Self { version, lengths: terms.lengths, terms: terms.terms, problems }
    }
}

/// Terms of the units of one file, as they are gathered.
#[derive(Default)]
struct UnitTerms {
    terms: HashMap<String, Vec<(u32, Counts)>>,
    lengths: Vec<Lengths>,
    /// Room for one stem.
    stem: String,
}

impl UnitTerms {
    fn add(&mut self, number: u32, file: &ReadFile, facts: &FileFacts, with_body: bool) {
        let unit = &facts.units[number as usize];
        let mut lengths = Lengths::default();
        self.add_text(number, Field::Path, &file.path, &mut lengths);
        for symbol in unit.defines.iter().map(|symbol| &facts.symbols[*symbol]) {
            self.add_text(number, Field::Name, &symbol.name, &mut lengths);
            self.add_text(number, Field::Signature, &symbol.signature, &mut lengths);
            self.add_text(number, Field::Doc, symbol.doc.as_deref().unwrap_or_default(), &mut lengths);
        }
        if with_body {
            let body = String::from_utf8_lossy(&file.bytes[unit.span.range()]);
            self.add_text(number, Field::Body, &body, &mut lengths);
        }
        self.lengths.push(lengths);
    }

    fn add_text(&mut self, unit: u32, field: Field, text: &str, lengths: &mut Lengths) {
        let Self { terms, stem: room, .. } = self;
        each_term(text, |term| {
            lengths[field as usize] += 1;
            stem(term, room);
            // Looked up by reference first: most terms of a file are there already, and need no copy.
            let units = match terms.get_mut(room.as_str()) {
                Some(units) => units,
                None => terms.entry(room.clone()).or_default(),
            };
            match units.last_mut() {
                Some((last, counts)) if *last == unit => counts[field as usize] += 1,
                _ => {
                    let mut counts = Counts::default();
                    counts[field as usize] = 1;
                    units.push((unit, counts));
                }
            }
        });
    }
}
