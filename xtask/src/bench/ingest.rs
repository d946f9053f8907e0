//! Benchmark of durable `epitome ingest`, one message at a time and as fast as possible, with plain synced writes to
//! the same disk as the baseline.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::{BenchSetup, duration_percentiles, round_thousandths, workload_number};

/// One at a time: the next message is sent when the last is acknowledged.
pub(crate) fn measure_single(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let messages = workload_number(workload, "messages")?;
    let bytes = workload_number(workload, "bytes")?;
    let mut disk = BaselineDisk::open(bench)?;
    let mut epitome = IngestProcess::start(bench, &bench.scratch.join("ingest-home"), "bench")?;
    // The first message opens the store and makes its tables, which is not part of an append.
    epitome.send_message(0, bytes)?;
    epitome.read_acknowledgement()?;
    let mut ours = Vec::new();
    let mut synced = Vec::new();
    for message in 1..=messages {
        let started = Instant::now();
        epitome.send_message(message, bytes)?;
        epitome.read_acknowledgement()?;
        ours.push(started.elapsed().as_secs_f64());
        // One synced write for each message, in turns, so that both meet the same disk.
        synced.push(disk.write_synced()?);
    }
    epitome.finish()?;
    let rate = |seconds: &[f64]| round_thousandths(seconds.len() as f64 / seconds.iter().sum::<f64>());
    Ok(json!({
        "messages_per_second": rate(&ours),
        "synced_writes_per_second": rate(&synced),
        "share_of_synced_writes": round_thousandths(rate(&ours) / rate(&synced)),
        "epitome": duration_percentiles(ours),
        "synced_write": duration_percentiles(synced),
    }))
}

/// As fast as they are taken.
pub(crate) fn measure_grouped(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let messages = workload_number(workload, "messages")?;
    let bytes = workload_number(workload, "bytes")?;
    let mut disk = BaselineDisk::open(bench)?;
    // Disks differ widely, so the speed of bare synced writes is reported beside ours.
    let synced = (0..200).map(|_| disk.write_synced()).collect::<Result<Vec<_>>>()?;
    let mut epitome = IngestProcess::start(bench, &bench.scratch.join("ingest-home"), "bench")?;
    // The first message opens the store and creates its tables, which is not part of the steady rate.
    epitome.send_message(0, bytes)?;
    epitome.read_acknowledgement()?;
    let started = Instant::now();
    epitome.stream_messages(messages, bytes)?;
    let seconds = started.elapsed().as_secs_f64();
    epitome.finish()?;
    Ok(json!({
        "messages_per_second": round_thousandths(messages as f64 / seconds),
        "megabytes_per_second": round_thousandths((messages * bytes) as f64 / 1e6 / seconds),
        "synced_writes_per_second": round_thousandths(synced.len() as f64 / synced.iter().sum::<f64>()),
    }))
}

/// `epitome ingest` with its pipes.
pub(super) struct IngestProcess {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl IngestProcess {
    pub(super) fn start(bench: &BenchSetup, home: &Path, conversation: &str) -> Result<Self> {
        Self::start_on(bench, home, conversation, None)
    }

    /// The same on a PostgreSQL database, where one is named.
    pub(super) fn start_on(bench: &BenchSetup, home: &Path, conversation: &str, url: Option<&str>) -> Result<Self> {
        let mut child = Command::new(&bench.binary)
            .args(["ingest", "--conversation", conversation])
            .current_dir(&bench.scratch)
            .env("EPITOME_HOME", home)
            .envs(url.map(|url| ("EPITOME_DATABASE_URL", url)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = BufReader::new(child.stdout.take().context("standard output")?);
        Ok(Self { input: child.stdin.take(), output, child })
    }

    fn send_message(&mut self, number: usize, bytes: usize) -> Result<()> {
        write_message(self.input.as_mut().context("standard input")?, number, bytes)
    }

    /// Sends a text of its own.
    pub(super) fn send_text(&mut self, text: &str) -> Result<()> {
        send_line(self.input.as_mut().context("standard input")?, text)
    }

    /// Sends messages as fast as they are taken, until all are acknowledged.
    pub(super) fn stream_messages(&mut self, messages: usize, bytes: usize) -> Result<()> {
        let mut input = self.input.take().context("standard input")?;
        // Writing and reading at once: a full pipe on either side would stop the other.
        let writer = std::thread::spawn(move || -> Result<ChildStdin> {
            (1..=messages).try_for_each(|message| write_message(&mut input, message, bytes))?;
            input.flush()?;
            Ok(input)
        });
        for _ in 0..messages {
            self.read_acknowledgement()?;
        }
        self.input = Some(writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??);
        Ok(())
    }

    /// The process that stores them.
    pub(super) fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn read_acknowledgement(&mut self) -> Result<()> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        ensure!(line.contains("message_id"), "not an acknowledgement: {line}");
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "epitome ingest ended with {status}");
        Ok(())
    }
}

fn write_message(input: &mut ChildStdin, number: usize, bytes: usize) -> Result<()> {
    let sentence = format!("message {number} says that the build of module_{} passed; ", number % 97);
    let text: String = sentence.chars().cycle().take(bytes).collect();
    send_line(input, &text)
}

/// One line, handed over at once: a write for every piece of it would measure how slowly it is sent.
fn send_line(input: &mut ChildStdin, text: &str) -> Result<()> {
    let line = format!("{}\n", json!({ "role": "user", "content": text }));
    Ok(input.write_all(line.as_bytes())?)
}

/// The same disk without us.
pub(super) struct BaselineDisk(fs_err::File);

impl BaselineDisk {
    pub(super) fn open(bench: &BenchSetup) -> Result<Self> {
        Ok(Self(fs_err::File::create(bench.scratch.join("baseline"))?))
    }

    pub(super) fn write_synced(&mut self) -> Result<f64> {
        let started = Instant::now();
        self.0.write_all(&[7; 4096])?;
        self.0.sync_data()?;
        Ok(started.elapsed().as_secs_f64())
    }
}
