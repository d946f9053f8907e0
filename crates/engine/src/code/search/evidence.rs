//! The lexical ranking features of a question: how well units, symbols and files match it by words, names and paths.
//!
//! Every sum goes from the terms of the question to their postings: a file that shares nothing with the question is
//! never read. Sums are made in the order of the question's terms, so that equal files get equal scores.

use super::catalog::Catalog;
use super::features::{FeatureValues, FileFeature};
use super::question::{CodeQuestion, QuestionTerm};
use super::symbol_names::NameKind;
use super::term_lookup::{TermHits, TermOccurrences};
use super::word_forms::OTHER_FORM;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use model::SymbolKind;

pub(super) struct QuestionEvidence<'a> {
    pub(super) catalog: &'a Catalog,
    /// The sums of each unit.
    pub(super) units: Vec<UnitSums>,
    /// Whether the question has more than its first line.
    pub(super) has_title: bool,
    /// How well each symbol fits by its name; 0 where it does not.
    symbols: Vec<f32>,
    /// Symbols that the question names, each with how much that says: less the more are called so.
    pub(super) exact: HashMap<u32, f32>,
    /// The symbols that its first line names.
    pub(super) in_title: HashSet<u32>,
    /// Whether the question spells the name of a file of code, or of something it defines.
    pub(super) names_code: bool,
    /// By file: its number among the hints.
    slots: Vec<u32>,
    hints: Vec<FileEvidence>,
}

/// The sums of a unit over the question's words. They lie beside each other: a term adds to all of them at once.
#[derive(Clone, Copy, Default)]
pub(super) struct UnitSums {
    /// How well it fits by the words of its body.
    pub(super) body: f32,
    /// How much of the question its body has.
    pub(super) covered: f32,
    /// How well it fits by the words of its body, its names and its path.
    pub(super) fields: f32,
    /// The same by the words of the question's first line, where the question has more.
    pub(super) title: f32,
}

/// How much of the question a term is: of all of it, and of what regions are compared by.
#[derive(Clone, Copy, Default)]
struct TermShares {
    body: f32,
    fields: f32,
    title: f32,
}

/// The evidence of a file, except for its units.
#[derive(Clone, Copy, Default)]
struct FileEvidence {
    file: u32,
    /// Which terms it has, as a set of bits.
    terms: u32,
    whole_file: f32,
    /// The rarity of the terms of its name that the question spells, and their share of the question.
    spelled: f32,
    spelled_share: f32,
    directories: f32,
    named_file: f32,
    joined_name: f32,
    spelled_path: f32,
    symbol_name: f32,
    named_type: f32,
    named_function: f32,
    named_share: f32,
    /// How well the best of its headings fits, where it is a document.
    heading: f32,
}

/// A sum that is as much of another as this is all of it, but for rounding.
const FULL_MATCH_SHARE: f32 = 0.999;

/// No hint.
const NO_HINT: u32 = u32::MAX;

/// A term of the question that is part of a name somewhere: its number among names, its share of the question, and how
/// rare it is among names.
struct NamedTerm {
    number: u32,
    share: f32,
    rarity: f32,
}

impl<'a> QuestionEvidence<'a> {
    pub(super) fn new(catalog: &'a Catalog, question: &CodeQuestion, found: &TermHits) -> Self {
        let stands = found;
        let known = || question.terms.iter().filter_map(|term| Some((term, found.term_occurrences(term)?)));
        let file_mass: f32 = known().map(|(term, found)| term.weight * found.file_rarity).sum();
        let unit_mass: f32 = known().map(|(term, found)| term.weight * found.unit_rarity).sum();
        let of_regions = || question.region_terms.iter().filter_map(|term| Some((term, found.term_occurrences(term)?)));
        // Regions are compared by all terms, files only by the most telling ones, so each has a sum of its own to take
        // shares of.
        let region_mass: f32 = of_regions().map(|(_, found)| found.unit_rarity).sum();
        // A question of one line has all terms in its title; then the title features would only double the others.
        let has_title = question.region_terms.iter().any(|term| !term.in_title);
        let in_title = of_regions().filter(|(term, _)| has_title && term.in_title);
        let title_mass: f32 = in_title.map(|(_, found)| found.unit_rarity).sum();
        let shares_of = |term: &QuestionTerm, found: &TermOccurrences| TermShares {
            body: 0.0,
            fields: found.unit_rarity / region_mass,
            title: if has_title && term.in_title { found.unit_rarity / title_mass } else { 0.0 },
        };
        let mut evidence = Self {
            catalog,
            units: vec![UnitSums::default(); catalog.units.len()],
            has_title: title_mass > 0.0,
            symbols: vec![0.0; catalog.names.symbol_count() as usize],
            exact: HashMap::new(),
            in_title: HashSet::new(),
            names_code: false,
            slots: vec![NO_HINT; catalog.files.len()],
            hints: Vec::new(),
        };
        let mut named_terms = Vec::new();
        for (at, term) in question.terms.iter().enumerate() {
            let Some(found) = found.term_occurrences(term) else { continue };
            let of_file = term.weight * found.file_rarity / file_mass;
            let of_unit = term.weight * found.unit_rarity / unit_mass;
            // A long question keeps 24 terms for files; a term that is in both lists adds to the unit in one pass over
            // its postings.
            let of_region = question.region_terms.iter().find(|other| other.stem == term.stem);
            let of_region = of_region.map_or_else(TermShares::default, |term| shares_of(term, found));
            evidence.add_units(found, TermShares { body: of_unit, ..of_region });
            // At most 24 terms are kept (`MOST_TERMS`); corrected names may add to them, and share the last bit then.
            evidence.add_files(1 << at.min(31), found, of_file);
            if let Some(number) = catalog.names.known_term(&term.stem) {
                named_terms.push(NamedTerm { number, share: of_file, rarity: catalog.names.term_idf(number) });
            }
            for (form, other) in stands.form_occurrences(term) {
                // A unit with `config` and `cfg` has the word once: the other form must not add to what the word itself
                // gave.
                let other = other.where_not(found);
                evidence.add_units(&other, TermShares { body: OTHER_FORM * of_unit, ..TermShares::default() });
                evidence.add_files(1 << at.min(31), &other, OTHER_FORM * of_file);
                if let Some(number) = catalog.names.known_term(form) {
                    let share = OTHER_FORM * of_file;
                    let rarity = OTHER_FORM * catalog.names.term_idf(number);
                    named_terms.push(NamedTerm { number, share, rarity });
                }
            }
        }
        let is_added = |term: &QuestionTerm| question.terms.iter().any(|other| other.stem == term.stem);
        // Whole names (`parse_http_header`) are no terms of files: their pieces are counted there already.
        for (term, found) in of_regions().filter(|(term, _)| !is_added(term)) {
            evidence.add_units(found, shares_of(term, found));
        }
        evidence.add_paths(question, &named_terms);
        evidence.add_names(question, &named_terms);
        // Last, because it reads the names and paths that were added above.
        evidence.names_code = evidence.spells_code();
        evidence
    }

