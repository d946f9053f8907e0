//! A vendor of models on this machine: a small HTTP server that answers as the test says and keeps what it was asked.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub(crate) struct Vendor {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Method and path.
    pub(crate) line: String,
    /// Header lines, names in lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
}

impl Vendor {
    /// Answers each request with a status and a JSON body until the test ends.
    pub(crate) fn start(answer: impl Fn(&Asked) -> (u16, Value) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.expect("a connection"), &answer, &kept);
            }
        });
        Self { url, asked }
    }

    /// What was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("held briefly").clone()
    }
}

/// One request per connection keeps this simple; the client opens another.
fn serve(mut stream: TcpStream, answer: &impl Fn(&Asked) -> (u16, Value), kept: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).expect("a line") == 0 {
            return;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let headers: Vec<String> = lines[1..].iter().map(|line| line.to_ascii_lowercase()).collect();
    let length = headers.iter().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the whole body");
    let line = lines[0].trim_end_matches(" HTTP/1.1").to_owned();
    let asked = Asked { line, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) };
    let (status, body) = answer(&asked);
    kept.lock().expect("held briefly").push(asked);
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status} x\r\ncontent-type: application/json\r\nconnection: close\r\n");
    // A client that gave up is the test's business.
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
}
