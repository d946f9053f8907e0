//! Checks the invariants of derived data (summaries, active contexts, facts) by recomputing them from the messages.
//!
//! Nothing is repaired here. Each problem comes with its remedy; the user decides whether to apply it (`repair.rs`).
//! Used by `verify`, by repairs and by background jobs.

use super::active_context::each_message;
use super::fact::{FactExtractor, RULES};
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{ConversationId, Fact, FactId, MessageId, SeqRange, Summary, SummaryId, TokenCount, count_tokens};
use search::Attempts;
use std::collections::{HashMap, HashSet};
use store::{ActiveContext, Conversation, DanglingItem, MissingRow};

/// Something that does not fit, and what could be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldProblem {
    /// What it is about: the id of a summary, a fact or a conversation.
    pub subject: String,
    /// What is wrong.
    pub what: String,
    /// What could be done.
    pub remedy: FoldRemedy,
}

/// What could be done about a problem. Messages are never touched by any of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldRemedy {
    /// Take the facts of the conversation from its messages again.
    TakeFactsAgain,
    /// Put the messages of the range back into the context, and fold them again.
    FoldAgain,
    /// Take an item that leads nowhere out of the context.
    StandAgain,
    /// Restore a backup: what is damaged cannot be made again from what is there.
    Restore,
    /// Restore a newer backup; or accept the store by a name, where an older one was restored on purpose.
    RestoreOrAccept,
}

impl FoldRemedy {
    /// Whether `repair` does it.
    pub fn is_mendable(self) -> bool {
        !matches!(self, Self::Restore | Self::RestoreOrAccept)
    }

    /// What to do, in words.
    pub fn advice_text(self) -> &'static str {
        match self {
            Self::TakeFactsAgain => "take the facts of the conversation from its messages again",
            Self::FoldAgain => "let the messages stand for themselves again, and fold them anew",
            Self::StandAgain => "let the messages stand for themselves again",
            Self::Restore => "restore a backup and keep the damaged file",
            Self::RestoreOrAccept => {
                "restore a newer backup; where an older one was restored on purpose: epitome verify --accept-restored NAME"
            }
        }
    }
}

/// What was found in one conversation.
#[derive(Clone, Debug, Default)]
pub struct FoldCheck {
    /// Summaries checked.
    pub summaries: u64,
    /// What does not fit.
    pub problems: Vec<FoldProblem>,
}

/// Summaries read at a time.
const PAGE: u32 = 500;

/// Checks what was folded of one conversation.
pub(crate) async fn check_folds(memory: &MemoryContext, conversation: &Conversation) -> Result<FoldCheck> {
    let dangling = memory.store.dangling_items(&conversation.id).await?;
    if !dangling.is_empty() {
        // Nothing else of the context can be read until these are gone.
        let problems = dangling.iter().map(|item| dangling_problem(&conversation.id, item)).collect();
        return Ok(FoldCheck { summaries: 0, problems });
    }
    let mut attempts = Attempts::default();
    let (context, summaries, facts) = loop {
        let context = memory.store.active_context(&conversation.id).await?;
        let summaries = load_summaries(memory, &conversation.id).await?;
        let facts = memory.store.facts_of(&conversation.id).await?;
        // Another process may fold or update facts meanwhile: only reads of one unchanged context can be compared.
        if memory.store.active_context(&conversation.id).await? == context || !attempts.try_again() {
            break (context, summaries, facts);
        }
    };
    // Read last, so that no summary or fact above lies behind its end.
    let conversation = &memory.store.load_conversation(&conversation.id).await?.unwrap_or_else(|| conversation.clone());
    let mut check = FoldCheck { summaries: summaries.len() as u64, problems: Vec::new() };
    if summaries.is_empty() && facts.is_empty() {
        return Ok(check);
    }
    let messages = MessageAudit::load(memory, conversation, &context, &facts).await?;
    let by_id: HashMap<&SummaryId, &Summary> = summaries.iter().map(|summary| (&summary.id, summary)).collect();
    let reached = reachable_summaries(&context, &summaries, &by_id);
    for summary in &summaries {
        // A summary that the context does not reach was taken out and is never shown to a reader: only a damaged text
        // of it is still a problem.
        let is_reached = reached.contains(&summary.id);
        let mut tell = |what: String, remedy| {
            if is_reached || remedy == FoldRemedy::Restore {
                check.add_problem(&summary.id, what, remedy);
            }
        };
        check_summary(summary, &messages, &mut tell);
        check_coverage(summary, &by_id, &mut tell);
    }
    check_context(&context, conversation, &by_id, &mut check);
    check_facts(&facts, &context, conversation, &messages, &mut check);
    Ok(check)
}

