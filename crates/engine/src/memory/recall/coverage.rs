//! Computes up to which message the index segments cover each conversation, and checks by hash-chain links that they
//! were built from the messages that are stored now. The refresh of the index reads on from there, or rebuilds.

use super::corpus::RecallSegment;
use super::segment_metadata::{ChainLink, PassageGroup};
use foldhash::{HashMap, HashMapExt};
use model::{ConversationId, UtcDay};
use std::cmp::Ordering;
use store::Conversation;

/// For each conversation its last covered message.
#[derive(Default)]
pub(super) struct SegmentCoverage(HashMap<ConversationId, CoverageEnd>);

/// A message up to which a conversation is covered; the default is before the first.
#[derive(Clone, Copy, Default)]
pub(super) struct CoverageEnd {
    pub(super) seq: u64,
    pub(super) link: Option<ChainLink>,
    /// The last day known.
    pub(super) day: Option<UtcDay>,
}

impl SegmentCoverage {
    /// The coverage of segments; `None` where the stored ones do not fit together, or not to the conversations. A
    /// segment in memory that does not start where the stored ones end is dropped: another process has stored what it
    /// covers.
    pub(super) fn from_segments(parts: &mut Vec<RecallSegment>, conversations: &[Conversation]) -> Option<Self> {
        let mut covered = Self::default();
        let stored = parts.iter().filter(|part| part.store_number().is_some());
        let mut groups: Vec<&PassageGroup> = stored.flat_map(|part| &part.segment_metadata().groups).collect();
        groups.sort_by_key(|group| (&group.conversation, group.first_seq));
        if !covered.extend_groups(groups.into_iter()) {
            return None;
        }
        parts.retain(|part| {
            part.store_number().is_some() || covered.extend_groups(part.segment_metadata().groups.iter())
        });
        covered.matches_conversations(conversations).then_some(covered)
    }

    /// Where a conversation is covered to.
    pub(super) fn covered_end(&self, conversation: &ConversationId) -> CoverageEnd {
        self.0.get(conversation).copied().unwrap_or_default()
    }

    /// Adds groups if each starts where its conversation is covered to.
    fn extend_groups<'r>(&mut self, groups: impl Iterator<Item = &'r PassageGroup> + Clone) -> bool {
        let mut ends: HashMap<&ConversationId, CoverageEnd> = HashMap::new();
        for group in groups {
            let end = ends.entry(&group.conversation).or_insert_with(|| self.covered_end(&group.conversation));
            if end.seq + 1 != u64::from(group.first_seq) {
                return false;
            }
            let day = group.messages.last().and_then(|head| head.day);
            *end = CoverageEnd { seq: u64::from(group.last_seq()), link: Some(group.end), day };
        }
        // Only after all groups fitted: half of a segment must not count as covered.
        self.0.extend(ends.into_iter().map(|(conversation, end)| (conversation.clone(), end)));
        true
    }

    /// Whether these are the conversations that were covered, as far as is known without reading them.
    fn matches_conversations(&self, conversations: &[Conversation]) -> bool {
        let there: HashMap<&ConversationId, &Conversation> =
            conversations.iter().map(|conversation| (&conversation.id, conversation)).collect();
        self.0.iter().all(|(id, end)| {
            there.get(id).is_some_and(|conversation| match end.seq.cmp(&conversation.messages) {
                Ordering::Less => true,
                // The hash chain links every message to all before it, so one link proves the whole group. Where messages
                // follow the covered ones, `read_conversation` compares the link when it reads on.
                Ordering::Equal => end.link == Some(ChainLink::from_hash(&conversation.head)),
                Ordering::Greater => false,
            })
        })
    }
}
