//! Selects which messages and summaries of a conversation fit into the token budget of an assembled context.
//!
//! Required items come first: instructions, the newest message of the user, the newest turn. Where they do not fit, they
//! are cut afterwards, and leave a part of the budget to the rest. Then the rest of the fresh tail, summaries by
//! relevance to the question and by age, and last older messages that no summary covers, newest first and without gaps.
//! Where not all summaries fit, all are shortened before any is left out. The head of the thread has its place before all
//! of this; facts take what is left over.

use super::summary_versions::SummaryVersions;
use super::{OmittedRange, thread_head};
use crate::memory::fold::{FoldItem, FoldRules, find_protected, safe_cuts};
use model::{SeqRange, SummaryId, TokenCount, terms};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The share of a budget that the shortest forms of all summaries take before older turns of the fresh tail.
const SUMMARIES_BUDGET_PARTS: i64 = 3;

/// What messages that do not fit leave to everything else, as one part of so many of the budget: they are cut.
const CUT_BUDGET_PARTS: i64 = 3;

/// What a line costs at most that says which messages are left out in its place.
pub(super) const MAX_GAP_TOKENS: TokenCount = TokenCount(20);

/// What the line above a message costs at most: its role and its id.
pub(super) const MAX_HEADING_TOKENS: u32 = 24;

pub(super) struct ContextSelection {
    /// For each item, whether it is shown.
    pub(super) chosen: Vec<bool>,
    /// For each summary that is shown, which of its versions.
    pub(super) versions: HashMap<SummaryId, usize>,
    /// Tokens for the head of the thread; none where every message is shown.
    pub(super) head: Option<TokenCount>,
    /// Tokens that are left over.
    pub(super) left: TokenCount,
    /// How many items at the beginning are instructions.
    pub(super) instructions: usize,
    /// The item before which facts stand.
    pub(super) facts_at: usize,
    /// The last message that a summary covers; 0 where there is no summary.
    pub(super) horizon: u64,
    /// Where messages were left out that no summary covers: the first message behind them that is shown.
    pub(super) shown_from: Option<u64>,
    pub(super) left_out: Vec<OmittedRange>,
    /// Whether the messages that are shown whatever they cost have to be cut.
    pub(super) needs_cut: bool,
}

impl ContextSelection {
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

    /// Shows summaries in more words with tokens that turned out to be left over, the newest first; gives what is left.
    pub(super) fn lengthen_summaries(
        &mut self,
        items: &[FoldItem],
        summaries: &HashMap<SummaryId, SummaryVersions>,
        mut left: TokenCount,
    ) -> TokenCount {
        for item in items.iter().rev() {
            let FoldItem::Summary(node) = item else { continue };
            let (Some(version), Some(texts)) = (self.versions.get_mut(&node.id), summaries.get(&node.id)) else {
                continue;
            };
            let shown = texts.tokens(*version);
            // The longest that fits.
            for longer in 0..*version {
                let more = texts.tokens(longer).saturating_sub(shown);
                if more <= left {
                    left = left.saturating_sub(more);
                    *version = longer;
                    break;
                }
            }
        }
        left
    }
}

/// Whether not everything fits as it is, so that shorter versions of summaries are needed.
pub(super) fn is_tight(
    items: &[FoldItem],
    summaries: &HashMap<SummaryId, SummaryVersions>,
    budget: TokenCount,
) -> bool {
    let left = i64::from(budget.0) - i64::from(thread_head::head_allowance(budget).0) - 1;
    let basket = ItemSelector { items, summaries, versions: HashMap::new(), chosen: vec![false; items.len()], left };
    basket.group_cost(0..items.len()) > left
}

pub(super) fn select_items(
    items: &[FoldItem],
    rules: &FoldRules,
    budget: TokenCount,
    summaries: &HashMap<SummaryId, SummaryVersions>,
    query: Option<&str>,
) -> ContextSelection {
    let is_folded = items.iter().any(|item| matches!(item, FoldItem::Summary(_)));
    let whole = select_within(items, rules, budget, None, summaries, query);
    // A context with all messages in it needs no head that says what they are about.
    if !is_folded && whole.left_out.is_empty() {
        return whole;
    }
    select_within(items, rules, budget, Some(thread_head::head_allowance(budget)), summaries, query)
}

