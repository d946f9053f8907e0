//! Torture scenario: frames without end over HTTP and stdio, malformed, cut in half and pipelined. The server stays
//! small, goes on, and answers what is right among them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::flood::{self, Flood, MAX_MEMORY_KIB};
use super::home::TortureHome;
use super::mcp_caller::peak_memory;
use super::{ScenarioRound, TortureScenario};
use crate::seeded_random::SeededRandom;

pub(super) const FRAME_SCENARIO: TortureScenario = TortureScenario {
    name: "frames",
    what: "frames over HTTP and stdio",
    rounds: 1,
    least: 1,
    prepare: None,
    run,
    beside: 1,
};

/// Frames over each of the two doors.
const FRAMES: u64 = 100_000;
/// One frame in so many over stdio is a call that is right.
const CALL_SHARE: u64 = 10;
/// Clients over HTTP at once.
const CLIENTS: u64 = 4;
/// How long a client waits for an answer.
const MAX_SILENCE: Duration = Duration::from_mins(1);

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let frames = if round.place.is_short { FRAMES / 10 } else { FRAMES };
    let home = round.new_home("home");
    let project = round.folder.join("project");
    fs_err::create_dir_all(&project)?;
    fs_err::write(project.join("one.rs"), "fn one() {}\n")?;
    let (calls, seed) = (frames / CALL_SHARE, round.chance.number_below(1 << 30));
    let lines = frames - calls;
    let flood = Flood::start(&home, &project)?.send(move |out| {
        flood::write_malformed(out, lines, seed)?;
        flood::write_calls(out, calls, "status", &json!({}))?;
        // The client is gone in the middle of a frame.
        out.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth")
    })?;
    let answered = flood.finish(|answer| answer["error"]["code"].is_i64() || !answer["result"].is_null())?;
    ensure!(answered >= frames, "{answered} of {frames} frames over stdio were answered");
    Ok(frames + flood_http(&home, &project, frames, &round.chance)?)
}

/// Many clients send frames to one server.
fn flood_http(home: &TortureHome, project: &std::path::Path, frames: u64, chance: &SeededRandom) -> Result<u64> {
    let server = FrameServer::start(home, project)?;
    let sent = AtomicU64::new(0);
    std::thread::scope(|scope| -> Result<()> {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (server, sent) = (&server, &sent);
                let mut chance = chance.fork_named(&format!("client {number}"));
                scope.spawn(move || -> Result<()> {
                    while sent.load(Ordering::Relaxed) < frames {
                        sent.fetch_add(server.send_batch(&mut chance)?, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        clients.into_iter().try_for_each(|client| client.join().expect("a client does not panic"))
    })?;
    // After all that the server does what it did before.
    server.send_healthy(8)?;
    let peak = peak_memory(server.child.id());
    ensure!(peak > 0 && peak < MAX_MEMORY_KIB, "the server took {peak} KiB");
    let sent = sent.into_inner();
    println!("frames: {sent} over HTTP, {peak} KiB at most");
    server.stop()?;
    Ok(sent)
}

struct FrameServer {
    child: Child,
    address: SocketAddr,
    token: String,
}

impl FrameServer {
    fn start(home: &TortureHome, project: &std::path::Path) -> Result<Self> {
        let folder = project.display().to_string();
        let mut command = home.build_command(&["--project", &folder, "serve", "--address", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start epitome serve")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("a pipe")?).read_line(&mut line)?;
        let ready: Value = serde_json::from_str(&line).context("the first line of the server")?;
        let url = ready["url"].as_str().and_then(|url| url.strip_prefix("http://")).context("an address")?;
        let token = fs_err::read_to_string(home.folder.join("state/token"))?.trim().to_owned();
        Ok(Self { child, address: url.parse()?, token })
    }

    fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(self.address).context("the server does not listen")?;
        stream.set_read_timeout(Some(MAX_SILENCE))?;
        stream.set_write_timeout(Some(MAX_SILENCE))?;
        Ok(stream)
    }

    /// A few frames of one kind on one connection; gives how many.
    fn send_batch(&self, chance: &mut SeededRandom) -> Result<u64> {
        let count = 1 + chance.number_below(12);
        let kind = chance.number_below(8);
        if kind == 0 {
            return self.send_healthy(count);
        }
        let mut bytes = Vec::new();
        for _ in 0..count {
            self.write_malformed(&mut bytes, kind, chance);
        }
        let mut stream = self.connect()?;
        // The server may close the connection at the first of them, which is its right.
        let _ = stream.write_all(&bytes);
        if chance.number_below(2) == 0 {
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.read_to_end(&mut Vec::new());
        }
        Ok(count)
    }

    /// Requests that are right, without waiting between them; each is answered.
    fn send_healthy(&self, count: u64) -> Result<u64> {
        let mut stream = self.connect()?;
        for number in 0..count {
            let close = if number + 1 == count { "Connection: close\r\n" } else { "" };
            let request = if number % 2 == 0 {
                format!("GET /health HTTP/1.1\r\nHost: {}\r\n{close}\r\n", self.address)
            } else {
                self.post("/v1/status", "{}", close)
            };
            stream.write_all(request.as_bytes())?;
        }
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).context("the server does not answer")?;
        let reply = String::from_utf8_lossy(&reply);
        let answered = reply.matches("HTTP/1.1 200").count() as u64;
        ensure!(answered == count, "{answered} of {count} requests were answered: {reply:.600}");
        Ok(count)
    }

    fn post(&self, path: &str, body: &str, more: &str) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        )
    }

    fn write_malformed(&self, bytes: &mut Vec<u8>, kind: u64, chance: &mut SeededRandom) {
        let text = match kind {
            // Bodies that are no JSON, or too much of it, to every door.
            1 => {
                let path = *chance.pick_one(&["/mcp", "/v1/search", "/v1/ingest", "/v1/nothing"]);
                let body = match chance.number_below(4) {
                    0 => "{\"jsonrpc\":".to_owned(),
                    1 => "[".repeat(20_000),
                    2 => format!("[{}0]", "0,".repeat(100_000)),
                    _ => "\u{0}\u{1b}[2J".to_owned(),
                };
                self.post(path, &body, "")
            }
            // Half a head, half a body.
            2 => format!("POST /v1/status HTTP/1.1\r\nHost: {}\r\nX-Half: ", self.address),
            3 => format!(
                "POST /v1/status HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 100000\r\n\r\n{{\"a\"",
                self.address, self.token
            ),
            4 => format!(
                "POST /mcp HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nwrong\r\n",
                self.address
            ),
            5 => format!("GET /health HTTP/1.1\r\nHost: {}\r\nX-Long: {}\r\n\r\n", self.address, "a".repeat(200_000)),
            // Two lengths that differ: what is the body of one server is the next request of another.
            6 => format!(
                "POST /v1/status HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\nContent-Length: 30\r\n\r\n{{}}GET /health HTTP/1.1\r\n\r\n",
                self.address
            ),
            _ => {
                bytes.extend((0..chance.number_below(2_000)).map(|_| chance.number_below(256) as u8));
                "\r\n\r\n".to_owned()
            }
        };
        bytes.extend_from_slice(text.as_bytes());
    }

    fn stop(mut self) -> Result<()> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        ensure!(self.child.wait()?.success(), "the server did not end well");
        Ok(())
    }
}

impl Drop for FrameServer {
    fn drop(&mut self) {
        // A server that is already gone is as good as stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
