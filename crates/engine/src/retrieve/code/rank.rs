//! Scoring every file of a catalog for one question.

use super::catalog::{Catalog, Entry};
use super::features::{FEATURES, Feature, Values, score};
use super::fuse::fuse;
use super::meaning::Asked;
use super::names::Sort;
use super::question::{Question, Term, key};
use crate::index::{Counts, Field, each_posting};
use crate::retrieve::strategy::Fusion;
use crate::retrieve::{Filters, ScorePart};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use model::{LineRange, SymbolKind};
use store::Postings;
use syntax::Holds;

/// A file with how well it fits, and its best unit.
pub(crate) struct Ranked {
    pub(crate) file: u32,
    pub(crate) unit: Option<u32>,
    /// The lines of the symbol in that unit whose name fits best.
    pub(crate) focus: Option<LineRange>,
    pub(crate) score: f32,
    pub(crate) values: Values,
    pub(crate) has_vectors: bool,
    /// Which terms it has, as a set of bits.
    pub(crate) terms: u32,
    /// Its places in the rankings that were fused, where any were.
    pub(crate) places: Vec<ScorePart>,
}

/// By which rules files are ranked.
pub(crate) struct Rules {
    pub(crate) filters: Filters,
    /// How many at most.
    pub(crate) limit: usize,
    /// The rankings to be fused; none where one sum decides.
    pub(super) fusion: Option<Fusion>,
}

const K1: f32 = 1.2;
const B: f32 = 0.5;

/// So many files at least are compared unit by unit.
const CLOSER: usize = 150;

/// A file that shares no word with a question is found when it is at least so near in meaning.
const NEAR: f32 = 0.25;

/// The files that fit a question best, at most `limit`, equals in the order of their paths.
pub(crate) fn rank(
    catalog: &Catalog,
    question: &mut Question,
    asked: Option<&Asked>,
    postings: &[Postings],
    rules: &Rules,
) -> Vec<Ranked> {
    let Rules { filters, limit, fusion } = rules;
    let found = Found::new(catalog, postings);
    question.shorten(|term| found.of(term).map_or(0.0, |found| found.file_rarity));
    let ranking = Ranking::new(catalog, question, asked, &found);
    let kept =
        catalog.files.iter().zip(0..).filter(|(file, _)| !file.is_gone && filters.keeps(&file.path, file.language));
    let is_near =
        |file: u32| fusion.as_ref().is_some_and(|fusion| fusion.near.contains_key(&catalog.files[file as usize].path));
    let mut ranked: Vec<Ranked> = kept.filter_map(|(_, number)| ranking.file(number, is_near(number))).collect();
    let path = |ranked: &Ranked| &catalog.files[ranked.file as usize].path;
    let best_first = |ranked: &mut Vec<Ranked>| {
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| path(a).cmp(path(b))));
    };
    best_first(&mut ranked);
    if let Some(asked) = asked {
        // Units are many: only those of files that may still come first are compared.
        let mut place = 0;
        ranked.retain(|file| {
            place += 1;
            place <= limit.max(&CLOSER) * 2 || is_near(file.file)
        });
        for file in &mut ranked {
            ranking.compare_units(file, asked);
        }
        best_first(&mut ranked);
    }
    if let Some(fusion) = fusion {
        fuse(catalog, question.is_long, &mut ranked, fusion);
        best_first(&mut ranked);
    }
    if !filters.kinds.is_empty() {
        ranked.retain(|file| ranking.best_unit(&catalog.files[file.file as usize], &filters.kinds).is_some());
    }
    ranked.truncate(*limit);
    for file in &mut ranked {
        file.unit = ranking.best_unit(&catalog.files[file.file as usize], &filters.kinds);
        file.focus = file.unit.and_then(|unit| ranking.focus(unit));
    }
    ranked
}

/// Where the terms of a question stand.
struct Found<'a> {
    terms: HashMap<&'a str, FoundTerm>,
}

/// Units with how often a term stands in their body, and files that have it anywhere.
type Hits = (Vec<(u32, u32)>, Vec<u32>);

/// Where one term stands.
struct FoundTerm {
    /// Units with how often it stands in their body.
    units: Vec<(u32, u32)>,
    file_rarity: f32,
    unit_rarity: f32,
}

