//! Hook support for a running agent session: which texts are injected into its context, how long tool outputs are
//! shortened, and which hook events become messages.
//!
//! ```text
//! relevance       decides whether an earlier message is worth injecting with a prompt
//! injection       renders the injected texts, bounded
//! orientation     packs what a new session begins with into one budget
//! guard           finds the facts that the agent's own compaction summary lost
//! state           what the session was told already, and the lost facts to tell again
//! session_memory  loads what a new session may be told
//! brief           shortens a long tool output to its ends and its error lines
//! event_messages  converts a hook event into messages
//! transcript_match, waiting, dedupe   whether the transcript or another event has the same message, or will
//! ```
//! All but `telling` and `session_memory` is pure, over plain values: the hook formats of agents are parsed in `agents`, and the doors keep
//! events, read files and print.

mod brief;
mod dedupe;
mod event_messages;
mod guard;
mod injection;
mod orientation;
mod relevance;
mod session_memory;
mod state;
mod telling;
mod transcript_match;
mod waiting;

pub use brief::shorten_output;
pub use dedupe::{DuplicateGroup, EventDeduper};
pub use event_messages::{event_message_id, event_messages};
pub use injection::RESTORED_HEADING;
pub(crate) use injection::SessionBriefing;
pub(crate) use orientation::OrientationPacker;
pub(crate) use session_memory::load_session_memory;
pub use state::{RestoredFacts, SessionState};
pub use telling::{EventMessage, FailureRequest, PromptRequest};
pub(crate) use telling::{compare_compaction, ingest_event, recall_for_failure, recall_for_prompt};
pub use transcript_match::{ResultLayout, messages_have_event, transcript_has_event};
pub use waiting::{EventCoverage, EventDeadlines, EventFate};
