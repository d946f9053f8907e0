//! Builds the results of a recall from ranked messages: loads them, cuts out the span that matched, verbatim and with
//! its byte range, adds a neighbour where it holds words that the message lacks, removes duplicates, and fits all into
//! the token budget.

use super::corpus::Corpus;
use super::explanation::{MatchedWords, PassageWords};
use super::fact_labels::{FactLabels, RecalledFact};
use super::fusion::{self, RankedMessage};
use super::passage::{split_passages, without_speaker};
use super::repeated_questions::{AskedQuestion, only_asks};
use super::score::PassageScorer;
use super::searchable_text::own_stretch;
use super::{RankedAnswer, RecallReport, RecallRequest, rule_lane, thread};
use crate::base::Result;
use crate::base::budget::footer_allowance;
use crate::memory::MemoryContext;
use crate::memory::damage::{ReadableMessages, readable_messages};
use model::{ContentHash, Message, MessageRole, TokenCount, count_tokens};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// One message that answers.
#[derive(Clone, Debug)]
pub struct RecalledMessage {
    /// The message, whole.
    pub message: Message,
    /// The name of its conversation.
    pub conversation: String,
    /// How well it fits; comparable within one reply only.
    pub score: f32,
    /// The shown part of its content, verbatim.
    pub text: String,
    /// The place of the shown part in its content.
    pub span: ContentSpan,
    /// Tokens of what is shown, neighbours included; where there is a budget, as it is written.
    pub tokens: TokenCount,
    /// What made it fit.
    pub why: String,
    /// The parts of its score.
    pub parts: ScoreParts,
    /// Messages beside it that help to understand it.
    pub neighbours: Vec<RecalledNeighbour>,
    /// Whether the same question was asked right before it: then it is the answer, whatever words it has.
    pub replies: bool,
    /// The fact it states, where the question asks for a decision.
    pub fact: Option<RecalledFact>,
}

/// Bytes of a message's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentSpan {
    /// The first.
    pub start: usize,
    /// The one behind the last.
    pub end: usize,
    /// How many the content has.
    pub of: usize,
}

impl ContentSpan {
    /// Whether nothing is left out.
    pub fn is_whole(&self) -> bool {
        self.end - self.start == self.of
    }
}

/// The parts of a score: the last ten add up to it, the first four are the points that `lexical` puts on the scale
/// of the candidates.
#[derive(Clone, Copy, Debug)]
pub struct ScoreParts {
    /// Points of words.
    pub words: f32,
    /// Points taken off for many passages.
    pub length: f32,
    /// Points for the speaker.
    pub speaker: f32,
    /// Points that the reply hands to the turn it answers.
    pub reply: f32,
    /// These points, against those of the other candidates.
    pub lexical: f32,
    /// Its similarity in meaning, relative to the other candidates.
    pub meaning: f32,
    /// For being near a date of the question, or telling of it.
    pub time: f32,
    /// For saying when, where that is asked.
    pub moment: f32,
    /// For being a standing rule.
    pub rule: f32,
    /// For what else its session holds.
    pub session: f32,
    /// For opening a session that has something to say.
    pub opener: f32,
    /// For being the best of one of several questions.
    pub part: f32,
    /// For stating a decision, where one is asked for.
    pub decision: f32,
    /// For the summary that covers it.
    pub summary: f32,
}

/// A message beside one that answers.
#[derive(Clone, Debug)]
pub struct RecalledNeighbour {
    /// The message, whole.
    pub message: Message,
    /// The shown part.
    pub text: String,
    /// The place of the shown part in its content.
    pub span: ContentSpan,
}

/// Characters up to which a message is shown whole.
const MAX_WHOLE_CHARS: usize = 1_200;

/// Texts shorter than this may be repeated: "yes" means something else each time.
pub(in crate::memory) const MIN_DEDUPED_BYTES: usize = 24;

/// How many of the first results come with neighbours.
const WITH_NEIGHBOURS: usize = 5;

/// Messages read at a time, at least.
const PAGE: usize = 4;

