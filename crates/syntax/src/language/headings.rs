//! Finds the headings of documents without a grammar, line by line, by the `[headings]` of a language. A heading opens
//! with marks, is underlined, comes below a rule, or, in plain text, is numbered or in capitals. Marks give the level
//! by count, other styles by the order of first use, as in reStructuredText. What looks like a table, a list or a
//! quotation is no heading: in doubt a line is text, because a missed section is only part of a longer one.

use crate::harvest::{CutPoint, DefinitionKind, LeadingTrivia, RawDefinition, WalkHarvest};
use crate::line_table::LineTable;
use model::{ByteSpan, SymbolKind};
use serde::Deserialize;

/// `[headings]` of a `language.toml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HeadingRules {
    /// Signs that open a heading, repeated once for each level, a blank behind them.
    marks: String,
    /// Signs of which the line below a title is made, and the one above it where there is one.
    underlines: String,
    /// By how much the line below may be longer or shorter than its title; where nothing is said, it is as long at least.
    slack: Option<usize>,
    /// Whether the order of the signs is that of the levels.
    ranked: bool,
    /// The beginning of the line with the title of the whole file, in lower case.
    titles: Vec<String>,
    /// Lines of text that is shown as it is start with one of these, and end with the same line.
    fences: Vec<String>,
    /// The beginnings of lines above a heading that belong to it.
    labels: Vec<String>,
    /// Whether lines in capitals, numbered lines and lines below a rule are headings.
    plain: bool,
}

/// A longer line is no title.
const LONGEST_TITLE: usize = 150;
/// A longer line in capitals or with a number is no title.
const LONGEST_PLAIN: usize = 70;
/// A line of signs that is shorter underlines only a title as short.
const SHORTEST_UNDERLINE: usize = 4;
/// A line of so many signs is a rule across the page.
const RULE: usize = 40;
/// A title in capitals has so many letters at least.
const LEAST_CAPITALS: usize = 3;
/// A line with more marks is no heading.
const MOST_MARKS: usize = 9;

/// The style of a heading, where it decides the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadingStyle {
    Title,
    Marked(u8),
    Underlined(u8, bool),
    Ruled(u8),
    Numbered(usize),
    Capitals,
}

/// One heading.
struct DocumentHeading {
    style: HeadingStyle,
    /// The row of its title.
    row: u32,
    /// The bytes of its name.
    name: ByteSpan,
    /// The row behind it.
    end: u32,
    /// Whether the row above is part of it.
    is_overlined: bool,
}

impl HeadingRules {
    /// The headings and pieces of a document.
    pub(crate) fn harvest_headings(&self, lines: &LineTable) -> WalkHarvest {
        let mut harvest = WalkHarvest::default();
        let mut styles: Vec<HeadingStyle> = Vec::new();
        let mut fence: Option<&[u8]> = None;
        let mut row = 0;
        let mut free = 0;
        while row < lines.line_count() {
            let text = lines.row_bytes(row).trim_ascii_end();
            // Nothing inside of a literal text is a heading.
            if let Some(open) = fence {
                fence = fence.filter(|_| text != open);
                row += 1;
                continue;
            }
            if let Some(heading) = self.find_heading(lines, row) {
                let first = self.first_row(lines, &heading, free);
                let level = self.heading_level(heading.style, &mut styles);
                add_heading(lines, &heading, first, level, &mut harvest);
                // Labels of the next heading are searched for no further up than here.
                (row, free) = (heading.end, heading.end);
                continue;
            }
            fence = self.closing_fence(text);
            if !text.is_empty() && lines.indent_width(row) == 0 && (row == 0 || lines.is_blank(row - 1)) {
                harvest.pieces.push(CutPoint { row, depth: 0, is_lead: false });
            }
            row += 1;
        }
        harvest
    }

    /// The heading whose title, or whose upper line, is in a row.
    fn find_heading(&self, lines: &LineTable, row: u32) -> Option<DocumentHeading> {
        self.title_heading(lines, row)
            .or_else(|| self.marked_heading(lines, row))
            .or_else(|| self.underlined_heading(lines, row))
            .or_else(|| if self.plain { plain_heading(lines, row) } else { None })
    }

