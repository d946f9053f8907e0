//! Open steps that an earlier session left: behind its list of steps work went on without a word about the list, so they
//! may be done. Agents that are asked for something else seldom come back to their lists, and some end without the last
//! mark, so only a list that was the last thing done is still to do for certain.

use super::fact::{FileAccess, ToolAction, is_read_only, parse_action};
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{ConversationId, Fact, Message, MessagePart, Timestamp, UtcDay};
use store::{Conversation, MessageWindow};

/// The open steps that one conversation left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeftSteps {
    /// When its list was last touched.
    pub(crate) day: UtcDay,
    pub(crate) conversation: ConversationId,
    /// The newest first.
    pub(crate) steps: Vec<String>,
}

/// How many messages are read at once behind a list, and at most; a list that is followed by more was left.
const PAGE_MESSAGES: u32 = 50;
const MAX_PAGES: usize = 4;

impl LeftSteps {
    /// Adds a step of a conversation, behind the newer ones.
    pub(super) fn add_step(all: &mut Vec<Self>, at: Timestamp, fact: Fact) {
        if let Some(left) = all.iter_mut().find(|left| left.conversation == fact.conversation) {
            left.steps.push(fact.subject);
        } else {
            let day = UtcDay::from_timestamp(at);
            all.push(Self { day, conversation: fact.conversation, steps: vec![fact.subject] });
        }
    }
}

/// Whether work went on in a conversation behind a message, the last one in which a list of steps was touched.
pub(super) async fn has_gone_on(memory: &MemoryContext, conversation: &Conversation, seq: u64) -> Result<bool> {
    let mut seq = seq;
    for _ in 0..MAX_PAGES {
        let window = MessageWindow::After { seq, limit: PAGE_MESSAGES };
        let page = match memory.store.load_messages(&conversation.id, window).await {
            // What cannot be read may be work.
            Err(error) if error.is_damage() => return Ok(true),
            page => page?,
        };
        let Some(last) = page.last() else { return Ok(false) };
        if page.iter().any(has_work) {
            return Ok(true);
        }
        seq = last.seq;
    }
    Ok(true)
}

/// Whether a message has a call that may have changed something.
fn has_work(message: &Message) -> bool {
    message.body.parts.iter().any(|part| {
        let MessagePart::Tool { name: Some(name), input: Some(input), .. } = part else {
            return matches!(part, MessagePart::Patch { .. });
        };
        match parse_action(name, input) {
            ToolAction::Shell { command } => !is_read_only(&command),
            ToolAction::Files(touches) => touches.iter().any(|touch| touch.how != FileAccess::Read),
            // A tool that is not known may do anything.
            ToolAction::Other => true,
            ToolAction::Todos(_) | ToolAction::Task { .. } | ToolAction::TaskState { .. } | ToolAction::Ask { .. } => {
                false
            }
        }
    })
}
