//! Unit tests of the built-in transformer: reference test vectors, its version, odd texts, and damaged weight files.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::*;

const MAX_TOKENS: usize = 256;

fn check_near(found: &[f32], wanted: &[f32], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what:?}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-4, "{what:?}: {found}, not {wanted}");
    }
}

/// Made by `tools/encoder/encode.py`, which shares nothing with this but the file.
fn cases() -> Vec<(String, Vec<TokenId>, Vec<f32>)> {
    let cases: Value = serde_json::from_str(include_str!("../../model/encoder-testvectors.json")).expect("valid JSON");
    let read = |case: &Value| {
        let list = |field: &str| case[field].as_array().expect("a list").clone();
        let ids = list("ids").iter().map(|id| id.as_u64().expect("an id") as TokenId).collect();
        let numbers = list("v8").iter().map(|number| number.as_f64().expect("a number") as f32).collect();
        (case["text"].as_str().expect("a text").to_owned(), ids, numbers)
    };
    cases.as_array().expect("a list").iter().map(read).collect()
}

#[test]
fn the_test_vectors_are_reproduced() {
    let encoder = RegionEncoder::built_in();
    for (text, ids, numbers) in cases() {
        assert_eq!(encoder.tokens_of(&text, MAX_TOKENS), ids, "tokens of {text:?}");
        let vector = encoder.encode(&text, MAX_TOKENS).expect("it has words");
        assert_eq!(vector.len(), MODEL.dimensions);
        check_near(&vector[..numbers.len()], &numbers, &text);
    }
}

#[test]
fn every_processor_finds_the_same_vector() {
    let encoder = RegionEncoder::built_in();
    for (text, ids, _) in cases() {
        let plain = Vector::new(&simd::run_portable(&encoder.weights, &ids)).expect("it has a direction");
        check_near(&encoder.encode(&text, MAX_TOKENS).expect("it has words"), &plain, &text);
    }
}

#[test]
fn threads_find_the_same_vector_at_once() {
    let encode = || RegionEncoder::built_in().encode("where is the lock released after a panic?", MAX_TOKENS);
    let vectors = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(encode));
        threads.map(|thread| thread.join().expect("no panic"))
    });
    assert!(vectors.iter().all(|vector| vector.is_some() && *vector == vectors[0]));
}

#[test]
fn a_text_without_words_has_no_vector() {
    for text in ["", " \n", "→ (); {}", "日本語 → русский", "1234567"] {
        assert_eq!(RegionEncoder::built_in().encode(text, MAX_TOKENS), None, "{text:?}");
    }
}

#[test]
fn only_the_first_tokens_are_read() {
    let encoder = RegionEncoder::built_in();
    let long = "where is the lock released ".repeat(100);
    assert_eq!(encoder.tokens_of(&long, usize::MAX).len(), 256);
    assert_eq!(encoder.encode(&long, 7), encoder.encode("where is the lock released", MAX_TOKENS));
    assert_eq!(encoder.encode(&long, 0), encoder.encode("where", MAX_TOKENS));
}

#[test]
fn what_answers_a_question_is_nearer_than_what_does_not() {
    let vector = |text: &str| RegionEncoder::built_in().encode(text, 128).expect("it has words");
    let question = vector("how are retries handled when a request times out");
    let answer = vector("fn with_backoff(attempts: u32, deadline: Duration) -> Result<Response, TimeoutError>");
    let other = vector("struct Matrix { rows: usize, columns: usize, cells: Vec<f64> }");
    assert!(question.cosine(&answer) > question.cosine(&other) + 0.1);
}

#[test]
fn the_version_is_the_hash_of_the_file() {
    let hash = model::DigestBuilder::new("built-in region encoder, encoding 1").add_field(FILE).finish().to_string();
    assert_eq!(MODEL.version, hash[..16], "a new file makes other vectors: write its hash down");
}

#[test]
fn a_damaged_file_is_refused() {
    fn check(file: impl Into<Vec<u8>>, expected: &Expect) {
        expected.assert_eq(&EncoderWeights::from_bytes(file.into().leak()).err().expect("a defect").to_string());
    }
    // Fields of four bytes: magic, version, tokens, width.
    let with = |field: usize, value: [u8; 4]| {
        let mut file = FILE.to_vec();
        file[field * 4..][..4].copy_from_slice(&value);
        file
    };
    check(b"", &expect!["the encoder's file ends too early"]);
    check(b"EPEN\x02\0", &expect!["the encoder's file ends too early"]);
    check(with(0, *b"SEMB"), &expect!["not an encoder in format 2"]);
    check(with(1, [1, 0, 0, 0]), &expect!["not an encoder in format 2"]);
    check(with(2, [0; 4]), &expect!["the vocabulary has 27561 lines, the table 0 rows"]);
    check(with(2, [255; 4]), &expect!["the vocabulary has 27561 lines, the table 4294967295 rows"]);
    check(with(3, [128, 0, 0, 0]), &expect!["the encoder has a shape that is not supported"]);
    check(with(4, [255; 4]), &expect!["the encoder's file ends too early"]);
    check(with(8, [255; 4]), &expect!["the encoder's file ends too early"]);
    check(&FILE[..300_000], &expect!["the encoder's file ends too early"]);
    check(&FILE[..FILE.len() - 1], &expect!["the encoder's file ends too early"]);
    check([FILE, b"more"].concat(), &expect!["the encoder's file goes on for 4 bytes after its end"]);
}
