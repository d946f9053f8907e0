//! Removes redundant whitespace for the lightweight view, and restores it from a note at the end of the view.
//!
//! A run of blank lines is shown as one, and blanks at the ends of lines are removed; the whitespace of texts of the
//! program stays. A marker for each run would not pay: a blank line costs less than a token. So one note at the end of
//! the view says how long runs are, before a line at the margin and before others, since most files have one habit; and
//! lists the exceptions:
//!
//! | note | means |
//! |---|---|
//! | `…~2,1` | one blank line means two before a line that is not indented, and itself before others |
//! | `@80` | the view begins with line 80 |
//! | `40=3` | the blank line shown at line 40 means three |
//! | `$` | the last line has no line end |
//! | `7+4`, `12-14+1t` | line 7 ends with four blanks, lines 12 to 14 end with a tab |

use super::mask::RowCut;
use super::rows::RowRange;
use crate::line_table::LineTable;
use model::LineRange;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Runs of blank lines and ends of lines as they are in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WhitespaceNote {
    /// Line the view begins with.
    start: u32,
    /// Usual length of a run before a line at the margin, and before others.
    usual: [u32; 2],
    /// Runs of another length, by the line each begins with. Only runs that are shown as one line count.
    runs: BTreeMap<u32, u32>,
    /// Blanks at the end of lines.
    ends: BTreeMap<u32, TrailingBlanks>,
    /// Whether the last line has no line end.
    is_open: bool,
}

/// So many spaces or tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TrailingBlanks {
    count: u32,
    is_tab: bool,
}

/// A view without the whitespace, written in stretches between cuts.
pub(super) struct SqueezedView<'l, 'a> {
    lines: &'l LineTable<'a>,
    note: WhitespaceNote,
    /// Rows that are not shown, because they only make a run longer.
    skipped: Vec<bool>,
}

impl<'l, 'a> SqueezedView<'l, 'a> {
    /// Removes the whitespace of the rows between cuts; `None` where there is none to remove, or where the note would
    /// be much longer than what it saves.
    pub(super) fn from_lines(
        lines: &'l LineTable<'a>,
        shown: LineRange,
        cuts: &[RowCut],
        solids: &[RowRange],
    ) -> Option<Self> {
        let count = lines.line_count() as usize;
        let mut is_solid = vec![false; count];
        for solid in solids {
            is_solid[solid.start as usize..(solid.end as usize).min(count)].fill(true);
        }
        let note = WhitespaceNote { start: shown.start, usual: [1, 1], ..WhitespaceNote::default() };
        let mut squeezed = Self { lines, note, skipped: vec![false; count] };
        let stretches = shown_stretches(lines, shown, cuts);
        for row in stretches.iter().cloned().flatten().filter(|row| !is_solid[*row as usize]) {
            squeezed.note.ends.extend(TrailingBlanks::from_row(lines.row_bytes(row)).map(|end| (row + 1, end)));
        }
        let runs: Vec<BlankRun> = stretches.iter().flat_map(|stretch| squeezed.runs_of(stretch.clone())).collect();
        // A run inside of a text stays as it is; so does one of lines with different ends.
        let is_free = |run: &&BlankRun| run.rows.clone().all(|row| !is_solid[row as usize]) && run.is_even;
        for at_margin in [true, false] {
            let lengths = runs.iter().filter(|run| run.at_margin == at_margin).filter(is_free);
            squeezed.note.usual[usize::from(!at_margin)] = most_common(lengths.map(|run| run.rows.len())).unwrap_or(1);
        }
        // A single blank line is listed as well: where the usual run is longer, restoring would add lines to it.
        for run in runs.iter().filter(|run| run.rows.len() == 1 || is_free(run)) {
            let length = run.rows.len() as u32;
            squeezed.skipped[run.rows.start as usize + 1..run.rows.end as usize].fill(true);
            if length != squeezed.note.usual[usize::from(!run.at_margin)] {
                squeezed.note.runs.insert(run.rows.start + 1, length);
            }
        }
        squeezed.note.is_open = stretches.last().is_some_and(|last| line_end(lines.row_bytes(last.end - 1)).is_empty());
        let skipped = squeezed.skipped.iter().filter(|skipped| **skipped).count();
        let taken = skipped + squeezed.note.ends.values().map(|end| end.count as usize).sum::<usize>();
        (taken > 0 && squeezed.note.render_note().len() <= LONGEST_FREE_NOTE + 2 * taken).then_some(squeezed)
    }