pub(super) async fn show_results(
    memory: &MemoryContext,
    request: &RecallRequest,
    mut answer: RankedAnswer,
) -> Result<RecallReport> {
    if let Some(reply) = thread_alone(memory, request, &mut answer).await? {
        return Ok(reply);
    }
    let mut degraded = std::mem::take(&mut answer.degraded);
    degraded.extend(answer.unsaid.map(str::to_owned));
    let mut ranked = std::mem::take(&mut answer.ranked);
    let RankedAnswer { corpus, question, found, candidates, matched, unsaid, .. } = &answer;
    let intent = question.intent;
    let limit = request.limit as usize;
    // Notes are printed above the results and cost a line end each.
    let above: TokenCount = degraded.iter().map(|reason| count_tokens(reason) + TokenCount(1)).sum();
    let room = room_below(request, above);
    let mut reply = RecallReport { degraded, is_only_near: unsaid.is_some(), ..RecallReport::default() };
    let mut labels = FactLabels::default();
    let mut behind = candidates.unchosen_count(*matched);
    let asked = AskedQuestion::new(&request.query);
    let (mut seen, mut damaged, mut passed) = (HashSet::new(), BTreeSet::new(), 0);
    while reply.results.len() < limit {
        // Few callers page past the candidates, so the rest is ranked only when they are used up.
        if passed == ranked.len() && std::mem::take(&mut behind) > 0 {
            let last = ranked.last().map_or(0.0, RankedMessage::score);
            ranked.extend(rank_rest(request, &answer, last));
        }
        let page = &ranked[passed..ranked.len().min(passed + (limit - reply.results.len()).clamp(PAGE, 256))];
        if page.is_empty() {
            break;
        }
        let holdings = PassageWords::from_results(corpus, found, page);
        let around: Vec<MatchedWords> =
            page.iter().map(|ranked| holdings.words_around(corpus, ranked.matched.passage)).collect();
        // One read for the page and its neighbours; more reads follow only where results are dropped as repeated.
        let with_neighbours = WITH_NEIGHBOURS.saturating_sub(reply.results.len());
        let beside = around.iter().take(with_neighbours).flat_map(MatchedWords::neighbour_messages);
        let mut read = LoadedMessages::default();
        read.load_missing(memory, corpus, page.iter().map(|ranked| ranked.matched.message).chain(beside)).await?;
        for (ranked, held) in page.iter().zip(around) {
            if reply.results.len() == limit {
                break;
            }
            passed += 1;
            // Damaged: it is left out, and its note is among `degraded`.
            let Some(message) = read.message(ranked.matched.message) else { continue };
            let decides = corpus.message_at(ranked.matched.message).decides;
            let is_question = || !decides && only_asks(&message);
            if !intent.is_answered_by_question(&message) && (asked.is_unanswered_by(&message) || is_question()) {
                reply.unanswering += 1;
                continue;
            }
            let mut result = build_result(corpus, ranked, message, held.explain_match(question, corpus, ranked));
            if result.text.len() >= MIN_DEDUPED_BYTES && !seen.insert(folded_hash(&result.text)) {
                reply.repeated += 1;
                continue;
            }
            if reply.results.len() < WITH_NEIGHBOURS {
                let beside = list_beside(corpus, ranked, &held);
                read.load_missing(memory, corpus, beside.iter().copied()).await?;
                add_neighbours(&mut result, find_neighbours(corpus, &beside, &read, ranked.matched.message), &asked);
            }
            // Of the others none is a fact, and reading the facts of a conversation takes time.
            if intent.wants_decision && decides {
                labels.label_result(memory, corpus, &mut result).await?;
            }
            if fit_result(&mut result, room.map(|room| room.saturating_sub(reply.tokens)), corpus, ranked) {
                reply.tokens += result.tokens;
                reply.results.push(result);
            } else {
                reply.omitted += 1;
            }
        }
        damaged.append(&mut read.damaged);
    }
    reply.degraded.extend(damaged);
    // Every message is somewhat near in meaning to every question; nearness alone is not counted as a match.
    let matched = ranked[passed..].iter().filter(|ranked| ranked.matched.words > 0.0 || ranked.meaning == 0.0).count();
    reply.omitted += (matched + behind) as u64;
    drop_told_neighbours(&mut reply.results);
    answer.ranked = ranked;
    rule_lane::add_rules(memory, &answer, room, &mut reply).await?;
    if let Some(form) = intent.thread {
        let left = room.map(|room| room.saturating_sub(reply.tokens));
        reply.thread = thread::build_thread(memory, &answer, form, left).await?;
    }
    Ok(reply)
}

/// The messages that are no candidates, behind the last that is one.
fn rank_rest(request: &RecallRequest, answer: &RankedAnswer, last: f32) -> Vec<RankedMessage> {
    let RankedAnswer { corpus, scope, question, found, candidates, .. } = answer;
    let scorer = PassageScorer::new(corpus, scope, question, found);
    let wants = |message| request.accepts_message(corpus, scope, message);
    let rest = candidates.find_unchosen(wants, &scorer);
    fusion::rank_unchosen(corpus, question, candidates, &rest, last)
}

