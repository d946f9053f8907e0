//! Code and documents as items of an answer: the whole place, else the symbol in it that fits best, else a shorter view,
//! else the stretch of lines with most words of the question.
//!
//! Drawing is put off as far as it goes: what cannot fit is not read, and what fits as it is is not parsed.

use super::form::{self, Format};
use super::lines::{densest, words_in};
use super::pack::Form;
use super::{Item, Origin};
use crate::read::Shown;
use crate::retrieve::SearchHit;
use crate::{Error, Project, Result, Settings};
use model::{LineRange, Tokens};
use std::cell::{Cell, OnceCell};
use syntax::{Limits, Mode, Piece};

/// How many bytes may be parsed for each token of a budget: parsing is what takes longest, and an answer shall not be
/// waited for. The best places have the first say; of others the lines with most words are shown.
const PARSED: usize = 16;

/// From what, for what and how places are drawn.
pub(super) struct Desk {
    pub(super) project: Project,
    pub(super) limits: Limits,
    /// Stems of the question.
    pub(super) words: Vec<String>,
    pub(super) format: Format,
    /// How many bytes may still be parsed.
    parsed: Cell<usize>,
}

impl Desk {
    /// A desk for an answer within a budget.
    pub(super) fn new(
        project: Project,
        settings: &Settings,
        words: Vec<String>,
        format: Format,
        budget: Tokens,
    ) -> Self {
        let limits = Limits { max_bytes: settings.max_file_bytes as usize, ..Limits::default() };
        Self { project, limits, words, format, parsed: Cell::new(budget.0 as usize * PARSED) }
    }
}

/// A place that was found, ready to be drawn in any form.
pub(super) struct Found<'d> {
    pub(super) hit: SearchHit,
    desk: &'d Desk,
    /// What nothing can undercut: what stands around a text; and what nothing can that leaves lines out: that and one mark.
    around: OnceCell<Tokens>,
    marked: OnceCell<Tokens>,
    text: OnceCell<Result<Text>>,
    /// Shorter views, the fullest first.
    views: OnceCell<Vec<String>>,
    /// Which words of the question each line of what may be cut holds.
    held: OnceCell<Vec<Vec<usize>>>,
}

struct Text {
    shown: Shown,
    raw: String,
}

impl<'d> Found<'d> {
    pub(super) fn new(hit: SearchHit, desk: &'d Desk) -> Self {
        let (around, marked, text, views, held) = Default::default();
        Self { hit, desk, around, marked, text, views, held }
    }

    pub(super) fn source(&self) -> String {
        source(&self.hit.path, self.hit.lines)
    }

    /// Why it could not be read, where that was tried.
    pub(super) fn error(&self) -> Option<&Error> {
        self.text.get()?.as_ref().err()
    }

    /// The fullest form that costs at most `most`.
    pub(super) fn draw(&self, most: Tokens) -> Option<Form<Item>> {
        if *self.around.get_or_init(|| self.cost(String::new())) > most {
            return None;
        }
        // What is shown is what is there now.
        let text = self.text.get_or_init(|| Text::read(&self.desk.project, &self.hit)).as_ref().ok()?;
        let part = |it: Item| Form { tokens: it.tokens, it, is_whole: false };
        if let Some(it) = self.priced(&text.raw, self.hit.lines, most) {
            return Some(Form { is_whole: true, ..part(it) });
        }
        if *self.marked.get_or_init(|| self.cost(self.mark(self.hit.lines))) > most {
            return None;
        }
        let focus = self.hit.focus.and_then(|focus| self.priced(&self.within(text, focus), focus, most));
        if let Some(it) = focus {
            return Some(part(it));
        }
        let views = self.views.get_or_init(|| self.views(text));
        let shorter = views.iter().find_map(|view| self.priced(view, self.hit.lines, most));
        shorter.or_else(|| self.cut(text, most)).map(part)
    }

    fn views(&self, text: &Text) -> Vec<String> {
        let (bytes, left) = (text.shown.bytes() as usize, self.desk.parsed.get());
        if bytes > left {
            return Vec::new();
        }
        self.desk.parsed.set(left - bytes);
        let mut views = text.shown.views(&[Mode::Lightweight, Mode::Aggressive], self.desk.limits);
        views.retain(|view| shows_something(view));
        views
    }

    fn cost(&self, text: String) -> Tokens {
        form::priced(self.item(text, self.hit.lines), self.desk.format).tokens
    }

    /// Some of its lines, with marks for what is before and behind.
    fn within(&self, text: &Text, lines: LineRange) -> String {
        let all: Vec<&str> = text.raw.split_inclusive('\n').collect();
        let first = (lines.start - self.hit.lines.start) as usize;
        let end = (first + lines.count() as usize).min(all.len());
        let mark = |start: u32, end: u32| if start > end { String::new() } else { self.mark(LineRange { start, end }) };
        let before = mark(self.hit.lines.start, lines.start - 1);
        let newline = if all[..end].last().is_some_and(|line| line.ends_with('\n')) { "" } else { "\n" };
        let text = all[first.min(end)..end].concat();
        format!("{before}{text}{newline}{}", mark(lines.end + 1, self.hit.lines.end))
    }

    /// What stands for lines that are left out.
    fn mark(&self, lines: LineRange) -> String {
        format!("[… left out for the budget: read {}]\n", source(&self.hit.path, lines))
    }

    /// The lines with most words of the question, as many as fit.
    fn cut(&self, text: &Text, most: Tokens) -> Option<Item> {
        let around = self.hit.focus.unwrap_or(self.hit.lines);
        let held = self.held.get_or_init(|| {
            let skipped = (around.start - self.hit.lines.start) as usize;
            let lines = text.raw.split_inclusive('\n').skip(skipped).take(around.count() as usize);
            lines.map(|line| words_in(line, &self.desk.words)).collect()
        });
        // Halve until it fits: a few counts instead of one for each line.
        let mut keep = held.len() / 2;
        while keep > 0 {
            let start = around.start + densest(held, keep, self.desk.words.len()) as u32;
            let shown = LineRange { start, end: start + keep as u32 - 1 };
            if let Some(item) = self.priced(&self.within(text, shown), shown, most) {
                return Some(item);
            }
            keep /= 2;
        }
        None
    }

    fn priced(&self, text: &str, lines: LineRange, most: Tokens) -> Option<Item> {
        // A token is seldom longer: what is far too long need not be counted.
        if text.len() > most.0 as usize * 16 {
            return None;
        }
        form::priced_within(self.item(text.to_owned(), lines), self.desk.format, most)
    }

    fn item(&self, text: String, lines: LineRange) -> Item {
        let origin = if self.hit.is_prose { Origin::Document } else { Origin::Code };
        let (source, why) = (source(&self.hit.path, lines), self.hit.why.clone());
        Item { source, text, tokens: Tokens(0), why, at: None, origin }
    }
}

impl Text {
    fn read(project: &Project, hit: &SearchHit) -> Result<Self> {
        let shown = Shown::read(project, &hit.path, hit.lines)?;
        Ok(Self { raw: shown.raw()?, shown })
    }
}

/// Whether a view is more than a mark for what it leaves out.
fn shows_something(view: &str) -> bool {
    syntax::pieces(view.as_bytes()).into_iter().any(|piece| match piece {
        Piece::Kept(bytes) => bytes.iter().any(u8::is_ascii_alphanumeric),
        Piece::Cut(_) => false,
    })
}

fn source(path: &str, lines: LineRange) -> String {
    format!("{path}:{}-{}", lines.start, lines.end)
}
