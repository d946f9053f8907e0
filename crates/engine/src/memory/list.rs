//! Lists the stored conversations, newest first, each with its title, its times, its state and the first words that a
//! person said in it, so that the user finds the one they mean.

use super::fact::{own_words, split_sentences};
use super::truncate_text;
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{ConversationId, ConversationState, Message, ProjectId, Timestamp};
use std::borrow::Borrow;
use std::cmp::Reverse;
use store::{Conversation, MessageWindow};

/// Which conversations.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// Only those of this project.
    pub project: Option<ProjectId>,
    /// Only those that stand so.
    pub state: Option<ConversationState>,
    /// How many of the newest.
    pub limit: u32,
}

/// Conversations, newest first.
#[derive(Clone, Debug, Default)]
pub struct ConversationList {
    /// The newest ones.
    pub listed: Vec<ConversationListing>,
    /// How many more there are.
    pub omitted: u64,
    /// How many are of other projects or of none, where only those of one project were asked for.
    pub elsewhere: u64,
}

/// A conversation among others.
#[derive(Clone, Debug)]
pub struct ConversationListing {
    /// The conversation.
    pub conversation: Conversation,
    /// What its source calls it, else the first sentence of a person.
    pub title: Option<String>,
    /// The first words that a person said in it.
    pub opening: Option<String>,
    /// How many summaries stand for stretches of it.
    pub summaries: u64,
}

/// What a person says first comes within so many messages: instructions and what programs add are before it.
const MAX_OPENING_MESSAGES: u32 = 12;
/// Opening words are cut with a mark behind so many characters.
const MAX_OPENING_CHARS: usize = 80;

pub(crate) async fn list_conversations(memory: &MemoryContext, request: ListRequest) -> Result<ConversationList> {
    let store = &memory.store;
    let mut conversations = store.list_conversations().await?;
    let all = conversations.len();
    if let Some(project) = &request.project {
        conversations.retain(|known| known.project.as_ref() == Some(project));
    }
    // Counted before the state narrows the list: this number tells what `--within all` would add.
    let elsewhere = (all - conversations.len()) as u64;
    if let Some(state) = request.state {
        conversations.retain(|known| known.state == state);
    }
    sort_newest_first(&mut conversations);
    let omitted = (conversations.len() as u64).saturating_sub(u64::from(request.limit));
    // Cut before the beginnings are read: one read for each conversation that is shown.
    conversations.truncate(request.limit as usize);
    let mut listed = Vec::new();
    for conversation in conversations {
        listed.push(list_conversation(memory, conversation).await?);
    }
    Ok(ConversationList { listed, omitted, elsewhere })
}

/// A conversation as a list shows it.
pub(super) async fn list_conversation(
    memory: &MemoryContext,
    conversation: Conversation,
) -> Result<ConversationListing> {
    // A conversation whose beginning is damaged is listed all the same; its place in the list is how a user finds it.
    let window = MessageWindow::After { seq: 0, limit: MAX_OPENING_MESSAGES };
    let said = match memory.store.load_messages(&conversation.id, window).await {
        Err(error) if error.is_damage() => Some("(damaged: epitome verify says more)".to_owned()),
        first => {
            let said: Vec<String> = first?.iter().filter_map(person_words).collect();
            // A command to the program around the model ("/mode") says nothing of a conversation.
            let is_command = |words: &&String| words.starts_with('/') && !words.trim().contains(char::is_whitespace);
            said.iter().find(|words| !is_command(words)).or(said.first()).cloned()
        }
    };
    let sentence = said.as_ref().and_then(|said| split_sentences(said).into_iter().next());
    let title = conversation.title.clone().or(sentence).map(|title| one_line(&title));
    let opening = said.map(|said| one_line(&said));
    let summaries = memory.store.count_summaries(std::slice::from_ref(&conversation.id)).await?;
    Ok(ConversationListing { conversation, title, opening, summaries: summaries.into_iter().sum() })
}

/// Conversations by when they were spoken in last, the newest first.
pub(super) fn sort_newest_first<C: Borrow<Conversation>>(conversations: &mut [C]) {
    conversations.sort_by(|a, b| {
        let (a, b): (&Conversation, &Conversation) = (a.borrow(), b.borrow());
        (Reverse(a.updated), &a.id).cmp(&(Reverse(b.updated), &b.id))
    });
}

/// The conversation that was spoken in last, of a project or of all.
pub(super) async fn latest_conversation(
    memory: &MemoryContext,
    project: Option<&ProjectId>,
) -> Result<Option<ConversationId>> {
    let mut conversations = memory.store.list_conversations().await?;
    conversations
        // A session that was made and never spoken in is newer than all others, and not what is meant by the latest.
        .retain(|known| known.messages > 0 && project.is_none_or(|project| known.project.as_ref() == Some(project)));
    conversations.retain(|known| memory.author.owns(known.author.as_deref()));
    sort_newest_first(&mut conversations);
    Ok(conversations.into_iter().next().map(|conversation| conversation.id))
}

/// When a message happened, as far as its source is believed.
pub(super) fn message_timestamp(message: &Message) -> Timestamp {
    message.happened()
}

/// What a person said in a message, if one did.
pub(super) fn person_words(message: &Message) -> Option<String> {
    let words = message.body.is_by_person().then(|| own_words(&message.body.content()))?;
    (!words.trim().is_empty()).then_some(words)
}

fn one_line(text: &str) -> String {
    truncate_text(&text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_OPENING_CHARS)
}
