//! Which rows a view hides, and which of them are worth hiding.

use super::marker;
use super::rows::Rows;
use crate::lines::Lines;
use model::{LineRange, count_tokens};
use std::collections::HashMap;

/// A cut saves at least this many tokens, its marker counted. For fewer, nobody should have to read again who wants to
/// see what is there.
const LEAST_SAVED: u32 = 8;

/// The rows of a file, each hidden or not.
pub(super) struct Mask {
    hidden: Vec<bool>,
    /// Words for the marker of a cut that starts with this row.
    notes: HashMap<u32, String>,
}

/// Rows that are left out, with words for their marker.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) rows: Rows,
    pub(super) note: String,
}

impl Cut {
    pub(super) fn lines(&self) -> LineRange {
        LineRange { start: self.rows.start + 1, end: self.rows.end }
    }
}

impl Mask {
    pub(super) fn new(lines: &Lines) -> Self {
        Self { hidden: vec![false; lines.count() as usize], notes: HashMap::new() }
    }

    pub(super) fn hide(&mut self, rows: &Rows) {
        self.set(rows, true);
    }

    pub(super) fn show(&mut self, rows: &Rows) {
        self.set(rows, false);
    }

    pub(super) fn note(&mut self, row: u32, words: &str) {
        self.notes.insert(row, words.to_owned());
    }

    fn set(&mut self, rows: &Rows, hidden: bool) {
        let end = (rows.end as usize).min(self.hidden.len());
        if let Some(rows) = self.hidden.get_mut(rows.start as usize..end) {
            rows.fill(hidden);
        }
    }

    /// The cuts among the lines shown. No cut takes a part of a solid, and each is worth its marker.
    pub(super) fn cuts(mut self, path: &str, lines: &Lines, solids: &[Rows], shown: LineRange) -> Vec<Cut> {
        self.join(lines);
        for solid in solids {
            if solid.clone().any(|row| !self.hidden[row as usize]) {
                self.show(solid);
            }
        }
        let mut cuts = self.runs(shown);
        let mut saved = 0;
        cuts.retain(|cut| {
            let span = lines.span_of(cut.rows.start, cut.rows.end);
            let hides = count_tokens(&String::from_utf8_lossy(&lines.bytes()[span.range()])).0;
            let costs = marker::cost(cut);
            let pays = hides >= costs + LEAST_SAVED;
            saved += if pays { hides - costs } else { 0 };
            pays
        });
        let legend = cuts.first().map_or(0, |cut| count_tokens(&marker::legend(path, cut.lines())).0);
        if saved < legend + LEAST_SAVED {
            cuts.clear();
        }
        cuts
    }

    /// Hides the blank rows between two hidden ones: one marker costs less than two.
    fn join(&mut self, lines: &Lines) {
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

    fn runs(&self, shown: LineRange) -> Vec<Cut> {
        let mut cuts: Vec<Cut> = Vec::new();
        for row in shown.start - 1..shown.end.min(self.hidden.len() as u32) {
            if !self.hidden[row as usize] {
                continue;
            }
            match cuts.last_mut() {
                Some(cut) if cut.rows.end == row => cut.rows.end = row + 1,
                _ => cuts.push(Cut { rows: row..row + 1, note: self.notes.get(&row).cloned().unwrap_or_default() }),
            }
        }
        cuts
    }
}