    /// Writes some rows.
    pub(super) fn write_rows(&self, rows: RowRange, text: &mut Vec<u8>) {
        for row in rows.filter(|row| !self.skipped[*row as usize]) {
            let (words, line_end) = self.shown_row(row);
            text.extend_from_slice(words);
            text.extend_from_slice(line_end);
        }
    }

    /// The note of what was taken out.
    pub(super) fn whitespace_note(&self) -> &WhitespaceNote {
        &self.note
    }

    /// A row without the blanks at its end, and its line end.
    fn shown_row(&self, row: u32) -> (&'a [u8], &'a [u8]) {
        let bytes = self.lines.row_bytes(row);
        let line_end = line_end(bytes);
        let blanks = self.note.ends.get(&(row + 1)).map_or(0, |end| end.count as usize);
        (&bytes[..bytes.len() - line_end.len() - blanks], line_end)
    }

    fn runs_of(&self, stretch: RowRange) -> Vec<BlankRun> {
        let is_bare = |row: u32| matches!(self.shown_row(row), (b"", [_, ..]));
        let mut runs: Vec<BlankRun> = Vec::new();
        let mut row = stretch.start;
        while row < stretch.end {
            let start = row;
            while row < stretch.end && is_bare(row) {
                row += 1;
            }
            if row > start {
                let next = (row < stretch.end).then(|| self.lines.row_bytes(row));
                // Where `\r\n` and `\n` are mixed, one shown line could not restore the others.
                let is_even = (start..row).all(|other| self.shown_row(other) == self.shown_row(start));
                runs.push(BlankRun { rows: start..row, at_margin: is_margin(next), is_even });
            }
            row += 1;
        }
        runs
    }
}

impl WhitespaceNote {
    /// The note as it is written behind the sign.
    pub(super) fn render_note(&self) -> String {
        let mut text = format!("~{},{}", self.usual[0], self.usual[1]);
        let mut add = |part: std::fmt::Arguments| write!(text, " {part}").expect("writing to a string cannot fail");
        if self.start > 1 {
            add(format_args!("@{}", self.start));
        }
        for (line, length) in &self.runs {
            add(format_args!("{line}={length}"));
        }
        if self.is_open {
            add(format_args!("$"));
        }
        // Neighbouring lines often end alike, and then share one part of the note.
        let mut ends = self.ends.iter().peekable();
        while let Some((&start, end)) = ends.next() {
            let mut last = start;
            while let Some((line, _)) = ends.next_if(|(line, next)| **line == last + 1 && *next == end) {
                last = *line;
            }
            let range = if last > start { format!("{start}-{last}") } else { start.to_string() };
            add(format_args!("{range}+{}{}", end.count, if end.is_tab { "t" } else { "" }));
        }
        text
    }

