//! The author of a transcript record (`Author`: person, model, tool, host or summary), which decides its role: only
//! what a person wrote can become a rule of the user. Each format has one function that determines it. A record of
//! unknown kind is the host's: what a later version adds is then kept and found, and is never taken for a person's
//! rule.

use model::{MessageRole, SPEAKER_PROGRAM, SPEAKER_SUMMARY};

/// Who wrote a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Author {
    /// The person in front of the agent.
    Person,
    /// The model.
    Model,
    /// A tool, in answer to the model.
    Tool,
    /// The agent's program, in the place of a role.
    Host(MessageRole),
    /// The model or the program, over what was said before, in the place of a role.
    Summary(MessageRole),
}

impl Author {
    /// The role under which the model saw it.
    pub(crate) fn role(self) -> MessageRole {
        match self {
            Self::Person => MessageRole::User,
            Self::Model => MessageRole::Assistant,
            Self::Tool => MessageRole::Tool,
            Self::Host(role) | Self::Summary(role) => role,
        }
    }

    /// What the message says of its speaker, where the role alone would name the wrong one.
    pub(crate) fn speaker(self) -> Option<String> {
        match self {
            Self::Person | Self::Model | Self::Tool => None,
            Self::Host(_) => Some(SPEAKER_PROGRAM.to_owned()),
            Self::Summary(_) => Some(SPEAKER_SUMMARY.to_owned()),
        }
    }

    /// Whether a turn of the conversation begins with it.
    pub(crate) fn begins_turn(self) -> bool {
        self == Self::Person
    }

    /// The same where no person can have written it: in a sub-agent, whose user is the agent above it.
    pub(crate) fn below_agent(self) -> Self {
        if self == Self::Person { Self::Host(MessageRole::User) } else { self }
    }
}
