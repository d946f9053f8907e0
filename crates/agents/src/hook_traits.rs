//! Describes how the hooks of one agent differ from those of others (`HookTraits`): when it reads a hook's answer, the
//! form of the answer, whether outputs can be replaced, how it truncates them. What is the same for most is
//! [`HookTraits::LISTEN_ONLY`].

use serde_json::Value;
use std::path::{Path, PathBuf};

/// What is special about the hooks of an agent.
#[derive(Debug)]
pub struct HookTraits {
    pub(crate) reads_context: ContextMoment,
    /// Whether it reads what it is told when a tool failed.
    pub(crate) reads_failures: bool,
    pub(crate) answer_form: AnswerForm,
    /// What it wants to read where there is nothing to tell.
    pub(crate) empty_answer: Option<&'static str>,
    /// Whether a hook may put another text in the place of a tool's output.
    pub(crate) replaceable: Option<ReplaceableOutput>,
    /// How an output says that all of it is in a file.
    pub(crate) truncation: Option<TruncationNotice>,
    /// Whether it runs hooks that are registered for others.
    pub(crate) borrowed: Option<BorrowedHooks>,
    /// The file in which it writes down a session, in the folder of all of them. Such an agent names neither its
    /// transcript nor its calls to hooks.
    pub(crate) session_log: Option<fn(&Path, &str) -> PathBuf>,
}

impl HookTraits {
    /// The hooks of an agent that only listen.
    pub(crate) const LISTEN_ONLY: Self = Self {
        reads_context: ContextMoment::Never,
        reads_failures: false,
        answer_form: AnswerForm::Specific,
        empty_answer: None,
        replaceable: None,
        truncation: None,
        borrowed: None,
        session_log: None,
    };

    /// The hooks of an agent that reads what they tell, as Claude Code does.
    pub(crate) const CONTEXT_READING: Self = Self { reads_context: ContextMoment::Always, ..Self::LISTEN_ONLY };
}

/// When an agent reads what a hook tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContextMoment {
    Never,
    /// When a session begins with an empty context.
    FreshStart,
    /// The same, under this name for it only.
    FreshStartNamed(&'static str),
    /// When a session begins, when the user says something, and when the context was compacted.
    Always,
}

/// What an answer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// As Claude Code reads it: inside of `hookSpecificOutput`, beside the name of the event.
    Specific,
    /// The same, with this name whatever the event is called.
    SpecificAs(&'static str),
    /// Without anything around it.
    Bare,
}

/// What an agent shows of an output by itself: only that can have been spared.
#[derive(Debug)]
pub(crate) struct ReplaceableOutput {
    /// The characters that it shows, by tool.
    pub(crate) shown: &'static [(&'static str, usize)],
    /// The same for an output that it keeps in a file.
    pub(crate) shown_of_file: usize,
    /// What the model got as the result of a call, as the agent's transcript has it.
    pub(crate) result_in: fn(&[u8], &str) -> Option<String>,
}

/// How an output says itself where all of it is: how it begins, what stands before the path, and where such files lie.
#[derive(Debug)]
pub(crate) struct TruncationNotice {
    pub(crate) beginning: &'static str,
    pub(crate) label: &'static str,
    pub(crate) lies: OutputPlace,
    pub(crate) shows: ShownPart,
}

/// Where files of whole outputs lie.
#[derive(Debug)]
pub(crate) enum OutputPlace {
    /// In a folder, or one below it.
    In(&'static str),
    /// Among others, by what is in their names. They go with the process of their agent.
    Among(&'static str),
}

/// The part of the whole output behind the notice.
#[derive(Debug)]
pub(crate) enum ShownPart {
    /// Its end.
    End,
    /// Its beginning, behind these words.
    Beginning(&'static str),
    /// Something of both, or nothing that could be compared.
    Other,
}

/// Hooks of other agents that an agent runs as if they were its own. What is registered for several is told several
/// times.
#[derive(Debug)]
pub(crate) struct BorrowedHooks {
    /// For whom they are registered.
    pub(crate) of: &'static [&'static str],
    /// Whether the body of an event is by the agent that borrows.
    pub(crate) is_own: fn(&Value) -> bool,
}
