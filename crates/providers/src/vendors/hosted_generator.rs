//! `HostedGenerator`, the shared code of all language-model clients over HTTP: a model, an endpoint, and the vendor's
//! wire format as data (`GenerationWire`).

use serde_json::{Value, json};

use crate::answer::VendorAnswer;
use crate::http::{EndpointCall, VendorConnection, VendorEndpoint};
use crate::{GenerateRequest, GeneratedText, GenerationModel, RequestSpeaker, Result, Vendor};

#[derive(Debug)]
pub(super) struct HostedGenerator {
    model: GenerationModel,
    endpoint: VendorEndpoint,
}

/// How one vendor writes a request and an answer.
pub(super) struct GenerationWire {
    pub(super) path: &'static str,
    /// The header of the key, and what stands before the key in it.
    pub(super) key_header: (&'static str, &'static str),
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) body: fn(&str, &GenerateRequest) -> Value,
    /// The answer, or the error in its form.
    pub(super) read: fn(&Value) -> Result<VendorAnswer, &'static str>,
}

/// How most vendors take a key.
pub(super) const BEARER: (&str, &str) = ("authorization", "Bearer ");

/// A token is rarely more than eight bytes, and escapes in JSON at most six times that; the rest is envelope.
const BYTES_A_TOKEN: usize = 48;
const ENVELOPE: usize = 256 << 10;

impl HostedGenerator {
    pub(super) fn new(vendor: Vendor, name: String, connection: VendorConnection) -> Self {
        Self { endpoint: VendorEndpoint::new(vendor, &name, connection), model: GenerationModel { vendor, name } }
    }

    pub(super) fn model(&self) -> &GenerationModel {
        &self.model
    }

    pub(super) fn endpoint(&self) -> &VendorEndpoint {
        &self.endpoint
    }

    pub(super) async fn generate(&self, wire: &GenerationWire, request: &GenerateRequest) -> Result<GeneratedText> {
        let call = EndpointCall {
            path: wire.path,
            key_header: wire.key_header,
            headers: wire.headers,
            body: Some((wire.body)(&self.model.name, request)),
            deadline: request.deadline,
            // Bounded by what was asked for, so that a server without end cannot fill the memory.
            longest: ENVELOPE + request.max_output.0 as usize * BYTES_A_TOKEN,
        };
        let answer = self.endpoint.send_call(call).await?;
        let answer = (wire.read)(&answer).map_err(|reason| self.endpoint.malformed_error(reason))?;
        answer.into_generated(self.model.vendor, request)
    }
}

/// What was said, as every vendor writes it.
pub(super) fn message_values(request: &GenerateRequest) -> impl Iterator<Item = Value> {
    request.messages.iter().map(|turn| {
        let role = match turn.speaker {
            RequestSpeaker::User => "user",
            RequestSpeaker::Model => "assistant",
        };
        json!({ "role": role, "content": turn.text })
    })
}

/// The same for vendors that take the instructions as the first message.
pub(super) fn messages_with_system(request: &GenerateRequest) -> Vec<Value> {
    let system = (!request.system.is_empty()).then(|| json!({ "role": "system", "content": request.system }));
    system.into_iter().chain(message_values(request)).collect()
}
