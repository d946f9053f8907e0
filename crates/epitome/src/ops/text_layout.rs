//! Fits text that people read to the width of their terminal: lines of a report are wrapped below where their value
//! begins (`wrap_report`), and tables give up room in the one column that can be cut (`TextTable`).

use std::fmt::Write;

/// Narrower than this nothing can be arranged: words would be cut one by one.
const MIN_COLUMNS: usize = 40;

/// A report with its long lines wrapped. A continued line begins where the value of its line begins.
pub(crate) fn wrap_report(text: &str, columns: usize) -> String {
    let columns = columns.max(MIN_COLUMNS);
    let mut wrapped = String::new();
    for line in text.lines() {
        wrap_line(line, columns, &mut wrapped);
    }
    wrapped
}

fn wrap_line(line: &str, columns: usize, wrapped: &mut String) {
    let hang = value_column(line).min(columns / 2);
    let mut rest = line;
    let mut indent = 0;
    while rest.chars().count() + indent > columns {
        let room = columns - indent;
        let cut = rest.char_indices().nth(room).map_or(rest.len(), |(at, _)| at);
        // A blank in front of the value must not be where the line breaks: the rest would not get shorter.
        let least = if indent == 0 { rest.char_indices().nth(hang).map_or(0, |(at, _)| at) } else { 0 };
        // A word that is longer than the line stays whole: a path or an id that was broken could not be copied.
        let Some(end) = rest[..=floor(rest, cut)]
            .rfind(' ')
            .filter(|end| *end > least)
            .or_else(|| rest[cut..].find(' ').map(|behind| cut + behind))
        else {
            break;
        };
        let _ = writeln!(wrapped, "{:indent$}{}", "", rest[..end].trim_end());
        rest = rest[end..].trim_start();
        indent = hang;
    }
    let _ = writeln!(wrapped, "{:indent$}{rest}", "");
}

/// The last byte of the character that begins at or before a place.
fn floor(text: &str, place: usize) -> usize {
    let place = place.min(text.len().saturating_sub(1));
    (place..text.len()).find(|at| text.is_char_boundary(at + 1)).unwrap_or(place)
}

/// Where the value of a line begins: behind the blanks in front, or behind its name and the blanks that align it.
fn value_column(line: &str) -> usize {
    let front = line.chars().take_while(|letter| *letter == ' ').count();
    let named = line[front..].find("  ").map(|at| front + at);
    let value = named.map(|at| at + line[at..].chars().take_while(|letter| *letter == ' ').count());
    value.filter(|value| *value < line.len()).unwrap_or(front)
}

/// A table for people. The first column holds names and is cut where the terminal is too narrow.
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
}

/// The first column keeps so many characters: below that names would all look alike.
const MIN_NAME_CHARACTERS: usize = 12;

impl TextTable {
    pub(crate) fn new(heading: &[&str]) -> Self {
        Self { rows: vec![heading.iter().map(|&word| word.to_owned()).collect()] }
    }

    pub(crate) fn add_row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table within so many columns. Names are on the left, numbers below each other on the right.
    pub(crate) fn render(&self, columns: usize) -> String {
        let count = self.rows.first().map_or(0, Vec::len);
        let width_of =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|it| it.chars().count()).max();
        let mut widths: Vec<usize> = (0..count).map(|column| width_of(column).unwrap_or(0)).collect();
        let others: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        if let Some(names) = widths.first_mut() {
            *names = (*names).min(columns.saturating_sub(others).max(MIN_NAME_CHARACTERS));
        }
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let width = *width;
                let _ = match column {
                    0 => write!(line, "{:<width$}", cut_text(cell, width)),
                    _ => write!(line, "  {cell:>width$}"),
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

fn cut_text(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_continued_line_begins_below_the_value() {
        let check = |text: &str, expected: &str| assert_eq!(wrap_report(text, 40), expected);
        check("store          short\n", "store          short\n");
        check(
            "conversations  1 with 84 messages, 10,100 tokens; of all 12\n",
            "conversations  1 with 84 messages,\n               10,100 tokens; of all 12\n",
        );
        check(
            "          claude-code:5d2f, 84 messages, archived, long ago\n",
            "          claude-code:5d2f, 84 messages,\n          archived, long ago\n",
        );
        // What has no place to break stays whole, and so does what is not a row.
        check(&format!("x  {}\n", "a".repeat(60)), &format!("x  {}\n", "a".repeat(60)));
        check("äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü", "äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü\näöü\n");
    }

    #[test]
    fn no_line_is_longer_than_the_terminal_and_no_word_is_lost() {
        let text = "index          ready: 12,840 files, 240,000 symbols, 1,900,000 relations\n  a b\n\nlast  x y z\n";
        for columns in [40, 60, 80, 120] {
            let wrapped = wrap_report(text, columns);
            assert!(wrapped.lines().all(|line| line.chars().count() <= columns), "{wrapped}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&wrapped), words(text));
        }
    }

    #[test]
    fn a_table_cuts_names_and_no_number() {
        let mut table = TextTable::new(&["conversation", "msgs", "ratio"]);
        table.add_row(vec![
            "Discount codes, sessions and checkout retries".to_owned(),
            "84".to_owned(),
            "17.5x".to_owned(),
        ]);
        table.add_row(vec!["talk".to_owned(), "1,234".to_owned(), "-".to_owned()]);
        let expected = "conversation                 msgs  ratio
Discount codes, sessions…      84  17.5x
talk                        1,234      -
";
        assert_eq!(table.render(40), expected);
        assert!(table.render(200).contains("checkout retries"));
    }
}
