//! Benchmark of the overhead of a model call, measured by a fake vendor server on this machine, which answers at once
//! and takes the time from each answer to the next request. In between the call is settled, its answer kept, and the
//! next one reserved, each durably; the same disk without us is the baseline.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::ingest::BaselineDisk;
use super::{BenchSetup, duration_percentiles, workload_number};
use crate::process::{self, command_in};

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let calls = workload_number(workload, "calls")?;
    let (url, gaps) = start_vendor()?;
    let home = bench.scratch.join("home");
    let project = bench.scratch.join("project");
    fs_err::create_dir_all(home.join("config"))?;
    // A project of its own: a folder inside of another repository would be indexed with all of that.
    fs_err::create_dir_all(&project)?;
    process::read_output(command_in(&project, "git", &["init", "--quiet"]))?;
    let mut source = String::new();
    // One function makes one call to the model.
    for call in 0..calls {
        writeln!(source, "fn f{call}() -> u32 {{\n    let x = {call};\n    x + {call}\n}}\n")?;
    }
    fs_err::write(project.join("lib.rs"), source)?;
    let config = format!(
        "[providers]\nchain = ['anthropic']\nanthropic_model = 'claude-haiku-4-5'\nanthropic_url = '{url}'\n\
         anthropic_key = 'env:KEY'\n[spend]\nconcurrent = 1\nday_tokens = 100000000\nday_dollars = 1000.0\n"
    );
    fs_err::write(home.join("config").join("config.toml"), config)?;
    let mut command = Command::new(&bench.binary);
    command.args(["index", "--summarize", "--json"]).current_dir(&project).env("EPITOME_HOME", &home).env("KEY", "k");
    let output = command.output()?;
    let report: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(report["summaries"]["written"] == calls, "not every call was made: {}", report["summaries"]);
    let mut disk = BaselineDisk::open(bench)?;
    // The same disk without us is the baseline: each call waits for a few durable writes.
    let synced = (0..200).map(|_| disk.write_synced()).collect::<Result<Vec<_>>>()?;
    Ok(
        json!({ "between_calls": duration_percentiles(gaps.try_iter().collect()), "synced_write": duration_percentiles(synced) }),
    )
}

/// Starts a vendor, and gives its address and the seconds from each answer to the next question.
fn start_vendor() -> Result<(String, mpsc::Receiver<f64>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let (tell, gaps) = mpsc::channel();
    std::thread::spawn(move || -> Result<()> {
        loop {
            answer_requests(listener.accept()?.0, &tell)?;
        }
    });
    Ok((url, gaps))
}

/// Answers the questions of one connection.
fn answer_requests(mut stream: TcpStream, tell: &mpsc::Sender<f64>) -> Result<()> {
    // Without it the kernel would hold small replies back for milliseconds, which would be measured as ours.
    stream.set_nodelay(true)?;
    let body = json!({
        "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": "Gives the sum of what it is given." }],
        "usage": { "input_tokens": 400, "output_tokens": 20 },
    })
    .to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut answered: Option<Instant> = None;
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse()?;
            }
        }
        let mut question = vec![0; length];
        reader.read_exact(&mut question)?;
        // The first question has no answer before it.
        if let Some(answered) = answered {
            tell.send(answered.elapsed().as_secs_f64())?;
        }
        stream.write_all(format!("{head}{body}").as_bytes())?;
        answered = Some(Instant::now());
    }
}
