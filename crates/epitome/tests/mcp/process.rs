//! A project, a home and a server that is spoken to line by line.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

/// Nothing here takes this long; a test that waits in vain fails by name.
const REPLY_TIMEOUT: Duration = Duration::from_mins(1);

/// The revision without handshakes.
const STATELESS_REVISION: &str = "2026-07-28";

/// How a client speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Era {
    /// Opens with `initialize`, naming this revision.
    Handshake(&'static str),
    /// Says with every request who it is.
    Stateless,
}

pub(crate) const ERAS: [Era; 3] = [Era::Handshake("2025-06-18"), Era::Handshake("2025-11-25"), Era::Stateless];

/// A project and a home directory, which outlive the servers started on them.
pub(crate) struct Place {
    pub(crate) project: TempDir,
    pub(crate) home: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::with_project(&[
            (
                "src/session.rs",
                "/// Checks a password against its stored hash.\npub fn check_password(given: &str) -> bool {\n    \
                 !given.is_empty()\n}\n",
            ),
            ("notes.md", "# Notes\n\nThe server listens on port 8080.\n"),
        ])
    }

    pub(crate) fn with_project(files: &[(&str, &str)]) -> Self {
        let home = TempDir::with_prefix("epitome-home-").expect("a temporary directory");
        Self { project: testkit::fixture_tree(files), home }
    }

    /// A command that knows nothing of the machine.
    pub(crate) fn command(&self, profile: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.env_clear().env("EPITOME_HOME", self.home.path());
        command.arg("--project").arg(self.project.path()).args(["mcp", "--profile", profile]);
        command
    }

    /// Starts a server that nobody has spoken to yet.
    pub(crate) fn start(&self, profile: &str) -> Session<'_> {
        self.spawn(self.command(profile))
    }

    /// Starts a server by a command of its own.
    pub(crate) fn spawn(&self, mut command: Command) -> Session<'_> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (heard, lines) = channel();
        let reader = std::thread::spawn(move || {
            for line in output.lines() {
                // The test may have seen enough.
                let _ = heard.send(line.expect("text"));
            }
        });
        Session {
            _place: self,
            input: child.stdin.take(),
            child,
            lines,
            reader,
            asked: 0,
            era: Era::Stateless,
            heard: Vec::new(),
        }
    }

    /// Starts a server and opens a conversation with it.
    pub(crate) fn open(&self, profile: &str, era: Era) -> Session<'_> {
        let mut session = self.start(profile);
        session.era = era;
        if let Era::Handshake(version) = era {
            session.ask("initialize", initialize(version));
            session.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        session
    }
}

pub(crate) fn initialize(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

/// What every request without a handshake carries.
pub(crate) fn stateless_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS_REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A running server and the conversation with it.
pub(crate) struct Session<'place> {
    /// Its files must not go while it runs.
    _place: &'place Place,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    reader: JoinHandle<()>,
    asked: u64,
    pub(crate) era: Era,
    /// Every line the server wrote.
    pub(crate) heard: Vec<String>,
}

/// How a server ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    /// What it wrote that nobody waited for.
    pub(crate) unheard: Vec<String>,
    pub(crate) talk: String,
}

impl Session<'_> {
    /// Writes a line as it is.
    pub(crate) fn write(&mut self, line: &[u8]) {
        self.write_without_newline(line);
        self.write_without_newline(b"\n");
    }

    /// Writes what is no line yet.
    pub(crate) fn write_without_newline(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open pipe");
        input.write_all(bytes).and_then(|()| input.flush()).expect("a reader");
    }

    pub(crate) fn tell(&mut self, message: &Value) {
        self.write(message.to_string().as_bytes());
    }

    /// The next message.
    pub(crate) fn hear(&mut self) -> Value {
        let line = self.lines.recv_timeout(REPLY_TIMEOUT).expect("the server says something");
        let message = serde_json::from_str(&line).expect("a line is one JSON message");
        self.heard.push(line);
        message
    }

    /// Sends a request as the era wants it and returns its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.asked += 1;
        if let Era::Stateless = self.era {
            let token = params["_meta"]["progressToken"].take();
            params["_meta"] = stateless_meta();
            if !token.is_null() {
                params["_meta"]["progressToken"] = token;
            }
        }
        let id = self.asked;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its response, which must be the next message.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let response = self.hear();
        assert_eq!(response["id"], id, "{response}");
        response
    }

    /// Calls a tool and returns the result, or the error.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        let mut response = self.ask("tools/call", params);
        let key = if response["error"].is_null() { "result" } else { "error" };
        response[key].take()
    }

    /// The process that is spoken to.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server, as a machine that runs out of memory does.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
        self.reader.join().expect("the reader ends");
    }

    /// Hangs up and waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        drop(self.input.take());
        let mut talk = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut talk).expect("text");
        let status = self.child.wait().expect("it ends").code();
        self.reader.join().expect("the reader ends");
        Ended { status, unheard: self.lines.try_iter().collect(), talk }
    }
}

/// The JSON that is the text of a result, and all there is of it.
pub(crate) fn json_text(result: &Value) -> Value {
    assert_eq!(result["structuredContent"], Value::Null, "it is sent once: {result}");
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
    let text = result["content"][0]["text"].as_str().expect("text");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The end of a server that was asked for nothing more.
pub(crate) fn quiet() -> Ended {
    Ended { status: Some(0), unheard: Vec::new(), talk: String::new() }
}