    fn title_heading(&self, lines: &LineTable, row: u32) -> Option<DocumentHeading> {
        let text = lines.row_bytes(row);
        let opens =
            |title: &&String| text.get(..title.len()).is_some_and(|start| start.eq_ignore_ascii_case(title.as_bytes()));
        let title = self.titles.iter().find(opens)?;
        build_heading(lines, row, HeadingStyle::Title, title.len(), row + 1)
    }

    fn marked_heading(&self, lines: &LineTable, row: u32) -> Option<DocumentHeading> {
        let text = lines.row_bytes(row);
        let sign = *text.first().filter(|sign| self.marks.as_bytes().contains(sign))?;
        let count = text.iter().take_while(|byte| **byte == sign).count();
        let is_heading = count <= MOST_MARKS && text.get(count).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        if !is_heading {
            return None;
        }
        build_heading(lines, row, HeadingStyle::Marked(count as u8), count, row + 1)
    }

    /// A title with a line below it, or between two; the row is that of the first of them.
    fn underlined_heading(&self, lines: &LineTable, row: u32) -> Option<DocumentHeading> {
        if self.underlines.is_empty() {
            return None;
        }
        let is_free = row == 0 || lines.is_blank(row - 1) || self.is_label(lines.row_bytes(row - 1));
        // Where such lines open and close a literal text, none of them is above a title.
        let over = self.line_of_signs(lines, row);
        if over.is_some() && !self.fences.is_empty() {
            return None;
        }
        let title = if over.is_some() { row + 1 } else { row };
        if !is_free || title + 1 >= lines.line_count() || (over.is_none() && lines.indent_width(row) > 0) {
            return None;
        }
        let (sign, length) = self.line_of_signs(lines, title + 1)?;
        let text = lines.row_bytes(title).trim_ascii_end();
        let indent = lines.indent_width(title);
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
        let mut found = build_heading(lines, title, HeadingStyle::Underlined(sign, over.is_some()), 0, title + 2)?;
        found.is_overlined = over.is_some();
        Some(found)
    }

    /// The sign that makes up a row, and how often it stands there.
    fn line_of_signs(&self, lines: &LineTable, row: u32) -> Option<(u8, usize)> {
        let (sign, length) = repeated_sign(lines.row_bytes(row))?;
        self.underlines.as_bytes().contains(&sign).then_some((sign, length))
    }

    fn is_label(&self, text: &[u8]) -> bool {
        self.labels.iter().any(|label| text.starts_with(label.as_bytes()))
    }

    /// The row at which a heading begins, with the labels above it, but not before `free`.
    fn first_row(&self, lines: &LineTable, heading: &DocumentHeading, free: u32) -> u32 {
        let mut first = heading.row - u32::from(heading.is_overlined);
        let mut row = first;
        while row > free {
            row -= 1;
            if self.is_label(lines.row_bytes(row)) {
                first = row;
            } else if !lines.is_blank(row) {
                break;
            }
        }
        first
    }

    /// The line that ends a literal text which begins here.
    pub(crate) fn closing_fence<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let fence = self.fences.iter().find(|fence| text.starts_with(fence.as_bytes()))?;
        let sign = *fence.as_bytes().last()?;
        let run = fence.len() + text[fence.len()..].iter().take_while(|byte| **byte == sign).count();
        // Behind three ticks comes the language of the text.
        (run == text.len() || sign == b'`').then_some(&text[..run])
    }

    /// How high a heading is, 1 being the highest.
    fn heading_level(&self, style: HeadingStyle, styles: &mut Vec<HeadingStyle>) -> u8 {
        match style {
            HeadingStyle::Title => 0,
            HeadingStyle::Marked(count) => count,
            // A rule of `=` across the page separates more clearly than any other style.
            HeadingStyle::Ruled(b'=') => 1,
            HeadingStyle::Underlined(sign, _) if self.ranked => {
                self.underlines.bytes().position(|known| known == sign).unwrap_or_default() as u8 + 1
            }
            HeadingStyle::Underlined(..)
            | HeadingStyle::Ruled(_)
            | HeadingStyle::Numbered(_)
            | HeadingStyle::Capitals => {
                let known = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                    styles.push(style);
                    styles.len() - 1
                });
                known.min(usize::from(u8::MAX) - 1) as u8 + 1
            }
        }
    }
}

