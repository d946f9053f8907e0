//! Reading messages that no segment covers, and making segments of them.

use super::build::{Built, Stretch, build, day_of, merge};
use super::corpus::Part;
use super::covered::End;
use super::heads::Link;
use super::meaning::model;
use super::refresh::{State, Stop};
use crate::Error;
use crate::index::{blocking, crowded};
use crate::memory::damage::left_out;
use model::{Message, Part as MessagePart};
use rayon::prelude::*;
use std::sync::Arc;
use store::{Conversation, NewPassages, Postings, Store, TermPostings, Window};
use tokio::task::JoinHandle;

/// Fewer passages are not worth a segment in the store.
const LEAST: u32 = 256;

/// Messages read at a time.
const PAGE: u32 = 256;

/// The fewest to read at a time that go on: the last covered one and the next.
const FEWEST: u32 = 2;

/// Text of one segment.
const SEGMENT: usize = 8 << 20;

/// Text that is held at a time: of so many segments as are made at once.
const HELD: usize = 4 * SEGMENT;

/// Messages on their way into segments.
pub(super) struct Gathering<'a> {
    store: &'a dyn Store,
    state: &'a mut State,
    stretches: Vec<Stretch>,
    bytes: usize,
    /// What was read before, while it is made into segments.
    building: Option<JoinHandle<Vec<Built>>>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(store: &'a dyn Store, state: &'a mut State) -> Self {
        Self { store, state, stretches: Vec::new(), bytes: 0, building: None }
    }

    /// Reads what a conversation has behind its last covered message.
    pub(super) async fn read(&mut self, conversation: &Conversation, mut end: End) -> Result<(), Stop> {
        let mut limit = PAGE;
        while end.seq < conversation.messages {
            // The last covered one is read again: it tells whether this is the conversation that was covered.
            let window = Window::After { seq: end.seq.saturating_sub(1), limit };
            let mut messages = match self.store.messages(&conversation.id, window).await {
                // Up to the damaged one there may be others, which are found one by one.
                Err(error) if error.is_damage() && limit > FEWEST => {
                    limit = FEWEST;
                    continue;
                }
                Err(error) if error.is_damage() => {
                    let told = format!("{}; no later message of its conversation is recalled", left_out(&error));
                    self.state.damaged.push((conversation.id.clone(), told));
                    return Ok(());
                }
                messages => messages?,
            };
            if end.seq > 0 {
                let before = messages.first().filter(|message| message.seq == end.seq);
                if before.map(|message| Link::of(&message.hash)) != end.link {
                    return Err(Stop::Stale);
                }
                messages.remove(0);
            }
            messages.retain(|message| message.seq <= conversation.messages);
            let Some(last) = messages.last() else { return Err(Stop::Moved) };
            let day = messages.iter().rev().find_map(day_of).or(end.day);
            let next = End { seq: last.seq, link: Some(Link::of(&last.hash)), day };
            self.bytes += size(&messages);
            self.stretches.push(Stretch { day: end.day, messages });
            end = next;
            if self.bytes >= HELD {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Makes segments of all that was read.
    pub(super) async fn finish(mut self) -> Result<(), Stop> {
        self.flush().await?;
        let last = self.building.take();
        self.keep(last).await
    }

    /// Begins to make segments of what was read, and stores those of what was read before.
    async fn flush(&mut self) -> Result<(), Stop> {
        self.bytes = 0;
        let stretches = std::mem::take(&mut self.stretches);
        if stretches.is_empty() {
            return Ok(());
        }
        let embedder = self.state.embedder.clone();
        // What comes next is read meanwhile.
        let building = tokio::task::spawn_blocking(move || {
            let build = |stretches: Vec<Stretch>| build(&stretches, embedder.as_deref());
            segments(stretches).into_par_iter().map(build).collect()
        });
        let before = self.building.replace(building);
        self.keep(before).await
    }

    async fn keep(&mut self, building: Option<JoinHandle<Vec<Built>>>) -> Result<(), Stop> {
        let Some(building) = building else { return Ok(()) };
        for built in building.await.map_err(|_| Error::Panicked { what: "cutting messages into passages" })? {
            let part = keep(self.store, self.state, built, Vec::new()).await?;
            self.state.parts.push(part);
        }
        Ok(())
    }
}

/// Stretches by the segment they go into.
fn segments(stretches: Vec<Stretch>) -> Vec<Vec<Stretch>> {
    let (mut segments, mut bytes) = (vec![Vec::new()], 0);
    for stretch in stretches {
        if bytes >= SEGMENT {
            segments.push(Vec::new());
            bytes = 0;
        }
        bytes += size(&stretch.messages);
        segments.last_mut().expect("there is always one").push(stretch);
    }
    segments
}

fn size(messages: &[Message]) -> usize {
    let words = messages.iter().flat_map(|message| &message.body.parts).flat_map(MessagePart::words);
    words.map(str::len).sum()
}

/// Stores a segment in the place of others, or holds it where it is too small or the store takes none.
async fn keep(store: &dyn Store, state: &mut State, built: Built, replaces: Vec<i64>) -> Result<Part, Stop> {
    let passages = built.heads.passages();
    if passages < LEAST || state.is_read_only {
        return Ok(Part::Held(Arc::new(built)));
    }
    let new = NewPassages {
        seen: state.parts.iter().filter_map(Part::number).max().unwrap_or(0),
        replaces,
        passages,
        heads: built.heads.encode(&model(state.embedder.as_deref())),
        postings: built.postings.clone(),
    };
    match store.write_passages(new).await {
        Ok(number) => Ok(Part::Stored { number, heads: built.heads }),
        Err(store::Error::Conflict { .. }) => Err(Stop::Moved),
        // An answer does not need it written.
        Err(error) => {
            tracing::warn!(%error, "passages are kept in memory only");
            state.is_read_only = true;
            Ok(Part::Held(Arc::new(built)))
        }
    }
}

/// Stores what is held where together it is enough, and puts small segments together.
pub(super) async fn tidy(store: &dyn Store, state: &mut State) -> Result<(), Stop> {
    let held: Vec<Arc<Built>> = state.parts.iter().filter_map(Part::held).cloned().collect();
    if held.iter().map(|built| built.heads.passages()).sum::<u32>() >= LEAST && !state.is_read_only {
        let merged = blocking("putting passages together", move || merge(&held)).await?;
        let part = keep(store, state, merged, Vec::new()).await?;
        state.parts.retain(|part| part.held().is_none());
        state.parts.push(part);
    }
    let stored = state.parts.iter().filter(|part| part.number().is_some()).cloned().collect();
    let chosen: Vec<Part> = crowded(stored, |part: &Part| part.heads().passages());
    let numbers: Vec<i64> = chosen.iter().filter_map(Part::number).collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let postings = store.passages_of(&numbers).await?;
    let merged = blocking("putting passages together", move || merge(&with_postings(&chosen, postings))).await?;
    let part = keep(store, state, merged, numbers.clone()).await?;
    // Held, it would be there twice: the segments it was made of are still stored.
    if part.number().is_some() {
        state.parts.retain(|part| part.number().is_none_or(|number| !numbers.contains(&number)));
        state.parts.push(part);
    }
    Ok(())
}

/// Stored segments with what the store has of them.
fn with_postings(parts: &[Part], postings: Vec<Postings>) -> Vec<Arc<Built>> {
    let mut built: Vec<Built> =
        parts.iter().map(|part| Built { heads: Arc::clone(part.heads()), postings: Vec::new() }).collect();
    for Postings { segment, term, bytes } in postings {
        if let Some(at) = parts.iter().position(|part| part.number() == Some(segment)) {
            built[at].postings.push(TermPostings { term, bytes });
        }
    }
    built.into_iter().map(Arc::new).collect()
}
