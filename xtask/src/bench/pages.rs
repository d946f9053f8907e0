//! Benchmark of what a person waits for: every page of the dashboard and some operations, of a store with many messages
//! and a long ledger. Of each the first answer of a new process and the median of later ones, with the processor time
//! of the server, since others may use the machine; and of each operation what booking it adds.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Map, Value, json};
use toml::Table;

use self::store::{LONG, PageStore};
use super::session::McpSession;
use super::{BenchSetup, duration_percentiles, round_thousandths, usage, workload_number};
use crate::served_process::ServedProcess;

mod store;

/// The pages that every store has.
const PAGES: [(&str, &str); 16] = [
    ("overview", "/"),
    ("value", "/ui/value"),
    ("modes", "/ui/modes"),
    ("sessions", "/ui/sessions"),
    ("sessions of the project", "/ui/sessions?within=project"),
    ("memory", "/ui/memory"),
    ("decisions about a word", "/ui/memory?about=module"),
    ("tiers", "/ui/tiers"),
    ("checkpoints", "/ui/checkpoints"),
    ("suggestions", "/ui/suggestions"),
    ("search", "/ui/search?q=which%20module%20did%20we%20decide%20on"),
    ("graph", "/ui/graph"),
    ("graph of a symbol", "/ui/graph?symbol=f3_4"),
    ("documents", "/ui/documents"),
    ("projects", "/ui/projects"),
    ("health", "/ui/health"),
];

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let folder = std::env::var_os("BENCH_STORE").map_or_else(|| bench.scratch.join("pages"), PathBuf::from);
    let store = PageStore::open(bench, workload, &folder)?;
    let rounds = workload_number(workload, "rounds")?;
    let mut pages: Vec<(String, String)> =
        PAGES.iter().map(|(name, address)| ((*name).to_owned(), (*address).to_owned())).collect();
    for (name, talk) in [("session of many messages", LONG), ("session that was folded", "talk-1")] {
        let id = store.conversation_id(talk)?;
        pages.push((name.to_owned(), format!("/ui/sessions/{id}")));
    }
    let mut measured = Map::new();
    for (name, address) in &pages {
        let row = measure_page(&store, address, rounds).with_context(|| name.clone())?;
        println!("{name}: {row}");
        measured.insert(name.clone(), row);
    }
    let operations = measure_operations(bench, &store, rounds)?;
    Ok(json!({ "made": store.made, "pages": measured, "operations": operations }))
}

/// A page of a server that was just started, and then again and again.
fn measure_page(store: &PageStore, address: &str, rounds: usize) -> Result<Value> {
    let server =
        ServedProcess::start(store.command(&["dashboard", "--no-browser", "--json"]), store.folder.join("server.log"))?;
    let browser = PageReader::sign_in(&server)?;
    let process = server.process_id();
    let mut waited = Vec::new();
    let mut busy = Vec::new();
    let mut bytes = 0;
    let mut first = (0.0, 0.0);
    for round in 0..=rounds {
        let before = usage::cpu_seconds(process)?;
        let started = Instant::now();
        bytes = browser.read_page(address)?.len();
        let seconds = started.elapsed().as_secs_f64();
        let spent = usage::cpu_seconds(process)? - before;
        if round == 0 {
            first = (seconds, spent);
            // What a page leaves for later is not part of the next one.
            wait_until_idle(process)?;
        } else {
            waited.push(seconds);
            busy.push(spent);
        }
    }
    let ms = |seconds: f64| round_thousandths(seconds * 1_000.0);
    Ok(json!({
        "first_ms": ms(first.0), "first_cpu_ms": ms(first.1), "bytes": bytes,
        "later": duration_percentiles(waited), "later_cpu": duration_percentiles(busy),
    }))
}

/// Returns when a process has done nothing for a moment.
fn wait_until_idle(process: u32) -> Result<()> {
    let mut before = usage::cpu_seconds(process)?;
    // A minute is longer than anything that a page leaves behind.
    for _ in 0..240 {
        std::thread::sleep(Duration::from_millis(250));
        let now = usage::cpu_seconds(process)?;
        if now - before < 0.005 {
            break;
        }
        before = now;
    }
    Ok(())
}

/// Operations as an agent calls them, over MCP to a process that was just started.
fn measure_operations(bench: &BenchSetup, store: &PageStore, rounds: usize) -> Result<Value> {
    let long = store.conversation_id(LONG)?;
    let operations = [
        ("decisions", json!({ "within": "all" })),
        ("status", json!({})),
        ("assemble", json!({ "conversation": long, "budget": 8_000 })),
        ("value", json!({ "all": true })),
        ("history", json!({ "within": "all" })),
        ("describe", json!({ "id": long })),
    ];
    let mut measured = Map::new();
    for (operation, arguments) in operations {
        let mut session = McpSession::open(bench, &store.home(), &store.project())?;
        let process = session.process_id();
        let (_, first) = session.call_operation(operation, &arguments)?;
        wait_until_idle(process)?;
        let mut waited = Vec::new();
        let mut busy = Vec::new();
        for _ in 0..rounds {
            let before = usage::cpu_seconds(process)?;
            waited.push(session.call_operation(operation, &arguments)?.1);
            busy.push(usage::cpu_seconds(process)? - before);
        }
        session.close()?;
        let row = json!({
            "first_ms": round_thousandths(first * 1_000.0),
            "later": duration_percentiles(waited), "later_cpu": duration_percentiles(busy),
        });
        println!("{operation}: {row}");
        measured.insert(operation.to_owned(), row);
    }
    Ok(Value::Object(measured))
}

/// A browser that reads pages and runs nothing.
struct PageReader {
    address: String,
    cookie: String,
}

impl PageReader {
    /// Opens the link that the server printed.
    fn sign_in(server: &ServedProcess) -> Result<Self> {
        let address = server.ready_text("url")?.trim_start_matches("http://").to_owned();
        let link = server.ready_text("link")?;
        let path = link.strip_prefix(server.ready_text("url")?).context("a link to the server itself")?;
        let mut reader = Self { address, cookie: String::new() };
        let reply = reader.request(path)?;
        let cookie = reply.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().unwrap_or_default().trim())
        });
        cookie.context("the link sets no cookie")?.clone_into(&mut reader.cookie);
        Ok(reader)
    }

    fn read_page(&self, path: &str) -> Result<String> {
        let reply = self.request(path)?;
        ensure!(reply.starts_with("HTTP/1.1 200"), "{path}: {}", reply.lines().next().unwrap_or_default());
        Ok(reply)
    }

    fn request(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_mins(2)))?;
        let (address, cookie) = (&self.address, &self.cookie);
        let asked = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n");
        stream.write_all(asked.as_bytes())?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        Ok(reply)
    }
}
