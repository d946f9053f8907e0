//! Finds conversation items for an answer: memories and messages about the question, and for questions about what was said
//! or why, also facts and summaries of the same conversations that hold more of the question's words.
//!
//! Recall returns something whenever a word matches, which is right for a user who asks what was said. For a question
//! about code, a message that shares one common word is no answer: such a match stays out.

use super::{AnswerItem, AnswerQuery, ItemOrigin, answer_format};
use crate::Engine;
use crate::base::{Project, Result};
use crate::code::search::{CodeQuestion, clip_question, unique_stems};
use crate::memory::{
    ContentSpan, FoundMemory, MemoryLookup, RecallRequest, RecallScope, RecalledMessage, facts_of, lookup_memories,
    note_recalled, told_words,
};
use model::{FactKind, MessageId, MessageRole, Timestamp, TokenCount};

/// Which messages may be in an answer.
#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    /// Only of this role.
    pub role: Option<MessageRole>,
    /// Only from then on.
    pub since: Option<Timestamp>,
    /// Only before then.
    pub until: Option<Timestamp>,
}

/// A message must hold this share of the words of a question.
const LEAST_SHARE: f32 = 0.6;

/// Of a question about what was said, so many telling words are enough.
const MIN_TELLING_WORDS: usize = 2;

/// Words by which people ask for what was said: the answer seldom repeats them.
const CONVERSATION_QUESTION_WORDS: &str = " agree agreed call choose chose chosen choice conversation decide decided decision discuss discussed \
    earlier fix fixed happen happens last mention mentioned plan planned previously reason recall remember represent said \
    say settle settled talk talked tell time told want wanted went yesterday ";

/// Words by which people ask for anything at all.
const COMMANDS: &str = " describe explain find give list locate look print search see show ";

/// How many are considered.
const MAX_CANDIDATES: u32 = 8;

/// Whether facts and summaries are asked as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConversationDepth {
    Messages,
    Everything,
}

/// Conversations whose facts are asked, and facts and summaries that are shown.
const CONVERSATIONS: usize = 2;
const MAX_SHOWN_ITEMS: usize = 3;

/// The items of conversations about a question, best first, each with its cost.
pub(super) struct ConversationItems {
    pub(super) items: Vec<AnswerItem>,
    /// The cost of the first item where it is a message with every word of a question of several words: it is the
    /// answer, whatever share of the budget the intent leaves for conversations.
    pub(super) certain: TokenCount,
}

/// Finds messages, facts and summaries of the project about a question.
pub(super) async fn find_items(
    engine: &Engine,
    project: &Project,
    request: &AnswerQuery,
    depth: ConversationDepth,
) -> Result<ConversationItems> {
    let AnswerQuery { said, format, initiative, .. } = request;
    let query = clip_question(&request.query);
    let format = *format;
    let request = RecallRequest {
        query: query.to_owned(),
        scope: RecallScope::Project,
        role: said.role,
        since: said.since,
        until: said.until,
        limit: MAX_CANDIDATES,
        budget: None,
        initiative: *initiative,
    };
    let reply = engine.recall_messages(project, request).await?;
    let question = AskedTerms::new(query, depth);
    // A filter by speaker or time asks for messages. Facts and summaries are drawn from many messages and have neither.
    let is_narrowed = said.role.is_some() || said.since.is_some() || said.until.is_some();
    let (facts, summaries) = if depth == ConversationDepth::Everything && !is_narrowed {
        (find_facts(engine, &question, &reply.results).await?, find_summaries(engine, &question, &reply.results).await?)
    } else {
        (Vec::new(), Vec::new())
    };
    let memories =
        if is_narrowed { Vec::new() } else { find_memories(engine, project, &question, query, &facts).await? };
    let mut about: Vec<RecalledMessage> = reply.results;
    // A reply seldom repeats the words of the question it answers ("yes, in March"), so it needs none of them.
    about.retain(|recalled| recalled.replies || question.is_held_by(&held_by(recalled)));
    let is_whole = |recalled: &RecalledMessage| question.is_wholly_in(&unique_stems(&recalled.text));
    // A stable sort: within each half the order of recall stays.
    about.sort_by_key(|recalled| !is_whole(recalled));
    // Facts and memories stand before messages; with one there, the first item is not the message.
    let is_certain = facts.is_empty() && memories.is_empty() && about.first().is_some_and(is_whole);
    let messages = about.into_iter().map(message_item);
    let all = memories
        .into_iter()
        .chain(facts)
        .chain(messages)
        .chain(summaries)
        .map(|item| answer_format::price_item(item, format));
    let items: Vec<AnswerItem> = all.collect();
    let certain = items.first().filter(|_| is_certain).map_or(TokenCount(0), |item| item.tokens);
    Ok(ConversationItems { items, certain })
}

