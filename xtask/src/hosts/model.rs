//! A fake model server on loopback for the end-to-end tests: speaks the vendors' APIs, answers by a script, and records
//! every request, so that tests assert what a model would have seen. Between requests it keeps only the script of the
//! current turn: the next step follows from the results behind the prompt in the request itself, so that a request
//! which is sent again is answered alike.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Result;
use serde_json::{Value, json};

mod anthropic;
mod chat;
mod gemini;
mod http;
mod request;
mod responses;
pub(super) mod script;
mod tool_choice;

use http::{HttpBody, HttpRequest};
use request::{ChatMessage, ModelRequest};
use script::{ScriptStep, ScriptTurn};
use tool_choice::OfferedTool;

/// The answer to the agent's own request for a summary: it names none of the planted facts, so that the guard of
/// compaction has something to restore.
const SUMMARY: &str = "1. Primary request: the user works on a small project about prices. 2. Files: one source file was \
     looked at and changed. 3. Nothing else is known.";
/// The answer to everything else that agents ask beside the conversation, like a title.
const SIDE_REQUEST_REPLY: &str = "{\"title\":\"Prices\",\"isNewTopic\":false}";
/// Characters a token has, as replies claim it.
const CHARS_PER_TOKEN: usize = 4;
/// A turn that takes more steps than this has gone wrong.
const MOST_STEPS: usize = 40;

/// The purpose that a request was recognised as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestPurpose {
    /// The next step of a turn, by the name of the turn.
    Turn(String),
    /// The agent's own summary of the conversation.
    Summary,
    /// Something beside the conversation.
    Aside,
}

/// One request with its answer.
#[derive(Clone, Debug)]
pub(super) struct ModelExchange {
    pub(super) purpose: RequestPurpose,
    pub(super) request: Value,
    /// The messages and results so far, without the instructions and the tools.
    pub(super) spoken: String,
    /// What tools gave back so far, oldest first.
    pub(super) results: Vec<String>,
    /// The model's text or call.
    pub(super) reply: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelProtocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// A reply of the model: a text, or the call of a tool.
enum ModelReply {
    Text(String),
    Call { tool: OfferedTool, arguments: Value },
}

/// Other fields of a reply.
struct ReplyFrame<'f> {
    /// Of the exchange: ids are made of it.
    number: usize,
    model: &'f str,
    tokens: u64,
}

struct ModelState {
    /// Some agents want whole paths.
    project: PathBuf,
    turns: Vec<ScriptTurn>,
    /// The tokens that the next reply claims for its request.
    claimed: Option<u64>,
    exchanges: Vec<ModelExchange>,
}

/// The server; it goes with the process.
pub(super) struct ScriptedModel {
    pub(super) address: SocketAddr,
    state: Arc<Mutex<ModelState>>,
}

impl ScriptedModel {
    /// Listens at a free port, and writes every exchange into a folder.
    pub(super) fn start(folder: &Path, project: &Path) -> Result<Self> {
        fs_err::create_dir_all(folder)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(ModelState {
            project: project.to_owned(),
            turns: Vec::new(),
            claimed: None,
            exchanges: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        let folder = folder.to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&shared);
                let folder = folder.clone();
                // A connection that the agent closes in the middle is not reported here: its turn shows what the agent
                // did not get.
                thread::spawn(move || drop(serve_connection(&stream, &state, &folder)));
            }
        });
        Ok(Self { address, state })
    }

    /// Adds a turn; from now on its prompt is known.
    pub(super) fn add_turn(&self, turn: ScriptTurn) {
        lock_state(&self.state).turns.push(turn);
    }

    /// Has the next reply of a turn claim so many tokens, which makes agents compact.
    pub(super) fn claim_tokens(&self, tokens: u64) {
        lock_state(&self.state).claimed = Some(tokens);
    }

    /// Every request so far.
    pub(super) fn exchanges(&self) -> Vec<ModelExchange> {
        lock_state(&self.state).exchanges.clone()
    }
}

fn lock_state(state: &Mutex<ModelState>) -> MutexGuard<'_, ModelState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve_connection(stream: &TcpStream, state: &Mutex<ModelState>, folder: &Path) -> Result<()> {
    let mut connection = http::HttpConnection::new(stream)?;
    while let Some(asked) = connection.read_request()? {
        let body = answer_request(&asked, state, folder)?;
        connection.send_reply(&body)?;
    }
    Ok(())
}

