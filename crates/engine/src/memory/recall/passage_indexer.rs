//! Indexes messages that no segment covers yet: reads them from the store, builds segments on other threads, and stores
//! large ones; small ones stay in memory. Also merges small segments.

use super::corpus::RecallSegment;
use super::coverage::CoverageEnd;
use super::held_segment::HeldSegment;
use super::meaning::model_key;
use super::refresh::{RecallState, RefreshStop};
use super::segment_builder::{BuiltSegment, MessageStretch, build_segment, day_of, merge_segments};
use super::segment_metadata::{ChainLink, SegmentMetadata};
use crate::base::{Error, run_blocking, run_long};
use crate::memory::damage::{damage_note, missing_message};
use model::{Message, MessagePart};
use rayon::prelude::*;
use search::{DamagedImage, EncodedTerm, PartPostings, crowded_segments};
use std::sync::Arc;
use store::{Conversation, MessageWindow, NewPassages, SegmentPostings, Store, TermPostings};
use tokio::task::JoinHandle;

/// A segment of fewer passages stays in memory.
const MIN_STORED_PASSAGES: u32 = 256;

/// Messages read at a time.
const PAGE: u32 = 256;

/// The smallest page that makes progress: the last covered message and the next.
const MIN_PAGE_MESSAGES: u32 = 2;

/// Text of one segment.
const SEGMENT: usize = 8 << 20;

/// Text that is held at a time: of so many segments as are made at once.
const MAX_HELD_BYTES: usize = 4 * SEGMENT;

/// Messages on their way into segments.
pub(super) struct PassageIndexer<'a> {
    store: &'a dyn Store,
    state: &'a mut RecallState,
    stretches: Vec<MessageStretch>,
    bytes: usize,
    /// The batch before, while segments are built of it.
    building: Option<JoinHandle<Vec<BuiltSegment>>>,
}

impl<'a> PassageIndexer<'a> {
    pub(super) fn new(store: &'a dyn Store, state: &'a mut RecallState) -> Self {
        Self { store, state, stretches: Vec::new(), bytes: 0, building: None }
    }

