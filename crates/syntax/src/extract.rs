//! The pipeline `extract` from the bytes of a file to its `FileExtract` (symbols, references, units): detects the
//! language, parses, walks the tree and collects the results. Every step that fails leaves a problem and what was found
//! before it.

use crate::file_extract::{ExtractLimits, FileExtract, FileProblem, ProblemKind};
use crate::harvest::{ErrorCount, WalkHarvest};
use crate::language::lost_definitions::{LostDefinition, definition_ends};
use crate::language::{Language, language_of};
use crate::line_table::LineTable;
use crate::symbols::{FileDefinitions, build_symbols, references};
use crate::walk::{embedded_text, walk_tree};
use crate::{content_checks, parse, units};
use model::{ByteSpan, LineRange};
use tree_sitter::Range;

/// Unparsed rows that are at most this far apart belong to one stretch.
const NEAR_ROWS: u32 = 4;
/// Stretches with fewer unparsed rows are not reported.
const WORTH_TELLING: u32 = 5;
/// How many stretches of one file are reported.
const MOST_TOLD: usize = 20;

/// How many times the size of a file may be parsed again to recover lost definitions.
const LOST_READS: usize = 4;

/// Extracts what a file holds. `path` is project-relative, with `/` between its parts.
pub fn extract(path: &str, bytes: &[u8], limits: &ExtractLimits) -> FileExtract {
    extract_until(path, bytes, limits, &|| false)
}

/// The same, giving up on the parse once `stop` returns true.
///
/// The budget of work in `limits` holds for what people write. Recovery from errors can be far slower than its number
/// of steps tells, so a caller that reads untrusted files also checks a clock in `stop`.
pub fn extract_until(path: &str, bytes: &[u8], limits: &ExtractLimits, stop: &dyn Fn() -> bool) -> FileExtract {
    let language = language_of(path, bytes);
    let mut extract = FileExtract { language: language.map(Language::name), ..FileExtract::default() };
    let mut problem = |line: Option<u32>, kind| extract.problems.push(FileProblem { line, kind });
    if let Some(kind) = content_checks::not_text(bytes) {
        problem(None, kind);
        return extract;
    }
    let limit = limits.most_bytes(language);
    let is_large = bytes.len() > limit;
    if is_large {
        problem(None, ProblemKind::TooLarge { bytes: bytes.len(), limit });
        // Offsets are `u32` everywhere, so a larger file cannot be described at all.
        if u32::try_from(bytes.len()).is_err() {
            return extract;
        }
    }
    let lines = LineTable::new(bytes);
    extract.lines = lines.line_count();
    if let Some(byte) = content_checks::first_invalid(bytes) {
        problem(Some(lines.row_of(byte) + 1), ProblemKind::NotUtf8);
    }
    // A pointer and a generated file are reported and still indexed: their words may be searched for.
    if content_checks::is_pointer(bytes) {
        problem(None, ProblemKind::Pointer);
    } else if language.is_some() && content_checks::is_generated(bytes) {
        problem(None, ProblemKind::Generated);
    }
    let is_minified =
        language.is_some_and(|language| !language.has_long_lines()) && content_checks::is_minified(&lines);
    if is_minified {
        problem(None, ProblemKind::Minified);
        if is_large {
            return extract;
        }
    }
    let harvest = match (language, language.and_then(Language::heading_rules)) {
        (Some(_), _) if is_large || is_minified => None,
        (_, Some(headings)) => Some(headings.harvest_headings(&lines)),
        (Some(_), None) if content_checks::is_wordless(bytes) => {
            problem(None, ProblemKind::Wordless);
            None
        }
        // Some scanners look ahead to the end of the file at each open brace: deep nesting takes quadratic time.
        (Some(language), None) => match content_checks::too_deep_brace(bytes, language.deepest_braces()) {
            Some((byte, limit)) => {
                problem(Some(lines.row_of(byte) + 1), ProblemKind::TooDeep { limit });
                None
            }
            None => harvest_file(language, &lines, limits, stop, &mut problem),
        },
        (None, None) => None,
    };
    if let (Some(language), Some(mut harvest)) = (language, harvest) {
        let FileDefinitions { symbols, names, prototypes } = build_symbols(path, language, &lines, &mut harvest);
        (extract.symbols, extract.prototypes) = (symbols, prototypes);
        references::place_uses(&mut extract, std::mem::take(&mut harvest.uses), &lines, &names, &harvest.leads);
        extract.unparsed = unparsed_ranges(&harvest, &lines);
        extract.units = units::by_pieces(&lines, &harvest, &extract, language.content_kind());
    } else {
        extract.units = units::by_lines(&lines);
    }
    extract
}

/// The stretches that are worth reporting. Unparsed rows lie close together where a definition was lost.
fn unparsed_ranges(harvest: &WalkHarvest, lines: &LineTable) -> Vec<LineRange> {
    let mut stretches: Vec<(LineRange, u32)> = Vec::new();
    let rows = harvest.senseless.iter().filter(|row| **row < lines.line_count() && !lines.is_blank(**row));
    for line in rows.map(|row| row + 1) {
        match stretches.last_mut() {
            Some((last, count)) if line <= last.end + NEAR_ROWS => {
                last.end = line;
                *count += 1;
            }
            _ => stretches.push((LineRange { start: line, end: line }, 1)),
        }
    }
    let told = stretches.into_iter().filter(|(_, count)| *count >= WORTH_TELLING).map(|(lines, _)| lines);
    told.take(MOST_TOLD).collect()
}

