//! Imports transcripts of agents: every byte into the archive, every message into its conversation, nothing twice.
//!
//! A file is read from where its archive ends, after the bytes before were compared by hash; other or fewer bytes there
//! begin another generation. Each step stores some megabytes with their messages, so an import after a crash continues
//! with the next step and gets the same result.

mod archive_comparison;
mod import_writer;
mod lag;
mod projection_feed;
mod rebuild;
mod silent_transcripts;
mod step;
#[cfg(test)]
mod tests;
mod transcript;

pub use archive_comparison::TranscriptStatus;
pub(super) use archive_comparison::compare_with_archive;
pub use lag::TranscriptLag;
pub(crate) use lag::find_lagging_transcripts;
pub use rebuild::ProjectionFactory;
pub(crate) use rebuild::rebuild_messages;
pub use silent_transcripts::SilentTranscript;
pub(crate) use silent_transcripts::find_silent_transcripts;
pub use transcript::ReadableTranscript;

use self::import_writer::ImportWriter;
use self::projection_feed::ProjectionFeed;
use self::step::{ImportStep, StepReceiver};
use super::archive::whole_headers;
use super::recall;
use crate::base::{Error, Observer, Project, Result, run_blocking};
use crate::memory::MemoryContext;
use model::scrub::Scrubber;
use model::{AgentName, ConversationId, ProjectId};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use store::{FrameHeader, Generation, GenerationId, GenerationOrigin, QuarantinedLine, TranscriptSource};

/// What to import.
pub struct ImportRequest {
    /// The transcripts, in the order in which they are imported.
    pub transcripts: Vec<Arc<dyn ReadableTranscript>>,
    /// Whether to store anything.
    pub mode: ImportMode,
    /// The project from which the transcripts were named; none where they were found by themselves.
    pub project: Option<Project>,
}

/// Whether an import stores what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    /// It stores.
    Store,
    /// It only says what it would store.
    DryRun,
}

/// The results of an import.
#[derive(Clone, Debug, Default)]
pub struct ImportReport {
    /// One for each transcript that was read, in order.
    pub imported: Vec<ImportedTranscript>,
    /// Transcripts that were not read, each with the reason.
    pub skipped: Vec<(String, String)>,
}

/// The result for one transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedTranscript {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The name of the conversation.
    pub name: String,
    /// A line for people, where the transcript has one.
    pub title: Option<String>,
    /// The agent that wrote it.
    pub agent: AgentName,
    /// Its path.
    pub path: String,
    /// The project that its conversation belongs to.
    pub project: Option<ProjectId>,
    /// The directory that the transcript says it is about.
    pub directory: Option<String>,
    /// How it compares with what was archived before.
    pub standing: TranscriptStatus,
    /// Lines it has, all of them in the archive.
    pub lines: u64,
    /// Messages made from them.
    pub messages: u64,
    /// Lines that are new with this import.
    pub new_lines: u64,
    /// Messages that are new with this import.
    pub new_messages: u64,
    /// Messages among them whose id was taken by other words; stored beside those.
    pub revised: u64,
    /// New lines in which secrets were replaced.
    pub scrubbed: u64,
    /// Lines that could not be read, old and new.
    pub quarantined: Vec<QuarantinedLine>,
    /// Kinds of lines that we do not know, old and new, with how many there are.
    pub unknown: Vec<(String, u64)>,
    /// Bytes behind the last whole line.
    pub unfinished: u64,
    /// Whether bytes that were archived are gone from a file to which its agent only ever appends.
    pub is_shortened: bool,
    /// The kinds of its lines, most frequent first, where they gave no message at all.
    pub silent: Vec<(String, u64)>,
}

/// How often to start over when another process imports the same file at the same time.
const MAX_IMPORT_ATTEMPTS: usize = 8;

/// From so many new messages on, an import builds the index of recall.
const INDEX_BUILD_THRESHOLD: u64 = 256;

/// Frames replayed at a time.
const REPLAY_BATCH_FRAMES: u32 = 16;

