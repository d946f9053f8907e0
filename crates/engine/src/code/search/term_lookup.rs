//! Looks up the postings of the terms of a question in the store, scores them with BM25, and caches them with the
//! catalog for the next question.

use super::catalog::Catalog;
use super::enrichment::SummaryIndex;
use super::question::{CodeQuestion, QuestionTerm};
use crate::base::Result;
use crate::code::CodeContext;
use crate::code::index::{TermField, UnitCounts};
use foldhash::{HashMap, HashMapExt};
use search::{Bm25, each_posting, idf};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use store::{SegmentPostings, WorktreeId};

/// Fitted over questions about code; recall has parameters of its own.
const BM25: Bm25 = Bm25 { k1: 1.2, b: 0.5 };

/// A term that stands in more than an eighth of the files is common.
const MIN_FILE_RARITY: f32 = 2.08;

/// Where a term stands.
pub(super) struct TermOccurrences {
    /// Units that have it in their body, their names or their path.
    pub(super) units: Vec<UnitSays>,
    /// Files that have it in the body of a unit.
    pub(super) files: Vec<(u32, f32)>,
    /// How much it says by being rare among files that have it anywhere, and among units that have it in their body.
    pub(super) file_rarity: f32,
    pub(super) unit_rarity: f32,
}

/// How much a term says of a unit.
#[derive(Clone, Copy)]
pub(super) struct UnitSays {
    pub(super) unit: u32,
    /// By its body alone; 0 where that has none.
    pub(super) body: f32,
    /// By its body, the names it defines and its path.
    pub(super) fields: f32,
}

/// The count of a term in the names of a unit, where one in its body counts 1.
const NAME_COUNT: u32 = 2;

/// The cached postings of a term.
#[derive(Clone)]
enum TermPresence {
    Nowhere,
    Stands(Arc<TermOccurrences>),
}

/// Where each of some terms stands.
pub(super) struct TermHits(HashMap<String, TermPresence>);

/// Terms of a question on the way to what is found: those that were asked for lately, and what the store has of the
/// others.
#[derive(Default)]
pub(super) struct TermFetcher {
    known: HashMap<String, TermPresence>,
    read: Vec<SegmentPostings>,
    new: Vec<String>,
}

impl TermFetcher {
    /// Asks for the terms of a question that were not asked for yet.
    pub(super) async fn fetch_terms(
        &mut self,
        code: &CodeContext,
        worktree: &WorktreeId,
        catalog: &Catalog,
        question: &CodeQuestion,
    ) -> Result<()> {
        let forms = question.terms.iter().flat_map(|term| term.forms);
        let stems = question.region_terms.iter().map(|term| &term.stem).chain(forms);
        // Called twice where a typo was corrected: terms of the first call are not read again.
        let asked = stems.filter(|stem| !self.known.contains_key(*stem) && !self.new.contains(stem));
        let mut new: Vec<String> = Vec::new();
        let asked: Vec<&String> = asked.collect();
        for stem in asked {
            // A term that is in no file is cached as well, so that a typo is not looked up again.
            match catalog.heard.find_term(stem) {
                Some(known) => drop(self.known.insert(stem.clone(), known)),
                None => new.push(stem.clone()),
            }
        }
        if !new.is_empty() {
            self.read.extend(code.store.load_postings(worktree, &new).await?);
            self.new.extend(new);
        }
        Ok(())
    }

    /// Whether a term stands anywhere in a catalog.
    pub(super) fn has_term(&self, catalog: &Catalog, stem: &str) -> bool {
        let postings = || self.read.iter().filter(|posting| posting.term == stem).collect::<Vec<_>>();
        // The store may have postings of removed files only, and those must not make a mistyped name look known.
        matches!(self.known.get(stem), Some(TermPresence::Stands(_)))
            || TermOccurrences::new(catalog, &postings()).is_some()
    }

