//! Reads HTTP request bodies: checks the content type, enforces the size limit while they arrive, and parses JSON
//! parameters.

use super::refusal::HttpRefusal;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use futures::TryStreamExt;
use serde_json::{Map, Value};

/// The parameters of an operation: a JSON object, or nothing at all for an empty one.
pub(super) async fn read_params(request: Request, most: u64) -> Result<Value, HttpRefusal> {
    let (parts, body) = request.into_parts();
    // Checked before the body is read: a form of a web page needs no permission of the browser, but JSON does.
    let is_json = is_json(&parts.headers)?;
    let bytes = read_body(&parts.headers, body, most).await?;
    if bytes.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    if !is_json {
        return Err(not_json("a body without a content type"));
    }
    match serde_json::from_slice(&bytes) {
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

/// The whole body, refused as soon as it is known to be too long.
pub(super) async fn read_body(headers: &HeaderMap, body: Body, most: u64) -> Result<Vec<u8>, HttpRefusal> {
    // The announced length refuses early; the count below holds for bodies that announce nothing or lie.
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most) {
        return Err(too_long(most));
    }
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
