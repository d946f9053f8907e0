//! Names that nothing here is called, read as the nearest name that something is.
//!
//! Only a word that looks like a name is mended, only where a piece of it stands nowhere in the project, and only by an
//! edit or two: a guess that is wrong costs more than an honest "nothing found".

use super::catalog::{Catalog, stems};
use super::names::Sort;
use super::question::{Question, key, words};
use foldhash::HashSet;
use model::SymbolId;
use store::Postings;

/// A name that was read as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// As the question has it.
    pub given: String,
    /// As something here is called.
    pub meant: String,
}

/// Shorter names are near to anything.
const SHORTEST: usize = 4;

/// How many edits may be between a name of so many letters and what it stands for.
fn most_edits(letters: usize) -> usize {
    (letters / 4).min(2)
}

impl Question {
    /// Reads names that nothing is called as the nearest that something is. `postings` are those of its terms.
    pub(super) fn mend(&mut self, text: &str, catalog: &Catalog, postings: &[Postings]) -> Vec<Correction> {
        let found: HashSet<&str> = postings.iter().map(|posting| posting.term.as_str()).collect();
        let mut corrections: Vec<Correction> = Vec::new();
        for word in words(text) {
            let key = key(word);
            let letters = key.chars().count();
            let stands = || stems(word).iter().all(|stem| found.contains(stem.as_str()));
            if letters < SHORTEST || !self.keys.contains(&key) || stands() {
                continue;
            }
            let Some(meant) = catalog.nearest(&key, most_edits(letters)) else { continue };
            self.read_as(&key, &meant);
            corrections.push(Correction { given: word.to_owned(), meant });
        }
        corrections
    }
}

impl Catalog {
    /// The types and functions whose whole name has one of some keys.
    pub(super) fn called(&self, keys: &[String]) -> Vec<SymbolId> {
        let symbols = keys.iter().flat_map(|key| self.names.with_key(key)).map(|symbol| self.names.symbol(*symbol));
        let there = symbols.filter(|symbol| symbol.sort != Sort::Value && !self.files[symbol.file as usize].is_gone);
        there.map(|symbol| SymbolId::new(&self.files[symbol.file as usize].path, &symbol.chain)).collect()
    }

    /// What is called most like a key, in at most so many edits: names before files, then in the order of the alphabet.
    fn nearest(&self, wanted: &str, most: usize) -> Option<String> {
        let is_there = |file: u32| !self.files[file as usize].is_gone;
        let letters = wanted.chars().count();
        let edits = |other: &str| {
            // Letters that are too many or too few are edits already.
            let may = other.len().abs_diff(wanted.len()) <= most * 4 && other.chars().count().abs_diff(letters) <= most;
            may.then(|| strsim::osa_distance(wanted, other)).filter(|edits| *edits <= most)
        };
        let names =
            self.names.keys().filter(|(_, symbols)| symbols.iter().any(|s| is_there(self.names.symbol(*s).file)));
        let names = names.filter_map(|(key, symbols)| {
            let chain = &self.names.symbol(*symbols.first()?).chain;
            Some((edits(key)?, 0, key, chain.rsplit('.').next().unwrap_or(chain)))
        });
        let files = self.files.iter().filter(|file| !file.is_gone).flat_map(|file| &file.stem_keys);
        let files = files.filter_map(|stem| Some((edits(stem)?, 1, stem.as_str(), stem.as_str())));
        names.chain(files).min().map(|(.., name)| name.to_owned())
    }
}
