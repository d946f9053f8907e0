//! The typed, validated configuration (`Config`) that the rest of the binary reads: one field for each key of
//! `defaults.toml`, no defaults here and no unknown fields, so that deserializing the defaults proves both lists equal.
//! Ranges are checked by `value_rule.rs`, where a message can still name the file and line.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use engine::ModeChoice;
use model::scrub::{RuleOwner, UserRule};
use model::{Money, TokenCount};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::mask::mask_passwords;

/// Every setting, after all layers were merged and checked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) database: DatabaseConfig,
    pub(crate) index: IndexConfig,
    pub(crate) context: ContextConfig,
    pub(crate) search: SearchConfig,
    pub(crate) read: ReadConfig,
    pub(crate) memory: MemoryConfig,
    pub(crate) import: ImportConfig,
    pub(crate) providers: ProvidersConfig,
    pub(crate) spend: SpendConfig,
    pub(crate) ledger: LedgerConfig,
    pub(crate) sensitive: SensitiveConfig,
    pub(crate) hooks: HooksConfig,
    pub(crate) server: ServerConfig,
    pub(crate) terminal: TerminalConfig,
    pub(crate) log: LogConfig,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatabaseConfig {
    pub(crate) url: DatabaseUrl,
    pub(crate) owner_url: DatabaseUrl,
    pub(crate) tenant: String,
    pub(crate) pool_size: u32,
    pub(crate) folder: PathBuf,
}

