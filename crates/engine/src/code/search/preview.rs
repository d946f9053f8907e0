//! Makes the preview (snippet) of a search result for a person: its signature and the line in it that fits best, with
//! the words of the question highlighted.
//!
//! Both cost a read of the file and of its indexed symbols, so they are made on request only.

use super::SearchHit;
use crate::base::run_blocking;
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::index;
use crate::code::read::shown_lines;
use crate::code::search::{unique_stems, word_pieces};
use foldhash::{HashMap, HashMapExt};
use model::{LineRange, Symbol};
use std::ops::Range;

/// What to show of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitPreview {
    /// The signature of the symbol that the result mostly is, at the line of its name.
    pub signature: Option<ShownLine>,
    /// The line that holds most of what the signature does not.
    pub line: Option<ShownLine>,
}

/// A line of a file, or a signature of several on one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownLine {
    /// Its number.
    pub number: u32,
    /// Its text without indentation, shortened where it is very long.
    pub text: String,
    /// Where the words of the question stand in it, in bytes.
    pub highlights: Vec<Range<usize>>,
}

/// Adds to each result what to show of it.
pub(crate) async fn add_previews(code: &CodeContext, project: &Project, hits: &mut [SearchHit]) -> Result<()> {
    let mut paths: Vec<String> = hits.iter().map(|hit| hit.path.clone()).collect();
    paths.sort_unstable();
    // Several results may be regions of one file, and its symbols are decoded once.
    paths.dedup();
    let symbols = index::symbols_at(code, project, &paths).await?;
    let by_path: HashMap<String, Vec<Symbol>> = paths.into_iter().zip(symbols).collect();
    let project = project.clone();
    let asked = hits.to_vec();
    let previews = run_blocking("reading files", move || {
        let preview = |hit: &SearchHit| {
            let symbols = by_path.get(&hit.path).map_or(&[][..], Vec::as_slice);
            let of_hit = hit.symbol.as_ref().and_then(|(id, _)| symbols.iter().find(|symbol| symbol.id == *id));
            // A file that went away since it was found has no lines to show.
            let text = shown_lines(&project, &hit.path, hit.lines).unwrap_or_default();
            HitPreview::from_lines(&text, hit.lines, &hit.matched, of_hit)
        };
        asked.iter().map(preview).collect::<Vec<_>>()
    })
    .await?;
    for (hit, preview) in hits.iter_mut().zip(previews) {
        hit.preview = preview;
    }
    Ok(())
}

impl HitPreview {
    /// The preview of some lines that hold words with these stems.
    fn from_lines(text: &str, lines: LineRange, wanted: &[String], symbol: Option<&Symbol>) -> Self {
        let signature = symbol.filter(|symbol| !symbol.signature.is_empty());
        let signature = signature.map(|symbol| ShownLine::new(symbol.name_line, &symbol.signature, wanted));
        let told: Vec<&str> = signature.iter().flat_map(|line| line.held_stems(wanted)).collect();
        let rows: Vec<(u32, &str, Vec<&str>)> = (lines.start..=lines.end)
            .zip(text.lines())
            .map(|(number, line)| (number, line, held_stems(line, wanted)))
            .collect();
        let worth = StemWeights::from_rows(rows.iter().map(|(.., held)| held.as_slice()));
        let mut best: Option<((f32, f32), usize)> = None;
        for (at, (.., held)) in rows.iter().enumerate() {
            // The signature is printed above the line, so words that it has already count second.
            let new = worth.sum_weights(held.iter().filter(|stem| !told.contains(stem)));
            let score = (new, worth.sum_weights(held.iter()));
            // Strictly better: of equal lines the first stays, so the same file always shows the same line.
            if new > 0.0 && best.is_none_or(|(other, _)| score > other) {
                best = Some((score, at));
            }
        }
        // A result found by meaning alone has no line with a word of the question; its first line of text is better
        // than none, unless a signature is shown.
        let first = || rows.iter().find(|(_, line, _)| line.contains(char::is_alphanumeric));
        let shown = best.map(|(_, at)| &rows[at]).or_else(|| first().filter(|_| signature.is_none()));
        let line = shown.map(|(number, line, _)| ShownLine::new(*number, line, wanted));
        Self { signature, line }
    }
}

/// The weight of each word within the region: a word in every line weighs least.
struct StemWeights<'a> {
    lines: f32,
    counts: HashMap<&'a str, f32>,
}

impl<'a> StemWeights<'a> {
    fn from_rows<'r>(rows: impl Iterator<Item = &'r [&'a str]>) -> Self
    where
        'a: 'r,
    {
        let mut worth = Self { lines: 0.0, counts: HashMap::new() };
        for row in rows {
            worth.lines += 1.0;
            for stem in row {
                *worth.counts.entry(*stem).or_default() += 1.0;
            }
        }
        worth
    }

    fn sum_weights<'r>(&self, held: impl Iterator<Item = &'r &'a str>) -> f32
    where
        'a: 'r,
    {
        held.map(|stem| (1.0 + self.lines / self.counts.get(stem).copied().unwrap_or(1.0)).ln()).sum()
    }
}

/// Which of some stems a text holds, in their order.
fn held_stems<'w>(text: &str, wanted: &'w [String]) -> Vec<&'w str> {
    let here = unique_stems(text);
    wanted.iter().filter(|stem| here.contains(stem)).map(String::as_str).collect()
}

/// Runs of letters, digits and underscores, and where they begin.
fn word_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let pieces = text.split(move |c: char| !is_word(c)).filter(|word| !word.is_empty());
    pieces.map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// A longer line is shortened, so that a reply stays bounded.
const MAX_LINE_CHARS: usize = 200;

/// Of a longer line so much is shown before the first word that was asked for.
const LEADING_CONTEXT_CHARS: usize = 40;