/// The memories that are about a question, unless a fact that is shown says the same.
async fn find_memories(
    engine: &Engine,
    project: &Project,
    question: &AskedTerms,
    query: &str,
    facts: &[AnswerItem],
) -> Result<Vec<AnswerItem>> {
    let lookup =
        MemoryLookup { query: query.to_owned(), tags: Vec::new(), everywhere: false, limit: MAX_SHOWN_ITEMS as u32 };
    let mut found = lookup_memories(&engine.memory, project, &lookup).await?;
    found.retain(|found| {
        let content = &found.memory.body.content;
        question.is_held_by(&unique_stems(content)) && !facts.iter().any(|fact| fact.text.contains(content.as_str()))
    });
    note_recalled(&engine.memory, found.iter().map(|found| &found.memory));
    let item = |FoundMemory { memory, .. }: FoundMemory| {
        let kind = memory.body.kind.as_str();
        of_talk(memory.id.to_string(), format!("remembered ({kind}): {}", told_words(&memory)), "remembered".to_owned())
    };
    Ok(found.into_iter().map(item).collect())
}

/// The facts of the first conversations that hold most of a question, unless the message they are from is there itself.
async fn find_facts(engine: &Engine, question: &AskedTerms, results: &[RecalledMessage]) -> Result<Vec<AnswerItem>> {
    let mut conversations: Vec<&RecalledMessage> = Vec::new();
    for recalled in results {
        if !conversations.iter().any(|known| known.message.conversation == recalled.message.conversation) {
            conversations.push(recalled);
        }
    }
    // A fact whose message is in the answer would say the same thing twice.
    let is_shown = |id: &MessageId| {
        results.iter().any(|recalled| recalled.message.id == *id && question.is_held_by(&held_by(recalled)))
    };
    let mut found: Vec<(f32, u64, AnswerItem)> = Vec::new();
    for recalled in conversations.into_iter().take(CONVERSATIONS) {
        for fact in facts_of(&engine.memory, &recalled.message.conversation).await? {
            let held = unique_stems(&fact.subject);
            let share = question.held_share(&held);
            let is_about = match fact.kind {
                // Decisions and rules are few, and one shared word is enough; files and commands are many, and share a
                // word by chance.
                FactKind::Decision | FactKind::Rule | FactKind::Correction => share > 0.0,
                FactKind::Task
                | FactKind::File
                | FactKind::Command
                | FactKind::Failure
                | FactKind::Test
                | FactKind::Todo => question.is_held_by(&held),
            };
            if !is_about || fact.sources.iter().any(is_shown) {
                continue;
            }
            let kind = fact.kind.as_str();
            let state = fact.state.as_str();
            let source = format!("{} {}#{}", fact.id, recalled.conversation, fact.last_seq);
            let text = format!("{kind} ({state}): {}", fact.subject);
            found.push((share, fact.last_seq, of_talk(source, text, format!("a {kind} that holds the words"))));
        }
    }
    // Of equals the newest: a later decision overrules an earlier one. The source breaks the last tie.
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then_with(|| a.2.source.cmp(&b.2.source)));
    Ok(found.into_iter().take(MAX_SHOWN_ITEMS).map(|(.., item)| item).collect())
}

