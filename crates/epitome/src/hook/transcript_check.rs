//! Imports the transcripts that hook events name, and checks which events they contain already, so that those are not
//! stored a second time. Where an agent keeps its conversations in a database, that is used, whatever file an event
//! names besides: what `import` would read later must be what was compared, or everything would be stored twice.

use super::output_brief::{OutputBrief, brief_output};
use super::scrub_key;
use crate::compose::App;
use crate::transcripts::{AgentTranscript, LocalTranscripts};
use agents::{ConversationLookup, HookEvent};
use engine::{
    Error, EventCoverage, ImportMode, ImportRequest, NullObserver, ReadableTranscript, ResultLayout,
    messages_have_event, transcript_has_event,
};
use model::{ProjectedMessage, TranscriptContainer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;

/// How far before an event its words may already have been written; what it says itself comes on top of that, escaped.
const TRANSCRIPT_LOOKBACK_BYTES: u64 = 1 << 20;

/// The transcripts of events, as they were when they were imported.
pub(super) struct EventTranscripts {
    /// By agent and session.
    rows: BTreeMap<(String, String), ConversationRows>,
    /// By the path that events name: the last bytes, without secrets.
    texts: BTreeMap<String, Vec<u8>>,
    /// The messages in these, where the agent's log repeats what hooks were told.
    logs: BTreeMap<String, Vec<ProjectedMessage>>,
}

/// A conversation in the database of its agent.
enum ConversationRows {
    /// Its lines, without secrets.
    Read(Vec<u8>),
    /// It is not in the database yet, or that could not be read.
    Expected,
}

/// A transcript to import, and how far what is in it was read before.
struct OpenTranscript {
    transcript: Arc<dyn ReadableTranscript>,
    from: u64,
}

impl OpenTranscript {
    /// What was read of it, without lines that are torn: nothing in them becomes a message.
    fn without_torn(&self, bytes: Vec<u8>) -> Vec<u8> {
        // A document is one JSON value, so a line of it is never whole by itself.
        if matches!(self.transcript.container(), TranscriptContainer::Document | TranscriptContainer::Rows) {
            return bytes;
        }
        // If reading begins in the middle, the rest of the first line is not known to be torn.
        let first = match self.from {
            0 => 0,
            _ => memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1),
        };
        let (cut, lines) = bytes.split_at(first);
        match agents::whole_lines(lines) {
            Cow::Borrowed(_) => bytes,
            Cow::Owned(whole) => [cut, &whole].concat(),
        }
    }
}

impl EventTranscripts {
    /// Imports what events name. Those that are `late` do not wait for a database any longer.
    pub(super) async fn import_named(
        app: &App,
        events: &[HookEvent],
        is_late: impl Fn(&HookEvent) -> bool,
    ) -> Result<Self, Error> {
        let mut witnesses = Self { rows: BTreeMap::new(), texts: BTreeMap::new(), logs: BTreeMap::new() };
        let call = app.build_call(&NullObserver);
        let Some(transcripts) = call.transcripts else { return Ok(witnesses) };
        // Scrubbed with the key that events are scrubbed with, or the same secret would look like two.
        let scrubber =
            scrub_key::open_scrubber(&app.directories.data, &call.config.sensitive.patterns).map_err(Error::Disk)?;
        let read = |opened: &OpenTranscript| {
            let mut bytes = Vec::new();
            opened.transcript.open_at(opened.from)?.read_to_end(&mut bytes)?;
            let bytes = opened.without_torn(bytes);
            Ok::<_, std::io::Error>(scrubber.scrub(&bytes).bytes.into_owned())
        };
        // Read before the import: lines that come while it runs are then not taken for imported.
        let mut opened = Vec::new();
        for (key, last) in newest_events(events) {
            match transcripts.find_conversation(&key.0, &key.1) {
                // In the middle of a turn rows are still changed, and each change would be stored as another wording.
                ConversationLookup::Here(held) if last.ends_turn() || is_late(last) => {
                    let held = OpenTranscript { transcript: Arc::new(AgentTranscript(*held)), from: 0 };
                    witnesses.rows.insert(key, read(&held).map_or(ConversationRows::Expected, ConversationRows::Read));
                    opened.push(held.transcript);
                }
                ConversationLookup::Here(_) | ConversationLookup::NotYet => {
                    drop(witnesses.rows.insert(key, ConversationRows::Expected));
                }
                ConversationLookup::InNone => {}
            }
        }
        for (path, from) in
            transcript_offsets(events.iter().filter(|event| !witnesses.expects_database(event) || is_late(event)))
        {
            let Some(opening) = open_transcript(transcripts, path, from) else { continue };
            if let Ok(text) = read(&opening) {
                let log = agents::logged_messages(&opening.transcript.agent_name().0, Path::new(path), &text);
                witnesses.logs.extend(log.map(|log| (path.to_owned(), log)));
                witnesses.texts.insert(path.to_owned(), text);
            }
            opened.push(opening.transcript);
        }
        if opened.is_empty() {
            return Ok(witnesses);
        }
        let report = app
            .engine
            .import_transcripts(
                ImportRequest { transcripts: opened, mode: ImportMode::Store, project: None },
                &NullObserver,
            )
            .await?;
        // A transcript that could not be imported counts as no source, whatever it says.
        let imported = |path: &Path| report.imported.iter().any(|imported| Path::new(&imported.path) == path);
        witnesses.texts.retain(|path, _| fs_err::canonicalize(path).is_ok_and(|path| imported(&path)));
        let skipped = |session: &str| report.skipped.iter().any(|(path, _)| path.ends_with(&format!("#{session}")));
        witnesses
            .rows
            .iter_mut()
            .filter(|(key, _)| skipped(&key.1))
            .for_each(|(_, rows)| *rows = ConversationRows::Expected);
        Ok(witnesses)
    }

