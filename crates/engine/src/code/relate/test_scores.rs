//! Scores the evidence that connects a test file with a change. What each kind of evidence is worth was chosen on commits
//! of two public projects (`bench/workloads/affected-tests.toml`), and measured on others.

use super::affected_tests::TestEvidence;
use super::file_stems::StemMatch;
use std::collections::{BTreeMap, HashMap};

/// A history of so many commits counts as much as what changed lately, whatever the change.
const PRIOR_COMMITS: f32 = 5.0;

/// How much each kind of evidence says here: what holds for most tests of a project says little about one.
pub(super) struct EvidenceWeights {
    reached: BTreeMap<u32, f32>,
    imported: BTreeMap<u32, f32>,
    mentioned: HashMap<String, f32>,
}

impl EvidenceWeights {
    pub(super) fn from_tests(tests: &BTreeMap<String, TestEvidence>) -> Self {
        let mut reached: BTreeMap<u32, f32> = BTreeMap::new();
        let mut imported: BTreeMap<u32, f32> = BTreeMap::new();
        let mut mentioned: HashMap<String, f32> = HashMap::new();
        for evidence in tests.values() {
            if let Some((_, distance)) = evidence.reached {
                *reached.entry(distance).or_default() += 1.0;
            }
            if let Some((_, distance)) = &evidence.import {
                *imported.entry(*distance).or_default() += 1.0;
            }
            for name in evidence.mentions.keys() {
                *mentioned.entry(name.clone()).or_default() += 1.0;
            }
        }
        Self { reached, imported, mentioned }
    }

    /// How much speaks for a test.
    pub(super) fn score(&self, evidence: &TestEvidence) -> f32 {
        let rarity = |files: f32| 1.0 / (1.0 + files.max(1.0).ln() / 2.0);
        // It may just have been written for the change.
        if evidence.is_changed {
            return f32::MAX;
        }
        let mut unlikely = 1.0;
        let mut count = |likely: f32| unlikely *= 1.0 - likely.clamp(0.0, 0.99);
        if let Some((confidence, distance)) = evidence.reached {
            let near: f32 = self.reached.range(..=distance).map(|(_, files)| files).sum();
            count(confidence.get() * 0.7 * 0.7_f32.powi(distance as i32 - 1) * rarity(near));
        }
        if let Some((_, distance)) = &evidence.import {
            let near: f32 = self.imported.range(..=distance).map(|(_, files)| files).sum();
            count(0.4 * 0.5_f32.powi(*distance as i32 - 1) * rarity(near));
        }
        for (name, lines) in &evidence.mentions {
            let files = self.mentioned.get(name).copied().unwrap_or(1.0);
            count(0.4 * rarity(files) * (*lines as f32 / (*lines as f32 + 1.0)));
        }
        // Edges, imports and mentions of one name are often the same use seen three times, so they are not added up as
        // the rest is.
        let linked = 1.0 - unlikely;
        let named = match evidence.stem {
            Some((StemMatch::Whole, _)) => 0.4,
            Some((StemMatch::Words, _)) => 0.15,
            None => 0.0,
        };
        let after_symbol = if evidence.symbol.is_some() { 0.4 } else { 0.0 };
        let words = evidence.words.as_ref().map_or(0.0, |shared| 0.5 * shared.share);
        0.5 * linked + named + after_symbol + words + score_history(evidence)
    }
}

/// How likely a test changes with the files of the change; of files with few commits, how likely with any.
fn score_history(evidence: &TestEvidence) -> f32 {
    let together = evidence.shared.as_ref().map_or(0, |(shared, _)| shared.together);
    (together as f32 + PRIOR_COMMITS * evidence.recent) / (evidence.commits as f32 + PRIOR_COMMITS)
}
