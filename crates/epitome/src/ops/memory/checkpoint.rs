//! The `checkpoint` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! keeps the state of a session's work, and gives it back.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{Checkpoint, CheckpointAction, CheckpointReport, CheckpointRequest, CheckpointTrigger, NewCheckpoint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write;

pub(crate) struct CheckpointOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointParams {
    /// What to do
    #[arg(value_enum)]
    action: CheckpointActionParam,
    /// With `load` and `resume`: which one, by id (default: `latest`)
    id: Option<String>,
    /// The session, by name or id (default: the latest)
    #[arg(long)]
    session: Option<String>,
    /// With `save`: {query, plan, currentStepIndex, results, context, lastError} (default: the state before)
    #[arg(long, value_name = "JSON", value_parser = read_object)]
    state: Option<Map<String, Value>>,
    /// With `save`: what it is for
    #[arg(long)]
    description: Option<String>,
    /// With `save`: who makes it
    #[arg(long, value_enum, default_value = "manual")]
    #[serde(default)]
    trigger: CheckpointTriggerParam,
    /// With `save`: how long the step took
    #[arg(long)]
    duration_ms: Option<u64>,
    /// With `save`: the tokens it took
    #[arg(long)]
    token_usage: Option<u64>,
    /// With `list` how many, with `prune` how many stay
    #[arg(long)]
    limit: Option<u32>,
}

