//! Answers to events, in the form of each agent. Everything here works on what is ready: nothing is indexed, imported
//! or asked for while an agent waits, but for what compaction is about to lose.

use super::compactions::{self, CompactionRecord};
use super::event::{EventKind, HookEvent, StartReason, VS_CODE};
use super::failures::HookFailure;
use super::intake::SpooledEvent;
use super::relevance::RecallPrompt;
use super::session_state::SessionState;
use super::{brief, failures, guard, injection};
use crate::compose::{self, App};
use crate::daemon::{self, DaemonAnswer};
use crate::detach::spawn_detached;
use crate::errors::AppError;
use engine::{BriefingRequest, DescribedItem, InjectedText, ProjectMemoryRequest, RecallRequest, RecallScope};
use model::{MessageRole, TokenCount};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::time::Duration;

/// How long the guard of compaction waits for another process that empties the spool.
const COMPACTING: Duration = Duration::from_secs(2);
/// How far a transcript is looked through while an agent waits: what a hook tells is written down right after it.
const LONGEST_LOOK: u64 = 4 << 20;
/// A listing shows this many files at once: about a smaller project an agent needs no briefing.
const ONE_LOOK: usize = 10;
/// How many results are looked at for three that are worth telling.
const CANDIDATES: u32 = 12;
/// The same for outputs of tools, of which one is injected.
const OUTPUTS: u32 = 4;

/// The answer to an event, if it has one.
pub(super) fn answer_event(taken: SpooledEvent) -> Result<Option<String>, HookFailure> {
    match taken.event.event_kind() {
        EventKind::Result => {
            let brief = brief::shorten_output(&taken.event, &taken.loaded.config.hooks);
            return Ok(brief.map(|brief| hook_output(&taken.event, "updatedToolOutput", &brief.output).to_string()));
        }
        // The agent waits for no text from these events; they are a good moment to take in what the spool holds.
        moment @ (EventKind::BeforeCompact | EventKind::Stop | EventKind::End) => {
            if moment == EventKind::BeforeCompact {
                update_session(&taken, |sitting, _| sitting.forget_compaction());
            } else if moment == EventKind::Stop {
                // The turn ended, so the model has worked with the injected text.
                update_session(&taken, |sitting, _| sitting.restored.clear());
            }
            if has_daemon(&taken) {
                daemon::request_drain(&taken.loaded.directories);
            } else {
                // If it cannot be started, the next command drains the spool.
                let _ = spawn_detached(&["drain", "--quiet"].map(OsStr::new), None);
            }
            return Ok(None);
        }
        // A resumed session replays injected texts together with the rest of the conversation. A text injected after a
        // compaction to a process that ended right then is not in it, and counts as lost.
        EventKind::Start(StartReason::Again) => {
            update_session(&taken, |sitting, event| {
                if !sitting.restored.is_empty() && !has_restored(event, sitting.restored_at) {
                    sitting.lose_restored();
                }
            });
            return Ok(None);
        }
        EventKind::Call | EventKind::Other => return Ok(None),
        // Every subagent ends with this event; only the one that writes the summary of a compaction matters here.
        EventKind::SubagentStop if !taken.event.ends_compaction() => return Ok(None),
        EventKind::Start(StartReason::Fresh | StartReason::Compacted)
        | EventKind::Prompt
        | EventKind::AfterCompact
        | EventKind::SubagentStop => {}
    }
    if !takes_context(&taken.event) {
        return Ok(None);
    }
    let SpooledEvent { event, loaded, project } = taken;
    // Without a session nothing could be remembered, and the same text would be injected with every prompt.
    let (Some(project), true) = (project, event.conversation_name().is_some()) else { return Ok(None) };
    if loaded.config.hooks.daemon_seconds > 0
        // The daemon has the store open already; opening it here is most of the time of an answer.
        && let DaemonAnswer::Answered(answer) = daemon::request_answer(&event, &loaded.environment, &loaded.directories)
    {
        return answer.map_err(|_failed| HookFailure::Answer);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|_unavailable| HookFailure::Answer)?;
    let answered = runtime.block_on(async {
        let app = compose::open_app(loaded, project).await?;
        let prepared = answer_from(&app, &event).await?;
        let text = prepared.answer_text();
        prepared.record_answer(&app).await;
        Ok::<_, AppError>(text)
    });
    // The error itself is dropped: it may quote a file of the project, and the agent would read it as our words.
    answered.map_err(|_problem| HookFailure::Answer)
}

