//! Conversations as sessions: `manage_session` makes, lists, sums up, archives and resumes them, and
//! `archive_idle_conversations` archives those that were silent for long.
//!
//! A state says how a conversation stands and nothing else: no message leaves `recall`, `grep` or `history` by it, and
//! the next message makes a conversation active again.

mod session_text;
mod session_writer;

pub(crate) use session_text::open_question;

use super::current_session::{create_session, open_current};
use super::list::{ConversationListing, ListRequest, list_conversation, list_conversations};
use super::{find_conversation, name_in_project};
use crate::base::{Error, Observer, Project, Result};
use crate::ledger::CallInitiative;
use crate::memory::MemoryContext;
use model::{ConversationId, ConversationState, SessionSummary};
use session_writer::summarize_session;
use std::time::Duration;
use store::{Conversation, StateChange};

/// What to do with sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionAction {
    /// Make one, of this name or of one of its own; it is the current one.
    Create(Option<String>),
    /// Show the current one, made where there is none.
    Current,
    /// List those of a state, or all.
    List {
        /// Only those that stand so.
        state: Option<ConversationState>,
        /// How many of the newest.
        limit: u32,
    },
    /// Put one away, by name or id.
    Archive(String),
    /// Sum one up, by name or id; without one the latest.
    Summarize(Option<String>),
    /// Go on with one, by name or id; it is the current one.
    Resume(String),
}

/// The sessions that an action was about.
#[derive(Clone, Debug, Default)]
pub struct SessionReport {
    /// Them, as they stand now.
    pub sessions: Vec<SessionListing>,
    /// How many more there are.
    pub omitted: u64,
    /// What did not run, and why.
    pub degraded: Vec<String>,
}

/// A session.
#[derive(Clone, Debug)]
pub struct SessionListing {
    /// Its conversation.
    pub listing: ConversationListing,
    /// The text that sums it up, where there is one.
    pub summary: Option<SessionSummary>,
}

pub(crate) async fn manage_session(
    memory: &MemoryContext,
    project: &Project,
    action: SessionAction,
) -> Result<SessionReport> {
    let mut report = SessionReport::default();
    let session = match action {
        SessionAction::List { state, limit } => {
            let request = ListRequest { project: Some(project.id.clone()), state, limit };
            let list = list_conversations(memory, request).await?;
            for listing in list.listed {
                let summary = memory.store.session_summary(&listing.conversation.id).await?;
                report.sessions.push(SessionListing { listing, summary });
            }
            report.omitted = list.omitted;
            return Ok(report);
        }
        SessionAction::Create(name) => {
            // A name that is taken would make later messages go to the old conversation, without a word.
            check_new_name(memory, name.as_deref()).await?;
            create_session(memory, &project.id, name.as_deref()).await?
        }
        SessionAction::Current => open_current(memory, &project.id).await?,
        SessionAction::Archive(name) => {
            memory.check_enabled("archive a session")?;
            let session = load_session(memory, &name).await?;
            // A person waits for it, so a model may be asked.
            report.degraded = archive_session(memory, &session, CallInitiative::User).await?;
            session
        }
        SessionAction::Summarize(name) => {
            memory.check_enabled("sum up a session")?;
            let name = name.unwrap_or_else(|| name_in_project(project, "latest"));
            let session = load_session(memory, &name).await?;
            report.degraded = summarize_session(memory, &session, CallInitiative::User).await?;
            set_state(memory, &session, ConversationState::Summarized).await?;
            session
        }
        SessionAction::Resume(name) => {
            memory.check_enabled("resume a session")?;
            let session = load_session(memory, &name).await?;
            set_state(memory, &session, ConversationState::Active).await?;
            // Messages that name no session go there from now on: to resume one is to be in it.
            memory.sessions.remember(&project.id, &session.id);
            session
        }
    };
    let summary = memory.store.session_summary(&session.id).await?;
    // Read again, because the reply shows how it stands after the action.
    let now = load_by_id(memory, &session.id).await?;
    report.sessions.push(SessionListing { listing: list_conversation(memory, now).await?, summary });
    Ok(report)
}

