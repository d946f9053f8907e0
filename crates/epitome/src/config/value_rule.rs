//! Validation rules of configuration keys: the ranges and choices that a key accepts beyond its kind, and their
//! description for error messages. The kind comes from the default; only keys that accept less than their kind are
//! named here.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

use model::scrub::UserRule;
use providers::Vendor;

use super::keys::ConfigKey;
use super::value::ConfigValue;

/// The values a key accepts; displayed as what follows "expected".
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueRule {
    Switch,
    Whole { least: i64 },
    Share,
    Dollars,
    Text,
    Name,
    KeyPlace,
    Providers,
    Prices,
    OneOf(&'static [&'static str]),
    OneOrNone(&'static [&'static str]),
    DatabaseUrl,
    Folder,
    Address,
    Links,
    List,
    Patterns,
}

impl ValueRule {
    pub(crate) fn for_key(key: &ConfigKey) -> Self {
        match key.name.as_str() {
            "database.url" | "database.owner_url" => Self::DatabaseUrl,
            "database.tenant" => Self::Name,
            // Folding one item into one summary would never make a context shorter.
            "memory.incremental_depth" => Self::Whole { least: -1 },
            "database.folder" => Self::Folder,
            "memory.leaf_fanout" | "memory.condensed_fanout" => Self::Whole { least: 2 },
            "sensitive.patterns" => Self::Patterns,
            "server.address" => Self::Address,
            "terminal.links" => Self::Links,
            "read.mode" => Self::OneOrNone(&["raw", "lightweight", "aggressive", "map", "auto"]),
            "providers.chain" => Self::Providers,
            "providers.embedder" => Self::OneOrNone(&["ollama", "openai", "openai-compatible"]),
            "providers.anthropic_key" | "providers.openai_key" | "providers.compatible_key" => Self::KeyPlace,
            // Zero switches these off, or means no limit.
            "hooks.orientation_tokens"
            | "hooks.recall_tokens"
            | "hooks.output_bytes"
            | "hooks.daemon_seconds"
            | "memory.max_active_messages"
            | "providers.embedding_dimensions"
            | "spend.call_tokens"
            | "spend.session_tokens"
            | "spend.day_tokens" => Self::Whole { least: 0 },
            "spend.call_dollars" | "spend.session_dollars" | "spend.day_dollars" => Self::Dollars,
            "spend.prices" => Self::Prices,
            "search.strategy" => Self::OneOf(&["linear", "rrf", "keyword", "semantic", "graph"]),
            "context.gate" => Self::OneOf(&["on", "off"]),
            "index.depth" => Self::OneOf(&["full", "signatures"]),
            "log.level" => Self::OneOf(&["error", "warn", "info", "debug", "trace"]),
            "log.format" => Self::OneOf(&["text", "json"]),
            _ => match key.default {
                ConfigValue::Boolean(_) => Self::Switch,
                ConfigValue::Integer(_) => Self::Whole { least: 1 },
                ConfigValue::Number(_) => Self::Share,
                ConfigValue::Text(_) => Self::Text,
                ConfigValue::List(_) => Self::List,
            },
        }
    }

    /// Whether a value has the right kind and is within bounds.
    pub(crate) fn accepts(self, value: &ConfigValue) -> bool {
        match (self, value) {
            (Self::Switch, ConfigValue::Boolean(_))
            | (Self::Text, ConfigValue::Text(_))
            | (Self::List, ConfigValue::List(_)) => true,
            (Self::Whole { least }, ConfigValue::Integer(whole)) => (least..=MAX_WHOLE_NUMBER).contains(whole),
            (Self::Share, ConfigValue::Number(number)) => (0.0..=1.0).contains(number),
            (Self::Dollars, ConfigValue::Number(number)) => (0.0..=MOST_DOLLARS).contains(number),
            (Self::KeyPlace, ConfigValue::Text(text)) => {
                // Only the place of a key is accepted: a key in the configuration would be shown, logged and copied
                // with it.
                text.is_empty() || ["env:", "file:"].iter().any(|place| text.strip_prefix(place).is_some_and(is_filled))
            }
            (Self::Providers, ConfigValue::List(names)) => {
                names.iter().all(|name| generator_names().any(|known| known == name))
            }
            (Self::Prices, ConfigValue::List(rows)) => rows.iter().all(|row| engine::PriceRow::parse(row).is_some()),
            (Self::Name, ConfigValue::Text(text)) => !text.trim().is_empty(),
            (Self::OneOf(words), ConfigValue::Text(text)) => words.contains(&text.as_str()),
            (Self::OneOrNone(words), ConfigValue::Text(text)) => text.is_empty() || words.contains(&text.as_str()),
            (Self::DatabaseUrl, ConfigValue::Text(text)) => {
                text.is_empty() || ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
            }
            (Self::Folder, ConfigValue::Text(text)) => text.is_empty() || Path::new(text).is_absolute(),
            (Self::Patterns, ConfigValue::List(texts)) => texts.iter().all(|text| UserRule::parse(text).is_ok()),
            (Self::Links, ConfigValue::Text(text)) => {
                // A control character in an address would end the escape sequence of the link.
                let is_address = text.contains("://") && text.contains("{path}") && !text.contains(char::is_control);
                ["auto", "off"].contains(&text.as_str()) || is_address
            }
            (Self::Address, ConfigValue::Text(text)) => text.parse::<SocketAddr>().is_ok(),
            _ => false,
        }
    }
}

// Tokens and counts are 32 bits wide; four gigabytes bound the byte sizes as well.
const MAX_WHOLE_NUMBER: i64 = u32::MAX as i64;
const MOST_DOLLARS: f64 = 1e6;

fn is_filled(text: &str) -> bool {
    !text.trim().is_empty()
}

/// The providers that can be asked to write.
fn generator_names() -> impl Iterator<Item = &'static str> {
    Vendor::ALL.into_iter().filter(|vendor| *vendor != Vendor::Builtin).map(Vendor::name)
}

impl fmt::Display for ValueRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch => f.write_str("true or false"),
            Self::Whole { least } => write!(f, "a whole number from {least} to {MAX_WHOLE_NUMBER}"),
            Self::Share => f.write_str("a number from 0 to 1"),
            Self::Dollars => write!(f, "dollars from 0 to {MOST_DOLLARS}"),
            Self::KeyPlace => {
                f.write_str("empty text, env: and the name of a variable, or file: and a path; never a key")
            }
            Self::Providers => write!(f, "a list of some of {}", generator_names().collect::<Vec<_>>().join(", ")),
            Self::Prices => f.write_str("a list of prices such as vendor/model=0.25/1.25"),
            Self::Text => f.write_str("text"),
            Self::Name => f.write_str("text that is not blank"),
            Self::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Self::OneOrNone(words) => write!(f, "empty text, or one of {}", words.join(", ")),
            Self::DatabaseUrl => f.write_str("empty text, or an address that starts with postgres:// or postgresql://"),
            Self::Folder => f.write_str("empty text, or the absolute path of a folder"),
            Self::Address => f.write_str("an IP address and port such as 127.0.0.1:8787"),
            Self::Links => f.write_str("auto, off, or an address with {path} in it such as vscode://file{path}:{line}"),
            Self::List => f.write_str("a list of texts"),
            Self::Patterns => f.write_str(
                "a list of rules such as \"badge: EMP-[0-9]{6}\": a name of small letters, digits and hyphens that no \
                 built-in rule has, a colon, and a regular expression (epitome sensitive add says what is wrong with one)",
            ),
        }
    }
}
