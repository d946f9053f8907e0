//! Selects which messages and summaries of a conversation fit into the token budget of an assembled context.
//!
//! Required items come first: instructions, the newest message of the user, the newest turn. Then the rest of the fresh
//! tail, summaries by relevance to the question and by age, and last older messages that no summary covers, newest
//! first and without gaps.

use super::{OmittedRange, QuotedSummary};
use crate::memory::fold::{FoldItem, FoldRules, find_protected, safe_cuts};
use model::{SeqRange, SummaryId, TokenCount, terms};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Facts take no more than this share of a budget, and no more tokens than that.
const FACTS_SHARE: u32 = 8;
const FACTS_MOST: u32 = 2_000;

/// What the line above a message costs at most: its role and its id.
const HEADING: u32 = 24;

pub(super) struct ContextSelection {
    /// For each item, whether it is shown.
    pub(super) chosen: Vec<bool>,
    /// Tokens for facts.
    pub(super) facts: TokenCount,
    /// The item before which facts stand.
    pub(super) facts_at: usize,
    /// The last message that a summary covers; 0 where there is no summary.
    pub(super) horizon: u64,
    /// Where messages were left out that no summary covers: the first message behind them that is shown.
    pub(super) shown_from: Option<u64>,
    pub(super) left_out: Vec<OmittedRange>,
}

impl ContextSelection {
    /// The summaries that are shown.
    pub(super) fn summary_ids<'a>(&'a self, items: &'a [FoldItem]) -> impl Iterator<Item = &'a SummaryId> {
        items.iter().zip(&self.chosen).filter_map(|(item, chosen)| match item {
            FoldItem::Summary(node) if *chosen => Some(&node.id),
            FoldItem::Summary(_) | FoldItem::Message(_) => None,
        })
    }

    /// The ranges of messages that are shown.
    pub(super) fn message_ranges(&self, items: &[FoldItem]) -> Vec<SeqRange> {
        let mut ranges: Vec<SeqRange> = Vec::new();
        for (item, _) in items.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen) {
            let FoldItem::Message(entry) = item else { continue };
            match ranges.last_mut() {
                Some(range) if range.last + 1 == entry.seq => range.last = entry.seq,
                _ => ranges.push(SeqRange { first: entry.seq, last: entry.seq }),
            }
        }
        ranges
    }
}

pub(super) fn select_items(
    items: &[FoldItem],
    rules: &FoldRules,
    TokenCount(budget): TokenCount,
    summaries: &HashMap<SummaryId, QuotedSummary>,
    query: Option<&str>,
) -> ContextSelection {
    let safe = safe_cuts(items);
    let kept = find_protected(items, &safe, rules.fresh_tail, rules.tail_tokens);
    let facts = (budget / FACTS_SHARE).min(FACTS_MOST);
    let mut basket =
        ItemSelector { items, summaries, chosen: vec![false; items.len()], left: i64::from(budget - facts) };
    let tail = split_groups(&safe, kept.tail..items.len());
    (0..kept.head).chain(kept.asked).for_each(|at| basket.select_group(at..at + 1));
    let (newest, older) = tail.split_last().map_or((None, &[][..]), |(newest, older)| (Some(newest), older));
    if let Some(newest) = newest {
        // Whether it fits or not: a model cannot go on without the turn it is in.
        basket.select_group(newest.clone());
    }
    // Stops at the first turn that does not fit: a hole in the newest turns would look like a complete conversation.
    let whole_tail = older.iter().rev().all(|group| basket.select_if_fits(group.clone()));
    for at in rank_summaries(items, summaries, query) {
        basket.select_if_fits(at..at + 1);
    }
    // Older messages only behind a whole tail, for the same reason.
    if whole_tail {
        let before = split_groups(&safe, kept.head..kept.tail);
        let free =
            |group: &&Range<usize>| items[(*group).clone()].iter().all(|item| matches!(item, FoldItem::Message(_)));
        // Pinned groups are selected already and do not interrupt the row.
        let rows = before.iter().rev().filter(free).filter(|group| !is_selected(&basket.chosen, group));
        let rows: Vec<Range<usize>> = rows.cloned().collect();
        let _ = rows.into_iter().all(|group| basket.select_if_fits(group));
    }
    build_selection(items, basket.chosen, TokenCount(facts), kept.head)
}

