//! Headings of documents that need no grammar: a file is read line by line, by what `[headings]` of its language says.
//!
//! A heading is a line that opens with marks, that is underlined, that stands below a rule, or, in plain text, that is
//! numbered or written in capitals. Levels of marks are counted; those of all other styles are told by the order in which a
//! file uses them first, as reStructuredText does. What a reader would take for a table, a list or quoted text is none:
//! in doubt a line is text, because a section that is missed is only part of a longer one.

use crate::lines::Lines;
use crate::units::Piece;
use crate::walk::{Found, Harvest, Lead, What};
use model::{ByteSpan, SymbolKind};
use serde::Deserialize;

/// `[headings]` of a `language.toml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Headings {
    /// Signs that open a heading, repeated once for each level, a blank behind them.
    marks: String,
    /// Signs of which the line below a title is made, and the one above it where there is one.
    underlines: String,
    /// By how much the line below may be longer or shorter than its title; where nothing is said, it is as long at least.
    slack: Option<usize>,
    /// Whether the order of the signs is that of the levels.
    ranked: bool,
    /// What the line starts with that has the title of the whole file, in lower case.
    titles: Vec<String>,
    /// Lines of text that is shown as it is start with one of these, and end with the same line.
    fences: Vec<String>,
    /// What lines start with that stand above a heading and belong to it.
    labels: Vec<String>,
    /// Whether lines in capitals, numbered lines and lines below a rule are headings.
    plain: bool,
}

/// A longer line is no title.
const LONGEST_TITLE: usize = 150;
/// A longer line in capitals or with a number is none.
const LONGEST_PLAIN: usize = 70;
/// A line of signs that is shorter underlines only a title as short.
const SHORTEST_UNDERLINE: usize = 4;
/// A line of so many signs is a rule across the page.
const RULE: usize = 40;
/// A title in capitals has so many letters at least.
const LEAST_CAPITALS: usize = 3;
/// More marks open no heading.
const MOST_MARKS: usize = 9;

/// How a heading is written, where that tells its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Title,
    Marked(u8),
    Underlined(u8, bool),
    Ruled(u8),
    Numbered(usize),
    Capitals,
}

/// One heading.
struct Heading {
    style: Style,
    /// The row of its title.
    row: u32,
    /// The bytes of its name.
    name: ByteSpan,
    /// The row behind it.
    end: u32,
    /// Whether the row above is part of it.
    is_overlined: bool,
}

impl Headings {
    /// Everything there is to find in a document.
    pub(crate) fn read(&self, lines: &Lines) -> Harvest {
        let mut harvest = Harvest::default();
        let mut styles: Vec<Style> = Vec::new();
        let mut fence: Option<&[u8]> = None;
        let (mut row, mut free) = (0, 0);
        while row < lines.count() {
            let text = lines.row(row).trim_ascii_end();
            if let Some(open) = fence {
                fence = fence.filter(|_| text != open);
                row += 1;
                continue;
            }
            if let Some(heading) = self.heading(lines, row) {
                let first = self.first_row(lines, &heading, free);
                let level = self.level(heading.style, &mut styles);
                add_heading(lines, &heading, first, level, &mut harvest);
                (row, free) = (heading.end, heading.end);
                continue;
            }
            fence = self.fence(text);
            if !text.is_empty() && lines.indent(row) == 0 && (row == 0 || lines.is_blank(row - 1)) {
                harvest.pieces.push(Piece { row, depth: 0, is_lead: false });
            }
            row += 1;
        }
        harvest
    }

    /// The heading whose title stands in a row, or whose upper line does.
    fn heading(&self, lines: &Lines, row: u32) -> Option<Heading> {
        self.titled(lines, row)
            .or_else(|| self.marked(lines, row))
            .or_else(|| self.underlined(lines, row))
            .or_else(|| if self.plain { plain(lines, row) } else { None })
    }

    fn titled(&self, lines: &Lines, row: u32) -> Option<Heading> {
        let text = lines.row(row);
        let opens =
            |title: &&String| text.get(..title.len()).is_some_and(|start| start.eq_ignore_ascii_case(title.as_bytes()));
        let title = self.titles.iter().find(opens)?;
        heading(lines, row, Style::Title, title.len(), row + 1)
    }

