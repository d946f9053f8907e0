//! Turns search hits in code and documents into answer items: reads the lines from disk and renders the whole region,
//! or where that must be cut the best symbol in it, an excerpt, its first lines or its summary.

use super::answer_format::{self, AnswerFormat};
use super::excerpt::{QuestionWords, find_stretch};
use super::neighbours::RegionNeighbour;
use super::packer::{CutMode, PackedForm};
use super::{AnswerItem, ItemOrigin};
use crate::base::{Error, Project, Result};
use crate::code::read::shown_lines;
use crate::code::search::SearchHit;
use model::{LineRange, TokenCount};
use std::cell::OnceCell;
use std::ops::Range;

/// The context in which regions are rendered.
pub(super) struct RenderScope {
    pub(super) project: Project,
    pub(super) format: AnswerFormat,
    /// A neighbour that costs no more is shown whole.
    pub(super) for_neighbour: TokenCount,
    pub(super) words: QuestionWords,
}

/// A region that was found, ready to be drawn.
pub(super) struct CodeCandidate<'d> {
    pub(super) hit: SearchHit,
    /// Its relation to a shown region, where that relation is the only reason to show it.
    pub(super) near: Option<&'d RegionNeighbour>,
    rendering: &'d RenderScope,
    text: OnceCell<Result<String>>,
}

/// A neighbour of so many lines is shown whole where it fits at all.
const MAX_WHOLE_LINES: u32 = 12;

/// The least tokens of the heading and the marker of an excerpt, and how often a shorter excerpt is tried.
const EXCERPT_FRAME: u32 = 40;
const EXCERPT_ATTEMPTS: u32 = 4;

/// A region that is cut shows at least so many lines, or it is left out.
const LEAST_LINES: usize = 4;

impl<'d> CodeCandidate<'d> {
    pub(super) fn new(hit: SearchHit, rendering: &'d RenderScope) -> Self {
        Self { hit, near: None, rendering, text: OnceCell::new() }
    }

    /// A neighbour, which is shown in shorter form.
    pub(super) fn of_neighbour(near: &'d RegionNeighbour, rendering: &'d RenderScope) -> Self {
        Self { near: Some(near), ..Self::new(near.hit.clone(), rendering) }
    }

    pub(super) fn source_label(&self) -> String {
        format_source(&self.hit.path, self.hit.lines)
    }

    /// Why it could not be read, where that was tried.
    pub(super) fn read_error(&self) -> Option<&Error> {
        self.text.get()?.as_ref().err()
    }

    /// The region where it costs at most `most`, or as much of it as that allows.
    pub(super) fn render_form(&self, most: TokenCount, cut: CutMode) -> Option<PackedForm<AnswerItem>> {
        let form = |it: AnswerItem| PackedForm { tokens: it.tokens, it };
        if cut == CutMode::Summary {
            return self.summary_item(most).map(form);
        }
        // A line costs at least one token, so a region with more lines than tokens is skipped without a read.
        if self.near.is_none() && cut == CutMode::Never && self.hit.lines.count() > most.0 {
            return None;
        }
        // Read from disk at the moment of rendering, and once: the packer tries several sizes.
        let text = self.text.get_or_init(|| read_hit(&self.rendering.project, &self.hit)).as_ref().ok()?;
        if let Some(RegionNeighbour { head, .. }) = self.near {
            let lines = head.head_lines(text, self.hit.lines);
            let all = LineRange { end: self.hit.lines.end, ..lines };
            // A neighbour is a hint, not the answer: beyond a few lines it may take a fifth of the room, else its
            // signature is enough.
            let for_whole = if all.count() <= MAX_WHOLE_LINES { most } else { most.min(self.rendering.for_neighbour) };
            let whole = self.price_lines(&self.slice_lines(text, all), all, for_whole);
            return whole.or_else(|| self.price_lines(&self.slice_lines(text, lines), lines, most)).map(form);
        }
        let whole = self.price_lines(text, self.hit.lines, most);
        if whole.is_some() || cut == CutMode::Never {
            return whole.map(form);
        }
        // In this order: the symbol that fits is the answer itself, a stretch shows where the words are, and the
        // beginning is the best guess where neither is known.
        let focus = self.hit.focus.and_then(|focus| self.price_lines(&self.slice_lines(text, focus), focus, most));
        focus.or_else(|| self.excerpt(text, most)).or_else(|| self.first_lines(text, most)).map(form)
    }

    /// The model's summary of the region as an item.
    fn summary_item(&self, most: TokenCount) -> Option<AnswerItem> {
        let summary = self.hit.summary.as_ref()?;
        let (id, _) = self.hit.symbol.as_ref()?;
        let LineRange { start, end } = self.hit.lines;
        let text = format!("{start}-{end} `{}` in short: {summary}\n", id.qualified_name());
        let item = AnswerItem { is_summary: true, ..self.build_item(text, self.hit.lines) };
        answer_format::priced_within(item, self.rendering.format, most)
    }

    /// Some of its lines.
    fn slice_lines(&self, text: &str, lines: LineRange) -> String {
        let first = (lines.start - self.hit.lines.start) as usize;
        text.split_inclusive('\n').skip(first).take(lines.count() as usize).collect()
    }

