//! Converts database rows of the transcript archive, as both stores read them, to `Generation` and `KindCount`, and
//! refuses damaged rows; encodes descents and line numbers for them. `decide_step` decides whether a batch begins or
//! continues a generation or is stored already, so that both stores decide alike.

use super::{
    ArchiveBatch, BatchTarget, FileIdentity, FrameHeader, Generation, GenerationId, GenerationOrigin, KindCount,
    LineClass, NewGeneration, ReadCheckpoint, TranscriptSource,
};
use crate::rows::{DamagedRow, conversation_id_of, hash_of};
use model::{AgentName, Timestamp, TranscriptContainer, TranscriptDescent, TranscriptHead};
use std::borrow::Cow;

/// A row of `generations` with its conversation and its tail.
pub(crate) struct GenerationRow {
    pub(crate) number: i64,
    pub(crate) agent: String,
    pub(crate) path: String,
    pub(crate) ordinal: i64,
    pub(crate) origin: String,
    pub(crate) container: String,
    pub(crate) device: Option<i64>,
    pub(crate) inode: Option<i64>,
    pub(crate) conversation: String,
    pub(crate) own_id: String,
    pub(crate) title: Option<String>,
    pub(crate) project_dir: Option<String>,
    pub(crate) descent: Option<String>,
    pub(crate) descent_of: Option<String>,
    pub(crate) frame_count: i64,
    pub(crate) line_count: i64,
    pub(crate) message_count: i64,
    pub(crate) byte_count: i64,
    pub(crate) checkpoint_hash: Vec<u8>,
    pub(crate) stored_at: i64,
    pub(crate) tail_bytes: Option<i64>,
    pub(crate) tail_hash: Option<Vec<u8>>,
}

impl GenerationRow {
    pub(crate) fn into_generation(self) -> Result<Generation, DamagedRow> {
        let damaged = |what: &str| DamagedRow(format!("generation {}: {what}", self.number));
        let agent = AgentName(Cow::Owned(self.agent));
        let descent = match (self.descent.as_deref(), self.descent_of) {
            (None, _) => None,
            (Some(SUBAGENT), Some(of)) => Some(TranscriptDescent::Subagent { of }),
            (Some(FORK), Some(of)) => Some(TranscriptDescent::Fork { of }),
            // A word of a newer version is reported as damage: read as "no descent", a subagent's transcript would
            // count as a conversation of its own.
            (Some(word), _) => return Err(damaged(&format!("descent `{word}`"))),
        };
        // The two columns come from a left join with `tails`; a generation whose file ended with a newline has no row
        // there.
        let tail = match (self.tail_bytes, self.tail_hash) {
            (Some(bytes), Some(hash)) => Some((bytes as u64, hash_of(&hash)?)),
            _ => None,
        };
        Ok(Generation {
            id: GenerationId(self.number),
            source: TranscriptSource { agent: agent.clone(), path: self.path },
            number: self.ordinal as u32,
            origin: GenerationOrigin::parse(&self.origin)
                .ok_or_else(|| damaged(&format!("origin `{}`", self.origin)))?,
            container: TranscriptContainer::parse(&self.container)
                .ok_or_else(|| damaged(&format!("container `{}`", self.container)))?,
            identity: self
                .device
                .zip(self.inode)
                .map(|(device, inode)| FileIdentity { device: device as u64, inode: inode as u64 }),
            head: TranscriptHead {
                agent,
                conversation: self.own_id,
                title: self.title,
                project_dir: self.project_dir,
                descent,
            },
            conversation: conversation_id_of(&self.conversation)?,
            checkpoint: ReadCheckpoint { bytes: self.byte_count as u64, hash: hash_of(&self.checkpoint_hash)? },
            frames: self.frame_count as u64,
            lines: self.line_count as u64,
            messages: self.message_count as u64,
            tail,
            stored: Timestamp(self.stored_at),
        })
    }
}

const SUBAGENT: &str = "subagent";
const FORK: &str = "fork";

