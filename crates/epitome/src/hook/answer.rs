//! What an event is answered with, in the words of its agent. Everything here works on what is ready: nothing is
//! indexed, imported or asked for while an agent waits, but for what compaction is about to lose.

use super::compactions::{self, Compaction};
use super::event::{Event, Moment, Source, VS_CODE};
use super::sitting::Sitting;
use super::{Taken, brief, guard, inject, marks};
use crate::behind::leave_behind;
use crate::compose::{self, App};
use crate::daemon::{self, Asked};
use crate::errors::Problem;
use engine::{BriefingRequest, Described, RecallRequest, RecallScope, RecollectRequest, Told};
use model::Tokens;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::time::Duration;

/// How long the guard of compaction waits for somebody else who empties the spool.
const COMPACTING: Duration = Duration::from_secs(2);
/// How many results are looked at for three that are worth telling.
const CANDIDATES: u32 = 12;

/// The answer to an event, if it has one.
pub(super) fn answer(taken: Taken) -> Result<Option<String>, String> {
    match taken.event.moment() {
        Moment::Result => {
            let brief = brief::of(&taken.event, &taken.loaded.config.hooks);
            return Ok(brief.map(|brief| specific(&taken.event, "updatedToolOutput", &brief.output).to_string()));
        }
        // Nobody waits for these; they are a good moment to take in what the spool holds.
        Moment::BeforeCompact | Moment::Stop | Moment::End => {
            if has_daemon(&taken) {
                daemon::poke(&taken.loaded.directories);
            } else {
                // The next command takes it in otherwise.
                let _ = leave_behind(&["drain", "--quiet"].map(OsStr::new), None);
            }
            return Ok(None);
        }
        // What was told is replayed together with the rest of the conversation.
        Moment::Start(Source::Again) | Moment::Call | Moment::SubagentStop | Moment::Other => return Ok(None),
        Moment::Start(Source::Fresh | Source::Compacted) | Moment::Prompt | Moment::AfterCompact => {}
    }
    if !takes_context(&taken.event) {
        return Ok(None);
    }
    let Taken { event, loaded, project } = taken;
    let (Some(project), true) = (project, event.conversation().is_some()) else { return Ok(None) };
    if loaded.config.hooks.daemon_seconds > 0
        && let Asked::Answered(answer) = daemon::ask(&event, &loaded.environment, &loaded.directories)
    {
        return answer;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let answered = runtime.block_on(async {
        let app = compose::app(loaded, project).await?;
        let prepared = answer_from(&app, &event).await?;
        let text = prepared.text();
        prepared.note(&app).await;
        Ok::<_, Problem>(text)
    });
    answered.map_err(|problem| problem.message)
}

fn has_daemon(taken: &Taken) -> bool {
    taken.loaded.config.hooks.daemon_seconds > 0
}

/// Whether an agent reads what a hook tells it with a prompt.
pub(crate) fn answers_prompts(agent: &str) -> bool {
    matches!(agent, "claude-code" | "codex" | "gemini-cli" | "qwen-code")
}

/// Whether an agent reads what a hook tells it then.
fn takes_context(event: &Event) -> bool {
    match event.envelope.agent.as_str() {
        agent if answers_prompts(agent) => true,
        "copilot-cli" | "auggie" => event.moment() == Moment::Start(Source::Fresh),
        // Its hooks are written in the words of Copilot. Where it reads those of Claude Code, too, it is told once.
        VS_CODE => event.moment() == Moment::Start(Source::Fresh) && event.envelope.event == "sessionStart",
        _ => false,
    }
}

/// An answer, and what is remembered of it once it was given.
pub(crate) struct Prepared {
    answer: Option<Value>,
    conversation: String,
    before: Sitting,
    sitting: Sitting,
}

/// Works out the answer to an event about the project that is open.
pub(crate) async fn answer_from(app: &App, event: &Event) -> Result<Prepared, Problem> {
    let conversation = event.conversation().unwrap_or_default();
    let before = Sitting::read(&app.directories.state, &conversation);
    let mut sitting = before.clone();
    let answer = match event.moment() {
        Moment::Prompt => prompt(app, event, &conversation, &mut sitting).await?,
        Moment::Start(Source::Compacted) => restore(app, event, &conversation, &mut sitting),
        Moment::Start(Source::Fresh) => orient(app, event, &conversation).await?,
        Moment::AfterCompact => {
            compare(app, event, &conversation, &mut sitting).await?;
            None
        }
        Moment::Start(Source::Again)
        | Moment::Call
        | Moment::Result
        | Moment::BeforeCompact
        | Moment::Stop
        | Moment::SubagentStop
        | Moment::End
        | Moment::Other => None,
    };
    Ok(Prepared { answer, conversation, before, sitting })
}

impl Prepared {
    pub(crate) fn text(&self) -> Option<String> {
        self.answer.as_ref().map(Value::to_string)
    }

    /// Counts what was told, and remembers what not to tell again.
    pub(crate) async fn note(self, app: &App) {
        let told = self.answer.as_ref().and_then(|answer| {
            let specific = &answer["hookSpecificOutput"]["additionalContext"];
            specific.as_str().or_else(|| answer["additionalContext"].as_str())
        });
        if let Some(text) = told {
            app.engine.note_told(&app.project, Told { session: self.conversation.clone(), text, whole: None }).await;
            app.engine.flush().await;
        }
        if self.sitting != self.before {
            // Where it cannot be kept, telling twice does no harm.
            let _ = self.sitting.write(&app.directories.state, &self.conversation);
        }
    }
}

/// What was said before about what the user asks.
async fn prompt(app: &App, event: &Event, conversation: &str, sitting: &mut Sitting) -> Result<Option<Value>, Problem> {
    let tokens = app.config.hooks.recall_tokens;
    let Some(prompt) = event.prompt().filter(|_| tokens > 0) else { return Ok(None) };
    let request = RecallRequest {
        query: prompt.to_owned(),
        scope: RecallScope::Project,
        role: None,
        since: None,
        until: None,
        limit: CANDIDATES,
        budget: None,
    };
    let reply = app.engine.recall(&app.project, request).await?;
    if !reply.degraded.is_empty() {
        return Ok(None);
    }
    // What this conversation said is still before the agent's eyes, unless it was compacted.
    let mut found = reply.results;
    found.retain(|hit| sitting.compacted || hit.conversation != conversation);
    let Some((text, shown)) = inject::recalled(prompt, &found, &sitting.injected, tokens) else { return Ok(None) };
    sitting.injected.extend(shown);
    Ok(Some(specific(event, "additionalContext", &text.into())))
}

/// The project, the facts of the last conversation about it, and whether something is wrong with us.
async fn orient(app: &App, event: &Event, conversation: &str) -> Result<Option<Value>, Problem> {
    let tokens = app.config.hooks.orientation_tokens;
    if tokens == 0 {
        return Ok(None);
    }
    let request = RecollectRequest { except: Some(conversation.to_owned()), budget: Tokens(tokens / 2) };
    let last = app.engine.recollect(&app.project, request).await?;
    // Indexing is not done while an agent waits.
    let is_ready = app.engine.status(&app.project, Vec::new()).await?.index_ready();
    let briefing = if is_ready && app.project.is_repository() {
        Some(app.engine.briefing(&app.project, BriefingRequest { budget: Tokens(tokens / 2) }).await?)
    } else {
        None
    };
    let marks = marks::left(&app.directories.state);
    let text = inject::orientation(
        briefing.as_ref().map(|briefing| briefing.text.as_str()),
        last.as_ref(),
        marks::line(&marks).as_deref(),
        tokens,
    );
    Ok(text.map(|text| specific(event, "additionalContext", &text.into())))
}

/// Remembers what the agent's own summary lost.
async fn compare(app: &App, event: &Event, conversation: &str, sitting: &mut Sitting) -> Result<(), Problem> {
    super::drain(app, COMPACTING).await?;
    *sitting = Sitting { compacted: true, ..Sitting::default() };
    let facts = match app.engine.describe(conversation).await {
        Ok(Described::Conversation { facts, .. }) => facts,
        // Nothing of it is stored yet, so nothing can be missing.
        Ok(_) | Err(engine::Error::NotFound { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let compared = guard::compare(event.compact_summary(), &facts);
    (sitting.kept, sitting.lost) = (compared.kept, compared.lost);
    Ok(())
}

/// Tells what was lost, and the user how much that was.
fn restore(app: &App, event: &Event, conversation: &str, sitting: &mut Sitting) -> Option<Value> {
    sitting.compacted = true;
    sitting.injected.clear();
    let (kept, lost) = (std::mem::take(&mut sitting.kept), std::mem::take(&mut sitting.lost));
    let told = inject::restored(&lost, app.config.hooks.orientation_tokens);
    let (lost, restored) = (lost.len(), told.as_ref().map_or(0, |(_, restored)| *restored));
    if (kept, lost) != (0, 0) {
        let (at, project, session) = (event.envelope.at, app.project.id.to_string(), conversation.to_owned());
        let compaction = Compaction { at, project, session, kept, lost, restored };
        let _ = compactions::note(&app.directories.state, &compaction);
    }
    let mut answer = specific(event, "additionalContext", &told?.0.into());
    answer["systemMessage"] = format!("epitome: compaction kept {kept} facts, lost {lost}; {restored} restored").into();
    Some(answer)
}

/// An answer in the shape of Claude Code, which most of the others took over.
fn specific(event: &Event, name: &str, value: &Value) -> Value {
    match event.envelope.agent.as_str() {
        "copilot-cli" => json!({ name: value }),
        // It knows only its own word for it.
        VS_CODE => json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", name: value } }),
        _ => json!({ "hookSpecificOutput": { "hookEventName": event.envelope.event, name: value } }),
    }
}
