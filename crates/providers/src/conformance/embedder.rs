//! Conformance tests that every `Embedder` (a model that turns texts into vectors) must pass.
//!
//! Cases say what callers rely on, never which numbers a model gives.

use futures::future::BoxFuture;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::run_cases;
use crate::{Embedder, Vector};

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        &[$(EmbedderCase { name: stringify!($name), run: |embedder| Box::pin($name(embedder)) }),*]
    };
}

/// One promise of the port.
pub struct EmbedderCase {
    /// The promise.
    pub name: &'static str,
    /// Panics when the promise is broken.
    pub run: for<'a> fn(&'a dyn Embedder) -> BoxFuture<'a, ()>,
}

/// Every promise.
pub const CASES: &[EmbedderCase] = cases![
    there_is_one_answer_per_text,
    vectors_have_the_model_s_dimensions_and_length_one,
    the_same_text_has_the_same_vector,
    a_vector_does_not_depend_on_the_other_texts,
    a_text_without_words_has_no_vector,
    any_text_is_accepted,
];

/// Runs every case, and panics with the names of those that failed.
pub async fn run(embedder: &dyn Embedder) {
    run_cases(CASES.iter().map(|case| (case.name, (case.run)(embedder)))).await;
}

const TEXTS: [&str; 5] = [
    "how are retries handled on HTTP timeout",
    "fn parse_header(line: &[u8]) -> Result<HeaderName>",
    "",
    "class PaymentGateway:\n    def charge_card(self, amount): ...",
    "how are retries handled on HTTP timeout",
];

/// No text is dropped or merged with an equal one, and no text at all is a fair question.
async fn there_is_one_answer_per_text(embedder: &dyn Embedder) {
    // Zero texts too: callers need not check a batch before they send it.
    for count in 0..=TEXTS.len() {
        assert_eq!(embed_texts(embedder, &TEXTS[..count]).await.len(), count);
    }
}

/// English and code have vectors, of the form the port promises.
async fn vectors_have_the_model_s_dimensions_and_length_one(embedder: &dyn Embedder) {
    for (text, vector) in TEXTS.iter().zip(embed_texts(embedder, &TEXTS).await) {
        assert_eq!(vector.is_none(), text.is_empty(), "{text:?}");
        if let Some(vector) = vector {
            check_vector(embedder, text, &vector);
        }
    }
}

/// Asked twice, the answer is the same to the last bit.
async fn the_same_text_has_the_same_vector(embedder: &dyn Embedder) {
    let first = embed_texts(embedder, &TEXTS).await;
    // Stored vectors are compared with ones made later, so a change in the last bit would make an index drift.
    assert_eq!(first, embed_texts(embedder, &TEXTS).await);
    assert_eq!(first[0], first[4], "twice in one batch");
}

/// Each text alone has the vector it has among others.
async fn a_vector_does_not_depend_on_the_other_texts(embedder: &dyn Embedder) {
    for (text, vector) in TEXTS.iter().zip(embed_texts(embedder, &TEXTS).await) {
        // Callers fill batches as texts come, and the same text in another batch must still be found by its vector.
        assert_eq!(embed_texts(embedder, &[text]).await, [vector], "{text:?}");
    }
}

/// A text without words has no vector, not a vector of zeros.
async fn a_text_without_words_has_no_vector(embedder: &dyn Embedder) {
    // A vector of zeros has a cosine of NaN with everything, and NaN has no place in a ranking.
    assert_eq!(embed_texts(embedder, &["", " \n\t",]).await, [None, None]);
}

/// Whatever is valid UTF-8 gets an answer, and an answer of the right form.
async fn any_text_is_accepted(embedder: &dyn Embedder) {
    let any = vec(any::<char>(), 0..200).prop_map(String::from_iter);
    let code = "[ -~\n\t]{0,200}";
    // The Kelvin sign and the dotted capital I change their length in lower case; NUL, marks and emoji are where code
    // for words goes wrong.
    let mixed = "([A-Za-z0-9]{0,30}[_ .\u{0}éß\u{212a}\u{130}日\u{301}\u{1f600}]){0,10}";
    let texts = prop_oneof![any, code, mixed];
    // A fixed seed: an answer may cost a call over a network, so a failure must be repeatable rather than new.
    let mut runner = TestRunner::deterministic();
    let batch = vec(texts, 0..8);
    for _ in 0..64 {
        let batch = batch.new_tree(&mut runner).expect("the strategy rejects nothing").current();
        let texts: Vec<&str> = batch.iter().map(String::as_str).collect();
        let vectors = embed_texts(embedder, &texts).await;
        assert_eq!(vectors.len(), texts.len(), "{texts:?}");
        for (text, vector) in texts.iter().zip(&vectors) {
            if let Some(vector) = vector {
                check_vector(embedder, text, vector);
            }
        }
    }
}

async fn embed_texts(embedder: &dyn Embedder, texts: &[&str]) -> Vec<Option<Vector>> {
    embedder.embed(texts).await.expect("the embedder answers").vectors
}

fn check_vector(embedder: &dyn Embedder, text: &str, vector: &Vector) {
    assert_eq!(vector.len(), embedder.model().dimensions, "{text:?}");
    let square: f32 = vector.iter().map(|number| number * number).sum();
    // Callers take the dot product for the cosine, which holds only for vectors of length one.
    assert!((square - 1.0).abs() < 1e-4, "{text:?} has a vector of squared length {square}");
}
