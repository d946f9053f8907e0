//! Vectors of messages: one for each, so small that all of them are compared with every question.
//!
//! Words lead to most answers; vectors lead to what is said in other words. A message has one, however many passages it
//! has: more of them did not find more. Half of the model's numbers are kept, a byte each: the other half costs as much
//! again and was measured to add next to nothing. Lengths are the same for all, so that products compare.

use super::corpus::Corpus;
use super::scope::CorpusScope;
use crate::base::int8_vectors::dot_product;
use crate::base::simd::{SimdKernel, run_simd};
use providers::LocalEmbedder;

/// How many numbers of a vector are kept.
const DIMENSIONS: usize = 128;

/// A vector in bytes; all zero where the model has nothing to say.
pub(super) type MeaningVector = [i8; DIMENSIONS];

/// The length of a vector in bytes: the numbers of such a vector seldom exceed a byte.
const LENGTH: f32 = 256.0;

/// Passages of a message that are read for its vector: a long one says early what it is about.
pub(super) const READ: usize = 10;

/// The vector of a text.
pub(super) fn embed_text(embedder: &dyn LocalEmbedder, text: &str) -> MeaningVector {
    let mut meaning = [0; DIMENSIONS];
    // A message without a vector is found by its words: no reason to leave it out.
    let Ok(Some(vector)) = embedder.embed_now(text) else { return meaning };
    let front = &vector[..DIMENSIONS.min(vector.len())];
    let length = front.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for (small, number) in meaning.iter_mut().zip(front) {
            // The cast saturates, so a rare number that is too large for a byte loses its excess and not its sign.
            *small = (number / length * LENGTH).round() as i8;
        }
    }
    meaning
}

/// The model that made the vectors; vectors of two models are never compared.
pub(super) fn model_key(embedder: Option<&dyn LocalEmbedder>) -> String {
    embedder.map(LocalEmbedder::model).map_or_else(String::new, |model| format!("{} {}", model.name, model.version))
}

/// By message: how near it is to a vector, from -1 to 1; nothing where it is not searched or has no vector.
pub(super) fn cosine_by_message(corpus: &Corpus, scope: &CorpusScope, asked: Option<&MeaningVector>) -> Vec<f32> {
    let mut near = vec![0.0; corpus.messages.len()];
    let Some(asked) = asked else { return near };
    // Run by group, because vectors of one group lie side by side in memory.
    for segment in &corpus.segments {
        let groups = &segment.part.segment_metadata().groups;
        for placed in segment.groups.iter().filter(|placed| scope.contains_conversation(placed.talk)) {
            let meanings = &groups[placed.group as usize].meanings;
            run_simd(CosineKernel { near: &mut near[placed.message as usize..], meanings, asked });
        }
    }
    near
}

/// Vectors of messages that are compared with one.
struct CosineKernel<'m> {
    near: &'m mut [f32],
    meanings: &'m [MeaningVector],
    asked: &'m MeaningVector,
}

impl SimdKernel for CosineKernel<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        for (near, meaning) in self.near.iter_mut().zip(self.meanings) {
            *near = dot_product(meaning, self.asked) as f32 / (LENGTH * LENGTH);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use providers::{EmbeddingModel, PartVectors, Vector};

    /// Knows a few words, and which of them mean the same.
    pub(in super::super) struct Thesaurus(EmbeddingModel);

    impl Thesaurus {
        pub(in super::super) fn new() -> Self {
            Self(EmbeddingModel { name: "thesaurus".into(), version: "1".into(), dimensions: 256 })
        }
    }

    impl LocalEmbedder for Thesaurus {
        fn model(&self) -> &EmbeddingModel {
            &self.0
        }

        fn embed_now(&self, text: &str) -> providers::Result<Option<Vector>> {
            let mut numbers = [0.0; 256];
            for word in text.split(|c: char| !c.is_alphabetic()) {
                match word {
                    "car" | "automobile" | "vehicle" => numbers[0] += 1.0,
                    "doctor" | "physician" => numbers[1] += 1.0,
                    "" => {}
                    other => numbers[2 + other.len()] += 0.1,
                }
            }
            Ok(Vector::new(&numbers))
        }

        fn embed_parts(&self, _: &str, _: &[&str]) -> providers::Result<PartVectors> {
            Ok(PartVectors::default())
        }
    }

    #[test]
    fn texts_that_mean_the_same_are_near() {
        let thesaurus = Thesaurus::new();
        let product = |a: &str, b: &str| {
            dot_product(&embed_text(&thesaurus, a), &embed_text(&thesaurus, b)) as f32 / (LENGTH * LENGTH)
        };
        assert!(product("automobile", "a car") > 0.2, "{}", product("automobile", "a car"));
        assert!(product("physician", "car").abs() < 0.01);
        assert_eq!(embed_text(&thesaurus, ""), [0; DIMENSIONS]);
    }
}