    /// Whether a catalog knows all that was read.
    pub(super) fn is_known_to(&self, catalog: &Catalog) -> bool {
        self.read.iter().all(|posting| catalog.has_segment(posting.segment))
    }

    /// Where the terms stand in a catalog.
    pub(super) fn into_hits(self, catalog: &Catalog) -> TermHits {
        let is_known = self.is_known_to(catalog);
        let Self { mut known, read, new } = self;
        let mut by_term: HashMap<&str, Vec<&SegmentPostings>> = HashMap::new();
        for posting in &read {
            by_term.entry(&posting.term).or_default().push(posting);
        }
        for stem in new {
            let stands = |postings: &Vec<&SegmentPostings>| TermOccurrences::new(catalog, postings).map(Arc::new);
            let found = by_term.get(&*stem).and_then(stands).map_or(TermPresence::Nowhere, TermPresence::Stands);
            // Postings of a segment that the catalog does not know are missing here, and must not be cached as the
            // whole list.
            if is_known {
                catalog.heard.insert_term(&stem, found.clone());
            }
            known.insert(stem, found);
        }
        TermHits(known)
    }
}

impl TermHits {
    /// The same with the summaries of units, where they have a term of the question.
    pub(super) fn with_summaries(
        mut self,
        summaries: &SummaryIndex,
        catalog: &Catalog,
        question: &CodeQuestion,
    ) -> Self {
        if summaries.is_empty() {
            return self;
        }
        let forms = question.terms.iter().flat_map(|term| term.forms);
        let stems = question.terms.iter().chain(&question.region_terms).map(|term| &term.stem).chain(forms);
        let stems: BTreeSet<&String> = stems.collect();
        for stem in stems {
            let units = summaries.units_with_stem(stem);
            if !units.is_empty() {
                let with_summaries = TermOccurrences::with_summaries(self.of_stem(stem), units, catalog);
                self.0.insert(stem.clone(), TermPresence::Stands(Arc::new(with_summaries)));
            }
        }
        self
    }

    /// Where a term stands; where it stands nowhere, where another form of it does.
    pub(super) fn term_occurrences(&self, term: &QuestionTerm) -> Option<&TermOccurrences> {
        self.of_stem(&term.stem).or_else(|| self.form_occurrences(term).next().map(|(_, found)| found))
    }

    /// Where other forms of a term stand, with their stems. A form that the project itself uses a lot needs no other.
    pub(super) fn form_occurrences<'a>(
        &'a self,
        term: &QuestionTerm,
    ) -> impl Iterator<Item = (&'static str, &'a TermOccurrences)> {
        // A project that writes `config` everywhere means `config`; `cfg` would only add noise.
        let is_common = self.of_stem(&term.stem).is_some_and(|found| found.file_rarity < MIN_FILE_RARITY);
        let forms = if is_common { &[] } else { term.forms };
        forms.iter().filter_map(|form| Some((form.as_str(), self.of_stem(form)?)))
    }

    fn of_stem(&self, stem: &str) -> Option<&TermOccurrences> {
        match self.0.get(stem)? {
            TermPresence::Nowhere => None,
            TermPresence::Stands(occurrences) => Some(occurrences),
        }
    }

    /// Which terms of a question a unit has, as a set of bits.
    pub(super) fn terms_of(&self, unit: u32, question: &CodeQuestion) -> u32 {
        let has = |term: &QuestionTerm| {
            let place = |found: &TermOccurrences| found.units.binary_search_by_key(&unit, |says| says.unit).ok();
            self.term_occurrences(term).is_some_and(|found| place(found).is_some_and(|at| found.units[at].body > 0.0))
        };
        let bits = question.terms.iter().enumerate().filter(|(_, term)| has(term)).map(|(at, _)| 1 << at.min(31));
        bits.fold(0, |all, bit: u32| all | bit)
    }
}

