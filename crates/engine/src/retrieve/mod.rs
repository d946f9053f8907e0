//! Here is a question, give me the places: find candidates, score them, pack the best into a budget.

mod lexical;
mod pack;

pub(crate) use pack::context;
pub use pack::{Context, ContextRequest, Gate, Packed};

use crate::{Engine, Error, Project, Result, index};
use model::{LineRange, SymbolId, SymbolKind, stem, terms};
use store::WorktreeId;

/// What to look for.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The question: words, identifiers, a path.
    pub query: String,
    /// How many results at most.
    pub limit: u32,
}

/// One result.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// Project-relative path.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
    /// How well it fits; comparable within one reply only.
    pub score: f32,
    /// The symbol it mostly is.
    pub symbol: Option<(SymbolId, SymbolKind)>,
    /// What made it fit.
    pub why: String,
}

/// The results, best first.
#[derive(Clone, Debug)]
pub struct SearchReply {
    /// The results.
    pub hits: Vec<SearchHit>,
}

/// A longer question is a paste; its first words say what it is about.
const MOST_TERMS: usize = 64;

pub(crate) async fn search(engine: &Engine, project: &Project, request: SearchRequest) -> Result<SearchReply> {
    let words = query_words(&request.query)?;
    if request.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    let worktree = index::refresh(engine, project).await?;
    let hits = find(engine, &worktree, &words, request.limit as usize).await?;
    Ok(SearchReply { hits })
}

/// Words that hold a question together and say nothing of what it is about.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "for", "from", "had",
    "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "should",
    "so", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// A word of a question: as it was written, and as the index keeps it.
struct Word {
    written: String,
    stem: String,
}

/// The words of a question; one without a single term cannot be answered. Stop words count only where there
/// is nothing else.
fn query_words(query: &str) -> Result<Vec<Word>> {
    let mut words = terms::distinct_terms(query);
    if words.iter().any(|word| !STOP_WORDS.contains(&word.as_str())) {
        words.retain(|word| !STOP_WORDS.contains(&word.as_str()));
    }
    words.truncate(MOST_TERMS);
    if words.is_empty() {
        let reason = "has no word to look for: write at least one letter or digit".to_owned();
        return Err(Error::Parameter { field: "query", reason });
    }
    let mut found: Vec<Word> = Vec::new();
    for written in words {
        let mut room = String::new();
        stem(&written, &mut room);
        if found.iter().all(|word| word.stem != room) {
            found.push(Word { written, stem: room });
        }
    }
    Ok(found)
}

/// Results with one entry per file: its best unit.
async fn find(engine: &Engine, worktree: &WorktreeId, words: &[Word], limit: usize) -> Result<Vec<SearchHit>> {
    let (ranked, files) = lexical::rank(&*engine.store, worktree, words).await?;
    let mut hits: Vec<SearchHit> = Vec::new();
    // Read in slices: most questions are answered by the first one, whatever the number of candidates.
    for slice in ranked.chunks(limit.max(16) * 2) {
        let units: Vec<_> = slice.iter().map(|scored| scored.unit).collect();
        let mut ranking = slice.iter();
        for unit in index::units(&*engine.store, worktree, &files, &units).await? {
            // Units come in the order asked; one that vanished meanwhile is left out.
            let Some(scored) = ranking.find(|scored| scored.unit == unit.unit) else { break };
            if hits.len() == limit {
                return Ok(hits);
            }
            if hits.iter().any(|hit| hit.path == unit.path) {
                continue;
            }
            let why = scored.why(words);
            hits.push(SearchHit { path: unit.path, lines: unit.lines, score: scored.score, symbol: unit.symbol, why });
        }
    }
    Ok(hits)
}
