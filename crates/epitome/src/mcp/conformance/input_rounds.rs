//! Multi-round input of conformance test tools: a result names the input that is needed, and the client calls again
//! with the answers.

use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ErrorData, InputRequest, InputRequests, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;

/// The requests of one round.
pub(super) type InputRound = InputRequests;

/// The client's part of a call.
pub(super) struct RoundRequest<'a> {
    /// The tool or prompt.
    pub(super) of: &'a str,
    pub(super) state: Option<String>,
    pub(super) answers: Option<InputResponses>,
}

pub(super) enum RoundOutcome {
    Ask(InputRequiredResult),
    Done,
}

/// The round that follows what the client sent.
pub(super) fn next_round(
    rounds: &[InputRound],
    sealed: bool,
    asked: RoundRequest<'_>,
    context: &RequestContext<RoleServer>,
) -> Result<RoundOutcome, ErrorData> {
    let at = asked.state.map_or(Ok(0), |state| open_state(&state, asked.of))?;
    let answers = asked.answers.unwrap_or_default();
    // An answer is an object; anything else is as good as none, and is asked for again.
    let is_answered =
        |round: &InputRound| round.keys().all(|key| answers.get(key).is_some_and(serde_json::Value::is_object));
    let at = if rounds.get(at).is_some_and(is_answered) { at + 1 } else { at };
    let Some(round) = rounds.get(at) else { return Ok(RoundOutcome::Done) };
    let declared = context.client_capabilities().unwrap_or_default();
    let requests = round.iter().filter(|(_, request)| is_declared(request, &declared));
    let requests: InputRequests = requests.map(|(key, request)| (key.clone(), request.clone())).collect();
    Ok(RoundOutcome::Ask(InputRequiredResult::new(Some(requests), sealed.then(|| seal_state(at, asked.of)))))
}

/// Only what the client said it can do is asked of it.
fn is_declared(request: &InputRequest, declared: &ClientCapabilities) -> bool {
    match request {
        InputRequest::CreateMessage(_) => declared.sampling.is_some(),
        InputRequest::ListRoots(_) => declared.roots.is_some(),
        InputRequest::Elicitation(_) | _ => declared.elicitation.is_some(),
    }
}

/// The state comes back through the client's hands, so it carries proof that it is ours.
fn seal_state(round: usize, of: &str) -> String {
    format!("{round}.{}", state_proof(round, of))
}

fn open_state(state: &str, of: &str) -> Result<usize, ErrorData> {
    let round = state.split_once('.').and_then(|(round, _)| round.parse().ok());
    round
        // Sealing again and comparing needs no second form of the check; the name is sealed in, so a state of one tool
        // is refused by another.
        .filter(|round| seal_state(*round, of) == state)
        .ok_or_else(|| ErrorData::invalid_params("requestState is not what this server gave", None))
}

fn state_proof(round: usize, of: &str) -> blake3::Hash {
    let key = blake3::derive_key("epitome conformance fixtures request state", b"");
    blake3::keyed_hash(&key, format!("{round} {of}").as_bytes())
}
