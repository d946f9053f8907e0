//! Codex in the end-to-end tests: its settings and command line for the scripted model. One process a turn; Codex
//! compacts when the model claims to have read much.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::Value;

use super::{CompactionTrigger, HostAbility, HostAgent, HostSandbox, SessionManner, SessionTarget};

pub(super) const HOST: HostAgent = HostAgent {
    name: "codex",
    title: "Codex",
    program: "@openai/codex/bin/codex.js",
    is_in_ci: true,
    command: "codex",
    prepare,
    variables,
    manner: SessionManner::Turns(command_arguments, find_session_id),
    compaction: CompactionTrigger::Claim(90_000),
    events: &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact", "Stop"],
    abilities: &[HostAbility::ReadsStart, HostAbility::ReadsPrompts, HostAbility::Restores, HostAbility::Plans],
    transcript: Some(".jsonl"),
};

fn prepare(stage: &HostSandbox, model: SocketAddr) -> Result<()> {
    let settings = format!(
        "# my own\nmodel = \"gpt-5-codex\"\nmodel_provider   = \"scripted\"\nsandbox_mode = \"danger-full-access\"\n\
         approval_policy = \"never\"\nmodel_context_window = 200000\nmodel_auto_compact_token_limit = 60000\n\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"http://{model}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\" # no key at all\n\n[tools]\nupdate_plan = {{ enabled = true }}\n"
    );
    fs_err::create_dir_all(stage.home.join(".codex"))?;
    Ok(fs_err::write(stage.home.join(".codex").join("config.toml"), settings)?)
}

fn variables(_: SocketAddr) -> Vec<(&'static str, String)> {
    vec![("SCRIPTED_KEY", "none".to_owned())]
}

fn command_arguments(going: &SessionTarget, prompt: &str) -> Vec<String> {
    let mut words = vec!["exec"];
    if let SessionTarget::On(id) = going {
        words.extend(["resume", id]);
    }
    words.extend(["--json", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", prompt]);
    words.into_iter().map(str::to_owned).collect()
}

fn find_session_id(printed: &str) -> Option<String> {
    printed.lines().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        Some(event["thread_id"].as_str()?.to_owned())
    })
}