    fn marked(&self, lines: &Lines, row: u32) -> Option<Heading> {
        let text = lines.row(row);
        let sign = *text.first().filter(|sign| self.marks.as_bytes().contains(sign))?;
        let count = text.iter().take_while(|byte| **byte == sign).count();
        let is_heading = count <= MOST_MARKS && text.get(count).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        if !is_heading {
            return None;
        }
        heading(lines, row, Style::Marked(count as u8), count, row + 1)
    }

    /// A title with a line below it, or between two; the row is that of the first of them.
    fn underlined(&self, lines: &Lines, row: u32) -> Option<Heading> {
        if self.underlines.is_empty() {
            return None;
        }
        let is_free = row == 0 || lines.is_blank(row - 1) || self.is_label(lines.row(row - 1));
        // Where such lines open and close a text, none stands above a title.
        let over = self.line_of_signs(lines, row);
        if over.is_some() && !self.fences.is_empty() {
            return None;
        }
        let title = if over.is_some() { row + 1 } else { row };
        if !is_free || title + 1 >= lines.count() || (over.is_none() && lines.indent(row) > 0) {
            return None;
        }
        let (sign, length) = self.line_of_signs(lines, title + 1)?;
        let text = lines.row(title).trim_ascii_end();
        let indent = lines.indent(title);
        let width = String::from_utf8_lossy(text).chars().count();
        let fits = match (over, self.slack) {
            (Some((above, above_length)), _) => {
                above == sign && above_length == length && length >= width - indent.min(width)
            }
            (None, None) => length >= width || length >= SHORTEST_UNDERLINE,
            (None, Some(slack)) => length.abs_diff(width) <= slack && length >= 2,
        };
        if !fits || self.is_label(text) || self.line_of_signs(lines, title).is_some() {
            return None;
        }
        let mut found = heading(lines, title, Style::Underlined(sign, over.is_some()), 0, title + 2)?;
        found.is_overlined = over.is_some();
        Some(found)
    }

    /// The sign that makes up a row, and how often it stands there.
    fn line_of_signs(&self, lines: &Lines, row: u32) -> Option<(u8, usize)> {
        let (sign, length) = repeated(lines.row(row))?;
        self.underlines.as_bytes().contains(&sign).then_some((sign, length))
    }

    fn is_label(&self, text: &[u8]) -> bool {
        self.labels.iter().any(|label| text.starts_with(label.as_bytes()))
    }

    /// The row at which a heading begins, with the labels above it, but not before `free`.
    fn first_row(&self, lines: &Lines, heading: &Heading, free: u32) -> u32 {
        let mut first = heading.row - u32::from(heading.is_overlined);
        let mut row = first;
        while row > free {
            row -= 1;
            if self.is_label(lines.row(row)) {
                first = row;
            } else if !lines.is_blank(row) {
                break;
            }
        }
        first
    }

    /// Where a text that is shown as it is begins: the line that ends it.
    fn fence<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let fence = self.fences.iter().find(|fence| text.starts_with(fence.as_bytes()))?;
        let sign = *fence.as_bytes().last()?;
        let run = fence.len() + text[fence.len()..].iter().take_while(|byte| **byte == sign).count();
        // Behind three ticks stands the language of what follows.
        (run == text.len() || sign == b'`').then_some(&text[..run])
    }

    /// How high a heading is, 1 being the highest.
    fn level(&self, style: Style, styles: &mut Vec<Style>) -> u8 {
        match style {
            Style::Title => 0,
            Style::Marked(count) => count,
            // Nothing parts a page more clearly.
            Style::Ruled(b'=') => 1,
            Style::Underlined(sign, _) if self.ranked => {
                self.underlines.bytes().position(|known| known == sign).unwrap_or_default() as u8 + 1
            }
            Style::Underlined(..) | Style::Ruled(_) | Style::Numbered(_) | Style::Capitals => {
                let known = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                    styles.push(style);
                    styles.len() - 1
                });
                known.min(usize::from(u8::MAX) - 1) as u8 + 1
            }
        }
    }
}

