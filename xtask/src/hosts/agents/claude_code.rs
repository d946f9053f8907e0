//! Claude Code in the end-to-end tests: its settings and command line for the scripted model. One process takes many
//! turns, as an interactive session does.

use std::net::SocketAddr;

use anyhow::Result;

use super::{CompactionTrigger, HostAbility, HostAgent, HostSandbox, SessionManner, SessionTarget};

pub(super) const HOST: HostAgent = HostAgent {
    name: "claude-code",
    title: "Claude Code",
    program: "@anthropic-ai/claude-code-{platform}/claude",
    is_in_ci: true,
    command: "claude",
    prepare,
    variables,
    manner: SessionManner::Stream(command_arguments),
    compaction: CompactionTrigger::Command("/compact"),
    events: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "Stop",
        "SessionEnd",
    ],
    abilities: &[
        HostAbility::ReadsStart,
        HostAbility::ReadsPrompts,
        HostAbility::ReplacesOutputs,
        HostAbility::HandsOnOutputs,
        HostAbility::Restores,
        HostAbility::ShowsContext,
        HostAbility::Plans,
    ],
    transcript: Some(".jsonl"),
};

/// Settings as a user writes them, in a form that no program would write.
const SETTINGS: &str =
    "{\n   \"includeCoAuthoredBy\": false,\n\n   \"permissions\": { \"allow\": [\"Bash(ls:*)\"] }\n}";

const TOOLS: &str = "Bash Edit Read TodoWrite TaskCreate mcp__epitome";

fn prepare(stage: &HostSandbox, _: SocketAddr) -> Result<()> {
    fs_err::create_dir_all(stage.home.join(".claude"))?;
    Ok(fs_err::write(stage.home.join(".claude").join("settings.json"), SETTINGS)?)
}

fn variables(model: SocketAddr) -> Vec<(&'static str, String)> {
    // No traffic but to the scripted model, and no update in the middle of a day.
    let switches = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER"];
    let mut variables =
        vec![("ANTHROPIC_BASE_URL", format!("http://{model}")), ("ANTHROPIC_API_KEY", "none".to_owned())];
    variables.extend(switches.map(|switch| (switch, "1".to_owned())));
    variables
}

fn command_arguments(going: &SessionTarget) -> Vec<String> {
    let mut words = vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    words.extend(["--allowedTools", TOOLS]);
    if let SessionTarget::On(id) = going {
        words.extend(["--resume", id]);
    }
    words.into_iter().map(str::to_owned).collect()
}