    /// Reads what a conversation has behind its last covered message.
    pub(super) async fn read_conversation(
        &mut self,
        conversation: &Conversation,
        mut end: CoverageEnd,
    ) -> Result<(), RefreshStop> {
        let mut limit = PAGE;
        while end.seq < conversation.messages {
            // The last covered message is read again: its hash proves that this is the conversation that was covered.
            let window = MessageWindow::After { seq: end.seq.saturating_sub(1), limit };
            let mut messages = match self.store.load_messages(&conversation.id, window).await {
                // Sound messages before the damaged one are in the same page: the next reads take one message each.
                Err(error) if error.is_damage() && limit > MIN_PAGE_MESSAGES => {
                    limit = MIN_PAGE_MESSAGES;
                    continue;
                }
                Err(error) if error.is_damage() => {
                    self.stop_at_damage(conversation, &error);
                    return Ok(());
                }
                messages => messages?,
            };
            if end.seq > 0 {
                let before = messages.first().filter(|message| message.seq == end.seq);
                if before.map(|message| ChainLink::from_hash(&message.hash)) != end.link {
                    return Err(RefreshStop::Stale);
                }
                messages.remove(0);
            }
            // Messages that came since `conversations` was listed are left to the next refresh: the corpus is of one
            // version.
            messages.retain(|message| message.seq <= conversation.messages);
            // A lost message would count as indexed, and stay out of every answer when it is there again.
            let unbroken = messages.iter().zip(end.seq + 1..).take_while(|(message, seq)| message.seq == *seq).count();
            if unbroken == 0 && !messages.is_empty() {
                let missing = missing_message(&conversation.id, end.seq + 1);
                self.stop_at_damage(conversation, &missing);
                return Ok(());
            }
            messages.truncate(unbroken);
            // Fewer messages than the list promised: something changed between the two reads.
            let Some(last) = messages.last() else { return Err(RefreshStop::Moved) };
            let day = messages.iter().rev().find_map(day_of).or(end.day);
            let next = CoverageEnd { seq: last.seq, link: Some(ChainLink::from_hash(&last.hash)), day };
            self.bytes += text_size(&messages);
            self.stretches.push(MessageStretch { day: end.day, messages });
            end = next;
            if self.bytes >= MAX_HELD_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Leaves the rest of a conversation out, and keeps the note that answers carry.
    fn stop_at_damage(&mut self, conversation: &Conversation, damage: &impl ToString) {
        let told = format!("{}; no later message of its conversation is recalled", damage_note(damage));
        self.state.damaged.push((conversation.id.clone(), told));
    }

    /// Makes segments of all that was read.
    pub(super) async fn finish(mut self) -> Result<(), RefreshStop> {
        self.flush().await?;
        let last = self.building.take();
        self.store_built(last).await
    }

    /// Begins to make segments of what was read, and stores those of what was read before.
    async fn flush(&mut self) -> Result<(), RefreshStop> {
        self.bytes = 0;
        let stretches = std::mem::take(&mut self.stretches);
        if stretches.is_empty() {
            return Ok(());
        }
        let embedder = self.state.embedder.clone();
        // On another thread, so that the next messages are read meanwhile.
        let building = tokio::task::spawn_blocking(move || {
            let build = |stretches: Vec<MessageStretch>| build_segment(&stretches, embedder.as_deref());
            run_long(|| group_segments(stretches).into_par_iter().map(build).collect())
        });
        // At most two batches are in memory: one that is built, and one that is read.
        let before = self.building.replace(building);
        self.store_built(before).await
    }

    async fn store_built(&mut self, building: Option<JoinHandle<Vec<BuiltSegment>>>) -> Result<(), RefreshStop> {
        let Some(building) = building else { return Ok(()) };
        for built in building.await.map_err(|_| Error::Panicked { what: "cutting messages into passages" })? {
            let part = store_segment(self.store, self.state, built, Vec::new()).await?;
            self.state.parts.push(part);
        }
        Ok(())
    }
}

/// Stretches by the segment they go into.
fn group_segments(stretches: Vec<MessageStretch>) -> Vec<Vec<MessageStretch>> {
    let mut segments = vec![Vec::new()];
    let mut bytes = 0;
    for stretch in stretches {
        if bytes >= SEGMENT {
            segments.push(Vec::new());
            bytes = 0;
        }
        bytes += text_size(&stretch.messages);
        segments.last_mut().expect("there is always one").push(stretch);
    }
    segments
}

fn text_size(messages: &[Message]) -> usize {
    let words = messages.iter().flat_map(|message| &message.body.parts).flat_map(MessagePart::searchable_texts);
    words.map(str::len).sum()
}

/// Stores a segment in the place of others, or holds it where it is too small or the store takes none.
async fn store_segment(
    store: &dyn Store,
    state: &mut RecallState,
    built: BuiltSegment,
    replaces: Vec<i64>,
) -> Result<RecallSegment, RefreshStop> {
    let passages = built.heads.passage_count();
    if passages < MIN_STORED_PASSAGES || state.is_read_only {
        return Ok(hold_segment(built));
    }
    let new = NewPassages {
        // The highest number that is known here; the store refuses the write where another process has stored segments
        // since.
        seen: state.parts.iter().filter_map(RecallSegment::store_number).max().unwrap_or(0),
        replaces,
        passages,
        heads: built.heads.encode(&model_key(state.embedder.as_deref())),
        postings: built.postings.iter().map(stored_term).collect(),
    };
    match store.write_passages(new).await {
        Ok(number) => Ok(RecallSegment::Stored { number, heads: built.heads }),
        Err(store::Error::Conflict { .. }) => Err(RefreshStop::Moved),
        // A store that cannot be written (a full disk, a read-only file) must not keep a question from being answered.
        Err(error) => {
            tracing::warn!(%error, "passages are kept in memory only");
            state.is_read_only = true;
            Ok(hold_segment(built))
        }
    }
}

/// A term as the store takes it.
fn stored_term(EncodedTerm { term, bytes }: &EncodedTerm) -> TermPostings {
    TermPostings { term: term.clone(), bytes: bytes.clone() }
}

/// Keeps a segment in memory.
fn hold_segment(built: BuiltSegment) -> RecallSegment {
    RecallSegment::Held(Arc::new(
        HeldSegment::new(built).expect("a segment has some megabytes of text, not four gigabytes"),
    ))
}

/// Stores what is held where together it is enough, and puts small segments together.
pub(super) async fn merge_small_segments(store: &dyn Store, state: &mut RecallState) -> Result<(), RefreshStop> {
    // Small segments gather in memory until together they are worth a write: a question by itself writes nothing.
    let held: Vec<Arc<HeldSegment>> = state.parts.iter().filter_map(RecallSegment::held_segment).cloned().collect();
    if held.iter().map(|held| held.heads.passage_count()).sum::<u32>() >= MIN_STORED_PASSAGES && !state.is_read_only {
        let merged = run_blocking("putting passages together", move || merge_held(&held)).await?;
        let part = store_segment(store, state, merged.map_err(|DamagedImage| RefreshStop::Stale)?, Vec::new()).await?;
        state.parts.retain(|part| part.held_segment().is_none());
        state.parts.push(part);
    }
    let stored = state.parts.iter().filter(|part| part.store_number().is_some()).cloned().collect();
    let chosen: Vec<RecallSegment> =
        crowded_segments(stored, |part: &RecallSegment| part.segment_metadata().passage_count());
    let numbers: Vec<i64> = chosen.iter().filter_map(RecallSegment::store_number).collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let postings = store.passages_of(&numbers).await?;
    let merged = run_blocking("putting passages together", move || merge_stored(&chosen, &postings)).await?;
    let part = store_segment(store, state, merged, numbers.clone()).await?;
    // Kept in memory it would count twice: the segments it was made of are still in the store.
    if part.store_number().is_some() {
        state.parts.retain(|part| part.store_number().is_none_or(|number| !numbers.contains(&number)));
        state.parts.push(part);
    }
    Ok(())
}

/// One segment of those that are held.
fn merge_held(held: &[Arc<HeldSegment>]) -> Result<BuiltSegment, DamagedImage> {
    let heads: Vec<Arc<SegmentMetadata>> = held.iter().map(|held| Arc::clone(&held.heads)).collect();
    let rows = held.iter().enumerate().flat_map(|(part, held)| {
        held.all_terms().map(move |found| found.map(|(term, bytes)| PartPostings { term, part, bytes }))
    });
    Ok(merge_segments(&heads, rows.collect::<Result<_, _>>()?))
}

/// One segment of some that are stored, given all that the store has of them.
fn merge_stored(parts: &[RecallSegment], postings: &[SegmentPostings]) -> BuiltSegment {
    let heads: Vec<Arc<SegmentMetadata>> = parts.iter().map(|part| Arc::clone(part.segment_metadata())).collect();
    let place = |number: i64| parts.iter().position(|part| part.store_number() == Some(number));
    let rows = postings.iter().filter_map(|SegmentPostings { segment, term, bytes }| {
        Some(PartPostings { term, part: place(*segment)?, bytes })
    });
    merge_segments(&heads, rows.collect())
}
