//! Compacts (folds) conversations: summaries take the place of older messages in the active context.
//!
//! Each fold is one transaction that expects the context as planned; nothing is locked between two, and what was folded
//! is whole however a run ends. A lease keeps two workers apart. A fold is no message, which would shift later numbers:
//! its record is the summary with its trigger, a `compaction` part of the last message it covers.

mod fold_input;
mod fold_runner;
mod lease;
mod model_summarizer;
mod redo;

pub(crate) use fold_runner::fold_one;
pub(crate) use lease::LeaseTimes;
pub(super) use lease::{ContextLease, run_with_renewal};

use super::find_conversation;
use super::fold::FoldMode;
use crate::base::{Error, Observer, Result};
use crate::ledger::Degradation;
use crate::memory::MemoryContext;
use model::{
    ConversationId, FoldTrigger, KeptFacts, Money, SeqRange, SummaryId, SummaryKind, SummaryMethod, TokenCount,
};
use store::Conversation;

/// Which conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationSelection {
    /// One, by name or id.
    One(String),
    /// All of them.
    All,
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactEffect {
    /// Summaries are made and kept.
    Fold,
    /// What would be folded is shown, and nothing is written.
    Show,
    /// Summaries that a model was asked for and could not write are written anew, and nothing is folded.
    Redo,
}

/// What to fold, and how far.
#[derive(Clone, Debug)]
pub struct CompactRequest {
    /// Which conversations.
    pub which: ConversationSelection,
    /// How far.
    pub mode: FoldMode,
    /// Why.
    pub trigger: FoldTrigger,
    /// Whether anything is written.
    pub effect: CompactEffect,
    /// Who writes the summaries, as `vendor` or `vendor/model`, or `builtin`; none for the configured fallback list.
    pub provider: Option<String>,
}

/// A summary that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldRecord {
    /// Its id.
    pub id: SummaryId,
    /// Its level.
    pub kind: SummaryKind,
    /// How many summaries stand below it at most.
    pub depth: u32,
    /// The messages it covers.
    pub range: SeqRange,
    /// Tokens of its text.
    pub tokens: TokenCount,
    /// Tokens of what it took the place of.
    pub instead_of: u64,
    /// How it was written.
    pub method: SummaryMethod,
    /// How many facts it kept.
    pub kept: KeptFacts,
}

/// A stretch that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFold {
    /// Its messages.
    pub range: SeqRange,
    /// Why.
    pub why: String,
}

/// The result for one conversation.
#[derive(Clone, Debug)]
pub struct CompactRun {
    /// The conversation.
    pub conversation: ConversationId,
    /// What people call it.
    pub name: String,
    /// The line that its source calls it by, where it has one.
    pub title: Option<String>,
    /// Tokens of its context before.
    pub tokens_before: u64,
    /// Tokens of its context now.
    pub tokens_after: u64,
    /// Summaries made, in order.
    pub folded: Vec<FoldRecord>,
    /// Stretches that could not be made shorter.
    pub left_alone: Vec<SkippedFold>,
    /// Why it ended before it was done; asking again goes on.
    pub stopped: Option<String>,
    /// Failures of models, each once.
    pub degraded: Vec<Degradation>,
    /// The price of asking a model, in a dry run.
    pub price: Option<FoldPrice>,
}

/// What having summaries written by a model would cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldPrice {
    /// The model.
    pub model: String,
    /// How often it would be asked.
    pub calls: u64,
    /// Tokens that would go in.
    pub tokens_in: u64,
    /// Tokens that would come out.
    pub tokens_out: u64,
    /// What that costs; none where the price list lacks the model.
    pub money: Option<Money>,
}

/// The results of all conversations.
#[derive(Clone, Debug, Default)]
pub struct CompactReport {
    /// Conversations in which something was or would be folded, or could not be.
    pub runs: Vec<CompactRun>,
    /// Conversations in which there was nothing to fold.
    pub unchanged: u64,
}

pub(crate) async fn compact_conversations(
    memory: &MemoryContext,
    request: CompactRequest,
    observer: &dyn Observer,
) -> Result<CompactReport> {
    // An error and not an empty report: the user asked for a fold and must learn why none happens.
    memory.check_enabled("fold conversations")?;
    // Resolved before anything is folded, so that a name that does not exist is an error and not an empty run.
    let one = match &request.which {
        ConversationSelection::One(name) => Some(find_conversation(memory, name).await?),
        ConversationSelection::All => None,
    };
    let mut conversations = memory.store.list_conversations().await?;
    conversations.retain(|conversation| one.as_ref().is_none_or(|id| *id == conversation.id));
    let mut report = CompactReport::default();
    for (done, conversation) in conversations.iter().enumerate() {
        let id = &conversation.id;
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        // Reported before each one: a fold with a model takes seconds, and this is when a user may want to stop it.
        observer.report_progress("folding", done as u64, conversations.len() as u64);
        match fold_one(memory, id, &request, observer).await {
            // With one conversation named, the run is shown even where it did nothing: it is the answer.
            Ok(run) if one.is_none() && run.is_nothing() => report.unchanged += 1,
            Ok(run) => report.runs.push(run),
            // One that fails, or that another process is folding, does not keep this run from folding the others.
            Err(error) if one.is_none() && !matches!(error, Error::Cancelled) => {
                let stopped = Some(error.to_string());
                report.runs.push(CompactRun { stopped, ..CompactRun::new(conversation, 0) });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

impl CompactRun {
    fn new(conversation: &Conversation, tokens: u64) -> Self {
        Self {
            conversation: conversation.id.clone(),
            name: conversation.name.clone(),
            title: conversation.title.clone(),
            tokens_before: tokens,
            tokens_after: tokens,
            folded: Vec::new(),
            left_alone: Vec::new(),
            stopped: None,
            degraded: Vec::new(),
            price: None,
        }
    }

    fn is_nothing(&self) -> bool {
        // One that was stopped is shown, too: it says what is left to do.
        self.folded.is_empty() && self.left_alone.is_empty() && self.stopped.is_none()
    }
}
