//! The current session of a project: the conversation that messages go to whose sender names none. It is the one that
//! was made or resumed last in this process, else the newest active one, else a new one.
//!
//! Conversations that agents write themselves (`agent:id`, from transcripts and hooks) are never it: a message that
//! a caller stores must not stand in the middle of what an agent said.

use super::conversation_id;
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{ConversationId, ConversationState, DigestBuilder, ProjectId};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use store::{AppendBatch, ConflictPolicy, Conversation};

/// The sessions that this process made or resumed last, by project.
#[derive(Default)]
pub(crate) struct RememberedSessions(Mutex<HashMap<ProjectId, ConversationId>>);

impl RememberedSessions {
    pub(super) fn remember(&self, project: &ProjectId, session: &ConversationId) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(project.clone(), session.clone());
    }

    fn find(&self, project: &ProjectId) -> Option<ConversationId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(project).cloned()
    }
}

/// The current session of a project, where there is one.
pub(super) async fn find_current(memory: &MemoryContext, project: &ProjectId) -> Result<Option<Conversation>> {
    if let Some(id) = memory.sessions.find(project)
        && let Some(session) = memory.store.load_conversation(&id).await?
        && session.state == ConversationState::Active
    {
        return Ok(Some(session));
    }
    let is_session = |known: &Conversation| {
        known.project.as_ref() == Some(project) && known.state == ConversationState::Active && !known.name.contains(':')
    };
    let mut sessions = memory.store.list_conversations().await?;
    sessions.retain(is_session);
    // What somebody says goes into no session of a colleague.
    sessions.retain(|known| memory.author.owns(known.author.as_deref()));
    // Resuming counts as speaking, so that another process finds the session that was resumed.
    sessions.sort_by(|a, b| (Reverse(last_touched(a)), &a.id).cmp(&(Reverse(last_touched(b)), &b.id)));
    Ok(sessions.into_iter().next())
}

/// The current session of a project, made where there is none.
pub(super) async fn open_current(memory: &MemoryContext, project: &ProjectId) -> Result<Conversation> {
    if let Some(session) = find_current(memory, project).await? {
        memory.sessions.remember(project, &session.id);
        return Ok(session);
    }
    create_session(memory, project, None).await
}

/// Makes a session of a name, or of one that no other session has; it is the current one from now on.
pub(super) async fn create_session(
    memory: &MemoryContext,
    project: &ProjectId,
    name: Option<&str>,
) -> Result<Conversation> {
    memory.check_enabled("make a session")?;
    let now = memory.clock.now();
    let name = if let Some(name) = name {
        memory.scrubber.load().await?.scrub_text(name).0.into_owned()
    } else {
        // Names are of all projects together, so the project is part of one that we make.
        let digest = DigestBuilder::new("session").add_field(project.as_str().as_bytes());
        format!("session-{}", &digest.add_field(&now.0.to_le_bytes()).finish().to_string()[..8])
    };
    let conversation = conversation_id(&name);
    let append = AppendBatch {
        conversation: conversation.clone(),
        name,
        project: Some(project.clone()),
        author: memory.author.owner(),
        title: None,
        rows: Vec::new(),
        artifacts: Vec::new(),
        taken: ConflictPolicy::Refuse,
        now,
    };
    memory.store.append_messages(append).await?;
    memory.sessions.remember(project, &conversation);
    let made = memory.store.load_conversation(&conversation).await?;
    Ok(made.expect("an append makes its conversation"))
}

fn last_touched(session: &Conversation) -> model::Timestamp {
    session.updated.max(session.state_set)
}