/// The thread alone, where a question names nothing but the newest state, or no word of it was said: what is only near in
/// meaning to "what is next?", or has its words, is no answer beside it.
async fn thread_alone(
    memory: &MemoryContext,
    request: &RecallRequest,
    answer: &mut RankedAnswer,
) -> Result<Option<RecallReport>> {
    let intent = answer.question.intent;
    let Some(form) = intent.thread.filter(|_| intent.is_bare || answer.unsaid.is_some()) else { return Ok(None) };
    let above: TokenCount = answer.degraded.iter().map(|reason| count_tokens(reason) + TokenCount(1)).sum();
    let Some(thread) = thread::build_thread(memory, answer, form, room_below(request, above)).await? else {
        return Ok(None);
    };
    let degraded = std::mem::take(&mut answer.degraded);
    Ok(Some(RecallReport { degraded, thread: Some(thread), ..RecallReport::default() }))
}

/// What the budget of a request leaves for results, below notes that cost so much.
fn room_below(request: &RecallRequest, above: TokenCount) -> Option<TokenCount> {
    request.budget.map(|budget| budget.saturating_sub(footer_allowance(budget)).saturating_sub(above))
}

/// The messages that are shown with a result: those that hold words it lacks, and the reply that lifted it, because
/// both are the answer.
fn list_beside(corpus: &Corpus, ranked: &RankedMessage, held: &MatchedWords) -> Vec<u32> {
    let reply = corpus.reply_to(ranked.matched.message).filter(|_| ranked.matched.reply > 0.0);
    let mut beside: Vec<u32> = held.neighbour_messages().chain(reply).collect();
    beside.sort_unstable();
    beside.dedup();
    beside
}

/// Adds to a result the messages beside it, without those that only ask what is asked.
fn add_neighbours(result: &mut RecalledMessage, beside: Vec<RecalledNeighbour>, asked: &AskedQuestion) {
    let seq = result.message.seq;
    let asks = |beside: &RecalledNeighbour| asked.is_unanswered_by(&beside.message);
    let is_before =
        |beside: &RecalledNeighbour| beside.message.seq < seq && beside.message.body.role == MessageRole::User;
    // Decided before the echo is dropped as a neighbour below: it is what proves that this message answers it.
    result.replies = beside.iter().any(|beside| is_before(beside) && asks(beside));
    result.neighbours = beside.into_iter().filter(|beside| !asks(beside)).collect();
}

/// Drops neighbours that are results themselves, and copies of results that a resumed conversation took over.
fn drop_told_neighbours(results: &mut [RecalledMessage]) {
    let ids: HashSet<_> = results.iter().map(|result| result.message.id.clone()).collect();
    let texts: HashSet<_> = results.iter().map(|result| folded_hash(&result.text)).collect();
    let is_told = |beside: &RecalledNeighbour| {
        let is_copy = beside.text.len() >= MIN_DEDUPED_BYTES && texts.contains(&folded_hash(&beside.text));
        is_copy || ids.contains(&beside.message.id)
    };
    for result in results {
        result.neighbours.retain(|beside| !is_told(beside));
    }
}

fn build_result(corpus: &Corpus, ranked: &RankedMessage, message: Message, why: String) -> RecalledMessage {
    let entry = &corpus.messages[ranked.matched.message as usize];
    let content = message.body.content();
    let range = if content.chars().nth(MAX_WHOLE_CHARS).is_none() {
        0..content.len()
    } else {
        // One passage either side: a sentence that was cut at the border of a passage is shown whole.
        passage_bytes(&message, &content, passage_of(corpus, ranked), 1)
    };
    let range = own_stretch(&content, range);
    let matched = &ranked.matched;
    RecalledMessage {
        conversation: corpus.talks[entry.talk as usize].name.clone(),
        score: ranked.score(),
        text: content[range.clone()].to_owned(),
        span: ContentSpan { start: range.start, end: range.end, of: content.len() },
        tokens: TokenCount(0),
        why,
        parts: ScoreParts {
            words: matched.words,
            length: matched.length,
            speaker: matched.speaker,
            reply: matched.reply,
            lexical: ranked.lexical,
            meaning: ranked.meaning,
            time: ranked.time,
            moment: ranked.moment,
            rule: ranked.rule,
            session: ranked.session,
            opener: ranked.opener,
            part: ranked.part,
            decision: ranked.decision,
            summary: ranked.summary,
        },
        neighbours: Vec::new(),
        replies: false,
        fact: None,
        message,
    }
}

