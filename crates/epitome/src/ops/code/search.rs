//! The `search` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It returns a ranked list of places of the project that match a question.

mod result_text;

use super::search_wire::{ModelConsultation, QueryCorrection, RelatedParam, is_zero};
use crate::config::schema::StrategyChoice;
use crate::ops::filters::{FilteredQuery, parse_filters};
use crate::ops::style::TextStyle;
use crate::ops::wire::{SymbolLocation, show_place};
use crate::ops::{
    CommandExit, CommandGroup, DataSource, MeasureKind, Operation, OperationCall, OperationKind, OperationReply,
};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub(crate) struct SearchOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParams {
    /// What to look for: words, identifiers or a path; `path:`, `lang:` and `kind:` narrow it
    #[arg(required_unless_present = "related")]
    query: Option<String>,
    /// Find what is related to this instead: a symbol, a file, or the id of a message, summary or fact
    #[arg(long)]
    related: Option<String>,
    /// Most results to return (default: `search.limit`, 10 unless set)
    #[arg(long)]
    limit: Option<u32>,
    /// Show every part of each score
    #[arg(long)]
    #[serde(default)]
    explain: bool,
    /// How files are ranked
    #[arg(long, value_enum)]
    strategy: Option<StrategyChoice>,
    /// What to show with each result
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default)]
    expand: Vec<RelatedParam>,
    /// Have a model guess an answer to search with
    #[arg(long)]
    #[serde(default)]
    hyde: bool,
    /// Show the signature of each result and its best line
    #[arg(skip = true)]
    #[serde(default)]
    preview: bool,
    /// How the results are written
    #[arg(long, value_enum, default_value = "text")]
    #[serde(default)]
    format: SearchFormat,
    /// Only places that are at least this near in meaning: a cosine from -1 to 1
    #[arg(long, allow_negative_numbers = true)]
    threshold: Option<f32>,
    /// Other projects to ask, by name; `all`
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        help = "Ask these projects (`epitome project`) instead of the one around you, or `all` of them"
    )]
    #[serde(default)]
    projects: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum SearchFormat {
    #[default]
    #[value(help = "One result below the other")]
    Text,
    #[value(help = "A list with links")]
    Markdown,
    #[serde(skip)]
    #[value(help = "The same as --json")]
    Json,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct SearchReply {
    /// Best first; of several questions theirs in turn
    results: Vec<SearchResult>,
    /// The questions that the question is, where it is several
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    questions: Vec<String>,
    /// Names that nothing is called, and what they were read as
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    corrected: Vec<QueryCorrection>,
    /// Models that were asked
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    consulted: Vec<ModelConsultation>,
    /// What did not run, and how to have it
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
    /// What somebody named (`entity`) and the question is about
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entities: Vec<SearchEntity>,
    #[serde(skip)]
    notes: Vec<String>,
    #[serde(skip)]
    format: SearchFormat,
}

#[derive(Serialize, JsonSchema)]
struct SearchResult {
    /// Its project, where several are asked
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
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
    /// Its signature at the line of its name, where a preview was asked for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<SearchLine>,
    /// The line that holds most of what the signature does not, where a preview was asked for
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "match")]
    line: Option<SearchLine>,
    why: String,
    /// What a model said about it (`index --summarize`)
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// What the score is made of, where that was asked for
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<SearchScorePart>,
    /// What it hangs together with, where that was asked for
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    related: Vec<SearchRelated>,
    /// How many more of those there are
    #[serde(default, skip_serializing_if = "is_zero")]
    related_omitted: usize,
}

/// An entity that somebody named
#[derive(Serialize, JsonSchema)]
struct SearchEntity {
    id: String,
    r#type: &'static str,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// A line of a file
#[derive(Serialize, JsonSchema)]
struct SearchLine {
    line: u32,
    /// Without indentation; shortened where it is very long
    text: String,
    /// Where the words of the question stand in it, in bytes.
    #[serde(skip)]
    highlights: Vec<Range<usize>>,
}

/// Something a result hangs together with
#[derive(Serialize, JsonSchema)]
struct SearchRelated {
    /// `container`, `supertype`, `overridden`, `import` or `type`
    relation: &'static str,
    #[serde(flatten)]
    named: SymbolLocation,
}

/// One part of a score
#[derive(Serialize, JsonSchema)]
struct SearchScorePart {
    name: &'static str,
    /// How much of it there is
    value: f32,
    /// What that adds to the score
    worth: f32,
}

impl Operation for SearchOperation {
    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "Find the places of the project that a question is about";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const MEASURE: MeasureKind = MeasureKind::Search;
    const HELP: &'static str = "\
Results are regions of files: functions, types, sections of documents. Each has its place, its signature and the \
reasons for its rank. With `--related` the places are those that belong to another place, not to a question.

Examples:
  epitome search \"where are passwords checked\"
  epitome search parse_header --limit 5 --explain
  epitome search --related src/auth.rs:40
  epitome search \"password policy\" --projects shop,accounts";
    type Params = SearchParams;
    type Reply = SearchReply;

