//! Transcripts as witnesses: what an agent wrote down itself is imported, and need not be stored from its events.

use super::brief::{self, Brief};
use super::event::Event;
use super::{key, said};
use crate::compose::App;
use engine::{Error, ImportMode, ImportRequest, Unobserved};
use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// How far before an event its words may already have been written.
const BEFORE: u64 = 1 << 20;

/// The transcripts that events name, as they were when they were imported.
pub(super) struct Witnesses {
    /// Their last bytes, without secrets.
    texts: BTreeMap<String, Vec<u8>>,
}

impl Witnesses {
    pub(super) async fn of(app: &App, events: &[Event]) -> Result<Self, Error> {
        // Where to begin in each: before the first of its events.
        let mut from: BTreeMap<&str, u64> = BTreeMap::new();
        for (path, bytes) in
            events.iter().filter_map(|event| Some((event.transcript()?, event.envelope.transcript_bytes)))
        {
            from.entry(path).and_modify(|known| *known = bytes.min(*known)).or_insert(bytes);
        }
        from.retain(|path, _| Path::new(path).is_file());
        let call = app.call(&Unobserved);
        let (Some(transcripts), false) = (call.transcripts, from.is_empty()) else {
            return Ok(Self { texts: BTreeMap::new() });
        };
        // With the key that events are scrubbed with, or the same secret would look like two.
        let scrubber = key::scrubber(&app.directories.data, &call.config.sensitive.patterns).map_err(Error::Disk)?;
        // Read first: what comes while the import runs is then not taken for imported.
        let texts = from.iter().filter_map(|(path, from)| {
            let bytes = read_from(path, from.saturating_sub(BEFORE)).ok()?;
            Some(((*path).to_owned(), scrubber.scrub(&bytes).bytes.into_owned()))
        });
        let mut texts: BTreeMap<String, Vec<u8>> = texts.collect();
        let paths: Vec<String> = from.keys().map(|path| (*path).to_owned()).collect();
        let request =
            ImportRequest { transcripts: transcripts.choose(&paths, None).transcripts, mode: ImportMode::Store };
        let report = app.engine.import(request, &Unobserved).await?;
        // One that could not be imported is no witness, whatever it says.
        let imported = |path: &Path| report.imported.iter().any(|imported| Path::new(&imported.path) == path);
        texts.retain(|path, _| fs_err::canonicalize(path).is_ok_and(|path| imported(&path)));
        Ok(Self { texts })
    }

    fn text(&self, event: &Event) -> Option<&[u8]> {
        event.transcript().and_then(|path| self.texts.get(path)).map(Vec::as_slice)
    }

    /// Whether what an event says is stored with its transcript. An output that the agent was shown in brief is not.
    pub(super) fn have(&self, app: &App, event: &Event) -> bool {
        let is_in = self.text(event).is_some_and(|text| said::is_in(event, text));
        is_in && self.shown_in_brief(app, event).is_none()
    }

    /// What the agent was shown in the place of an output, where its transcript says so.
    pub(super) fn shown_in_brief(&self, app: &App, event: &Event) -> Option<Brief> {
        let text = self.text(event)?;
        brief::of(event, &app.config.hooks)
            .filter(|brief| memchr::memmem::find(text, brief.handle.as_bytes()).is_some())
    }

    /// Whether it is worth waiting.
    pub(super) fn may_still_have(&self, event: &Event) -> bool {
        self.text(event).is_some()
    }
}

fn read_from(path: &str, from: u64) -> std::io::Result<Vec<u8>> {
    let mut file = fs_err::File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
