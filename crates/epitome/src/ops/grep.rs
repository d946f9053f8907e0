//! `grep`: messages by pattern or by words.

use super::{Call, Exit, Kind, Operation, Reply};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Grep;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The pattern
    pattern: String,
    /// How to read the pattern
    #[arg(long, value_enum, default_value = "regex")]
    #[serde(default)]
    mode: Mode,
    /// Only this conversation, by name or id
    #[arg(long)]
    conversation: Option<String>,
    /// Most matches to return
    #[arg(long, default_value_t = 20)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    20
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Mode {
    /// A regular expression, matched in linear time
    #[default]
    Regex,
    /// Words that must all occur
    FullText,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GrepReply {
    /// Newest first
    matches: Vec<Match>,
    /// How many there are in all
    total: u64,
}

#[derive(Serialize, JsonSchema)]
struct Match {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    conversation_id: String,
    snippet: String,
    /// When it happened, in its source's words
    at: Option<String>,
}

impl Operation for Grep {
    const NAME: &'static str = "grep";
    const SUMMARY: &'static str = "Find messages by regular expression or by words";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = GrepReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<GrepReply, engine::Error> {
        let mode = match params.mode {
            Mode::Regex => engine::GrepMode::Regex,
            Mode::FullText => engine::GrepMode::FullText,
        };
        let request = engine::GrepRequest {
            pattern: params.pattern,
            mode,
            conversation: params.conversation,
            limit: params.limit,
        };
        let reply = call.engine.grep(request).await?;
        let matches = reply.matches.into_iter().map(|found| Match {
            id: found.message.id.to_string(),
            kind: "message",
            conversation_id: found.message.conversation.to_string(),
            snippet: found.snippet,
            at: found.message.body.at.map(|at| at.text),
        });
        Ok(GrepReply { matches: matches.collect(), total: reply.total })
    }
}

impl Reply for GrepReply {
    fn text(&self) -> String {
        let mut text = String::new();
        for found in &self.matches {
            let at = found.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
            let _ = writeln!(text, "{}{at}  {}", found.id, found.snippet);
        }
        let more = self.total - self.matches.len() as u64;
        if more > 0 {
            let _ = writeln!(text, "… and {more} more: raise the limit to see them");
        }
        if text.is_empty() { "nothing found\n".to_owned() } else { text }
    }

    fn exit(&self) -> Exit {
        if self.total == 0 { Exit::NothingFound } else { Exit::Ok }
    }
}