    async fn run(call: &OperationCall<'_>, params: SearchParams) -> Result<SearchReply, engine::Error> {
        let limit = params.limit.unwrap_or(call.config.search.limit);
        let FilteredQuery { query, filters, .. } = parse_filters(params.query.as_deref().unwrap_or_default())?;
        let request = engine::SearchRequest {
            query,
            related: params.related,
            limit,
            filters,
            strategy: params.strategy.unwrap_or(call.config.search.strategy).into(),
            with_related: params.expand.into_iter().map(engine::RelatedKind::from).collect(),
            // The setting and the parameter both only add: a caller cannot switch off what the user turned on for all
            // searches.
            hyde: params.hyde || call.config.search.hyde,
            preview: params.preview,
            threshold: params.threshold,
            // `search` runs because a person or an agent asked, so limits for calls on our own initiative do not apply.
            initiative: engine::CallInitiative::User,
        };
        let reached = call.reach_projects(&params.projects).await?;
        let (reply, projects) = engine::search_in(&call.ask(&reached), request).await?;
        let results = reply.hits.into_iter().zip(projects).map(|(hit, project)| SearchResult {
            project,
            path: hit.path,
            start_line: hit.lines.start,
            end_line: hit.lines.end,
            score: hit.score,
            kind: hit.symbol.as_ref().map_or("chunk", |(_, kind)| kind.as_str()),
            symbol: hit.symbol.map(|(id, _)| id.to_string()),
            signature: hit.preview.signature.map(SearchLine::from),
            line: hit.preview.line.map(SearchLine::from),
            why: hit.why,
            summary: hit.summary,
            // Score parts are for a person who doubts the ranking; in every reply they would cost an agent tokens.
            parts: if params.explain { hit.parts.into_iter().map(SearchScorePart::from).collect() } else { Vec::new() },
            related: hit.related.into_iter().map(SearchRelated::from).collect(),
            related_omitted: hit.related_omitted,
        });
        let detail = if params.explain { engine::NoteDetail::Every } else { engine::NoteDetail::Brief };
        let mut notes = engine::entity_lines(&reply.entities);
        let others = engine::note_lines(&reply.questions, &reply.corrected, &reply.consulted, &reply.degraded, detail);
        notes.extend(others);
        let entity = |it: engine::Entity| SearchEntity {
            id: it.id.to_string(),
            r#type: it.kind.as_str(),
            name: it.name,
            content: it.summary.or(it.content),
        };
        Ok(SearchReply {
            entities: reply.entities.into_iter().map(entity).collect(),
            results: results.collect(),
            notes,
            format: params.format,
            questions: reply.questions,
            corrected: reply.corrected.into_iter().map(QueryCorrection::from).collect(),
            consulted: reply.consulted.into_iter().map(ModelConsultation::from).collect(),
            degraded: reply.degraded,
        })
    }
}

impl From<engine::HitRelation> for SearchRelated {
    fn from(related: engine::HitRelation) -> Self {
        Self { relation: related.relation.as_str(), named: related.named.into() }
    }
}

impl From<engine::ShownLine> for SearchLine {
    fn from(line: engine::ShownLine) -> Self {
        Self { line: line.number, text: line.text, highlights: line.highlights }
    }
}

impl SearchResult {
    /// Its path, behind the name of its project where several were asked.
    fn shown_path(&self) -> String {
        show_place(self.project.as_deref(), &self.path)
    }

    /// What it is called, without its path.
    fn symbol_name(&self) -> &str {
        self.symbol.as_ref().and_then(|id| id.split_once('#')).map_or("", |(_, qualified_name)| qualified_name)
    }

    /// What is shown of it, in the order of the file.
    fn preview_lines(&self) -> impl Iterator<Item = &SearchLine> {
        let mut lines = [self.signature.as_ref(), self.line.as_ref()];
        lines.sort_by_key(|line| line.map(|line| line.line));
        lines.into_iter().flatten()
    }

    fn is_previewed(&self) -> bool {
        self.signature.is_some() || self.line.is_some()
    }

    /// The line at which a reader of the result begins.
    fn first_line(&self) -> u32 {
        self.signature.as_ref().or(self.line.as_ref()).map_or(self.start_line, |line| line.line)
    }
}

impl From<engine::ScorePart> for SearchScorePart {
    fn from(part: engine::ScorePart) -> Self {
        Self { name: part.name, value: part.value, worth: part.worth }
    }
}

impl SearchScorePart {
    /// Places in rankings are worth little each, and differ in the fourth digit.
    fn decimal_places(&self) -> usize {
        if self.worth.abs() < 0.02 { 4 } else { 2 }
    }
}

impl OperationReply for SearchReply {
    fn to_text(&self) -> String {
        match self.format {
            SearchFormat::Text | SearchFormat::Json => result_text::render_list(self, &TextStyle::default()),
            SearchFormat::Markdown => result_text::render_markdown(self),
        }
    }

    fn to_styled_text(&self, style: &TextStyle) -> Option<String> {
        (!matches!(self.format, SearchFormat::Markdown)).then(|| result_text::render_list(self, style))
    }

    fn command_exit(&self) -> CommandExit {
        if self.results.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
