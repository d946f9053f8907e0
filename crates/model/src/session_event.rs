//! `SessionEvent`, the data type for a lifecycle event of an agent's session (start, prompt, tool call, compaction,
//! end), the same for all agents: the crate `agents` parses it from a hook's input, and the engine decides what
//! follows from it.

use std::borrow::Cow;

/// When something happens in the life of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session begins or goes on.
    Start(StartReason),
    /// The user said something.
    Prompt,
    /// A tool is about to run.
    Call,
    /// A tool has run.
    Result,
    /// The context is about to be compacted.
    BeforeCompact,
    /// The context was compacted.
    AfterCompact,
    /// The model ended its turn.
    Stop,
    /// A sub-agent ended.
    SubagentStop,
    /// The session is over.
    End,
    /// Something we have no use for.
    Other,
}

/// Why a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartReason {
    /// With an empty context.
    Fresh,
    /// With the context it had, which holds what we injected then.
    Again,
    /// With what compaction left.
    Compacted,
}

/// One event of a session. What its agent did not say is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEvent<'e> {
    /// Names this event and no other.
    pub id: &'e str,
    /// The agent's own name for its kind.
    pub name: &'e str,
    /// When it came, in milliseconds since 1970.
    pub at: i64,
    /// When the agent told it by its own clock, in milliseconds since 1970.
    pub told_at: Option<i64>,
    /// What happened.
    pub kind: EventKind,
    /// What the session's conversation is called in the store.
    pub conversation: Option<String>,
    /// What the user said.
    pub prompt: Option<&'e str>,
    /// The agent's id of the prompt.
    pub prompt_id: Option<&'e str>,
    /// The prompt that a turn answered, where the end of the turn is what tells it.
    pub answered_prompt: Option<&'e str>,
    /// What the model said last.
    pub last_words: Option<&'e str>,
    /// What the agent made of the conversation when it compacted it.
    pub compact_summary: Option<&'e str>,
    /// Whether it is the end of the sub-agent that writes the summary of a compaction.
    pub ends_compaction: bool,
    /// The tool that ran.
    pub tool: ToolEvent<'e>,
}

/// What an event says about a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolEvent<'e> {
    /// The tool's name.
    pub name: Option<&'e str>,
    /// The agent's id of the call.
    pub call_id: Option<&'e str>,
    /// The step of the conversation, where the agent counts those instead.
    pub step: Option<u64>,
    /// What the tool was given, as JSON.
    pub input: Option<String>,
    /// What it gave back: its text, or all of it as JSON.
    pub output: Option<Cow<'e, str>>,
    /// How the agent says that it ended.
    pub status: Option<String>,
    /// What went wrong.
    pub error: Option<&'e str>,
}

impl<'e> SessionEvent<'e> {
    /// An event of which nothing is known but what, when and under which name.
    pub fn new(id: &'e str, name: &'e str, at: i64, kind: EventKind) -> Self {
        Self {
            id,
            name,
            at,
            told_at: None,
            kind,
            conversation: None,
            prompt: None,
            prompt_id: None,
            answered_prompt: None,
            last_words: None,
            compact_summary: None,
            ends_compaction: false,
            tool: ToolEvent::default(),
        }
    }
}
