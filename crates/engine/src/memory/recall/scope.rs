//! Which conversations are searched. What is rare and what is long is counted among them alone.

use super::corpus::Corpus;
use model::{ConversationId, ProjectId};

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Everywhere,
    Project(ProjectId),
    Conversation(ConversationId),
}

/// The conversations that are searched.
pub(super) struct Scope {
    /// By conversation: whether it is.
    talks: Vec<bool>,
    pub(super) passages: u32,
    /// Terms of a passage, on average.
    pub(super) average: f32,
}

impl Scope {
    pub(super) fn new(corpus: &Corpus, place: &Where) -> Self {
        let talks: Vec<bool> = corpus
            .talks
            .iter()
            .map(|talk| match place {
                Where::Everywhere => true,
                Where::Project(project) => talk.project.as_ref() == Some(project),
                Where::Conversation(id) => talk.id == *id,
            })
            .collect();
        let searched = || corpus.talks.iter().zip(&talks).filter(|(_, searched)| **searched).map(|(talk, _)| talk);
        let passages = searched().map(|talk| talk.passages.len() as u32).sum();
        let terms: u64 = searched().map(|talk| talk.terms).sum();
        let average = (terms as f32 / (passages as f32).max(1.0)).max(1.0);
        Self { talks, passages, average }
    }

    pub(super) fn has(&self, talk: u32) -> bool {
        self.talks[talk as usize]
    }

    /// Everybody who speaks in it.
    pub(super) fn speakers(&self, corpus: &Corpus) -> Vec<u32> {
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
