//! The two variables of lcm that choose who writes summaries, `LCM_SUMMARY_PROVIDER` and `LCM_SUMMARY_MODEL`. They set
//! keys together: whose model is meant depends on who was chosen.

use super::{Environment, parse_assignment};
use crate::config::diagnostics::{ConfigError, ConfigWarning};
use crate::config::keys::{self, ConfigKey};
use crate::config::layers::{KeyAssignment, SettingOrigin};
use crate::config::toml_file::printable_line;
use std::ffi::OsStr;

const PROVIDER_VARIABLE: &str = "LCM_SUMMARY_PROVIDER";
const MODEL_VARIABLE: &str = "LCM_SUMMARY_MODEL";

pub(super) const SUMMARY_VARIABLES: [&str; 2] = [PROVIDER_VARIABLE, MODEL_VARIABLE];

/// Their names for providers, ours in the chain, and the key of the model.
const PROVIDER_CHOICES: [(&str, &str, Option<&str>); 5] = [
    ("claude-process", "claude-cli", Some("providers.claude_cli_model")),
    ("codex-process", "codex-cli", Some("providers.codex_cli_model")),
    ("anthropic", "anthropic", Some("providers.anthropic_model")),
    ("openai", "openai", Some("providers.openai_model")),
    ("disabled", "", None),
];

/// What the two variables set.
pub(super) fn summary_assignments(
    environment: &Environment,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Vec<KeyAssignment>, ConfigError> {
    let provider = environment.nonempty_variable(PROVIDER_VARIABLE).and_then(OsStr::to_str);
    let model = environment.nonempty_variable(MODEL_VARIABLE);
    let mut assignments = Vec::new();
    let chosen = match provider {
        // The provider that is configured, as without the variable.
        None | Some("auto") => None,
        Some(name) => {
            let Some(choice) = PROVIDER_CHOICES.iter().find(|(theirs, ..)| *theirs == name) else {
                return Err(unknown_provider(name));
            };
            assignments.push(parse_assignment(find_key("providers.chain"), PROVIDER_VARIABLE, OsStr::new(choice.1))?);
            choice.2
        }
    };
    match (model, chosen) {
        (Some(model), Some(key)) => assignments.push(parse_assignment(find_key(key), MODEL_VARIABLE, model)?),
        (Some(_), None) => warnings.push(ConfigWarning::WithoutEffect {
            name: MODEL_VARIABLE,
            why: "LCM_SUMMARY_PROVIDER names no provider that has a model",
        }),
        (None, _) => {}
    }
    Ok(assignments)
}

fn find_key(name: &str) -> &'static ConfigKey {
    keys::find_key(name).expect("the table names keys that exist")
}

fn unknown_provider(name: &str) -> ConfigError {
    let known: Vec<&str> = ["auto"].into_iter().chain(PROVIDER_CHOICES.iter().map(|(theirs, ..)| *theirs)).collect();
    ConfigError::Invalid {
        key: "providers.chain".to_owned(),
        found: printable_line(&format!("{name:?}")),
        origin: SettingOrigin::Environment { name: PROVIDER_VARIABLE.to_owned() },
        expected: format!("one of {}", known.join(", ")),
    }
}
