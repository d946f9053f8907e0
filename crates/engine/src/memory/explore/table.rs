//! Summarizes a table in text (CSV, TSV, `;` or `|`) in an artifact: number of rows, and for each column statistics of
//! its values. Contains the parser of the records.

use super::ContentOutline;
use super::scalar::{ScalarStats, render_count};

/// Separators of columns, in the order in which they are tried.
const SEPARATORS: [char; 4] = ['\t', ',', ';', '|'];
/// Records that decide whether a text is a table.
const PROBE: usize = 20;
/// More columns than that are counted, not shown.
const COLUMNS: usize = 200;

#[derive(Default)]
struct ColumnStats {
    name: String,
    empty: usize,
    scalars: ScalarStats,
}

/// `None` where the first lines differ in their number of columns.
pub(super) fn outline_table(text: &str) -> Option<ContentOutline> {
    let (separator, width) =
        SEPARATORS.into_iter().find_map(|separator| Some((separator, column_count(text, separator)?)))?;
    let mut rows = TableRecords { rest: text, separator };
    let first = rows.next()?;
    // A first row with a number in it is data: columns are numbered then.
    let is_header = first.iter().all(|cell| !cell.is_empty() && cell.parse::<f64>().is_err() && cell.len() < 80);
    let name = |at: usize| if is_header { first[at].clone() } else { format!("column {}", at + 1) };
    let mut columns: Vec<ColumnStats> =
        (0..width.min(COLUMNS)).map(|at| ColumnStats { name: name(at), ..ColumnStats::default() }).collect();
    let mut count = 0;
    let mut odd = 0;
    for record in Some(first.clone()).filter(|_| !is_header).into_iter().chain(rows) {
        count += 1;
        odd += usize::from(record.len() != width);
        for (column, cell) in columns.iter_mut().zip(&record) {
            match (cell.trim(), cell.trim().parse::<f64>()) {
                ("", _) => column.empty += 1,
                (_, Ok(number)) if number.is_finite() => column.scalars.add_number(number),
                (text, _) => column.scalars.add_text(text),
            }
        }
    }
    let shape = format!("table of {} in {}", render_count(count, "row"), render_count(width, "column"));
    let mut lines = vec![if odd > 0 {
        format!("{shape}; {} with another number of cells", render_count(odd, "row"))
    } else {
        shape
    }];
    lines.extend(columns.iter().map(ColumnStats::render_column));
    if width > COLUMNS {
        lines.push(format!("… {} besides", render_count(width - COLUMNS, "column")));
    }
    let media_type = if separator == '\t' { "text/tab-separated-values" } else { "text/csv" };
    Some(ContentOutline { media_type, lines })
}

impl ColumnStats {
    fn render_column(&self) -> String {
        let words = self.scalars.describe_values().join(", or ");
        let words = if words.is_empty() { "empty".to_owned() } else { words };
        let empty = if self.empty > 0 && words != "empty" { format!(", {} empty", self.empty) } else { String::new() };
        format!("{}: {words}{empty}", self.name)
    }
}

/// The number of columns, when the first records agree on one.
fn column_count(text: &str, separator: char) -> Option<usize> {
    let mut widths = TableRecords { rest: text, separator }.take(PROBE).map(|record| record.len());
    let first = widths.next()?;
    let rest: Vec<usize> = widths.collect();
    // Prose has commas too, but hardly ever the same number in twenty lines.
    (first >= 2 && rest.len() >= 2 && rest.iter().all(|width| *width == first)).then_some(first)
}

/// The records of a table; a cell in quotes may hold separators and line ends.
struct TableRecords<'t> {
    rest: &'t str,
    separator: char,
}

impl Iterator for TableRecords<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        // Empty lines are no records.
        self.rest = self.rest.trim_start_matches(['\r', '\n']);
        if self.rest.is_empty() {
            return None;
        }
        let mut record = Vec::new();
        let mut cell = String::new();
        let mut is_quoted = false;
        let mut characters = self.rest.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' if is_quoted && characters.peek().is_some_and(|(_, next)| *next == '"') => {
                    characters.next();
                    cell.push('"');
                }
                '"' if is_quoted => is_quoted = false,
                '"' if cell.is_empty() => is_quoted = true,
                '\n' if !is_quoted => {
                    self.rest = &self.rest[at + 1..];
                    record.push(cell.trim_end_matches('\r').to_owned());
                    return Some(record);
                }
                _ if c == self.separator && !is_quoted => record.push(std::mem::take(&mut cell)),
                _ => cell.push(c),
            }
        }
        self.rest = "";
        record.push(cell);
        Some(record)
    }
}
