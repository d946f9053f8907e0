//! A scripted HTTP/1.1 stub server on this machine for tests of the vendor clients: answers as a script says and
//! records requests.
//!
//! The server is written on sockets because half of what it must simulate is no HTTP: silence, half an answer, a
//! closed connection.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server that lives as long as the value.
pub struct ScriptedServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<ReceivedRequest>>>,
    task: JoinHandle<()>,
}

/// A request it got.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Method and path.
    pub line: String,
    /// Header lines, names in lower case.
    pub headers: Vec<String>,
    /// The body; null when there is none.
    pub body: Value,
}

/// What it does with a request.
#[derive(Debug, Clone)]
pub enum ServerAction {
    /// Answers.
    Answer(ScriptedReply),
    /// Promises a whole answer, sends a part of it and closes the connection.
    Break(ScriptedReply),
    /// Promises a whole answer, sends a part of it and keeps silent.
    Stall(ScriptedReply),
    /// Keeps silent.
    Silence,
    /// Closes the connection without a byte.
    Close,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct ScriptedReply {
    /// The status.
    pub status: u16,
    /// Header lines besides the length.
    pub headers: Vec<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl ScriptedReply {
    /// A JSON body.
    pub fn from_json(status: u16, body: &Value) -> Self {
        let headers = vec!["content-type: application/json".to_owned()];
        Self { status, headers, body: body.to_string().into_bytes() }
    }

    /// The same with one more header line.
    pub fn with_header(mut self, line: impl Into<String>) -> Self {
        self.headers.push(line.into());
        self
    }
}

type ServerScript = dyn Fn(&ReceivedRequest) -> ServerAction + Send + Sync;

impl ScriptedServer {
    /// Starts a server that answers each request as `script` says.
    pub async fn start(script: impl Fn(&ReceivedRequest) -> ServerAction + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let seen: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let script: Arc<ServerScript> = Arc::new(script);
        let log = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Without this, Nagle's algorithm and delayed acknowledgements can add 40 ms to each exchange.
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve_connection(stream, Arc::clone(&script), Arc::clone(&log)));
            }
        });
        Self { address, seen, task }
    }

    /// Starts a server that answers every request in the same way.
    pub async fn start_fixed(act: ServerAction) -> Self {
        Self::start(move |_| act.clone()).await
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it got so far.
    pub fn received_requests(&self) -> Vec<ReceivedRequest> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve_connection(stream: TcpStream, script: Arc<ServerScript>, log: Arc<Mutex<Vec<ReceivedRequest>>>) {
    let mut stream = BufReader::new(stream);
    while let Some(seen) = read_request(&mut stream).await {
        let act = script(&seen);
        // Logged before the answer: a test that has its answer finds the request in the log.
        log.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        let (bytes, rest) = match &act {
            ServerAction::Answer(reply) => (encode_reply(reply, reply.body.len()), AfterReply::Next),
            ServerAction::Break(reply) => (encode_reply(reply, reply.body.len() / 2), AfterReply::Close),
            ServerAction::Stall(reply) => (encode_reply(reply, reply.body.len() / 2), AfterReply::Silence),
            ServerAction::Silence => (Vec::new(), AfterReply::Silence),
            ServerAction::Close => (Vec::new(), AfterReply::Close),
        };
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
        match rest {
            AfterReply::Next => {}
            AfterReply::Close => return,
            // The connection stays open: a closed one is an error at once, and would not test the deadline.
            AfterReply::Silence => std::future::pending().await,
        }
    }
}

enum AfterReply {
    Next,
    Silence,
    Close,
}

fn encode_reply(reply: &ScriptedReply, part: usize) -> Vec<u8> {
    let headers: String = reply.headers.iter().map(|line| format!("{line}\r\n")).collect();
    // The whole length is promised whatever part is sent, so the client notices that the rest is missing.
    let length = reply.body.len();
    let mut bytes =
        format!("HTTP/1.1 {} Played\r\n{headers}content-length: {length}\r\n\r\n", reply.status).into_bytes();
    bytes.extend_from_slice(&reply.body[..part]);
    bytes
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<ReceivedRequest> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let line = lines.first()?.trim_end_matches(" HTTP/1.1").to_owned();
    // Names of headers are in any case on the wire, and clients differ.
    let lower = |line: &String| match line.split_once(':') {
        Some((name, value)) => format!("{}:{value}", name.to_lowercase()),
        None => line.clone(),
    };
    let headers: Vec<String> = lines[1..].iter().map(lower).collect();
    let length = headers.iter().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(ReceivedRequest { line, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}