fn select_within(
    items: &[FoldItem],
    rules: &FoldRules,
    TokenCount(budget): TokenCount,
    head: Option<TokenCount>,
    summaries: &HashMap<SummaryId, SummaryVersions>,
    query: Option<&str>,
) -> ContextSelection {
    let safe = safe_cuts(items);
    let kept = find_protected(items, &safe, rules.fresh_tail, rules.tail_tokens);
    let left = i64::from(budget) - head.map_or(0, |head| i64::from(head.0) + 1);
    let mut basket =
        ItemSelector { items, summaries, versions: HashMap::new(), chosen: vec![false; items.len()], left };
    let tail = split_groups(&safe, kept.tail..items.len());
    (0..kept.head).chain(kept.asked).for_each(|at| basket.select_group(at..at + 1));
    let (newest, older) = tail.split_last().map_or((None, &[][..]), |(newest, older)| (Some(newest), older));
    if let Some(newest) = newest {
        // Whether it fits or not: a model cannot go on without the turn it is in.
        basket.select_group(newest.clone());
    }
    let needs_cut = basket.left < 0;
    if needs_cut {
        basket.left = left.max(0) / CUT_BUDGET_PARTS;
    }
    // The whole past in a few words is worth more than one turn more of it word for word.
    let reserved = basket.shortest_cost().min(i64::from(budget) / SUMMARIES_BUDGET_PARTS);
    basket.left -= reserved;
    let mut whole_tail = true;
    for group in older.iter().rev() {
        if !basket.select_if_fits(group.clone()) {
            whole_tail = false;
            // Told where it is: a hole in the newest turns must not look like a complete conversation.
            basket.left -= i64::from(MAX_GAP_TOKENS.0);
        }
    }
    basket.left += reserved;
    basket.select_summaries(&rank_summaries(items, summaries, query));
    // What was kept for summaries and is not needed may hold a turn that was passed over.
    for group in older.iter().rev() {
        basket.select_if_fits(group.clone());
    }
    // Older messages only behind a whole tail: they are worth less than what was left out of it.
    if whole_tail {
        let before = split_groups(&safe, kept.head..kept.tail);
        let free =
            |group: &&Range<usize>| items[(*group).clone()].iter().all(|item| matches!(item, FoldItem::Message(_)));
        // Pinned groups are selected already and do not interrupt the row.
        let rows = before.iter().rev().filter(free).filter(|group| !is_selected(&basket.chosen, group));
        let rows: Vec<Range<usize>> = rows.cloned().collect();
        let _ = rows.into_iter().all(|group| basket.select_if_fits(group));
    }
    let left = TokenCount(u32::try_from(basket.left.max(0)).unwrap_or(u32::MAX));
    let ItemSelector { chosen, versions, .. } = basket;
    ContextSelection { versions, head, left, needs_cut, ..build_selection(items, chosen, kept.head) }
}

fn is_selected(chosen: &[bool], group: &Range<usize>) -> bool {
    group.clone().all(|at| chosen[at])
}

struct ItemSelector<'a> {
    items: &'a [FoldItem],
    summaries: &'a HashMap<SummaryId, SummaryVersions>,
    versions: HashMap<SummaryId, usize>,
    chosen: Vec<bool>,
    left: i64,
}

impl ItemSelector<'_> {
    fn group_cost(&self, group: Range<usize>) -> i64 {
        let cost = |at: usize| match &self.items[at] {
            FoldItem::Message(entry) => i64::from(entry.tokens.0 + MAX_HEADING_TOKENS),
            FoldItem::Summary(node) => self.summary_cost(&node.id, 0),
        };
        group.filter(|at| !self.chosen[*at]).map(cost).sum()
    }

    fn summary_cost(&self, id: &SummaryId, version: usize) -> i64 {
        self.summaries.get(id).map_or(0, |versions| i64::from(versions.tokens(version).0 + 1))
    }

    /// The cost of all summaries in the fewest words.
    fn shortest_cost(&self) -> i64 {
        let ids = self.items.iter().filter_map(|item| match item {
            FoldItem::Summary(node) => Some(&node.id),
            FoldItem::Message(_) => None,
        });
        ids.map(|id| self.summary_cost(id, SummaryVersions::SHORTEST)).sum()
    }

    /// Takes summaries in their order: all of them in the fewest words that fit, then in more words while there is
    /// room.
    fn select_summaries(&mut self, ranked: &[usize]) {
        let mut costs: HashMap<usize, i64> = HashMap::new();
        for version in (0..=SummaryVersions::SHORTEST).rev() {
            for at in ranked {
                let FoldItem::Summary(node) = &self.items[*at] else { continue };
                let before = costs.get(at).copied();
                // What did not fit in the fewest words does not fit in more.
                if before.is_none() && version < SummaryVersions::SHORTEST {
                    continue;
                }
                let cost = self.summary_cost(&node.id, version);
                if cost - before.unwrap_or_default() <= self.left {
                    self.left -= cost - before.unwrap_or_default();
                    costs.insert(*at, cost);
                    self.versions.insert(node.id.clone(), version);
                    self.chosen[*at] = true;
                }
            }
        }
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
    summaries: &HashMap<SummaryId, SummaryVersions>,
    query: Option<&str>,
) -> Vec<usize> {
    let wanted = query.map(terms::distinct_terms).unwrap_or_default();
    let mut ranked: Vec<(usize, usize)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let FoldItem::Summary(node) = item else { continue };
        let Some(versions) = summaries.get(&node.id) else { continue };
        let held: HashSet<String> = if wanted.is_empty() {
            HashSet::new()
        } else {
            terms::distinct_terms(&versions.summary.content).into_iter().collect()
        };
        ranked.push((wanted.iter().filter(|term| held.contains(*term)).count(), at));
    }
    ranked.sort_by_key(|(held, at)| (Reverse(*held), Reverse(*at)));
    ranked.into_iter().map(|(_, at)| at).collect()
}

fn build_selection(items: &[FoldItem], chosen: Vec<bool>, head: usize) -> ContextSelection {
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
    let (versions, left) = (HashMap::new(), TokenCount(0));
    let needs_cut = false;
    ContextSelection {
        chosen,
        versions,
        head: None,
        left,
        instructions: head,
        facts_at,
        horizon,
        shown_from,
        left_out,
        needs_cut,
    }
}
