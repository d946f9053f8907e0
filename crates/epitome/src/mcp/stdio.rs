//! MCP over the stdio transport: one JSON message for each line, and a server that survives any input. The SDK's own
//! transport silently drops lines that are no JSON or too long, and its handshake ends the process at a stray
//! notification. Here every bad line is answered and the next one is read.

use super::flow_limits::FlowLimits;
use crate::errors::{AppError, ErrorClass};
use crate::ops::has_too_many_values;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler, serve_server};
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The longest line that is read, its newline included.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Serves one client until its output ends.
pub(super) async fn serve_lines<H, R, W>(server: H, input: R, output: W) -> Result<(), AppError>
where
    H: ServerHandler + Clone,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines = LineTransport::new(input, output);
    loop {
        match serve_server(server.clone(), lines.clone()).await {
            // A task that cannot be joined has panicked; the client still gets a server.
            Ok(running) => _ = running.waiting().await,
            // Only a request begins a conversation: anything before the first one is passed over.
            Err(ServerInitializeError::ExpectedInitializeRequest(_) | ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => return Err(transport_error(&error)),
        }
        if lines.input.lock().await.ended {
            return Ok(());
        }
    }
}

fn transport_error(error: &ServerInitializeError) -> AppError {
    AppError::new(ErrorClass::Unavailable, "transport", format!("cannot serve on standard input and output: {error}"))
}

/// Both ends of the line, to be shared by the conversations that follow each other on it.
struct LineTransport<R, W> {
    input: Arc<Mutex<LineReader<R>>>,
    output: Arc<Mutex<W>>,
    limits: FlowLimits,
}

impl<R: AsyncRead + Unpin, W> LineTransport<R, W> {
    fn new(input: R, output: W) -> Self {
        let input = Arc::new(Mutex::new(LineReader::new(input)));
        Self { input, output: Arc::new(Mutex::new(output)), limits: FlowLimits::new() }
    }
}

impl<R, W> Clone for LineTransport<R, W> {
    fn clone(&self) -> Self {
        Self { input: Arc::clone(&self.input), output: Arc::clone(&self.output), limits: self.limits.clone() }
    }
}

