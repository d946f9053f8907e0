//! `search`: ranked places of the project for a question.

use super::filters::{Filtered, filtered};
use super::found::{Consulted, Correction, Expand};
use super::wire::Named;
use super::{Call, Exit, Kind, Operation, Reply};
use crate::config::typed::Strategy;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Search;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// What to look for: words, identifiers or a path; `path:`, `lang:` and `kind:` narrow it
    #[arg(required_unless_present = "related")]
    query: Option<String>,
    /// Find what is related to this instead: a symbol or file as `relations` takes it, or the id of a message, summary
    /// or fact
    #[arg(long)]
    related: Option<String>,
    /// Most results to return (default: `search.limit`, 10 unless set)
    #[arg(long)]
    limit: Option<u32>,
    /// Show every part of each score
    #[arg(long)]
    #[serde(default)]
    explain: bool,
    /// How files are ranked (default: `search.strategy`)
    #[arg(long, value_enum)]
    strategy: Option<Strategy>,
    /// What to show with each result
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default)]
    expand: Vec<Expand>,
    /// Have a model guess an answer to search with, if the question is about an idea
    #[arg(long)]
    #[serde(default)]
    hyde: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchReply {
    /// Best first; of several questions theirs in turn
    results: Vec<Hit>,
    /// The questions that the question is, where it is several
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    questions: Vec<String>,
    /// Names that nothing is called, and what they were read as
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    corrected: Vec<Correction>,
    /// Models that were asked
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    consulted: Vec<Consulted>,
    /// What did not run, and how to have it
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
    #[serde(skip)]
    notes: Vec<String>,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
    /// What it hangs together with, where that was asked for
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related>,
    /// How many more of those there are
    #[serde(default, skip_serializing_if = "is_zero")]
    related_omitted: usize,
}

/// Something a result hangs together with
#[derive(Serialize, JsonSchema)]
struct Related {
    /// `container`, `supertype`, `overridden`, `import` or `type`
    relation: &'static str,
    #[serde(flatten)]
    named: Named,
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
        let Filtered { query, filters, .. } = filtered(params.query.as_deref().unwrap_or_default())?;
        let request = engine::SearchRequest {
            query,
            related: params.related,
            limit,
            filters,
            strategy: params.strategy.unwrap_or(call.config.search.strategy).into(),
            expand: params.expand.into_iter().map(engine::Expand::from).collect(),
            hyde: params.hyde || call.config.search.hyde,
        };
        let reply = call.engine.search(call.project, request).await?;
        let results = reply.hits.into_iter().map(|hit| Hit {
            path: hit.path,
            start_line: hit.lines.start,
            end_line: hit.lines.end,
            score: hit.score,
            kind: hit.symbol.as_ref().map_or("chunk", |(_, kind)| kind.as_str()),
            symbol: hit.symbol.map(|(id, _)| id.to_string()),
            why: hit.why,
            parts: if params.explain { hit.parts.into_iter().map(Part::from).collect() } else { Vec::new() },
            related: hit.related.into_iter().map(Related::from).collect(),
            related_omitted: hit.related_omitted,
        });
        let detail = if params.explain { engine::Detail::Every } else { engine::Detail::Brief };
        let notes = engine::note_lines(&reply.questions, &reply.corrected, &reply.consulted, &reply.degraded, detail);
        Ok(SearchReply {
            results: results.collect(),
            notes,
            questions: reply.questions,
            corrected: reply.corrected.into_iter().map(Correction::from).collect(),
            consulted: reply.consulted.into_iter().map(Consulted::from).collect(),
            degraded: reply.degraded,
        })
    }
}

impl From<engine::Related> for Related {
    fn from(related: engine::Related) -> Self {
        Self { relation: related.relation.as_str(), named: related.named.into() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl From<engine::ScorePart> for Part {
    fn from(part: engine::ScorePart) -> Self {
        Self { name: part.name, value: part.value, worth: part.worth }
    }
}

impl Part {
    /// Places in rankings are worth little each, and differ in the fourth digit.
    fn decimals(&self) -> usize {
        if self.worth.abs() < 0.02 { 4 } else { 2 }
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
                let _ = writeln!(text, "    {:>+8.*}  {} {:.2}", part.decimals(), part.worth, part.name, part.value);
            }
            for Related { relation, named } in &hit.related {
                let _ = writeln!(text, "    {relation} {}", named.line());
            }
            if hit.related_omitted > 0 {
                let _ = writeln!(text, "    and {} more", hit.related_omitted);
            }
        }
        if text.is_empty() {
            text.push_str("nothing found\n");
        }
        text + &self.notes.concat()
    }

    fn exit(&self) -> Exit {
        if self.results.is_empty() { Exit::NothingFound } else { Exit::Ok }
    }
}