/// Adds a heading that begins in row `first`, where its upper line or its labels are.
fn add_heading(lines: &LineTable, heading: &DocumentHeading, first: u32, level: u8, harvest: &mut WalkHarvest) {
    let start = lines.span_of(heading.row, heading.row).start + lines.indent_width(heading.row) as u32;
    let title =
        lines.row_bytes(heading.row).trim_ascii_end().len() as u32 + lines.span_of(heading.row, heading.row).start;
    let end = if heading.end - heading.row == 1 {
        title
    } else {
        let last = lines.span_of(heading.end - 1, heading.end);
        last.start + lines.row_bytes(heading.end - 1).trim_ascii_end().len() as u32
    };
    // The upper line and the labels are leads, so that the section begins with them.
    if first < heading.row {
        let above =
            ByteSpan { start: lines.span_of(first, first).start, end: lines.span_of(heading.row, heading.row).start };
        harvest.leads.push(LeadingTrivia { span: above, is_comment: false, says: None });
    }
    harvest.pieces.push(CutPoint { row: first, depth: 0, is_lead: false });
    harvest.found.push(RawDefinition {
        what: DefinitionKind::Symbol(SymbolKind::Section),
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

/// A heading with its name, which comes behind `skipped` bytes of its row; `None` where it has no words.
fn build_heading(
    lines: &LineTable,
    row: u32,
    style: HeadingStyle,
    skipped: usize,
    end: u32,
) -> Option<DocumentHeading> {
    let text = lines.row_bytes(row);
    let blanks = text[skipped..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = skipped + blanks;
    let stop = text.trim_ascii_end().len();
    let is_worded = start < stop && String::from_utf8_lossy(&text[start..stop]).contains(char::is_alphanumeric);
    if !is_worded || stop - start > LONGEST_TITLE {
        return None;
    }
    let first = lines.span_of(row, row).start;
    let name = ByteSpan { start: first + start as u32, end: first + stop as u32 };
    Some(DocumentHeading { style, row, name, end, is_overlined: false })
}

/// A heading of plain text that no sign marks: below a rule, in capitals or with a number, apart from what is around it.
fn plain_heading(lines: &LineTable, row: u32) -> Option<DocumentHeading> {
    let is_blank = |row: u32| row >= lines.line_count() || lines.is_blank(row);
    if row > 0
        && let Some((sign, _)) = repeated_sign(lines.row_bytes(row - 1)).filter(|(_, length)| *length >= RULE)
        && (row == 1 || lines.is_blank(row - 2))
        && repeated_sign(lines.row_bytes(row)).is_none()
    {
        return build_heading(lines, row, HeadingStyle::Ruled(sign), 0, row + 1);
    }
    let text = String::from_utf8_lossy(lines.row_bytes(row).trim_ascii_end());
    let stands_alone = row == 0 || lines.is_blank(row - 1);
    // A line that ends like a sentence is text, whatever it looks like.
    let ends_open = text.ends_with(['.', ',', ';', '!', '?']);
    if !stands_alone || lines.indent_width(row) > 0 || text.chars().count() > LONGEST_PLAIN || ends_open {
        return None;
    }
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let is_followed = !is_blank(row + 1) && lines.indent_width(row + 1) > 0;
    let is_apart = is_blank(row + 1) || is_followed;
    // `KEY = VALUE` and a row of a table are in capitals as well.
    if is_apart
        && letters().count() >= LEAST_CAPITALS
        && letters().all(char::is_uppercase)
        && !text.contains(['=', '|'])
    {
        return build_heading(lines, row, HeadingStyle::Capitals, 0, row + 1);
    }
    let number = text.split([' ', '\t']).next().unwrap_or_default();
    let parts: Vec<&str> = number.trim_end_matches(['.', ')']).split('.').collect();
    let is_number =
        parts.iter().all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()));
    let rest = text[number.len()..].trim_start();
    // `12 Files were changed` begins with a number and a capital as well, so the number of a title needs a period or
    // several parts.
    let is_title = is_number && rest.starts_with(char::is_uppercase) && (number.ends_with('.') || parts.len() > 1);
    if !is_title || !is_blank(row + 1) {
        return None;
    }
    build_heading(lines, row, HeadingStyle::Numbered(parts.len()), 0, row + 1)
}

/// The sign of which all of a row is made, and how often it stands there.
fn repeated_sign(row: &[u8]) -> Option<(u8, usize)> {
    let text = row.trim_ascii_end();
    let sign = *text.first().filter(|sign| sign.is_ascii_punctuation())?;
    text.iter().all(|byte| *byte == sign).then_some((sign, text.len()))
}
