//! Qwen Code. One process a turn. Its list of open steps is off unless a setting turns it on.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::Value;

use super::{Ability, Compaction, Going, Host, Manner, Stage};

pub(super) const HOST: Host = Host {
    name: "qwen-code",
    title: "Qwen Code",
    program: "@qwen-code/qwen-code/cli-entry.js",
    is_in_ci: false,
    command: "qwen",
    prepare,
    variables,
    manner: Manner::Turns(arguments, id),
    compaction: Compaction::Command("/compress"),
    events: &["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact", "Stop"],
    abilities: &[
        Ability::ReadsStart,
        Ability::ReadsPrompts,
        Ability::HandsOnOutputs,
        Ability::Restores,
        Ability::Plans,
    ],
    transcript: Some(".jsonl"),
};

const SETTINGS: &str = "{\n  \"security\": { \"auth\": { \"selectedType\": \"openai\" } },\n\n  \
     \"tools\": { \"todoWrite\": { \"enabled\": true } },\n  \
     \"privacy\": { \"usageStatisticsEnabled\": false },\n  \"general\": { \"disableAutoUpdate\": true }\n}\n";

fn prepare(stage: &Stage, _: SocketAddr) -> Result<()> {
    fs_err::create_dir_all(stage.home.join(".qwen"))?;
    Ok(fs_err::write(stage.home.join(".qwen").join("settings.json"), SETTINGS)?)
}

fn variables(model: SocketAddr) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_API_KEY", "none".to_owned()),
        ("OPENAI_BASE_URL", format!("http://{model}/v1")),
        ("OPENAI_MODEL", "scripted".to_owned()),
    ]
}

fn arguments(going: &Going, prompt: &str) -> Vec<String> {
    let mut words = vec!["--yolo", "-o", "json"];
    if let Going::On(id) = going {
        words.extend(["--resume", id]);
    }
    words.extend(["-p", prompt]);
    words.into_iter().map(str::to_owned).collect()
}

fn id(printed: &str) -> Option<String> {
    let reply: Value = serde_json::from_str(printed).ok()?;
    let events = reply.as_array().cloned().unwrap_or_else(|| vec![reply]);
    events.iter().find_map(|event| Some(event["session_id"].as_str()?.to_owned()))
}
