//! Writes the steps of an import into the store, archived bytes and messages of a step in one batch, counts what was
//! added, and builds the import report of one transcript.

use super::silent_transcripts::most_frequent;
use super::step::ImportStep;
use super::{ImportMode, ImportedTranscript, TranscriptImport, TranscriptStatus};
use crate::base::{Error, Project, Result};
use crate::memory::artifact::{self, ArtifactExtractor};
use crate::memory::conversation_id;
use model::{ProjectId, ProjectedMessage, TranscriptHead};
use rayon::prelude::*;
use std::path::Path;
use store::{
    AppendBatch, AppendOutcome, ArchiveBatch, BatchTarget, ConflictPolicy, Generation, GenerationOrigin, KindCount,
    LineClass, MessageOrigin, NewArtifact, NewGeneration, NewRow, QuarantinedLine, TranscriptSource,
};

/// Writes the steps of one transcript.
pub(super) struct ImportWriter<'a> {
    import: &'a TranscriptImport<'a>,
    source: TranscriptSource,
    standing: TranscriptStatus,
    begin: NewGeneration,
    /// The generation that steps are appended to; `None` before the first step of a new one.
    generation: Option<Generation>,
    /// The generation of the file at its old place: it is still the same conversation.
    elsewhere: Option<&'a Generation>,
    /// The directory the transcript is about, and its project.
    project: Option<(String, Option<ProjectId>)>,
    tally: ImportTally,
    head: Option<TranscriptHead>,
}

/// Counts of what the steps added.
#[derive(Default)]
struct ImportTally {
    lines: u64,
    messages: u64,
    revised: u64,
    scrubbed: u64,
    unfinished: u64,
    quarantined: Vec<QuarantinedLine>,
    unknown: Vec<(String, u64)>,
    kinds: Vec<KindCount>,
}

impl<'a> ImportWriter<'a> {
    pub(super) fn new(
        import: &'a TranscriptImport<'a>,
        source: TranscriptSource,
        known: Option<Generation>,
        standing: TranscriptStatus,
        elsewhere: Option<&'a Generation>,
    ) -> Result<Self> {
        let (origin, generation) = match standing {
            TranscriptStatus::Begun(origin) => (origin, None),
            TranscriptStatus::Same | TranscriptStatus::Grown => (store::GenerationOrigin::First, known.clone()),
        };
        let begin = NewGeneration {
            source: source.clone(),
            after: known.map_or(0, |known| known.number),
            origin,
            container: import.transcript.container(),
            identity: import.transcript.file_identity().map_err(Error::Disk)?,
        };
        let tally = ImportTally::default();
        Ok(Self { import, source, standing, begin, generation, elsewhere, project: None, tally, head: None })
    }

    /// The generation that the steps go on from.
    pub(super) fn continued_generation(&self) -> Option<&Generation> {
        self.generation.as_ref()
    }

    pub(super) async fn write_step(&mut self, mut step: ImportStep) -> Result<()> {
        let mut head = step.head.take().expect("a step that is given away has a head");
        if let Some(known) = self.conversation_of(&head) {
            head.conversation.clone_from(&known.head.conversation);
        }
        self.head = Some(head.clone());
        self.count_step(&step);
        let is_empty = step.frames.iter().all(|frame| frame.original_bytes == 0) && step.tail.is_none();
        if self.import.mode == ImportMode::DryRun {
            self.tally.messages += step.messages.len() as u64;
            return Ok(());
        }
        // An empty file gets no generation: agents create a transcript before they write its first line.
        if self.generation.is_none() && is_empty {
            return Ok(());
        }
        // Frames, mark and messages in one transaction: a crash between them would store a line twice or never.
        let batch = self.build_batch(head, step);
        let archived = self.import.memory.store.archive_batch(batch).await?;
        for appended in &archived.messages {
            match appended {
                AppendOutcome::New(_) => self.tally.messages += 1,
                AppendOutcome::Revised(_) => self.tally.revised += 1,
                // Known: the same message came from another line before. Under `Revise` different words never conflict.
                AppendOutcome::Known(_) | AppendOutcome::Conflict { .. } => {}
            }
        }
        self.generation = Some(archived.generation);
        Ok(())
    }