fn read_object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("is no JSON object: {error}"))
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum CheckpointActionParam {
    /// Keep a state
    Save,
    /// Show the state of the highest step, or one by id
    Load,
    /// Give the state to go on from
    Resume,
    /// List them, newest first
    List,
    /// List the newest only from now on; nothing is deleted
    Prune,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum CheckpointTriggerParam {
    #[default]
    Manual,
    Auto,
    Error,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckpointReply {
    checkpoints: Vec<CheckpointEntry>,
    /// How many more there are
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
    /// Older ones that are listed no more
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<String>,
    /// The rules by which secrets were replaced before it was stored
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
    #[serde(skip)]
    shown: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Saved,
    State,
    List,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct CheckpointEntry {
    id: String,
    session_id: String,
    project_id: String,
    step_number: u64,
    created_at: String,
    /// As it was given; not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Value>,
    details: CheckpointDetails,
    #[serde(skip)]
    lines: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct CheckpointDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// `auto`, `manual` or `error`
    trigger_type: &'static str,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_usage: Option<u64>,
}

impl Operation for CheckpointOperation {
    const NAME: &'static str = "checkpoint";
    const SUMMARY: &'static str = "Keep the state of the work, and go on from it";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Agents with hooks make checkpoints without being asked: when their plan changes or a step of it is done, at risky \
commands, at errors, and before their context is compacted. `memory.checkpoints` says how many of a session are listed. \
Exit status 3: there is none.

Examples:
  epitome checkpoint save --state '{\"query\":\"port the parser\",\"plan\":[\"read\",\"write\"],\"currentStepIndex\":1}'
  epitome checkpoint list
  epitome checkpoint resume";
    type Params = CheckpointParams;
    type Reply = CheckpointReply;

    async fn run(call: &OperationCall<'_>, params: CheckpointParams) -> Result<CheckpointReply, engine::Error> {
        let (action, shown) = match params.action {
            CheckpointActionParam::Save => {
                let new = NewCheckpoint {
                    state: params.state,
                    description: params.description,
                    trigger: match params.trigger {
                        CheckpointTriggerParam::Manual => CheckpointTrigger::Manual,
                        CheckpointTriggerParam::Auto => CheckpointTrigger::Auto,
                        CheckpointTriggerParam::Error => CheckpointTrigger::Error,
                    },
                    duration_ms: params.duration_ms.unwrap_or_default(),
                    token_usage: params.token_usage,
                };
                (CheckpointAction::Save(new), Shown::Saved)
            }
            CheckpointActionParam::Load => (CheckpointAction::Load(params.id), Shown::State),
            CheckpointActionParam::Resume => (CheckpointAction::Resume(params.id), Shown::State),
            CheckpointActionParam::List => (CheckpointAction::List(params.limit.unwrap_or(20)), Shown::List),
            CheckpointActionParam::Prune => (CheckpointAction::Prune(params.limit), Shown::List),
        };
        let request = CheckpointRequest { session: params.session, action };
        let report = call.engine.manage_checkpoints(call.project, request).await?;
        Ok(CheckpointReply::new(report, shown))
    }
}

impl CheckpointReply {
    fn new(report: CheckpointReport, shown: Shown) -> Self {
        let entry = |checkpoint| CheckpointEntry::new(checkpoint, shown);
        Self {
            checkpoints: report.checkpoints.into_iter().map(entry).collect(),
            omitted: report.omitted,
            dropped: report.dropped.iter().map(ToString::to_string).collect(),
            secrets: report.secrets.iter().map(ToString::to_string).collect(),
            shown,
        }
    }
}

impl CheckpointEntry {
    fn new(checkpoint: Checkpoint, shown: Shown) -> Self {
        let lines = state_lines(&checkpoint);
        Self {
            id: checkpoint.id.to_string(),
            session_id: checkpoint.session,
            project_id: checkpoint.project.to_string(),
            step_number: checkpoint.step,
            created_at: checkpoint.created.to_string(),
            state: (shown != Shown::List).then(|| checkpoint.state.to_json()),
            details: CheckpointDetails {
                description: checkpoint.description,
                trigger_type: checkpoint.trigger.as_str(),
                duration_ms: checkpoint.duration_ms,
                token_usage: checkpoint.token_usage,
            },
            lines,
        }
    }

    fn to_text(&self) -> String {
        let mut about = vec![format!("step {}", self.step_number), self.details.trigger_type.to_owned()];
        about.push(self.created_at.clone());
        about.push(self.session_id.clone());
        let what = self.details.description.as_deref().unwrap_or("saved").replace('\n', " ");
        format!("{}  {what}\n    {}\n", self.id, about.join(" · "))
    }
}

/// A state for people: what was asked, the plan, and the last error.
fn state_lines(checkpoint: &Checkpoint) -> Vec<String> {
    let state = &checkpoint.state;
    let mut lines = Vec::new();
    lines.extend(state.query().map(|query| format!("asked: {}", query.replace('\n', " "))));
    for step in state.plan() {
        let mark = match (step.is_done, step.is_current) {
            (true, _) => "[x]",
            (false, true) => "[>]",
            (false, false) => "[ ]",
        };
        lines.push(format!("{mark} {}", step.text.replace('\n', " ")));
    }
    lines.extend(state.last_error().map(|error| format!("last error: {}", error.replace('\n', " "))));
    lines
}

impl OperationReply for CheckpointReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for checkpoint in &self.checkpoints {
            text.push_str(&checkpoint.to_text());
            if self.shown == Shown::State {
                for line in &checkpoint.lines {
                    let _ = writeln!(text, "  {line}");
                }
                // The plan and the query stand above; what else the author keeps is in the whole of it.
                let _ = checkpoint.state.as_ref().map(|state| writeln!(text, "state: {state}"));
            }
        }
        if self.omitted > 0 {
            let _ = writeln!(text, "… and {}", render_count(self.omitted, "more checkpoint"));
        }
        if !self.dropped.is_empty() {
            let _ = writeln!(text, "listed no more: {}", self.dropped.join(", "));
        }
        if text.is_empty() {
            text.push_str("no checkpoints yet: `epitome checkpoint save --state JSON` makes one\n");
        }
        if !self.secrets.is_empty() {
            let _ = writeln!(text, "without {}", render_count(self.secrets.len() as u64, "secret"));
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.checkpoints.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
