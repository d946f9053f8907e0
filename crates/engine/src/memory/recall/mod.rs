//! Recall: searches all stored messages for a question by words, meaning and dates, and returns the best ones verbatim,
//! with citations. Contains the request, the report and the pipeline.
//!
//! ```text
//! refresh        indexes new messages as passages in segments, which are derived and made again when in doubt
//! question       parses words, speakers, dates
//! lexical        looks up the postings of the words in the store
//! score          BM25: passages count with their neighbours; a message is its best passage
//! best_matches   the best messages by that score, found without scoring all
//! meaning        cosine of a message's vector with that of the question, and the nearest messages
//! candidates     the best by words and meaning, and messages near the dates and people named
//! fusion         ranks them: words, meaning, dates, standing rules, sessions
//! several_questions  lifts the best message of each question, where several are asked at once
//! summary_boost  reranks the first of them by their summaries
//! results        spans of text, neighbours where they help, what fits a budget
//! fact_labels    which fact a result states, and whether it holds, where a decision is asked for
//! rule_lane      standing rules that concern the question, apart from the results
//! thread         the course of a conversation, for questions for a list, an order or a summary
//! ```
//! Originals are searched and shown; summaries only add weight. Another way to find messages adds candidates, and a
//! feature to `fusion`.

mod best_matches;
mod candidate_filter;
mod candidates;
mod corpus;
mod coverage;
mod dates;
mod explanation;
mod external_vectors;
mod fact_labels;
mod fusion;
mod held_segment;
mod intent;
mod lexical;
mod meaning;
mod passage;
mod passage_block;
mod passage_indexer;
mod posting_layout;
mod question;
mod reached_messages;
mod refresh;
mod rendering;
mod repeated_questions;
mod results;
mod rule;
mod rule_lane;
mod scope;
mod score;
mod searchable_text;
mod segment_builder;
mod segment_metadata;
mod several_questions;
mod summary_boost;
mod thread;
mod told_dates;
mod top_ranked;
mod words;

pub(super) use candidate_filter::build_message_filter;
pub(crate) use external_vectors::MessageVectors;
pub use fact_labels::RecalledFact;
pub(crate) use refresh::RecallCache;
pub use results::{ContentSpan, RecalledMessage, RecalledNeighbour, ScoreParts};
pub(super) use results::{MIN_DEDUPED_BYTES, folded_hash};
pub use rule_lane::{RULES_HEADING, RecalledRule};
pub use thread::{RecalledThread, ThreadStep};
pub(super) use words::{WordPurpose, each_word, word_purpose};

use super::DescribedItem;
use crate::base::budget::check_budget;
use crate::base::run_blocking;
use crate::base::{Error, Observer, Project, Result};
use crate::ledger::CallInitiative;
use crate::ledger::embed::EmbedProgress;
use crate::memory::MemoryContext;
use candidates::RecallCandidates;
use corpus::Corpus;
use fusion::{RankedMessage, fuse_candidates};
use lexical::WordPostings;
use meaning::MessageNearness;
use model::{ConversationId, MessageRole, SeqRange, Timestamp, TokenCount};
use question::RecallQuestion;
use scope::{CorpusScope, ScopeFilter};
use score::PassageScorer;
use search::Attempts;
use std::sync::Arc;

/// A question about conversations.
#[derive(Clone, Debug)]
pub struct RecallRequest {
    /// The question, in words of any kind.
    pub query: String,
    /// Where to look.
    pub scope: RecallScope,
    /// Only messages of this role.
    pub role: Option<MessageRole>,
    /// Only messages from then on.
    pub since: Option<Timestamp>,
    /// Only messages before then.
    pub until: Option<Timestamp>,
    /// How many results at most.
    pub limit: u32,
    /// Most tokens of the text of the answer, all that stands around the results counted.
    pub budget: Option<TokenCount>,
    /// Who asks: models that cost money are asked for users alone, unless the settings allow more.
    pub initiative: CallInitiative,
}

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecallScope {
    /// In all conversations.
    Everywhere,
    /// In those of the project.
    Project,
    /// In one, by name or id.
    Conversation(String),
    /// In what these summaries cover, by id.
    Summaries(Vec<String>),
}

