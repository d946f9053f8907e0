//! Reads HTTP request bodies: checks the content type, enforces the size limit while they arrive, and parses JSON
//! parameters.

use super::refusal::HttpRefusal;
use crate::ops::has_too_many_values;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use futures::TryStreamExt;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_mins(1);

/// How many of the longest bodies may be under way at once, and how many bodies at all.
const MAX_LONGEST_BODIES: u64 = 2;
const MAX_BODIES: u64 = 64;

/// Bounds on the bodies that are under way, of all clients together.
pub(super) struct BodyLimits {
    most: u64,
    room: Arc<Semaphore>,
}

/// A body, and the room that it takes until its request is answered.
pub(super) struct RequestBody {
    pub(super) bytes: Vec<u8>,
    pub(super) room: Option<OwnedSemaphorePermit>,
}

/// The unit in which room is counted, so that the largest setting fits into the count.
const ROOM_UNIT: u64 = 1 << 10;

impl BodyLimits {
    pub(super) fn new(most: u64) -> Self {
        let units = usize::try_from(MAX_LONGEST_BODIES * most / ROOM_UNIT).unwrap_or(usize::MAX);
        Self { most, room: Arc::new(Semaphore::new(units.clamp(MAX_BODIES as usize, Semaphore::MAX_PERMITS))) }
    }

    /// The whole body, refused as soon as it is known to be too long or too slow. It waits while others have the room.
    pub(super) async fn read_body(&self, headers: &HeaderMap, body: Body) -> Result<RequestBody, HttpRefusal> {
        // The announced length refuses early; the count below holds for bodies that announce nothing or lie.
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| length > self.most) {
            return Err(too_long(self.most));
        }
        let least = MAX_LONGEST_BODIES * self.most / MAX_BODIES;
        let units = (announced.unwrap_or(self.most).max(least) / ROOM_UNIT).max(1);
        // The semaphore is never closed.
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(units).await.ok();
        let reading = tokio::time::timeout(BODY_TIMEOUT, collect_body(body, self.most));
        let bytes = reading.await.unwrap_or_else(|_| Err(too_slow()))?;
        if has_too_many_values(&bytes) {
            let message = "cannot take the body: it holds too many values";
            return Err(HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message));
        }
        Ok(RequestBody { bytes, room })
    }

    /// The parameters of an operation: a JSON object, or nothing at all for an empty one.
    pub(super) async fn read_params(
        &self,
        request: Request,
    ) -> Result<(Value, Option<OwnedSemaphorePermit>), HttpRefusal> {
        let (parts, body) = request.into_parts();
        // Checked before the body is read: a form of a web page needs no permission of the browser, but JSON does.
        let is_json = is_json(&parts.headers)?;
        let RequestBody { bytes, room } = self.read_body(&parts.headers, body).await?;
        parse_params(&bytes, is_json).map(|params| (params, room))
    }
}

fn parse_params(bytes: &[u8], is_json: bool) -> Result<Value, HttpRefusal> {
    if bytes.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    if !is_json {
        return Err(not_json("a body without a content type"));
    }
    match serde_json::from_slice(bytes) {
        Ok(params @ Value::Object(_)) => Ok(params),
        Ok(other) => {
            let message = format!("cannot use {} as parameters: expected a JSON object", json_kind(&other));
            Err(HttpRefusal::new(StatusCode::BAD_REQUEST, "invalid_parameters", message))
        }
        Err(error) => {
            let message = format!("cannot read the body as JSON: {error}");
            Err(HttpRefusal::new(StatusCode::BAD_REQUEST, "malformed_json", message))
        }
    }
}

async fn collect_body(body: Body, most: u64) -> Result<Vec<u8>, HttpRefusal> {
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    loop {
        let chunk = chunks.try_next().await.map_err(|error| {
            HttpRefusal::new(StatusCode::BAD_REQUEST, "broken_body", format!("cannot read the body: {error}"))
        })?;
        let Some(chunk) = chunk else { return Ok(bytes) };
        if (bytes.len() + chunk.len()) as u64 > most {
            return Err(too_long(most));
        }
        bytes.extend_from_slice(&chunk);
    }
}

/// Whether the type is JSON, or not said; any other is refused before the body is read.
fn is_json(headers: &HeaderMap) -> Result<bool, HttpRefusal> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(false) };
    let text = value.to_str().unwrap_or("unreadable");
    let media = text.split(';').next().unwrap_or_default().trim();
    if media.eq_ignore_ascii_case("application/json") { Ok(true) } else { Err(not_json(&format!("`{text}`"))) }
}

fn not_json(what: &str) -> HttpRefusal {
    let message = format!("cannot take {what}: parameters are JSON");
    HttpRefusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message)
        .with_hint("send `content-type: application/json`")
}

fn too_slow() -> HttpRefusal {
    let seconds = BODY_TIMEOUT.as_secs();
    let message = format!("cannot take the body: it did not arrive within {seconds} s");
    HttpRefusal::new(StatusCode::REQUEST_TIMEOUT, "body_too_slow", message)
}

fn too_long(most: u64) -> HttpRefusal {
    let message = format!("cannot take the body: it is longer than {most} bytes");
    HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
        .with_hint("send less at once, or raise server.max_body_bytes")
}

fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