impl DatabaseConfig {
    /// Where the embedded database lies, given the data directory.
    pub(crate) fn embedded_folder<'a>(&'a self, data: &'a Path) -> &'a Path {
        if self.folder.as_os_str().is_empty() { data } else { &self.folder }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexConfig {
    pub(crate) max_file_bytes: u64,
    pub(crate) ignore: Vec<String>,
    pub(crate) include: Vec<String>,
    pub(crate) languages: Vec<String>,
    pub(crate) depth: DepthChoice,
    pub(crate) nested_repositories: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, schemars::JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DepthChoice {
    /// Everything
    Full,
    /// What files define and import, not what their bodies say and call
    Signatures,
}

impl From<DepthChoice> for engine::IndexDepth {
    fn from(depth: DepthChoice) -> Self {
        match depth {
            DepthChoice::Full => Self::Full,
            DepthChoice::Signatures => Self::Signatures,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextConfig {
    #[serde(deserialize_with = "tokens")]
    pub(crate) budget: TokenCount,
    pub(crate) gate: GateMode,
    pub(crate) model_gate: bool,
    pub(crate) encoder: bool,
    pub(crate) withhold_seen: bool,
}

/// Whether questions that need no search are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GateMode {
    On,
    Off,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchConfig {
    pub(crate) limit: u32,
    pub(crate) strategy: StrategyChoice,
    pub(crate) hyde: bool,
    pub(crate) feedback: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, schemars::JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StrategyChoice {
    /// One sum of all evidence
    Linear,
    /// Words, meaning and graph, fused by rank
    Rrf,
    /// Words, names and paths alone
    Keyword,
    /// Meaning alone
    Semantic,
    /// How near files are to what the question names
    Graph,
}

impl From<StrategyChoice> for engine::RankStrategy {
    fn from(strategy: StrategyChoice) -> Self {
        match strategy {
            StrategyChoice::Linear => Self::Linear,
            StrategyChoice::Rrf => Self::Rrf,
            StrategyChoice::Keyword => Self::Keyword,
            StrategyChoice::Semantic => Self::Semantic,
            StrategyChoice::Graph => Self::Graph,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadConfig {
    #[serde(deserialize_with = "mode")]
    pub(crate) mode: Option<ModeChoice>,
    pub(crate) adaptive: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct MemoryConfig {
    pub(crate) enabled: bool,
    #[serde(deserialize_with = "tokens")]
    pub(crate) context_tokens: TokenCount,
    pub(crate) context_threshold: f64,
    pub(crate) max_active_messages: u32,
    pub(crate) fresh_tail: u32,
    #[serde(deserialize_with = "tokens")]
    pub(crate) leaf_target_tokens: TokenCount,
    #[serde(deserialize_with = "tokens")]
    pub(crate) condensed_target_tokens: TokenCount,
    #[serde(deserialize_with = "tokens")]
    pub(crate) expand_tokens: TokenCount,
    #[serde(deserialize_with = "tokens")]
    pub(crate) leaf_chunk_tokens: TokenCount,
    pub(crate) leaf_fanout: u32,
    pub(crate) condensed_fanout: u32,
    pub(crate) incremental_depth: i64,
    #[serde(deserialize_with = "tokens")]
    pub(crate) artifact_tokens: TokenCount,
    pub(crate) autocompact: bool,
    pub(crate) archive_days: u32,
    pub(crate) auto_summarize: bool,
    #[serde(deserialize_with = "tokens")]
    pub(crate) hot_tokens: TokenCount,
    pub(crate) promote_after: u32,
    pub(crate) promote_nearness: f64,
    pub(crate) max_cold_items: u32,
    pub(crate) auto_spill: bool,
    pub(crate) auto_promote: bool,
    pub(crate) checkpoints: u32,
    pub(crate) author: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportConfig {
    pub(crate) folders: Vec<String>,
}

impl From<&MemoryConfig> for engine::MemorySettings {
    fn from(memory: &MemoryConfig) -> Self {
        Self {
            enabled: memory.enabled,
            autocompact: memory.autocompact,
            context_tokens: memory.context_tokens,
            context_threshold: memory.context_threshold,
            max_active_messages: (memory.max_active_messages > 0).then_some(memory.max_active_messages),
            fresh_tail: memory.fresh_tail,
            leaf_target_tokens: memory.leaf_target_tokens,
            condensed_target_tokens: memory.condensed_target_tokens,
            leaf_chunk_tokens: memory.leaf_chunk_tokens,
            leaf_fanout: memory.leaf_fanout,
            condensed_fanout: memory.condensed_fanout,
            // Any negative number is refused but -1, which stands for no limit.
            incremental_depth: u32::try_from(memory.incremental_depth).ok(),
            expand_tokens: memory.expand_tokens,
            artifact_tokens: memory.artifact_tokens,
            archive_days: (memory.archive_days > 0).then_some(memory.archive_days),
            auto_summarize: memory.auto_summarize,
            tiers: engine::TierSettings {
                hot_tokens: memory.hot_tokens,
                promote_after: memory.promote_after,
                promote_nearness: memory.promote_nearness,
                max_cold: memory.max_cold_items,
                spills: memory.auto_spill,
                promotes: memory.auto_promote,
            },
            checkpoints: memory.checkpoints,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProvidersConfig {
    pub(crate) chain: Vec<String>,
    pub(crate) anthropic_model: String,
    pub(crate) anthropic_url: String,
    pub(crate) anthropic_key: String,
    pub(crate) openai_model: String,
    pub(crate) openai_url: String,
    pub(crate) openai_key: String,
    pub(crate) compatible_model: String,
    pub(crate) compatible_url: String,
    pub(crate) compatible_key: String,
    pub(crate) ollama_model: String,
    pub(crate) ollama_url: String,
    pub(crate) claude_cli_model: String,
    pub(crate) codex_cli_model: String,
    pub(crate) embedder: String,
    pub(crate) embedding_model: String,
    pub(crate) embedding_dimensions: u32,
    pub(crate) private_network: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpendConfig {
    pub(crate) background: bool,
    pub(crate) concurrent: u32,
    pub(crate) call_tokens: u32,
    pub(crate) session_tokens: u32,
    pub(crate) day_tokens: u32,
    #[serde(deserialize_with = "dollars")]
    pub(crate) call_dollars: Money,
    #[serde(deserialize_with = "dollars")]
    pub(crate) session_dollars: Money,
    #[serde(deserialize_with = "dollars")]
    pub(crate) day_dollars: Money,
    pub(crate) prices: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LedgerConfig {
    pub(crate) session: String,
    pub(crate) retention_days: u32,
    pub(crate) model: String,
    pub(crate) window_turns: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SensitiveConfig {
    #[serde(deserialize_with = "rules")]
    pub(crate) patterns: Vec<UserRule>,
}

impl SensitiveConfig {
    /// Says of the last rules that they come from a project, which is trusted with less than the user is.
    pub(super) fn last_are_of_project(&mut self, count: usize) {
        let first = self.patterns.len().saturating_sub(count);
        self.patterns[first..].iter_mut().for_each(|rule| rule.owner = RuleOwner::Project);
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HooksConfig {
    pub(crate) orientation_tokens: u32,
    pub(crate) recall_tokens: u32,
    pub(crate) output_bytes: u64,
    pub(crate) output_tools: Vec<String>,
    pub(crate) daemon_seconds: u32,
    pub(crate) keep_injections: bool,
    pub(crate) critique: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerConfig {
    pub(crate) address: SocketAddr,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) max_body_bytes: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogConfig {
    pub(crate) level: LogLevel,
    pub(crate) format: LogFormat,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TerminalConfig {
    pub(crate) links: String,
}

/// The least severe message that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Where the canonical database is. Its debug form hides the password, because a `Config` ends up in logs.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The address of the server, or `None` for the embedded database.
    pub(crate) fn postgres_url(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(self.0.as_str())
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({:?})", mask_passwords(&self.0))
    }
}

// `Tokens` is not serializable (the vocabulary crate knows no format), so its fields say how they are read.
fn tokens<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TokenCount, D::Error> {
    u32::deserialize(deserializer).map(TokenCount)
}

// People write dollars; we count in whole numbers.
fn dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
    f64::deserialize(deserializer).map(Money::from_dollars)
}

// A text that is no rule was refused by `value_rule.rs`, where a message can name its place.
fn rules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<UserRule>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| UserRule::parse(text).map_err(D::Error::custom)).collect()
}

// Empty means that nothing is set; `value_rule.rs` checks the words themselves.
fn mode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ModeChoice>, D::Error> {
    String::deserialize(deserializer).map(|word| ModeChoice::parse(&word))
}
