//! Answers a hook event in the form that its agent reads: context for a new session or prompt, facts that a compaction
//! lost, a shortened tool output. Only ready data is used: nothing is indexed, imported or requested while an agent
//! waits, except for what a compaction is about to lose.

use super::failures::{HookFailure, render_failures};
use super::intake::SpooledEvent;
use super::output_brief::brief_output;
use super::session_file::{read_session, write_session};
use crate::compactions::{self, CompactionRecord};
use crate::compose::{self, App};
use crate::daemon_link::{self, DaemonAnswer};
use crate::detach::spawn_detached;
use crate::errors::AppError;
use agents::HookEvent;
use engine::{
    FailureRequest, InjectedText, InjectionLevel, OrientationRequest, PromptRequest, RESTORED_HEADING, RestoredFacts,
    SessionState,
};
use model::{EventKind, StartReason, show_name};
use std::ffi::OsStr;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::time::{Duration, Instant};

/// How long the guard of compaction waits for another process that empties the spool.
const SPOOL_WAIT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an answer is compared with the code while an agent waits.
const CRITIQUE_TIMEOUT: Duration = Duration::from_secs(2);
/// How far a transcript is looked through while an agent waits: what a hook tells is written down right after it.
const LONGEST_LOOK: u64 = 4 << 20;

