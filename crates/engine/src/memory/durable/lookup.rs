//! Finds the memories that a question is about by words, ordered by words and meaning, and notes that they were found:
//! a memory that is used does not fade.
//!
//! Memories are few and short, so all of them are compared with the question, in memory and without an index.

use super::known_memories::load_sorted;
use super::lesson::told_words;
use super::listing::load_intact_where;
use super::stems::{StemKey, memory_stems, stem_key};
use crate::base::{Project, Result};
use crate::memory::MemoryContext;
use crate::memory::recall::{WordPurpose, each_word, word_purpose};
use model::{DurableMemory, MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryTier, UtcDay};
use providers::LocalEmbedder;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use store::{MemoryBatch, MemoryScope};

/// A question to memories.
#[derive(Clone, Debug)]
pub struct MemoryLookup {
    /// The question.
    pub query: String,
    /// Only those that have all of these tags.
    pub tags: Vec<String>,
    /// Whether those of all projects are asked, not only those of the project and of its user.
    pub everywhere: bool,
    /// How many at most.
    pub limit: u32,
}

/// A memory that a question is about.
#[derive(Clone, Debug)]
pub struct FoundMemory {
    /// It.
    pub memory: DurableMemory,
    /// How well it fits; comparable within one answer only.
    pub score: f64,
    /// How near it is to the question, from 0 to 1: the share of its words that the memory names, or the likeness of
    /// meaning where that is more.
    pub nearness: f64,
}

/// The share of what a question is about that a memory must name, weighed by how rare the words are.
const MIN_WORD_SHARE: f64 = 0.34;
/// What meaning counts beside words: it orders memories that share words with the question, and finds none by itself,
/// because a memory is told unasked.
const MEANING_WEIGHT: f64 = 0.5;

/// Memories that a question is about, the best first.
pub(crate) async fn lookup_memories(
    memory: &MemoryContext,
    project: &Project,
    lookup: &MemoryLookup,
) -> Result<Vec<FoundMemory>> {
    let scope = if lookup.everywhere { MemoryScope::All } else { MemoryScope::Project(project.id.clone()) };
    // A damaged memory is left out here and named by `verify`: a question is not the place to tell of it.
    let sorted = load_sorted(memory).await?;
    let tags: Vec<String> = lookup.tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
    let is_asked = |memory: &DurableMemory| {
        // What a session put far away is given to whoever asks for it by `tier recall`, and told to nobody else.
        let is_at_hand =
            memory.body.kind != MemoryKind::Item || memory.tier.is_some_and(|tier| tier != MemoryTier::Cold);
        memory.is_active() && is_at_hand && tags.iter().all(|tag| memory.tags.contains(tag))
    };
    let known = if sorted.has_people() {
        let told = load_intact_where(memory, scope, is_asked).await?;
        told.into_iter().map(KnownCandidate::from_memory).collect()
    } else {
        let known = sorted.stemmed_in(&scope).filter(|(memory, _)| is_asked(memory));
        known
            .map(|(memory, stems)| KnownCandidate { memory: Cow::Borrowed(memory), stems: Cow::Borrowed(stems) })
            .collect()
    };
    let mut found = rank_memories(known, &lookup.query, memory.embedder.as_deref());
    found.truncate(lookup.limit as usize);
    Ok(found)
}

fn rank_memories(
    known: Vec<KnownCandidate<'_>>,
    query: &str,
    embedder: Option<&dyn LocalEmbedder>,
) -> Vec<FoundMemory> {
    rank_candidates(known, query, embedder, MIN_WORD_SHARE, |_, _| true)
}

/// A memory that may be about a question.
struct KnownCandidate<'m> {
    memory: Cow<'m, DurableMemory>,
    stems: Cow<'m, [StemKey]>,
}

impl KnownCandidate<'_> {
    fn from_memory(memory: DurableMemory) -> Self {
        let stems = Cow::Owned(memory_stems(&memory));
        Self { memory: Cow::Owned(memory), stems }
    }
}

/// Memories that are near to a question by its words and its meaning, the best first; `is_near` says from when.
pub(super) fn rank_by_nearness(
    known: Vec<DurableMemory>,
    query: &str,
    embedder: Option<&dyn LocalEmbedder>,
    is_near: impl Fn(f64, f64) -> bool,
) -> Vec<FoundMemory> {
    let known = known.into_iter().map(KnownCandidate::from_memory).collect();
    rank_candidates(known, query, embedder, 0.0, is_near)
}

