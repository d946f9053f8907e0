//! The settings of conversations with their defaults: when and how far old messages are compacted into summaries
//! (thresholds, chunk sizes, fan-outs, target tokens), the budget of an expansion, and the size from which content
//! becomes an artifact.

use super::durable::TierSettings;
use super::fold::{FENCE, FoldRules};
use model::{FoldTrigger, TokenCount};
use store::ContextLimits;

/// How conversations are folded and shown.
#[derive(Clone, Copy, Debug)]
pub struct MemorySettings {
    /// Whether conversations are folded at all.
    pub enabled: bool,
    /// Whether conversations that hold too much are folded automatically.
    pub autocompact: bool,
    /// Tokens that the model reads at once.
    pub context_tokens: TokenCount,
    /// The share of them that may be in use before older messages are folded.
    pub context_threshold: f64,
    /// Unfolded messages that a context may hold before older ones are folded; `None` for any number.
    pub max_active_messages: Option<u32>,
    /// Newest turns that are never folded.
    pub fresh_tail: u32,
    /// Tokens a leaf aims for.
    pub leaf_target_tokens: TokenCount,
    /// Tokens a condensed summary aims for.
    pub condensed_target_tokens: TokenCount,
    /// Most tokens of messages under one leaf.
    pub leaf_chunk_tokens: TokenCount,
    /// Leaves under one condensed summary.
    pub leaf_fanout: u32,
    /// Condensed summaries under one of the next depth.
    pub condensed_fanout: u32,
    /// The greatest depth that folding reaches by itself; `None` for any.
    pub incremental_depth: Option<u32>,
    /// Tokens one expansion gives before it says where to go on.
    pub expand_tokens: TokenCount,
    /// Content of more tokens is kept beside its message.
    pub artifact_tokens: TokenCount,
    /// Days without a message after which a conversation is archived; `None` for never.
    pub archive_days: Option<u32>,
    /// Whether a conversation is summed up when it is archived.
    pub auto_summarize: bool,
    /// When what sessions work with moves between tiers.
    pub tiers: TierSettings,
    /// Checkpoints that a session keeps; older ones are listed no more.
    pub checkpoints: u32,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            autocompact: true,
            context_tokens: TokenCount(200_000),
            context_threshold: 0.75,
            max_active_messages: None,
            fresh_tail: 8,
            leaf_target_tokens: TokenCount(600),
            condensed_target_tokens: TokenCount(900),
            leaf_chunk_tokens: TokenCount(20_000),
            leaf_fanout: 8,
            condensed_fanout: 4,
            incremental_depth: None,
            expand_tokens: TokenCount(4_000),
            artifact_tokens: TokenCount(25_000),
            archive_days: Some(30),
            auto_summarize: true,
            tiers: TierSettings::USUAL,
            checkpoints: 10,
        }
    }
}

impl MemorySettings {
    pub(crate) fn fold_rules(&self) -> FoldRules {
        FoldRules {
            fresh_tail: self.fresh_tail,
            // A tail of more would leave too little to fold.
            tail_tokens: TokenCount(self.context_tokens.0 / 4),
            leaf_chunk: self.leaf_chunk_tokens,
            leaf_fanout: self.leaf_fanout as usize,
            condensed_fanout: self.condensed_fanout as usize,
            leaf_target: self.leaf_target_tokens,
            condensed_target: self.condensed_target_tokens,
            deepest: None,
        }
    }

    /// The same for a run, which goes less deep where the user did not ask for it.
    pub(crate) fn fold_rules_for(&self, trigger: FoldTrigger) -> FoldRules {
        let deepest = self.incremental_depth.filter(|_| trigger == FoldTrigger::Threshold);
        FoldRules { deepest, ..self.fold_rules() }
    }

    /// The limits above which a context is folded automatically.
    pub(crate) fn fold_pressure(&self) -> ContextLimits {
        let tokens = f64::from(self.context_tokens.0) * self.context_threshold.max(0.0);
        ContextLimits { tokens: tokens as u64, messages: self.max_active_messages.map(u64::from), fence: FENCE }
    }
}