pub(crate) async fn import(
    memory: &MemoryContext,
    request: ImportRequest,
    observer: &dyn Observer,
) -> Result<ImportReport> {
    // A dry run writes nothing, and says what would be imported if it were allowed.
    if request.mode == ImportMode::Store {
        memory.check_enabled("import transcripts")?;
    }
    let mut report = ImportReport::default();
    let total = request.transcripts.iter().map(|transcript| transcript.byte_size()).sum();
    let mut progress = ImportProgress { observer, before: 0, total };
    // Listed once, before the first write: it decides which files are new and may be read ahead.
    let before = memory.store.list_generations().await?;
    let known: HashSet<&str> = before.iter().map(|generation| generation.source.path.as_str()).collect();
    let scrubber = memory.scrubber.load().await?;
    // The next transcript is read while this one is written; what the archive has of it is compared first.
    let ahead = |next: &Arc<dyn ReadableTranscript>| {
        // A known file has to be compared with its archive first, and may have to be read from the middle.
        let is_new = !known.contains(next.source_path().as_str());
        is_new.then(|| step::spawn_reader(Arc::clone(next), Arc::clone(scrubber), new_feed(&**next)))
    };
    let mut transcripts = request.transcripts.into_iter().peekable();
    let mut steps = transcripts.peek().and_then(ahead);
    while let Some(transcript) = transcripts.next() {
        let begun = std::mem::replace(&mut steps, transcripts.peek().and_then(ahead));
        let bytes = transcript.byte_size();
        let path = transcript.source_path();
        let scrubber = Arc::clone(scrubber);
        let import = TranscriptImport {
            memory,
            transcript,
            scrubber,
            mode: request.mode,
            before: &before,
            project: request.project.as_ref(),
        };
        match import.run(&progress, begun).await {
            Ok(Some(imported)) => report.imported.push(imported),
            Ok(None) => report.skipped.push((path, "empty".to_owned())),
            // One file that vanished or cannot be read must not end an import of hundreds.
            Err(Error::Disk(error)) => report.skipped.push((path, error.to_string())),
            Err(error) => return Err(error),
        }
        progress.before += bytes;
    }
    let new: u64 = report.imported.iter().map(|imported| imported.new_messages).sum();
    if request.mode == ImportMode::Store && new >= INDEX_BUILD_THRESHOLD {
        // The first recall would wait for it otherwise. It is derived data: a failure does not fail the import, and
        // the first recall tries again.
        if let Err(error) = recall::prepare_corpus(memory).await {
            tracing::warn!(%error, "could not index the imported messages for recall");
        }
    }
    Ok(report)
}

/// The feed of a transcript before its first line.
fn new_feed(transcript: &dyn ReadableTranscript) -> ProjectionFeed {
    ProjectionFeed::new(transcript.new_projection(), transcript.container())
}

/// How far a whole import is.
struct ImportProgress<'a> {
    observer: &'a dyn Observer,
    before: u64,
    total: u64,
}

impl ImportProgress<'_> {
    /// Reports how many bytes of the current transcript are done.
    fn report_bytes(&self, bytes: u64) -> Result<()> {
        self.observer.report_progress("importing", self.before + bytes, self.total);
        if self.observer.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// The import of one transcript.
struct TranscriptImport<'a> {
    memory: &'a MemoryContext,
    transcript: Arc<dyn ReadableTranscript>,
    scrubber: Arc<Scrubber>,
    mode: ImportMode,
    /// What the archive had before this run.
    before: &'a [Generation],
    /// The project from which the transcript was named.
    project: Option<&'a Project>,
}

