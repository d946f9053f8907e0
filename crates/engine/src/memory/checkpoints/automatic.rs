//! Makes checkpoints of the events of a session: when its plan changed or a step of it was done, at a risky command, at an
//! error, and before its context is compacted. An agent does nothing for it, and is told nothing.
//!
//! An event may be looked at several times until it is dealt with, so a checkpoint names its event and is made once. What
//! a session does without a plan is not noted, but for risky commands: there is no state to go on from.

use super::state::CheckpointState;
use super::{Checkpoint, CheckpointTrigger, beyond_newest, build_record, load_checkpoints, newest, write_dropped};
use crate::base::Result;
use crate::memory::{MemoryContext, truncate_text};
use model::{EventKind, ProjectId, SessionEvent, Timestamp};
use serde_json::{Map, Value, json};

/// An event of a session, with what was asked last before it.
#[derive(Clone, Copy, Debug)]
pub struct EventMoment<'e> {
    /// The event.
    pub event: &'e SessionEvent<'e>,
    /// What the user said last.
    pub prompt: Option<&'e str>,
}

/// Commands that change what cannot be had back: the words they begin with, each behind the other.
const RISKY_COMMANDS: [&[&str]; 18] = [
    &["git", "push"],
    &["git", "reset", "--hard"],
    &["git", "clean"],
    &["git", "rebase"],
    &["rm"],
    &["rmdir"],
    &["dropdb"],
    &["terraform", "apply"],
    &["terraform", "destroy"],
    &["kubectl", "delete"],
    &["kubectl", "apply"],
    &["npm", "publish"],
    &["cargo", "publish"],
    &["alembic", "upgrade"],
    &["alembic", "downgrade"],
    &["prisma", "migrate"],
    &["diesel", "migration"],
    &["sqlx", "migrate"],
];
/// Words of a command that say so wherever they stand.
const RISKY_WORDS: [&str; 4] = ["migrate", "db:migrate", "drop table", "truncate table"];
/// Characters of a command and of an error that are kept; the message of the event has all of it.
const MAX_COMMAND_CHARS: usize = 160;
const MAX_ERROR_CHARS: usize = 600;
const MAX_QUERY_CHARS: usize = 1_000;

/// What an event is to a checkpoint.
enum Moment {
    Plan(Vec<Value>),
    Risk(String),
    Failure(String),
    Compaction,
}

/// Makes the checkpoint of an event, where it is one that has one.
pub(crate) async fn note_event(memory: &MemoryContext, project: &ProjectId, told: EventMoment<'_>) -> Result<()> {
    let Some(session) = &told.event.conversation else { return Ok(()) };
    let Some(moment) = moment_of(told.event) else { return Ok(()) };
    let mut known = load_checkpoints(memory, project, Some(session)).await?;
    let is_known = |it: &Checkpoint| {
        // A risky command that was told before it ran is told again with its result.
        let is_same_call =
            matches!(moment, Moment::Risk(_)) && it.call.is_some() && it.call.as_deref() == told.event.tool.call_id;
        is_same_call || it.event.as_deref() == Some(told.event.id)
    };
    if known.iter().any(is_known) {
        return Ok(());
    }
    let base = newest(&known).map(|newest| newest.state.clone()).unwrap_or_default();
    let Some((state, trigger, description)) = next_state(&base, moment, &told) else { return Ok(()) };
    let metadata = json!({
        "description": description, "triggerType": trigger.as_str(), "durationMs": 0, "event": told.event.id,
    });
    let mut metadata = metadata.as_object().cloned().unwrap_or_default();
    if let Some(call) = told.event.tool.call_id {
        metadata.insert("call".to_owned(), call.into());
    }
    let at = Timestamp(told.event.at);
    let (record, _secrets) = build_record(memory, project, session, &state, metadata, at).await?;
    let dropped = beyond_newest(&mut known, (memory.settings.checkpoints as usize).saturating_sub(1));
    write_dropped(memory, vec![record], &dropped).await
}

/// Whether a checkpoint may be made of an event.
pub fn marks_checkpoint(event: &SessionEvent<'_>) -> bool {
    moment_of(event).is_some()
}

fn moment_of(event: &SessionEvent<'_>) -> Option<Moment> {
    match event.kind {
        EventKind::BeforeCompact => Some(Moment::Compaction),
        EventKind::Call | EventKind::Result => {
            let input: Value = event.tool.input.as_deref().and_then(|input| serde_json::from_str(input).ok())?;
            if let Some(plan) = read_plan(event.tool.name.unwrap_or_default(), &input) {
                return Some(Moment::Plan(plan));
            }
            let command = ["command", "cmd", "script"].iter().find_map(|name| command_text(&input[*name]));
            if let Some(command) = command.filter(|command| is_risky(command)) {
                return Some(Moment::Risk(truncate_text(command.trim(), MAX_COMMAND_CHARS)));
            }
            event.tool.error.map(|error| Moment::Failure(truncate_text(error.trim(), MAX_ERROR_CHARS)))
        }
        EventKind::Start(_)
        | EventKind::Prompt
        | EventKind::AfterCompact
        | EventKind::Stop
        | EventKind::SubagentStop
        | EventKind::End
        | EventKind::Other => None,
    }
}

