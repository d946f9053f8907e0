//! Benchmark of `recall` as a store grows: for each number of messages how long storing took, the first question to a
//! new process, the questions after it, and the memory that the process holds. The sizes share one store, so that each
//! row asks the same questions among more messages.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::session::McpSession;
use super::transcripts::{generate_question, generate_text};
use super::{BenchSetup, conversations, duration_percentiles, round_thousandths, usage, workload_number};
use crate::seeded_random::SeededRandom;

/// What `generate_text` takes from its mean for the frame of a transcript's line.
const FRAME_BYTES: u64 = 250;

/// Questions at each size.
const QUESTIONS: usize = 100;

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let sizes = workload.get("sizes").and_then(toml::Value::as_array).context("the workload has no `sizes`")?;
    let mut store = GrowingStore::new(bench, workload)?;
    // Folding in the background would be counted as processor time of the questions beside it.
    let config = store.home().join("config");
    fs_err::create_dir_all(&config)?;
    fs_err::write(config.join("config.toml"), "[memory]\nautocompact = false\n")?;
    let mut rows = Vec::new();
    for size in sizes {
        let size = usize::try_from(size.as_integer().context("a size is a number")?)?;
        let stored = store.grow_to(size)?;
        let mut row = json!({ "messages": size, "stored": stored });
        row["asked"] = store.ask_questions(bench)?;
        println!("{row}");
        rows.push(row);
    }
    Ok(json!({ "rows": rows }))
}

/// Conversations that grow by the same number of messages each.
struct GrowingStore<'b> {
    bench: &'b BenchSetup,
    conversations: usize,
    mean: u64,
    /// Messages of each conversation so far.
    length: usize,
    chance: SeededRandom,
    /// The id that the store gave each message that is asked for.
    ids: HashMap<String, String>,
    /// Each question with the id of the message that it is made of.
    questions: Vec<(String, String)>,
}

impl<'b> GrowingStore<'b> {
    fn new(bench: &'b BenchSetup, workload: &Table) -> Result<Self> {
        Ok(Self {
            bench,
            conversations: workload_number(workload, "conversations")?,
            mean: workload_number(workload, "bytes")? as u64 + FRAME_BYTES,
            length: 0,
            chance: SeededRandom::new(11),
            ids: HashMap::new(),
            questions: Vec::new(),
        })
    }

    fn home(&self) -> std::path::PathBuf {
        self.bench.scratch.join("home")
    }

    /// Stores messages until there are so many, one process for each conversation, and says how long that took; what
    /// `recall` needs is made behind them by the same processes.
    fn grow_to(&mut self, size: usize) -> Result<Value> {
        let home = self.home();
        let length = size / self.conversations;
        let added = (length - self.length) * self.conversations;
        let mut seconds = 0.0;
        let mut bytes = 0;
        for conversation in 0..self.conversations {
            let messages: Vec<Value> =
                (self.length..length).map(|number| self.make_message(conversation, number)).collect();
            bytes +=
                messages.iter().map(|message| message["content"].as_str().unwrap_or_default().len()).sum::<usize>();
            let name = format!("talk-{conversation}");
            let mut ids = HashMap::new();
            let started = Instant::now();
            conversations::ingest_conversation(self.bench, &home, &name, &messages, &mut ids)?;
            seconds += started.elapsed().as_secs_f64();
            ids.retain(|_, ours| self.questions.iter().any(|(_, gold)| gold == ours));
            self.ids.extend(ids);
        }
        self.length = length;
        Ok(json!({
            "added": added,
            "bytes_each": bytes / added.max(1),
            "messages_per_second": round_thousandths(added as f64 / seconds),
        }))
    }