    /// Whether a file has anything of the question.
    pub(super) fn has_file(&self, file: u32) -> bool {
        self.slots[file as usize] != NO_HINT
    }

    /// Which terms of the question a file has, as a set of bits.
    pub(super) fn term_bits(&self, file: u32) -> u32 {
        self.file_evidence(file).terms
    }

    /// Sets the features of a file that come from words, names and paths.
    pub(super) fn fill_values(&self, file: u32, values: &mut FeatureValues) {
        let hint = self.file_evidence(file);
        let units = self.catalog.rows[file as usize].unit_range();
        let mut best = 0.0_f32;
        let mut second = 0.0_f32;
        let mut covered = 0.0_f32;
        for unit in &self.units[units] {
            covered = covered.max(unit.covered);
            if unit.body > best {
                (best, second) = (unit.body, best);
            } else if unit.body > second {
                second = unit.body;
            }
        }
        let mut set = |feature: FileFeature, value: f32| values[feature as usize] = value;
        set(FileFeature::BestUnit, best);
        set(FileFeature::SecondUnit, second);
        set(FileFeature::WholeFile, hint.whole_file);
        set(FileFeature::Coverage, covered);
        if hint.spelled > 0.0 {
            set(FileFeature::FileName, hint.spelled / self.name_mass(file));
        }
        set(FileFeature::Directories, hint.directories);
        set(FileFeature::NamedFile, hint.named_file);
        set(FileFeature::JoinedName, hint.joined_name);
        set(FileFeature::SpelledPath, hint.spelled_path);
        set(FileFeature::SymbolName, hint.symbol_name);
        set(FileFeature::NamedType, hint.named_type);
        set(FileFeature::NamedFunction, hint.named_function);
        set(FileFeature::NamedShare, hint.named_share.min(1.0));
    }

    /// How well the best heading of a document fits.
    pub(super) fn heading_of(&self, file: u32) -> f32 {
        self.file_evidence(file).heading
    }

    /// How much of the question the name of a file is, where the question spells all of it: its words, or two of them and
    /// more written together.
    pub(super) fn name_of(&self, file: u32) -> Option<f32> {
        let hint = self.file_evidence(file);
        if hint.joined_name >= 1.0 {
            return Some(1.0);
        }
        (hint.spelled > 0.0 && hint.spelled >= FULL_MATCH_SHARE * self.name_mass(file)).then_some(hint.spelled_share)
    }

    /// The rarity of all terms of a file's name.
    fn name_mass(&self, file: u32) -> f32 {
        let stem = &self.catalog.files[file as usize].stem;
        let all: f32 = stem.iter().map(|term| self.catalog.names.term_idf(*term)).sum();
        all.max(f32::MIN_POSITIVE)
    }

    fn file_evidence(&self, file: u32) -> FileEvidence {
        self.hints.get(self.slots[file as usize] as usize).copied().unwrap_or_default()
    }

    fn hint_at(&mut self, file: u32) -> &mut FileEvidence {
        let slot = &mut self.slots[file as usize];
        if *slot == NO_HINT {
            *slot = self.hints.len() as u32;
            self.hints.push(FileEvidence { file, ..FileEvidence::default() });
        }
        &mut self.hints[*slot as usize]
    }

