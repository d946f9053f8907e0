//! What was said as items of an answer, where it is about the question at all: messages, and for questions about what was
//! said or why, the facts and summaries of the same conversations that hold more of it.
//!
//! Recall never comes back empty when a word matches, which is right for somebody who asks what was said. A question
//! about code with one common word in an old conversation is not that: such a match stays out.

use super::form::{self, Format};
use super::{Item, Origin};
use crate::memory::facts_of;
use crate::retrieve::code::{Question, stems};
use crate::{Engine, Project, RecallRequest, RecallScope, Recalled, Result, Span};
use model::{MessageId, Role, Timestamp, Tokens};

/// Which messages may be in an answer.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Only of this role.
    pub role: Option<Role>,
    /// Only from then on.
    pub since: Option<Timestamp>,
    /// Only before then.
    pub until: Option<Timestamp>,
}

/// A message must hold this share of the words of a question.
const LEAST_SHARE: f32 = 0.6;

/// How many are considered.
const CANDIDATES: u32 = 8;

/// Whether facts and summaries are asked as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Messages,
    Everything,
}

/// Conversations whose facts are asked, and facts and summaries that are shown.
const CONVERSATIONS: usize = 2;
const SHOWN: usize = 3;

/// What was said in the project about a question, best first, each with a form that costs its tokens.
pub(super) async fn find(
    engine: &Engine,
    project: &Project,
    query: &str,
    said: &Said,
    depth: Depth,
    format: Format,
) -> Result<Vec<Item>> {
    let request = RecallRequest {
        query: query.to_owned(),
        scope: RecallScope::Project,
        role: said.role,
        since: said.since,
        until: said.until,
        limit: CANDIDATES,
        budget: None,
    };
    let reply = engine.recall(project, request).await?;
    let question = Question::new(query);
    // Who narrows by speaker or time wants what was said, not what was made of it.
    let is_narrowed = said.role.is_some() || said.since.is_some() || said.until.is_some();
    let (facts, summaries) = if depth == Depth::Everything && !is_narrowed {
        (facts(engine, &question, &reply.results).await?, summaries(engine, &question, &reply.results).await?)
    } else {
        (Vec::new(), Vec::new())
    };
    let about = reply.results.into_iter().filter(|recalled| share_of(&question, recalled) >= LEAST_SHARE);
    let messages = about.map(item);
    Ok(facts.into_iter().chain(messages).chain(summaries).map(|item| form::priced(item, format)).collect())
}

/// The facts of the first conversations that hold most of a question, unless the message they are from is there itself.
async fn facts(engine: &Engine, question: &Question, results: &[Recalled]) -> Result<Vec<Item>> {
    let mut conversations: Vec<&Recalled> = Vec::new();
    for recalled in results {
        if !conversations.iter().any(|known| known.message.conversation == recalled.message.conversation) {
            conversations.push(recalled);
        }
    }
    let is_shown = |id: &MessageId| {
        results.iter().any(|recalled| recalled.message.id == *id && share_of(question, recalled) >= LEAST_SHARE)
    };
    let mut found: Vec<(f32, u64, Item)> = Vec::new();
    for recalled in conversations.into_iter().take(CONVERSATIONS) {
        for fact in facts_of(engine, &recalled.message.conversation).await? {
            let share = share(question, &stems(&fact.subject));
            if share < LEAST_SHARE || fact.sources.iter().any(is_shown) {
                continue;
            }
            let (kind, state) = (fact.kind.as_str(), fact.state.as_str());
            let source = format!("{} {}#{}", fact.id, recalled.conversation, fact.last_seq);
            let text = format!("{kind} ({state}): {}", fact.subject);
            found.push((share, fact.last_seq, of_talk(source, text, format!("a {kind} that holds the words"))));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then_with(|| a.2.source.cmp(&b.2.source)));
    Ok(found.into_iter().take(SHOWN).map(|(.., item)| item).collect())
}

/// The summaries over the first results that hold more of a question than those do.
async fn summaries(engine: &Engine, question: &Question, results: &[Recalled]) -> Result<Vec<Item>> {
    let mut found: Vec<Item> = Vec::new();
    for recalled in results.iter().take(SHOWN) {
        let message = &recalled.message;
        let above = engine.store.summaries_at(&message.conversation, message.seq).await?;
        let Some(lowest) = above.into_iter().min_by_key(|summary| summary.depth) else { continue };
        let held = share(question, &stems(&lowest.content));
        let range = lowest.range;
        let source = format!("{} {}#{}-{}", lowest.id, recalled.conversation, range.first, range.last);
        let is_known = found.iter().any(|item| item.source == source);
        if held >= LEAST_SHARE && held > share_of(question, recalled) && !is_known {
            found.push(of_talk(source, lowest.content, "a summary that holds more of the words".to_owned()));
        }
    }
    Ok(found)
}

fn of_talk(source: String, text: String, why: String) -> Item {
    Item { source, text, tokens: Tokens(0), why, at: None, origin: Origin::Conversation }
}

/// How many of a question's words a message holds, with what stands beside it.
fn share_of(question: &Question, recalled: &Recalled) -> f32 {
    let mut held = stems(&recalled.text);
    recalled.neighbours.iter().for_each(|neighbour| held.extend(stems(&neighbour.text)));
    share(question, &held)
}

/// How many of a question's words are among some.
fn share(question: &Question, held: &[String]) -> f32 {
    let known = question.terms.iter().filter(|term| held.contains(&term.stem)).count();
    known as f32 / question.terms.len().max(1) as f32
}

fn item(recalled: Recalled) -> Item {
    let message = &recalled.message;
    let speaker = message.body.speaker.as_deref().unwrap_or(message.body.role.as_str());
    let Span { start, end, of } = recalled.span;
    let cut = if recalled.span.is_whole() { String::new() } else { format!(":{start}-{end}/{of}") };
    let source = format!("{} {}#{}{cut}", message.id, recalled.conversation, message.seq);
    let at = message.body.at.as_ref().map(|at| at.text.clone());
    Item { at, ..of_talk(source, format!("{speaker}: {}", recalled.text), recalled.why) }
}