/// The steps of a plan that a tool was given: a list under one of the names that agents have for it.
fn read_plan(tool: &str, input: &Value) -> Option<Vec<Value>> {
    let tool = tool.to_lowercase();
    if !tool.contains("todo") && !tool.contains("plan") {
        return None;
    }
    let list = ["todos", "plan", "items", "todoList", "todo_list"].iter().find_map(|name| input[*name].as_array())?;
    let plan = CheckpointState::from_json(Map::from_iter([("plan".to_owned(), Value::Array(list.clone()))])).plan();
    (!plan.is_empty()).then(|| list.clone())
}

/// A command as text: some agents give its words as a list.
fn command_text(value: &Value) -> Option<String> {
    let joined = || Some(value.as_array()?.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "));
    value.as_str().map(str::to_owned).or_else(joined).filter(|command| !command.is_empty())
}

/// Whether a command line runs a program that changes what cannot be had back.
fn is_risky(command: &str) -> bool {
    let lower = command.to_lowercase();
    if RISKY_WORDS.iter().any(|words| lower.split(['"', '\'', ';', '\n']).any(|part| has_words(part, words))) {
        return true;
    }
    command.split(['\n', ';', '|', '&', '(', ')', '`']).any(|part| {
        let mut words =
            part.split_whitespace().skip_while(|word| word.contains('=') || *word == "sudo" || *word == "time");
        let words: Vec<&str> = words.by_ref().take(6).collect();
        let program = words.first().map(|program| program.rsplit('/').next().unwrap_or(program));
        RISKY_COMMANDS.iter().any(|risky| {
            let rest = &risky[1..];
            program == risky.first().copied() && rest.iter().all(|word| words[1..].contains(word))
        })
    })
}

fn has_words(part: &str, words: &str) -> bool {
    let part: Vec<&str> = part.split_whitespace().collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    part.windows(words.len()).any(|window| window == words)
}

/// The state after an event, who made it and what for; none where it says nothing new.
fn next_state(
    base: &CheckpointState,
    moment: Moment,
    told: &EventMoment<'_>,
) -> Option<(CheckpointState, CheckpointTrigger, String)> {
    let mut state = base.clone();
    let asked = told.prompt.map(|prompt| Value::from(truncate_text(prompt.trim(), MAX_QUERY_CHARS)));
    match moment {
        Moment::Plan(steps) => {
            if base.steps() == steps {
                return None;
            }
            let (before, texts) = (base.progress().0, |state: &CheckpointState| {
                state.plan().into_iter().map(|step| step.text).collect::<Vec<_>>()
            });
            let old = texts(base);
            state.set_plan(steps);
            // A plan that shares no step with the one before is for something else that was asked.
            let is_other = !texts(&state).iter().any(|step| old.contains(step));
            if is_other || state.query().is_none() {
                state.set("query", asked.unwrap_or_else(|| "".into()));
                state.set("lastError", Value::Null);
            }
            let (done, all) = state.progress();
            let description = if done > before && !is_other {
                format!("{done} of {all} steps are done")
            } else {
                format!("the plan changed: {done} of {all} steps are done")
            };
            Some((state, CheckpointTrigger::Auto, description))
        }
        Moment::Risk(command) => {
            if state.query().is_none() {
                state.set("query", asked.unwrap_or_else(|| "".into()));
            }
            let mut context = state.context();
            context.insert("command".to_owned(), command.clone().into());
            state.set("context", Value::Object(context));
            // Most agents tell of a command when it has run; the state is the one before it in either case.
            let when = if told.event.kind == EventKind::Call { "before" } else { "at" };
            Some((state, CheckpointTrigger::Auto, format!("{when} `{}`", first_line(&command))))
        }
        // Without a plan there is nothing to go on from: the message of the event has the error.
        Moment::Failure(error) if !base.steps().is_empty() && base.last_error() != Some(error.as_str()) => {
            let step = state.current_step();
            let at = Timestamp(told.event.at).to_string();
            let description = format!("error at step {step}: {}", first_line(&error));
            state.set("lastError", json!({ "stepIndex": step, "message": error, "timestamp": at }));
            Some((state, CheckpointTrigger::Error, description))
        }
        Moment::Compaction if !base.is_empty() => {
            Some((state, CheckpointTrigger::Auto, "before the context was compacted".to_owned()))
        }
        Moment::Failure(_) | Moment::Compaction => None,
    }
}

fn first_line(text: &str) -> String {
    truncate_text(text.lines().next().unwrap_or_default(), MAX_COMMAND_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_risky_by_the_program_that_it_runs() {
        let check = |command: &str, risky: bool| assert_eq!(is_risky(command), risky, "{command}");
        check("git push origin main", true);
        check("cd app && git -C . push", true);
        check("FORCE=1 sudo rm -rf build", true);
        check("/bin/rm x", true);
        check("git reset --hard HEAD~1", true);
        check("python manage.py migrate", true);
        check("psql -c 'DROP TABLE users'", true);
        check("git commit -m 'push it'", false);
        check("echo farm", false);
        check("cargo test rm", false);
        check("grep -rn migrates src", false);
    }

    #[test]
    fn a_plan_is_read_whoever_makes_it() {
        let plan = |tool: &str, input: Value| read_plan(tool, &input).map(|steps| steps.len());
        assert_eq!(plan("TodoWrite", json!({ "todos": [{ "content": "a", "status": "pending" }] })), Some(1));
        assert_eq!(
            plan("update_plan", json!({ "plan": [{ "step": "a", "status": "completed" }, { "step": "b" }] })),
            Some(2)
        );
        assert_eq!(plan("write_todos", json!({ "todos": [] })), None);
        assert_eq!(plan("Bash", json!({ "todos": [{ "content": "a" }] })), None);
    }
}
