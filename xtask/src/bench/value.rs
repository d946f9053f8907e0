//! Benchmark of what we cost and spare: public sessions billed as they were, by the usage that the vendor reported, and
//! billed with us beside the same task: our tools and instructions in every request, what hooks tell, and long outputs
//! in brief, all from the real program. `BENCH_SESSIONS` names the folder of sessions that `bench/data/facts` describes;
//! `BENCH_MIRROR`, where it is set, bare repositories (`owner+name/repo`) whose files the sessions worked on.
//!
//! It replays what agents did. With us they would have asked other questions and read other files: what that is worth
//! cannot be known from a transcript, and is not guessed here.

mod billing;
mod needed_rest;
mod origins;
mod prices;
mod project_tree;
mod session_value;
mod summary;
mod token_counter;
mod trace;
mod views;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use toml::Table;

use super::replay::SessionReplay;
use super::{BenchSetup, workload_number};
use crate::process;
use crate::repository;
use prices::PriceTable;
use project_tree::{prepare_project, program_in};
use session_value::SessionValue;
use token_counter::TokenCounter;
use trace::SessionTrace;

/// The agent whose transcripts have the usage of each request.
const AGENT: &str = "claude-code";

/// A session that is replayed, and where it came from.
struct ListedSession {
    id: String,
    /// `owner+name`.
    repository: String,
    path: PathBuf,
    transcript: String,
    trace: SessionTrace,
}

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let folder =
        PathBuf::from(std::env::var_os("BENCH_SESSIONS").context("BENCH_SESSIONS names no folder of sessions")?);
    let prices = PriceTable::read()?;
    let fewest = workload_number(workload, "fewest_requests")?;
    let (sessions, left_out) = list_sessions(&folder, &prices, fewest)?;
    let mut counter = TokenCounter::start(bench)?;
    let empty = bench.scratch.join("empty");
    fs_err::create_dir_all(&empty)?;
    let fixed = token_counter::count_fixed_tokens(bench, &empty, &mut counter)?;
    let mut values = Vec::new();
    for session in sessions {
        let value = play_session(bench, session, fixed, &prices, &mut counter)?;
        println!("{}", value.describe());
        values.push(value);
    }
    counter.close()?;
    Ok(json!({
        "prices_seen": prices.seen,
        "fixed_tokens_of_a_request": fixed,
        "summary": summary::sum_up(&values),
        "sessions": values.iter().map(SessionValue::to_json).collect::<Vec<_>>(),
        "left_out": left_out,
    }))
}

/// The sessions in the order of time, so that each finds what those before it left; and those left out, with the reason.
fn list_sessions(folder: &Path, prices: &PriceTable, fewest: usize) -> Result<(Vec<ListedSession>, Vec<String>)> {
    let table = repository::root().join("bench").join("data").join("facts").join("sessions.tsv");
    let mut sessions = Vec::new();
    let mut left_out = Vec::new();
    for row in fs_err::read_to_string(table)?.lines().skip(1) {
        let mut fields = row.split('\t');
        let (Some(id), Some(agent)) = (fields.next(), fields.nth(1)) else { continue };
        if agent != AGENT {
            left_out.push(format!("{id}: of {agent}"));
            continue;
        }
        let path = folder.join(format!("{id}.jsonl"));
        let Ok(bytes) = fs_err::read(&path) else {
            left_out.push(format!("{id}: not in the folder"));
            continue;
        };
        let transcript = String::from_utf8_lossy(&bytes).into_owned();
        let Some(trace) = SessionTrace::parse(&transcript)? else {
            left_out.push(format!("{id}: no request with its usage"));
            continue;
        };
        let unpriced = trace.requests.iter().find(|request| prices.find_prices(&request.model).is_none());
        if let Some(request) = unpriced {
            left_out.push(format!("{id}: no list price of {}", request.model));
        } else if trace.requests.len() < fewest {
            left_out.push(format!("{id}: fewer than {fewest} requests"));
        } else {
            let repository = id.split('/').next().unwrap_or_default().to_owned();
            sessions.push(ListedSession { id: id.to_owned(), repository, path, transcript, trace });
        }
    }
    sessions.sort_by(|a, b| a.trace.started.cmp(&b.trace.started));
    Ok((sessions, left_out))
}

fn play_session(
    bench: &BenchSetup,
    mut session: ListedSession,
    fixed: u64,
    prices: &PriceTable,
    counter: &mut TokenCounter,
) -> Result<SessionValue> {
    let (project, has_tree) = prepare_project(bench, &session.repository, &session.trace)?;
    let mut replay = SessionReplay::new(bench, project.clone());
    let told = replay.replay_session(&session.path)?.unwrap_or_default();
    // The next session finds this one, whether or not the process behind the hooks was quick enough.
    process::read_output(program_in(bench, &project, &["drain", "--quiet"]))?;
    let answers = needed_rest::read_answers(&session.transcript);
    let shorter = views::find_shorter_reads(bench, &project, &session.trace, &answers)?;
    let counts = origins::count_texts(&mut session.trace, counter)?;
    let mut value = SessionValue::begin(session.id, has_tree, &session.trace, &counts, prices)?;
    value.add_fixed(fixed);
    for telling in told {
        value.add_telling(&telling, &answers, counter)?;
    }
    value.add_views(&shorter, counter)?;
    Ok(value.finish())
}
