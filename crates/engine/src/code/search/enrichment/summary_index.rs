//! An in-memory inverted index of the words in symbol summaries that language models wrote, with the summary texts that
//! results show.

use crate::code::search::catalog::{Catalog, unique_stems};
use foldhash::HashMap;
use model::ContentHash;

/// The summaries of the symbols of a file.
pub(super) struct FileSummaries {
    /// By unit in the file: the symbol, after its path, and its summary.
    summaries: Vec<(u32, String, String)>,
}

impl FileSummaries {
    pub(super) fn new(subjects: Vec<(u32, String, ContentHash)>, known: &HashMap<ContentHash, String>) -> Self {
        // Symbols without a summary are the rule: models describe some, and an edit makes a new digest.
        let summary = |(unit, qualified_name, key): (u32, String, ContentHash)| {
            Some((unit, qualified_name, known.get(&key)?.clone()))
        };
        Self { summaries: subjects.into_iter().filter_map(summary).collect() }
    }

    /// The summaries of a unit's symbols.
    pub(super) fn of_unit(&self, unit: u32) -> impl Iterator<Item = &str> {
        self.summaries.iter().filter(move |(of, ..)| *of == unit).map(|(.., summary)| summary.as_str())
    }
}

/// The summaries of the symbols of a catalog.
#[derive(Default)]
pub(crate) struct SummaryIndex {
    /// Units by the terms of their summaries, each once and in order.
    units: HashMap<String, Vec<u32>>,
    /// By unit: the symbol, and its summary.
    texts: HashMap<u32, Vec<(String, String)>>,
}

impl SummaryIndex {
    /// Of files in the order of a catalog.
    pub(super) fn new<'f>(catalog: &Catalog, files: impl Iterator<Item = Option<&'f FileSummaries>>) -> Self {
        let mut index = Self::default();
        for (file, of_file) in catalog.files.iter().zip(files) {
            for (unit, qualified_name, summary) in of_file.map(|of_file| &of_file.summaries).into_iter().flatten() {
                let unit = file.units.start + unit;
                for stem in unique_stems(summary) {
                    let units = index.units.entry(stem).or_default();
                    // Units of a file come in the order of its symbols.
                    if let Err(at) = units.binary_search(&unit) {
                        units.insert(at, unit);
                    }
                }
                index.texts.entry(unit).or_default().push((qualified_name.clone(), summary.clone()));
            }
        }
        index
    }

    /// Whether the index is empty.
    pub(in super::super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The units whose summaries have a term.
    pub(in super::super) fn units_with_stem(&self, stem: &str) -> &[u32] {
        self.units.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The summary of a unit: that of the symbol that it mostly is, or else of the only one in it.
    pub(in super::super) fn of_unit(&self, unit: u32, qualified_name: Option<&str>) -> Option<&str> {
        let summaries = self.texts.get(&unit)?;
        let own = summaries.iter().find(|(of, _)| Some(of.as_str()) == qualified_name);
        // Of several summaries none is that of the region: to show the first would describe the wrong symbol.
        let (_, summary) = own.or_else(|| summaries.first().filter(|_| summaries.len() == 1))?;
        Some(summary)
    }
}
