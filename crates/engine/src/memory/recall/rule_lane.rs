//! Chooses the standing rules that concern a question and are no results themselves. They are shown apart from the
//! results, never above them: `always give dates as …` answers no question, and concerns every answer with a date.

use super::fusion::RankedMessage;
use super::results::{LoadedMessages, folded_hash};
use super::{RankedAnswer, RecallReport};
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{ContentHash, FactKind, FactState, Message, MessageId, TokenCount, count_tokens, show_name};
use std::collections::HashSet;

/// A standing rule that concerns a question.
#[derive(Clone, Debug)]
pub struct RecalledRule {
    /// The message that states it.
    pub message: Message,
    /// The name of its conversation.
    pub conversation: String,
    /// What it says.
    pub text: String,
}

impl RecalledRule {
    /// Its citation.
    pub fn source_citation(&self) -> String {
        format!("{}#{}", self.conversation, self.message.seq)
    }

    /// As a line of the answer.
    pub fn render_line(&self) -> String {
        let words = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("- {} ({})\n", show_name(&words), show_name(&self.source_citation()))
    }
}

/// The line above the rules.
pub const RULES_HEADING: &str = "Standing rules that concern it:\n";

const MAX_RULES: usize = 3;

/// How far above the other candidates a rule lies, by words or by meaning, that concerns the question.
const MIN_CONCERN: f32 = 0.5;

/// Adds the rules that concern a question to its report, as far as they fit into what is left of the budget.
pub(super) async fn add_rules(
    memory: &MemoryContext,
    answer: &RankedAnswer,
    room: Option<TokenCount>,
    report: &mut RecallReport,
) -> Result<()> {
    let shown: HashSet<MessageId> = report.results.iter().map(|result| result.message.id.clone()).collect();
    // A rule that was said in several sessions is one rule, so it is told once, and not at all where a result says it.
    let mut texts: HashSet<ContentHash> = report.results.iter().map(|result| folded_hash(&result.text)).collect();
    let concerns = |ranked: &&RankedMessage| {
        let is_near = ranked.lexical >= MIN_CONCERN || ranked.nearness() >= MIN_CONCERN;
        answer.corpus.message_at(ranked.matched.message).rule && is_near
    };
    // One that is a result already and one that was withdrawn are skipped, so more are read than are shown.
    let chosen: Vec<u32> =
        answer.ranked.iter().filter(concerns).map(|ranked| ranked.matched.message).take(3 * MAX_RULES).collect();
    if chosen.is_empty() {
        return Ok(());
    }
    let mut read = LoadedMessages::default();
    read.load_missing(memory, &answer.corpus, chosen.iter().copied()).await?;
    // The heading is paid for with the first rule, so that the lane never costs more than the budget has left.
    let mut cost = count_tokens(RULES_HEADING);
    for number in chosen {
        let Some(message) = read.message(number).filter(|message| !shown.contains(&message.id)) else { continue };
        let text = message.body.content().trim().to_owned();
        if report.rules.len() == MAX_RULES || !texts.insert(folded_hash(&text)) || is_ended(memory, &message).await? {
            continue;
        }
        // A rule of a colleague is found as what they said, and told as a rule to nobody else.
        if memory.author.shares_store {
            let known = memory.store.load_conversation(&message.conversation).await?;
            if !known.is_some_and(|known| memory.author.owns(known.author.as_deref())) {
                continue;
            }
        }
        let conversation = answer.corpus.conversation_name(number).to_owned();
        let rule = RecalledRule { message, conversation, text };
        cost += count_tokens(&rule.render_line());
        if room.is_some_and(|room| report.tokens + cost > room) {
            break;
        }
        report.rules.push(rule);
    }
    Ok(())
}

/// Whether the facts that are kept say that the rule of a message was taken back.
async fn is_ended(memory: &MemoryContext, message: &Message) -> Result<bool> {
    let facts = match memory.store.facts_of(&message.conversation).await {
        // Damaged facts say nothing about the rule, and a rule that is told in vain does less harm than one that is
        // missing.
        Err(error) if error.is_damage() => return Ok(false),
        facts => facts?,
    };
    let mut rules =
        facts.iter().filter(|fact| fact.kind == FactKind::Rule && fact.sources.first() == Some(&message.id)).peekable();
    // A message can state several rules; it stays as long as one of them holds. Without facts nothing is known against
    // it.
    Ok(rules.peek().is_some() && rules.all(|fact| fact.state != FactState::Stated))
}
