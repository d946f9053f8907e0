//! Embeds each message with the built-in model, and computes the cosine of all messages with a question.
//!
//! Words lead to most answers; vectors lead to what is said in other words. One vector per message: one per passage did
//! not find more. Half of the model's dimensions are kept, a byte each: the other half was measured to add next to
//! nothing. Lengths are equal, so that products compare.

use super::corpus::Corpus;
use super::scope::CorpusScope;
use providers::LocalEmbedder;
use search::{ByteScale, QueryVector, quantize};

/// How many numbers of a vector are kept.
const DIMENSIONS: usize = 128;

/// A vector in bytes; all zero where the model has nothing to say.
pub(super) type MeaningVector = [i8; DIMENSIONS];

/// The length of a vector in bytes: the numbers of such a vector seldom exceed a byte.
const QUANTIZED_VECTOR_LENGTH: f32 = 256.0;

/// Passages of a message that are read for its vector: a long one says early what it is about.
pub(super) const MAX_EMBEDDED_PASSAGES: usize = 10;

/// The vector of a text.
pub(super) fn embed_text(embedder: &dyn LocalEmbedder, text: &str) -> MeaningVector {
    let mut meaning = [0; DIMENSIONS];
    // A message without a vector is found by its words: no reason to leave it out.
    let Ok(Some(vector)) = embedder.embed_now(text) else { return meaning };
    let front = &vector[..DIMENSIONS.min(vector.len())];
    meaning
        .iter_mut()
        .zip(quantize(front, ByteScale::Length(QUANTIZED_VECTOR_LENGTH)))
        .for_each(|(small, number)| *small = number);
    meaning
}

/// The model that made the vectors; vectors of two models are never compared.
pub(super) fn model_key(embedder: Option<&dyn LocalEmbedder>) -> String {
    embedder.map(LocalEmbedder::model).map_or_else(String::new, |model| format!("{} {}", model.name, model.version))
}

/// By message: how near it is to a vector, from -1 to 1; nothing where it is not searched or has no vector.
pub(super) fn cosine_by_message(corpus: &Corpus, scope: &CorpusScope, asked: Option<&MeaningVector>) -> Vec<f32> {
    let mut near = vec![0.0; corpus.messages.len()];
    let Some(asked) = asked.and_then(|asked| QueryVector::new(asked)) else { return near };
    // Group by group, because vectors of one group lie side by side in memory.
    for segment in &corpus.segments {
        let groups = &segment.part.segment_metadata().groups;
        for placed in segment.groups.iter().filter(|placed| scope.contains_conversation(placed.talk)) {
            let meanings = &groups[placed.group as usize].meanings;
            asked.divided_products(
                meanings,
                QUANTIZED_VECTOR_LENGTH * QUANTIZED_VECTOR_LENGTH,
                &mut near[placed.message as usize..],
            );
        }
    }
    near
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
            let asked = QueryVector::new(&embed_text(&thesaurus, a)).expect("it has a direction");
            let mut near = [0.0];
            asked.divided_products(
                &[embed_text(&thesaurus, b)],
                QUANTIZED_VECTOR_LENGTH * QUANTIZED_VECTOR_LENGTH,
                &mut near,
            );
            near[0]
        };
        assert!(product("automobile", "a car") > 0.2, "{}", product("automobile", "a car"));
        assert!(product("physician", "car").abs() < 0.01);
        assert_eq!(embed_text(&thesaurus, ""), [0; DIMENSIONS]);
    }
}