fn dangling_problem(conversation: &ConversationId, item: &DanglingItem) -> FoldProblem {
    let missing = match item.missing {
        MissingRow::Summary => "a summary",
        MissingRow::Context => "a context",
    };
    let what = format!("item {} of its context refers to {missing} that is not there", item.place);
    FoldProblem { subject: conversation.to_string(), what, remedy: FoldRemedy::StandAgain }
}

impl FoldCheck {
    fn add_problem(&mut self, subject: &impl ToString, what: String, remedy: FoldRemedy) {
        self.problems.push(FoldProblem { subject: subject.to_string(), what, remedy });
    }
}

/// The summaries that a context leads to: its own, those below them, and the redone versions of any of these.
fn reachable_summaries<'a>(
    context: &ActiveContext,
    summaries: &'a [Summary],
    by_id: &HashMap<&SummaryId, &'a Summary>,
) -> HashSet<&'a SummaryId> {
    let mut anew: HashMap<&SummaryId, Vec<&Summary>> = HashMap::new();
    for summary in summaries {
        if let Some(old) = &summary.redoes {
            anew.entry(old).or_default().push(summary);
        }
    }
    let mut reached = HashSet::new();
    let find = |id: &SummaryId| by_id.get(id).copied();
    let mut next: Vec<&Summary> = context.summaries.iter().filter_map(|active| find(&active.id)).collect();
    while let Some(summary) = next.pop() {
        if reached.insert(&summary.id) {
            // Both ways along a redo: the old summary is still covered by others, and the new one is what `expand`
            // shows.
            next.extend(summary.covers.iter().chain(&summary.redoes).filter_map(find));
            next.extend(anew.get(&summary.id).into_iter().flatten().copied());
        }
    }
    reached
}

async fn load_summaries(memory: &MemoryContext, id: &ConversationId) -> Result<Vec<Summary>> {
    let mut all = Vec::new();
    let mut before = None;
    loop {
        let page = memory.store.scan_summaries(Some(id), before, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(all) };
        before = Some(*last);
        all.extend(page.into_iter().map(|(_, summary)| summary));
    }
}

/// The values that are recomputed from the messages.
struct MessageAudit {
    /// Tokens of the first message, of the first two, …
    sums: Vec<u64>,
    /// Sources of facts that are no messages of the conversation.
    unknown: HashSet<MessageId>,
    /// The facts they give, up to where those that are kept were taken.
    facts: HashMap<FactId, Fact>,
}

impl MessageAudit {
    async fn load(
        memory: &MemoryContext,
        conversation: &Conversation,
        context: &ActiveContext,
        facts: &[Fact],
    ) -> Result<Self> {
        let mut taken = FactExtractor::resume(conversation.id.clone(), Vec::new(), 0);
        let mut unknown: HashSet<MessageId> = facts.iter().flat_map(|fact| fact.sources.iter().cloned()).collect();
        let mut sums = vec![0];
        let range = SeqRange { first: 1, last: conversation.messages };
        each_message(memory, &conversation.id, range, |message| {
            sums.push(sums.last().copied().unwrap_or_default() + u64::from(message.tokens.0));
            unknown.remove(&message.id);
            // Only as far as the stored facts reach: later messages would make every fact look out of date.
            if message.seq <= context.facts.to {
                taken.add_message(&message);
            }
        })
        .await?;
        let facts = taken.into_facts().into_iter().map(|fact| (fact.id.clone(), fact)).collect();
        Ok(Self { sums, unknown, facts })
    }

    fn message_count(&self) -> u64 {
        self.sums.len() as u64 - 1
    }

    fn range_tokens(&self, range: SeqRange) -> TokenCount {
        let sum = self.sums[range.last as usize] - self.sums[range.first as usize - 1];
        TokenCount(u32::try_from(sum).unwrap_or(u32::MAX))
    }
}

