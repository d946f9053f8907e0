//! Finds transcript files that are larger than their archive, so not fully imported yet. Compares sizes alone: quick
//! enough for every `status`.

use super::ReadableTranscript;
use crate::base::Result;
use crate::memory::MemoryContext;
use model::TranscriptContainer;
use std::collections::HashMap;
use std::sync::Arc;
use store::TranscriptSource;

/// A transcript of which something was not imported yet.
pub struct TranscriptLag {
    /// The transcript.
    pub transcript: Arc<dyn ReadableTranscript>,
    /// Bytes that were not imported, about.
    pub bytes: u64,
}

pub(crate) async fn find_lagging_transcripts(
    memory: &MemoryContext,
    transcripts: Vec<Arc<dyn ReadableTranscript>>,
) -> Result<Vec<TranscriptLag>> {
    if transcripts.is_empty() {
        return Ok(Vec::new());
    }
    let mut read: HashMap<TranscriptSource, (u32, u64)> = HashMap::new();
    for generation in memory.store.list_generations().await? {
        let bytes = generation.checkpoint.bytes + generation.tail.map_or(0, |(bytes, _)| bytes);
        let newest = read.entry(generation.source).or_default();
        // By number first: an older generation may have had more bytes before the file was cut.
        *newest = (*newest).max((generation.number, bytes));
    }
    let behind = transcripts.into_iter().filter_map(|transcript| {
        let source = TranscriptSource { agent: transcript.agent_name(), path: transcript.source_path() };
        let bytes = match (read.get(&source), transcript.container()) {
            (None, _) => transcript.byte_size(),
            (Some((_, read)), TranscriptContainer::Lines) => transcript.byte_size().saturating_sub(*read),
            // A packed file or a database has another size on disk than the lines in it, so sizes tell nothing.
            (Some(_), _) => 0,
        };
        (bytes > 0).then_some(TranscriptLag { transcript, bytes })
    });
    Ok(behind.collect())
}