impl TranscriptImport<'_> {
    /// `begun` are the steps of a transcript that the archive did not have, read from its first byte on.
    async fn run(
        &self,
        progress: &ImportProgress<'_>,
        mut begun: Option<StepReceiver>,
    ) -> Result<Option<ImportedTranscript>> {
        for _ in 0..MAX_IMPORT_ATTEMPTS {
            // What was read ahead serves the first attempt alone: after a conflict the archive has lines of the other
            // process.
            match self.try_import(progress, begun.take()).await {
                // Another process imports the same file. What it stored need not be stored again.
                Err(Error::Store(store::Error::Conflict { .. })) => {}
                outcome => return outcome,
            }
        }
        let what = "archive of transcript";
        let id = self.transcript.source_path();
        Err(Error::Store(store::Error::Conflict { what, id }))
    }

    async fn try_import(
        &self,
        progress: &ImportProgress<'_>,
        begun: Option<StepReceiver>,
    ) -> Result<Option<ImportedTranscript>> {
        let store = &self.memory.store;
        let source = TranscriptSource { agent: self.transcript.agent_name(), path: self.transcript.source_path() };
        let known = store.newest_generation(&source).await?;
        let (headers, is_damaged) = match &known {
            None => (Vec::new(), false),
            Some(generation) => match whole_headers(&**store, generation).await {
                // The original is still on disk, and may be the last whole copy.
                Err(Error::Store(error)) if error.is_damage() => {
                    tracing::warn!(%error, "the transcript is archived once more, from its beginning");
                    (Vec::new(), true)
                }
                headers => (headers?, false),
            },
        };
        // Another process may have imported the file since the list was made.
        let begun = begun.filter(|_| known.is_none());
        let is_paused = headers.last().is_some_and(|header| header.paused);
        let mut standing = self.compare_transcript(known.clone(), headers).await?;
        let before = if known.is_none() { self.find_moved_generation(&source).await? } else { None };
        if before.is_some() {
            standing = TranscriptStatus::Begun(GenerationOrigin::Moved);
        }
        // Nothing is appended to a damaged archive: the file is archived again, as a new generation.
        if is_damaged {
            standing = TranscriptStatus::Begun(GenerationOrigin::Rewritten);
        }
        let mut feed = new_feed(&*self.transcript);
        let mut writer = ImportWriter::new(self, source, known, standing, before)?;
        if let Some(generation) = writer.continued_generation() {
            // Not paused: a run was stopped before it gave out the last messages, which an equal file still owes.
            if standing == TranscriptStatus::Same && is_paused {
                return writer.finish().await;
            }
            feed = self.replay_archive(generation.id, feed).await?;
        }
        let read = || step::spawn_reader(Arc::clone(&self.transcript), Arc::clone(&self.scrubber), feed);
        let mut steps = begun.unwrap_or_else(read);
        while let Some(step) = steps.recv().await {
            let step = step.map_err(Error::Disk)?;
            let done = step.end;
            writer.write_step(step).await?;
            progress.report_bytes(done)?;
        }
        writer.finish().await
    }

    async fn compare_transcript(
        &self,
        known: Option<Generation>,
        headers: Vec<FrameHeader>,
    ) -> Result<TranscriptStatus> {
        let transcript = Arc::clone(&self.transcript);
        let Some(known) = known else { return Ok(TranscriptStatus::Begun(GenerationOrigin::First)) };
        let compare = move || {
            archive_comparison::compare_with_archive(
                &mut *transcript.open_at(0)?,
                transcript.file_identity()?,
                &known,
                &headers,
            )
        };
        run_blocking("comparing a transcript with its archive", compare).await?.map_err(Error::Disk)
    }

    /// The generation of the same file at its old place, where the file is no longer.
    async fn find_moved_generation(&self, source: &TranscriptSource) -> Result<Option<&Generation>> {
        let Some(identity) = self.transcript.file_identity().map_err(Error::Disk)? else { return Ok(None) };
        let same = |old: &&Generation| old.source.agent == source.agent && old.identity == Some(identity);
        // Where the old path still exists, the file has two names (a hard link) and was not moved.
        let gone = |old: &&Generation| !Path::new(&old.source.path).exists();
        for old in self.before.iter().filter(same).filter(gone) {
            // Inodes are reused, so the first frame has to match as well.
            let Some(header) = self.memory.store.frame_headers(old.id).await?.into_iter().next() else { continue };
            let transcript = Arc::clone(&self.transcript);
            let compare = move || archive_comparison::begins_with(&mut *transcript.open_at(0)?, &header);
            if run_blocking("comparing transcripts", compare).await?.map_err(Error::Disk)? {
                return Ok(Some(old));
            }
        }
        Ok(None)
    }

    /// Brings a projection to where it was. Its messages on the way are dropped: they were stored with their lines.
    async fn replay_archive(&self, generation: GenerationId, mut feed: ProjectionFeed) -> Result<ProjectionFeed> {
        let mut next = 0;
        loop {
            let frames = self.memory.store.load_frames(generation, next, REPLAY_BATCH_FRAMES).await?;
            if frames.is_empty() {
                return Ok(feed);
            }
            next += frames.len() as u64;
            let replay = move || {
                for frame in &frames {
                    feed.replay_frame(frame, &mut ImportStep::default());
                }
                feed
            };
            feed = run_blocking("replaying a transcript", replay).await?;
        }
    }
}