/// The summaries over the first results that hold more of a question than those do.
async fn find_summaries(
    engine: &Engine,
    question: &AskedTerms,
    results: &[RecalledMessage],
) -> Result<Vec<AnswerItem>> {
    let mut found: Vec<AnswerItem> = Vec::new();
    for recalled in results.iter().take(MAX_SHOWN_ITEMS) {
        let message = &recalled.message;
        let above = engine.store.summaries_at(&message.conversation, message.seq).await?;
        // The lowest summary is the most detailed one over this message; higher ones condense it further.
        let Some(lowest) = above.into_iter().min_by_key(|summary| summary.depth) else { continue };
        let held = question.held_share(&unique_stems(&lowest.content));
        let range = lowest.range;
        let source = format!("{} {}#{}-{}", lowest.id, recalled.conversation, range.first, range.last);
        let is_known = found.iter().any(|item| item.source == source);
        // A summary that holds no more of the question than the message itself costs tokens for nothing.
        if held >= LEAST_SHARE && held > question.held_share(&held_by(recalled)) && !is_known {
            found.push(of_talk(source, lowest.content, "a summary that holds more of the words".to_owned()));
        }
    }
    Ok(found)
}

fn of_talk(source: String, text: String, why: String) -> AnswerItem {
    AnswerItem {
        source,
        text,
        tokens: TokenCount(0),
        why,
        at: None,
        origin: ItemOrigin::Conversation,
        place: None,
        is_summary: false,
    }
}

/// The words of a question that an answer can be expected to hold.
struct AskedTerms {
    stems: Vec<String>,
    depth: ConversationDepth,
}

impl AskedTerms {
    fn new(query: &str, depth: ConversationDepth) -> Self {
        let terms = CodeQuestion::new(query).terms;
        let is_asking = |written: &str| {
            let word = format!(" {written} ");
            COMMANDS.contains(&word)
                || (depth == ConversationDepth::Everything && CONVERSATION_QUESTION_WORDS.contains(&word))
        };
        let telling: Vec<String> =
            terms.iter().filter(|term| !is_asking(&term.written)).map(|term| term.stem.clone()).collect();
        let all = || terms.iter().map(|term| term.stem.clone()).collect();
        // "What did we decide last time" consists of asking words alone; then they are all there is to compare.
        Self { stems: if telling.is_empty() { all() } else { telling }, depth }
    }

    /// The share of them that is among some.
    fn held_share(&self, held: &[String]) -> f32 {
        self.held_count(held) as f32 / self.stems.len().max(1) as f32
    }

    fn held_count(&self, held: &[String]) -> usize {
        self.stems.iter().filter(|stem| held.contains(stem)).count()
    }

    /// Whether a text with these words has every word of a question of several.
    fn is_wholly_in(&self, held: &[String]) -> bool {
        self.stems.len() >= MIN_TELLING_WORDS && self.held_count(held) == self.stems.len()
    }

    /// Whether a text with these words is about the question.
    fn is_held_by(&self, held: &[String]) -> bool {
        self.held_share(held) >= LEAST_SHARE
            || (self.depth == ConversationDepth::Everything && self.held_count(held) >= MIN_TELLING_WORDS)
    }
}

/// The stems of a message and of its neighbours in the result.
fn held_by(recalled: &RecalledMessage) -> Vec<String> {
    let mut held = unique_stems(&recalled.text);
    recalled.neighbours.iter().for_each(|neighbour| held.extend(unique_stems(&neighbour.text)));
    held
}

fn message_item(recalled: RecalledMessage) -> AnswerItem {
    let message = &recalled.message;
    let speaker = message.body.speaker.as_deref().unwrap_or(message.body.role.as_str());
    let ContentSpan { start, end, of } = recalled.span;
    let cut = if recalled.span.is_whole() { String::new() } else { format!(":{start}-{end}/{of}") };
    let source = format!("{} {}#{}{cut}", message.id, recalled.conversation, message.seq);
    let at = message.body.at.as_ref().map(model::EventTime::display_text);
    AnswerItem { at, ..of_talk(source, format!("{speaker}: {}", recalled.text), recalled.why) }
}
