//! Benchmark of fact extraction: precision of the facts that the program takes from public sessions, against labels,
//! and recall against what a reader found there. The sessions are other people's and stay outside of the repository:
//! `BENCH_SESSIONS` names their folder, laid out as `bench/data/facts/README.md` says. Facts without a label are
//! written with their text to a file in the scratch directory, never into the recorded run.

mod fact_scores;
mod label_set;
mod planted_sentences;
mod told_session;
mod word_list;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use toml::Table;

use super::BenchSetup;
use crate::repository;
use fact_scores::HalfScores;
use label_set::load_labels;
use planted_sentences::measure_planted;
use told_session::read_sessions;

pub(crate) fn run(bench: &BenchSetup, _: &Table) -> Result<Value> {
    let folder = std::env::var_os("BENCH_SESSIONS").context("BENCH_SESSIONS names no folder of sessions")?;
    let data = repository::root().join("bench").join("data").join("facts");
    let told = read_sessions(bench, &fs_err::canonicalize(PathBuf::from(folder))?)?;
    let mut halves: BTreeMap<String, HalfScores> = BTreeMap::new();
    let mut missing = Vec::new();
    let mut unlabelled = String::from("half\tsession\tmessage\tkind\ttext\n");
    for labelled in load_labels(&data)? {
        let Some((_, session)) = told.iter().find(|(source, _)| source.contains(&labelled.id)) else {
            missing.push(labelled.id);
            continue;
        };
        for fact in halves.entry(labelled.half.clone()).or_default().add_session(&labelled, session) {
            let half = &labelled.half;
            let id = &labelled.id;
            unlabelled += &format!("{half}\t{id}\t{}\t{}\t{}\n", fact.message, fact.kind, fact.text.replace('\t', " "));
        }
    }
    let list = bench.scratch.join("unlabelled.tsv");
    fs_err::write(&list, &unlabelled)?;
    println!("{} told facts without a label are listed in {}", unlabelled.lines().count() - 1, list.display());
    let halves: BTreeMap<String, Value> =
        halves.iter().map(|(half, scores)| (half.clone(), scores.to_json())).collect();
    Ok(json!({
        "halves": halves,
        "planted": measure_planted(bench, &data.join("planted.tsv"))?,
        "wanted": { "told": 0.9, "rules": 0.95, "planted": 0.9 },
        "missing_sessions": missing,
        "unlabelled": unlabelled.lines().count() - 1,
    }))
}
