//! Words: BM25 over the fields of each unit (name, path, signature, doc, body).
//!
//! Each field counts with its own weight and is corrected for its own length before the counts are added and
//! saturated (BM25F): a word in a short name says more than the same word in a long body.

use super::Word;
use crate::Result;
use crate::index::{Counts, FIELDS, Field, Lengths, each_posting, read_lengths};
use std::collections::HashMap;
use store::{Postings, Store, TreeFile, UnitId, WorktreeId};

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

/// How often to ask again while segments are put together.
const ATTEMPTS: usize = 5;

/// All units of the worktree that hold one of the words, best first, equal scores in the order of paths and lines; and
/// its files.
pub(super) async fn rank(
    store: &dyn Store,
    worktree: &WorktreeId,
    words: &[Word],
) -> Result<(Vec<Scored>, Vec<TreeFile>)> {
    let stems: Vec<String> = words.iter().map(|word| word.stem.clone()).collect();
    let mut attempt = 1;
    let (corpus, postings) = loop {
        let corpus = Corpus::load(store, worktree).await?;
        let postings = store.postings(worktree, &stems).await?;
        // Segments may be put together between two questions; then all of them have to be asked again.
        let is_known = |posting: &Postings| corpus.first_units.contains_key(&posting.segment);
        if attempt == ATTEMPTS || (corpus.is_whole && postings.iter().all(is_known)) {
            break (corpus, postings);
        }
        attempt += 1;
    };
    let mut scores: HashMap<u32, Scored> = HashMap::new();
    for (number, stem) in stems.iter().enumerate() {
        let mut hits: Vec<(u32, Counts)> = Vec::new();
        for posting in postings.iter().filter(|posting| posting.term == *stem) {
            let Some(first) = corpus.first_units.get(&posting.segment) else { continue };
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
    let place = |scored: &Scored| corpus.places.get(&scored.unit.0);
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
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
    /// Whether all units of the files are in the segments that were read.
    is_whole: bool,
    /// Units in the order of paths and lines; their numbers tell only when they were written.
    places: HashMap<u32, usize>,
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
        let live = || files.iter().flat_map(|file| file.first_unit.0..file.first_unit.0 + file.units);
        let lengths: HashMap<u32, Lengths> = live().filter_map(|unit| Some((unit, *all.get(&unit)?))).collect();
        let places: HashMap<u32, usize> = live().zip(0..).collect();
        let mut average = [0.0; FIELDS];
        for (field, average) in average.iter_mut().enumerate() {
            let total: u64 = lengths.values().map(|lengths| u64::from(lengths[field])).sum();
            *average = (total as f32 / lengths.len().max(1) as f32).max(1.0);
        }
        let first_units = segments.iter().map(|segment| (segment.number, segment.first_unit.0)).collect();
        let is_whole = lengths.len() == places.len();
        Ok(Self { files, is_whole, places, lengths, average, first_units })
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
