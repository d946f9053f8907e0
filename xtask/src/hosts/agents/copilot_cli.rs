//! Copilot CLI in the end-to-end tests: its settings and command line for the scripted model. One process a turn.
//! Copilot needs no account if its settings name a model of the user's own.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::Value;

use super::{CompactionTrigger, HostAbility, HostAgent, HostSandbox, SessionManner, SessionTarget};

pub(super) const HOST: HostAgent = HostAgent {
    name: "copilot-cli",
    title: "Copilot CLI",
    program: "@github/copilot-{platform}/copilot",
    is_in_ci: false,
    command: "copilot",
    prepare,
    variables,
    manner: SessionManner::Turns(arguments, id),
    compaction: CompactionTrigger::Command("/compact"),
    events: &["sessionStart", "userPromptSubmitted", "postToolUse", "preCompact", "agentStop", "sessionEnd"],
    abilities: &[HostAbility::ReadsStart, HostAbility::HandsOnOutputs],
    transcript: None,
};

fn prepare(stage: &HostSandbox, _: SocketAddr) -> Result<()> {
    Ok(fs_err::create_dir_all(stage.home.join(".copilot").join("session-state"))?)
}

fn variables(model: SocketAddr) -> Vec<(&'static str, String)> {
    vec![
        ("COPILOT_PROVIDER_BASE_URL", format!("http://{model}/v1")),
        ("COPILOT_PROVIDER_API_KEY", "none".to_owned()),
        ("COPILOT_MODEL", "scripted".to_owned()),
        ("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "100000".to_owned()),
        ("COPILOT_OFFLINE", "true".to_owned()),
        ("COPILOT_AUTO_UPDATE", "false".to_owned()),
    ]
}

fn arguments(going: &SessionTarget, prompt: &str) -> Vec<String> {
    let mut words = vec!["--output-format".to_owned(), "json".to_owned(), "--allow-all".to_owned()];
    if let SessionTarget::On(id) = going {
        words.push(format!("--resume={id}"));
    }
    words.extend(["-p".to_owned(), prompt.to_owned()]);
    words
}

fn id(printed: &str) -> Option<String> {
    printed.lines().rev().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        Some(event["sessionId"].as_str()?.to_owned())
    })
}