impl<'a> Found<'a> {
    fn new(catalog: &Catalog, postings: &'a [Postings]) -> Self {
        let mut hits: HashMap<&str, Hits> = HashMap::new();
        for posting in postings {
            let (units, files) = hits.entry(&posting.term).or_default();
            each_posting(&posting.bytes, |unit, counts: &Counts| {
                let Some(unit) = catalog.unit(posting.segment, unit) else { return };
                let body = counts[Field::Body as usize];
                if body > 0 {
                    units.push((unit, body));
                }
                files.push(catalog.units[unit as usize].file);
            });
        }
        let rarity = |all: usize, some: usize| {
            let (all, some) = (all as f32, some as f32);
            (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
        };
        let terms = hits.into_iter().map(|(term, (mut units, mut files))| {
            units.sort_unstable();
            files.sort_unstable();
            files.dedup();
            let file_rarity = rarity(catalog.file_count, files.len());
            let unit_rarity = rarity(catalog.unit_count, units.len());
            (term, FoundTerm { units, file_rarity, unit_rarity })
        });
        Self { terms: terms.collect() }
    }

    fn of(&self, term: &Term) -> Option<&FoundTerm> {
        self.terms.get(term.stem.as_str())
    }
}

/// What a question gives each unit, symbol and file.
struct Ranking<'a> {
    catalog: &'a Catalog,
    question: &'a Question,
    asked: Option<&'a Asked>,
    /// By unit: how well it fits by words, and how much of the question it has.
    fit: Vec<f32>,
    covered: Vec<f32>,
    /// By file: how well it fits by words, and which terms it has.
    file_fit: Vec<f32>,
    file_terms: Vec<u32>,
    /// How well each named symbol fits.
    symbols: HashMap<u32, f32>,
    /// Symbols that the question names.
    exact: HashSet<u32>,
    /// Numbers of the question's terms among names, with their share of the question.
    named_terms: Vec<(u32, f32, f32)>,
}

impl<'a> Ranking<'a> {
    fn new(catalog: &'a Catalog, question: &'a Question, asked: Option<&'a Asked>, found: &Found<'_>) -> Self {
        let known = || question.terms.iter().filter_map(|term| Some((term, found.of(term)?)));
        let file_mass: f32 = known().map(|(term, found)| term.weight * found.file_rarity).sum();
        let unit_mass: f32 = known().map(|(term, found)| term.weight * found.unit_rarity).sum();
        let mut ranking = Self {
            catalog,
            question,
            asked,
            fit: vec![0.0; catalog.units.len()],
            covered: vec![0.0; catalog.units.len()],
            file_fit: vec![0.0; catalog.files.len()],
            file_terms: vec![0; catalog.files.len()],
            symbols: HashMap::new(),
            exact: HashSet::new(),
            named_terms: Vec::new(),
        };
        for (at, term) in question.terms.iter().enumerate() {
            let Some(found) = found.of(term) else { continue };
            ranking.add_bodies(at, term, found, file_mass, unit_mass);
            if let Some(number) = catalog.names.known_term(&term.stem) {
                let share = term.weight * found.file_rarity / file_mass;
                ranking.named_terms.push((number, share, catalog.names.rarity(number)));
            }
        }
        ranking.add_names();
        ranking
    }

    fn add_bodies(&mut self, at: usize, term: &Term, found: &FoundTerm, file_mass: f32, unit_mass: f32) {
        let share = term.weight * found.unit_rarity / unit_mass;
        let mut by_file: Vec<(u32, u32)> = Vec::new();
        for (unit, count) in &found.units {
            let of = &self.catalog.units[*unit as usize];
            let saturated = saturate(*count, of.terms, self.catalog.average_unit);
            self.fit[*unit as usize] += share * saturated;
            self.covered[*unit as usize] += share;
            match by_file.last_mut() {
                Some((file, total)) if *file == of.file => *total += count,
                _ => by_file.push((of.file, *count)),
            }
        }
        let share = term.weight * found.file_rarity / file_mass;
        for (file, count) in by_file {
            let terms = self.catalog.files[file as usize].terms;
            self.file_fit[file as usize] += share * saturate(count, terms, self.catalog.average_file);
            self.file_terms[file as usize] |= 1 << at.min(31);
        }
    }

    fn add_names(&mut self) {
        let names = &self.catalog.names;
        let mut shared: HashMap<u32, (f32, f32)> = HashMap::new();
        for (term, share, rarity) in &self.named_terms {
            for symbol in names.with_term(*term) {
                let (covered, explained) = shared.entry(*symbol).or_default();
                *covered += share;
                *explained += rarity;
            }
        }
        for (symbol, (covered, explained)) in shared {
            let precision = explained / names.mass(symbol).max(f32::MIN_POSITIVE);
            let fits = 2.0 * covered * precision / (covered + precision);
            self.symbols.insert(symbol, fits);
        }
        for key in &self.question.keys {
            self.exact.extend(names.with_key(key));
        }
    }