/// Whether a summary is unchanged, and covers messages that exist.
fn check_summary(summary: &Summary, messages: &MessageAudit, tell: &mut impl FnMut(String, FoldRemedy)) {
    if !summary.is_intact() {
        tell("its text or what it covers is not what it was made with".to_owned(), FoldRemedy::Restore);
    }
    if summary.content.is_empty() || summary.tokens != count_tokens(&summary.content) {
        let what = format!("says {} tokens, its text has {}", summary.tokens, count_tokens(&summary.content));
        tell(what, FoldRemedy::Restore);
    }
    if summary.range.last > messages.message_count() {
        let what = format!("covers messages {}, but there are {}", summary.range, messages.message_count());
        tell(what, FoldRemedy::FoldAgain);
    } else if summary.source_tokens != messages.range_tokens(summary.range) {
        let found = messages.range_tokens(summary.range);
        tell(
            format!("claims to cover {} tokens, its messages have {found}", summary.source_tokens),
            FoldRemedy::FoldAgain,
        );
    }
}

/// Whether what a summary covers is there, within it, in order, and below it.
fn check_coverage(summary: &Summary, by_id: &HashMap<&SummaryId, &Summary>, tell: &mut impl FnMut(String, FoldRemedy)) {
    let mut next = summary.range.first;
    let mut deepest = None;
    for id in &summary.covers {
        let Some(covered) = by_id.get(id) else {
            tell(format!("covers {id}, which does not exist"), FoldRemedy::FoldAgain);
            continue;
        };
        if covered.range.first < next || !summary.range.covers(covered.range) {
            let what = format!("covers {id} of messages {}, which is out of order or outside of it", covered.range);
            tell(what, FoldRemedy::FoldAgain);
        }
        next = covered.range.last + 1;
        deepest = deepest.max(Some(covered.depth));
    }
    // One more than the deepest below, so that no summary can cover itself over any number of steps.
    if summary.depth != deepest.map_or(0, |depth| depth + 1) {
        tell(format!("is at depth {}, which does not fit what it covers", summary.depth), FoldRemedy::FoldAgain);
    }
    if let Some(redone) = &summary.redoes
        && by_id.get(redone).is_none_or(|redone| redone.range != summary.range)
    {
        tell(format!("redoes {redone}, which covers other messages"), FoldRemedy::FoldAgain);
    }
}

/// Whether every message is in the active context exactly once, as itself or under one summary.
fn check_context(
    context: &ActiveContext,
    conversation: &Conversation,
    by_id: &HashMap<&SummaryId, &Summary>,
    check: &mut FoldCheck,
) {
    let mut next = 1;
    for active in &context.summaries {
        if !by_id.contains_key(&active.id) {
            check.add_problem(
                &active.id,
                "is part of the context, but does not exist".to_owned(),
                FoldRemedy::FoldAgain,
            );
        }
        if active.range.first < next || active.range.last > conversation.messages {
            let what = format!("covers messages {}, which another summary covers or which are missing", active.range);
            check.add_problem(&active.id, what, FoldRemedy::FoldAgain);
        }
        next = next.max(active.range.last + 1);
    }
}

/// Whether facts were taken from messages that are there, and are what these say.
fn check_facts(
    facts: &[Fact],
    context: &ActiveContext,
    conversation: &Conversation,
    messages: &MessageAudit,
    check: &mut FoldCheck,
) {
    if context.facts.to > conversation.messages {
        let what = format!("facts were taken up to message {}, there are {}", context.facts.to, conversation.messages);
        check.add_problem(&conversation.id, what, FoldRemedy::TakeFactsAgain);
    }
    for fact in facts {
        let ordered = 1 <= fact.first_seq && fact.first_seq <= fact.last_seq && fact.last_seq <= conversation.messages;
        let what = if let Some(source) = fact.sources.iter().find(|source| messages.unknown.contains(*source)) {
            format!("is taken from {source}, which is no message of its conversation")
        } else if !ordered
            || fact.sources.is_empty()
            || fact.id != Fact::id_of(&fact.conversation, fact.kind, &fact.subject)
        {
            "has values that contradict each other".to_owned()
        // Facts of an older version of the rules differ by design, and the next update replaces them.
        } else if context.facts.rules == RULES && messages.facts.get(&fact.id) != Some(fact) {
            "is not what its messages say".to_owned()
        } else {
            continue;
        };
        check.add_problem(&fact.id, what, FoldRemedy::TakeFactsAgain);
    }
}
