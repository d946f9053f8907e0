//! Reciprocal rank fusion of the keyword, semantic and graph rankings of files; `strategy.rs` explains when it is used.
//! Tests, examples and the like keep only a part of their value in each ranking.

use super::catalog::Catalog;
use super::features::{EvidenceKind, FeatureValues, FileFeature, WeightCase};
use super::ranking::RankedHit;
use crate::code::search::ScorePart;
use crate::code::search::strategy::{FusedRanking, RankFusion};
use search::reciprocal_rank;

/// The share of its value that a penalised file (a test, an example) keeps in each ranking.
const PENALISED_FILE_SHARE: f32 = 0.5;

/// A static feature with at most this weight makes a file a penalised one.
const PENALTY_WEIGHT_THRESHOLD: f32 = -2.0;

/// Scores files by their ranks in several rankings; files that are in no ranking are dropped.
pub(super) fn fuse_rankings(catalog: &Catalog, case: WeightCase, ranked: &mut Vec<RankedHit>, fusion: &RankFusion) {
    let path = |file: &RankedHit| catalog.files[file.file as usize].path.as_str();
    let score = |file: &RankedHit, leg: FusedRanking| {
        let evident = |evidence| evidence_score(&file.values, evidence, case);
        let value = match leg {
            FusedRanking::Keyword => evident(EvidenceKind::Words),
            FusedRanking::Semantic => evident(EvidenceKind::Meaning),
            FusedRanking::Graph => fusion.near.get(path(file)).copied().unwrap_or_default(),
        };
        // The linear sum has negative weights for such files. Ranks have no negative values, so their evidence is
        // halved.
        if is_lesser(&file.values) { value * PENALISED_FILE_SHARE } else { value }
    };
    for file in ranked.iter_mut() {
        file.score = 0.0;
    }
    for (leg, weight) in FusedRanking::ALL.into_iter().zip(fusion.weights).filter(|(_, weight)| *weight > 0.0) {
        let scored = ranked.iter().enumerate().map(|(at, file)| (score(file, leg), at));
        let mut order: Vec<(f32, usize)> = scored.filter(|(score, _)| *score > 0.0).collect();
        // Ties by path: a rank is worth points, so equal files in hash order would make two runs differ.
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| path(&ranked[a.1]).cmp(path(&ranked[b.1]))));
        for (rank, (_, at)) in (1..).zip(order) {
            let worth = reciprocal_rank(weight, rank);
            ranked[at].score += worth;
            ranked[at].places.push(ScorePart { name: leg.as_str(), value: rank as f32, worth });
        }
    }
    ranked.retain(|file| !file.places.is_empty());
}

/// The score of a file by one kind of evidence.
fn evidence_score(values: &FeatureValues, evidence: EvidenceKind, case: WeightCase) -> f32 {
    let of_kind = FileFeature::ALL.iter().filter(|(feature, ..)| feature.evidence_kind() == evidence);
    // The weights of words were fitted twice, with vectors and without; here words decide alone.
    let case = WeightCase { has_vectors: evidence == EvidenceKind::Meaning, ..case };
    of_kind.map(|(feature, ..)| values[*feature as usize] * feature.weight(case)).sum()
}

fn is_lesser(values: &FeatureValues) -> bool {
    let case = WeightCase { has_vectors: true, is_wordy: false, names_tell: true };
    let weighs =
        |feature: FileFeature| feature.weight(case) <= PENALTY_WEIGHT_THRESHOLD && values[feature as usize] > 0.0;
    FileFeature::ALL.iter().any(|(feature, ..)| weighs(*feature))
}
