//! Verifies archived transcripts and artifacts: every frame is there and unchanged, every line was parsed, every
//! message exists, and the file on disk, where it still exists, is the same.

use super::anchor::{AnchorCheck, lost};
use super::{VerificationProblem, VerifyReport};
use crate::base::{Error, Observer, Result};
use crate::memory::MemoryContext;
use crate::memory::import::{TranscriptStatus, compare_with_archive};
use model::{ConversationId, SeqRange, TranscriptContainer};
use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;
use store::{FileIdentity, FrameHeader, Generation, LineClass, ReadCheckpoint};

/// The result for one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceCheck {
    /// Its newest generation.
    pub generation: Generation,
    /// Lines in which secrets were replaced.
    pub scrubbed: u64,
    /// Lines that could not be read.
    pub quarantined: u64,
    /// How the file on disk compares with it.
    pub on_disk: OnDisk,
}

/// How a file on disk compares with its archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk {
    /// Byte for byte the same.
    Same,
    /// The same, and more that is not imported yet.
    Grown,
    /// It was changed since; the archive has what was there before.
    Changed,
    /// It is no longer there, or cannot be read; the archive has it.
    Gone,
    /// Its lines are made from something else, and are not compared.
    NotCompared,
}

pub(super) async fn verify_archive(
    memory: &MemoryContext,
    one: Option<&ConversationId>,
    anchor: &mut AnchorCheck,
    report: &mut VerifyReport,
    observer: &dyn Observer,
) -> Result<()> {
    let mut generations = report.read_or_report("archive", memory.store.list_generations().await)?.unwrap_or_default();
    generations.retain(|generation| one.is_none_or(|one| generation.conversation == *one));
    let total = generations.len() as u64;
    for (number, generation) in generations.iter().enumerate() {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let subject = format!("{} (generation {})", generation.source.path, generation.number);
        let headers = check_generation(memory, generation, &subject, report).await;
        let headers = report.read_or_report(&subject, headers)?;
        if let Some(what) = anchor.check_archive(generation, headers.as_deref().unwrap_or_default()) {
            report.problems.push(lost(&subject, what));
        }
        let Some(headers) = headers else { continue };
        let is_newest = generations.get(number + 1).is_none_or(|next| next.source != generation.source);
        if is_newest {
            let on_disk = compare_with_disk(generation.clone(), headers.clone()).await?;
            let quarantined = memory.store.load_quarantine(generation.id).await;
            let quarantined = report.read_or_report(&subject, quarantined)?.unwrap_or_default();
            report.sources.push(SourceCheck {
                generation: generation.clone(),
                scrubbed: headers.iter().map(|header| header.scrubbed.len() as u64).sum(),
                quarantined: quarantined.len() as u64,
                on_disk,
            });
        }
        report.generations += 1;
        report.lines += generation.lines;
        observer.report_progress("verifying the archive", number as u64 + 1, total);
    }
    Ok(())
}

/// Checks that every artifact is there and unchanged, and says what lies beside them.
pub(super) async fn verify_artifacts(
    memory: &MemoryContext,
    one: Option<&ConversationId>,
    report: &mut VerifyReport,
) -> Result<()> {
    let listed = match one {
        Some(one) => memory.store.artifacts_within(one, SeqRange { first: 1, last: u64::MAX }).await,
        None => memory.store.list_artifacts().await,
    };
    for artifact in report.read_or_report("artifacts", listed)?.unwrap_or_default() {
        let content = memory.store.artifact_content(&artifact.id).await;
        match report.read_or_report(artifact.id.as_str(), content)? {
            Some(_) => report.artifacts += 1,
            None => report.gaps += 1,
        }
    }
    // A file that belongs to no artifact belongs to no conversation either.
    if one.is_none() {
        report.stray = memory.store.stray_artifacts().await?;
    }
    Ok(())
}

/// Frames read at a time.
const PAGE: u32 = 8;

