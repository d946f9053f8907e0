//! A scripted model on loopback that speaks what agents speak, and remembers every request: what is asserted is what a
//! model would have seen.
//!
//! It keeps no state between requests but the script of the turn that is played: which step is next follows from the
//! results that stand behind the prompt in the request itself, so that a request which is sent again is answered alike.

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
mod offered;
mod request;
mod responses;
pub(super) mod script;

use http::{Asked, Body};
use offered::Offered;
use request::{Request, Spoken};
use script::{Step, Turn};

/// What the agent's own request for a summary is answered with: it names none of the facts that were planted, so that
/// the guard of compaction has something to restore.
const SUMMARY: &str = "1. Primary request: the user works on a small project about prices. 2. Files: one source file was \
     looked at and changed. 3. Nothing else is known.";
/// What everything else is answered with that agents ask beside the conversation, like a title.
const ASIDE: &str = "{\"title\":\"Prices\",\"isNewTopic\":false}";
/// Characters a token has, as replies claim it.
const CHARACTERS: usize = 4;
/// A turn that takes more steps than this has gone wrong.
const MOST_STEPS: usize = 40;

/// What a request was taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The next step of a turn, by the name of the turn.
    Turn(String),
    /// The agent's own summary of the conversation.
    Summary,
    /// Something beside the conversation.
    Aside,
}

/// One request with its answer.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) purpose: Purpose,
    pub(super) request: Value,
    /// What was said and given back so far, without the instructions and the tools.
    pub(super) spoken: String,
    /// What the model said or called.
    pub(super) reply: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// What a reply is made of.
enum Reply {
    Text(String),
    Call { tool: Offered, arguments: Value },
}

/// What a reply says of itself besides.
struct Frame<'f> {
    /// Of the exchange: ids are made of it.
    number: usize,
    model: &'f str,
    tokens: u64,
}

struct State {
    /// Some agents want whole paths.
    project: PathBuf,
    turns: Vec<Turn>,
    /// What the next reply claims that the request has cost.
    claimed: Option<u64>,
    exchanges: Vec<Exchange>,
}

/// The server; it goes with the process.
pub(super) struct Model {
    pub(super) address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Model {
    /// Listens at a free port, and writes every exchange into a folder.
    pub(super) fn start(folder: &Path, project: &Path) -> Result<Self> {
        fs_err::create_dir_all(folder)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State {
            project: project.to_owned(),
            turns: Vec::new(),
            claimed: None,
            exchanges: Vec::new(),
        }));
        let (shared, folder) = (Arc::clone(&state), folder.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (state, folder) = (Arc::clone(&shared), folder.clone());
                // An agent that hangs up in the middle is its own affair: what it did not get is seen in its turn.
                thread::spawn(move || drop(serve(&stream, &state, &folder)));
            }
        });
        Ok(Self { address, state })
    }

    /// Adds a turn; from now on its prompt is known.
    pub(super) fn learn(&self, turn: Turn) {
        lock(&self.state).turns.push(turn);
    }

    /// Has the next reply of a turn claim so many tokens, which makes agents compact.
    pub(super) fn claim(&self, tokens: u64) {
        lock(&self.state).claimed = Some(tokens);
    }

    /// Every request so far.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        lock(&self.state).exchanges.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: &TcpStream, state: &Mutex<State>, folder: &Path) -> Result<()> {
    let mut connection = http::Connection::new(stream)?;
    while let Some(asked) = connection.read()? {
        let body = answer(&asked, state, folder)?;
        connection.write(&body)?;
    }
    Ok(())
}