/// Conversations that one call archives at most: it runs beside other work.
const MAX_ARCHIVED_AT_ONCE: usize = 4;

/// Archives conversations that were silent for as long as the settings say, and says how many.
pub(crate) async fn archive_idle_conversations(memory: &MemoryContext, observer: &dyn Observer) -> Result<u64> {
    let Some(days) = memory.settings.archive_days else { return Ok(0) };
    let age = Duration::from_hours(24).saturating_mul(days).as_millis();
    let oldest = memory.clock.now().0.saturating_sub(i64::try_from(age).unwrap_or(i64::MAX));
    let is_idle = |known: &Conversation| {
        // One that was resumed is not put away again before it was idle for as long.
        known.state != ConversationState::Archived && known.updated.0.max(known.state_set.0) < oldest
    };
    let mut idle = memory.store.list_conversations().await?;
    // One without a message was made to be spoken in, and has no time that could be too old.
    idle.retain(|known| known.messages > 0 && is_idle(known));
    let mut archived = 0;
    for conversation in idle.into_iter().take(MAX_ARCHIVED_AT_ONCE) {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        match archive_session(memory, &conversation, CallInitiative::Background).await {
            // A damaged conversation stays as it is; `verify` says what is wrong with it.
            Err(Error::Store(error)) if error.is_damage() => {
                tracing::warn!(conversation = conversation.id.as_str(), %error, "a damaged conversation is not archived");
            }
            result => {
                result?;
                archived += 1;
            }
        }
    }
    Ok(archived)
}

/// Puts a session away, summed up first where the settings want that.
async fn archive_session(
    memory: &MemoryContext,
    session: &Conversation,
    initiative: CallInitiative,
) -> Result<Vec<String>> {
    let mut degraded = Vec::new();
    if memory.settings.auto_summarize {
        let known = memory.store.session_summary(&session.id).await?;
        // A text that knows all messages is not written again: with a model that would cost money for the same words.
        if known.is_none_or(|known| known.last_seq < session.messages) {
            degraded = summarize_session(memory, session, initiative).await?;
        }
    }
    set_state(memory, session, ConversationState::Archived).await?;
    Ok(degraded)
}

async fn set_state(memory: &MemoryContext, session: &Conversation, state: ConversationState) -> Result<()> {
    let change =
        StateChange { conversation: session.id.clone(), messages: session.messages, state, now: memory.clock.now() };
    // Where messages came meanwhile, the conversation goes on and stays active.
    if !memory.store.set_conversation_state(change).await? && state == ConversationState::Archived {
        tracing::info!(conversation = session.id.as_str(), "not archived: it goes on");
    }
    Ok(())
}

/// A name for a new session must not be that of a conversation that exists.
async fn check_new_name(memory: &MemoryContext, name: Option<&str>) -> Result<()> {
    let Some(name) = name else { return Ok(()) };
    if name.trim().is_empty() {
        return Err(Error::Parameter { field: "session", reason: "is empty: give it a name, or none".to_owned() });
    }
    if memory.store.load_conversation(&super::conversation_id(name)).await?.is_some() {
        let reason = format!("is `{name}`, which exists: `session resume` goes on with it");
        return Err(Error::Parameter { field: "session", reason });
    }
    Ok(())
}

async fn load_session(memory: &MemoryContext, name: &str) -> Result<Conversation> {
    let id = find_conversation(memory, name).await?;
    load_by_id(memory, &id).await
}

async fn load_by_id(memory: &MemoryContext, id: &ConversationId) -> Result<Conversation> {
    let missing = || Error::NotFound { what: "conversation", id: id.to_string(), hint: None };
    memory.store.load_conversation(id).await?.ok_or_else(missing)
}