/// Reads a file, or a stretch of it, with the embedded texts in it.
struct HarvestReader<'a> {
    lines: &'a LineTable<'a>,
    limits: &'a ExtractLimits,
    stop: &'a dyn Fn() -> bool,
}

impl HarvestReader<'_> {
    /// Parses and walks one stretch; with what it found come the definitions that the parser lost.
    fn read_harvest(&self, language: &Language, stretch: Option<Range>) -> Option<(WalkHarvest, Vec<LostDefinition>)> {
        let rules = language.query_rules()?;
        let lines = self.lines;
        parse::with_tree(rules, lines.bytes(), stretch, self.limits.parse_millis, self.stop, |tree, queries| {
            let harvest = walk_tree(tree, queries, rules, lines, self.limits.max_depth);
            let all = ByteSpan { start: 0, end: lines.bytes().len() as u32 };
            let stretch = stretch
                .map_or(all, |stretch| ByteSpan { start: stretch.start_byte as u32, end: stretch.end_byte as u32 });
            let patterns = rules.lost_patterns();
            let lost = if patterns.may_be_lost(harvest.errors.is_some(), &lines.bytes()[stretch.to_range()]) {
                patterns.find_lost(tree, |kind| rules.is_comment(kind), lines, &harvest, stretch)
            } else {
                Vec::new()
            };
            (harvest, lost)
        })
    }

    /// The same, with embedded texts; the rows of texts that could not be parsed in time are `late`.
    fn read_deep(
        &self,
        language: &'static Language,
        stretch: Option<Range>,
        depth: u8,
        late: &mut Vec<u32>,
    ) -> Option<WalkHarvest> {
        let (mut harvest, lost) = self.read_harvest(language, stretch)?;
        // Before embedded texts are taken: a definition that is read again may bring some of its own.
        self.find_lost(&mut harvest, lost, language);
        let embedded = embedded_text::take_stretches(&mut harvest, language);
        for (embedded, language) in &embedded {
            if depth >= embedded_text::MAX_MACRO_DEPTH {
                break;
            }
            match self.read_deep(language, Some(embedded.range), depth + 1, late) {
                Some(inner) => embedded_text::merge_embedded(&mut harvest, inner, embedded),
                None => late.push(embedded.first_row()),
            }
            // When the caller's time is used up, the next stretch is not parsed either.
            if !late.is_empty() && (self.stop)() {
                break;
            }
        }
        // Facts of embedded texts were appended, and later steps rely on the order of places.
        if !embedded.is_empty() {
            embedded_text::in_order(&mut harvest);
        }
        Some(harvest)
    }

    /// Parses each lost definition again, alone; one that cannot be parsed is known by its name.
    fn find_lost(&self, harvest: &mut WalkHarvest, lost: Vec<LostDefinition>, language: &Language) {
        if lost.is_empty() {
            return;
        }
        let mut known = definition_ends(harvest);
        let mut room = self.lines.bytes().len() * LOST_READS;
        for lost in lost {
            // An outer definition that was read again may have brought this one with it.
            if lost.is_in(&known) {
                continue;
            }
            let range = lost.reparse_range(self.lines);
            let size = range.end_byte - range.start_byte;
            let read = if size <= room { self.read_harvest(language, Some(range)) } else { None };
            let read = read.map(|(inner, _)| inner);
            room = room.saturating_sub(size);
            // Only a part of the definition was found before.
            if known.remove(&lost.name.start).is_some() {
                harvest.found.retain(|found| found.name.start != lost.name.start);
            }
            if let Some(inner) = read.filter(|inner| lost.is_in(&definition_ends(inner))) {
                embedded_text::replace_definition(harvest, inner, range, &mut known);
            } else if let Some(rules) = language.query_rules() {
                let found = lost.raw_definition(rules.after_patterns(), self.lines.bytes());
                known.insert(found.name.start, found.span.end);
                harvest.found.push(found);
            }
        }
        embedded_text::in_order(harvest);
    }
}

fn harvest_file(
    language: &'static Language,
    lines: &LineTable,
    limits: &ExtractLimits,
    stop: &dyn Fn() -> bool,
    problem: &mut impl FnMut(Option<u32>, ProblemKind),
) -> Option<WalkHarvest> {
    let mut late = Vec::new();
    let Some(harvest) = (HarvestReader { lines, limits, stop }).read_deep(language, None, 0, &mut late) else {
        problem(None, ProblemKind::TimedOut);
        return None;
    };
    for row in late {
        problem(Some(row + 1), ProblemKind::TimedOut);
    }
    let line = |trouble: ErrorCount| Some(trouble.row + 1);
    if let Some(trouble) = harvest.too_deep {
        problem(line(trouble), ProblemKind::TooDeep { limit: limits.max_depth });
    }
    if let Some(trouble) = harvest.errors {
        problem(line(trouble), ProblemKind::SyntaxErrors { count: trouble.count });
    }
    Some(harvest)
}
