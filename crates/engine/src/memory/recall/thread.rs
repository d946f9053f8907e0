//! Answers questions for a list, an order, a summary or the newest state with a **thread**: the digest of the
//! conversation that fits best, and its messages about the topic in the order they were said, each cited. Ten messages
//! by rank do not show an order.

use super::RankedAnswer;
use super::fusion::RankedMessage;
use super::intent::ThreadForm;
use super::results::LoadedMessages;
use crate::base::Result;
use crate::memory::{MemoryContext, truncate_text};
use model::{Message, MessageRole, Summary, TokenCount, count_tokens, show_name, show_quoted};
use std::fmt::Write as _;

/// The course of a conversation, as far as a question asks for it.
#[derive(Clone, Debug)]
pub struct RecalledThread {
    /// The name of the conversation.
    pub conversation: String,
    /// The summary that covers most of it, where it was folded.
    pub digest: Option<Summary>,
    /// Its messages, in the order they were said.
    pub steps: Vec<ThreadStep>,
}

/// A message of a thread.
#[derive(Clone, Debug)]
pub struct ThreadStep {
    /// The message, whole.
    pub message: Message,
    /// The beginning of what it says.
    pub text: String,
}

/// Messages of a thread.
const MAX_STEPS: usize = 12;
/// Characters of a message and of a digest that are shown; their ids lead to the rest.
const MAX_STEP_CHARACTERS: usize = 240;
const MAX_DIGEST_CHARACTERS: usize = 1_200;

impl RecalledThread {
    /// As text.
    pub fn render_text(&self) -> String {
        let mut text = format!("# The thread of {}\n", show_name(&self.conversation));
        if let Some(digest) = &self.digest {
            let digested = truncate_text(digest.content.trim(), MAX_DIGEST_CHARACTERS);
            let _ = writeln!(text, "{} ({})", show_quoted(&digested), digest.id);
        }
        for step in &self.steps {
            let who = step.message.body.speaker.as_deref().unwrap_or(step.message.body.role.as_str());
            let whose = format!("{}#{} {who}", self.conversation, step.message.seq);
            let _ = writeln!(text, "- {}: {}", show_name(&whose), show_quoted(&step.text));
        }
        text.push('\n');
        text
    }
}

/// The thread that a question asks for, where it fits into what is left of a budget.
pub(super) async fn build_thread(
    memory: &MemoryContext,
    answer: &RankedAnswer,
    form: ThreadForm,
    room: Option<TokenCount>,
) -> Result<Option<RecalledThread>> {
    let mut chosen = match form {
        ThreadForm::Course => choose_course(answer),
        ThreadForm::NewestState => choose_newest(answer),
    };
    // By place: a thread is read in the order in which it was said, whatever the ranking was.
    chosen.sort_unstable();
    let Some(last) = chosen.last().copied() else { return Ok(None) };
    let mut read = LoadedMessages::default();
    read.load_missing(memory, &answer.corpus, chosen.iter().copied()).await?;
    let (conversation, seq) = answer.corpus.message_place(last);
    let mut digests = match memory.store.summaries_at(&conversation, seq).await {
        // The messages tell the thread without its digest.
        Err(error) if error.is_damage() => Vec::new(),
        digests => digests?,
    };
    // The deepest covers most of the conversation, so it is the digest of the thread.
    digests.sort_by_key(|summary| summary.depth);
    let step = |message: Message| {
        let words = message.body.content().split_whitespace().collect::<Vec<_>>().join(" ");
        ThreadStep { text: truncate_text(&words, MAX_STEP_CHARACTERS), message }
    };
    let mut thread = RecalledThread {
        conversation: answer.corpus.conversation_name(last).to_owned(),
        digest: digests.pop(),
        steps: chosen.into_iter().filter_map(|message| read.message(message)).map(step).collect(),
    };
    // The oldest steps go first: the digest covers them.
    while room.is_some_and(|room| count_tokens(&thread.render_text()) > room) && !thread.steps.is_empty() {
        thread.steps.remove(0);
    }
    // A digest alone is no thread: `recall` quotes messages, and a summary only leads to them.
    Ok((!thread.steps.is_empty()).then_some(thread))
}

/// The best candidates of the conversation that the best candidates are of.
fn choose_course(answer: &RankedAnswer) -> Vec<u32> {
    let talk = |ranked: &RankedMessage| answer.corpus.message_at(ranked.matched.message).talk;
    // By words alone: what is only near in meaning may be of any conversation.
    let Some(best) = answer.ranked.iter().find(|ranked| ranked.matched.words > 0.0) else { return Vec::new() };
    let of_best = |ranked: &&RankedMessage| talk(ranked) == talk(best) && ranked.matched.words > 0.0;
    answer.ranked.iter().filter(of_best).take(MAX_STEPS).map(|ranked| ranked.matched.message).collect()
}

/// The last things that people and assistants said in the conversation that was spoken in last.
fn choose_newest(answer: &RankedAnswer) -> Vec<u32> {
    let corpus = &answer.corpus;
    let is_said = |message: u32| {
        let entry = corpus.message_at(message);
        let by_someone = matches!(entry.role, MessageRole::User | MessageRole::Assistant);
        by_someone && answer.scope.contains_message(message) && corpus.has_words(message)
    };
    let talks = (0..).zip(&corpus.talks).filter(|(talk, _)| answer.scope.contains_conversation(*talk));
    let said = talks.filter_map(|(_, talk)| talk.messages.clone().rev().find(|message| is_said(*message)));
    // Ties by place, so that the same question gives the same thread.
    let Some(newest) = said.max_by_key(|message| (corpus.message_at(*message).when, *message)) else {
        return Vec::new();
    };
    let talk = &corpus.talks[corpus.message_at(newest).talk as usize];
    talk.messages.clone().rev().filter(|message| is_said(*message)).take(MAX_STEPS).collect()
}
