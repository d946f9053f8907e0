//! Plans the next compaction step: which window of messages or summaries to replace by a summary, its depth and its
//! target size. A pure function of sizes and settings.
//!
//! Oldest first. A window of messages parts no tool call from its result; a window of summaries may hold the few short
//! messages between them. A window that cannot be shortened is skipped, and folding goes on behind it.

use super::outline::{FENCE, FoldItem, safe_cuts, total_cost};
use super::tail::{ProtectedItems, find_protected};
use model::{SeqRange, TokenCount};
use std::collections::HashSet;
use std::ops::Range;

/// Sizes that folding keeps to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldRules {
    /// Newest turns that are never folded.
    pub(crate) fresh_tail: u32,
    /// Most tokens of them, if there are several.
    pub(crate) tail_tokens: TokenCount,
    /// Most tokens of messages under one leaf.
    pub(crate) leaf_chunk: TokenCount,
    /// Leaves under one condensed summary.
    pub(crate) leaf_fanout: usize,
    /// Condensed summaries under one of the next depth.
    pub(crate) condensed_fanout: usize,
    /// Tokens a leaf aims for.
    pub(crate) leaf_target: TokenCount,
    /// Tokens a condensed summary aims for.
    pub(crate) condensed_target: TokenCount,
    /// The greatest depth of a summary; none for any.
    pub(crate) deepest: Option<u32>,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldMode {
    /// The oldest full chunk, and what is ready to be condensed then.
    Incremental,
    /// Everything but the fresh tail.
    Sweep,
    /// Until the context has no more than so many tokens, and no further.
    Under(TokenCount),
}

/// The next fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoldStep {
    /// The items to fold, by position.
    pub(crate) window: Range<usize>,
    /// The messages they are or cover.
    pub(crate) range: SeqRange,
    /// Tokens of the new summary at most.
    pub(crate) target: TokenCount,
    /// Its depth.
    pub(crate) depth: u32,
}

/// The progress of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldProgress {
    /// Leaves written.
    pub(crate) leaves: u32,
    /// Windows that could not be shortened.
    pub(crate) skipped: HashSet<SeqRange>,
}

/// A summary of less than this says nothing.
const MIN_SUMMARY_TOKENS: TokenCount = TokenCount(64);
/// A leaf has at most this share of the tokens that it covers.
const LEAF_TARGET_DIVISOR: u64 = 5;
/// Messages between two summaries that a condensed one may take in, in tokens.
const MAX_LOOSE_TOKENS: u64 = 2_000;

