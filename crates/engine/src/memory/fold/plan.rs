//! Which stretch to fold next. Pure: sizes in, a window out.
//!
//! Oldest first. A window of messages ends where nothing that belongs together is parted; a window of summaries may
//! hold the few messages that stand between them, too short to be worth a summary of their own. What cannot be
//! shortened is skipped, and what stands behind it is not kept waiting.

use super::outline::{FENCE, Item, cost, safe_cuts};
use super::tail::{Protected, protected};
use model::{SeqRange, Tokens};
use std::collections::HashSet;
use std::ops::Range;

/// Sizes that folding keeps to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Newest turns that are never folded.
    pub(crate) fresh_tail: u32,
    /// Most tokens of them, if there are several.
    pub(crate) tail_tokens: Tokens,
    /// Most tokens of messages under one leaf.
    pub(crate) leaf_chunk: Tokens,
    /// Leaves under one condensed summary.
    pub(crate) leaf_fanout: usize,
    /// Condensed summaries under one of the next depth.
    pub(crate) condensed_fanout: usize,
    /// Tokens a leaf aims for.
    pub(crate) leaf_target: Tokens,
    /// Tokens a condensed summary aims for.
    pub(crate) condensed_target: Tokens,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The oldest full chunk, and what is ready to be condensed then.
    Incremental,
    /// Everything but the fresh tail.
    Sweep,
    /// Until the context has no more than so many tokens, and no further.
    Under(Tokens),
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The items to fold, by position.
    pub(crate) window: Range<usize>,
    /// The messages they are or stand for.
    pub(crate) range: SeqRange,
    /// Tokens of the new summary at most.
    pub(crate) target: Tokens,
    /// Its depth.
    pub(crate) depth: u32,
}

/// What happened in this run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Leaves written.
    pub(crate) leaves: u32,
    /// Windows that could not be shortened.
    pub(crate) skipped: HashSet<SeqRange>,
}

/// A summary of less than this says nothing.
const SMALLEST: Tokens = Tokens(64);
/// Of what it stands for, a summary takes this share at most.
const SHARE: u64 = 5;
/// Messages between two summaries that a condensed one may take in, in tokens.
const LOOSE: u64 = 2_000;

/// The next fold, if there is one.
pub(crate) fn next(items: &[Item], rules: &Rules, mode: Mode, progress: &Progress) -> Option<Step> {
    if let Mode::Under(limit) = mode
        && cost(items) <= u64::from(limit.0)
    {
        return None;
    }
    let safe = safe_cuts(items);
    let kept = protected(items, &safe, rules.fresh_tail, rules.tail_tokens);
    let context = Planned { items, safe: &safe, kept: &kept, rules, progress };
    let leaf = match mode {
        Mode::Incremental if progress.leaves > 0 => None,
        Mode::Incremental => context.leaf(Fill::Full),
        Mode::Sweep | Mode::Under(_) => context.leaf(Fill::Any),
    };
    let step = leaf.or_else(|| context.condense(Gather::Fanout));
    match mode {
        Mode::Under(_) => step.or_else(|| context.condense(Gather::Two)),
        Mode::Incremental | Mode::Sweep => step,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    /// Only chunks behind which something more is waiting: the last one still grows.
    Full,
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gather {
    /// As many of one depth as the rules say.
    Fanout,
    /// Any two neighbours: nothing else is left to do.
    Two,
}

struct Planned<'a> {
    items: &'a [Item],
    safe: &'a [bool],
    kept: &'a Protected,
    rules: &'a Rules,
    progress: &'a Progress,
}

impl Planned<'_> {
    fn leaf(&self, fill: Fill) -> Option<Step> {
        let mut at = 0;
        while at < self.items.len() {
            let chunk = match self.chunk(at) {
                Ok(chunk) => chunk,
                Err(behind) => {
                    at = behind;
                    continue;
                }
            };
            let step = self.step(chunk.clone(), self.rules.leaf_target, 0);
            let more = chunk.end < self.items.len() && self.is_free(chunk.end);
            if (fill == Fill::Any || more) && self.is_worth(&step) {
                return Some(step);
            }
            at = chunk.end;
        }
        None
    }

    /// The messages from a place on that make one chunk. Where none begins (a summary or something protected stands
    /// there, or what begins there reaches into something protected), the next place to try.
    fn chunk(&self, start: usize) -> Result<Range<usize>, usize> {
        if start > 0 && !self.safe[start - 1] {
            return Err(start + 1);
        }
        let (mut tokens, mut end, mut at) = (0, None, start);
        while at < self.items.len() && self.is_free(at) {
            tokens += self.items[at].cost();
            if tokens > u64::from(self.rules.leaf_chunk.0) && end.is_some() {
                break;
            }
            if self.safe[at] {
                end = Some(at + 1);
            }
            at += 1;
        }
        end.map(|end| start..end).ok_or(at.max(start + 1))
    }

    fn is_free(&self, at: usize) -> bool {
        matches!(self.items[at], Item::Message(_)) && !self.kept.holds(at)
    }

    fn condense(&self, gather: Gather) -> Option<Step> {
        let mut steps = self.items.iter().enumerate().filter_map(|(start, item)| {
            let Item::Summary(first) = item else { return None };
            let wanted = match (gather, first.depth) {
                (Gather::Two, _) => 2,
                (Gather::Fanout, 0) => self.rules.leaf_fanout.max(2),
                (Gather::Fanout, _) => self.rules.condensed_fanout.max(2),
            };
            let (end, depth) = self.gathered(start, wanted, gather)?;
            let step = self.step(start..end, self.rules.condensed_target, depth + 1);
            self.is_worth(&step).then_some(step)
        });
        match gather {
            Gather::Fanout => steps.next(),
            // The flattest pair, or the oldest summary would end up below all others.
            Gather::Two => steps.min_by_key(|step| step.depth),
        }
    }

    /// The end of a run of `wanted` summaries that begins at `start`, and their depth.
    fn gathered(&self, start: usize, wanted: usize, gather: Gather) -> Option<(usize, u32)> {
        let (mut found, mut deepest, mut loose) = (0, 0, 0);
        for (at, item) in self.items.iter().enumerate().skip(start) {
            match item {
                Item::Summary(node) if found == 0 || gather == Gather::Two || node.depth == deepest => {
                    deepest = deepest.max(node.depth);
                    (found, loose) = (found + 1, 0);
                    if found == wanted {
                        return Some((at + 1, deepest));
                    }
                }
                Item::Message(_) if self.is_free(at) && loose + item.cost() <= LOOSE => loose += item.cost(),
                Item::Summary(_) | Item::Message(_) => return None,
            }
        }
        None
    }

    fn step(&self, window: Range<usize>, target: Tokens, depth: u32) -> Step {
        let folded = &self.items[window.clone()];
        let range = SeqRange { first: folded[0].range().first, last: folded[folded.len() - 1].range().last };
        // Summaries say little twice, messages much.
        let share = cost(folded) / if depth == 0 { SHARE } else { 2 };
        let target = target.min(Tokens(u32::try_from(share).unwrap_or(u32::MAX))).max(SMALLEST);
        Step { window, range, target, depth }
    }

    /// Whether the summary will be shorter than what it stands for, as far as one can know.
    fn is_worth(&self, step: &Step) -> bool {
        let before = cost(&self.items[step.window.clone()]);
        before > u64::from((step.target + FENCE).0) && !self.progress.skipped.contains(&step.range)
    }
}
