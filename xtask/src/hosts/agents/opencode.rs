//! OpenCode in the end-to-end tests: its settings and command line for the scripted model. One process a turn; our
//! plugin there only listens.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::{Value, json};

use super::{CompactionTrigger, HostAbility, HostAgent, HostSandbox, SessionManner, SessionTarget};

pub(super) const HOST: HostAgent = HostAgent {
    name: "opencode",
    title: "OpenCode",
    program: "opencode-{platform}/bin/opencode",
    is_in_ci: false,
    command: "opencode",
    prepare,
    variables,
    manner: SessionManner::Turns(command_arguments, find_session_id),
    compaction: CompactionTrigger::Claim(99_000),
    events: &["UserPromptSubmit", "PostToolUse", "Stop"],
    abilities: &[HostAbility::HandsOnOutputs, HostAbility::Plans],
    transcript: None,
};

fn prepare(stage: &HostSandbox, model: SocketAddr) -> Result<()> {
    // OpenCode compacts when a reply claims more tokens than this limit, which the scripted day does on purpose.
    let limit = json!({ "context": 100_000, "output": 8_000 });
    let settings = json!({
        "$schema": "https://opencode.ai/config.json",
        "model": "scripted/scripted",
        // An update or an upload would reach the network, and change the version under test.
        "autoupdate": false,
        "share": "disabled",
        "permission": { "*": "allow" },
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": { "baseURL": format!("http://{model}/v1"), "apiKey": "none" },
            "models": { "scripted": { "name": "scripted", "limit": limit } },
        } },
    });
    let folder = stage.home.join(".config").join("opencode");
    fs_err::create_dir_all(&folder)?;
    Ok(fs_err::write(folder.join("opencode.json"), format!("{settings:#}\n"))?)
}

fn variables(_: SocketAddr) -> Vec<(&'static str, String)> {
    vec![("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned())]
}

fn command_arguments(going: &SessionTarget, prompt: &str) -> Vec<String> {
    let mut words = vec!["run", "--format", "json"];
    if let SessionTarget::On(id) = going {
        words.extend(["--session", id]);
    }
    words.push(prompt);
    words.into_iter().map(str::to_owned).collect()
}

fn find_session_id(printed: &str) -> Option<String> {
    printed.lines().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        Some(event["sessionID"].as_str()?.to_owned())
    })
}