    /// The file with its score; none where it has nothing of the question, and is not near what is named either.
    fn file(&self, number: u32, is_near: bool) -> Option<Ranked> {
        let file = &self.catalog.files[number as usize];
        let mut values: Values = [0.0; FEATURES];
        let mut set = |feature: Feature, value: f32| values[feature as usize] = value;
        let units = file.units.start as usize..file.units.end as usize;
        let (mut best, mut second) = (0.0_f32, 0.0_f32);
        for fit in &self.fit[units.clone()] {
            if *fit > best {
                (best, second) = (*fit, best);
            } else if *fit > second {
                second = *fit;
            }
        }
        set(Feature::BestUnit, best);
        set(Feature::SecondUnit, second);
        set(Feature::WholeFile, self.file_fit[number as usize]);
        set(Feature::Coverage, self.covered[units].iter().copied().fold(0.0, f32::max));
        self.by_path(file, &mut set);
        self.by_names(file, &mut set);
        let is_found = values.iter().any(|value| *value > 0.0);
        let mut set = |feature: Feature, value: f32| values[feature as usize] = value;
        let near = self.asked.map_or(0.0, |asked| self.catalog.meanings.file(number, asked));
        let is_found = is_found || is_near || near > NEAR;
        if !is_found {
            return None;
        }
        self.by_nature(file, &mut set);
        if let Some(asked) = self.asked {
            set(Feature::FileMeaning, near);
            set(Feature::PathMeaning, self.catalog.meanings.path(number, asked));
            // Until they are compared, its units are taken to mean what all of it does.
            set(Feature::UnitMeaning, near);
        }
        let score = score(&values, self.asked.is_some(), self.question.is_long);
        Some(Ranked {
            file: number,
            unit: None,
            focus: None,
            score,
            values,
            has_vectors: self.asked.is_some(),
            terms: self.file_terms[number as usize],
            places: Vec::new(),
        })
    }

    fn compare_units(&self, ranked: &mut Ranked, asked: &Asked) {
        let units = self.catalog.files[ranked.file as usize].units.clone();
        ranked.values[Feature::UnitMeaning as usize] = self.catalog.meanings.nearest(units, asked);
        ranked.score = score(&ranked.values, true, self.question.is_long);
    }

    fn by_path(&self, file: &Entry, set: &mut impl FnMut(Feature, f32)) {
        let names = &self.catalog.names;
        let all: f32 = file.stem.iter().map(|term| names.rarity(*term)).sum();
        let has = |terms: &[u32], term: u32| terms.binary_search(&term).is_ok();
        let spelled = self.named_terms.iter().filter(|(term, ..)| has(&file.stem, *term));
        set(Feature::FileName, spelled.map(|(.., rarity)| rarity).sum::<f32>() / all.max(f32::MIN_POSITIVE));
        let above = self.named_terms.iter().filter(|(term, ..)| has(&file.directories, *term));
        set(Feature::Directories, above.map(|(_, share, _)| share).sum());
        let is_one_of = |keys: &[String]| file.stem_keys.iter().any(|key| keys.contains(key));
        let called_so = if is_one_of(&self.question.keys) {
            1.0
        } else if is_one_of(&self.question.words) {
            0.5
        } else {
            0.0
        };
        set(Feature::NamedFile, called_so);
        let joined = self.question.joins.iter().filter(|(join, _)| file.stem_keys.contains(join));
        set(Feature::JoinedName, joined.map(|(_, words)| f32::from(*words) / 2.0).fold(0.0, f32::max));
        set(Feature::SpelledPath, f32::from(u8::from(self.spells_path(file))));
    }

    /// Whether the question has the file's name with its extension, or the last two steps of its path.
    fn spells_path(&self, file: &Entry) -> bool {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let bare = |path: &str| path.rsplit_once('.').map_or(path, |(bare, _)| bare).to_owned();
        let mut steps: Vec<String> = bare(&file.path).split('/').map(key).collect();
        if steps.len() > 1 && steps.last().is_some_and(|last| ["init", "index", "mod"].contains(&last.as_str())) {
            steps.pop();
        }
        self.question.chains.iter().any(|chain| {
            let spells_name = chain.rsplit(['/', '\\']).next().is_some_and(|last| last.split(':').next() == Some(name));
            let parts: Vec<String> = super::question::words(chain).map(key).collect();
            let spells_steps = steps.len() >= 2
                && parts.windows(2).any(|pair| pair[0] == steps[steps.len() - 2] && pair[1] == steps[steps.len() - 1]);
            (spells_name && name.contains('.')) || spells_steps
        })
    }

