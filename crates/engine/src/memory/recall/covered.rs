//! How far conversations are covered by segments, and whether by segments of what they are now.

use super::corpus::Part;
use super::heads::{Link, Run};
use foldhash::{HashMap, HashMapExt};
use model::{ConversationId, Day};
use std::cmp::Ordering;
use store::Conversation;

/// For each conversation its last covered message.
#[derive(Default)]
pub(super) struct Covered(HashMap<ConversationId, End>);

/// A message up to which a conversation is covered; the default is before the first.
#[derive(Clone, Copy, Default)]
pub(super) struct End {
    pub(super) seq: u64,
    pub(super) link: Option<Link>,
    /// The last day known.
    pub(super) day: Option<Day>,
}

impl Covered {
    /// What segments cover; none when the stored ones do not fit together or not to the conversations. One in memory
    /// that does not go on where the stored ones end is let go: somebody else has stored what it covers.
    pub(super) fn by(parts: &mut Vec<Part>, conversations: &[Conversation]) -> Option<Self> {
        let mut covered = Self::default();
        let stored = parts.iter().filter(|part| part.number().is_some());
        let mut runs: Vec<&Run> = stored.flat_map(|part| &part.heads().runs).collect();
        runs.sort_by_key(|run| (&run.conversation, run.first_seq));
        if !covered.extend(runs.into_iter()) {
            return None;
        }
        parts.retain(|part| part.number().is_some() || covered.extend(part.heads().runs.iter()));
        covered.fits(conversations).then_some(covered)
    }

    /// Where a conversation is covered to.
    pub(super) fn end(&self, conversation: &ConversationId) -> End {
        self.0.get(conversation).copied().unwrap_or_default()
    }

    /// Takes runs in if they go on where their conversations are covered to.
    fn extend<'r>(&mut self, runs: impl Iterator<Item = &'r Run> + Clone) -> bool {
        let mut ends: HashMap<&ConversationId, End> = HashMap::new();
        for run in runs {
            let end = ends.entry(&run.conversation).or_insert_with(|| self.end(&run.conversation));
            if end.seq + 1 != u64::from(run.first_seq) {
                return false;
            }
            let day = run.messages.last().and_then(|head| head.day);
            *end = End { seq: u64::from(run.last_seq()), link: Some(run.end), day };
        }
        self.0.extend(ends.into_iter().map(|(conversation, end)| (conversation.clone(), end)));
        true
    }

    /// Whether these are the conversations that were covered, as far as can be told without reading them.
    fn fits(&self, conversations: &[Conversation]) -> bool {
        let there: HashMap<&ConversationId, &Conversation> =
            conversations.iter().map(|conversation| (&conversation.id, conversation)).collect();
        self.0.iter().all(|(id, end)| {
            there.get(id).is_some_and(|conversation| match end.seq.cmp(&conversation.messages) {
                Ordering::Less => true,
                Ordering::Equal => end.link == Some(Link::of(&conversation.head)),
                Ordering::Greater => false,
            })
        })
    }
}
