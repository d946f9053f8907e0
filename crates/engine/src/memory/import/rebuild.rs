//! Rebuilds messages from archived transcripts with the projections (parsers) of this version.
//!
//! Neither an archived line nor a stored message is changed. A message that comes out as before is skipped, one that
//! comes out differently is stored beside it as a revision, and one that did not come out before is added. Only for a
//! transcript that had given no message at all, the archive also notes which lines its messages come from.

use super::import_writer::{ImportedRows, conversation_name, extract_rows};
use super::projection_feed::ProjectionFeed;
use super::silent_transcripts::most_frequent;
use super::step::ImportStep;
use super::{ImportReport, ImportedTranscript, REPLAY_BATCH_FRAMES, TranscriptStatus};
use crate::base::{Error, Observer, Result, run_blocking};
use crate::memory::MemoryContext;
use crate::memory::archive::whole_headers;
use crate::memory::artifact::ArtifactExtractor;
use model::{ProjectedMessage, Projection};
use store::{
    AppendBatch, AppendOutcome, ArchiveBatch, BatchTarget, ConflictPolicy, Generation, LineClass, MessageOrigin,
    NewTail, TranscriptSource,
};

/// Makes the projection that reads the lines of a source; none where its format is no longer known.
pub type ProjectionFactory<'a> = dyn Fn(&TranscriptSource) -> Option<Box<dyn Projection>> + Send + Sync + 'a;

pub(crate) async fn rebuild_messages(
    memory: &MemoryContext,
    reader: &ProjectionFactory<'_>,
    observer: &dyn Observer,
) -> Result<ImportReport> {
    memory.check_enabled("rebuild messages")?;
    let generations = memory.store.list_generations().await?;
    let total = generations.len() as u64;
    let mut report = ImportReport::default();
    for (done, generation) in (0..).zip(generations) {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        observer.report_progress("rebuilding", done, total);
        // An agent whose format was removed keeps its archive and its messages; only the rebuild passes it over.
        if let Some(projection) = reader(&generation.source) {
            report.imported.push(rebuild_generation(memory, generation, projection).await?);
        } else {
            let reason = format!("this version has no reader for transcripts of {}", generation.source.agent);
            report.skipped.push((generation.source.path, reason));
        }
    }
    Ok(report)
}

async fn rebuild_generation(
    memory: &MemoryContext,
    generation: Generation,
    projection: Box<dyn Projection>,
) -> Result<ImportedTranscript> {
    let was_silent = generation.messages == 0;
    let tail = memory.store.load_tail(generation.id).await?;
    let mut rebuilding = GenerationRebuild { memory, generation, was_silent, tail, new: 0, revised: 0 };
    let id = rebuilding.generation.id;
    let mut feed = ProjectionFeed::new(projection, rebuilding.generation.container);
    // Before the first message: half of a damaged archive would look like a conversation that ended early.
    whole_headers(&*memory.store, &rebuilding.generation).await?;
    let mut next = 0;
    loop {
        let frames = memory.store.load_frames(id, next, REPLAY_BATCH_FRAMES).await?;
        if frames.is_empty() {
            break;
        }
        next += frames.len() as u64;
        let replay = move || {
            let mut step = ImportStep::default();
            for frame in &frames {
                feed.replay_frame(frame, &mut step);
            }
            (feed, step.messages)
        };
        let messages;
        (feed, messages) = run_blocking("replaying a transcript", replay).await?;
        rebuilding.store_messages(messages).await?;
    }
    if let Some(tail) = rebuilding.tail.clone() {
        let mut step = ImportStep::default();
        feed.feed_tail(&tail, &mut step);
        rebuilding.store_messages(step.messages).await?;
    }
    rebuilding.finish().await
}

struct GenerationRebuild<'a> {
    memory: &'a MemoryContext,
    generation: Generation,
    /// Whether its lines gave no message so far.
    was_silent: bool,
    /// What is behind the last whole line.
    tail: Option<Vec<u8>>,
    new: u64,
    revised: u64,
}

impl GenerationRebuild<'_> {
    async fn store_messages(&mut self, messages: Vec<ProjectedMessage>) -> Result<()> {
        let threshold = self.memory.settings.artifact_tokens;
        let scrubber = self.memory.scrubber.load().await?;
        let ImportedRows { rows, artifacts, origins } =
            extract_rows(messages, ArtifactExtractor { scrubber, threshold });
        let append = AppendBatch {
            conversation: self.generation.conversation.clone(),
            name: conversation_name(&self.generation.head),
            // The conversation has its project already; the directory of the transcript may be gone by now.
            project: None,
            author: self.memory.author.owner(),
            title: self.generation.head.title.clone(),
            rows,
            artifacts,
            taken: ConflictPolicy::Revise,
            now: self.memory.clock.now(),
        };
        // Through the archive, so that the generation's count of messages and their lines is right from now on.
        let appended = if self.was_silent {
            let archived = self.memory.store.archive_batch(self.build_batch(append, origins)).await?;
            self.generation = archived.generation;
            archived.messages
        } else {
            self.memory.store.append_messages(append).await?
        };
        for appended in appended {
            match appended {
                AppendOutcome::New(_) => self.new += 1,
                AppendOutcome::Revised(_) => self.revised += 1,
                AppendOutcome::Known(_) | AppendOutcome::Conflict { .. } => {}
            }
        }
        Ok(())
    }

    /// A step that adds no line, and notes where messages come from.
    fn build_batch(&self, messages: AppendBatch, origins: Vec<MessageOrigin>) -> ArchiveBatch {
        let Generation { id, checkpoint, head, tail, .. } = &self.generation;
        let tail = tail.zip(self.tail.clone()).map(|((original_bytes, original_hash), content)| NewTail {
            content,
            original_bytes,
            original_hash,
        });
        ArchiveBatch {
            target: BatchTarget::Continue { generation: *id, checkpoint: *checkpoint },
            head: head.clone(),
            frames: Vec::new(),
            tail,
            kinds: Vec::new(),
            quarantined: Vec::new(),
            messages,
            origins,
        }
    }

    async fn finish(self) -> Result<ImportedTranscript> {
        let Self { memory, generation, new, revised, .. } = self;
        let kinds = memory.store.line_kinds(generation.id).await?;
        let silent = if generation.lines > 0 && generation.messages == 0 { most_frequent(&kinds) } else { Vec::new() };
        let unknown = kinds.into_iter().filter(|kind| kind.class == LineClass::Unknown);
        let name = conversation_name(&generation.head);
        Ok(ImportedTranscript {
            silent,
            project: memory.store.load_conversation(&generation.conversation).await?.and_then(|known| known.project),
            directory: generation.head.project_dir,
            quarantined: memory.store.load_quarantine(generation.id).await?,
            unknown: unknown.map(|kind| (kind.name, kind.lines)).collect(),
            name,
            conversation: generation.conversation,
            title: generation.head.title,
            agent: generation.source.agent,
            path: generation.source.path,
            standing: TranscriptStatus::Same,
            lines: generation.lines,
            messages: generation.messages,
            new_lines: 0,
            new_messages: new + revised,
            revised,
            scrubbed: 0,
            unfinished: generation.tail.map_or(0, |(bytes, _)| bytes),
            is_shortened: false,
        })
    }
}