    fn by_names(&self, file: &Entry, set: &mut impl FnMut(Feature, f32)) {
        let (mut name, mut of_type, mut of_function, mut share) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
        let each = 1.0 / self.question.keys.len().clamp(1, 4) as f32;
        for number in file.symbols.clone() {
            let Some(fits) = self.symbols.get(&number) else { continue };
            let symbol = self.catalog.names.symbol(number);
            let worth = match symbol.sort {
                Sort::Type => 1.0,
                Sort::Function => 0.9,
                Sort::Value => 0.5,
            };
            name = name.max(worth * fits);
            if self.exact.contains(&number) && symbol.sort != Sort::Value {
                match symbol.sort {
                    Sort::Type => of_type = each,
                    Sort::Function => of_function = each,
                    Sort::Value => {}
                }
                share = share.max(each * symbol.lines.count() as f32 / file.lines.max(1) as f32);
            }
        }
        set(Feature::SymbolName, name);
        set(Feature::NamedType, of_type);
        set(Feature::NamedFunction, of_function);
        set(Feature::NamedShare, share.min(1.0));
    }

    fn by_nature(&self, file: &Entry, set: &mut impl FnMut(Feature, f32)) {
        let asks_tests = self.question.asks_tests && !self.question.is_long;
        let asks_documents = self.question.asks_documents && !self.question.is_long;
        let mut sign = |feature: Feature, is: bool| set(feature, f32::from(u8::from(is)));
        sign(Feature::Test, file.signs.test && !asks_tests);
        sign(Feature::Example, file.signs.example && !asks_documents);
        sign(Feature::Vendored, file.signs.vendored);
        sign(Feature::Generated, file.signs.generated);
        sign(Feature::Legacy, file.signs.legacy);
        sign(Feature::Internal, file.signs.internal);
        let is_header = [".h", ".hh", ".hpp"].iter().any(|ending| file.path.ends_with(ending));
        sign(Feature::Header, self.catalog.headers_repeat && is_header);
        sign(Feature::PassesOn, file.passes_on);
        sign(Feature::Prose, file.holds == Holds::Prose && !asks_documents);
        sign(Feature::Data, file.holds == Holds::Data);
        set(Feature::Length, (1.0 + file.terms as f32).ln() / 8.0);
        set(Feature::Users, (1.0 + file.users).ln() / 5.0);
        set(Feature::Importers, (1.0 + file.importers).ln() / 4.0);
    }

    /// The symbol inside a unit whose name fits best.
    fn focus(&self, unit: u32) -> Option<LineRange> {
        let unit = &self.catalog.units[unit as usize];
        let inside = |lines: &LineRange| lines.start >= unit.lines.start && lines.end <= unit.lines.end;
        let symbols = self.catalog.files[unit.file as usize].symbols.clone();
        let fits = symbols.filter_map(|number| {
            let symbol = self.catalog.names.symbol(number);
            let exact = f32::from(u8::from(self.exact.contains(&number)));
            let called = if symbol.sort == Sort::Value { 0.5 } else { 1.0 };
            let fit = called * (self.symbols.get(&number)? + exact);
            (inside(&symbol.lines) && symbol.lines != unit.lines).then_some((fit, symbol.lines))
        });
        let best = fits.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.start.cmp(&a.1.start)));
        best.map(|(_, lines)| lines)
    }

    /// The unit to show: the one that fits best by words and by what it defines, of some kinds where there are any.
    fn best_unit(&self, file: &Entry, kinds: &[SymbolKind]) -> Option<u32> {
        let score = |number: &u32| {
            let unit = &self.catalog.units[*number as usize];
            let mut defined = 0.0_f32;
            let mut named = 0.0_f32;
            for symbol in file.symbols.clone() {
                let Some(fits) = self.symbols.get(&symbol) else { continue };
                let of = self.catalog.names.symbol(symbol);
                if of.lines.start < unit.lines.start || of.lines.start > unit.lines.end {
                    continue;
                }
                let (worth, exact) = match of.sort {
                    Sort::Type => (1.0, 1.5),
                    Sort::Function => (0.9, 1.0),
                    Sort::Value => (0.4, 0.2),
                };
                defined = defined.max(worth * fits);
                if self.exact.contains(&symbol) {
                    named += exact;
                }
            }
            let near = self.asked.map_or(0.0, |asked| self.catalog.meanings.unit(*number, asked));
            self.fit[*number as usize] + 2.0 * near + defined + named
        };
        let is_wanted = |unit: &u32| {
            kinds.is_empty() || self.catalog.symbol_of(*unit).is_some_and(|(_, kind)| kinds.contains(&kind))
        };
        let best = file.units.clone().filter(is_wanted).map(|unit| (score(&unit), unit));
        best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, unit)| unit)
    }
}

/// How much a count says, corrected for length: twice as often is not twice as much.
fn saturate(count: u32, length: u32, average: f32) -> f32 {
    let count = count as f32;
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length as f32 / average))
}
