//! Restricts a recall to some conversations or ranges of messages (all, a project, one conversation, what summaries
//! cover). IDF and average passage length are computed within this scope alone.

use super::corpus::{Corpus, CorpusConversation};
use model::{ConversationId, ProjectId, SeqRange};
use std::ops::Range;

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScopeFilter {
    Everywhere,
    Project(ProjectId),
    Conversation(ConversationId),
    /// Some stretches of conversations.
    Covered(Vec<(ConversationId, SeqRange)>),
}

/// The conversations that are searched.
pub(super) struct CorpusScope {
    /// By conversation: whether it is.
    talks: Vec<bool>,
    pub(super) passages: u32,
    /// Terms of a passage, on average.
    pub(super) average: f32,
    /// The passages that are asked for, where it is not all of a conversation.
    stretches: Option<Vec<Range<u32>>>,
}

impl CorpusScope {
    pub(super) fn new(corpus: &Corpus, place: &ScopeFilter) -> Self {
        let talks: Vec<bool> = corpus
            .talks
            .iter()
            .map(|talk| match place {
                ScopeFilter::Everywhere => true,
                ScopeFilter::Project(project) => talk.project.as_ref() == Some(project),
                ScopeFilter::Conversation(id) => talk.id == *id,
                ScopeFilter::Covered(ranges) => ranges.iter().any(|(id, _)| talk.id == *id),
            })
            .collect();
        let searched = || corpus.talks.iter().zip(&talks).filter(|(_, searched)| **searched).map(|(talk, _)| talk);
        let passages = searched().map(|talk| talk.passages.len() as u32).sum();
        let terms: u64 = searched().map(|talk| talk.terms).sum();
        let average = (terms as f32 / (passages as f32).max(1.0)).max(1.0);
        let stretches = match place {
            ScopeFilter::Covered(ranges) => {
                Some(ranges.iter().filter_map(|range| message_range(corpus, range)).collect())
            }
            ScopeFilter::Everywhere | ScopeFilter::Project(_) | ScopeFilter::Conversation(_) => None,
        };
        Self { talks, passages, average, stretches }
    }

    /// Whether a message of one of its conversations is asked for.
    pub(super) fn contains_message(&self, message: u32) -> bool {
        let is_in = |stretch: &Range<u32>| stretch.contains(&message);
        self.stretches.as_ref().is_none_or(|stretches| stretches.iter().any(is_in))
    }

    pub(super) fn contains_conversation(&self, talk: u32) -> bool {
        self.talks[talk as usize]
    }

    /// How many messages are searched.
    pub(super) fn message_count(&self, corpus: &Corpus) -> usize {
        let searched = corpus.talks.iter().zip(&self.talks).filter(|(_, searched)| **searched);
        searched.map(|(talk, _)| talk.messages.len()).sum()
    }

    /// Whether only stretches of its conversations are asked for.
    pub(super) fn has_stretches(&self) -> bool {
        self.stretches.is_some()
    }

    /// All speakers in the scope.
    pub(super) fn speaker_numbers(&self, corpus: &Corpus) -> Vec<u32> {
        let mut speakers: Vec<u32> = corpus
            .talks
            .iter()
            .zip(&self.talks)
            .filter(|(_, searched)| **searched)
            .flat_map(|(talk, _)| talk.speakers.iter().copied())
            .collect();
        speakers.sort_unstable();
        speakers.dedup();
        speakers
    }
}

/// The messages of a stretch of a conversation.
fn message_range(corpus: &Corpus, (conversation, range): &(ConversationId, SeqRange)) -> Option<Range<u32>> {
    let talk: &CorpusConversation = corpus.talks.iter().find(|talk| talk.id == *conversation)?;
    let place = |seq: u64| talk.messages.start.saturating_add(u32::try_from(seq).unwrap_or(u32::MAX));
    // Messages are numbered from 0 here and from 1 in a conversation. A summary may cover messages that a damaged one
    // hides, so the range ends with what there is.
    Some(place(range.first.checked_sub(1)?)..place(range.last).min(talk.messages.end))
}
