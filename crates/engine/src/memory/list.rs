//! Lists the stored conversations, newest first, each with the first words that a person said in it, so that the user
//! finds the one they mean.

use super::fact::own_words;
use super::truncate_text;
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{EventTime, Message, Timestamp};
use store::{Conversation, MessageWindow};

/// A conversation among others.
#[derive(Clone, Debug)]
pub struct ConversationListing {
    /// The conversation.
    pub conversation: Conversation,
    /// When its newest message happened, where that is said.
    pub newest: Option<EventTime>,
    /// The first words that a person said in it.
    pub opening: Option<String>,
}

/// What a person says first comes within so many messages: instructions and what programs add are before it.
const FIRST: u32 = 12;
/// Opening words are cut with a mark behind so many characters.
const OPENING: usize = 80;

pub(crate) async fn list_conversations(memory: &MemoryContext, limit: u32) -> Result<Vec<ConversationListing>> {
    let store = &memory.store;
    let mut newest: Vec<(Conversation, Option<Message>)> = Vec::new();
    for conversation in store.list_conversations().await? {
        match store.load_messages(&conversation.id, MessageWindow::Last(1)).await {
            // It is listed behind the others: the time of its newest message is unknown.
            Err(error) if error.is_damage() => newest.push((conversation, None)),
            last => newest.extend(last?.pop().map(|message| (conversation, Some(message)))),
        }
    }
    newest.sort_by_cached_key(|(conversation, last)| {
        (std::cmp::Reverse(last.as_ref().map(message_timestamp)), conversation.id.clone())
    });
    // Cut before the beginnings are read: one read for each conversation that is shown.
    newest.truncate(limit as usize);
    let mut listed = Vec::new();
    for (conversation, last) in newest {
        let opening = match store.load_messages(&conversation.id, MessageWindow::After { seq: 0, limit: FIRST }).await {
            Err(error) if error.is_damage() => Some("(damaged: epitome verify says more)".to_owned()),
            first => first?.iter().find_map(opening_words),
        };
        listed.push(ConversationListing { conversation, newest: last.and_then(|last| last.body.at), opening });
    }
    Ok(listed)
}

/// When a message happened; where its source does not say that, when it was stored.
pub(super) fn message_timestamp(message: &Message) -> Timestamp {
    message.body.at.as_ref().and_then(|at| at.instant).unwrap_or(message.stored)
}

fn opening_words(message: &Message) -> Option<String> {
    let words = message.body.is_by_person().then(|| own_words(&message.body.content()))?;
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then(|| truncate_text(&line, OPENING))
}
