//! What an event is answered with, in the words of its agent. Everything here works on what is ready: nothing is
//! indexed, imported or asked for while an agent waits, but for what compaction is about to lose.

use super::compactions::{self, Compaction};
use super::event::{Event, Moment, Source, VS_CODE};
use super::marks::Failure;
use super::sitting::Sitting;
use super::take::Taken;
use super::worth::Prompt;
use super::{brief, guard, inject, marks};
use crate::behind::leave_behind;
use crate::compose::{self, App};
use crate::daemon::{self, Asked};
use crate::errors::Problem;
use engine::{BriefingRequest, Described, ProjectMemoryRequest, RecallRequest, RecallScope, Told};
use model::{Role, Tokens};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::time::Duration;

/// How long the guard of compaction waits for somebody else who empties the spool.
const COMPACTING: Duration = Duration::from_secs(2);
/// How far a transcript is looked through while an agent waits: what a hook tells is written down right after it.
const LONGEST_LOOK: u64 = 4 << 20;
/// Files that one look at a listing shows: about a project with fewer of them an agent needs not be told.
const ONE_LOOK: usize = 10;
/// How many results are looked at for three that are worth telling.
const CANDIDATES: u32 = 12;
/// The same for outputs of tools, of which one is told.
const OUTPUTS: u32 = 4;

