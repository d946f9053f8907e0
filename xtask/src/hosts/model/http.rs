//! A minimal HTTP/1.1 server for the fake model, as much as agents use on loopback: requests with a length or in
//! chunks, one after the other on a connection; answers with a length, event streams included.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// No agent sends more to a model than this.
const MOST_BYTES: usize = 256 << 20;

pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

pub(super) struct HttpBody {
    status: &'static str,
    kind: &'static str,
    pub(super) bytes: Vec<u8>,
}

impl HttpBody {
    pub(super) fn from_json(value: &Value) -> Self {
        Self { status: "200 OK", kind: "application/json", bytes: value.to_string().into_bytes() }
    }

    /// An event stream; each event under the name that its `type` gives it, where the protocol names events.
    pub(super) fn from_events(events: &[Value], is_named: bool) -> Self {
        let mut text = String::new();
        for event in events {
            if let Some(name) = event["type"].as_str().filter(|_| is_named) {
                text += &format!("event: {name}\n");
            }
            text += &format!("data: {event}\n\n");
        }
        Self { status: "200 OK", kind: "text/event-stream", bytes: text.into_bytes() }
    }

    /// The same with the word that ends a stream of OpenAI's chat protocol.
    pub(super) fn ended_stream(events: &[Value]) -> Self {
        let mut body = Self::from_events(events, false);
        body.bytes.extend_from_slice(b"data: [DONE]\n\n");
        body
    }

    pub(super) fn not_found() -> Self {
        let error = r#"{"error":{"type":"not_found_error","message":"there is nothing at this place"}}"#;
        Self { status: "404 Not Found", kind: "application/json", bytes: error.as_bytes().to_vec() }
    }
}

pub(super) struct HttpConnection<'s> {
    from: BufReader<&'s TcpStream>,
    to: &'s TcpStream,
}

impl<'s> HttpConnection<'s> {
    pub(super) fn new(stream: &'s TcpStream) -> Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { from: BufReader::new(stream), to: stream })
    }

    /// The next request; none when the other side has hung up.
    pub(super) fn read_request(&mut self) -> Result<Option<HttpRequest>> {
        let first = self.read_line()?;
        let mut words = first.split(' ');
        let (Some(method), Some(path)) = (words.next().filter(|word| !word.is_empty()), words.next()) else {
            return Ok(None);
        };
        let mut length = 0;
        let mut is_chunked = false;
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').context("a header has no colon")?;
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse()?,
                "transfer-encoding" => is_chunked = value.eq_ignore_ascii_case("chunked"),
                // An encoded body could not be compared with anything; no agent sends one to loopback.
                "content-encoding" if value != "identity" => bail!("the body is encoded as {value}"),
                // A client that asks first waits a second for this line before it sends its body.
                "expect" => self.to.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if is_chunked { self.read_chunks()? } else { self.read_bytes(length)? };
        Ok(Some(HttpRequest { method: method.to_owned(), path: path.to_owned(), body }))
    }

    pub(super) fn send_reply(&mut self, body: &HttpBody) -> Result<()> {
        let status = body.status;
        let kind = body.kind;
        let length = body.bytes.len();
        write!(self.to, "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n")?;
        self.to.write_all(&body.bytes)?;
        Ok(self.to.flush()?)
    }

    fn read_line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }

    fn read_chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let size = self.read_line()?;
            let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)?;
            if size == 0 {
                // Trailers, and the empty line behind them.
                while !self.read_line()?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.read_bytes(size)?);
            self.read_line()?;
        }
    }

    fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>> {
        if count > MOST_BYTES {
            bail!("a body of {count} bytes");
        }
        let mut bytes = vec![0; count];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
