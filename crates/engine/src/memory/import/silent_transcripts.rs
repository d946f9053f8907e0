//! Lists archived transcripts that gave no message: their projection (parser) does not understand them, or they hold no
//! words of the user or the agent. Either way a search for words in them finds none, so `status` reports them; that
//! hooks stored messages of the same conversation does not make up for it.

use crate::base::Result;
use crate::memory::MemoryContext;
use model::AgentName;
use std::collections::{BTreeMap, HashSet};
use store::{Generation, KindCount, LineClass, TranscriptSource};

/// A transcript that gave no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentTranscript {
    /// The agent whose format it was read as.
    pub agent: AgentName,
    /// Its path.
    pub path: String,
    /// Lines it has.
    pub lines: u64,
    /// The kinds of its lines, most frequent first.
    pub kinds: Vec<(String, u64)>,
}

/// Transcripts whose newest generation gave no message, under any agent's projection.
pub(crate) async fn find_silent_transcripts(memory: &MemoryContext) -> Result<Vec<SilentTranscript>> {
    let generations = memory.store.list_generations().await?;
    let told = generations.iter().filter(|generation| generation.messages > 0);
    let told: HashSet<&str> = told.map(|generation| generation.source.path.as_str()).collect();
    let mut newest: BTreeMap<(&str, &str), &Generation> = BTreeMap::new();
    for generation in &generations {
        let TranscriptSource { agent, path } = &generation.source;
        let known = newest.entry((path, &agent.0)).or_insert(generation);
        if known.number < generation.number {
            *known = generation;
        }
    }
    let mut silent = Vec::new();
    for generation in newest.into_values() {
        // A file may be read as two agents' (a fork of one format): one of them that understands it is enough.
        if generation.lines == 0 || told.contains(generation.source.path.as_str()) {
            continue;
        }
        let kinds = memory.store.line_kinds(generation.id).await?;
        silent.push(SilentTranscript {
            agent: generation.source.agent.clone(),
            path: generation.source.path.clone(),
            lines: generation.lines,
            kinds: most_frequent(&kinds),
        });
    }
    Ok(silent)
}

/// The kinds of lines by their names, most frequent first.
pub(super) fn most_frequent(kinds: &[KindCount]) -> Vec<(String, u64)> {
    let named = kinds.iter().map(|kind| match kind.class {
        LineClass::Event | LineClass::Unknown => (kind.name.clone(), kind.lines),
        LineClass::Blank | LineClass::Malformed | LineClass::Message | LineClass::Repeat => {
            (kind.class.as_str().to_owned(), kind.lines)
        }
    });
    let mut named: Vec<(String, u64)> = named.collect();
    named.sort_by(|(one, few), (other, many)| many.cmp(few).then_with(|| one.cmp(other)));
    named
}
