//! Data types of one dispatch of an operation (who called, what was shown, what that replaced) and of the totals over
//! them, grouped by day, session, project, operation, agent, door or formula.

use model::{Money, ProjectId, Timestamp, UtcDay};
use std::ops::Add;

/// Which door a call came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallDoor {
    /// A command.
    Cli,
    /// A tool of MCP.
    Mcp,
    /// A route over HTTP.
    Http,
    /// A hook of an agent.
    Hook,
}

model::enum_words! { pub CallDoor { Cli = "cli", Mcp = "mcp", Http = "http", Hook = "hook" } }

/// How sure it is what a reply replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The text that was replaced, or added, is known to the byte.
    Measured,
    /// A formula says what an agent would have read.
    Estimated,
}

model::enum_words! { pub Certainty { Measured = "measured", Estimated = "estimated" } }

/// The counted figures. What was avoided is signed: a reply may cost more than it spares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallFigures {
    /// Bytes of what the reply stands for.
    pub bytes_raw: i64,
    /// Bytes of the reply.
    pub bytes_shown: i64,
    /// Bytes that a reader did not have to read; below zero where it read more for our sake.
    pub bytes_avoided: i64,
    /// The same in tokens.
    pub tokens_raw: i64,
    /// The same in tokens.
    pub tokens_shown: i64,
    /// The same in tokens.
    pub tokens_avoided: i64,
    /// The price of the tokens avoided.
    pub money_avoided: Money,
}

impl CallFigures {
    /// The columns of both stores, in their order.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn encode_columns(&self) -> [i64; 7] {
        let Self { bytes_raw, bytes_shown, bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided } =
            *self;
        [bytes_raw, bytes_shown, bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided.0]
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn from_columns(columns: [i64; 7]) -> Self {
        let [bytes_raw, bytes_shown, bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided] = columns;
        let money_avoided = Money(money_avoided);
        Self { bytes_raw, bytes_shown, bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided }
    }
}

impl Add for CallFigures {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            bytes_raw: self.bytes_raw.saturating_add(other.bytes_raw),
            bytes_shown: self.bytes_shown.saturating_add(other.bytes_shown),
            bytes_avoided: self.bytes_avoided.saturating_add(other.bytes_avoided),
            tokens_raw: self.tokens_raw.saturating_add(other.tokens_raw),
            tokens_shown: self.tokens_shown.saturating_add(other.tokens_shown),
            tokens_avoided: self.tokens_avoided.saturating_add(other.tokens_avoided),
            money_avoided: Money(self.money_avoided.0.saturating_add(other.money_avoided.0)),
        }
    }
}

/// What the log of questions keeps of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallQuestion {
    /// The question, without secrets.
    pub query: String,
    /// What the question was taken to ask for.
    pub intent: Option<String>,
    /// How it was ranked.
    pub strategy: Option<String>,
    /// Whether it was worth looking up.
    pub gate: Option<String>,
    /// How many results the reply had.
    pub results: u64,
}

/// A dispatch of an operation, to be recorded. No text in it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToolCall {
    /// When.
    pub at: Timestamp,
    /// The day it counts for.
    pub day: UtcDay,
    /// Where it came in.
    pub door: CallDoor,
    /// The session of the caller.
    pub session: Option<String>,
    /// The project it is about.
    pub project: Option<ProjectId>,
    /// Who called, as the client names itself.
    pub agent: Option<String>,
    /// The name that was called.
    pub tool: String,
    /// The operation that was run.
    pub operation: String,
    /// How a file was shown.
    pub mode: Option<String>,
    /// The path or symbol that was asked for.
    pub place: Option<String>,
    /// The language of that file.
    pub language: Option<String>,
    /// The size of that file, as a letter.
    pub size_bucket: Option<String>,
    /// The name of the formula that counted.
    pub formula: String,
    /// How sure the figures are.
    pub certainty: Certainty,
    /// The figures.
    pub figures: CallFigures,
    /// How long the caller waited, in microseconds.
    pub elapsed_us: u64,
    /// Which call of its session it is, from 1.
    pub turn: u64,
    /// The question, where one was asked.
    pub question: Option<CallQuestion>,
}

/// A recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Its number, which no other call of the store has.
    pub number: i64,
    /// What was recorded.
    pub call: NewToolCall,
}

/// The key of totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallGrouping {
    /// The day, as `UtcDay` writes itself.
    Day,
    /// The session.
    Session,
    /// The project.
    Project,
    /// The operation.
    Operation,
    /// The agent.
    Agent,
    /// The door.
    Door,
    /// The formula.
    Formula,
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl CallGrouping {
    /// The column that both stores have for it.
    pub(crate) fn column_name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Session => "session",
            Self::Project => "project_id",
            Self::Operation => "operation",
            Self::Agent => "agent",
            Self::Door => "door",
            Self::Formula => "formula",
        }
    }
}

/// Whose calls are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOrigin {
    /// Everybody's.
    #[default]
    Everyone,
    /// Those of agents: through any door but the command line, or by a command of a named session.
    Agents,
    /// A person's own commands.
    People,
}

/// Which calls are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFilter {
    /// From this day on.
    pub since: Option<UtcDay>,
    /// Up to this day.
    pub until: Option<UtcDay>,
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only of this session.
    pub session: Option<String>,
    /// Whose.
    pub origin: CallOrigin,
    /// Only those with a question; totals do not tell them apart.
    pub questions_only: bool,
}

/// What some calls add up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTotal {
    /// What they have in common.
    pub key: String,
    /// How many they are.
    pub calls: u64,
    /// When the first of them was.
    pub first: Timestamp,
    /// When the last of them was.
    pub last: Timestamp,
    /// Sums of calls whose figures are measured.
    pub measured: CallFigures,
    /// Sums of calls whose figures are estimated.
    pub estimated: CallFigures,
}
