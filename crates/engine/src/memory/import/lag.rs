//! Which transcripts have more than the archive has of them, told from sizes alone: quick enough to ask every time.

use super::ReadableTranscript;
use crate::Engine;
use crate::base::Result;
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
    engine: &Engine,
    transcripts: Vec<Arc<dyn ReadableTranscript>>,
) -> Result<Vec<TranscriptLag>> {
    if transcripts.is_empty() {
        return Ok(Vec::new());
    }
    let mut read: HashMap<TranscriptSource, (u32, u64)> = HashMap::new();
    for generation in engine.store.list_generations().await? {
        let bytes = generation.mark.bytes + generation.tail.map_or(0, |(bytes, _)| bytes);
        let newest = read.entry(generation.source).or_default();
        *newest = (*newest).max((generation.number, bytes));
    }
    let behind = transcripts.into_iter().filter_map(|transcript| {
        let source = TranscriptSource { agent: transcript.agent_name(), path: transcript.source_path() };
        let bytes = match (read.get(&source), transcript.container()) {
            (None, _) => transcript.byte_size(),
            (Some((_, read)), TranscriptContainer::Lines) => transcript.byte_size().saturating_sub(*read),
            // What is packed has another size on disk than what was read of it.
            (Some(_), _) => 0,
        };
        (bytes > 0).then_some(TranscriptLag { transcript, bytes })
    });
    Ok(behind.collect())
}
