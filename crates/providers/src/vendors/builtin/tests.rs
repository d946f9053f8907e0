//! Unit tests of the built-in embedder: the model's own test vectors, its version, and model files that are refused.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::words::split_words;
use super::*;

#[test]
fn the_model_s_test_vectors_are_reproduced() {
    let vectors: Value = serde_json::from_str(include_str!("../../../model/testvectors.json")).expect("valid JSON");
    let encoder = shared_encoder().expect("the model is whole");
    for case in vectors.as_array().expect("a list") {
        let text = case["text"].as_str().expect("a text");
        let list = |field: &str| case[field].as_array().expect("a list").clone();

        let found: Vec<Value> = split_words(text).map(|word| word.to_lowercase().into()).collect();
        assert_eq!(found, list("words"), "words of {text:?}");

        let mut tokens: Vec<Value> = Vec::new();
        encoder.each_token(text, |token| tokens.push(token.into()));
        assert_eq!(tokens, list("ids"), "tokens of {text:?}");

        let vector = encoder.new_bag().encode(text);
        let numbers = vector.as_ref().map_or([0.0; 256].as_slice(), |vector| vector);
        let norm = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        let wanted = list("v8").into_iter().chain([case["norm"].clone()]);
        let found = numbers[..8].iter().map(|number| f64::from(*number)).chain([norm]);
        for (found, wanted) in found.zip(wanted) {
            let wanted = wanted.as_f64().expect("a number");
            assert!((found - wanted).abs() < 1e-5, "{text:?}: {found}, not {wanted}");
        }
    }
}

#[test]
fn the_version_is_the_hash_of_the_files() {
    let digest = model::DigestBuilder::new("built-in embedding model, encoding 1");
    let hash = digest.add_field(TABLE).add_field(VOCABULARY.as_bytes()).finish().to_string();
    assert_eq!(MODEL.version, hash[..16], "new files make other vectors: write their hash down");
}

#[test]
fn a_word_of_kelvin_signs_is_a_word_of_ks() {
    let tokens = |text: &str| {
        let mut tokens = Vec::new();
        shared_encoder().expect("the model is whole").each_token(text, |token| tokens.push(token));
        tokens
    };
    assert_eq!(tokens("\u{212a}\u{212a}"), tokens("kk"));
    assert_eq!(tokens("\u{212a}é"), tokens(""));
}

#[test]
fn what_means_the_same_is_nearer_than_what_does_not() {
    let mut bag = shared_encoder().expect("the model is whole").new_bag();
    let mut vector = |text: &str| bag.encode(text).expect("it has tokens");
    let question = vector("how are retries handled when a request times out");
    let answer = vector("fn with_backoff(attempts: u32, deadline: Duration) -> Result<Response, TimeoutError>");
    let other = vector("struct Matrix { rows: usize, columns: usize, cells: Vec<f64> }");
    assert!(question.cosine(&answer) > question.cosine(&other) + 0.1);
}

#[test]
fn files_that_are_no_model_are_refused() {
    fn check(table: &'static [u8], vocabulary: &'static str, expected: &Expect) {
        expected.assert_eq(&BagEncoder::new(table, vocabulary).err().expect("a defect").to_string());
    }
    check(b"", VOCABULARY, &expect!["the table has 0 bytes, not 32"]);
    check(&[b'x'; 32], VOCABULARY, &expect!["not a table of token vectors in format 1"]);
    check(
        b"SEMB\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        VOCABULARY,
        &expect!["not a table of token vectors in format 1"],
    );
    check(
        b"SEMB\x01\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        VOCABULARY,
        &expect!["vectors of 128 dimensions, not 256"],
    );
    check(&TABLE[..TABLE.len() - 1], VOCABULARY, &expect!["the table has 8519711 bytes, not 8519712"]);
    check(TABLE, "[UNK]\na\n", &expect!["the vocabulary has 2 lines, the table 32768 rows"]);
    let long: &'static str = Box::leak(VOCABULARY.replace("\nand\n", "\nandandandandandandandandandand\n").into());
    check(TABLE, long, &expect!["line 3 of the vocabulary is not a token of 1 to 24 bytes"]);
    let empty: &'static str = Box::leak(VOCABULARY.replace("\nand\n", "\n\n").into());
    check(TABLE, empty, &expect!["line 3 of the vocabulary is not a token of 1 to 24 bytes"]);
}