/// The results, best first.
#[derive(Clone, Debug, Default)]
pub struct RecallReport {
    /// The results.
    pub results: Vec<RecalledMessage>,
    /// Tokens of all results.
    pub tokens: TokenCount,
    /// How many more messages matched.
    pub omitted: u64,
    /// Messages left out because a better one says the same.
    pub repeated: u64,
    /// Messages left out because they answer nothing: they only ask, or only say what comes next.
    pub unanswering: u64,
    /// Parts that did not run, or how the answer came about where nothing matched.
    pub degraded: Vec<String>,
    /// No word of the question was said: the results are only near it in meaning, or the newest there are.
    pub is_only_near: bool,
    /// Standing rules that concern the question and are no results.
    pub rules: Vec<RecalledRule>,
    /// The course of a conversation, where the question asks for a list, an order, a summary or the newest state.
    pub thread: Option<RecalledThread>,
}

/// The note on an answer that no word matched.
const NOTHING_MATCHED: &str = "no word matched: these are the newest messages";

/// The note on an answer that shares no word with its question.
const ONLY_NEAR: &str = "no word of the question was said; these are only near in meaning";

pub(crate) async fn recall_messages(
    memory: &MemoryContext,
    project: &Project,
    request: RecallRequest,
) -> Result<RecallReport> {
    if request.query.trim().is_empty() {
        return Err(Error::Parameter { field: "query", reason: "is empty: say what to look for".to_owned() });
    }
    if request.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    check_budget(request.budget)?;
    let place = match &request.scope {
        RecallScope::Everywhere => ScopeFilter::Everywhere,
        RecallScope::Project => ScopeFilter::Project(project.id.clone()),
        RecallScope::Conversation(name) => ScopeFilter::Conversation(super::find_conversation(memory, name).await?),
        RecallScope::Summaries(ids) => ScopeFilter::Covered(covered_by(memory, ids).await?),
    };
    let mut answer = rank_messages(memory, project, &place, request.clone()).await?;
    // After ranking: summaries are read for the first results alone, and only move messages that were found themselves.
    summary_boost::boost_by_summaries(memory, &mut answer).await?;
    let mut report = results::show_results(memory, &request, answer).await?;
    if report.results.is_empty() && request.scope == RecallScope::Project {
        report.degraded.extend(super::note_elsewhere(memory, &project.id).await?);
    }
    Ok(report)
}

/// Where the messages are that some summaries cover.
async fn covered_by(memory: &MemoryContext, ids: &[String]) -> Result<Vec<(ConversationId, SeqRange)>> {
    let mut ranges = Vec::new();
    for id in ids {
        let DescribedItem::Summary { summary, .. } = super::describe_item(memory, id).await? else {
            return Err(Error::Parameter { field: "summaries", reason: format!("has `{id}`, which is no summary") });
        };
        ranges.push((summary.conversation, summary.range));
    }
    Ok(ranges)
}

/// Fewer new messages are indexed by the next question in passing.
const MIN_PREPARED_MESSAGES: u64 = 256;

/// Builds the index behind many messages that were stored through this engine; whether there were as many.
pub(crate) async fn prepare_recall(memory: &MemoryContext) -> Result<bool> {
    let is_due = memory.recalls.unindexed_count() >= MIN_PREPARED_MESSAGES;
    if is_due {
        prepare_corpus(memory).await?;
    }
    Ok(is_due)
}

/// Builds the index that the first question would otherwise wait for.
pub(super) async fn prepare_corpus(memory: &MemoryContext) -> Result<()> {
    refresh::current_corpus(memory).await?;
    Ok(())
}

/// Messages in the order of the answer, and what is needed to show them.
struct RankedAnswer {
    corpus: Arc<Corpus>,
    scope: CorpusScope,
    question: RecallQuestion,
    found: WordPostings,
    /// The weight of each word of the question.
    rarities: Vec<f32>,
    candidates: RecallCandidates,
    /// How many messages words matched, candidates or not.
    matched: usize,
    /// The candidates, or the newest messages where there are none.
    ranked: Vec<RankedMessage>,
    degraded: Vec<String>,
    /// How the messages came about where no word of the question was said.
    unsaid: Option<&'static str>,
}

