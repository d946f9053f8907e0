//! Qwen Code in the end-to-end tests: its settings and command line for the scripted model. One process a turn. Its
//! todo list is off unless a setting turns it on.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::Value;

use super::{CompactionTrigger, HostAbility, HostAgent, HostSandbox, SessionManner, SessionTarget};

pub(super) const HOST: HostAgent = HostAgent {
    name: "qwen-code",
    title: "Qwen Code",
    program: "@qwen-code/qwen-code/cli-entry.js",
    is_in_ci: false,
    command: "qwen",
    prepare,
    variables,
    manner: SessionManner::Turns(command_arguments, find_session_id),
    compaction: CompactionTrigger::Command("/compress"),
    events: &["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact", "Stop"],
    abilities: &[
        HostAbility::ReadsStart,
        HostAbility::ReadsPrompts,
        HostAbility::HandsOnOutputs,
        HostAbility::Restores,
        HostAbility::Plans,
    ],
    transcript: Some(".jsonl"),
};

const SETTINGS: &str = "{\n  \"security\": { \"auth\": { \"selectedType\": \"openai\" } },\n\n  \
     \"tools\": { \"todoWrite\": { \"enabled\": true } },\n  \
     \"privacy\": { \"usageStatisticsEnabled\": false },\n  \"general\": { \"disableAutoUpdate\": true }\n}\n";

fn prepare(stage: &HostSandbox, _: SocketAddr) -> Result<()> {
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

fn command_arguments(going: &SessionTarget, prompt: &str) -> Vec<String> {
    let mut words = vec!["--yolo", "-o", "json"];
    if let SessionTarget::On(id) = going {
        words.extend(["--resume", id]);
    }
    words.extend(["-p", prompt]);
    words.into_iter().map(str::to_owned).collect()
}

fn find_session_id(printed: &str) -> Option<String> {
    let reply: Value = serde_json::from_str(printed).ok()?;
    let events = reply.as_array().cloned().unwrap_or_else(|| vec![reply]);
    events.iter().find_map(|event| Some(event["session_id"].as_str()?.to_owned()))
}
