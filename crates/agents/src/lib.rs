//! Everything Epitome knows about coding agents (Claude Code, Codex, Cursor, …): readers of their transcripts,
//! connectors that write into their settings files, and their hook events. No other crate has such knowledge. Each
//! agent is a folder under `catalog/`; adding one is that folder and a line in [`ALL_AGENTS`].

mod catalog;
pub mod connectors;
mod container;
mod database;
mod discovery;
mod environment;
mod format;
mod hook_event;
mod hook_traits;
mod session_log;
mod transcript;
mod unlinked_file;
mod window;

pub use catalog::{ALL_AGENTS, CONNECTORS, FORMATS, FormatMatch, recognise_format};
pub use discovery::{
    ConversationLookup, OtherFiles, Transcript, TranscriptSearch, find_conversation, find_transcripts,
    transcript_folders, transcripts_at,
};
pub use environment::AgentEnvironment;
pub use format::TranscriptFormat;
pub use hook_event::{
    EventEnvelope, HookEvent, OutputLimit, USUAL_AGENT, empty_answer, event_kind_named, reads_prompt_context,
};
pub use hook_traits::HookTraits;
pub use session_log::{logged_messages, session_log};
pub use transcript::whole_lines;
pub use unlinked_file::LinkPolicy;
pub use window::{ContextEnd, ContextResult, call_keys, results_before, session_results};

/// A coding agent.
pub struct Agent {
    /// Its name in commands and configuration.
    pub name: &'static str,
    /// What has to stand in its files, where it can be connected.
    pub connector: Option<&'static connectors::Connector>,
    /// How it writes transcripts, where we can read them.
    pub transcripts: Option<&'static TranscriptFormat>,
    /// How its hooks differ from those of others.
    pub hooks: HookTraits,
}
