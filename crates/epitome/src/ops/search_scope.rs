//! Parameters that operations on conversations share: whether they look within the project or everywhere
//! (`WithinParam`), and how a conversation stands (`StateParam`).

use super::OperationCall;
use clap::ValueEnum;
use model::{ConversationState, ProjectId};
use schemars::JsonSchema;
use serde::Deserialize;

/// Which conversations to look through.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WithinParam {
    /// Those of the project
    #[default]
    Project,
    /// All of them
    All,
}

impl WithinParam {
    /// The project that is looked through, unless all are.
    pub(crate) fn project(self, call: &OperationCall<'_>) -> Option<ProjectId> {
        match self {
            Self::Project => Some(call.project.id.clone()),
            Self::All => None,
        }
    }

    /// A conversation as the caller names it: `latest` is that of the project, unless all are looked through.
    pub(crate) fn conversation_name(self, call: &OperationCall<'_>, name: String) -> String {
        match self {
            Self::Project => call.conversation_name(&name),
            Self::All => name,
        }
    }
}

/// How a conversation stands.
#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StateParam {
    /// It goes on
    Active,
    /// It was summed up
    Summarized,
    /// It was put away
    Archived,
}

impl From<StateParam> for ConversationState {
    fn from(state: StateParam) -> Self {
        match state {
            StateParam::Active => Self::Active,
            StateParam::Summarized => Self::Summarized,
            StateParam::Archived => Self::Archived,
        }
    }
}

/// What to say where nothing of the project was found and there is something elsewhere.
pub(crate) fn elsewhere_note(elsewhere: u64) -> Option<String> {
    let conversations = super::render_count(elsewhere, "conversation");
    (elsewhere > 0)
        .then(|| format!("not looked through: {conversations} of other projects or of none (--within all)\n"))
}
