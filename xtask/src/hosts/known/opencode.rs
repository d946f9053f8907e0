//! OpenCode. One process a turn; our plugin there only listens.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::{Value, json};

use super::{Ability, Compaction, Going, Host, Manner, Stage};

pub(super) const HOST: Host = Host {
    name: "opencode",
    title: "OpenCode",
    program: "opencode-{platform}/bin/opencode",
    is_in_ci: false,
    command: "opencode",
    prepare,
    variables,
    manner: Manner::Turns(arguments, id),
    compaction: Compaction::Claim(99_000),
    events: &["UserPromptSubmit", "PostToolUse", "Stop"],
    abilities: &[Ability::HandsOnOutputs, Ability::Plans],
    transcript: None,
};

fn prepare(stage: &Stage, model: SocketAddr) -> Result<()> {
    let limit = json!({ "context": 100_000, "output": 8_000 });
    let settings = json!({
        "$schema": "https://opencode.ai/config.json",
        "model": "scripted/scripted",
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

fn arguments(going: &Going, prompt: &str) -> Vec<String> {
    let mut words = vec!["run", "--format", "json"];
    if let Going::On(id) = going {
        words.extend(["--session", id]);
    }
    words.push(prompt);
    words.into_iter().map(str::to_owned).collect()
}

fn id(printed: &str) -> Option<String> {
    printed.lines().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        Some(event["sessionID"].as_str()?.to_owned())
    })
}