/// The answer to an event, if it has one.
pub(super) fn answer_event(taken: SpooledEvent) -> Result<Option<String>, HookFailure> {
    match taken.event.event_kind() {
        EventKind::Result if !taken.event.reads_failure() => {
            let brief = brief_output(&taken.event, &taken.loaded.config.hooks);
            return Ok(brief.map(|brief| taken.event.output_answer(&brief.output).to_string()));
        }
        // The agent waits for no text from these events; they are a good moment to take in what the spool holds.
        moment @ (EventKind::BeforeCompact | EventKind::Stop | EventKind::End) => {
            if moment == EventKind::BeforeCompact {
                update_session(&taken, |session, _| session.forget_compaction());
            } else if moment == EventKind::Stop {
                // The turn ended, so the model has worked with the injected text.
                update_session(&taken, |session, _| session.restored.clear());
            }
            if has_daemon(&taken) {
                daemon_link::request_drain(&taken.loaded.directories);
            } else {
                // If it cannot be started, the next command drains the spool.
                let _ = spawn_detached(&["drain", "--quiet"].map(OsStr::new), None);
            }
            let has_words = moment == EventKind::Stop && taken.event.last_words().is_some();
            if !(has_words && taken.loaded.config.hooks.critique) {
                return Ok(None);
            }
        }
        // A resumed session replays injected texts together with the rest of the conversation. A text injected after a
        // compaction to a process that ended right then is not in it, and counts as lost.
        EventKind::Start(StartReason::Again) => update_session(&taken, |session, event| {
            if !session.restored.is_empty() && !has_restored(event, session.restored_at) {
                session.lose_restored();
            }
        }),
        EventKind::Call | EventKind::Other => return Ok(None),
        // Every subagent ends with this event; only the one that writes the summary of a compaction matters here.
        EventKind::SubagentStop if !taken.event.ends_compaction() => return Ok(None),
        EventKind::Start(StartReason::Fresh | StartReason::Compacted)
        | EventKind::Prompt
        | EventKind::Result
        | EventKind::AfterCompact
        | EventKind::SubagentStop => {}
    }
    if !taken.event.reads_context() {
        return Ok(None);
    }
    let SpooledEvent { event, loaded, project } = taken;
    // Without a session nothing could be remembered, and the same text would be injected with every prompt.
    let (Some(project), true) = (project, event.conversation_name().is_some()) else { return Ok(None) };
    // The daemon has the store open already; opening it here is most of the time of an answer.
    if loaded.config.hooks.daemon_seconds > 0 {
        // If the daemon takes too long, there must be time left to work the answer out here.
        let patience = super::answer_timeout(&event.envelope.event) * 3 / 5;
        let answer = daemon_link::request_answer(&event, &loaded.environment, &loaded.directories, patience);
        if let DaemonAnswer::Answered(answer) = answer {
            return answer.map_err(|_failed| HookFailure::Answer);
        }
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

/// What a session is told.
struct SessionTelling {
    text: String,
    /// One line for the user.
    notice: Option<String>,
}

/// An answer, and what is remembered of it once it was given.
pub(crate) struct PreparedAnswer {
    told: Option<SessionTelling>,
    answer: Option<String>,
    conversation: String,
    agent: String,
    event: String,
    elapsed: Duration,
    before: SessionState,
    session: SessionState,
}

/// Works out the answer to an event about the project that is open.
pub(crate) async fn answer_from(app: &App, event: &HookEvent) -> Result<PreparedAnswer, AppError> {
    let started = Instant::now();
    let conversation = event.conversation_name().unwrap_or_default();
    let before = read_session(&app.directories.state, &conversation);
    let mut session = before.clone();
    let mut notice = None;
    let told = match event.event_kind() {
        EventKind::Stop => {
            notice = criticise_answer(app, event, &mut session).await?;
            None
        }
        EventKind::Prompt => {
            let told = answer_prompt(app, event, &conversation, &mut session).await?;
            // A compaction from here on is a new one, whether or not the agent reports its beginning.
            session.forget_compaction();
            told
        }
        EventKind::Start(StartReason::Compacted) => {
            // If the summary was not compared at an earlier event, the session may go on without another prompt, so
            // everything in force is injected now.
            if !session.begin_compacted() {
                compare_summary(app, event, &conversation, &mut session).await?;
            }
            restore_facts(app, event, &conversation, &mut session).and_then(|restored| restored.into_telling(None))
        }
        EventKind::Start(reason @ (StartReason::Fresh | StartReason::Again)) => {
            let health = render_failures(&app.directories.state, &app.project.id);
            let tokens = app.config.hooks.orientation_tokens;
            let is_resumed = reason == StartReason::Again;
            let request = OrientationRequest { conversation: conversation.clone(), is_resumed, health, tokens };
            let text = app.engine.orient_session(&app.project, request, &mut session).await?;
            text.map(|text| SessionTelling { text, notice: None })
        }
        EventKind::AfterCompact | EventKind::SubagentStop => {
            compare_summary(app, event, &conversation, &mut session).await?;
            None
        }
        EventKind::Result => answer_failure(app, event, &conversation, &mut session).await?,
        EventKind::Call | EventKind::BeforeCompact | EventKind::End | EventKind::Other => None,
    };
    let answer = told.as_ref().map(|told| event.context_answer(&told.text, told.notice.as_deref()));
    let answer = answer.or_else(|| notice.map(|notice| event.notice_answer(&notice))).map(|answer| answer.to_string());
    let (agent, moment) = (event.envelope.agent.clone(), event.envelope.event.clone());
    let elapsed = started.elapsed();
    Ok(PreparedAnswer { told, answer, conversation, agent, event: moment, elapsed, before, session })
}

impl PreparedAnswer {
    pub(crate) fn answer_text(&self) -> Option<String> {
        self.answer.clone()
    }

    /// Counts the injected text, and remembers it so that it is not injected again.
    pub(crate) async fn record_answer(self, app: &App) {
        if let Some(SessionTelling { text, .. }) = &self.told {
            let (session, elapsed) = (self.conversation.clone(), self.elapsed);
            let (agent, event) = (self.agent.as_str(), self.event.as_str());
            app.engine.note_told(&app.project, InjectedText { session, agent, event, text, whole: None, elapsed });
            app.engine.flush_pending().await;
        }
        if self.session != self.before {
            // If it cannot be kept, telling something twice does no harm.
            let _ = write_session(self.session, &app.directories.state, &self.conversation);
        }
    }
}

/// A line for the user about what the code contradicts of the answer that ended the turn; the agent is told with the
/// next prompt, since nothing here may keep a turn from ending.
async fn criticise_answer(
    app: &App,
    event: &HookEvent,
    session: &mut SessionState,
) -> Result<Option<String>, AppError> {
    let Some(words) = event.last_words() else { return Ok(None) };
    let found = app.engine.find_contradicted(&app.project, words);
    // A project whose index takes longer is criticised at the end of another turn.
    let Ok(found) = tokio::time::timeout(CRITIQUE_TIMEOUT, found).await else { return Ok(None) };
    let lines = session.note_contradicted(&found?);
    let [first, rest @ ..] = lines.as_slice() else { return Ok(None) };
    let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
    Ok(Some(format!("epitome: the code contradicts the answer: {}{more}", show_name(first))))
}

/// Facts that a compaction lost, if they were not known yet when the session began anew; and earlier messages about
/// what the user asks.
async fn answer_prompt(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    session: &mut SessionState,
) -> Result<Option<SessionTelling>, AppError> {
    let restored = restore_facts(app, event, conversation, session);
    let level = injection_level(app, conversation).await;
    let recalled = match event.prompt_text() {
        Some(said) => {
            let tokens = level.scale_tokens(app.config.hooks.recall_tokens);
            let request = PromptRequest { prompt: said.to_owned(), conversation: conversation.to_owned(), tokens };
            app.engine.recall_for_prompt(&app.project, request, session).await?
        }
        None => None,
    };
    // What was said before is told all the same where a suggestion cannot be read.
    let suggested = app.engine.deliver_suggestions(&app.project, conversation, SUGGESTION_TOKENS).await;
    let suggested = suggested.unwrap_or_else(|error| {
        tracing::warn!(%error, "no suggestion is told");
        None
    });
    let recalled = join_texts(recalled, suggested.map(|lines| wrap_suggestions(&lines)));
    // Said once, when it begins: less than before must not look like nothing to tell.
    let is_lowered = level > InjectionLevel::Full;
    let lowered = (is_lowered && !session.is_lowered).then(|| lowered_line(level));
    session.is_lowered = is_lowered;
    let recalled = match (recalled, &lowered) {
        (recalled, None) => recalled,
        (None, Some(line)) => Some(line.clone()),
        (Some(text), Some(line)) => Some(format!("{text}\n{line}")),
    };
    let recalled = join_texts(session.contradicted.take(), recalled);
    let restored = restored.and_then(|restored| restored.into_telling(recalled.as_deref()));
    Ok(restored.or_else(|| recalled.map(|text| SessionTelling { text, notice: lowered })))
}

/// What a prompt's suggestions may cost: they were asked for, and are told once.
const SUGGESTION_TOKENS: u32 = 200;

/// Suggestions as a quoted text, whose names of files cannot end the quotation.
fn wrap_suggestions(lines: &str) -> String {
    let shown = model::show_text(lines);
    let inside = model::quote_tags(&shown);
    let (begin, end) = (model::INJECTION_BEGIN, model::INJECTION_END);
    format!("{begin}\nAs subscribed (`subscription list`):\n{inside}{end}")
}

/// What was tried before about an error that a tool met.
async fn answer_failure(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    session: &mut SessionState,
) -> Result<Option<SessionTelling>, AppError> {
    let Some(error) = event.tool_error() else { return Ok(None) };
    let tokens = injection_level(app, conversation).await.scale_tokens(app.config.hooks.recall_tokens);
    let input = event.tool_input().map(ToString::to_string);
    let request = FailureRequest { error: error.to_owned(), input, tokens };
    let text = app.engine.recall_for_failure(&app.project, request, session).await?;
    Ok(text.map(|text| SessionTelling { text, notice: None }))
}

fn join_texts(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}\n{second}")),
        (first, second) => first.or(second),
    }
}