/// Adds a heading that begins in row `first`, where its line above stands, to what was found.
fn add_heading(lines: &Lines, heading: &Heading, first: u32, level: u8, harvest: &mut Harvest) {
    let start = lines.span_of(heading.row, heading.row).start + lines.indent(heading.row) as u32;
    let title = lines.row(heading.row).trim_ascii_end().len() as u32 + lines.span_of(heading.row, heading.row).start;
    let end = if heading.end - heading.row == 1 {
        title
    } else {
        let last = lines.span_of(heading.end - 1, heading.end);
        last.start + lines.row(heading.end - 1).trim_ascii_end().len() as u32
    };
    if first < heading.row {
        let above =
            ByteSpan { start: lines.span_of(first, first).start, end: lines.span_of(heading.row, heading.row).start };
        harvest.leads.push(Lead { span: above, is_comment: false, says: None });
    }
    harvest.pieces.push(Piece { row: first, depth: 0, is_lead: false });
    harvest.found.push(Found {
        what: What::Symbol(SymbolKind::Section),
        span: ByteSpan { start, end },
        name: heading.name,
        body: title,
        owner: None,
        is_prototype: false,
        seen_as: None,
        clause: None,
        level: Some(level),
        pattern: 0,
    });
}

/// A heading with its name, which stands behind `skipped` bytes of its row; none where that has no words.
fn heading(lines: &Lines, row: u32, style: Style, skipped: usize, end: u32) -> Option<Heading> {
    let text = lines.row(row);
    let blanks = text[skipped..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (start, stop) = (skipped + blanks, text.trim_ascii_end().len());
    let is_worded = start < stop && String::from_utf8_lossy(&text[start..stop]).contains(char::is_alphanumeric);
    if !is_worded || stop - start > LONGEST_TITLE {
        return None;
    }
    let first = lines.span_of(row, row).start;
    let name = ByteSpan { start: first + start as u32, end: first + stop as u32 };
    Some(Heading { style, row, name, end, is_overlined: false })
}

/// A heading of plain text that no sign marks: below a rule, in capitals or with a number, apart from what is around it.
fn plain(lines: &Lines, row: u32) -> Option<Heading> {
    let is_blank = |row: u32| row >= lines.count() || lines.is_blank(row);
    if row > 0
        && let Some((sign, _)) = repeated(lines.row(row - 1)).filter(|(_, length)| *length >= RULE)
        && (row == 1 || lines.is_blank(row - 2))
        && repeated(lines.row(row)).is_none()
    {
        return heading(lines, row, Style::Ruled(sign), 0, row + 1);
    }
    let text = String::from_utf8_lossy(lines.row(row).trim_ascii_end());
    let stands_alone = row == 0 || lines.is_blank(row - 1);
    let ends_open = text.ends_with(['.', ',', ';', '!', '?']);
    if !stands_alone || lines.indent(row) > 0 || text.chars().count() > LONGEST_PLAIN || ends_open {
        return None;
    }
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let is_followed = !is_blank(row + 1) && lines.indent(row + 1) > 0;
    let is_apart = is_blank(row + 1) || is_followed;
    if is_apart
        && letters().count() >= LEAST_CAPITALS
        && letters().all(char::is_uppercase)
        && !text.contains(['=', '|'])
    {
        return heading(lines, row, Style::Capitals, 0, row + 1);
    }
    let number = text.split([' ', '\t']).next().unwrap_or_default();
    let parts: Vec<&str> = number.trim_end_matches(['.', ')']).split('.').collect();
    let is_number =
        parts.iter().all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()));
    let rest = text[number.len()..].trim_start();
    let is_title = is_number && rest.starts_with(char::is_uppercase) && (number.ends_with('.') || parts.len() > 1);
    if !is_title || !is_blank(row + 1) {
        return None;
    }
    heading(lines, row, Style::Numbered(parts.len()), 0, row + 1)
}

/// The sign of which all of a row is made, and how often it stands there.
fn repeated(row: &[u8]) -> Option<(u8, usize)> {
    let text = row.trim_ascii_end();
    let sign = *text.first().filter(|sign| sign.is_ascii_punctuation())?;
    text.iter().all(|byte| *byte == sign).then_some((sign, text.len()))
}
