//! What memory holds: conversations, what they were folded into and how much shorter that made them.

use crate::base::Result;
use crate::memory::MemoryContext;
use store::{ArchiveTotals, ConversationFolds};

/// What memory holds.
#[derive(Clone, Debug)]
pub struct MemoryStats {
    /// Each conversation, the longest first.
    pub conversations: Vec<ConversationFolds>,
    /// Lines of transcripts and artifacts.
    pub archive: ArchiveTotals,
    /// Jobs that are not done.
    pub jobs: u64,
}

pub(crate) async fn memory_stats(memory: &MemoryContext) -> Result<MemoryStats> {
    let mut conversations = memory.store.conversation_folds().await?;
    // The longest first, by what was said: that is where most was or could be folded. Ties by id, which they come in.
    conversations.sort_by_key(|conversation| std::cmp::Reverse(conversation.tokens));
    let archive = memory.store.archive_totals().await?;
    let jobs = memory.store.fold_totals().await?.jobs;
    Ok(MemoryStats { conversations, archive, jobs })
}
