//! Claude Code. One process takes many turns, as an interactive session does.

use std::net::SocketAddr;

use anyhow::Result;

use super::{Ability, Compaction, Going, Host, Manner, Stage};

pub(super) const HOST: Host = Host {
    name: "claude-code",
    title: "Claude Code",
    program: "@anthropic-ai/claude-code-{platform}/claude",
    is_in_ci: true,
    command: "claude",
    prepare,
    variables,
    manner: Manner::Stream(arguments),
    compaction: Compaction::Command("/compact"),
    events: &["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact", "Stop", "SessionEnd"],
    abilities: &[
        Ability::ReadsStart,
        Ability::ReadsPrompts,
        Ability::ReplacesOutputs,
        Ability::HandsOnOutputs,
        Ability::Restores,
        Ability::Plans,
    ],
    transcript: Some(".jsonl"),
};

/// What a user has there, in a form that no program would write.
const SETTINGS: &str =
    "{\n   \"includeCoAuthoredBy\": false,\n\n   \"permissions\": { \"allow\": [\"Bash(ls:*)\"] }\n}";

const TOOLS: &str = "Bash Edit Read TodoWrite TaskCreate mcp__epitome";

fn prepare(stage: &Stage, _: SocketAddr) -> Result<()> {
    fs_err::create_dir_all(stage.home.join(".claude"))?;
    Ok(fs_err::write(stage.home.join(".claude").join("settings.json"), SETTINGS)?)
}

fn variables(model: SocketAddr) -> Vec<(&'static str, String)> {
    let switches = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER"];
    let mut variables =
        vec![("ANTHROPIC_BASE_URL", format!("http://{model}")), ("ANTHROPIC_API_KEY", "none".to_owned())];
    variables.extend(switches.map(|switch| (switch, "1".to_owned())));
    variables
}

fn arguments(going: &Going) -> Vec<String> {
    let mut words = vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    words.extend(["--allowedTools", TOOLS]);
    if let Going::On(id) = going {
        words.extend(["--resume", id]);
    }
    words.into_iter().map(str::to_owned).collect()
}