    /// The generation whose conversation is continued, where the transcript's own name would give another: a file that
    /// was moved may be named by its place.
    fn conversation_of(&self, head: &TranscriptHead) -> Option<&Generation> {
        let known = self.generation.as_ref().or(self.elsewhere)?;
        (known.conversation != conversation_id(&conversation_name(head))).then_some(known)
    }

    fn count_step(&mut self, step: &ImportStep) {
        self.tally.lines += step.frames.iter().map(|frame| frame.lines).sum::<u64>();
        self.tally.scrubbed += step.frames.iter().map(|frame| frame.scrubbed.len() as u64).sum::<u64>();
        // Set and not added: only the last step of a file has a tail.
        self.tally.unfinished = step.tail.as_ref().map_or(0, |tail| tail.original_bytes);
        self.tally.quarantined.extend(step.quarantined.iter().cloned());
        self.tally.kinds.extend(step.kind_counts());
        for ((class, name), lines) in &step.kinds {
            if *class == LineClass::Unknown {
                add_count(&mut self.tally.unknown, name, *lines);
            }
        }
    }

    fn build_batch(&mut self, head: TranscriptHead, step: ImportStep) -> ArchiveBatch {
        let kinds = step.kind_counts();
        let name = conversation_name(&head);
        let target = match &self.generation {
            Some(generation) => BatchTarget::Continue { generation: generation.id, checkpoint: generation.checkpoint },
            None => BatchTarget::Begin(self.begin.clone()),
        };
        let threshold = self.import.memory.settings.artifact_tokens;
        let ImportedRows { rows, artifacts, origins } =
            extract_rows(step.messages, ArtifactExtractor { scrubber: &self.import.scrubber, threshold });
        let messages = AppendBatch {
            conversation: self
                .generation
                .as_ref()
                .or(self.elsewhere)
                .map_or_else(|| conversation_id(&name), |known| known.conversation.clone()),
            name,
            project: self.project_of(&head),
            author: self.import.memory.author.owner(),
            title: head.title.clone(),
            rows,
            artifacts,
            taken: ConflictPolicy::Revise,
            now: self.import.memory.clock.now(),
        };
        let frames = step.frames;
        let tail = step.tail;
        let quarantined = step.quarantined;
        ArchiveBatch { target, head, frames, tail, kinds, quarantined, messages, origins }
    }

    /// The project of the directory that a transcript is about, where something is left of it; else the one that the
    /// user who named the transcript asks from.
    fn project_of(&mut self, head: &TranscriptHead) -> Option<ProjectId> {
        self.directory_project(head).or_else(|| {
            let project = self.import.project?;
            // One that names a directory which is gone is of the project only where it lies in it: a folder of an agent
            // holds transcripts of many projects.
            let is_own = head.project_dir.is_none() || Path::new(&self.source.path).starts_with(&project.root);
            is_own.then(|| project.id.clone())
        })
    }

    fn directory_project(&mut self, head: &TranscriptHead) -> Option<ProjectId> {
        let directory = head.project_dir.clone()?;
        if self.project.as_ref().is_none_or(|(known, _)| *known != directory) {
            let path = Path::new(&directory);
            // Looked up once for a directory: it walks up the tree to find a repository.
            let project = path.is_absolute().then(|| Project::once_around(path)).flatten();
            self.project = Some((directory, project.map(|project| project.id)));
        }
        self.project.as_ref().and_then(|(_, project)| project.clone())
    }