/// The two columns of a descent.
pub(crate) fn descent_columns(head: &TranscriptHead) -> (Option<&'static str>, Option<&str>) {
    match &head.descent {
        None => (None, None),
        Some(TranscriptDescent::Subagent { of }) => (Some(SUBAGENT), Some(of)),
        Some(TranscriptDescent::Fork { of }) => (Some(FORK), Some(of)),
    }
}

pub(crate) fn kind_of(class: &str, name: String, lines: i64) -> Result<KindCount, DamagedRow> {
    let class = LineClass::parse(class).ok_or_else(|| DamagedRow(format!("`{class}` for the kind of a line")))?;
    Ok(KindCount { class, name, lines: lines as u64 })
}

/// Line numbers as runs: `3-5,9`.
pub(crate) fn encode_lines(lines: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => runs.push((*line, *line)),
        }
    }
    let run = |(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    runs.iter().map(run).collect::<Vec<_>>().join(",")
}

/// The line numbers of runs.
pub(crate) fn lines_of(runs: &str) -> Result<Vec<u64>, DamagedRow> {
    let damaged = || DamagedRow(format!("`{runs}` for lines"));
    let mut lines = Vec::new();
    for run in runs.split(',').filter(|run| !run.is_empty()) {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let number = |text: &str| text.parse::<u64>().map_err(|_| damaged());
        lines.extend(number(first)?..=number(last)?);
    }
    // A line that repeats a message joins its number at the end, whatever its place, so the runs are not in order.
    lines.sort_unstable();
    lines.dedup();
    Ok(lines)
}

/// What a batch does.
pub(crate) enum BatchStep<'a> {
    /// Begins a generation.
    Begin(&'a NewGeneration),
    /// Goes on behind what this one has.
    Continue(&'a Generation),
    /// Nothing: the generation contains all of the batch already.
    Stored(&'a Generation),
}

/// Decides what a batch does. `known` is the generation it continues, or the newest one of the source it begins anew;
/// no step means that another caller was faster, and the caller has to look again.
pub(crate) fn decide_step<'a>(
    batch: &'a ArchiveBatch,
    frames: &[FrameHeader],
    known: Option<&'a Generation>,
) -> Option<BatchStep<'a>> {
    let end = |at: ReadCheckpoint| frames.iter().fold(at, ReadCheckpoint::after_frame);
    match (&batch.target, known) {
        // No other importer began a generation since the caller looked; the number is the guard against two importers at once.
        (BatchTarget::Begin(begin), known) if known.map_or(0, |known| known.number) == begin.after => {
            Some(BatchStep::Begin(begin))
        }
        (BatchTarget::Begin(begin), Some(known)) => {
            // The same batch again after a lost connection: its generation exists and ends exactly where this batch
            // would end.
            let is_ours = known.number == begin.after + 1 && known.checkpoint == end(ReadCheckpoint::at_start());
            is_ours.then_some(BatchStep::Stored(known))
        }
        (BatchTarget::Continue { checkpoint, .. }, Some(known)) if known.checkpoint == *checkpoint => {
            Some(BatchStep::Continue(known))
        }
        // The mark hashes every byte so far, so an equal mark means that this very batch was stored before.
        (BatchTarget::Continue { checkpoint, .. }, Some(known)) if known.checkpoint == end(*checkpoint) => {
            Some(BatchStep::Stored(known))
        }
        (BatchTarget::Begin(_) | BatchTarget::Continue { .. }, _) => None,
    }
}

/// The subject of a batch, for an error.
pub(crate) fn batch_name(batch: &ArchiveBatch) -> String {
    match &batch.target {
        BatchTarget::Begin(begin) => begin.source.path.clone(),
        BatchTarget::Continue { generation, .. } => generation.0.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_kept_as_runs() {
        assert_eq!(encode_lines(&[3, 4, 5, 9, 11, 12]), "3-5,9,11-12");
        assert_eq!(encode_lines(&[]), "");
        assert!(lines_of("3-x").is_err());
    }

    proptest! {
        #[test]
        fn any_lines_come_back(lines in proptest::collection::btree_set(0..200_u64, 0..40)) {
            let lines: Vec<u64> = lines.into_iter().collect();
            prop_assert_eq!(lines_of(&encode_lines(&lines)).expect("we wrote it"), lines);
        }
    }
}