fn answer(asked: &Asked, state: &Mutex<State>, folder: &Path) -> Result<Body> {
    let path = asked.path.split('?').next().unwrap_or_default();
    let tokens = (asked.body.len() / CHARACTERS) as u64;
    if path.ends_with("/count_tokens") {
        return Ok(Body::json(&json!({ "input_tokens": tokens })));
    }
    if path.ends_with(":countTokens") {
        return Ok(Body::json(&json!({ "totalTokens": tokens })));
    }
    if asked.method != "POST" && path.trim_end_matches('/').ends_with("/models") {
        let model = json!({ "id": "scripted", "object": "model", "type": "model", "display_name": "scripted" });
        return Ok(Body::json(&json!({ "object": "list", "data": [model], "models": [] })));
    }
    let Some(protocol) = protocol_of(path).filter(|_| asked.method == "POST") else {
        return Ok(Body::missing());
    };
    let request: Value = serde_json::from_slice(&asked.body).unwrap_or(Value::Null);
    let read = match protocol {
        Protocol::Anthropic => anthropic::read(&request),
        Protocol::Responses => responses::read(&request),
        Protocol::Chat => chat::read(&request),
        Protocol::Gemini => gemini::read(&request),
    };
    let mut state = lock(state);
    let (purpose, reply) = decide(&read, &state.turns, &state.project);
    let claimed = if matches!(purpose, Purpose::Turn(_)) { state.claimed.take() } else { None };
    let number = state.exchanges.len() + 1;
    let model = request["model"].as_str().unwrap_or("scripted").to_owned();
    let frame = Frame { number, model: &model, tokens: claimed.unwrap_or(tokens) };
    let is_streamed = request["stream"] == true || path.contains("stream");
    let body = match protocol {
        Protocol::Anthropic => anthropic::write(&reply, &frame, is_streamed),
        Protocol::Responses => responses::write(&reply, &frame, is_streamed),
        Protocol::Chat => chat::write(&reply, &frame, is_streamed),
        Protocol::Gemini => gemini::write(&reply, &frame, is_streamed),
    };
    keep(folder, number, &purpose, path, &request, &body)?;
    let reply = match reply {
        Reply::Text(text) => text,
        Reply::Call { tool, arguments } => format!("{} {arguments}", tool.name),
    };
    state.exchanges.push(Exchange { purpose, request, spoken: read.words(), reply });
    Ok(body)
}

fn protocol_of(path: &str) -> Option<Protocol> {
    [
        ("/v1/messages", Protocol::Anthropic),
        ("/responses", Protocol::Responses),
        ("/chat/completions", Protocol::Chat),
        (":generateContent", Protocol::Gemini),
        (":streamGenerateContent", Protocol::Gemini),
    ]
    .into_iter()
    .find_map(|(end, protocol)| path.ends_with(end).then_some(protocol))
}

/// What the request is, and what it is answered with.
fn decide(request: &Request, turns: &[Turn], project: &Path) -> (Purpose, Reply) {
    if request.wants_summary() {
        // Each agent looks for a tag of its own, and refuses a summary without it.
        let tag = if request.names_snapshot() { "state_snapshot" } else { "summary" };
        return (Purpose::Summary, Reply::Text(format!("<{tag}>{SUMMARY}</{tag}>")));
    }
    let known = |said: &&(usize, &Spoken)| turns.iter().rev().find(|turn| said.1.asks(&turn.prompt));
    let asked = request.spoken.iter().enumerate().rev();
    let found =
        asked.filter(|(_, said)| matches!(said, Spoken::User(_))).find_map(|said| Some((said.0, known(&&said)?)));
    let (Some((at, turn)), false) = (found, request.tools.is_empty()) else {
        return (Purpose::Aside, Reply::Text(ASIDE.to_owned()));
    };
    let behind = &request.spoken[at + 1..];
    let done = behind.iter().filter(|said| matches!(said, Spoken::Result { is_loading: false, .. })).count();
    let loads = behind.iter().filter(|said| matches!(said, Spoken::Result { is_loading: true, .. })).count();
    let purpose = Purpose::Turn(turn.name.to_owned());
    let reply = match turn.steps.get(done) {
        _ if behind.len() > MOST_STEPS => Reply::Text("This turn takes too many steps.".to_owned()),
        None => Reply::Text("There is nothing left to do.".to_owned()),
        Some(Step::Say(text)) => Reply::Text((*text).to_owned()),
        Some(step) => match offered::choose(step, request, project, loads) {
            Some((tool, arguments)) => Reply::Call { tool, arguments },
            None => Reply::Text(format!("No tool is offered for {step:?}.")),
        },
    };
    (purpose, reply)
}

/// For whoever looks into a run that failed.
fn keep(folder: &Path, number: usize, purpose: &Purpose, path: &str, request: &Value, body: &Body) -> Result<()> {
    let reply = String::from_utf8_lossy(&body.bytes);
    let exchange = json!({ "purpose": format!("{purpose:?}"), "path": path, "request": request, "reply": reply });
    let file: PathBuf = folder.join(format!("{number:04}.json"));
    Ok(fs_err::write(file, serde_json::to_string_pretty(&exchange)?)?)
}
