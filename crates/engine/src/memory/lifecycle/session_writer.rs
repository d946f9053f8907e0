//! Writes the text that sums up a session: built in, from facts, or by a model in one call where one is configured and
//! may be asked. A model that fails leaves the built-in text, marked as a fallback.

use super::session_text::{SessionNotes, build_session_text};
use crate::base::Result;
use crate::ledger::{CallInitiative, CallPurpose, generate_text};
use crate::memory::MemoryContext;
use crate::memory::active_context::each_message;
use crate::memory::fact::current_facts;
use model::{Message, MessageRole, SeqRange, SessionSummary, SummaryMethod, TokenCount, count_tokens};
use providers::Prompt;
use std::collections::VecDeque;
use std::time::Duration;
use store::Conversation;

/// The text of a session without a message.
const EMPTY_SESSION_TEXT: &str = "Empty session with no messages.";
/// Tokens that a model's text aims for.
const SESSION_TEXT_TOKENS: TokenCount = TokenCount(600);
/// Room for models that think before they write, besides the text itself.
const THINKING_TOKENS: u32 = 2_000;
const MODEL_DEADLINE: Duration = Duration::from_mins(2);
/// Most tokens of messages that a model is shown: the newest ones, beside the built-in text of the whole.
const MAX_SHOWN_TOKENS: u32 = 24_000;
/// Characters of one message that a model is shown.
const MAX_MESSAGE_CHARS: usize = 4_000;

/// Writes the text and keeps it, and says what did not run.
pub(super) async fn summarize_session(
    memory: &MemoryContext,
    session: &Conversation,
    initiative: CallInitiative,
) -> Result<Vec<String>> {
    let mut degraded = Vec::new();
    let (content, method) = if session.messages == 0 {
        (EMPTY_SESSION_TEXT.to_owned(), SummaryMethod::Extractive)
    } else {
        write_text(memory, session, initiative, &mut degraded).await?
    };
    let known = memory.store.session_summary(&session.id).await?;
    // The same text again is not kept twice.
    if known.is_none_or(|known| (known.last_seq, known.content.as_str()) != (session.messages, &content)) {
        let created = memory.clock.now();
        let conversation = session.id.clone();
        let last_seq = session.messages;
        memory.store.add_session_summary(SessionSummary { conversation, last_seq, content, method, created }).await?;
    }
    Ok(degraded)
}

async fn write_text(
    memory: &MemoryContext,
    session: &Conversation,
    initiative: CallInitiative,
    degraded: &mut Vec<String>,
) -> Result<(String, SummaryMethod)> {
    let facts = current_facts(memory, &session.id).await?;
    let mut notes = SessionNotes::default();
    let mut newest = NewestMessages::default();
    each_message(memory, &session.id, SeqRange { first: 1, last: session.messages }, |message| {
        notes.add_message(&message);
        newest.add_message(&message);
    })
    .await?;
    let built_in = build_session_text(&facts, &notes);
    let has_model = !memory.ledger.providers.generators.is_empty();
    // Money is spent without a person who asked for it only where the user's settings allow it.
    if !has_model || (initiative == CallInitiative::Background && !memory.ledger.spend.background) {
        return Ok((built_in, SummaryMethod::Extractive));
    }
    let purpose = CallPurpose {
        operation: "session",
        project: session.project.as_ref(),
        session: Some(session.id.as_str()),
        initiative,
    };
    let prompt = Prompt::session_summary(&built_in, &newest.render(), SESSION_TEXT_TOKENS);
    let version = prompt.version.to_string();
    let request = prompt.into_request(TokenCount(SESSION_TEXT_TOKENS.0 * 2 + THINKING_TOKENS), MODEL_DEADLINE);
    let written = generate_text(&memory.ledger, purpose, None, &request).await?;
    degraded.extend(written.missed.into_iter().map(|missed| missed.reason));
    match (written.text.filter(|text| !text.trim().is_empty()), written.model) {
        (Some(text), Some(model)) => Ok((text.trim().to_owned(), SummaryMethod::Model { model, prompt: version })),
        _ => Ok((built_in, SummaryMethod::Fallback)),
    }
}

/// The newest messages of people and models, as many as a model is shown.
#[derive(Default)]
struct NewestMessages {
    shown: VecDeque<(String, u32)>,
    tokens: u32,
}

impl NewestMessages {
    fn add_message(&mut self, message: &Message) {
        let is_talk = message.body.is_by_person() || message.body.role == MessageRole::Assistant;
        let content = message.body.content();
        if !is_talk || content.trim().is_empty() {
            return;
        }
        let who = message.body.speaker.as_deref().unwrap_or(message.body.role.as_str());
        let text = format!("[{} {who}]\n{}", message.seq, crate::memory::truncate_text(&content, MAX_MESSAGE_CHARS));
        let tokens = count_tokens(&text).0;
        self.tokens += tokens;
        self.shown.push_back((text, tokens));
        while self.tokens > MAX_SHOWN_TOKENS {
            let Some((_, first)) = self.shown.pop_front() else { break };
            self.tokens -= first;
        }
    }

    fn render(&self) -> String {
        self.shown.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join("\n\n")
    }
}