    fn add_units(&mut self, found: &TermOccurrences, shares: TermShares) {
        for says in &found.units {
            let sums = &mut self.units[says.unit as usize];
            sums.fields += shares.fields * says.fields;
            sums.title += shares.title * says.fields;
            // A term in the path or the name alone covers nothing of the question: all regions of the file have that
            // path.
            if says.body > 0.0 {
                sums.body += shares.body * says.body;
                sums.covered += shares.body;
            }
        }
    }

    fn add_files(&mut self, term: u32, found: &TermOccurrences, share: f32) {
        for (file, says) in &found.files {
            let hint = self.hint_at(*file);
            hint.whole_file += share * says;
            hint.terms |= term;
        }
    }

    /// Files that have anything of the question.
    pub(super) fn matched_files(&self) -> impl Iterator<Item = u32> {
        self.hints.iter().map(|hint| hint.file)
    }

    fn add_paths(&mut self, question: &CodeQuestion, terms: &[NamedTerm]) {
        let catalog = self.catalog;
        for term in terms {
            for file in catalog.stems.posting_list(term.number) {
                let hint = self.hint_at(file);
                hint.spelled += term.rarity;
                hint.spelled_share += term.share;
            }
            for file in catalog.directories.posting_list(term.number) {
                self.hint_at(file).directories += term.share;
            }
        }
        // A plain word that happens to be a file's name says half of what a word written as a name says.
        for (keys, value) in [(&question.keys, 1.0), (&question.words, 0.5)] {
            for file in keys.iter().flat_map(|key| catalog.spellings.files_with_key(key)) {
                let hint = self.hint_at(file);
                hint.named_file = f32::max(hint.named_file, value);
            }
        }
        for (join, words) in &question.joins {
            for file in catalog.spellings.files_with_key(join) {
                let hint = self.hint_at(file);
                // Two words written together are one, three say more: `ratelimitstore` is hit by chance less often than
                // `ratelimit`.
                hint.joined_name = hint.joined_name.max(f32::from(*words) / 2.0);
            }
        }
        // The index by endings gives candidates only; `spells_path` compares the steps.
        for file in catalog.spellings.files_with_ending(question) {
            if question.spells_path(&catalog.files[file as usize].path) {
                self.hint_at(file).spelled_path = 1.0;
            }
        }
    }

    fn add_names(&mut self, question: &CodeQuestion, terms: &[NamedTerm]) {
        let catalog = self.catalog;
        let names = &self.catalog.names;
        // Dense by symbol number, not a map: a common word is part of very many names.
        let mut shared = vec![(0.0_f32, 0.0_f32); names.symbol_count() as usize];
        let mut fitting: Vec<u32> = Vec::new();
        for term in terms {
            for symbol in names.with_term(term.number) {
                let (covered, explained) = &mut shared[symbol as usize];
                if *covered == 0.0 {
                    fitting.push(symbol);
                }
                *covered += term.share;
                *explained += term.rarity;
            }
        }
        for number in fitting {
            let (covered, explained) = shared[number as usize];
            let precision = explained / names.name_mass(number).max(f32::MIN_POSITIVE);
            // Harmonic mean: a long name must not win by covering much of the question, nor a one-word name by being
            // all of it.
            let fits = 2.0 * covered * precision / (covered + precision);
            self.symbols[number as usize] = fits;
            let symbol = names.symbol(number);
            let worth = match symbol.sort {
                NameKind::Type => 1.0,
                NameKind::Function => 0.9,
                NameKind::Value => 0.5,
            };
            let hint = self.hint_at(symbol.file);
            hint.symbol_name = hint.symbol_name.max(worth * fits);
            if symbol.kind == SymbolKind::Section {
                hint.heading = hint.heading.max(fits);
            }
        }
        for key in &question.keys {
            let called = names.with_key(key).count() as f32;
            // `new` or `run` is defined in hundreds of places, and being called so tells none of them apart.
            let says = 1.0 / (1.0 + called.max(1.0).ln());
            self.exact.extend(names.with_key(key).map(|number| (number, says)));
        }
        self.in_title.extend(question.title_keys.iter().flat_map(|key| names.with_key(key)));
        // A question that spells many names is about all of them: each definition alone is a part of the answer.
        let each = 1.0 / question.keys.len().clamp(1, 4) as f32;
        let exact: Vec<u32> = self.exact.keys().copied().filter(|number| self.name_fit(*number).is_some()).collect();
        for number in exact {
            let symbol = names.symbol(number);
            let share = each * symbol.lines.count() as f32 / catalog.files[symbol.file as usize].lines.max(1) as f32;
            let hint = self.hint_at(symbol.file);
            match symbol.sort {
                NameKind::Type => hint.named_type = each,
                NameKind::Function => hint.named_function = each,
                NameKind::Value => continue,
            }
            hint.named_share = hint.named_share.max(share);
        }
    }

    /// How well a symbol fits by its name.
    pub(super) fn name_fit(&self, symbol: u32) -> Option<f32> {
        let fits = self.symbols[symbol as usize];
        (fits > 0.0).then_some(fits)
    }
}