impl TermOccurrences {
    /// The occurrences without those that `others` has; both are in order of place.
    pub(super) fn where_not(&self, others: &Self) -> Self {
        let is_new_unit = |says: &&UnitSays| others.units.binary_search_by_key(&says.unit, |other| other.unit).is_err();
        let is_new_file =
            |(file, _): &&(u32, f32)| others.files.binary_search_by_key(file, |(other, _)| *other).is_err();
        Self {
            units: self.units.iter().filter(is_new_unit).copied().collect(),
            files: self.files.iter().filter(is_new_file).copied().collect(),
            file_rarity: self.file_rarity,
            unit_rarity: self.unit_rarity,
        }
    }

    /// `None` where every file with the term was removed: a term that is in no file any more must not count as rare.
    fn new(catalog: &Catalog, postings: &[&SegmentPostings]) -> Option<Self> {
        let mut counts: Vec<(u32, u32, u32)> = Vec::new();
        let mut anywhere: Vec<u32> = Vec::new();
        for posting in postings {
            let Some(places) = catalog.segment_units(posting.segment) else { continue };
            each_posting(&posting.bytes, |unit, fields: &UnitCounts| {
                let Some(unit) = places.find_unit(unit) else { return };
                let of = |field: TermField| fields[field as usize];
                let body = of(TermField::Body);
                // Fields are added before saturation (as BM25F does): a term in all three must not count as three
                // terms.
                let all = body + NAME_COUNT * of(TermField::Name) + of(TermField::Path);
                if all > 0 {
                    counts.push((unit, body, all));
                }
                // Rarity among files counts every field: a term that is in half of the paths is not rare.
                anywhere.push(catalog.unit(unit).file);
            });
        }
        if anywhere.is_empty() {
            return None;
        }
        // Segments come in the order of the store; sums of a file need its units side by side.
        counts.sort_unstable();
        anywhere.sort_unstable();
        anywhere.dedup();
        let mut units = Vec::with_capacity(counts.len());
        let mut totals: Vec<(u32, u32)> = Vec::new();
        let mut in_body = 0;
        for (unit, count, all) in counts {
            let of = catalog.unit(unit);
            let [body, fields] = [count, all].map(|count| BM25.tf(count, of.terms, catalog.average_unit));
            units.push(UnitSays { unit, body, fields });
            if count == 0 {
                continue;
            }
            in_body += 1;
            match totals.last_mut() {
                Some((file, total)) if *file == of.file => *total += count,
                _ => totals.push((of.file, count)),
            }
        }
        let terms = |file: u32| catalog.files[file as usize].terms;
        let files = totals.iter().map(|(file, total)| (*file, BM25.tf(*total, terms(*file), catalog.average_file)));
        let file_rarity = idf(catalog.file_count, anywhere.len());
        let unit_rarity = idf(catalog.unit_count, in_body);
        Some(Self { files: files.collect(), units, file_rarity, unit_rarity })
    }
}

/// The value of a term in a summary: that of one mention in a unit of average length. Summaries are short.
const IN_SUMMARY: f32 = 1.0;

impl TermOccurrences {
    /// Where a term stands, the summaries of some units included: a unit has it in its body or in its summary, whichever
    /// says more.
    fn with_summaries(of_bodies: Option<&Self>, of_summaries: &[u32], catalog: &Catalog) -> Self {
        let (mut units, mut files) =
            of_bodies.map_or_else(Default::default, |found| (found.units.clone(), found.files.clone()));
        units.extend(of_summaries.iter().map(|unit| UnitSays { unit: *unit, body: IN_SUMMARY, fields: IN_SUMMARY }));
        // Merged by unit: a unit that has the term in its names alone keeps that value.
        units.sort_unstable_by_key(|says| says.unit);
        units.dedup_by(|other, says| {
            let is_same = other.unit == says.unit;
            if is_same {
                *says = UnitSays { body: says.body.max(other.body), fields: says.fields.max(other.fields), ..*says };
            }
            is_same
        });
        let file = |unit: &u32| catalog.unit(*unit).file;
        let of_file = |file: u32| BM25.tf(1, catalog.files[file as usize].terms, catalog.average_file);
        files.extend(of_summaries.iter().map(|unit| (file(unit), of_file(file(unit)))));
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        files.dedup_by_key(|(file, _)| *file);
        // The count before includes files that have the term in their path or in a name alone.
        let before = of_bodies.map_or(f32::MAX, |found| found.file_rarity);
        let file_rarity = idf(catalog.file_count, files.len()).min(before);
        let in_body = units.iter().filter(|says| says.body > 0.0).count();
        Self { file_rarity, unit_rarity: idf(catalog.unit_count, in_body), units, files }
    }
}