/// Embeds the messages of a project with the model that the user configured, and returns how many.
pub(crate) async fn embed_messages(
    memory: &MemoryContext,
    project: &Project,
    initiative: CallInitiative,
    observer: &dyn Observer,
) -> Result<EmbedProgress> {
    let corpus = refresh::current_corpus(memory).await?;
    let scope = CorpusScope::new(&corpus, &ScopeFilter::Project(project.id.clone()));
    external_vectors::embed_all(memory, project, (&corpus, &scope), (initiative, observer)).await
}

async fn rank_messages(
    memory: &MemoryContext,
    project: &Project,
    place: &ScopeFilter,
    request: RecallRequest,
) -> Result<RankedAnswer> {
    let mut corpus = refresh::current_corpus(memory).await?;
    let mut attempts = Attempts::default();
    loop {
        let scope = CorpusScope::new(&corpus, place);
        let question = RecallQuestion::new(&request.query, &corpus, &scope);
        // Before the corpus is compared: the reply names all segments at the moment of the read.
        let asked = memory.store.passage_postings(&question.search_terms()).await?;
        // Segments may be merged between two questions; then the corpus is loaded again, because numbers of passages
        // changed.
        if !corpus.has_segments(&asked.all) && attempts.try_again() {
            corpus = refresh::reload_corpus(memory).await?;
            continue;
        }
        let mut degraded = corpus.damage_within(&scope);
        let asks = (request.query.as_str(), request.initiative);
        let external =
            external_vectors::message_nearness(memory, project, (&corpus, &scope), asks, &mut degraded).await?;
        let embedder = memory.embedder.clone();
        // On a blocking thread: scoring reads every posting and every vector of the scope.
        let weigh = move || {
            let is_filtered = request.has_filter(&scope);
            let meaning_of = |question: &RecallQuestion| {
                MessageNearness::from_text(embedder.as_deref(), &question.about, is_filtered)
            };
            let near = external.map_or_else(|| meaning_of(&question), MessageNearness::Known);
            let found = lexical::find_words(&corpus, &scope, &question, &asked.postings)?;
            let scorer = PassageScorer::new(&corpus, &scope, &question, &found);
            let wants = |message: u32| request.accepts_message(&corpus, &scope, message);
            let candidates = RecallCandidates::new(&corpus, &scope, &question, wants, &scorer, near);
            let matched = reached_messages::count_matches(&corpus, &found, is_filtered.then_some(&wants));
            let mut ranked = fuse_candidates(&corpus, &question, &candidates);
            let is_lost = ranked.is_empty();
            // Neither words nor meaning nor dates led anywhere: the newest messages are more use than none, and the
            // note says so.
            if is_lost {
                ranked = fusion::rank_newest(&corpus, &scope, wants);
            }
            // A date or a speaker that the question names leads to messages without its words, and is a match.
            let is_named = !question.dates.is_empty() || !question.who.is_empty();
            let is_only_near = matched == 0 && !is_named && !candidates.chosen.is_empty();
            let unsaid = match (ranked.is_empty(), is_lost, is_only_near) {
                (false, true, _) => Some(NOTHING_MATCHED),
                (false, false, true) => Some(ONLY_NEAR),
                (true, ..) | (false, false, false) => None,
            };
            let find_part = |part: &RecallQuestion| {
                let found = lexical::find_words(&corpus, &scope, part, &asked.postings)?;
                Ok((found, meaning_of(part)))
            };
            several_questions::lift_parts(&corpus, &scope, &request.query, wants, find_part, &mut ranked)?;
            let rarities = scorer.idf_weights().to_vec();
            Ok(RankedAnswer { corpus, scope, question, found, rarities, candidates, matched, ranked, degraded, unsaid })
        };
        return run_blocking("ranking messages", weigh).await?;
    }
}

impl RecallRequest {
    /// Whether some messages of the scope that have words are not asked for.
    fn has_filter(&self, scope: &CorpusScope) -> bool {
        self.role.is_some() || self.since.is_some() || self.until.is_some() || scope.has_stretches()
    }

    fn accepts_message(&self, corpus: &Corpus, scope: &CorpusScope, message: u32) -> bool {
        let entry = corpus.message_at(message);
        self.role.is_none_or(|role| entry.role == role)
            && self.since.is_none_or(|since| entry.when >= since)
            && self.until.is_none_or(|until| entry.when < until)
            && scope.contains_message(message)
            && corpus.has_words(message)
    }
}