fn has_daemon(taken: &SpooledEvent) -> bool {
    taken.loaded.config.hooks.daemon_seconds > 0
}

/// Whether an agent reads what a hook tells it with a prompt.
pub(crate) fn answers_prompts(agent: &str) -> bool {
    matches!(agent, "claude-code" | "codex" | "gemini-cli" | "qwen-code")
}

/// Whether an agent reads what a hook tells it then.
fn takes_context(event: &HookEvent) -> bool {
    match event.envelope.agent.as_str() {
        agent if answers_prompts(agent) => true,
        "copilot-cli" | "auggie" => event.event_kind() == EventKind::Start(StartReason::Fresh),
        // VS Code runs the hooks of Copilot in its own words. Where it reads those of Claude Code, too, the session
        // must be injected once.
        VS_CODE => event.event_kind() == EventKind::Start(StartReason::Fresh) && event.envelope.event == "sessionStart",
        _ => false,
    }
}

/// An answer, and what is remembered of it once it was given.
pub(crate) struct PreparedAnswer {
    answer: Option<Value>,
    conversation: String,
    before: SessionState,
    sitting: SessionState,
}

/// Works out the answer to an event about the project that is open.
pub(crate) async fn answer_from(app: &App, event: &HookEvent) -> Result<PreparedAnswer, AppError> {
    let conversation = event.conversation_name().unwrap_or_default();
    let before = SessionState::read(&app.directories.state, &conversation);
    let mut sitting = before.clone();
    let answer = match event.event_kind() {
        EventKind::Prompt => {
            let answer = answer_prompt(app, event, &conversation, &mut sitting).await?;
            // A compaction from here on is a new one, whether or not the agent reports its beginning.
            sitting.forget_compaction();
            answer
        }
        EventKind::Start(StartReason::Compacted) => {
            (sitting.compacted, sitting.injected) = (true, Vec::new());
            // If the summary was not compared at an earlier event, the session may go on without another prompt, so
            // everything in force is injected now.
            if !std::mem::take(&mut sitting.is_compared) {
                compare_summary(app, event, &conversation, &mut sitting).await?;
            }
            restore_facts(app, event, &conversation, &mut sitting).map(|restored| restored.into_answer(event, None))
        }
        EventKind::Start(StartReason::Fresh) => answer_start(app, event, &conversation).await?,
        EventKind::AfterCompact | EventKind::SubagentStop => {
            compare_summary(app, event, &conversation, &mut sitting).await?;
            None
        }
        EventKind::Start(StartReason::Again)
        | EventKind::Call
        | EventKind::Result
        | EventKind::BeforeCompact
        | EventKind::Stop
        | EventKind::End
        | EventKind::Other => None,
    };
    Ok(PreparedAnswer { answer, conversation, before, sitting })
}

impl PreparedAnswer {
    pub(crate) fn answer_text(&self) -> Option<String> {
        self.answer.as_ref().map(Value::to_string)
    }

    /// Counts the injected text, and remembers it so that it is not injected again.
    pub(crate) async fn record_answer(self, app: &App) {
        let told = self.answer.as_ref().and_then(|answer| {
            let specific = &answer["hookSpecificOutput"]["additionalContext"];
            specific.as_str().or_else(|| answer["additionalContext"].as_str())
        });
        if let Some(text) = told {
            app.engine
                .note_told(&app.project, InjectedText { session: self.conversation.clone(), text, whole: None })
                .await;
            app.engine.flush_pending().await;
        }
        if self.sitting != self.before {
            // If it cannot be kept, telling something twice does no harm.
            let _ = self.sitting.write(&app.directories.state, &self.conversation);
        }
    }
}

