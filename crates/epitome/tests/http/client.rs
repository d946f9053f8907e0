//! HTTP by hand: a client that sends exactly what a test writes, wrong things included.

use serde_json::Value;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

pub(crate) struct Request {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Request {
    pub(crate) fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        let line = format!("{method} {path} HTTP/1.1");
        Self { address, line, headers: vec![("connection".to_owned(), "close".to_owned())], body: String::new() }
    }

    /// Sets a header, in place of one of the same name.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        let mut request = self.without(name);
        request.headers.push((name.to_owned(), value.to_owned()));
        request
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn body(mut self, text: &str) -> Self {
        text.clone_into(&mut self.body);
        let length = self.body.len().to_string();
        self.header("content-length", &length)
    }

    pub(crate) fn json(self, text: &str) -> Self {
        self.header("content-type", "application/json").body(text)
    }

    pub(crate) fn send(self) -> Reply {
        let body = self.body.clone();
        let mut open = self.open();
        open.write(body.as_bytes());
        open.reply()
    }

    /// Sends the head only.
    pub(crate) fn open(self) -> Open {
        let mut head = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n").expect("writing to a string");
        }
        let mut open = Open(TcpStream::connect(self.address).expect("the server listens"));
        open.write(format!("{head}\r\n").as_bytes());
        open
    }
}

/// A connection with a request under way.
pub(crate) struct Open(TcpStream);

impl Open {
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the server reads");
    }

    /// The first bytes of the reply.
    pub(crate) fn read_exact(&mut self, bytes: &mut [u8]) {
        self.0.read_exact(bytes).expect("the server answers");
    }

    /// The connection itself, for what is no request and reply.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.0
    }

    pub(crate) fn reply(mut self) -> Reply {
        let mut bytes = Vec::new();
        self.0.read_to_end(&mut bytes).expect("the server answers");
        Reply::parse(&String::from_utf8(bytes).expect("text"))
    }
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no reply, only {text:?}"));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let mut reply = Self { status, headers, body: body.to_owned() };
        if reply.header("transfer-encoding") == Some("chunked") {
            reply.body = joined(body);
        }
        reply
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body of a reply that must be good.
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Status and body in one text.
    pub(crate) fn shown(&self) -> String {
        format!("{} {}", self.status, self.body)
    }

    /// The last message of a stream of events, or the body itself.
    pub(crate) fn message(&self) -> Value {
        let mut events = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let last = events.rfind(|event| !event.is_empty()).unwrap_or(&self.body);
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// A chunked body without its chunks.
fn joined(mut text: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("the size of a chunk");
        body.push_str(&rest[..size]);
        text = &rest[size + 2..];
        if size == 0 {
            break;
        }
    }
    body
}
