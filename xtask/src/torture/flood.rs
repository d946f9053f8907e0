//! Torture scenario: a client of MCP that sends lines without end, malformed ones and whole calls, without waiting for an
//! answer. Every line is answered, and the server stays small.

use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::home::TortureHome;
use super::mcp_caller::{peak_memory, tool_call};
use super::{ScenarioRound, TortureScenario};
use crate::seeded_random::SeededRandom;

pub(super) const FLOOD_SCENARIO: TortureScenario = TortureScenario {
    name: "flood",
    what: "lines and calls without a pause",
    rounds: 2,
    least: 1,
    prepare: None,
    run,
    beside: 1,
};

const MALFORMED_LINES: u64 = 60_000;
const PIPELINED_CALLS: u64 = 5_000;
/// The most memory that a server may have had at any time.
pub(super) const MAX_MEMORY_KIB: u64 = 256 << 10;
/// How long a server may go without saying anything: it may work, but must not hang.
const MAX_SILENCE: Duration = Duration::from_mins(2);

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let share = |number: u64| if round.place.is_short { number / 10 } else { number };
    let (lines, calls) = (share(MALFORMED_LINES), share(PIPELINED_CALLS));
    let home = round.new_home("home");
    let project = round.folder.join("project");
    fs_err::create_dir_all(&project)?;
    fs_err::write(project.join("one.rs"), "fn one() {}\n")?;
    let seed = round.chance.number_below(1 << 30);
    let malformed = Flood::start(&home, &project)?.send(move |out| write_malformed(out, lines, seed))?;
    let answered = malformed.finish(|answer| answer["error"]["code"].is_i64())?;
    ensure!(answered == lines, "{answered} of {lines} malformed lines were answered");
    for (tool, arguments) in [("status", json!({})), ("read", json!({ "targets": ["one.rs"] }))] {
        let flood = Flood::start(&home, &project)?.send(move |out| write_calls(out, calls, tool, &arguments))?;
        let answered = flood.finish(|answer| answer["result"]["isError"] != true && !answer["result"].is_null())?;
        ensure!(answered == calls, "{answered} of {calls} calls of {tool} were answered");
    }
    Ok(lines + 2 * calls)
}

/// A server, and a thread that writes to it.
pub(super) struct Flood {
    child: Child,
    writer: Option<std::thread::JoinHandle<std::io::Result<()>>>,
}

pub(super) type ServerInput = BufWriter<std::process::ChildStdin>;

impl Flood {
    pub(super) fn start(home: &TortureHome, project: &std::path::Path) -> Result<Self> {
        let folder = project.display().to_string();
        let mut command: Command = home.build_command(&["--project", &folder, "mcp", "--profile", "full"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        Ok(Self { child: command.spawn().context("cannot start epitome mcp")?, writer: None })
    }

    /// Writes on a thread of its own: the answers are read meanwhile, or not, as a client likes.
    pub(super) fn send(
        mut self,
        write: impl FnOnce(&mut ServerInput) -> std::io::Result<()> + Send + 'static,
    ) -> Result<Self> {
        let input = self.child.stdin.take().context("a pipe")?;
        self.writer = Some(std::thread::spawn(move || {
            let mut input = BufWriter::new(input);
            write(&mut input)?;
            input.flush()
        }));
        Ok(self)
    }

    /// Reads answers to the end and counts those that are as they should be; then looks at the memory.
    pub(super) fn finish(mut self, is_right: impl Fn(&Value) -> bool) -> Result<u64> {
        // The client sleeps first: what it has asked for by then must not pile up in the server.
        std::thread::sleep(Duration::from_secs(2));
        let output = BufReader::new(self.child.stdout.take().context("a pipe")?);
        let (mut right, mut peak) = (0, 0);
        let mut last = Instant::now();
        for line in output.lines() {
            let answer: Value = serde_json::from_str(&line?).context("a line of the server is no JSON")?;
            ensure!(last.elapsed() < MAX_SILENCE, "nothing was said for {:?}", last.elapsed());
            last = Instant::now();
            right += u64::from(is_right(&answer));
            if right % 1_000 == 1 {
                peak = peak.max(peak_memory(self.child.id()));
            }
        }
        if let Some(writer) = self.writer.take() {
            let written = writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))?;
            written.context("the server stopped reading")?;
        }
        ensure!(self.child.wait()?.success(), "the server failed");
        ensure!(peak < MAX_MEMORY_KIB, "the server took {peak} KiB");
        println!("flood: {right} answers, {peak} KiB at most");
        Ok(right)
    }
}

/// Lines that are no messages, in many ways, some of them long.
pub(super) fn write_malformed(out: &mut ServerInput, lines: u64, seed: u64) -> std::io::Result<()> {
    let mut chance = SeededRandom::new(seed);
    for number in 0..lines {
        let line = match chance.number_below(12) {
            0 => "{\"jsonrpc\":".to_owned(),
            1 => "[".repeat(1 + chance.number_below(5_000) as usize),
            2 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":7}}"),
            3 => format!("{{\"jsonrpc\":\"1.0\",\"id\":{number},\"method\":\"tools/list\"}}"),
            4 => "\u{1b}[2J\u{202e}".to_owned(),
            5 => format!("[{}0]", "0,".repeat(chance.number_below(2_000) as usize)),
            6 => "x".repeat(chance.number_below(20_000) as usize + 1),
            7 => format!("{{\"id\":{{\"a\":[{number}]}},\"method\":\"tools/call\"}}"),
            8 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"tools/call\",\"params\":[]"),
            9 => "null".to_owned(),
            10 => format!("\"{}\"", "\\u0000".repeat(chance.number_below(500) as usize)),
            // Millions of values in a few bytes each; seldom, since each is megabytes.
            _ if number % 400 == 0 => format!("[{}0]", "0,".repeat(2 << 20)),
            _ => "{}".to_owned(),
        };
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

pub(super) fn write_calls(out: &mut ServerInput, calls: u64, tool: &str, arguments: &Value) -> std::io::Result<()> {
    for number in 0..calls {
        let call = tool_call(number, tool, arguments);
        writeln!(out, "{call}")?;
    }
    Ok(())
}