/// The next fold, if there is one.
pub(crate) fn next_step(
    items: &[FoldItem],
    rules: &FoldRules,
    mode: FoldMode,
    progress: &FoldProgress,
) -> Option<FoldStep> {
    if let FoldMode::Under(limit) = mode
        && total_cost(items) <= u64::from(limit.0)
    {
        return None;
    }
    let safe = safe_cuts(items);
    let kept = find_protected(items, &safe, rules.fresh_tail, rules.tail_tokens);
    let context = FoldPlanner { items, safe: &safe, kept: &kept, rules, progress };
    let leaf = match mode {
        // One leaf a run: each fold changes the prefix of the prompt, and with it the provider's cache.
        FoldMode::Incremental if progress.leaves > 0 => None,
        FoldMode::Incremental => context.plan_leaf(ChunkFill::Full),
        FoldMode::Sweep | FoldMode::Under(_) => context.plan_leaf(ChunkFill::Any),
    };
    // Leaves first: condensing needs enough of them, and raw messages are where most tokens are.
    let step = leaf.or_else(|| context.plan_condensed(CondenseMode::Fanout));
    match mode {
        // A hard limit has to be met: where nothing else is left, any two neighbours are joined, whatever their depth.
        FoldMode::Under(_) => step.or_else(|| context.plan_condensed(CondenseMode::Two)),
        FoldMode::Incremental | FoldMode::Sweep => step,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChunkFill {
    /// Only chunks behind which something more is waiting: the last one still grows.
    Full,
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CondenseMode {
    /// As many of one depth as the rules say.
    Fanout,
    /// Any two neighbours: nothing else is left to do.
    Two,
}

struct FoldPlanner<'a> {
    items: &'a [FoldItem],
    safe: &'a [bool],
    kept: &'a ProtectedItems,
    rules: &'a FoldRules,
    progress: &'a FoldProgress,
}

impl FoldPlanner<'_> {
    fn plan_leaf(&self, fill: ChunkFill) -> Option<FoldStep> {
        let mut at = 0;
        while at < self.items.len() {
            let chunk = match self.find_chunk(at) {
                Ok(chunk) => chunk,
                Err(behind) => {
                    at = behind;
                    continue;
                }
            };
            let step = self.build_step(chunk.clone(), self.rules.leaf_target, 0);
            // The last chunk may still grow; folding it now would make a short summary that is never widened.
            let more = chunk.end < self.items.len() && self.is_free(chunk.end);
            if (fill == ChunkFill::Any || more) && self.is_worth(&step) {
                return Some(step);
            }
            at = chunk.end;
        }
        None
    }

    /// The messages from a place on that make one chunk. Where none begins (a summary or something protected stands
    /// there, or what begins there reaches into something protected), the next place to try.
    fn find_chunk(&self, start: usize) -> Result<Range<usize>, usize> {
        // A chunk that begins here would have a result without its call.
        if start > 0 && !self.safe[start - 1] {
            return Err(start + 1);
        }
        let mut tokens = 0;
        let mut end = None;
        let mut at = start;
        while at < self.items.len() && self.is_free(at) {
            tokens += self.items[at].token_cost();
            // A single call with a huge result may exceed the chunk: it is taken whole rather than never folded.
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
        matches!(self.items[at], FoldItem::Message(_)) && !self.kept.is_protected(at)
    }

    fn plan_condensed(&self, gather: CondenseMode) -> Option<FoldStep> {
        let mut steps = self.items.iter().enumerate().filter_map(|(start, item)| {
            let FoldItem::Summary(first) = item else { return None };
            let wanted = match (gather, first.depth) {
                (CondenseMode::Two, _) => 2,
                (CondenseMode::Fanout, 0) => self.rules.leaf_fanout.max(2),
                (CondenseMode::Fanout, _) => self.rules.condensed_fanout.max(2),
            };
            let (end, depth) = self.find_summary_group(start, wanted, gather)?;
            let step = self.build_step(start..end, self.rules.condensed_target, depth + 1);
            let is_allowed = self.rules.deepest.is_none_or(|deepest| step.depth <= deepest);
            (is_allowed && self.is_worth(&step)).then_some(step)
        });
        match gather {
            CondenseMode::Fanout => steps.next(),
            // The flattest pair, or the oldest summary would end up below all others.
            CondenseMode::Two => steps.min_by_key(|step| step.depth),
        }
    }

    /// The end of a run of `wanted` summaries that begins at `start`, and their depth.
    fn find_summary_group(&self, start: usize, wanted: usize, gather: CondenseMode) -> Option<(usize, u32)> {
        let mut found = 0;
        let mut deepest = 0;
        let mut loose = 0;
        for (at, item) in self.items.iter().enumerate().skip(start) {
            match item {
                FoldItem::Summary(node) if found == 0 || gather == CondenseMode::Two || node.depth == deepest => {
                    deepest = deepest.max(node.depth);
                    (found, loose) = (found + 1, 0);
                    if found == wanted {
                        return Some((at + 1, deepest));
                    }
                }
                // A few messages between two summaries are too short for a leaf, and would otherwise keep the two apart
                // for ever.
                FoldItem::Message(_) if self.is_free(at) && loose + item.token_cost() <= MAX_LOOSE_TOKENS => {
                    loose += item.token_cost();
                }
                FoldItem::Summary(_) | FoldItem::Message(_) => return None,
            }
        }
        None
    }

    fn build_step(&self, window: Range<usize>, target: TokenCount, depth: u32) -> FoldStep {
        let folded = &self.items[window.clone()];
        let range = SeqRange { first: folded[0].seq_range().first, last: folded[folded.len() - 1].seq_range().last };
        // Summaries repeat little and are halved at most; messages repeat much and shrink to a fifth.
        let share = total_cost(folded) / if depth == 0 { LEAF_TARGET_DIVISOR } else { 2 };
        let target = target.min(TokenCount(u32::try_from(share).unwrap_or(u32::MAX))).max(MIN_SUMMARY_TOKENS);
        FoldStep { window, range, target, depth }
    }

    /// Whether the summary will be shorter than its window, as far as sizes tell.
    fn is_worth(&self, step: &FoldStep) -> bool {
        let before = total_cost(&self.items[step.window.clone()]);
        // The lines around a summary count: a summary of a short window may cost more than the window.
        before > u64::from((step.target + FENCE).0) && !self.progress.skipped.contains(&step.range)
    }
}