/// The reading end. A read may be abandoned at any await, so what was read so far is kept here.
struct LineReader<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// The line is too long; the rest of it is passed over.
    overlong: bool,
    /// A handshake that begins the next conversation.
    next: Option<ClientJsonRpcMessage>,
    /// A message that waits for room, with the bytes of its line.
    waiting: Option<(ClientJsonRpcMessage, usize)>,
    /// The answer to a bad line, which is written to its end even where the caller abandons the read.
    answering: Option<JoinHandle<io::Result<()>>>,
    begun: bool,
    ended: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    fn new(from: R) -> Self {
        let from = BufReader::new(from);
        let line = Vec::new();
        Self { from, line, overlong: false, next: None, waiting: None, answering: None, begun: false, ended: false }
    }

    /// The next line; `None` at the end. A last line that lacks its newline is one too: it may be a whole message.
    async fn next_line(&mut self) -> io::Result<Option<InputLine>> {
        loop {
            let available = self.from.fill_buf().await?;
            let at_end = available.is_empty();
            // A last line without a newline may be a whole message, so it is read before the end is reported.
            if at_end && self.line.is_empty() && !self.overlong {
                self.ended = true;
                return Ok(None);
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.overlong |= self.line.len() + taken > MOST_BYTES;
            if self.overlong {
                // A line that is too long is read to its end and dropped, so that the next one begins at the right
                // place.
                self.line.clear();
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.from.consume(taken);
            if at_end || newline.is_some() {
                let overlong = std::mem::take(&mut self.overlong);
                let line = std::mem::take(&mut self.line);
                return Ok(Some(if overlong { InputLine::Overlong } else { InputLine::Whole(line) }));
            }
        }
    }
}

enum InputLine {
    Whole(Vec<u8>),
    Overlong,
}

impl InputLine {
    fn byte_count(&self) -> usize {
        match self {
            Self::Whole(line) => line.len(),
            Self::Overlong => 0,
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        let room = self.limits.hold_answer();
        async move {
            // Until it is written, or the client is gone.
            let _room = room;
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let input = Arc::clone(&self.input);
        let mut input = input.lock().await;
        loop {
            // A reply to a bad line is being written; the next line waits for it, so that two messages never mix.
            if let Some(answering) = &mut input.answering {
                let answered = answering.await.unwrap_or_else(|error| Err(io::Error::other(error)));
                input.answering = None;
                if let Err(error) = answered {
                    tracing::error!(%error, "cannot write to standard output");
                    return None;
                }
            }
            if let Some(message) = input.next.take() {
                return Some(message);
            }
            // It is kept here while it waits, so that a read that is abandoned loses nothing.
            if let Some((message, bytes)) = &mut input.waiting {
                self.limits.admit_message(message, *bytes).await;
                return input.waiting.take().map(|(message, _)| message);
            }
            let line = match input.next_line().await {
                Ok(line) => line?,
                Err(error) => {
                    tracing::error!(%error, "cannot read standard input");
                    input.ended = true;
                    return None;
                }
            };
            let bytes = line.byte_count();
            match decode_line(line) {
                DecodedLine::Message(message) => {
                    let begins = is_initialize(&message);
                    if begins && std::mem::replace(&mut input.begun, true) {
                        // A new handshake is a new conversation, so the one before ends here.
                        input.next = Some(*message);
                        return None;
                    }
                    input.begun = true;
                    input.waiting = Some((*message, bytes));
                }
                DecodedLine::Nothing => {}
                DecodedLine::Bad(answer) => input.answering = Some(tokio::spawn(self.send(*answer))),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

/// The content of a line.
enum DecodedLine {
    Message(Box<ClientJsonRpcMessage>),
    /// An empty line, or a notification that the protocol does not define.
    Nothing,
    Bad(Box<ServerJsonRpcMessage>),
}

fn decode_line(line: InputLine) -> DecodedLine {
    let InputLine::Whole(line) = line else {
        let limit = MOST_BYTES >> 20;
        return error_reply(None, ErrorData::parse_error(format!("line is longer than {limit} MiB"), None));
    };
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.is_empty() {
        return DecodedLine::Nothing;
    }
    if has_too_many_values(line) {
        return error_reply(None, ErrorData::invalid_request("line holds too many values", None));
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return DecodedLine::Message(Box::new(message)),
        Err(error) => error,
    };
    match serde_json::from_slice::<Value>(line) {
        Err(_) => error_reply(None, ErrorData::parse_error(format!("line is no JSON: {error}"), None)),
        // The protocol forbids any reply to a notification.
        Ok(value) if value.get("method").is_some() && value.get("id").is_none() => DecodedLine::Nothing,
        Ok(value) => {
            // The id is taken out even of a broken request, so that the client can match the error.
            let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
            error_reply(id, ErrorData::invalid_request("line is no JSON-RPC 2.0 message", None))
        }
    }
}

fn error_reply(id: Option<RequestId>, error: ErrorData) -> DecodedLine {
    DecodedLine::Bad(Box::new(ServerJsonRpcMessage::error(error, id)))
}

fn is_initialize(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(it) if matches!(it.request, ClientRequest::InitializeRequest(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn the_answer_to_a_bad_line_is_written_whoever_abandons_the_read() {
        let (output, mut heard) = tokio::io::duplex(8);
        let input: &[u8] = b"no JSON\n";
        let mut lines = LineTransport::new(input, output);
        // The client does not read the answer from the pipe yet, so the read does not come back.
        let read = tokio::time::timeout(Duration::from_millis(50), lines.receive()).await;
        assert!(read.is_err(), "the pipe holds eight bytes");
        let reading = tokio::spawn(async move {
            assert!(lines.receive().await.is_none(), "there is no other line");
        });
        let mut answer = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut heard, &mut answer).await.expect("it reads");
        reading.await.expect("it ends");
        let answer: Value = serde_json::from_slice(&answer).expect("one answer, whole");
        assert_eq!(answer["error"]["code"], -32_700);
    }
}
