//! Marks which rows of a file a view hides (`RowMask`), and turns them into cuts, only where a cut saves enough tokens.

use super::marker;
use super::rows::RowRange;
use crate::line_table::LineTable;
use model::{LineRange, count_tokens};
use std::collections::HashMap;

/// The rows of a file, each hidden or not.
pub(super) struct RowMask {
    hidden: Vec<bool>,
    /// Words for the marker of a cut that starts with this row.
    notes: HashMap<u32, String>,
    /// First rows of imports that are hidden.
    imports: Vec<u32>,
    /// Rows of the licence at the top.
    licence: RowRange,
    /// Tokens that a cut saves at least, with its marker counted. Saving fewer is not worth a second read by a reader
    /// who wants to see what was cut.
    least_saved: u32,
    /// Whether the blank rows below a cut are hidden with it.
    takes_blanks: bool,
}

/// Rows that are left out, with words for their marker.
#[derive(Clone, Debug)]
pub(super) struct RowCut {
    pub(super) rows: RowRange,
    pub(super) note: String,
}

impl RowCut {
    pub(super) fn line_range(&self) -> LineRange {
        LineRange { start: self.rows.start + 1, end: self.rows.end }
    }
}

impl RowMask {
    pub(super) fn new(lines: &LineTable, least_saved: u32) -> Self {
        let hidden = vec![false; lines.line_count() as usize];
        let notes = HashMap::new();
        let imports = Vec::new();
        let licence = 0..0;
        Self { hidden, notes, imports, licence, least_saved, takes_blanks: false }
    }

    /// Hides the blank rows below a cut with it.
    pub(super) fn taking_blanks(self) -> Self {
        Self { takes_blanks: true, ..self }
    }

    pub(super) fn hide_rows(&mut self, rows: &RowRange) {
        self.set_rows(rows, true);
    }

    pub(super) fn show_rows(&mut self, rows: &RowRange) {
        self.set_rows(rows, false);
    }

    pub(super) fn add_note(&mut self, row: u32, words: &str) {
        self.notes.insert(row, words.to_owned());
    }

    /// Hides an import, which the marker counts.
    pub(super) fn hide_import(&mut self, rows: &RowRange) {
        self.hide_rows(rows);
        self.imports.push(rows.start);
    }

    /// Hides the licence at the top, which the marker names.
    pub(super) fn hide_licence(&mut self, rows: &RowRange) {
        self.hide_rows(rows);
        self.licence = rows.clone();
    }

    fn set_rows(&mut self, rows: &RowRange, hidden: bool) {
        let end = (rows.end as usize).min(self.hidden.len());
        if let Some(rows) = self.hidden.get_mut(rows.start as usize..end) {
            rows.fill(hidden);
        }
    }

    /// The cuts among the lines shown. No cut takes a part of a solid, and each is worth its marker. `name` gives the
    /// function that some lines are the body of.
    pub(super) fn into_cuts<'n>(
        mut self,
        path: &str,
        lines: &LineTable,
        solids: &[RowRange],
        shown: LineRange,
        name: impl Fn(LineRange) -> Option<&'n str>,
    ) -> Vec<RowCut> {
        self.join_hidden(lines);
        for solid in solids {
            // Half of a string reads like another string, so a solid is hidden as a whole or not at all.
            if solid.clone().any(|row| !self.hidden[row as usize]) {
                self.show_rows(solid);
            }
        }
        let mut cuts = self.hidden_runs(shown);
        let mut saved = 0;
        cuts.retain_mut(|cut| {
            let span = lines.span_of(cut.rows.start, cut.rows.end);
            // Tokens decide, not lines: a cut of three short lines may cost more than it saves.
            let hides = count_tokens(&String::from_utf8_lossy(&lines.bytes()[span.to_range()])).0;
            if let Some(name) = name(cut.line_range()) {
                cut.note = join_words(&format!("#{name}"), &cut.note);
            }
            // A body that does not pay for a marker with its name is shown: a marker without the name would look like
            // another cut.
            let costs = marker::marker_cost(cut);
            let pays = hides >= costs + self.least_saved;
            saved += if pays { hides - costs } else { 0 };
            pays
        });
        let legend = cuts.first().map_or(0, |cut| count_tokens(&marker::render_legend(path, cut.line_range())).0);
        // The legend is written once, with the first marker, so all cuts together have to pay for it.
        if saved < legend + self.least_saved {
            cuts.clear();
        }
        cuts
    }

    /// Hides the blank rows between two hidden ones: one marker costs less than two.
    fn join_hidden(&mut self, lines: &LineTable) {
        if self.takes_blanks {
            for row in 1..self.hidden.len() {
                self.hidden[row] |= self.hidden[row - 1] && lines.is_blank(row as u32);
            }
        }
        let mut last_hidden = None;
        for row in 0..self.hidden.len() {
            if self.hidden[row] {
                if let Some(last) = last_hidden
                    && (last + 1..row).all(|row| lines.is_blank(row as u32))
                {
                    self.hidden[last..row].fill(true);
                }
                last_hidden = Some(row);
            }
        }
    }

    fn hidden_runs(&self, shown: LineRange) -> Vec<RowCut> {
        let mut cuts: Vec<RowCut> = Vec::new();
        for row in shown.start - 1..shown.end.min(self.hidden.len() as u32) {
            if !self.hidden[row as usize] {
                continue;
            }
            match cuts.last_mut() {
                Some(cut) if cut.rows.end == row => cut.rows.end = row + 1,
                _ => cuts.push(RowCut { rows: row..row + 1, note: self.notes.get(&row).cloned().unwrap_or_default() }),
            }
        }
        for cut in &mut cuts {
            let imports = self.imports.iter().filter(|row| cut.rows.contains(row)).count();
            if imports > 0 {
                let plural = if imports == 1 { "" } else { "s" };
                cut.note = join_words(&format!("({imports} import{plural})"), &cut.note);
            }
            if cut.rows.start <= self.licence.start && self.licence.start < cut.rows.end {
                cut.note = join_words("(licence)", &cut.note);
            }
        }
        cuts
    }
}

fn join_words(one: &str, other: &str) -> String {
    if other.is_empty() { one.to_owned() } else { format!("{one} {other}") }
}