/// How much a session is told, by what it cost and spared lately.
async fn injection_level(app: &App, conversation: &str) -> InjectionLevel {
    if app.config.hooks.keep_injections || app.config.hooks.recall_tokens == 0 {
        return InjectionLevel::Full;
    }
    // Where the ledger cannot be read, what is set holds.
    app.engine.injection_level(&app.project, conversation).await.map(|(level, _)| level).unwrap_or_default()
}

fn lowered_line(level: InjectionLevel) -> String {
    let change = if level == InjectionLevel::Off { "nothing" } else { "half as much" };
    format!(
        "epitome: from here on prompts are answered with {change} of what was said before, because that cost more tokens \
         than it spared (epitome value); hooks.keep_injections = true keeps it on"
    )
}

/// Remembers what the agent's own summary lost.
async fn compare_summary(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    session: &mut SessionState,
) -> Result<(), AppError> {
    super::drain_spool(app, SPOOL_WAIT_TIMEOUT).await?;
    app.engine.compare_compaction(conversation, event.compact_summary(), session).await?;
    Ok(())
}

/// Changes what is remembered of the session of an event.
fn update_session(taken: &SpooledEvent, change: impl FnOnce(&mut SessionState, &HookEvent)) {
    let Some(conversation) = taken.event.conversation_name() else { return };
    let state = &taken.loaded.directories.state;
    let before = read_session(state, &conversation);
    let mut session = before.clone();
    change(&mut session, &taken.event);
    if session != before {
        // If it cannot be kept, telling something twice does no harm.
        let _ = write_session(session, state, &conversation);
    }
}

/// Whether the transcript of a session contains, behind a place, the text injected after a compaction.
fn has_restored(event: &HookEvent, from: u64) -> bool {
    let Some(mut file) = event.transcript_path().and_then(|path| fs_err::File::open(path).ok()) else { return false };
    let mut bytes = Vec::new();
    // From the place where the transcript ended then: an older compaction may have left the same sentence before it.
    let is_read = file.seek(SeekFrom::Start(from)).and_then(|_| file.take(LONGEST_LOOK).read_to_end(&mut bytes));
    is_read.is_ok() && memchr::memmem::find(&bytes, RESTORED_HEADING.as_bytes()).is_some()
}

/// What the last compaction lost, to be told once; it is counted the first time.
fn restore_facts(
    app: &App,
    event: &HookEvent,
    conversation: &str,
    session: &mut SessionState,
) -> Option<RestoredTelling> {
    let facts = session.restore_facts(app.config.hooks.orientation_tokens, event.envelope.transcript_bytes)?;
    let RestoredFacts { kept, lost, restored, .. } = facts;
    let (at, project, session) = (event.envelope.at, app.project.id.to_string(), conversation.to_owned());
    // The prompt and the session start may both restore facts of one compaction, which counts once.
    if facts.is_first {
        let compaction = CompactionRecord { at, project, session, kept, lost, restored };
        let _ = compactions::append_compaction(&app.directories.state, &compaction);
    }
    Some(RestoredTelling(facts))
}

/// Facts that a compaction lost, on their way to the session.
struct RestoredTelling(RestoredFacts);

impl RestoredTelling {
    /// What the session is told, with whatever else is; none where no fact is told.
    fn into_telling(self, more: Option<&str>) -> Option<SessionTelling> {
        let notice = Some(self.0.count_line());
        let text = self.0.text?;
        let text = more.map_or_else(|| text.clone(), |more| format!("{text}\n{more}"));
        Some(SessionTelling { text, notice })
    }
}
