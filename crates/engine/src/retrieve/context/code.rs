//! Code and documents as items of an answer: the whole place, else a shorter view of it, else its first lines.

use super::form::{self, Format};
use super::pack::Form;
use super::{Item, Origin};
use crate::read::Shown;
use crate::retrieve::SearchHit;
use crate::{Project, Result, Settings};
use model::{LineRange, Tokens};
use std::cell::OnceCell;
use syntax::{Limits, Mode};

/// A piece cut shorter than this says too little.
const LEAST_LINES: u32 = 4;

/// A place that was found, ready to be drawn in any form.
pub(super) struct Found {
    pub(super) hit: SearchHit,
    origin: Origin,
    raw: String,
    /// Shorter views, the fullest first; parsing is put off until the lines themselves do not fit.
    views: OnceCell<Vec<String>>,
    shown: Shown,
    limits: Limits,
}

impl Found {
    /// Reads the lines of a hit: what is shown is what is there now.
    pub(super) fn read(project: &Project, settings: &Settings, hit: SearchHit) -> Result<Self> {
        let shown = Shown::read(project, &hit.path, hit.lines)?;
        let limits = Limits { max_bytes: settings.max_file_bytes as usize, ..Limits::default() };
        let origin = if hit.is_prose { Origin::Document } else { Origin::Code };
        Ok(Self { raw: shown.raw()?, hit, origin, views: OnceCell::new(), shown, limits })
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
        let views = self.views.get_or_init(|| self.shown.views(&[Mode::Lightweight, Mode::Aggressive], self.limits));
        let shorter = views.iter().find_map(|view| self.priced(view, self.hit.lines, most, format));
        shorter.or_else(|| self.cut(most, format)).map(part)
    }

    /// Its first lines, with a mark that says where to read on.
    fn cut(&self, most: Tokens, format: Format) -> Option<Item> {
        let lines: Vec<&str> = self.raw.split_inclusive('\n').collect();
        // Halve until it fits: a few counts instead of one for each line.
        let mut keep = lines.len() as u32 / 2;
        while keep >= LEAST_LINES {
            let last = self.hit.lines.start + keep - 1;
            let rest = LineRange { start: last + 1, end: self.hit.lines.end };
            let on = source(&self.hit.path, rest);
            let mark = format!("[… lines {}-{} left out for the budget: read {on}]\n", rest.start, rest.end);
            let text = lines[..keep as usize].concat() + &mark;
            let shown = LineRange { start: self.hit.lines.start, end: last };
            if let Some(item) = self.priced(&text, shown, most, format) {
                return Some(item);
            }
            keep /= 2;
        }
        None
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

fn source(path: &str, lines: LineRange) -> String {
    format!("{path}:{}-{}", lines.start, lines.end)
}