/// Checks one generation and gives the headers of its frames.
async fn check_generation(
    memory: &MemoryContext,
    generation: &Generation,
    subject: &str,
    report: &mut VerifyReport,
) -> Result<Vec<FrameHeader>> {
    let headers = memory.store.frame_headers(generation.id).await?;
    let mut found = Vec::new();
    let mut end = ReadCheckpoint::at_start();
    let mut lines = 0;
    for header in &headers {
        (end, lines) = (end.after_frame(header), lines + header.lines);
    }
    let missing = generation.frames.saturating_sub(headers.len() as u64);
    report.gaps += missing;
    if missing > 0 {
        found.push(format!("{missing} of {} frames are missing", generation.frames));
    } else if (end, lines) != (generation.checkpoint, generation.lines) {
        found.push("its frames are not those that were stored".to_owned());
    }
    let mut next = 0;
    let mut limit = PAGE;
    while next < headers.len() as u64 {
        // The store compares each with its hash; which one is damaged shows when they are read one by one.
        match memory.store.load_frames(generation.id, next, limit).await {
            Err(error) if error.is_damage() && limit > 1 => {
                limit = 1;
                continue;
            }
            Err(store::Error::Corrupt { what, .. }) => found.push(format!("frame {next}: {what}")),
            frames => drop(frames?),
        }
        next += u64::from(limit);
        limit = PAGE;
    }
    let is_paused = headers.last().is_some_and(|header| header.paused);
    found.extend(check_lines(memory, generation, is_paused, report).await?);
    report.problems.extend(found.into_iter().map(|what| VerificationProblem::new(subject, what)));
    Ok(headers)
}

/// Lines that no projection read, and messages that the store lacks.
async fn check_lines(
    memory: &MemoryContext,
    generation: &Generation,
    is_paused: bool,
    report: &mut VerifyReport,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let kinds = memory.store.line_kinds(generation.id).await?;
    let read: u64 = kinds.iter().map(|kind| kind.lines).sum();
    if read != generation.lines {
        report.gaps += generation.lines.abs_diff(read);
        found.push(format!("{read} of {} lines were read", generation.lines));
    }
    let said: u64 = kinds.iter().filter(|kind| kind.class == LineClass::Message).map(|kind| kind.lines).sum();
    let origins = memory.store.message_origins(generation.id).await?;
    let heard: HashSet<u64> = origins.iter().flat_map(|(_, origin)| &origin.lines).copied().collect();
    // Messages of the tail name a line that is not whole yet, and is not counted among the lines.
    let heard = heard.into_iter().filter(|line| *line < generation.lines).count() as u64;
    // An import that was stopped holds back a message that may continue; the next import stores it.
    if heard < said && is_paused {
        report.gaps += said - heard;
        found.push(format!("{} lines with words have no message in the store", said - heard));
    }
    if origins.len() as u64 != generation.messages {
        report.gaps += generation.messages.saturating_sub(origins.len() as u64);
        found.push(format!("{} of {} messages are there", origins.len(), generation.messages));
    }
    Ok(found)
}

async fn compare_with_disk(generation: Generation, headers: Vec<FrameHeader>) -> Result<OnDisk> {
    // Packed files and databases have no lines on disk that could be hashed.
    if !matches!(generation.container, TranscriptContainer::Lines | TranscriptContainer::Document) {
        return Ok(OnDisk::NotCompared);
    }
    let compare = move || {
        let mut file = fs_err::File::open(&generation.source.path)?;
        let metadata = file.metadata()?;
        let identity = Some(FileIdentity { device: metadata.dev(), inode: metadata.ino() });
        compare_with_archive(&mut file, identity, &generation, &headers)
    };
    let compared = tokio::task::spawn_blocking(compare).await;
    let compared = compared.map_err(|_| Error::Panicked { what: "comparing a transcript with its archive" })?;
    Ok(match compared {
        Ok(TranscriptStatus::Same) => OnDisk::Same,
        Ok(TranscriptStatus::Grown) => OnDisk::Grown,
        Ok(TranscriptStatus::Begun(_)) => OnDisk::Changed,
        Err(_) => OnDisk::Gone,
    })
}
