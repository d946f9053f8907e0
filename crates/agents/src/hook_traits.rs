//! Describes how the hooks of one agent differ from those of others (`HookTraits`): when it reads a hook's answer, the
//! form of the answer, whether outputs can be replaced, how it truncates them, how one knows what its model still sees. What is the same for most is
//! [`HookTraits::LISTEN_ONLY`].

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is special about the hooks of an agent.
#[derive(Debug)]
pub struct HookTraits {
    pub(crate) reads_context: ContextMoment,
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
    /// How one knows what is before its model's eyes; none where one cannot.
    pub(crate) window: Option<WindowTraits>,
}

impl HookTraits {
    /// The hooks of an agent that only listen.
    pub(crate) const LISTEN_ONLY: Self = Self {
        reads_context: ContextMoment::Never,
        answer_form: AnswerForm::Specific,
        empty_answer: None,
        replaceable: None,
        truncation: None,
        borrowed: None,
        session_log: None,
        window: None,
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

/// How one knows what is before the eyes of an agent's model: it tells of each call before it makes it, under an id that
/// the call has, too; tells when it empties the context; and its transcript shows what was taken back.
#[derive(Debug)]
pub(crate) struct WindowTraits {
    /// Under which name a call over MCP has the agent's id of it, in its `_meta`.
    pub(crate) call_key: &'static str,
    /// Whether a tool, as hooks name it, is one of ours.
    pub(crate) is_own_tool: fn(&str) -> bool,
    /// What a result of the agent's own tools shows of a file, from the name of the tool and what it returned.
    pub(crate) shown_file: fn(&str, &Value) -> Option<ShownFileText>,
    /// Whether a piece of a transcript says that texts were taken out of the context.
    pub(crate) is_emptied: fn(&[u8]) -> bool,
    /// The calls before the model's eyes, from the end of a transcript; none where that does not show the prompt that
    /// was written behind a place in it, if one was.
    pub(crate) calls_in_context: fn(&[u8], Option<usize>) -> Option<BTreeSet<String>>,
}

/// Lines of a file that an agent's own tool showed to its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownFileText {
    /// The path, as the agent writes it.
    pub path: String,
    /// The first line.
    pub start: u32,
    /// The text.
    pub text: String,
}
