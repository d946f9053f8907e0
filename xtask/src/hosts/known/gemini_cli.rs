//! Gemini CLI. One process a turn; its hooks have no event behind a compression.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::Value;

use super::{Ability, Compaction, Going, Host, Manner, Stage};

pub(super) const HOST: Host = Host {
    name: "gemini-cli",
    title: "Gemini CLI",
    program: "@google/gemini-cli/bundle/gemini.js",
    is_in_ci: false,
    command: "gemini",
    prepare,
    variables,
    manner: Manner::Turns(arguments, id),
    compaction: Compaction::Command("/compress"),
    events: &["SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"],
    abilities: &[Ability::ReadsStart, Ability::ReadsPrompts, Ability::HandsOnOutputs, Ability::Plans],
    transcript: None,
};

const SETTINGS: &str = "{\n  \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } },\n\n  \
     \"privacy\": { \"usageStatisticsEnabled\": false },\n  \"general\": { \"disableAutoUpdate\": true }\n}\n";

fn prepare(stage: &Stage, _: SocketAddr) -> Result<()> {
    fs_err::create_dir_all(stage.home.join(".gemini"))?;
    Ok(fs_err::write(stage.home.join(".gemini").join("settings.json"), SETTINGS)?)
}

fn variables(model: SocketAddr) -> Vec<(&'static str, String)> {
    vec![
        ("GEMINI_API_KEY", "none".to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", format!("http://{model}")),
        ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
    ]
}

fn arguments(going: &Going, prompt: &str) -> Vec<String> {
    let mut words = vec!["-m", "gemini-2.5-pro", "--yolo", "-o", "json"];
    if *going != Going::New {
        // It goes on with the newest; there is only this one, or the one that was talked in just now.
        words.extend(["--resume", "latest"]);
    }
    words.extend(["-p", prompt]);
    words.into_iter().map(str::to_owned).collect()
}

fn id(printed: &str) -> Option<String> {
    let reply: Value = serde_json::from_str(printed).ok()?;
    Some(reply["session_id"].as_str()?.to_owned())
}
