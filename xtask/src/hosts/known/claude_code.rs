//! Claude Code. One process takes many turns, as an interactive session does.

use std::net::SocketAddr;

use anyhow::Result;

use super::{Compaction, Going, Hooks, Host, Stage, Talk};
use crate::hosts::talk::Stream;

pub(super) const HOST: Host = Host {
    name: "claude-code",
    title: "Claude Code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: "@anthropic-ai/claude-code-{platform}/claude",
    is_in_ci: true,
    command: "claude",
    prepare,
    open,
    compaction: Compaction::Command("/compact"),
    has_plans: true,
    hooks: Hooks {
        events: &["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact", "Stop", "SessionEnd"],
        reads_start: true,
        reads_prompts: true,
        replaces_outputs: true,
        hands_on_outputs: true,
        restores: true,
    },
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

fn open<'s>(stage: &'s Stage, model: SocketAddr, going: Going) -> Result<Box<dyn Talk + 's>> {
    let mut arguments = vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    arguments.extend(["--allowedTools", TOOLS]);
    if let Going::On(id) = &going {
        arguments.extend(["--resume", id]);
    }
    let mut command = stage.agent("claude", &arguments);
    command.env("ANTHROPIC_BASE_URL", format!("http://{model}")).env("ANTHROPIC_API_KEY", "none");
    for switch in ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER"] {
        command.env(switch, "1");
    }
    Ok(Box::new(Stream::open(stage, command)?))
}