/// Facts that a compaction lost, if they were not known yet when the session began anew; and earlier messages about
/// what the user asks.
async fn answer_prompt(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    sitting: &mut SessionState,
) -> Result<Option<Value>, AppError> {
    let restored = restore_facts(app, event, conversation, sitting);
    let recalled = recall_for_prompt(app, event, conversation, sitting).await?;
    Ok(match (restored, recalled) {
        (Some(restored), recalled) => Some(restored.into_answer(event, recalled.as_deref())),
        (None, recalled) => recalled.map(|text| hook_output(event, "additionalContext", &text.into())),
    })
}

/// Earlier messages about the user's question.
async fn recall_for_prompt(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    sitting: &mut SessionState,
) -> Result<Option<String>, AppError> {
    let tokens = app.config.hooks.recall_tokens;
    let Some(said) = event.prompt_text().filter(|_| tokens > 0) else { return Ok(None) };
    // A prompt that asks and orders nothing is not searched for at all.
    let Some(prompt) = RecallPrompt::from_text(said) else { return Ok(None) };
    let request = RecallRequest {
        query: said.to_owned(),
        scope: RecallScope::Project,
        role: None,
        since: None,
        until: None,
        limit: CANDIDATES,
        budget: None,
        // Neither user nor agent asked for this text, so no model is paid for it.
        initiative: engine::CallInitiative::Background,
    };
    let mut reply = app.engine.recall_messages(&app.project, request.clone()).await?;
    if prompt.asks_about_past() {
        // The words about an output stand before it, so the output itself is hardly ever among the first results.
        let outputs = RecallRequest { role: Some(MessageRole::Tool), limit: OUTPUTS, ..request };
        let outputs = app.engine.recall_messages(&app.project, outputs).await?;
        reply.degraded.extend(outputs.degraded);
        reply.results.extend(outputs.results);
    }
    // A degraded search may have missed the better half; an unasked text should be right or absent.
    if !reply.degraded.is_empty() {
        return Ok(None);
    }
    // The agent still has what this conversation said, unless it was compacted.
    let mut found = reply.results;
    found.retain(|hit| sitting.compacted || hit.conversation != conversation);
    let Some((text, shown)) = injection::render_recalled(&prompt, &found, &sitting.injected, tokens) else {
        return Ok(None);
    };
    sitting.injected.extend(shown);
    Ok(Some(text))
}

/// The project, what its conversations left behind, and whether something is wrong with us.
async fn answer_start(app: &App, event: &HookEvent, conversation: &str) -> Result<Option<Value>, AppError> {
    let tokens = app.config.hooks.orientation_tokens;
    if tokens == 0 {
        return Ok(None);
    }
    let request = ProjectMemoryRequest { except: Some(conversation.to_owned()), budget: TokenCount(tokens / 2) };
    let memory = app.engine.project_memory(&app.project, request).await?;
    // Indexing is not done while an agent waits.
    let is_ready = app.engine.project_status(&app.project, Vec::new()).await?.index_ready();
    let briefing = if is_ready && app.project.is_repository() {
        Some(app.engine.build_briefing(&app.project, BriefingRequest { budget: TokenCount(tokens / 2) }).await?)
    } else {
        None
    };
    let failures = failures::render_failures(&app.directories.state, &app.project.id);
    // An agent sees the few files of a small project at one look; a briefing would only cost tokens.
    let briefing = briefing.filter(|briefing| briefing.files > ONE_LOOK);
    let text = injection::render_orientation(
        briefing.as_ref().map(|briefing| briefing.text.as_str()),
        memory.as_ref(),
        failures.as_deref(),
        tokens,
    );
    Ok(text.map(|text| hook_output(event, "additionalContext", &text.into())))
}

