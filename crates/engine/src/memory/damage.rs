//! Reads many messages and skips damaged ones, with a note for each, and defines the errors for missing messages and
//! summaries.
//!
//! The store refuses a message that is not what was acknowledged. An operation on this message fails with it; an
//! operation over many messages leaves it out and says so, because the others are as right as ever.

use crate::base::{Error, Result};
use model::{ConversationId, Message, SummaryId};
use store::Store;

/// Messages that were asked for by their places, and what is said of those among them that are damaged.
#[derive(Default)]
pub(super) struct ReadableMessages {
    /// `None` where the message does not exist or is damaged.
    pub(super) messages: Vec<Option<Message>>,
    pub(super) damaged: Vec<String>,
}

/// Reads the messages at some places, in the order asked.
pub(super) async fn readable_messages(store: &dyn Store, places: &[(ConversationId, u64)]) -> Result<ReadableMessages> {
    match store.messages_at(places).await {
        Err(error) if error.is_damage() => {}
        read => return Ok(ReadableMessages { messages: read?, damaged: Vec::new() }),
    }
    // Which one is damaged shows only when they are read one by one.
    let mut readable = ReadableMessages::default();
    for place in places {
        match store.messages_at(std::slice::from_ref(place)).await {
            Err(error) if error.is_damage() => {
                readable.messages.push(None);
                readable.damaged.push(damage_note(&error));
            }
            read => readable.messages.extend(read?),
        }
    }
    Ok(readable)
}

/// The note on damaged data that an answer leaves out.
pub(super) fn damage_note(damage: &impl ToString) -> String {
    format!("left out: {}; epitome verify says what else is damaged", damage.to_string())
}

/// Fails where messages that should follow a place, up to and with another one, are not all there.
pub(super) fn check_order(conversation: &ConversationId, after: u64, last: u64, messages: &[Message]) -> Result<()> {
    let mut found = messages.iter().map(|message| message.seq);
    match (after + 1..=last).find(|seq| found.next() != Some(*seq)) {
        Some(seq) => Err(missing_message(conversation, seq)),
        None => Ok(()),
    }
}

/// The error for a message that was acknowledged and does not exist.
pub(super) fn missing_message(conversation: &ConversationId, seq: u64) -> Error {
    let database = format!("conversation {conversation}");
    let what = format!("message number {seq} is missing");
    store::Error::Corrupt { database, what }.into()
}

/// The error for a summary that is part of a context and does not exist.
pub(super) fn missing_summary(id: &SummaryId) -> Error {
    let database = format!("summary {id}");
    let what = "it is part of the context, but does not exist".to_owned();
    store::Error::Corrupt { database, what }.into()
}