/// The same of those that share at least so many of the question's words: what another one means is not looked at.
fn rank_candidates(
    known: Vec<KnownCandidate<'_>>,
    query: &str,
    embedder: Option<&dyn LocalEmbedder>,
    least_words: f64,
    is_near: impl Fn(f64, f64) -> bool,
) -> Vec<FoundMemory> {
    let asked = subject_stems(query);
    // A word that is in every memory says little about any of them.
    let weights: Vec<(StemKey, f64)> = asked
        .iter()
        .map(|stem| {
            let holders = known.iter().filter(|one| one.stems.binary_search(stem).is_ok()).count() as f64;
            (*stem, (1.0 + (known.len() as f64 + 1.0) / (holders + 0.5)).ln())
        })
        .collect();
    let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
    // The question is embedded once. Where no model is built in, words alone decide.
    let meant = embedder.and_then(|embedder| embed(embedder, query));
    let mut found: Vec<FoundMemory> = known
        .into_iter()
        .filter_map(|KnownCandidate { memory, stems }| {
            let is_held = |(stem, _): &&(StemKey, f64)| stems.binary_search(stem).is_ok();
            let held: f64 = weights.iter().filter(is_held).map(|(_, weight)| weight).sum();
            let words = if all > 0.0 { held / all } else { 0.0 };
            if words < least_words {
                return None;
            }
            let content = embedder.filter(|_| meant.is_some()).and_then(|it| embed(it, &told_words(&memory)));
            let meaning = meant.as_deref().zip(content.as_deref()).map_or(0.0, |(a, b)| cosine(a, b));
            // Half of the score is left to a memory that has faded: it is old, and not wrong.
            let score = (words + MEANING_WEIGHT * meaning.max(0.0)) * (0.5 + 0.5 * memory.strength());
            let nearness = words.max(meaning).clamp(0.0, 1.0);
            is_near(words, meaning).then(|| FoundMemory { memory: memory.into_owned(), score, nearness })
        })
        .collect();
    // Ties by id, so that the same question gives the same order.
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.memory.id.cmp(&b.memory.id)));
    found
}

/// The stems of the words that say what a question is about.
fn subject_stems(query: &str) -> BTreeSet<StemKey> {
    let mut stems = BTreeSet::new();
    each_word(query, |written, stem| {
        if word_purpose(written) == WordPurpose::Content {
            stems.insert(stem_key(stem));
        }
    });
    stems
}

fn embed(embedder: &dyn LocalEmbedder, text: &str) -> Option<Vec<f32>> {
    embedder.embed_now(text).ok().flatten().map(|vector| vector.to_vec())
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths > 0.0 { product(a, b) / lengths } else { 0.0 }
}

/// Memories that were found and are not noted as such yet.
#[derive(Default)]
pub(crate) struct RecalledMemories(Mutex<BTreeSet<MemoryId>>);

/// Remembers that memories were found. It is written while no caller waits for an answer, and once a day at most: a
/// question that is asked a hundred times an hour makes nothing truer.
pub(crate) fn note_recalled<'m>(memory: &MemoryContext, found: impl IntoIterator<Item = &'m DurableMemory>) {
    let today = UtcDay::from_timestamp(memory.clock.now());
    // One that was seen today is as fresh as it can be, and needs no row.
    let old = found.into_iter().filter(|found| UtcDay::from_timestamp(found.last_seen) != today);
    memory.recalled.0.lock().unwrap_or_else(PoisonError::into_inner).extend(old.map(|found| found.id.clone()));
}

/// Writes what [`note_recalled`] remembered. A failure is logged: the memories are there, they only seem older.
pub(crate) async fn flush_recalled(memory: &MemoryContext) {
    let found = std::mem::take(&mut *memory.recalled.0.lock().unwrap_or_else(PoisonError::into_inner));
    if found.is_empty() {
        return;
    }
    let at = memory.clock.now();
    let notes = found.into_iter().map(|id| (id, MemoryNote { at, event: MemoryEvent::Recalled })).collect();
    if let Err(error) = memory.store.write_memories(MemoryBatch { memories: Vec::new(), notes }).await {
        tracing::debug!(%error, "could not note which memories were recalled");
    }
}