    /// The line that names it, and the stretch that has most of the question.
    fn excerpt(&self, text: &str, most: TokenCount) -> Option<AnswerItem> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let name = self.hit.symbol.as_ref().and_then(|(id, _)| id.qualified_name().rsplit('.').next());
        let named = name.and_then(|name| lines.iter().position(|line| line.contains(name))).unwrap_or(0);
        // The cost of heading and marker is known only once they are written, so shorter stretches are tried until one
        // fits.
        for attempt in 1..=EXCERPT_ATTEMPTS {
            let room = most.0.saturating_sub(attempt * EXCERPT_FRAME);
            let stretch = find_stretch(text, &self.rendering.words, room)?;
            let item = self.stretch_item(&lines, named, stretch);
            if let Some(priced) = answer_format::priced_within(item, self.rendering.format, most) {
                return Some(priced);
            }
        }
        None
    }

    fn stretch_item(&self, lines: &[&str], named: usize, stretch: Range<usize>) -> AnswerItem {
        let number = |at: usize| self.hit.lines.start + at as u32;
        let mut shown = String::new();
        let mut first = stretch.start;
        if named + 1 < stretch.start {
            first = named;
            let from = number(named + 1);
            let to = number(stretch.start - 1);
            let marker = if from == to { format!("…:{from}\n") } else { format!("…:{from}-{to}\n") };
            shown = format!("{}{marker}", lines[named]);
        } else if named < stretch.start {
            (first, shown) = (named, lines[named].to_owned());
        }
        shown.extend(lines[stretch.clone()].iter().copied());
        self.build_item(shown, LineRange { start: number(first), end: number(stretch.end - 1) })
    }

    /// Its first lines, as many as fit.
    fn first_lines(&self, text: &str, most: TokenCount) -> Option<AnswerItem> {
        let all = text.split_inclusive('\n').count();
        // Halve the step until it fits closely: a few counts instead of one for each line.
        let mut fitting = None;
        let mut step = all;
        let mut keep = 0;
        while step > 0 {
            let lines = LineRange { start: self.hit.lines.start, end: self.hit.lines.start + (keep + step) as u32 - 1 };
            match self.price_lines(&self.slice_lines(text, lines), lines, most).filter(|_| keep + step <= all) {
                Some(item) => (fitting, keep) = (Some(item), keep + step),
                None => step /= 2,
            }
        }
        // Two lines of a function tell nothing that the heading does not.
        fitting.filter(|_| keep >= LEAST_LINES.min(all))
    }

    fn price_lines(&self, text: &str, lines: LineRange, most: TokenCount) -> Option<AnswerItem> {
        // A token is seldom longer: what is far too long need not be counted.
        if text.len() > most.0 as usize * 16 {
            return None;
        }
        answer_format::priced_within(self.build_item(text.to_owned(), lines), self.rendering.format, most)
    }

    fn build_item(&self, text: String, lines: LineRange) -> AnswerItem {
        let origin = if self.hit.is_prose { ItemOrigin::Document } else { ItemOrigin::Code };
        let place = Some(ItemPlace { path: self.hit.path.clone(), lines, of: self.hit.file_lines });
        let why = self.hit.why.clone();
        AnswerItem {
            source: format_source(&self.hit.path, lines),
            text,
            tokens: TokenCount(0),
            why,
            at: None,
            origin,
            place,
            is_summary: false,
        }
    }
}

/// Where an item of a file stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemPlace {
    /// The file.
    pub path: String,
    /// Its lines that are shown.
    pub lines: LineRange,
    /// How many the file has, where that is known.
    pub of: Option<u32>,
}

fn read_hit(project: &Project, hit: &SearchHit) -> Result<String> {
    shown_lines(project, &hit.path, hit.lines)
}

fn format_source(path: &str, lines: LineRange) -> String {
    format!("{path}:{}-{}", lines.start, lines.end)
}

/// Groups items by file, in the order of lines, adjoining items joined; files in the order of their first item.
pub(super) fn arrange_by_file(items: Vec<AnswerItem>) -> Vec<AnswerItem> {
    let mut files: Vec<(String, Vec<AnswerItem>)> = Vec::new();
    for item in items {
        let path = item.place.as_ref().map(|place| place.path.clone()).unwrap_or_default();
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, items)) => items.push(item),
            None => files.push((path, vec![item])),
        }
    }
    files.into_iter().flat_map(|(_, items)| join_neighbours(items)).collect()
}

fn join_neighbours(mut items: Vec<AnswerItem>) -> Vec<AnswerItem> {
    let lines = |item: &AnswerItem| item.place.as_ref().map_or(LineRange { start: 0, end: 0 }, |place| place.lines);
    items.sort_by_key(|item| (lines(item).start, lines(item).end));
    let mut joined: Vec<AnswerItem> = Vec::with_capacity(items.len());
    for item in items {
        let next = lines(&item);
        match joined.last_mut() {
            // Adjoining regions would repeat the gap marker between lines that follow each other; a summary is no text
            // of the file.
            Some(last)
                if lines(last).end + 1 == next.start
                    && last.text.ends_with('\n')
                    && !(last.is_summary || item.is_summary) =>
            {
                last.text.push_str(&item.text);
                last.tokens += item.tokens;
                if let Some(place) = &mut last.place {
                    place.lines.end = next.end;
                    last.source = format_source(&place.path, place.lines);
                }
            }
            _ => joined.push(item),
        }
    }
    joined
}
