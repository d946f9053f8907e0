//! Stores messages that a caller sends to a conversation, and reads its newest messages back (history). Messages are
//! kept verbatim, except that secrets are scrubbed and large content is moved into artifacts.

use super::artifact::{ArtifactExtractor, ExtractedMessage};
use super::copied_history::{CopiedMessages, copies_of_origin};
use super::current_session::open_current;
use super::damage::check_order;
use super::naming::{current_of, is_latest};
use super::scrub::scrub_message;
use super::{conversation_id, find_conversation};
use crate::base::{Error, Project, Result, run_blocking};
use crate::memory::MemoryContext;
use model::scrub::{RuleName, Scrubber};
use model::{ConversationId, Message, NewMessage, TokenCount};
use rayon::prelude::*;
use std::sync::Arc;
use store::{AppendBatch, AppendOutcome, ConflictPolicy, MessageAck, MessageWindow};

/// Messages for one conversation.
#[derive(Clone, Debug)]
pub struct IngestRequest {
    /// The conversation's name or id; a new name starts a conversation. Of a project ([`super::name_in_project`]) also
    /// `latest`, and `current`: the session it is in, made where there is none.
    pub conversation: String,
    /// The project it belongs to, if any.
    pub project: Option<Project>,
    /// The messages, in order.
    pub messages: Vec<NewMessage>,
}

/// The result for one message.
#[derive(Clone, Debug)]
pub enum IngestOutcome {
    /// The message is stored, now or before; the acknowledgement is the same.
    Stored {
        /// Proof of it, over what is stored: the message without its secrets.
        ack: MessageAck,
        /// The rules by which secrets were replaced in it, one for each secret.
        secrets: Vec<RuleName>,
    },
    /// Its id is taken by other content.
    Conflict {
        /// The id.
        id: String,
    },
}

/// Which messages to show.
#[derive(Clone, Debug)]
pub struct HistoryRequest {
    /// The conversation's name or id.
    pub conversation: String,
    /// How many of the newest.
    pub limit: u32,
}

pub(crate) async fn ingest_messages(memory: &MemoryContext, request: IngestRequest) -> Result<Vec<IngestOutcome>> {
    memory.check_enabled("store messages")?;
    let name = request.conversation.trim();
    if name.is_empty() {
        return Err(Error::Parameter { field: "conversation", reason: "is empty: give it a name".to_owned() });
    }
    let (conversation, name) = resolve_target(memory, name).await?;
    if let Some(at) = request.messages.iter().position(|message| message.parts.is_empty()) {
        return Err(Error::Parameter { field: "messages", reason: format!("has no content in message {}", at + 1) });
    }
    let scrubber = memory.scrubber.load().await?;
    let extract = {
        let (scrubber, threshold) = (Arc::clone(scrubber), memory.settings.artifact_tokens);
        move || extract_messages(&scrubber, threshold, request.messages)
    };
    // A batch takes a while, and the thread that answers requests has others to answer meanwhile.
    let made = run_blocking("taking in messages", extract).await?;
    let mut rows = Vec::new();
    let mut artifacts = Vec::new();
    let mut secrets = Vec::new();
    for made in made {
        rows.push(made.row);
        artifacts.extend(made.artifacts);
        secrets.push(made.secrets);
    }
    let append = AppendBatch {
        conversation,
        name: scrubber.scrub_text(&name).0.into_owned(),
        project: request.project.map(|project| project.id),
        author: memory.author.owner(),
        title: None,
        rows,
        artifacts,
        // A caller that reuses an id for other words has a defect, and is told; a transcript that did so was rewritten.
        taken: ConflictPolicy::Refuse,
        now: memory.clock.now(),
    };
    let appended = memory.store.append_messages(append).await?;
    memory
        .recalls
        .add_unindexed(appended.iter().filter(|outcome| matches!(outcome, AppendOutcome::New(_))).count() as u64);
    Ok(appended
        .into_iter()
        .zip(secrets)
        .map(|(outcome, secrets)| match outcome {
            AppendOutcome::New(ack) | AppendOutcome::Known(ack) | AppendOutcome::Revised(ack) => {
                IngestOutcome::Stored { ack, secrets }
            }
            AppendOutcome::Conflict { external_id } => IngestOutcome::Conflict { id: external_id },
        })
        .collect())
}

/// Takes secrets and large content out of messages.
fn extract_messages(scrubber: &Scrubber, threshold: TokenCount, messages: Vec<NewMessage>) -> Vec<ExtractedMessage> {
    let taking = ArtifactExtractor { scrubber, threshold };
    let extract = |mut body: NewMessage| {
        // Secrets first, then artifacts: the id of an artifact is the hash of its bytes, and must be that of the
        // scrubbed ones.
        let mut found = scrub_message(scrubber, &mut body);
        let ExtractedMessage { row, artifacts, secrets } = taking.extract_row(body);
        found.extend(secrets);
        ExtractedMessage { row, artifacts, secrets: found }
    };
    messages.into_par_iter().map(extract).collect()
}

/// A name may be new; an id must exist, or a typing error would start a conversation that the user cannot find again.
async fn resolve_target(memory: &MemoryContext, name: &str) -> Result<(ConversationId, String)> {
    if let Some(project) = current_of(name) {
        let session = open_current(memory, &project).await?;
        return Ok((session.id, session.name));
    }
    if name.starts_with(ConversationId::PREFIX) || is_latest(name) {
        let id = find_conversation(memory, name).await?;
        let known = memory.store.load_conversation(&id).await?.map(|known| known.name);
        return Ok((id, known.unwrap_or_else(|| name.to_owned())));
    }
    Ok((conversation_id(name), name.to_owned()))
}

/// The newest messages of a conversation.
#[derive(Clone, Debug, Default)]
pub struct HistoryReport {
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Those that repeat a message of the conversation which this one goes on from.
    pub copies: CopiedMessages,
}

pub(crate) async fn load_history(memory: &MemoryContext, request: HistoryRequest) -> Result<HistoryReport> {
    let conversation = match find_conversation(memory, &request.conversation).await {
        // A project whose sessions have not begun has no message yet, which is no error of a caller who names none.
        Err(Error::NotFound { .. }) if current_of(&request.conversation).is_some() => {
            return Ok(HistoryReport::default());
        }
        found => found?,
    };
    let acknowledged = memory.store.load_conversation(&conversation).await?.map_or(0, |known| known.messages);
    let messages = memory.store.load_messages(&conversation, MessageWindow::Last(request.limit)).await?;
    // More messages may have come meanwhile; fewer would mean that an acknowledged one is missing.
    let last = messages.last().map_or(acknowledged, |message| message.seq.max(acknowledged));
    check_order(&conversation, last.saturating_sub(u64::from(request.limit)), last, &messages)?;
    let copies = copies_of_origin(memory, &conversation, &messages).await?;
    Ok(HistoryReport { messages, copies })
}
