//! `PassageStore`, the store trait for the full-text index of conversations: segments of postings, as those of code.
//!
//! A segment covers **passages**, stretches of messages, of any conversations. Heads and postings are bytes of the
//! engine, opaque here. All of it is made from messages and can be made again, so losing it costs time and nothing
//! else.

use crate::{Result, SegmentPostings, TermPostings};
use async_trait::async_trait;

/// A segment, without its postings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageSegment {
    /// The store's number for it; a later one has a larger number, and none comes back.
    pub number: i64,
    /// How many passages it covers.
    pub passages: u32,
    /// What the engine says about them.
    pub heads: Vec<u8>,
}

/// The segments there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassageSegments {
    /// The numbers of all, in order.
    pub all: Vec<i64>,
    /// Segments that the caller did not know, in order.
    pub new: Vec<PassageSegment>,
}

/// Postings, and where they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassagePostings {
    /// The numbers of all segments at that moment, in order.
    pub all: Vec<i64>,
    /// Ordered by term, then segment.
    pub postings: Vec<SegmentPostings>,
}

/// A segment on its way in.
#[derive(Clone, Debug)]
pub struct NewPassages {
    /// The largest number the caller knows of; 0 where there is none.
    pub seen: i64,
    /// The segments whose place it takes.
    pub replaces: Vec<i64>,
    /// How many passages it covers.
    pub passages: u32,
    /// What the engine says about them.
    pub heads: Vec<u8>,
    /// Postings over its passages, numbered from 0; ordered by term, each term once.
    pub postings: Vec<TermPostings>,
}

/// Full text of conversations.
#[async_trait]
pub trait PassageStore: Send + Sync {
    /// The segments, with the heads of those that are not among `known`.
    async fn passage_segments(&self, known: &[i64]) -> Result<PassageSegments>;

    /// The postings of some terms in all segments.
    async fn passage_postings(&self, terms: &[String]) -> Result<PassagePostings>;

    /// All postings of some segments.
    async fn passages_of(&self, segments: &[i64]) -> Result<Vec<SegmentPostings>>;

    /// Writes a segment and drops those it replaces, all or nothing; its number.
    ///
    /// `Conflict` when there is a segment that the caller does not know of, or one that it replaces is gone: look again.
    async fn write_passages(&self, new: NewPassages) -> Result<i64>;

    /// Forgets all segments, so that they can be built anew.
    async fn drop_passages(&self) -> Result<()>;
}