/// The answer to an event, if it has one.
pub(super) fn answer(taken: Taken) -> Result<Option<String>, Failure> {
    match taken.event.moment() {
        Moment::Result => {
            let brief = brief::of(&taken.event, &taken.loaded.config.hooks);
            return Ok(brief.map(|brief| specific(&taken.event, "updatedToolOutput", &brief.output).to_string()));
        }
        // Nobody waits for these; they are a good moment to take in what the spool holds.
        moment @ (Moment::BeforeCompact | Moment::Stop | Moment::End) => {
            if moment == Moment::BeforeCompact {
                change(&taken, |sitting, _| sitting.forget_compaction());
            } else if moment == Moment::Stop {
                // It has gone on with what it was told.
                change(&taken, |sitting, _| sitting.restored.clear());
            }
            if has_daemon(&taken) {
                daemon::poke(&taken.loaded.directories);
            } else {
                // The next command takes it in otherwise.
                let _ = leave_behind(&["drain", "--quiet"].map(OsStr::new), None);
            }
            return Ok(None);
        }
        // What was told is replayed together with the rest of the conversation, but for what was told after a compaction
        // to a process that ended then.
        Moment::Start(Source::Again) => {
            change(&taken, |sitting, event| {
                if !sitting.restored.is_empty() && !has_restored(event, sitting.restored_at) {
                    sitting.lose_restored();
                }
            });
            return Ok(None);
        }
        Moment::Call | Moment::Other => return Ok(None),
        Moment::SubagentStop if !taken.event.ends_compaction() => return Ok(None),
        Moment::Start(Source::Fresh | Source::Compacted)
        | Moment::Prompt
        | Moment::AfterCompact
        | Moment::SubagentStop => {}
    }
    if !takes_context(&taken.event) {
        return Ok(None);
    }
    let Taken { event, loaded, project } = taken;
    let (Some(project), true) = (project, event.conversation().is_some()) else { return Ok(None) };
    if loaded.config.hooks.daemon_seconds > 0
        && let Asked::Answered(answer) = daemon::ask(&event, &loaded.environment, &loaded.directories)
    {
        return answer.map_err(|_failed| Failure::Answer);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|_unavailable| Failure::Answer)?;
    let answered = runtime.block_on(async {
        let app = compose::app(loaded, project).await?;
        let prepared = answer_from(&app, &event).await?;
        let text = prepared.text();
        prepared.note(&app).await;
        Ok::<_, Problem>(text)
    });
    // What the problem says may quote a file of the project.
    answered.map_err(|_problem| Failure::Answer)
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
        Moment::Prompt => {
            let answer = prompt(app, event, &conversation, &mut sitting).await?;
            // What compacts from here on is another compaction, whether the agent says that it begins or not.
            sitting.forget_compaction();
            answer
        }
        Moment::Start(Source::Compacted) => {
            (sitting.compacted, sitting.injected) = (true, Vec::new());
            // Where nobody told the summary before the session goes on, it may go on without another word from the user:
            // all that is in force is told then.
            if !std::mem::take(&mut sitting.is_compared) {
                compare(app, event, &conversation, &mut sitting).await?;
            }
            restore(app, event, &conversation, &mut sitting).map(|restored| restored.answer(event, None))
        }
        Moment::Start(Source::Fresh) => orient(app, event, &conversation).await?,
        Moment::AfterCompact | Moment::SubagentStop => {
            compare(app, event, &conversation, &mut sitting).await?;
            None
        }
        Moment::Start(Source::Again)
        | Moment::Call
        | Moment::Result
        | Moment::BeforeCompact
        | Moment::Stop
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

/// What compaction lost, where that was not known yet when the session began anew; and what was said before about what
/// the user asks.
async fn prompt(app: &App, event: &Event, conversation: &str, sitting: &mut Sitting) -> Result<Option<Value>, Problem> {
    let restored = restore(app, event, conversation, sitting);
    let recalled = recalled(app, event, conversation, sitting).await?;
    Ok(match (restored, recalled) {
        (Some(restored), recalled) => Some(restored.answer(event, recalled.as_deref())),
        (None, recalled) => recalled.map(|text| specific(event, "additionalContext", &text.into())),
    })
}

/// What was said before about what the user asks.
async fn recalled(
    app: &App,
    event: &Event,
    conversation: &str,
    sitting: &mut Sitting,
) -> Result<Option<String>, Problem> {
    let tokens = app.config.hooks.recall_tokens;
    let Some(said) = event.prompt().filter(|_| tokens > 0) else { return Ok(None) };
    // A prompt that asks and orders nothing is not even searched for.
    let Some(prompt) = Prompt::of(said) else { return Ok(None) };
    let request = RecallRequest {
        query: said.to_owned(),
        scope: RecallScope::Project,
        role: None,
        since: None,
        until: None,
        limit: CANDIDATES,
        budget: None,
        // Nobody asked: no model is paid for what is told unasked.
        initiative: engine::Initiative::Background,
    };
    let mut reply = app.engine.recall(&app.project, request.clone()).await?;
    if prompt.asks_about_past() {
        // What was said about an output stands before it, so that it is hardly ever among the first results.
        let outputs = RecallRequest { role: Some(Role::Tool), limit: OUTPUTS, ..request };
        let outputs = app.engine.recall(&app.project, outputs).await?;
        reply.degraded.extend(outputs.degraded);
        reply.results.extend(outputs.results);
    }
    if !reply.degraded.is_empty() {
        return Ok(None);
    }
    // What this conversation said is still before the agent's eyes, unless it was compacted.
    let mut found = reply.results;
    found.retain(|hit| sitting.compacted || hit.conversation != conversation);
    let Some((text, shown)) = inject::recalled(&prompt, &found, &sitting.injected, tokens) else { return Ok(None) };
    sitting.injected.extend(shown);
    Ok(Some(text))
}

/// The project, what its conversations left behind, and whether something is wrong with us.
async fn orient(app: &App, event: &Event, conversation: &str) -> Result<Option<Value>, Problem> {
    let tokens = app.config.hooks.orientation_tokens;
    if tokens == 0 {
        return Ok(None);
    }
    let request = ProjectMemoryRequest { except: Some(conversation.to_owned()), budget: Tokens(tokens / 2) };
    let memory = app.engine.project_memory(&app.project, request).await?;
    // Indexing is not done while an agent waits.
    let is_ready = app.engine.status(&app.project, Vec::new()).await?.index_ready();
    let briefing = if is_ready && app.project.is_repository() {
        Some(app.engine.briefing(&app.project, BriefingRequest { budget: Tokens(tokens / 2) }).await?)
    } else {
        None
    };
    let failures = marks::line(&app.directories.state, &app.project.id);
    let briefing = briefing.filter(|briefing| briefing.files > ONE_LOOK);
    let text = inject::orientation(
        briefing.as_ref().map(|briefing| briefing.text.as_str()),
        memory.as_ref(),
        failures.as_deref(),
        tokens,
    );
    Ok(text.map(|text| specific(event, "additionalContext", &text.into())))
}

/// Remembers what the agent's own summary lost.
async fn compare(app: &App, event: &Event, conversation: &str, sitting: &mut Sitting) -> Result<(), Problem> {
    super::drain(app, COMPACTING).await?;
    let facts = match app.engine.describe(conversation).await {
        Ok(Described::Conversation { facts, .. }) => facts,
        // Nothing of it is stored yet, so nothing can be missing.
        Ok(_) | Err(engine::Error::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let compared = guard::compare(event.compact_summary(), &facts);
    sitting.note_compared(compared.kept, compared.lost);
    Ok(())
}

/// Changes what is remembered of the session of an event.
fn change(taken: &Taken, change: impl FnOnce(&mut Sitting, &Event)) {
    let Some(conversation) = taken.event.conversation() else { return };
    let state = &taken.loaded.directories.state;
    let before = Sitting::read(state, &conversation);
    let mut sitting = before.clone();
    change(&mut sitting, &taken.event);
    if sitting != before {
        // Where it cannot be kept, telling twice does no harm.
        let _ = sitting.write(state, &conversation);
    }
}

/// Whether the transcript of a session has what was told after a compaction, behind a place.
fn has_restored(event: &Event, from: u64) -> bool {
    let Some(mut file) = event.transcript().and_then(|path| fs_err::File::open(path).ok()) else { return false };
    let mut bytes = Vec::new();
    let is_read = file.seek(SeekFrom::Start(from)).and_then(|_| file.take(LONGEST_LOOK).read_to_end(&mut bytes));
    is_read.is_ok() && memchr::memmem::find(&bytes, inject::RESTORED.as_bytes()).is_some()
}

/// What compaction lost, as it is told.
struct Restored {
    text: String,
    /// One line for the user.
    counted: String,
}

impl Restored {
    /// The answer to an event, with whatever else is told.
    fn answer(self, event: &Event, more: Option<&str>) -> Value {
        let text = more.map_or(self.text.clone(), |more| format!("{}\n{more}", self.text));
        let mut answer = specific(event, "additionalContext", &text.into());
        answer["systemMessage"] = self.counted.into();
        answer
    }
}

/// Takes what the last compaction lost, to be told once, and counts it.
fn restore(app: &App, event: &Event, conversation: &str, sitting: &mut Sitting) -> Option<Restored> {
    let (kept, lost) = (std::mem::take(&mut sitting.kept), std::mem::take(&mut sitting.lost));
    if (kept, lost.len()) == (0, 0) {
        return None;
    }
    let told = inject::restored(&lost, app.config.hooks.orientation_tokens);
    let (text, restored) = told.map_or((None, 0), |(text, restored)| (Some(text), restored));
    let (at, project, session) = (event.envelope.at, app.project.id.to_string(), conversation.to_owned());
    let compaction = Compaction { at, project, session, kept, lost: lost.len(), restored };
    if !sitting.is_counted {
        let _ = compactions::note(&app.directories.state, &compaction);
    }
    let counted = format!("epitome: compaction kept {kept} facts, lost {}; {restored} restored", lost.len());
    (sitting.is_counted, sitting.restored, sitting.restored_at) = (true, lost, event.envelope.transcript_bytes);
    text.map(|text| Restored { text, counted })
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
