//! Finds the items of a context that compaction never folds: the fresh tail, and what is protected before it.
//!
//! Protected are the newest turns, because the work is there; the newest message of the user, because it is what the
//! work is about, however old it is; and the instructions that the conversation began with.

use super::outline::{FoldItem, MessageVoice};
use model::TokenCount;

/// Which items a fold leaves alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtectedItems {
    /// The instructions at the beginning: items before this one.
    pub(crate) head: usize,
    /// The newest words of the user, where they are older than the tail.
    pub(crate) asked: Option<usize>,
    /// The tail: this item and all after it.
    pub(crate) tail: usize,
}

impl ProtectedItems {
    pub(crate) fn is_protected(&self, at: usize) -> bool {
        at < self.head || at >= self.tail || self.asked == Some(at)
    }
}

/// What is protected of a context: `turns` newest turns, but no more than `cap` tokens of them and at least one.
pub(crate) fn find_protected(items: &[FoldItem], safe: &[bool], turns: u32, cap: TokenCount) -> ProtectedItems {
    let system = |item: &FoldItem| matches!(item, FoldItem::Message(entry) if entry.voice == MessageVoice::System);
    let head = items.iter().take_while(|item| system(item)).count();
    let mut tail = tail_start(items, turns, cap);
    // Moved back to a safe cut, so that the tail does not begin with a result whose call is folded.
    while tail > 0 && !safe[tail - 1] {
        tail -= 1;
    }
    let said = |item: &FoldItem| matches!(item, FoldItem::Message(entry) if entry.voice == MessageVoice::User);
    // An agent may work for hours after one request: it is older than the tail, and the work makes no sense without it.
    let asked = items.iter().rposition(said).filter(|at| *at < tail);
    ProtectedItems { head, asked, tail }
}

fn tail_start(items: &[FoldItem], turns: u32, TokenCount(cap): TokenCount) -> usize {
    let mut start = items.len();
    let mut counted = 0;
    let mut tokens = 0_u64;
    let mut at = items.len();
    // Walking backwards, results of tools belong to the message before them: a turn is complete when that is reached.
    while at > 0
        && counted < turns
        && let FoldItem::Message(entry) = &items[at - 1]
    {
        at -= 1;
        tokens += u64::from(entry.tokens.0);
        if entry.voice == MessageVoice::Results && at > 0 && matches!(items[at - 1], FoldItem::Message(_)) {
            continue;
        }
        // The newest turn stays however large it is; only further ones are limited.
        if counted > 0 && tokens > u64::from(cap) {
            break;
        }
        (start, counted) = (at, counted + 1);
    }
    start
}