/// The hash of a text without case, punctuation and spacing: a repeated sentence seldom has the same punctuation.
pub(in crate::memory) fn folded_hash(text: &str) -> ContentHash {
    let folded: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    ContentHash::hash_bytes(folded.as_bytes())
}

/// Which passage of its message is the best.
fn passage_of(corpus: &Corpus, ranked: &RankedMessage) -> usize {
    ranked.matched.passage as usize - corpus.passage_range(ranked.matched.message).start
}

/// A passage of a message with so many around it, as bytes of the content.
fn passage_bytes(message: &Message, content: &str, passage: usize, around: usize) -> Range<usize> {
    let text = without_speaker(content, message.body.speaker.as_deref());
    // Passages were cut without the speaker's name in front; bytes are counted with it.
    let before = content.len() - text.len();
    let cut = split_passages(text);
    let last = cut.len() - 1;
    let first = passage.min(last).saturating_sub(around);
    let last = (passage + around).min(last);
    before + cut[first].start..before + cut[last].end
}

/// Cuts a result down to what is left of a budget: first its neighbours go, then what is around the best passage.
fn fit_result(result: &mut RecalledMessage, left: Option<TokenCount>, corpus: &Corpus, ranked: &RankedMessage) -> bool {
    let Some(left) = left else {
        let beside = result.neighbours.iter().map(|beside| span_tokens(&beside.message, beside.span, &beside.text));
        result.tokens = span_tokens(&result.message, result.span, &result.text) + beside.sum();
        return true;
    };
    let count = |result: &RecalledMessage| count_tokens(&(result.render_heading() + &result.render_body()));
    result.tokens = count(result);
    if result.tokens <= left {
        return true;
    }
    // Neighbours explain, the passage answers: they go first.
    result.neighbours.clear();
    result.tokens = count(result);
    if result.tokens <= left {
        return true;
    }
    let content = result.message.body.content();
    let range = own_stretch(&content, passage_bytes(&result.message, &content, passage_of(corpus, ranked), 0));
    content[range.clone()].clone_into(&mut result.text);
    result.span = ContentSpan { start: range.start, end: range.end, of: content.len() };
    result.tokens = count(result);
    result.tokens <= left
}

/// Tokens of what is shown of a message. Those of all of it were counted when it was stored.
fn span_tokens(message: &Message, span: ContentSpan, text: &str) -> TokenCount {
    if span.is_whole() { message.tokens } else { count_tokens(text) }
}

/// Messages that were read, by their number.
#[derive(Default)]
pub(super) struct LoadedMessages {
    messages: HashMap<u32, Option<Message>>,
    /// Notes on damaged messages.
    damaged: BTreeSet<String>,
}

impl LoadedMessages {
    /// Reads those that were not.
    pub(super) async fn load_missing(
        &mut self,
        memory: &MemoryContext,
        corpus: &Corpus,
        messages: impl Iterator<Item = u32>,
    ) -> Result<()> {
        let mut new: Vec<u32> = messages.filter(|message| !self.messages.contains_key(message)).collect();
        new.sort_unstable();
        new.dedup();
        if !new.is_empty() {
            let places: Vec<_> = new.iter().map(|message| corpus.message_place(*message)).collect();
            let ReadableMessages { messages, damaged } = readable_messages(&*memory.store, &places).await?;
            self.messages.extend(new.into_iter().zip(messages));
            self.damaged.extend(damaged);
        }
        Ok(())
    }

    pub(super) fn message(&self, message: u32) -> Option<Message> {
        self.messages.get(&message).cloned().flatten()
    }
}

/// The messages beside one.
fn find_neighbours(corpus: &Corpus, beside: &[u32], read: &LoadedMessages, message: u32) -> Vec<RecalledNeighbour> {
    let neighbour = |beside: u32| {
        let read = read.message(beside)?;
        let content = read.body.content();
        // Of a long neighbour the passage that adjoins: its end where it stands before, its beginning where it stands
        // behind.
        let nearest = if beside < message { corpus.passage_range(beside).len() - 1 } else { 0 };
        let range = own_stretch(&content, passage_bytes(&read, &content, nearest, 0));
        let span = ContentSpan { start: range.start, end: range.end, of: content.len() };
        Some(RecalledNeighbour { text: content[range].to_owned(), message: read, span })
    };
    beside.iter().copied().filter_map(neighbour).collect()
}