    /// A message; every so often one that a question is made of, most of them among the first.
    fn make_message(&mut self, conversation: usize, number: usize) -> Value {
        let text = generate_text(&mut self.chance, self.mean, number);
        let id = format!("{conversation}.{number}");
        if self.questions.len() < QUESTIONS && number % 61 == 7 {
            let question = generate_question(&mut self.chance, &text);
            self.questions.push((question, id.clone()));
        }
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        let minutes = conversation * 7 + number;
        let at = format!(
            "2026-{:02}-{:02}T{:02}:{:02}:00Z",
            1 + minutes / 40_320 % 12,
            1 + minutes / 1_440 % 28,
            minutes / 60 % 24,
            minutes % 60
        );
        json!({ "id": id, "role": role, "content": text, "at": at })
    }

    /// Questions to a process that was just started.
    fn ask_questions(&self, bench: &BenchSetup) -> Result<Value> {
        // An empty project, so that keeping an index of files up to date is no part of this.
        let project = bench.scratch.join("project");
        fs_err::create_dir_all(&project)?;
        let mut session = McpSession::open(bench, &self.home(), &project)?;
        let ask = |session: &mut McpSession, query: &str| {
            session.call_operation("recall", &json!({ "query": query, "within": "all" }))
        };
        let process = session.process_id();
        let (first, first_cpu) = measure_cpu(process, || ask(&mut session, &self.questions[0].0))?;
        ensure!(!first.0["results"].as_array().is_none_or(Vec::is_empty), "nothing is recalled: {}", first.0);
        let mut waited = Vec::new();
        let mut busy = Vec::new();
        let mut found = 0;
        for (question, gold) in &self.questions {
            let ((reply, seconds), cpu) = measure_cpu(process, || ask(&mut session, question))?;
            waited.push(seconds);
            busy.push(cpu);
            found += usize::from(names_message(&reply, gold, &self.ids));
        }
        let (_, unsaid) = measure_cpu(process, || ask(&mut session, "zzqqxx"))?;
        let held = usage::held_megabytes(process)?;
        session.close()?;
        let after_one = self.ask_after_message(bench, &project)?;
        Ok(json!({
            "first_seconds": round_thousandths(first.1),
            "first_cpu_seconds": round_thousandths(first_cpu),
            "cpu": duration_percentiles(busy),
            "waited": duration_percentiles(waited),
            "unsaid_word_cpu_ms": round_thousandths(unsaid * 1_000.0),
            "after_a_new_message_cpu_ms": after_one,
            "message_among_first_ten": found,
            "questions": self.questions.len(),
            "held_megabytes": round_thousandths(held),
        }))
    }

    /// The processor time of a question right behind a message that was stored through the same process.
    fn ask_after_message(&self, bench: &BenchSetup, project: &Path) -> Result<f64> {
        let mut session = McpSession::open(bench, &self.home(), project)?;
        let ask = json!({ "query": self.questions[0].0, "within": "all" });
        session.call_operation("recall", &ask)?;
        let mut busy = Vec::new();
        for number in 0..5 {
            let text = format!("Note {number}: the harbour lights were repaired.");
            let message = json!({ "role": "user", "content": text });
            session.call_operation("ingest", &json!({ "conversation": "talk-0", "messages": [message] }))?;
            busy.push(measure_cpu(session.process_id(), || session.call_operation("recall", &ask))?.1);
        }
        session.close()?;
        busy.sort_by(f64::total_cmp);
        Ok(round_thousandths(busy[busy.len() / 2] * 1_000.0))
    }
}

/// Runs something, and gives the processor seconds that a process spent meanwhile.
fn measure_cpu<T>(process: u32, work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let before = usage::cpu_seconds(process)?;
    let done = work()?;
    Ok((done, usage::cpu_seconds(process)? - before))
}

fn names_message(reply: &Value, gold: &str, ids: &HashMap<String, String>) -> bool {
    let results = reply["results"].as_array().map_or(&[][..], Vec::as_slice);
    let is_gold = |id: &str| ids.get(id).is_some_and(|ours| ours == gold);
    results.iter().take(10).any(|result| result["message_id"].as_str().is_some_and(is_gold))
}
