//! Goose in the end-to-end tests: its settings and command line for the scripted model. One process a turn; its program
//! is an npm package for each platform.

use std::net::SocketAddr;

use anyhow::Result;

use super::{CompactionTrigger, HostAgent, HostSandbox, SessionManner, SessionTarget};

pub(super) const HOST: HostAgent = HostAgent {
    name: "goose",
    title: "Goose",
    program: "@aaif/goose-binary-{platform}/bin/goose",
    is_in_ci: false,
    command: "goose",
    prepare,
    variables,
    manner: SessionManner::Turns(arguments, id),
    compaction: CompactionTrigger::Claim(99_000),
    events: &["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"],
    abilities: &[],
    transcript: None,
};

const SETTINGS: &str = "GOOSE_PROVIDER: openai\nGOOSE_MODEL: scripted\nGOOSE_MODE: auto\n\n# What its user switched on.\n\
     extensions:\n  developer:\n    enabled: true\n    type: builtin\n    name: developer\n    timeout: 300\n";

fn prepare(stage: &HostSandbox, _: SocketAddr) -> Result<()> {
    let folder = stage.home.join(".config").join("goose");
    fs_err::create_dir_all(&folder)?;
    Ok(fs_err::write(folder.join("config.yaml"), SETTINGS)?)
}

fn variables(model: SocketAddr) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_API_KEY", "none".to_owned()),
        ("OPENAI_HOST", format!("http://{model}")),
        ("GOOSE_CONTEXT_LIMIT", "100000".to_owned()),
        ("GOOSE_DISABLE_KEYRING", "1".to_owned()),
        ("GOOSE_TELEMETRY_ENABLED", "false".to_owned()),
    ]
}

fn arguments(going: &SessionTarget, prompt: &str) -> Vec<String> {
    let mut words = vec!["run", "--output-format", "json", "--text", prompt];
    if let SessionTarget::On(id) = going {
        words.extend(["--resume", "--session-id", id]);
    }
    words.into_iter().map(str::to_owned).collect()
}

/// It greets with the id before it says anything as JSON: a date and a number.
fn id(printed: &str) -> Option<String> {
    printed.lines().find_map(|line| {
        let id = line.split_once(" · ")?.0.split_whitespace().next_back()?;
        let (date, number) = id.split_once('_')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(date) && is_number(number)).then(|| id.to_owned())
    })
}
