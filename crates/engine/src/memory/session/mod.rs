//! A session of an agent that is going on: what it is told, what it is shown in brief, and what of its events becomes
//! messages.
//!
//! ```text
//! relevance       whether something said before is worth telling with a prompt
//! injection       the words in which it is told, bounded
//! guard           what the agent's own summary lost when it compacted the conversation
//! state           what the session knows already, and what it is told again
//! brief           a long output, by its ends and its alarms
//! event_messages  what an event says that belongs into the conversation
//! transcript_match, waiting, dedupe   whether something else tells it, or will
//! ```
//! All but `telling` is pure, over plain values: what the hooks of an agent look like is read in `agents`, and the doors
//! keep events, read files and print.

mod brief;
mod dedupe;
mod event_messages;
mod guard;
mod injection;
mod relevance;
mod state;
mod telling;
mod transcript_match;
mod waiting;

pub use brief::shorten_output;
pub use dedupe::{DuplicateGroup, EventDeduper};
pub use event_messages::{event_message_id, event_messages};
pub use injection::RESTORED_HEADING;
pub(crate) use injection::{SessionBriefing, render_orientation};
pub use state::{RestoredFacts, SessionState};
pub use telling::{EventMessage, PromptRequest};
pub(crate) use telling::{compare_compaction, ingest_event, recall_for_prompt};
pub use transcript_match::{ResultLayout, messages_have_event, transcript_has_event};
pub use waiting::{EventCoverage, EventDeadlines, EventFate};
