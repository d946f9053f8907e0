//! Words: BM25 over the fields of each unit (name, path, signature, doc, body).
//!
//! Each field counts with its own weight and is corrected for its own length before the counts are added and
//! saturated (BM25F): a word in a short name says more than the same word in a long body.

use super::Word;
use crate::Result;
use crate::index::{Counts, FIELDS, Field, Lengths, each_posting, read_lengths};
use std::collections::HashMap;
use store::{Store, TreeFile, UnitId, WorktreeId};

/// A unit and how well it fits.
pub(super) struct Scored {
    pub(super) unit: UnitId,
    pub(super) score: f32,
    /// For each word of the question that it holds: the word's index and its best field.
    found: Vec<(u16, Field)>,
}

const K1: f32 = 1.2;

/// Weight and length correction of each field.
const TUNING: [(Field, f32, f32); FIELDS] = [
    (Field::Name, 3.0, 0.5),
    (Field::Path, 2.0, 0.3),
    (Field::Signature, 1.5, 0.5),
    (Field::Doc, 1.2, 0.5),
    (Field::Body, 1.0, 0.75),
];

/// All units of the worktree that hold one of the words, best first, equal scores in unit order; and its files.
pub(super) async fn rank(
    store: &dyn Store,
    worktree: &WorktreeId,
    words: &[Word],
) -> Result<(Vec<Scored>, Vec<TreeFile>)> {
    let stems: Vec<String> = words.iter().map(|word| word.stem.clone()).collect();
    let mut corpus = Corpus::load(store, worktree).await?;
    let mut postings = store.postings(worktree, &stems).await?;
    // Segments may be put together between the two questions; then the first has to be asked again.
    while postings.iter().any(|posting| !corpus.first_units.contains_key(&posting.segment)) {
        corpus = Corpus::load(store, worktree).await?;
        postings = store.postings(worktree, &stems).await?;
    }
    let mut scores: HashMap<u32, Scored> = HashMap::new();
    for (number, stem) in stems.iter().enumerate() {
        let mut hits: Vec<(u32, Counts)> = Vec::new();
        for posting in postings.iter().filter(|posting| posting.term == *stem) {
            let first = corpus.first_units[&posting.segment];
            each_posting(&posting.bytes, |unit, counts| hits.push((first + unit, *counts)));
        }
        hits.retain(|(unit, _)| corpus.lengths.contains_key(unit));
        let rarity = corpus.rarity(hits.len());
        for (unit, counts) in hits {
            let (weight, field) = corpus.weigh(&corpus.lengths[&unit], &counts);
            let entry = scores.entry(unit).or_insert(Scored { unit: UnitId(unit), score: 0.0, found: Vec::new() });
            entry.score += rarity * weight * (K1 + 1.0) / (K1 + weight);
            entry.found.push((number as u16, field));
        }
    }
    let mut ranked: Vec<Scored> = scores.into_values().collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
    Ok((ranked, corpus.files))
}

impl Scored {
    /// The words it holds, and where the telling ones stand.
    pub(super) fn why(&self, words: &[Word]) -> String {
        let place = |field: Field| match field {
            Field::Name => " (name)",
            Field::Path => " (path)",
            Field::Signature => " (signature)",
            Field::Doc => " (doc)",
            Field::Body => "",
        };
        let found =
            self.found.iter().map(|(word, field)| format!("{}{}", words[*word as usize].written, place(*field)));
        format!("words: {}", found.collect::<Vec<_>>().join(", "))
    }
}

/// What scoring needs to know of the units of a worktree.
struct Corpus {
    files: Vec<TreeFile>,
    lengths: HashMap<u32, Lengths>,
    average: [f32; FIELDS],
    first_units: HashMap<i64, u32>,
}

impl Corpus {
    async fn load(store: &dyn Store, worktree: &WorktreeId) -> Result<Self> {
        let files = store.worktree_files(worktree).await?;
        let segments = store.segments(worktree).await?;
        let mut all = HashMap::new();
        for segment in &segments {
            all.extend((segment.first_unit.0..).zip(read_lengths(&segment.lengths)));
        }
        // Segments are shared by all worktrees of the project: keep the units of this one.
        let live = files.iter().flat_map(|file| file.first_unit.0..file.first_unit.0 + file.units);
        let lengths: HashMap<u32, Lengths> = live.filter_map(|unit| Some((unit, *all.get(&unit)?))).collect();
        let mut average = [0.0; FIELDS];
        for (field, average) in average.iter_mut().enumerate() {
            let total: u64 = lengths.values().map(|lengths| u64::from(lengths[field])).sum();
            *average = (total as f32 / lengths.len().max(1) as f32).max(1.0);
        }
        let first_units = segments.iter().map(|segment| (segment.number, segment.first_unit.0)).collect();
        Ok(Self { files, lengths, average, first_units })
    }

    /// How much a word says by being rare.
    fn rarity(&self, units: usize) -> f32 {
        let (all, units) = (self.lengths.len() as f32, units as f32);
        (1.0 + (all - units + 0.5) / (units + 0.5)).ln()
    }

    /// The corrected count over all fields, and the field that gave most of it.
    fn weigh(&self, lengths: &Lengths, counts: &Counts) -> (f32, Field) {
        let mut total = 0.0;
        let mut best = (0.0, Field::Body);
        for (field, weight, correction) in TUNING {
            let at = field as usize;
            let normal = 1.0 - correction + correction * lengths[at] as f32 / self.average[at];
            let value = weight * counts[at] as f32 / normal;
            total += value;
            if value > best.0 {
                best = (value, field);
            }
        }
        (total, best.1)
    }
}
