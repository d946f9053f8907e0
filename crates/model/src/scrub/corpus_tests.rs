//! What the scrubber finds of a corpus that was written before its rules, and what it takes for a secret that is none.
//!
//! Kinds that are held out were not looked at when rules were written: what is found of them is told apart, and is what
//! to expect of formats that nobody thought of.

use super::{ScrubKey, Scrubber};
use expect_test::expect;
use std::fmt::Write;
use testkit::secrets::{SampleFamily, SecretSample, generate_corpus};

const SEEDS: [u64; 3] = [1, 2, 3];

/// How many samples of a family came out right.
fn count_right(family: SampleFamily, held_out: bool) -> (usize, usize, Vec<String>) {
    let scrubber = Scrubber::new(ScrubKey::new([1; 32]), &[]);
    let is_right = |sample: &SecretSample| {
        let (clean, _) = scrubber.scrub_text(&sample.text);
        if sample.family == SampleFamily::LookAlike { clean == sample.text } else { !sample.leaks_into(&clean) }
    };
    let samples = SEEDS.into_iter().flat_map(generate_corpus);
    let samples: Vec<_> = samples.filter(|sample| sample.family == family && sample.held_out == held_out).collect();
    let wrong: Vec<String> = samples
        .iter()
        .filter(|sample| !is_right(sample))
        .map(|sample| format!("{}: {}", sample.kind, sample.text))
        .collect();
    (samples.len() - wrong.len(), samples.len(), wrong)
}

#[test]
fn known_formats_are_found() {
    let (right, all, wrong) = count_right(SampleFamily::Known, false);
    assert!(right * 100 >= all * 99, "{right} of {all}; missed: {wrong:#?}");
}

#[test]
fn secrets_are_found_by_their_surroundings() {
    let (right, all, wrong) = count_right(SampleFamily::Contextual, false);
    assert!(right * 100 >= all * 95, "{right} of {all}; missed: {wrong:#?}");
}

#[test]
fn what_resembles_a_secret_stays() {
    let (right, all, wrong) = count_right(SampleFamily::LookAlike, false);
    assert!((all - right) * 100 <= all, "{right} of {all}; replaced: {wrong:#?}");
    let (right, all, _) = count_right(SampleFamily::LookAlike, true);
    assert!((all - right) * 100 <= all, "{right} of {all} that are held out");
}

#[test]
fn what_is_found_of_kinds_that_nobody_wrote_rules_for() {
    let mut report = String::new();
    for family in [SampleFamily::Known, SampleFamily::Contextual, SampleFamily::LookAlike] {
        let (right, all, _) = count_right(family, true);
        writeln!(report, "{family:?}: {right} of {all}").expect("a text takes what is written to it");
    }
    expect![[r#"
        Known: 51 of 90
        Contextual: 52 of 90
        LookAlike: 216 of 216
    "#]]
    .assert_eq(&report);
}

#[test]
fn scrubbing_the_corpus_twice_is_scrubbing_it_once() {
    let scrubber = Scrubber::new(ScrubKey::new([1; 32]), &[]);
    for sample in generate_corpus(SEEDS[0]) {
        let (once, _) = scrubber.scrub_text(&sample.text);
        let (twice, found) = scrubber.scrub_text(&once);
        assert_eq!(twice, once, "{}", sample.kind);
        assert!(found.is_empty(), "{}", sample.kind);
    }
}
