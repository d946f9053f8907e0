//! The way from bytes to facts, step by step; every step that fails leaves a problem and what was found before it.

use crate::facts::{FileFacts, Limits, Problem, ProblemKind};
use crate::language::{Language, language_of};
use crate::lines::Lines;
use crate::symbols::Defined;
use crate::{embedded, nature, parse, references, symbols, units, walk};
use tree_sitter::Range;
use walk::{Harvest, Trouble};

/// Extracts a file's facts. `path` is project-relative, with `/` between its parts.
pub fn extract(path: &str, bytes: &[u8], limits: &Limits) -> FileFacts {
    extract_until(path, bytes, limits, &|| false)
}

/// The same, giving up on the parse when `stop` says so.
///
/// The budget of work in `limits` holds for what people write. Recovery from errors can be far slower than its number
/// of steps tells, so whoever reads files from anywhere asks a clock here too.
pub fn extract_until(path: &str, bytes: &[u8], limits: &Limits, stop: &dyn Fn() -> bool) -> FileFacts {
    let language = language_of(path, bytes);
    let mut facts = FileFacts { language: language.map(Language::name), ..FileFacts::default() };
    let mut problem = |line: Option<u32>, kind| facts.problems.push(Problem { line, kind });
    if let Some(kind) = nature::not_text(bytes) {
        problem(None, kind);
        return facts;
    }
    let is_large = bytes.len() > limits.max_bytes;
    if is_large {
        problem(None, ProblemKind::TooLarge { bytes: bytes.len(), limit: limits.max_bytes });
        if u32::try_from(bytes.len()).is_err() {
            return facts;
        }
    }
    let lines = Lines::new(bytes);
    facts.lines = lines.count();
    if let Some(byte) = nature::first_invalid(bytes) {
        problem(Some(lines.row_of(byte) + 1), ProblemKind::NotUtf8);
    }
    if nature::is_pointer(bytes) {
        problem(None, ProblemKind::Pointer);
    } else if language.is_some() && nature::is_generated(bytes) {
        problem(None, ProblemKind::Generated);
    }
    let is_minified = language.is_some_and(|language| !language.has_long_lines()) && nature::is_minified(&lines);
    if is_minified {
        problem(None, ProblemKind::Minified);
        if is_large {
            return facts;
        }
    }
    let harvest = match language {
        Some(_) if is_large || is_minified => None,
        Some(_) if nature::is_wordless(bytes) => {
            problem(None, ProblemKind::Wordless);
            None
        }
        Some(language) => match nature::too_deep_brace(bytes, language.deepest_braces()) {
            Some((byte, limit)) => {
                problem(Some(lines.row_of(byte) + 1), ProblemKind::TooDeep { limit });
                None
            }
            None => harvest(language, &lines, limits, stop, &mut problem),
        },
        None => None,
    };
    if let (Some(language), Some(mut harvest)) = (language, harvest) {
        let Defined { symbols, names, prototypes } = symbols::symbols(path, language, &lines, &mut harvest);
        (facts.symbols, facts.prototypes) = (symbols, prototypes);
        references::place(&mut facts, std::mem::take(&mut harvest.uses), &lines, &names, &harvest.leads);
        facts.units = units::by_pieces(&lines, &harvest, &facts);
    } else {
        facts.units = units::by_lines(&lines);
    }
    facts
}

fn harvest(
    language: &Language,
    lines: &Lines,
    limits: &Limits,
    stop: &dyn Fn() -> bool,
    problem: &mut impl FnMut(Option<u32>, ProblemKind),
) -> Option<Harvest> {
    let read = |language: &Language, stretch: Option<Range>| {
        let rules = language.rules();
        parse::with_tree(rules, lines.bytes(), stretch, limits.parse_millis, stop, |tree, queries| {
            walk::walk(tree, queries, rules, lines, limits.max_depth)
        })
    };
    let Some(mut harvest) = read(language, None) else {
        problem(None, ProblemKind::TimedOut);
        return None;
    };
    let embedded = embedded::take(&mut harvest);
    for (embedded, language) in &embedded {
        if let Some(inner) = read(language, Some(embedded.range)) {
            embedded::join(&mut harvest, inner, embedded);
            continue;
        }
        problem(Some(embedded.row() + 1), ProblemKind::TimedOut);
        // Whoever has no time left has none for the next stretch.
        if stop() {
            break;
        }
    }
    if !embedded.is_empty() {
        embedded::in_order(&mut harvest);
    }
    let line = |trouble: Trouble| Some(trouble.row + 1);
    if let Some(trouble) = harvest.too_deep {
        problem(line(trouble), ProblemKind::TooDeep { limit: limits.max_depth });
    }
    if let Some(trouble) = harvest.errors {
        problem(line(trouble), ProblemKind::SyntaxErrors { count: trouble.count });
    }
    Some(harvest)
}
