//! Takes in a hook event: removes secrets from its JSON body and writes it durably to the spool, before anything else
//! is done with it.

use super::failures::HookFailure;
use super::scrub_key;
use crate::config::{self, AppDirectories, ConfigSources, Environment, LoadedConfig, PROJECT_FILE};
use crate::spool::Spool;
use agents::HookEvent;
use engine::Project;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// Where an event belongs, once it is known that it can be kept.
pub(super) struct SpooledEvent {
    pub(super) event: HookEvent,
    pub(super) loaded: LoadedConfig,
    pub(super) project: Option<Project>,
}

/// How long the rules of a project may take; what is left of [`HOOK_EVENT_TIMEOUT`](super::HOOK_EVENT_TIMEOUT) is for keeping the event without them.
const PROJECT_RULES: Duration = Duration::from_secs(2);

/// Scrubs an event and puts it into the spool; none when nothing is to be recorded.
///
/// A secret must be gone before the first write, so the event is scrubbed first and written then. The rules of a project
/// come from the authors of the repository: they are read, compiled and followed on a thread of their own, and where
/// that fails or takes too long, the event is kept with the built-in rules and those of the user. It is never lost to
/// them.
pub(super) fn spool_event(
    mut raw: HookEvent,
    project: Option<Project>,
    environment: &Environment,
    directories: &AppDirectories,
    record: &impl Fn(HookFailure),
) -> Result<Option<SpooledEvent>, HookFailure> {
    let transcript = raw.transcript_path().and_then(|path| fs_err::metadata(path).ok());
    // The length of the transcript tells a later look from where on this event can be in it.
    raw.envelope.transcript_bytes = transcript.map_or(0, |transcript| transcript.len());
    let file = project.as_ref().map(|project| project.root.clone());
    // `symlink_metadata`, because a link to nowhere is a project file as well, and has to be reported.
    let file = file.filter(|root| root.join(PROJECT_FILE).symlink_metadata().is_ok());
    let in_project = file.map(|root| scrub_in_project(&raw, root, environment, directories));
    let scrubbed = if let Some(Ok(scrubbed)) = in_project {
        scrubbed
    } else {
        let Ok(loaded) = config::load_config(ConfigSources { environment, project_root: None, flags: &[] }) else {
            // Without readable settings the built-in rules still scrub: an event is never stored with its secrets, nor
            // lost.
            let rules = scrub_key::open_scrubber(&directories.data, &[]).map_err(|_damaged| HookFailure::ScrubKey)?;
            append_to_spool(&raw, rules.scrub(&raw.bytes).bytes.into_owned(), directories)?;
            return Err(HookFailure::Settings);
        };
        in_project.and_then(Result::err).into_iter().for_each(record);
        ScrubbedEvent::from_body(&raw.bytes, loaded, directories)?
    };
    // Rules of a project may not replace more than half of a text, since a hostile one could blank everything.
    if scrubbed.is_left_out {
        record(HookFailure::ProjectRules);
    }
    if !scrubbed.loaded.config.memory.enabled {
        return Ok(None);
    }
    // Durable before anything else happens: the process may be killed at any moment from here on.
    let event = append_to_spool(&raw, scrubbed.bytes, directories)?;
    if !event.is_readable() {
        record(HookFailure::NoObject);
    }
    Ok(Some(SpooledEvent { event, loaded: scrubbed.loaded, project }))
}

/// The body of an event without its secrets, and the settings that say what those are.
struct ScrubbedEvent {
    loaded: LoadedConfig,
    bytes: Vec<u8>,
    /// Whether rules of the project would have replaced too much, and were not followed.
    is_left_out: bool,
}

impl ScrubbedEvent {
    fn from_body(body: &[u8], loaded: LoadedConfig, directories: &AppDirectories) -> Result<Self, HookFailure> {
        let rules = &loaded.config.sensitive.patterns;
        let rules = scrub_key::open_scrubber(&directories.data, rules).map_err(|_damaged| HookFailure::ScrubKey)?;
        let scrubbed = rules.scrub(body);
        Ok(Self { bytes: scrubbed.bytes.into_owned(), is_left_out: scrubbed.is_left_out, loaded })
    }
}

/// The same with the settings of a project, on a thread that is left alone when it takes too long.
fn scrub_in_project(
    raw: &HookEvent,
    root: PathBuf,
    environment: &Environment,
    directories: &AppDirectories,
) -> Result<ScrubbedEvent, HookFailure> {
    let (body, environment, directories) = (raw.bytes.clone(), environment.clone(), directories.clone());
    let (send, receive) = mpsc::channel();
    // A pattern from a repository can take unbounded time, so the thread is left alone when its time is up.
    std::thread::spawn(move || {
        let sources = ConfigSources { environment: &environment, project_root: Some(&root), flags: &[] };
        let scrubbed = match config::load_config(sources) {
            Ok(loaded) => ScrubbedEvent::from_body(&body, loaded, &directories),
            Err(_) => Err(HookFailure::ProjectFile),
        };
        // The receiver is gone if it took too long.
        let _ = send.send(scrubbed);
    });
    receive.recv_timeout(PROJECT_RULES).unwrap_or(Err(HookFailure::ProjectRules))
}

/// The event with a body that holds no secrets, once it is durable.
fn append_to_spool(raw: &HookEvent, bytes: Vec<u8>, directories: &AppDirectories) -> Result<HookEvent, HookFailure> {
    let event = HookEvent::new(raw.envelope.clone(), bytes);
    Spool::in_directory(&directories.data)
        .append_event(&event)
        .map_err(|error| HookFailure::from_spool_error(&error))?;
    Ok(event)
}
