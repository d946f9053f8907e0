//! Corrects typos in the names of a question: a name that nothing in the project has is replaced by the nearest one
//! that exists, by edit distance.
//!
//! Only a word that looks like a name is corrected, only where a piece of it is nowhere in the project, and only by one
//! or two edits: a wrong guess costs more than an honest "nothing found".

use super::catalog::{Catalog, unique_stems};
use super::question::{CodeQuestion, name_key, split_words};
use super::symbol_names::NameKind;
use model::SymbolId;

/// A name that was read as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameCorrection {
    /// As the question has it.
    pub given: String,
    /// As something here is called.
    pub meant: String,
}

/// Shorter names are near to anything.
const MIN_NAME_LETTERS: usize = 4;

/// How many edits a name of so many letters may be away from its correction.
fn most_edits(letters: usize) -> usize {
    (letters / 4).min(2)
}

impl CodeQuestion {
    /// Reads names that nothing is called as the nearest that something is; `stands` says which terms stand anywhere.
    pub(super) fn correct_typos(
        &mut self,
        text: &str,
        catalog: &Catalog,
        stands: impl Fn(&str) -> bool,
    ) -> Vec<NameCorrection> {
        let mut corrections: Vec<NameCorrection> = Vec::new();
        for word in split_words(text) {
            let key = name_key(word);
            let letters = key.chars().count();
            let is_known = || unique_stems(word).iter().all(|stem| stands(stem));
            // A word of prose is not corrected: "the tokn" may be any word, `check_tokn` is a name.
            if letters < MIN_NAME_LETTERS || !self.keys.contains(&key) || is_known() {
                continue;
            }
            let Some(meant) = catalog.nearest_name(&key, most_edits(letters)) else { continue };
            self.read_as(&key, &meant);
            corrections.push(NameCorrection { given: word.to_owned(), meant });
        }
        corrections
    }
}

impl Catalog {
    /// The types and functions whose whole name has one of some keys.
    pub(super) fn symbols_with_keys(&self, keys: &[String]) -> Vec<SymbolId> {
        let symbols = keys.iter().flat_map(|key| self.names.with_key(key)).map(|symbol| self.names.symbol(symbol));
        let there = symbols.filter(|symbol| symbol.sort != NameKind::Value && self.is_there(symbol.file));
        there.map(|symbol| SymbolId::new(&self.files[symbol.file as usize].path, symbol.qualified_name)).collect()
    }

    /// The name nearest to a key within a number of edits: symbols before files, then in the order of the alphabet.
    fn nearest_name(&self, wanted: &str, most: usize) -> Option<String> {
        let letters = wanted.chars().count();
        let alphabet = letter_set(wanted);
        let edits = |other: &str| {
            // Cheap bounds before the distance, which is quadratic: each edit changes the length by one and the set of
            // letters by two at most. A letter has up to four bytes.
            let may = other.len().abs_diff(wanted.len()) <= most * 4
                && (self::letter_set(other) ^ alphabet).count_ones() as usize <= 2 * most
                && other.chars().count().abs_diff(letters) <= most;
            may.then(|| strsim::osa_distance(wanted, other)).filter(|edits| *edits <= most)
        };
        let names = self.names.iter_keys().filter_map(|(key, symbols)| {
            let edits = edits(key)?;
            let is_there = symbols.iter().any(|symbol| self.is_there(self.names.symbol(*symbol).file));
            let qualified_name = self.names.symbol(*symbols.first().filter(|_| is_there)?).qualified_name;
            Some((edits, 0, key, qualified_name.rsplit('.').next().unwrap_or(qualified_name)))
        });
        let files =
            (0..).zip(&self.files).filter(|(file, _)| self.is_there(*file)).flat_map(|(_, file)| &file.stem_keys);
        let files = files.filter_map(|stem| Some((edits(stem)?, 1, stem.as_str(), stem.as_str())));
        // The minimum of (edits, kind, key): the fewest edits first, then symbols before files, then by alphabet, so
        // that ties do not depend on the order of a hash map.
        names.chain(files).min().map(|(.., name)| name.to_owned())
    }
}

/// The letters of a key as a set of bits; different letters may share one.
fn letter_set(key: &str) -> u64 {
    key.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) & 63))
}
