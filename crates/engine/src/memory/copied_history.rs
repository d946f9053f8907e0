//! Finds messages that are copies: an agent that forks or resumes a session writes its history again, into another
//! transcript, which is another conversation. Every copy is kept and shown; what repeats another message says so.

use super::conversation_id;
use super::recall::{MIN_DEDUPED_BYTES, folded_hash};
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{ContentHash, ConversationId, Message, MessageId, MessageRole, TranscriptDescent};
use std::collections::HashMap;
use store::MessageWindow;

/// Copies by their ids, each with the message that it repeats.
pub type CopiedMessages = HashMap<MessageId, MessageId>;

/// Who says what in a message; `None` where the text is too short to be known again: "yes" means something else each time.
fn copy_key(message: &Message) -> Option<(MessageRole, ContentHash)> {
    let content = message.body.content();
    (content.len() >= MIN_DEDUPED_BYTES).then(|| (message.body.role, folded_hash(&content)))
}

/// The copies among messages of several conversations, which come with the one stored first in front. Within one
/// conversation the same words are said again, and are no copy.
pub(super) fn copies_among<'m>(stored: impl Iterator<Item = &'m Message>) -> CopiedMessages {
    let mut first: HashMap<(MessageRole, ContentHash), &Message> = HashMap::new();
    let mut copies = CopiedMessages::new();
    for message in stored {
        let Some(key) = copy_key(message) else { continue };
        let original = *first.entry(key).or_insert(message);
        if original.conversation != message.conversation {
            copies.insert(message.id.clone(), original.id.clone());
        }
    }
    copies
}

/// The copies among messages of a conversation that goes on from a point of another one.
pub(super) async fn copies_of_origin(
    memory: &MemoryContext,
    conversation: &ConversationId,
    messages: &[Message],
) -> Result<CopiedMessages> {
    let mut copies = CopiedMessages::new();
    for origin in origins_of(memory, conversation).await? {
        let mut wanted: HashMap<(MessageRole, ContentHash), Vec<&MessageId>> = HashMap::new();
        for message in messages {
            if let Some(key) = copy_key(message).filter(|_| !copies.contains_key(&message.id)) {
                wanted.entry(key).or_default().push(&message.id);
            }
        }
        let mut seq = 0;
        while !wanted.is_empty() {
            let window = MessageWindow::After { seq, limit: PAGE_MESSAGES };
            let page = match memory.store.load_messages(&origin, window).await {
                // What repeats a damaged message is shown without saying so: its own words are all there.
                Err(error) if error.is_damage() => break,
                page => page?,
            };
            let Some(last) = page.last() else { break };
            seq = last.seq;
            for original in &page {
                let ids = copy_key(original).and_then(|key| wanted.remove(&key)).unwrap_or_default();
                copies.extend(ids.into_iter().map(|id| (id.clone(), original.id.clone())));
            }
        }
    }
    Ok(copies)
}

/// Messages of the other conversation that are read at a time.
const PAGE_MESSAGES: u32 = 500;

/// The conversations that one goes on from: those that its transcripts name, and those that began with the very same
/// moment and were stored before, for not every agent says where a session comes from.
async fn origins_of(memory: &MemoryContext, conversation: &ConversationId) -> Result<Vec<ConversationId>> {
    let known = memory.store.list_conversations().await?;
    let Some(own) = known.iter().find(|known| known.id == *conversation) else { return Ok(Vec::new()) };
    let began_alike = known.iter().filter(|other| other.created == own.created && other.number < own.number);
    let mut origins: Vec<ConversationId> = began_alike.map(|other| other.id.clone()).collect();
    for generation in memory.store.list_generations().await? {
        if let (true, Some(TranscriptDescent::Fork { of })) =
            (generation.conversation == *conversation, &generation.head.descent)
        {
            let origin = conversation_id(&format!("{}:{of}", generation.head.agent));
            if origin != *conversation && !origins.contains(&origin) {
                origins.push(origin);
            }
        }
    }
    Ok(origins)
}