/// Remembers what the agent's own summary lost.
async fn compare_summary(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    sitting: &mut SessionState,
) -> Result<(), AppError> {
    super::drain_spool(app, COMPACTING).await?;
    let facts = match app.engine.describe_item(conversation).await {
        Ok(DescribedItem::Conversation { facts, .. }) => facts,
        // Nothing of the conversation is stored yet, so nothing can be missing.
        Ok(_) | Err(engine::Error::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let compared = guard::compare_facts(event.compact_summary(), &facts);
    sitting.note_compared(compared.kept, compared.lost);
    Ok(())
}

/// Changes what is remembered of the session of an event.
fn update_session(taken: &SpooledEvent, change: impl FnOnce(&mut SessionState, &HookEvent)) {
    let Some(conversation) = taken.event.conversation_name() else { return };
    let state = &taken.loaded.directories.state;
    let before = SessionState::read(state, &conversation);
    let mut sitting = before.clone();
    change(&mut sitting, &taken.event);
    if sitting != before {
        // If it cannot be kept, telling something twice does no harm.
        let _ = sitting.write(state, &conversation);
    }
}

/// Whether the transcript of a session contains, behind a place, the text injected after a compaction.
fn has_restored(event: &HookEvent, from: u64) -> bool {
    let Some(mut file) = event.transcript_path().and_then(|path| fs_err::File::open(path).ok()) else { return false };
    let mut bytes = Vec::new();
    // From the place where the transcript ended then: an older compaction may have left the same sentence before it.
    let is_read = file.seek(SeekFrom::Start(from)).and_then(|_| file.take(LONGEST_LOOK).read_to_end(&mut bytes));
    is_read.is_ok() && memchr::memmem::find(&bytes, injection::RESTORED.as_bytes()).is_some()
}

/// The text about facts that a compaction lost.
struct RestoredFacts {
    text: String,
    /// One line for the user.
    counted: String,
}

impl RestoredFacts {
    /// The answer to an event, with other texts to inject.
    fn into_answer(self, event: &HookEvent, more: Option<&str>) -> Value {
        let text = more.map_or(self.text.clone(), |more| format!("{}\n{more}", self.text));
        let mut answer = hook_output(event, "additionalContext", &text.into());
        answer["systemMessage"] = self.counted.into();
        answer
    }
}

/// Takes the facts that the last compaction lost, to be injected once, and counts them.
fn restore_facts(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    sitting: &mut SessionState,
) -> Option<RestoredFacts> {
    let (kept, lost) = (std::mem::take(&mut sitting.kept), std::mem::take(&mut sitting.lost));
    if (kept, lost.len()) == (0, 0) {
        return None;
    }
    let told = injection::render_restored(&lost, app.config.hooks.orientation_tokens);
    let (text, restored) = told.map_or((None, 0), |(text, restored)| (Some(text), restored));
    let (at, project, session) = (event.envelope.at, app.project.id.to_string(), conversation.to_owned());
    let compaction = CompactionRecord { at, project, session, kept, lost: lost.len(), restored };
    // The prompt and the session start may both restore facts of one compaction, which counts once.
    if !sitting.is_counted {
        let _ = compactions::append_compaction(&app.directories.state, &compaction);
    }
    let counted = format!("epitome: compaction kept {kept} facts, lost {}; {restored} restored", lost.len());
    (sitting.is_counted, sitting.restored, sitting.restored_at) = (true, lost, event.envelope.transcript_bytes);
    text.map(|text| RestoredFacts { text, counted })
}

/// An answer in the shape of Claude Code, which most of the others took over.
fn hook_output(event: &HookEvent, name: &str, value: &Value) -> Value {
    match event.envelope.agent.as_str() {
        "copilot-cli" => json!({ name: value }),
        // It knows only its own word for it.
        VS_CODE => json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", name: value } }),
        _ => json!({ "hookSpecificOutput": { "hookEventName": event.envelope.event, name: value } }),
    }
}
