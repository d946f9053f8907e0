//! The `reflection` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! keeps lessons of earlier work with their outcome, and finds them.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
    round_hundredths,
};
use clap::{Args, ValueEnum};
use engine::{
    NewReflection, Reflection, ReflectionAction, ReflectionFilter, ReflectionOutcome, ReflectionRequest,
    ReflectionSummary,
};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(crate) struct ReflectionOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReflectionParams {
    /// What to do
    #[arg(value_enum)]
    action: ReflectionActionParam,
    /// With `add` the lesson, with `find` what lessons shall be about
    text: Option<String>,
    /// With `add` how it went; else only those that went so
    #[arg(long, value_enum)]
    outcome: Option<OutcomeParam>,
    /// With `add`: where the lesson applies
    #[arg(long)]
    context: Option<String>,
    /// With `add`: how certain it is, from 0 to 1
    #[arg(long)]
    confidence: Option<f64>,
    /// With `add` words to find it by; else only those with all of them
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// The session, by name or id (default: the latest)
    #[arg(long)]
    session: Option<String>,
    /// Only lessons of that session
    #[arg(long, requires = "session")]
    #[serde(default)]
    own_session: bool,
    /// How many at most
    #[arg(long, default_value_t = 10)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    10
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum ReflectionActionParam {
    /// Keep a lesson; the same lesson again moves the confidence in it
    Add,
    /// Find lessons, the nearest first
    Find,
    /// List lessons, the newest first
    List,
    /// Count them
    Summary,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum OutcomeParam {
    Success,
    Failure,
    Partial,
    Unknown,
}

impl From<OutcomeParam> for ReflectionOutcome {
    fn from(outcome: OutcomeParam) -> Self {
        match outcome {
            OutcomeParam::Success => Self::Success,
            OutcomeParam::Failure => Self::Failure,
            OutcomeParam::Partial => Self::Partial,
            OutcomeParam::Unknown => Self::Unknown,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReflectionReply {
    reflections: Vec<ReflectionEntry>,
    /// How many more there are
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
    /// Of `add`: `new`, or `restated` where the lesson was known
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<SummaryEntry>,
    /// The rules by which secrets were replaced before it was stored
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct ReflectionEntry {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    content: String,
    /// `success`, `failure`, `partial` or `unknown`
    outcome: &'static str,
    context: String,
    /// The colleague it comes from, where it is not one's own
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    /// From 0 to 1
    confidence: f64,
    tags: Vec<String>,
    /// How often it was found
    access_count: u32,
    created_at: String,
    /// Of `find`: how near it is, from 0 to 1
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct SummaryEntry {
    total: u64,
    by_outcome: BTreeMap<&'static str, u64>,
    top_tags: Vec<TagCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_confidence: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct TagCount {
    tag: String,
    count: u64,
}

impl From<ReflectionSummary> for SummaryEntry {
    fn from(summary: ReflectionSummary) -> Self {
        Self {
            total: summary.total,
            by_outcome: summary.by_outcome.into_iter().map(|(outcome, count)| (outcome.as_str(), count)).collect(),
            top_tags: summary.top_tags.into_iter().map(|(tag, count)| TagCount { tag, count }).collect(),
            average_confidence: summary.average_confidence.map(|value| round_hundredths(value as f32)),
        }
    }
}

impl From<Reflection> for ReflectionEntry {
    fn from(reflection: Reflection) -> Self {
        let memory = reflection.memory;
        Self {
            id: memory.id.to_string(),
            session_id: reflection.session,
            content: memory.body.content,
            outcome: reflection.outcome.as_str(),
            context: reflection.context,
            author: memory.colleague,
            confidence: round_hundredths(reflection.confidence as f32),
            tags: memory.tags,
            access_count: memory.used,
            created_at: memory.body.created.to_string(),
            relevance: reflection.nearness.map(|nearness| round_hundredths(nearness as f32)),
        }
    }
}

impl Operation for ReflectionOperation {
    const NAME: &'static str = "reflection";
    const SUMMARY: &'static str = "Keep lessons of what worked and what failed, and find them";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
A lesson is a memory with an outcome. Stating it again with the same outcome raises the confidence in it, the contrary \
outcome lowers it. Agents that read hooks are told what failed before when a tool meets the same error. Exit status 3: \
there is none.

Examples:
  epitome reflection add \"sed -i breaks the lock file\" --outcome failure --context \"error: failed to parse lock file\"
  epitome reflection find \"lock file cannot be parsed\"
  epitome reflection summary";
    type Params = ReflectionParams;
    type Reply = ReflectionReply;

    async fn run(call: &OperationCall<'_>, params: ReflectionParams) -> Result<ReflectionReply, engine::Error> {
        let needed = |text: Option<String>| {
            let reason = "is needed: the lesson, or what lessons shall be about".to_owned();
            text.ok_or(engine::Error::Parameter { field: "text", reason })
        };
        let outcome = params.outcome.map(ReflectionOutcome::from);
        let filter = |query| ReflectionFilter { query, tags: params.tags.clone(), outcome, limit: params.limit };
        let action = match params.action {
            ReflectionActionParam::Add => ReflectionAction::Add(NewReflection {
                content: needed(params.text)?,
                outcome: outcome.unwrap_or_default(),
                context: params.context.unwrap_or_default(),
                confidence: params.confidence,
                tags: params.tags,
            }),
            ReflectionActionParam::Find => ReflectionAction::Find(filter(Some(needed(params.text)?))),
            ReflectionActionParam::List => ReflectionAction::Find(filter(None)),
            ReflectionActionParam::Summary => ReflectionAction::Summarize,
        };
        let request = ReflectionRequest { session: params.session, own_only: params.own_session, action };
        let report = call.engine.manage_reflections(call.project, request).await?;
        Ok(ReflectionReply {
            reflections: report.reflections.into_iter().map(ReflectionEntry::from).collect(),
            omitted: report.omitted,
            outcome: report.is_new.map(|is_new| if is_new { "new" } else { "restated" }),
            summary: report.summary.map(SummaryEntry::from),
            secrets: report.secrets.iter().map(ToString::to_string).collect(),
        })
    }
}

impl ReflectionEntry {
    fn to_text(&self) -> String {
        let words = self.content.trim().replace('\n', "\n    ");
        let mut about = vec![self.outcome.to_owned(), format!("confidence {:.2}", self.confidence)];
        about.extend((!self.context.is_empty()).then(|| self.context.replace('\n', " ")));
        about.extend(self.author.as_ref().map(|author| format!("from {}", show_name(author))));
        about.extend((!self.tags.is_empty()).then(|| format!("tags {}", self.tags.join(" "))));
        about.extend(self.relevance.map(|relevance| format!("nearness {relevance:.2}")));
        format!("{}  {words}\n    {}\n", self.id, about.join(" · "))
    }
}

impl OperationReply for ReflectionReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = match self.outcome {
            Some("new") => "kept:\n".to_owned(),
            Some(_) => "known already; its confidence moved:\n".to_owned(),
            None => String::new(),
        };
        if let Some(summary) = &self.summary {
            let _ = write!(text, "{}", render_count(summary.total, "reflection"));
            for (outcome, count) in &summary.by_outcome {
                let _ = write!(text, " · {outcome} {count}");
            }
            let _ = summary.average_confidence.map(|value| write!(text, " · confidence {value:.2} on average"));
            text.push('\n');
            let tags: Vec<String> = summary.top_tags.iter().map(|tag| format!("{} {}", tag.tag, tag.count)).collect();
            let _ = if tags.is_empty() { Ok(()) } else { writeln!(text, "tags: {}", tags.join(", ")) };
            return text;
        }
        text.extend(self.reflections.iter().map(ReflectionEntry::to_text));
        if self.omitted > 0 {
            let _ = writeln!(text, "… and {}", render_count(self.omitted, "more reflection"));
        }
        if text.is_empty() {
            text.push_str("no reflection fits: `epitome reflection add TEXT --outcome failure` keeps one\n");
        }
        if !self.secrets.is_empty() {
            let _ = writeln!(text, "without {}", render_count(self.secrets.len() as u64, "secret"));
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        let is_empty = self.reflections.is_empty() && self.summary.as_ref().is_none_or(|summary| summary.total == 0);
        if is_empty { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