    /// Reads what [`Self::render_note`] wrote.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('~')?.split(' ');
        let (margin, inside) = parts.next()?.split_once(',')?;
        let mut note = Self { start: 1, usual: [parse_number(margin)?, parse_number(inside)?], ..Self::default() };
        // Words in brackets follow the note, for people.
        for part in parts.take_while(|part| !part.starts_with('(')) {
            if part == "$" {
                note.is_open = true;
            } else if let Some(start) = part.strip_prefix('@') {
                note.start = parse_number(start)?;
            } else if let Some((line, length)) = part.split_once('=') {
                note.runs.insert(parse_number(line)?, parse_number(length)?);
            } else {
                let (range, end) = part.split_once('+')?;
                let (start, last) = range.split_once('-').unwrap_or((range, range));
                let start = parse_number(start)?;
                let last = parse_number(last)?;
                let count = end.strip_suffix('t').unwrap_or(end);
                let end = TrailingBlanks { count: parse_number(count)?, is_tab: count.len() < end.len() };
                // A line that only looks like a note must not cause unbounded work.
                if last.checked_sub(start)? as usize > text.len() * MOST_LINES_A_LETTER {
                    return None;
                }
                note.ends.extend((start..=last).map(|line| (line, end)));
            }
        }
        Some(note)
    }

    /// Line of the file that the view begins with.
    pub(super) fn first_line(&self) -> u32 {
        self.start
    }

    /// Whether the line end before the note is not the file's.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Puts the whitespace back into a stretch of lines that begins with line `line`; the line after it.
    pub(super) fn restore_lines(&self, stretch: &[u8], mut line: u32, whole: &mut Vec<u8>) -> u32 {
        let rows: Vec<&[u8]> = stretch.split_inclusive(|byte| *byte == b'\n').collect();
        let mut at = 0;
        while at < rows.len() {
            // Only a single blank line represents a run; longer runs in a view are shown as they are.
            let length = rows[at..].iter().take_while(|row| is_bare(row)).count();
            let copies = if length == 1 {
                let usual = self.usual[usize::from(!is_margin(rows.get(at + 1).copied()))];
                self.runs.get(&line).copied().unwrap_or(usual)
            } else {
                1
            };
            for row in &rows[at..at + length.max(1)] {
                for _ in 0..copies {
                    self.write_line(row, line, whole);
                    line += 1;
                }
            }
            at += length.max(1);
        }
        line
    }

    fn write_line(&self, row: &[u8], line: u32, whole: &mut Vec<u8>) {
        let line_end = line_end(row);
        whole.extend_from_slice(&row[..row.len() - line_end.len()]);
        if let Some(end) = self.ends.get(&line) {
            whole.extend(std::iter::repeat_n(if end.is_tab { b'\t' } else { b' ' }, end.count as usize));
        }
        whole.extend_from_slice(line_end);
    }
}

/// How many lines a range in a note may have for each letter of the note.
const MOST_LINES_A_LETTER: usize = 10_000;
/// A note may be this long whatever it saves.
const LONGEST_FREE_NOTE: usize = 48;

impl TrailingBlanks {
    /// The blanks before a line's end, if they are all of one kind.
    fn from_row(row: &[u8]) -> Option<Self> {
        let line_end = line_end(row);
        let words = &row[..row.len() - line_end.len()];
        let blank = *words.last().filter(|_| !line_end.is_empty())?;
        let count = words.iter().rev().take_while(|byte| **byte == blank).count();
        // A mix of blanks and tabs cannot be written in the note, so such an end stays.
        let is_rest_clean =
            !words[..words.len() - count].ends_with(b" ") && !words[..words.len() - count].ends_with(b"\t");
        (matches!(blank, b' ' | b'\t') && is_rest_clean).then_some(Self { count: count as u32, is_tab: blank == b'\t' })
    }
}

/// Blank lines that follow each other.
struct BlankRun {
    rows: RowRange,
    /// Whether the next line is not indented, or there is none.
    at_margin: bool,
    /// Whether its lines are equal without their trailing blanks.
    is_even: bool,
}

/// The rows that are shown, between cuts.
fn shown_stretches(lines: &LineTable, shown: LineRange, cuts: &[RowCut]) -> Vec<RowRange> {
    let last = shown.end.min(lines.line_count());
    let starts = std::iter::once(shown.start - 1).chain(cuts.iter().map(|cut| cut.rows.end));
    let ends = cuts.iter().map(|cut| cut.rows.start).chain([last]);
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
}

/// A line end and nothing else.
fn is_bare(row: &[u8]) -> bool {
    !row.is_empty() && line_end(row).len() == row.len()
}

fn is_margin(next: Option<&[u8]>) -> bool {
    next.is_none_or(|row| !row.starts_with(b" ") && !row.starts_with(b"\t"))
}

fn line_end(row: &[u8]) -> &[u8] {
    let words = row.strip_suffix(b"\n").map_or(row.len(), |words| words.strip_suffix(b"\r").unwrap_or(words).len());
    &row[words..]
}

fn most_common(lengths: impl Iterator<Item = usize>) -> Option<u32> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for length in lengths {
        *counts.entry(length).or_default() += 1;
    }
    let best = counts.into_iter().max_by_key(|(length, count)| (*count, std::cmp::Reverse(*length)));
    best.map(|(length, _)| length as u32)
}

fn parse_number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
