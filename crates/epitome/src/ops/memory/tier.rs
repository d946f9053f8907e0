//! The `tier` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It keeps
//! what sessions work with hot, warm or cold.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
    round_hundredths,
};
use clap::{Args, ValueEnum};
use engine::{NewTierItem, TierAction, TierItem, TierReport, TierRequest, TierTotal};
use model::MemoryTier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct TierOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TierParams {
    /// What to do
    #[arg(value_enum)]
    action: TierActionParam,
    /// Words to keep or to look for
    text: Option<String>,
    /// Name or id (default: the project)
    #[arg(long)]
    session: Option<String>,
    /// To spill or promote
    #[arg(long = "item", value_name = "ID")]
    #[serde(default)]
    item_ids: Vec<String>,
    /// How many to spill
    #[arg(long)]
    count: Option<u32>,
    /// Where to spill to or to recall from
    #[arg(long, value_enum)]
    tier: Option<TierParam>,
    /// What it is
    #[arg(long = "type")]
    #[serde(rename = "type")]
    item_type: Option<String>,
    /// From 0 to 1
    #[arg(long)]
    relevance: Option<f64>,
    /// Words to find it by
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// What is recalled may become hot
    #[arg(long)]
    auto_promote: Option<bool>,
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
enum TierActionParam {
    /// Keep a text hot
    Add,
    /// Move hot items away, least relevant first
    Spill,
    /// Find what is not hot
    Recall,
    /// Make items hot
    Promote,
    /// Count and show them
    Status,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum TierParam {
    Hot,
    Warm,
    Cold,
}

impl From<TierParam> for MemoryTier {
    fn from(tier: TierParam) -> Self {
        match tier {
            TierParam::Hot => Self::Hot,
            TierParam::Warm => Self::Warm,
            TierParam::Cold => Self::Cold,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct TierReply {
    items: Vec<TierEntry>,
    /// How many more there are
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
    spilled_count: usize,
    spilled_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_tier: Option<&'static str>,
    /// What became hot
    promoted: Vec<String>,
    hot: TierCount,
    warm: TierCount,
    cold: TierCount,
    /// The rules by which secrets were replaced before it was stored
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
    #[serde(skip)]
    is_search: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct TierEntry {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    content: String,
    r#type: String,
    tier: Option<&'static str>,
    /// From 0 to 1; of `recall` how near it is to the question
    relevance_score: f64,
    access_count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_accessed_at: Option<String>,
    token_count: u32,
}

#[derive(Default, Serialize, JsonSchema)]
struct TierCount {
    items: u64,
    tokens: u64,
}

impl From<TierTotal> for TierCount {
    fn from(total: TierTotal) -> Self {
        Self { items: total.items, tokens: total.tokens }
    }
}

impl From<TierItem> for TierEntry {
    fn from(item: TierItem) -> Self {
        let memory = item.memory;
        Self {
            id: memory.id.to_string(),
            session_id: item.sessions.into_iter().next(),
            content: memory.body.content,
            r#type: item.item_type,
            tier: memory.tier.map(MemoryTier::as_str),
            relevance_score: round_hundredths(item.relevance as f32),
            access_count: memory.used,
            last_accessed_at: memory.used_at.map(|at| at.to_string()),
            token_count: item.tokens.0,
        }
    }
}

impl Operation for TierOperation {
    const NAME: &'static str = "tier";
    const SUMMARY: &'static str = "Keep what sessions work with hot, warm or cold";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Hot items are told to every session of the project when it begins, and stand in `assemble`; warm ones are told where a \
prompt is about them, cold ones where somebody asks. Items that are asked for often become hot, hot ones that matter \
least make room. Nothing is deleted. Exit status 3: there is none.

Examples:
  epitome tier add \"The importer has to stay under 200 MB\" --type constraint --relevance 0.9
  epitome tier spill --count 2
  epitome tier recall \"memory of the importer\"
  epitome tier status";
    type Params = TierParams;
    type Reply = TierReply;

    async fn run(call: &OperationCall<'_>, params: TierParams) -> Result<TierReply, engine::Error> {
        let needed = |text: Option<String>| {
            let reason = "is needed: the words to keep, or what items shall be about".to_owned();
            text.ok_or(engine::Error::Parameter { field: "text", reason })
        };
        let tier = params.tier.map(MemoryTier::from);
        let is_search = matches!(params.action, TierActionParam::Recall);
        let action = match params.action {
            TierActionParam::Add => TierAction::Add(NewTierItem {
                content: needed(params.text)?,
                item_type: params.item_type,
                relevance: params.relevance,
                tags: params.tags,
            }),
            TierActionParam::Spill => TierAction::Spill {
                ids: params.item_ids,
                count: params.count,
                target: tier.unwrap_or(MemoryTier::Warm),
            },
            TierActionParam::Recall => TierAction::Recall {
                query: needed(params.text)?,
                tiers: tier.into_iter().collect(),
                promotes: params.auto_promote,
                limit: params.limit,
            },
            TierActionParam::Promote => TierAction::Promote(params.item_ids),
            TierActionParam::Status => TierAction::Status(params.limit),
        };
        let request = TierRequest { session: params.session, action };
        let report = call.engine.manage_tiers(call.project, request).await?;
        Ok(TierReply::new(report, is_search))
    }
}

impl TierReply {
    fn new(report: TierReport, is_search: bool) -> Self {
        let ids = |ids: &[model::MemoryId]| ids.iter().map(ToString::to_string).collect();
        let total = |tier| report.totals.get(&tier).copied().unwrap_or_default().into();
        Self {
            omitted: report.omitted,
            spilled_count: report.spilled.len(),
            spilled_ids: ids(&report.spilled),
            target_tier: report.target.map(MemoryTier::as_str),
            promoted: ids(&report.promoted),
            hot: total(MemoryTier::Hot),
            warm: total(MemoryTier::Warm),
            cold: total(MemoryTier::Cold),
            secrets: report.secrets.iter().map(ToString::to_string).collect(),
            items: report.items.into_iter().map(TierEntry::from).collect(),
            is_search,
        }
    }
}

impl TierEntry {
    fn to_text(&self) -> String {
        let words = self.content.trim().replace('\n', "\n    ");
        let tier = self.tier.unwrap_or("in no tier");
        let about =
            format!("{tier} · {} · relevance {:.2} · {} tokens", self.r#type, self.relevance_score, self.token_count);
        format!("{}  {words}\n    {about}\n", self.id)
    }
}

impl OperationReply for TierReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text: String = self.items.iter().map(TierEntry::to_text).collect();
        if self.is_search && self.items.is_empty() {
            text.push_str("nothing that is warm or cold is about this\n");
        }
        if self.omitted > 0 {
            let _ = writeln!(text, "… and {}", render_count(self.omitted, "more item"));
        }
        if let Some(target) = self.target_tier.filter(|_| self.spilled_count > 0) {
            let _ = writeln!(text, "moved to {target}: {}", self.spilled_ids.join(", "));
        }
        if !self.promoted.is_empty() {
            let _ = writeln!(text, "hot now: {}", self.promoted.join(", "));
        }
        let tier = |name: &str, count: &TierCount| {
            format!("{name} {} ({} tokens)", render_count(count.items, "item"), count.tokens)
        };
        let totals = [tier("hot", &self.hot), tier("warm", &self.warm), tier("cold", &self.cold)];
        let _ = writeln!(text, "{}", totals.join(" · "));
        if !self.secrets.is_empty() {
            let _ = writeln!(text, "without {}", render_count(self.secrets.len() as u64, "secret"));
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.is_search && self.items.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
