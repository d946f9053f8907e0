//! The SDK's own client against the binary, in each of its ways to begin.

use crate::process::Place;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use tokio::process::Command;

fn transport(place: &Place) -> TokioChildProcess {
    TokioChildProcess::new(Command::from(place.command("full"))).expect("the binary starts")
}

fn arguments(value: &Value) -> serde_json::Map<String, Value> {
    value.as_object().expect("an object").clone()
}

#[tokio::test]
async fn the_official_client_is_served_however_it_begins() {
    let newest = || vec![ProtocolVersion::V_2026_07_28];
    let modes = [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover { preferred_versions: newest() },
        ClientLifecycleMode::Auto { preferred_versions: newest(), legacy_version: None },
    ];
    for mode in modes {
        let place = Place::new();
        let client = ().serve_with_lifecycle(transport(&place), mode.clone()).await.expect("a beginning");
        let tools = client.list_all_tools().await.expect("a list");
        assert!(tools.iter().any(|tool| tool.name == "read"), "{mode:?} {tools:?}");
        let call = CallToolRequestParams::new("read").with_arguments(arguments(&json!({ "targets": ["notes.md"] })));
        let result = client.call_tool(call).await.expect("a result");
        let text = result.content[0].as_text().map(|content| content.text.as_str());
        assert_eq!(text, Some("# Notes\n\nThe server listens on port 8080.\n"), "{mode:?}");
        client.cancel().await.expect("an end");
    }
}
