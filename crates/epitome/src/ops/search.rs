//! `search`: ranked places of the project for a question.

use super::filters::{Filtered, filtered};
use super::{Call, Exit, Kind, Operation, Reply};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Search;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// What to look for: words, identifiers or a path; `path:`, `lang:` and `kind:` narrow it
    query: String,
    /// Most results to return (default: `search.limit`)
    #[arg(long)]
    limit: Option<u32>,
    /// Show every part of each score
    #[arg(long)]
    #[serde(default)]
    explain: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchReply {
    /// Best first
    results: Vec<Hit>,
}

#[derive(Serialize, JsonSchema)]
struct Hit {
    /// Relative to the project
    path: String,
    start_line: u32,
    end_line: u32,
    /// Comparable within one reply only
    score: f32,
    /// Id to read it by
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// `function`, `class`, …, or `chunk`
    kind: &'static str,
    why: String,
    /// What the score is made of, where that was asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
}

/// One part of a score
#[derive(Serialize, JsonSchema)]
struct Part {
    name: &'static str,
    /// How much of it there is
    value: f32,
    /// What that adds to the score
    worth: f32,
}

impl Operation for Search {
    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "Find the places of the project that a question is about";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = SearchReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<SearchReply, engine::Error> {
        let limit = params.limit.unwrap_or(call.config.search.limit);
        let Filtered { query, filters, .. } = filtered(&params.query)?;
        let reply = call.engine.search(call.project, engine::SearchRequest { query, limit, filters }).await?;
        let results = reply.hits.into_iter().map(|hit| Hit {
            path: hit.path,
            start_line: hit.lines.start,
            end_line: hit.lines.end,
            score: hit.score,
            kind: hit.symbol.as_ref().map_or("chunk", |(_, kind)| kind.as_str()),
            symbol: hit.symbol.map(|(id, _)| id.to_string()),
            why: hit.why,
            parts: if params.explain { hit.parts.into_iter().map(Part::from).collect() } else { Vec::new() },
        });
        Ok(SearchReply { results: results.collect() })
    }
}

impl From<engine::ScorePart> for Part {
    fn from(part: engine::ScorePart) -> Self {
        Self { name: part.name, value: part.value, worth: part.worth }
    }
}

impl Reply for SearchReply {
    fn text(&self) -> String {
        let mut text = String::new();
        for hit in &self.results {
            let name = hit.symbol.as_ref().and_then(|id| id.split_once('#')).map_or("", |(_, chain)| chain);
            let label = format!("{} {name}", hit.kind);
            let _ = writeln!(
                text,
                "{}:{}-{}  {}\n    {}",
                hit.path,
                hit.start_line,
                hit.end_line,
                label.trim_end(),
                hit.why
            );
            for part in &hit.parts {
                let _ = writeln!(text, "    {:>+8.2}  {} {:.2}", part.worth, part.name, part.value);
            }
        }
        if text.is_empty() { "nothing found\n".to_owned() } else { text }
    }

    fn exit(&self) -> Exit {
        if self.results.is_empty() { Exit::NothingFound } else { Exit::Ok }
    }
}