    /// The report; `None` for a source without a byte.
    pub(super) async fn finish(mut self) -> Result<Option<ImportedTranscript>> {
        let mut tally = std::mem::take(&mut self.tally);
        let dry = self.import.mode == ImportMode::DryRun;
        let mut lines = 0;
        let mut messages = 0;
        let mut quarantined = Vec::new();
        let mut unknown = Vec::new();
        let mut kinds = Vec::new();
        if let Some(generation) = &self.generation {
            let store = &self.import.memory.store;
            (lines, messages) = (generation.lines, generation.messages);
            quarantined = store.load_quarantine(generation.id).await?;
            kinds = store.line_kinds(generation.id).await?;
            for kind in kinds.iter().filter(|kind| kind.class == LineClass::Unknown) {
                add_count(&mut unknown, &kind.name, kind.lines);
            }
            if self.standing == TranscriptStatus::Same {
                tally.unfinished = generation.tail.map_or(0, |(bytes, _)| bytes);
            }
        }
        let Some(head) =
            self.head.take().or_else(|| self.generation.as_ref().map(|generation| generation.head.clone()))
        else {
            return Ok(None);
        };
        if self.generation.is_none() && tally.lines + tally.unfinished == 0 {
            return Ok(None);
        }
        // A dry run stored nothing, so the store's numbers lack what this run counted.
        if dry {
            lines += tally.lines;
            messages += tally.messages;
            quarantined.append(&mut tally.quarantined);
            kinds.append(&mut tally.kinds);
            for (name, lines) in &tally.unknown {
                add_count(&mut unknown, name, *lines);
            }
        }
        let name = conversation_name(&head);
        // A conversation keeps the project that it was stored with first.
        let stored = match &self.generation {
            Some(generation) => self.import.memory.store.load_conversation(&generation.conversation).await?,
            None => None,
        };
        let project = stored.map_or_else(|| self.project_of(&head), |conversation| conversation.project);
        let is_anew = matches!(
            self.standing,
            TranscriptStatus::Begun(
                GenerationOrigin::Truncated | GenerationOrigin::Rewritten | GenerationOrigin::Replaced
            )
        );
        // A document is rewritten with every message; a log of lines that lost some was tampered with or cut.
        let is_shortened = is_anew && self.import.transcript.container().only_grows();
        let silent = if lines > 0 && messages == 0 { most_frequent(&kinds) } else { Vec::new() };
        Ok(Some(ImportedTranscript {
            silent,
            conversation: self.generation.map_or_else(|| conversation_id(&name), |generation| generation.conversation),
            name,
            project,
            directory: head.project_dir,
            title: head.title,
            agent: self.source.agent,
            path: self.source.path,
            standing: self.standing,
            lines,
            messages,
            new_lines: tally.lines,
            new_messages: tally.messages + tally.revised,
            revised: tally.revised,
            scrubbed: tally.scrubbed,
            quarantined,
            unknown,
            unfinished: tally.unfinished,
            is_shortened,
        }))
    }
}

/// The name of a transcript's conversation: its agent, and the agent's own id for it.
pub(super) fn conversation_name(head: &TranscriptHead) -> String {
    format!("{}:{}", head.agent, head.conversation)
}

/// Messages as they are stored.
pub(super) struct ImportedRows {
    pub(super) rows: Vec<NewRow>,
    pub(super) artifacts: Vec<NewArtifact>,
    pub(super) origins: Vec<MessageOrigin>,
}

/// Counts tokens and takes out artifacts, on all cores.
pub(super) fn extract_rows(messages: Vec<ProjectedMessage>, taking: ArtifactExtractor<'_>) -> ImportedRows {
    let make = |message: ProjectedMessage| {
        let ProjectedMessage { message: body, lines, parent, thread, continues } = message;
        let artifact::ExtractedMessage { row, artifacts, secrets: _ } = taking.extract_row(body);
        ((row, artifacts), MessageOrigin { lines, parent, thread, continues })
    };
    let (rows, origins): (Vec<(NewRow, Vec<NewArtifact>)>, _) = messages.into_par_iter().map(make).unzip();
    let (rows, artifacts): (_, Vec<Vec<NewArtifact>>) = rows.into_iter().unzip();
    ImportedRows { rows, artifacts: artifacts.concat(), origins }
}

fn add_count(counts: &mut Vec<(String, u64)>, name: &str, lines: u64) {
    match counts.iter_mut().find(|(known, _)| known == name) {
        Some((_, count)) => *count += lines,
        None => counts.push((name.to_owned(), lines)),
    }
}
