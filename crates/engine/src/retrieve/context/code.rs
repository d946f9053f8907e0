//! Code and documents as items of an answer: the whole place, else the symbol in it that fits best, else a shorter view,
//! else the stretch of lines with most words of the question.

use super::form::{self, Format};
use super::pack::Form;
use super::{Item, Origin};
use crate::read::Shown;
use crate::retrieve::SearchHit;
use crate::retrieve::code::stems;
use crate::{Project, Result, Settings};
use model::{LineRange, Tokens};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;
use syntax::{Limits, Mode};

/// A piece cut shorter than this says too little.
const LEAST_LINES: usize = 4;

/// A place that was found, ready to be drawn in any form.
pub(super) struct Found {
    pub(super) hit: SearchHit,
    origin: Origin,
    /// Stems of the question.
    words: Arc<[String]>,
    raw: String,
    /// Shorter views, the fullest first; parsing is put off until the lines themselves do not fit.
    views: OnceCell<Vec<String>>,
    shown: Shown,
    limits: Limits,
}

impl Found {
    /// Reads the lines of a hit: what is shown is what is there now.
    pub(super) fn read(project: &Project, settings: &Settings, hit: SearchHit, words: Arc<[String]>) -> Result<Self> {
        let shown = Shown::read(project, &hit.path, hit.lines)?;
        let limits = Limits { max_bytes: settings.max_file_bytes as usize, ..Limits::default() };
        let origin = if hit.is_prose { Origin::Document } else { Origin::Code };
        Ok(Self { raw: shown.raw()?, hit, origin, words, views: OnceCell::new(), shown, limits })
    }

    pub(super) fn source(&self) -> String {
        source(&self.hit.path, self.hit.lines)
    }

    /// The fullest form that costs at most `most`.
    pub(super) fn draw(&self, most: Tokens, format: Format) -> Option<Form<Item>> {
        let part = |it: Item| Form { tokens: it.tokens, it, is_whole: false };
        if let Some(it) = self.priced(&self.raw, self.hit.lines, most, format) {
            return Some(Form { is_whole: true, ..part(it) });
        }
        let focus = self.hit.focus.and_then(|focus| self.priced(&self.within(focus), focus, most, format));
        if let Some(it) = focus {
            return Some(part(it));
        }
        let views = self.views.get_or_init(|| self.shown.views(&[Mode::Lightweight, Mode::Aggressive], self.limits));
        let shorter = views.iter().find_map(|view| self.priced(view, self.hit.lines, most, format));
        shorter.or_else(|| self.cut(most, format)).map(part)
    }

    /// Some of its lines, with marks for what is before and behind.
    fn within(&self, lines: LineRange) -> String {
        let all: Vec<&str> = self.raw.split_inclusive('\n').collect();
        let first = (lines.start - self.hit.lines.start) as usize;
        let end = (first + lines.count() as usize).min(all.len());
        let mark = |start: u32, end: u32| {
            let left_out = source(&self.hit.path, LineRange { start, end });
            if start > end { String::new() } else { format!("[… left out for the budget: read {left_out}]\n") }
        };
        let before = mark(self.hit.lines.start, lines.start - 1);
        let newline = if all[..end].last().is_some_and(|line| line.ends_with('\n')) { "" } else { "\n" };
        let text = all[first.min(end)..end].concat();
        format!("{before}{text}{newline}{}", mark(lines.end + 1, self.hit.lines.end))
    }

    /// The lines with most words of the question, as many as fit.
    fn cut(&self, most: Tokens, format: Format) -> Option<Item> {
        let around = self.hit.focus.unwrap_or(self.hit.lines);
        let skipped = (around.start - self.hit.lines.start) as usize;
        let lines: Vec<&str> = self.raw.split_inclusive('\n').skip(skipped).take(around.count() as usize).collect();
        let held: Vec<Vec<usize>> = lines.iter().map(|line| self.words_in(line)).collect();
        // Halve until it fits: a few counts instead of one for each line.
        let mut keep = lines.len() / 2;
        while keep >= LEAST_LINES {
            let start = around.start + densest(&held, keep) as u32;
            let shown = LineRange { start, end: start + keep as u32 - 1 };
            if let Some(item) = self.priced(&self.within(shown), shown, most, format) {
                return Some(item);
            }
            keep /= 2;
        }
        None
    }

    fn words_in(&self, line: &str) -> Vec<usize> {
        let stems = stems(line);
        let words = self.words.iter().enumerate().filter(|(_, word)| stems.contains(word));
        words.map(|(number, _)| number).collect()
    }

    fn priced(&self, text: &str, lines: LineRange, most: Tokens, format: Format) -> Option<Item> {
        // A token is seldom longer: what is far too long need not be counted.
        if text.len() > most.0 as usize * 16 {
            return None;
        }
        let (source, text, why) = (source(&self.hit.path, lines), text.to_owned(), self.hit.why.clone());
        let item = Item { source, text, tokens: Tokens(0), why, at: None, origin: self.origin };
        Some(form::priced(item, format)).filter(|item| item.tokens <= most)
    }
}

/// The first of so many lines in a row that hold most different words, and of those the ones that hold most words.
fn densest(held: &[Vec<usize>], keep: usize) -> usize {
    let worth = |start: &usize| {
        let window = held[*start..*start + keep].iter().flatten();
        let different: HashSet<usize> = window.clone().copied().collect();
        (different.len(), window.count())
    };
    let mut best = (0, (0, 0));
    for start in 0..=held.len().saturating_sub(keep) {
        let worth = worth(&start);
        if worth > best.1 {
            best = (start, worth);
        }
    }
    best.0
}

fn source(path: &str, lines: LineRange) -> String {
    format!("{path}:{}-{}", lines.start, lines.end)
}