/// Terms that questions to a catalog had lately.
#[derive(Default)]
pub(super) struct TermCache(Mutex<TermGenerations>);

/// When the newer half is full it takes the place of the older one, which is forgotten: what was not asked for since is in
/// that.
#[derive(Default)]
struct TermGenerations {
    newer: HashMap<String, TermPresence>,
    older: HashMap<String, TermPresence>,
    /// The size of the newer one, in postings.
    size: usize,
}

/// Postings that a half may hold: eight megabytes of them.
const MAX_HALF_POSTINGS: usize = 1 << 20;

impl TermCache {
    fn find_term(&self, stem: &str) -> Option<TermPresence> {
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = halves.newer.get(stem) {
            return Some(known.clone());
        }
        // A hit in the older half moves the term to the newer one, so that what is asked for again survives.
        let known = halves.older.remove(stem)?;
        halves.insert_term(stem, known.clone());
        Some(known)
    }

    fn insert_term(&self, stem: &str, found: TermPresence) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert_term(stem, found);
    }
}

impl TermGenerations {
    fn insert_term(&mut self, stem: &str, found: TermPresence) {
        // A term without postings takes room, too: its text.
        let places = stem.len()
            + match &found {
                TermPresence::Nowhere => 0,
                TermPresence::Stands(found) => found.units.len() + found.files.len(),
            };
        // A term of nearly every unit would push everything else out, and then itself.
        if places > MAX_HALF_POSTINGS {
            return;
        }
        if self.size + places > MAX_HALF_POSTINGS {
            self.older = std::mem::replace(&mut self.newer, HashMap::new());
            self.size = 0;
        }
        if self.newer.insert(stem.to_owned(), found).is_none() {
            self.size += places;
        }
    }
}

/// A catalog that is made from another one numbers units and counts files differently, so it starts with an empty
/// cache.
impl Clone for TermCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_again_is_kept_and_the_rest_is_forgotten() {
        let heard = TermCache::default();
        let of = |places: usize| {
            let units = vec![UnitSays { unit: 0, body: 0.0, fields: 0.0 }; places];
            let files = Vec::new();
            let file_rarity = 0.0;
            let unit_rarity = 0.0;
            TermPresence::Stands(Arc::new(TermOccurrences { units, files, file_rarity, unit_rarity }))
        };
        heard.insert_term("nowhere", TermPresence::Nowhere);
        heard.insert_term("huge", of(MAX_HALF_POSTINGS));
        assert!(matches!(heard.find_term("nowhere"), Some(TermPresence::Nowhere)));
        assert!(heard.find_term("huge").is_none(), "more than there is room for");
        for number in 0..100 {
            heard.insert_term(&format!("term{number}"), of(MAX_HALF_POSTINGS / 10));
            assert!(heard.find_term("nowhere").is_some(), "asked for all the time");
        }
        let kept = (0..100).filter(|number| heard.find_term(&format!("term{number}")).is_some()).count();
        assert!((9..=20).contains(&kept), "{kept}");
        assert!(heard.clone().find_term("nowhere").is_none());
    }
}
