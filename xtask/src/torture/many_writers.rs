//! Torture scenario: concurrent writers of one conversation, eight servers on one database with eight clients each.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::home::TortureHome;
use super::journal::ClientJournal;
use super::{ScenarioRound, TortureScenario, numbered_messages};

pub(super) const MANY_WRITERS_SCENARIO: TortureScenario = TortureScenario {
    name: "crowd",
    what: "messages of 64 writers in 8 processes",
    rounds: 10,
    least: 1,
    prepare: None,
    run,
    beside: 1,
};

const SERVERS: u64 = 8;
const CLIENTS: u64 = 8;
/// Messages of one client.
const MESSAGES_PER_CLIENT: u64 = 12;
/// How often a client tries again when the server is busy.
const MAX_ATTEMPTS: u64 = 200;

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let home = round.new_home("home");
    // The first server makes the home; the others find it.
    let mut servers = vec![TortureServer::start(&home)?];
    for _ in 1..SERVERS {
        servers.push(TortureServer::start(&home)?);
    }
    let token = home.read_output(&["serve", "token"])?.trim().to_owned();
    let journal = Mutex::new(ClientJournal::open(&round.folder.join("journal"))?);
    std::thread::scope(|scope| -> Result<()> {
        let mut clients = Vec::new();
        for (server, number) in servers.iter().zip(0..) {
            for client in number * CLIENTS..(number + 1) * CLIENTS {
                let journal = &journal;
                let token = &token;
                clients.push(scope.spawn(move || write_messages(server, token, client, journal)));
            }
        }
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| anyhow::anyhow!("a client panicked"))?)
    })?;
    drop(servers);
    let journal = journal.into_inner().map_err(|_| anyhow::anyhow!("a client panicked"))?;
    ensure!(journal.len() == SERVERS * CLIENTS * MESSAGES_PER_CLIENT, "{} acknowledged", journal.len());
    journal.check_stored(&home, "c")?;
    ensure!(
        home.read_messages("c")?.len() as u64 == SERVERS * CLIENTS * MESSAGES_PER_CLIENT,
        "more is stored than was sent"
    );
    Ok(SERVERS * CLIENTS * MESSAGES_PER_CLIENT)
}

/// Writes the messages of one client, each until it is acknowledged.
fn write_messages(server: &TortureServer, token: &str, client: u64, journal: &Mutex<ClientJournal>) -> Result<()> {
    for number in client * MESSAGES_PER_CLIENT + 1..=(client + 1) * MESSAGES_PER_CLIENT {
        let body = json!({ "conversation": "c", "messages": [numbered_messages::message_line(number)] });
        let mut attempt = 0;
        let reply = loop {
            let (status, reply) = server.send_post("/v1/ingest", token, &body)?;
            if status == 200 {
                break reply;
            }
            attempt += 1;
            // Busy is an answer that a client waits after; any other refusal is a failure.
            ensure!(status == 409 && attempt < MAX_ATTEMPTS, "{status}: {reply}");
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut journal = journal.lock().map_err(|_| anyhow::anyhow!("a client panicked"))?;
        journal.add_acknowledgement(number, &reply["acknowledged"][0])?;
        journal.sync()?;
    }
    Ok(())
}

struct TortureServer {
    child: Child,
    address: String,
}

impl TortureServer {
    fn start(home: &TortureHome) -> Result<Self> {
        let mut command = home.build_command(&["serve", "--address", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("cannot start epitome")?;
        let output = child.stdout.take().context("standard output")?;
        // From here on the server is stopped whatever happens.
        let mut server = Self { child, address: String::new() };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let ready: Value = serde_json::from_str(&line).with_context(|| format!("the server said `{line}`"))?;
        let url = ready["url"].as_str().unwrap_or_default();
        url.trim_start_matches("http://").clone_into(&mut server.address);
        Ok(server)
    }

    fn send_post(&self, path: &str, token: &str, body: &Value) -> Result<(u16, Value)> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        write!(
            stream,
            // `connection: close` lets the reader take all up to the end of the stream instead of parsing chunks.
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).context("a status")?;
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
        Ok((status, serde_json::from_str(body).unwrap_or_else(|_| json!(body))))
    }
}

impl Drop for TortureServer {
    fn drop(&mut self) {
        // A server that is already gone is as good as stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