fn is_selected(chosen: &[bool], group: &Range<usize>) -> bool {
    group.clone().all(|at| chosen[at])
}

struct ItemSelector<'a> {
    items: &'a [FoldItem],
    summaries: &'a HashMap<SummaryId, QuotedSummary>,
    chosen: Vec<bool>,
    left: i64,
}

impl ItemSelector<'_> {
    fn group_cost(&self, group: Range<usize>) -> i64 {
        let cost = |at: usize| match &self.items[at] {
            FoldItem::Message(entry) => i64::from(entry.tokens.0 + HEADING),
            FoldItem::Summary(node) => self.summaries.get(&node.id).map_or(0, |quoted| i64::from(quoted.tokens.0 + 1)),
        };
        group.filter(|at| !self.chosen[*at]).map(cost).sum()
    }

    fn select_group(&mut self, group: Range<usize>) {
        self.left -= self.group_cost(group.clone());
        self.chosen[group].fill(true);
    }

    fn select_if_fits(&mut self, group: Range<usize>) -> bool {
        let fits = self.group_cost(group.clone()) <= self.left;
        if fits {
            self.select_group(group);
        }
        fits
    }
}

/// Groups of items that belong together, in order.
fn split_groups(safe: &[bool], within: Range<usize>) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut start = within.start;
    for at in within.clone() {
        if safe[at] || at + 1 == within.end {
            groups.push(start..at + 1);
            start = at + 1;
        }
    }
    groups
}

/// Summaries by how many words of the question they hold, then newest first.
fn rank_summaries(
    items: &[FoldItem],
    summaries: &HashMap<SummaryId, QuotedSummary>,
    query: Option<&str>,
) -> Vec<usize> {
    let wanted = query.map(terms::distinct_terms).unwrap_or_default();
    let mut ranked: Vec<(usize, usize)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let FoldItem::Summary(node) = item else { continue };
        let Some(quoted) = summaries.get(&node.id) else { continue };
        let held: HashSet<String> = if wanted.is_empty() {
            HashSet::new()
        } else {
            terms::distinct_terms(&quoted.summary.content).into_iter().collect()
        };
        ranked.push((wanted.iter().filter(|term| held.contains(*term)).count(), at));
    }
    ranked.sort_by_key(|(held, at)| (Reverse(*held), Reverse(*at)));
    ranked.into_iter().map(|(_, at)| at).collect()
}

fn build_selection(items: &[FoldItem], chosen: Vec<bool>, facts: TokenCount, head: usize) -> ContextSelection {
    let last_summary = items.iter().rposition(|item| matches!(item, FoldItem::Summary(_)));
    let mut left_out: Vec<OmittedRange> = Vec::new();
    for (item, _) in items.iter().zip(&chosen).filter(|(_, chosen)| !**chosen) {
        let range = item.seq_range();
        match (item, left_out.last_mut()) {
            (FoldItem::Summary(node), _) => left_out.push(OmittedRange { range, summary: Some(node.id.clone()) }),
            (FoldItem::Message(_), Some(last)) if last.summary.is_none() && last.range.last + 1 == range.first => {
                last.range.last = range.last;
            }
            (FoldItem::Message(_), _) => left_out.push(OmittedRange { range, summary: None }),
        }
    }
    // Messages that neither a summary nor the text shows: their facts are the only trace of them in this context.
    let unseen = left_out.iter().filter(|left| left.summary.is_none()).map(|left| left.range.last).max();
    let behind = |last: u64| {
        let shown = items.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(item, _)| item.seq_range().first);
        shown.filter(|first| *first > last).min().unwrap_or(u64::MAX)
    };
    let shown_from = unseen.map(behind);
    let facts_at = match shown_from {
        Some(first) => items.iter().position(|item| item.seq_range().first >= first).unwrap_or(items.len()),
        None => last_summary.map_or(head, |at| at + 1),
    };
    let horizon = last_summary.map_or(0, |at| items[at].seq_range().last);
    ContextSelection { chosen, facts, facts_at, horizon, shown_from, left_out }
}