fn answer_request(asked: &HttpRequest, state: &Mutex<ModelState>, folder: &Path) -> Result<HttpBody> {
    let path = asked.path.split('?').next().unwrap_or_default();
    let tokens = (asked.body.len() / CHARS_PER_TOKEN) as u64;
    // Some agents count before they ask, and decide by that whether to compact.
    if path.ends_with("/count_tokens") {
        return Ok(HttpBody::from_json(&json!({ "input_tokens": tokens })));
    }
    if path.ends_with(":countTokens") {
        return Ok(HttpBody::from_json(&json!({ "totalTokens": tokens })));
    }
    if asked.method != "POST" && path.trim_end_matches('/').ends_with("/models") {
        let model = json!({ "id": "scripted", "object": "model", "type": "model", "display_name": "scripted" });
        return Ok(HttpBody::from_json(&json!({ "object": "list", "data": [model], "models": [] })));
    }
    // Telemetry and other calls of an agent find nothing here, and must not count as requests to a model.
    let Some(protocol) = protocol_of(path).filter(|_| asked.method == "POST") else {
        return Ok(HttpBody::not_found());
    };
    let request: Value = serde_json::from_slice(&asked.body).unwrap_or(Value::Null);
    let read = match protocol {
        ModelProtocol::Anthropic => anthropic::parse_request(&request),
        ModelProtocol::Responses => responses::parse_request(&request),
        ModelProtocol::Chat => chat::parse_request(&request),
        ModelProtocol::Gemini => gemini::parse_request(&request),
    };
    let mut state = lock_state(state);
    let (purpose, reply) = decide_reply(&read, &state.turns, &state.project);
    // Claimed once, and in a turn only: a request for a title would use the claim up.
    let claimed = if matches!(purpose, RequestPurpose::Turn(_)) { state.claimed.take() } else { None };
    let number = state.exchanges.len() + 1;
    let model = request["model"].as_str().unwrap_or("scripted").to_owned();
    let frame = ReplyFrame { number, model: &model, tokens: claimed.unwrap_or(tokens) };
    let is_streamed = request["stream"] == true || path.contains("stream");
    let body = match protocol {
        ModelProtocol::Anthropic => anthropic::render_reply(&reply, &frame, is_streamed),
        ModelProtocol::Responses => responses::render_reply(&reply, &frame, is_streamed),
        ModelProtocol::Chat => chat::render_reply(&reply, &frame, is_streamed),
        ModelProtocol::Gemini => gemini::render_reply(&reply, &frame, is_streamed),
    };
    write_exchange(folder, number, &purpose, path, &request, &body)?;
    let reply = match reply {
        ModelReply::Text(text) => text,
        ModelReply::Call { tool, arguments } => format!("{} {arguments}", tool.name),
    };
    let results = read.tool_results().map(str::to_owned).collect();
    state.exchanges.push(ModelExchange { purpose, request, spoken: read.conversation_text(), results, reply });
    Ok(body)
}

fn protocol_of(path: &str) -> Option<ModelProtocol> {
    [
        ("/v1/messages", ModelProtocol::Anthropic),
        ("/responses", ModelProtocol::Responses),
        ("/chat/completions", ModelProtocol::Chat),
        (":generateContent", ModelProtocol::Gemini),
        (":streamGenerateContent", ModelProtocol::Gemini),
    ]
    .into_iter()
    .find_map(|(end, protocol)| path.ends_with(end).then_some(protocol))
}

/// The purpose of a request, and its answer.
fn decide_reply(request: &ModelRequest, turns: &[ScriptTurn], project: &Path) -> (RequestPurpose, ModelReply) {
    if request.wants_summary() {
        // Each agent looks for a tag of its own, and refuses a summary without it.
        let tag = if request.names_snapshot() { "state_snapshot" } else { "summary" };
        return (RequestPurpose::Summary, ModelReply::Text(format!("<{tag}>{SUMMARY}</{tag}>")));
    }
    let known = |said: &&(usize, &ChatMessage)| turns.iter().rev().find(|turn| said.1.asks_prompt(&turn.prompt));
    let asked = request.spoken.iter().enumerate().rev();
    let found =
        asked.filter(|(_, said)| matches!(said, ChatMessage::User(_))).find_map(|said| Some((said.0, known(&&said)?)));
    // Requests without tools are for titles and the like, even if they quote a prompt.
    let (Some((at, turn)), false) = (found, request.tools.is_empty()) else {
        return (RequestPurpose::Aside, ModelReply::Text(SIDE_REQUEST_REPLY.to_owned()));
    };
    let behind = &request.spoken[at + 1..];
    // Steps are counted by their results, so a request that is sent again is answered alike.
    let done = behind.iter().filter(|said| matches!(said, ChatMessage::Result { is_loading: false, .. })).count();
    let loads = behind.iter().filter(|said| matches!(said, ChatMessage::Result { is_loading: true, .. })).count();
    let purpose = RequestPurpose::Turn(turn.name.to_owned());
    let reply = match turn.steps.get(done) {
        _ if behind.len() > MOST_STEPS => ModelReply::Text("This turn takes too many steps.".to_owned()),
        None => ModelReply::Text("There is nothing left to do.".to_owned()),
        Some(ScriptStep::Say(text)) => ModelReply::Text((*text).to_owned()),
        Some(step) => match tool_choice::choose_tool(step, request, project, loads) {
            Some((tool, arguments)) => ModelReply::Call { tool, arguments },
            None => ModelReply::Text(format!("No tool is offered for {step:?}.")),
        },
    };
    (purpose, reply)
}

/// For the engineer who looks into a run that failed.
fn write_exchange(
    folder: &Path,
    number: usize,
    purpose: &RequestPurpose,
    path: &str,
    request: &Value,
    body: &HttpBody,
) -> Result<()> {
    let reply = String::from_utf8_lossy(&body.bytes);
    let exchange = json!({ "purpose": format!("{purpose:?}"), "path": path, "request": request, "reply": reply });
    let file: PathBuf = folder.join(format!("{number:04}.json"));
    Ok(fs_err::write(file, serde_json::to_string_pretty(&exchange)?)?)
}