    /// What the transcript of an event has of what it says, and what the agent was shown in the place of an output.
    pub(super) fn event_coverage(&self, app: &App, event: &HookEvent) -> (EventCoverage, Option<OutputBrief>) {
        if !self.has_event(event) {
            let may_still_have = self.transcript_text(event).is_some() || self.expects_database(event);
            let coverage = match (may_still_have, may_begin(event)) {
                (true, _) => EventCoverage::NotYet,
                (false, true) => EventCoverage::NotBegun,
                (false, false) => EventCoverage::Nowhere,
            };
            return (coverage, None);
        }
        let shown = self.transcript_text(event).and_then(|(text, _)| event.result_in(text));
        let brief = brief_output(event, &app.config.hooks);
        match brief.filter(|brief| shown.is_some_and(|shown| shown.contains(&brief.handle))) {
            Some(brief) => (EventCoverage::InPart, Some(brief)),
            None if event.has_output_file() => (EventCoverage::InPart, None),
            None => (EventCoverage::Whole, None),
        }
    }

    fn has_event(&self, event: &HookEvent) -> bool {
        let Some((text, results)) = self.transcript_text(event) else { return false };
        let log = event.transcript_path().and_then(|path| self.logs.get(path));
        let said = event.session_event();
        log.map_or_else(|| transcript_has_event(&said, text, results), |log| messages_have_event(&said, log))
    }

    fn transcript_text(&self, event: &HookEvent) -> Option<(&[u8], ResultLayout)> {
        match key_of(event).and_then(|key| self.rows.get(&key)) {
            Some(ConversationRows::Read(text)) => Some((text, ResultLayout::WithTheirCalls)),
            Some(ConversationRows::Expected) | None => {
                let text = event.transcript_path().and_then(|path| self.texts.get(path))?;
                Some((text, ResultLayout::Apart))
            }
        }
    }

    /// Whether an event belongs to a conversation that a database should have, or has.
    fn expects_database(&self, event: &HookEvent) -> bool {
        key_of(event).is_some_and(|key| self.rows.contains_key(&key))
    }
}

/// Whether an agent may be about to write the transcript of an event: the file does not exist yet, or holds only lines
/// that are not recognised.
fn may_begin(event: &HookEvent) -> bool {
    let may = |path: &str| match fs_err::metadata(path) {
        Ok(file) => file.is_file(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    event.transcript_path().is_some_and(may)
}

fn key_of(event: &HookEvent) -> Option<(String, String)> {
    Some((event.envelope.agent.clone(), event.session_id()?.to_owned()))
}

/// The newest event of each session; events are in the order of time.
fn newest_events(events: &[HookEvent]) -> BTreeMap<(String, String), &HookEvent> {
    events.iter().filter_map(|event| Some((key_of(event)?, event))).collect()
}

/// The transcripts that events name, and where to begin in each: before the first of its events.
fn transcript_offsets<'e>(events: impl Iterator<Item = &'e HookEvent>) -> BTreeMap<&'e str, u64> {
    let mut from: BTreeMap<&str, u64> = BTreeMap::new();
    for event in events {
        let Some(path) = event.transcript_path().filter(|path| Path::new(path).is_file()) else { continue };
        // Escaping can double the length of a text.
        let said = event.bytes.len() as u64 * 2;
        let begin = event.envelope.transcript_bytes.saturating_sub(TRANSCRIPT_LOOKBACK_BYTES + said);
        from.entry(path).and_modify(|known| *known = begin.min(*known)).or_insert(begin);
    }
    from
}

fn open_transcript(transcripts: &LocalTranscripts, path: &str, from: u64) -> Option<OpenTranscript> {
    let transcript = transcripts.select_transcripts(&[path.to_owned()], None).transcripts.pop()?;
    Some(OpenTranscript { transcript, from })
}
