//! Gemini CLI in the end-to-end tests: its settings and command line for the scripted model. One process a turn; its
//! hooks have no event after a compression.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::Value;

use super::{CompactionTrigger, HostAbility, HostAgent, HostSandbox, SessionManner, SessionTarget};

pub(super) const HOST: HostAgent = HostAgent {
    name: "gemini-cli",
    title: "Gemini CLI",
    program: "@google/gemini-cli/bundle/gemini.js",
    is_in_ci: false,
    command: "gemini",
    prepare,
    variables,
    manner: SessionManner::Turns(command_arguments, find_session_id),
    compaction: CompactionTrigger::Command("/compress"),
    events: &["SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"],
    abilities: &[HostAbility::ReadsStart, HostAbility::ReadsPrompts, HostAbility::HandsOnOutputs, HostAbility::Plans],
    transcript: None,
};

const SETTINGS: &str = "{\n  \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } },\n\n  \
     \"privacy\": { \"usageStatisticsEnabled\": false },\n  \"general\": { \"disableAutoUpdate\": true }\n}\n";

fn prepare(stage: &HostSandbox, _: SocketAddr) -> Result<()> {
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

fn command_arguments(going: &SessionTarget, prompt: &str) -> Vec<String> {
    let mut words = vec!["-m", "gemini-2.5-pro", "--yolo", "-o", "json"];
    if *going != SessionTarget::New {
        // It continues the newest session, which is this one or the one that was talked in just now.
        words.extend(["--resume", "latest"]);
    }
    words.extend(["-p", prompt]);
    words.into_iter().map(str::to_owned).collect()
}

fn find_session_id(printed: &str) -> Option<String> {
    let reply: Value = serde_json::from_str(printed).ok()?;
    Some(reply["session_id"].as_str()?.to_owned())
}
