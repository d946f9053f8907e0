//! `SessionProblem`, something that went wrong with Epitome in a session of an agent, and the kinds of them with what to
//! do.

/// Something that went wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SessionProblem {
    pub(super) kind: SessionProblemKind,
    /// When, in the words of the transcript.
    pub(super) at: Option<String>,
    /// What the host wrote, on one line, cut.
    pub(super) what: String,
    /// The event of the hook it is about.
    pub(super) event: Option<String>,
    /// The command that the host ran, or the tool that was called.
    pub(super) command: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionProblemKind {
    /// A hook of ours failed.
    Hook,
    /// The server was lost or never reached.
    Server,
    /// A hook or a call was given up because it took too long.
    Late,
    /// A call of one of our tools was refused.
    Call,
    /// The program was not found, or is too old for what was asked.
    Program,
    /// A hook ran twice for one event.
    Twice,
    /// The same call again and again, with nothing else in between.
    Repeated,
}

impl SessionProblemKind {
    pub(super) const ALL: [Self; 7] =
        [Self::Hook, Self::Server, Self::Late, Self::Call, Self::Program, Self::Twice, Self::Repeated];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Server => "server",
            Self::Late => "late",
            Self::Call => "call",
            Self::Program => "program",
            Self::Twice => "twice",
            Self::Repeated => "repeated",
        }
    }

    /// The name of the type in reports that are read by programs of other systems.
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Hook => "hook-error",
            Self::Server => "mcp-disconnect",
            Self::Late => "timeout",
            Self::Call => "call-refused",
            Self::Program => "old-binary",
            Self::Twice => "duplicate-hook",
            Self::Repeated => "repeated-call",
        }
    }

    /// Whether it is a warning: nothing was lost by it.
    pub(super) fn is_warning(self) -> bool {
        matches!(self, Self::Program | Self::Twice | Self::Repeated)
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Hook => "hooks that failed",
            Self::Server => "the MCP server was lost",
            Self::Late => "hooks and calls that took too long",
            Self::Call => "calls that were refused",
            Self::Program => "the program was not found or is too old",
            Self::Twice => "hooks that ran twice for one event",
            Self::Repeated => "the same call again and again",
        }
    }

    pub(super) fn fix(self) -> &'static str {
        match self {
            Self::Hook => "epitome doctor says whether hooks work now",
            Self::Server => "epitome doctor makes the handshake; restart the agent",
            Self::Late => "epitome doctor times a hook; a busy machine or a first index is the usual cause",
            Self::Call => "read what was refused; epitome mcp --help names the profiles",
            Self::Program => "install the newest epitome where the agent finds it, then epitome init",
            Self::Twice => "remove either the plugin or the hooks: epitome disconnect",
            Self::Repeated => "ask the agent what it missed in the answer; epitome value shows what it cost",
        }
    }
}

/// Characters that are shown of what a host wrote.
const SHOWN_CHARACTERS: usize = 200;

/// On one line, without what could drive a terminal.
pub(super) fn one_line(text: &str) -> String {
    let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shown.retain(|letter| !letter.is_control());
    if let Some((cut, _)) = shown.char_indices().nth(SHOWN_CHARACTERS) {
        shown.truncate(cut);
        shown.push('…');
    }
    shown
}