impl ShownLine {
    fn new(number: u32, text: &str, wanted: &[String]) -> Self {
        let text = shorten_line(&to_printable(text.trim()), wanted);
        let highlights = word_offsets(&text).flat_map(|(at, word)| highlights_in(word, at, wanted)).collect();
        Self { number, text, highlights }
    }

    fn held_stems<'w>(&self, wanted: &'w [String]) -> Vec<&'w str> {
        held_stems(&self.text, wanted)
    }
}

/// The pieces of a word at some place whose stems are wanted.
fn highlights_in(word: &str, at: usize, wanted: &[String]) -> Vec<Range<usize>> {
    let is_wanted = |piece: &str| unique_stems(piece).iter().any(|stem| wanted.contains(stem));
    let lower = word.to_lowercase();
    // Letters that change their length with their case have no place that both agree on.
    if lower.len() != word.len() {
        return is_wanted(word).then(|| at..at + word.len()).into_iter().collect();
    }
    let mut highlights = Vec::new();
    let mut from = 0;
    for piece in word_pieces(word) {
        // `from` moves on: in `test_test` the second piece must not highlight the first one again.
        let Some(start) = lower[from..].find(&piece).map(|found| from + found) else { continue };
        from = start + piece.len();
        if is_wanted(&piece) && word.is_char_boundary(start) && word.is_char_boundary(from) {
            highlights.push(at + start..at + from);
        }
    }
    highlights
}

/// The text without characters that a terminal would obey instead of showing them.
fn to_printable(text: &str) -> String {
    // A file of a repository must not move the cursor or change colours of the terminal that shows it.
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The part of a very long line around the first word that was asked for.
fn shorten_line(text: &str, wanted: &[String]) -> String {
    let count = text.chars().count();
    if count <= MAX_LINE_CHARS {
        return text.to_owned();
    }
    let is_wanted = |word: &str| unique_stems(word).iter().any(|stem| wanted.contains(stem));
    let first = word_offsets(text).find(|(_, word)| is_wanted(word)).map_or(0, |(at, _)| text[..at].chars().count());
    let start = if first + LEADING_CONTEXT_CHARS < MAX_LINE_CHARS {
        0
    } else {
        (first - LEADING_CONTEXT_CHARS).min(count - MAX_LINE_CHARS)
    };
    let kept: String = text.chars().skip(start).take(MAX_LINE_CHARS).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + MAX_LINE_CHARS < count { "…" } else { "" };
    format!("{before}{kept}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ByteSpan, SymbolId, SymbolKind};

    fn symbol(signature: &str, line: u32) -> Symbol {
        Symbol {
            id: SymbolId::new("a.rs", "take"),
            name: "take".to_owned(),
            kind: SymbolKind::Function,
            container: None,
            span: ByteSpan { start: 0, end: 1 },
            lines: LineRange { start: line, end: line + 3 },
            name_line: line,
            signature: signature.to_owned(),
            doc: None,
        }
    }

    const TEXT: &str = "/// Keeps it.\nfn take(record: Record) {\n    // The spool is synced before the hook answers.\n    \
                        spool.sync(record);\n}\n";

    fn check(text: &str, signature: Option<&str>, wanted: &[&str], expected: &[(u32, &str)]) {
        let wanted: Vec<String> = wanted.iter().flat_map(|word| unique_stems(word)).collect();
        let symbol = signature.map(|signature| symbol(signature, 11));
        let lines = LineRange { start: 10, end: 14 };
        let HitPreview { signature, line } = HitPreview::from_lines(text, lines, &wanted, symbol.as_ref());
        let shown: Vec<(u32, String)> =
            signature.into_iter().chain(line).map(|line| (line.number, highlighted(&line))).collect();
        let shown: Vec<(u32, &str)> = shown.iter().map(|(number, text)| (*number, text.as_str())).collect();
        assert_eq!(shown, expected);
    }

    fn highlighted(line: &ShownLine) -> String {
        let mut text = line.text.clone();
        for highlight in line.highlights.iter().rev() {
            text.insert(highlight.end, ']');
            text.insert(highlight.start, '[');
        }
        text
    }

    #[test]
    fn the_line_says_what_the_signature_does_not() {
        let signature = Some("fn take(record: Record)");
        check(
            TEXT,
            signature,
            &["spool", "hook", "record"],
            &[(11, "fn take([record]: [Record])"), (12, "// The [spool] is synced before the [hook] answers.")],
        );
        check(
            "",
            Some("def save_session(SessionMixin, sessionStore)"),
            &["session"],
            &[(11, "def save_[session]([Session]Mixin, [session]Store)")],
        );
        check(TEXT, signature, &["record"], &[(11, "fn take([record]: [Record])")]);
        check(TEXT, signature, &[], &[(11, "fn take(record: Record)")]);
    }

    #[test]
    fn what_is_no_symbol_shows_its_best_line_or_its_first() {
        check(TEXT, None, &["hook"], &[(12, "// The spool is synced before the [hook] answers.")]);
        check("\n---\nfirst words\n", None, &["meaning"], &[(12, "first words")]);
        check("", None, &["meaning"], &[]);
    }

    #[test]
    fn a_line_can_neither_flood_nor_command_a_terminal() {
        let long = format!("{}needle{}", "x ".repeat(300), " y".repeat(300));
        let line = ShownLine::new(1, &long, &["needl".to_owned()]);
        assert!(line.text.chars().count() <= MAX_LINE_CHARS + 2, "{}", line.text);
        assert_eq!(&line.text[line.highlights[0].clone()], "needle");
        assert_eq!(ShownLine::new(1, "a\u{1b}[31mb\tc", &[]).text, "a\u{fffd}[31mb c");
    }
}
