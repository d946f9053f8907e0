//! `EmbedProgress`, the counters of an embedding run: how many texts there are, how many of them were embedded now or
//! before, and why others were not.

use super::{EmbedRun, FillReport};
use crate::ledger::{CallRefusal, Degradation};

/// How many texts have vectors of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct EmbedProgress {
    /// All texts that differ.
    pub(crate) texts: u64,
    /// How many of them were embedded in this run, and how many before.
    pub(crate) embedded: u64,
    pub(crate) known: u64,
    /// Why texts were not embedded.
    pub(crate) degraded: Vec<Degradation>,
}

impl EmbedProgress {
    /// How many texts have no vector.
    pub(crate) fn missing_count(&self) -> u64 {
        self.texts.saturating_sub(self.embedded + self.known)
    }

    pub(crate) fn add_fill(&mut self, run: &EmbedRun<'_>, filled: &FillReport) {
        self.embedded += filled.vectors.len() as u64;
        self.degraded.extend(filled.refused.as_ref().map(|refused: &CallRefusal| Degradation::from(refused)));
        self.degraded.extend((filled.too_long > 0).then(|| run.too_long(filled.too_long)));
    }
}
