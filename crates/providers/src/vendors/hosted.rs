//! What the vendors behind HTTP have in common: a model, an endpoint, and a wire form as data.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::http::{Call, Connection, Endpoint};
use crate::{GenerateRequest, Generated, GenerationModel, Result, Speaker, Vendor};

#[derive(Debug)]
pub(super) struct Hosted {
    model: GenerationModel,
    endpoint: Endpoint,
}

/// How one vendor writes a request and an answer.
pub(super) struct Wire {
    pub(super) path: &'static str,
    /// The header of the key, and what stands before the key in it.
    pub(super) key_header: (&'static str, &'static str),
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) body: fn(&str, &GenerateRequest) -> Value,
    /// What was said, or what is wrong with the form.
    pub(super) read: fn(&Value) -> Result<Answer, &'static str>,
}

/// How most vendors take a key.
pub(super) const BEARER: (&str, &str) = ("authorization", "Bearer ");

/// A token is rarely more than eight bytes, and escapes in JSON at most six times that; the rest is envelope.
const BYTES_A_TOKEN: usize = 48;
const ENVELOPE: usize = 256 << 10;

impl Hosted {
    pub(super) fn new(vendor: Vendor, name: String, connection: Connection) -> Self {
        Self { endpoint: Endpoint::new(vendor, &name, connection), model: GenerationModel { vendor, name } }
    }

    pub(super) fn model(&self) -> &GenerationModel {
        &self.model
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(super) async fn generate(&self, wire: &Wire, request: &GenerateRequest) -> Result<Generated> {
        let call = Call {
            path: wire.path,
            key_header: wire.key_header,
            headers: wire.headers,
            body: Some((wire.body)(&self.model.name, request)),
            deadline: request.deadline,
            longest: ENVELOPE + request.max_output.0 as usize * BYTES_A_TOKEN,
        };
        let answer = self.endpoint.ask(call).await?;
        let answer = (wire.read)(&answer).map_err(|reason| self.endpoint.malformed(reason))?;
        answer.judge(self.model.vendor, request)
    }
}

/// What was said, as every vendor writes it.
pub(super) fn turns(request: &GenerateRequest) -> impl Iterator<Item = Value> {
    request.messages.iter().map(|turn| {
        let role = match turn.speaker {
            Speaker::User => "user",
            Speaker::Model => "assistant",
        };
        json!({ "role": role, "content": turn.text })
    })
}

/// The same for vendors that take what the model is told as the first message.
pub(super) fn messages(request: &GenerateRequest) -> Vec<Value> {
    let system = (!request.system.is_empty()).then(|| json!({ "role": "system", "content": request.system }));
    system.into_iter().chain(turns(request)).collect()
}
