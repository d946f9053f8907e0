//! The route `GET /openapi.json`: generates the description of the HTTP API for programs from the JSON schemas of the
//! operations.

use super::routes::PREFIX;
use crate::ops;
use serde_json::{Map, Value, json};

/// The description. The same binary always gives the same bytes.
pub(crate) fn openapi_document() -> Value {
    let mut paths = Map::new();
    for operation in ops::ALL_OPERATIONS {
        let params = operation.params_schema();
        // Some operations take no parameters, and then a request without a body is enough.
        let is_required = params["required"].as_array().is_some_and(|required| !required.is_empty());
        let item = json!({
            "post": {
                "operationId": operation.name(),
                "summary": operation.summary(),
                "requestBody": { "required": is_required, "content": json_content(&params) },
                "responses": {
                    "200": { "description": "The reply", "content": json_content(&operation.reply_schema()) },
                    "default": { "$ref": "#/components/responses/problem" },
                },
            }
        });
        paths.insert(format!("{PREFIX}{}", operation.name()), item);
    }
    paths.insert("/health".to_owned(), health_path());
    paths.insert("/metrics".to_owned(), metrics_path());
    for (path, id, summary) in VALUE_PATHS {
        paths.insert(path.to_owned(), value_path(path, id, summary));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Epitome",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Every operation of the command line, with the same parameters and the same replies. \
                            MCP is served at /mcp.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "`epitome serve token` prints it" },
            },
            "responses": {
                "problem": {
                    "description": "What failed, why, and what to do",
                    "content": json_content(&json!({ "$ref": "#/components/schemas/problem" })),
                },
            },
            "schemas": { "problem": error_schema() },
        },
    })
}

fn json_content(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message", "hint"],
                "properties": {
                    "code": { "type": "string", "description": "A stable word for programs" },
                    "message": { "type": "string", "description": "What failed and why" },
                    "hint": { "type": ["string", "null"], "description": "What to do, where that is known" },
                },
            },
        },
    })
}

fn health_path() -> Value {
    let state = json!({
        "type": "object",
        "required": ["status", "version"],
        "properties": {
            "status": { "type": "string", "enum": ["ok", "unavailable"] },
            "version": { "type": "string" },
        },
    });
    json!({
        "get": {
            "operationId": "health",
            "summary": "Tell whether the store answers",
            // A program that restarts servers has no token.
            "security": [],
            "responses": {
                "200": { "description": "It does", "content": json_content(&state) },
                "503": { "description": "It does not", "content": json_content(&state) },
            },
        }
    })
}

/// The routes about dispatches that are no operations.
const VALUE_PATHS: [(&str, &str, &str); 5] = [
    ("/api/value/session/{id}", "value_session", "What the calls of one session add up to, with the newest twenty"),
    (
        "/api/value/aggregate",
        "value_aggregate",
        "Totals of calls: `scope` (session or lifetime), `repo` (all, or the project of the server), `days`",
    ),
    ("/api/value/config", "value_config", "How calls are counted: formulas, prices, retention, modes"),
    ("/v1/events", "events", "Server-sent events: `tool_call_recorded` with the entry, for every call of any process"),
    ("/ws", "socket", "The same events over a WebSocket"),
];

fn value_path(path: &str, id: &str, summary: &str) -> Value {
    let named = |name: &str, place: &str| json!({ "name": name, "in": place, "required": place == "path", "schema": { "type": "string" } });
    let parameters: Vec<Value> = match id {
        "value_session" => vec![named("id", "path")],
        "value_aggregate" => ["scope", "repo", "days"].map(|name| named(name, "query")).to_vec(),
        _ => Vec::new(),
    };
    let is_json = path.starts_with("/api/");
    let content = if is_json { json_content(&json!({ "type": "object" })) } else { json!({ "text/event-stream": {} }) };
    let mut item = json!({
        "get": {
            "operationId": id,
            "summary": summary,
            "responses": {
                "200": { "description": "The reply", "content": content },
                "default": { "$ref": "#/components/responses/problem" },
            },
        }
    });
    if !parameters.is_empty() {
        item["get"]["parameters"] = parameters.into();
    }
    item
}

fn metrics_path() -> Value {
    json!({
        "get": {
            "operationId": "metrics",
            "summary": "Show counts and times of requests, for Prometheus",
            "responses": {
                "200": {
                    "description": "The metrics",
                    "content": { "text/plain": { "schema": { "type": "string" } } },
                },
                "default": { "$ref": "#/components/responses/problem" },
            },
        }
    })
}
