//! Reads the API keys of model providers from the places that the configuration names (environment variables, files).
//! The configuration itself never holds a key, so it can be shown, logged and copied. Only providers that are asked
//! have their keys read.

use std::collections::BTreeMap;
use std::path::Path;

use providers::{ApiKey, KeyError, Vendor};

use super::env::Environment;
use super::schema::ProvidersConfig;

/// A key for each provider that needs one, or why it could not be read. `None` if no key is set.
#[derive(Debug, Default)]
pub(crate) struct Credentials(BTreeMap<Vendor, Result<Option<ApiKey>, KeyError>>);

impl Credentials {
    /// Looks for the keys of all providers that may be asked.
    pub(super) fn read_keys(providers: &ProvidersConfig, environment: &Environment) -> Self {
        let vendors = providers.chain.iter().chain([&providers.embedder]).filter_map(|name| Vendor::from_name(name));
        Self(vendors.map(|vendor| (vendor, read_key(providers.key_place(vendor), vendor, environment))).collect())
    }

    /// The key of a provider.
    pub(crate) fn key_for(&self, vendor: Vendor) -> Result<Option<&ApiKey>, &KeyError> {
        self.0.get(&vendor).map_or(Ok(None), |key| key.as_ref().map(Option::as_ref))
    }
}

fn read_key(place: &str, vendor: Vendor, environment: &Environment) -> Result<Option<ApiKey>, KeyError> {
    if let Some(path) = place.strip_prefix("file:") {
        return ApiKey::from_file(Path::new(path)).map(Some);
    }
    let Some(variable) = place.strip_prefix("env:").or_else(|| vendor.key_variable()) else { return Ok(None) };
    // An empty variable means no key, as shells set variables to nothing to switch them off.
    let value = environment.nonempty_variable(variable).map(|value| value.to_string_lossy());
    value.map(|value| ApiKey::from_variable(variable, &value)).transpose()
}

impl ProvidersConfig {
    /// Where the key of a provider is, as it is written; empty for its usual place.
    fn key_place(&self, vendor: Vendor) -> &str {
        match vendor {
            Vendor::Anthropic => &self.anthropic_key,
            Vendor::OpenAi => &self.openai_key,
            Vendor::Compatible => &self.compatible_key,
            Vendor::Builtin | Vendor::Ollama | Vendor::ClaudeCli | Vendor::CodexCli => "",
        }
    }

    /// The model of a provider; empty where none is set.
    pub(crate) fn model_name(&self, vendor: Vendor) -> &str {
        match vendor {
            Vendor::Anthropic => &self.anthropic_model,
            Vendor::OpenAi => &self.openai_model,
            Vendor::Compatible => &self.compatible_model,
            Vendor::Ollama => &self.ollama_model,
            Vendor::ClaudeCli => &self.claude_cli_model,
            Vendor::CodexCli => &self.codex_cli_model,
            Vendor::Builtin => "",
        }
    }

    /// The address of a provider; empty for its usual one.
    pub(crate) fn base_url(&self, vendor: Vendor) -> &str {
        match vendor {
            Vendor::Anthropic => &self.anthropic_url,
            Vendor::OpenAi => &self.openai_url,
            Vendor::Compatible => &self.compatible_url,
            Vendor::Ollama => &self.ollama_url,
            Vendor::Builtin | Vendor::ClaudeCli | Vendor::CodexCli => "",
        }
    }

    /// What the keys of a provider begin with.
    pub(crate) fn key_prefix(vendor: Vendor) -> &'static str {
        match vendor {
            Vendor::Anthropic => "providers.anthropic",
            Vendor::OpenAi => "providers.openai",
            Vendor::Compatible => "providers.compatible",
            Vendor::Ollama => "providers.ollama",
            Vendor::ClaudeCli => "providers.claude_cli",
            Vendor::CodexCli => "providers.codex_cli",
            Vendor::Builtin => "providers",
        }
    }
}
