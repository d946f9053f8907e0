//! The `value` operation (command, MCP tool, HTTP route): its parameters and its reply. It reports from the ledger how
//! many tokens were saved and added, what calls to models cost, and what may still be spent.

use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{LedgerFigures, TotalsBy};

mod compactions;
mod spend;

pub(crate) struct ValueOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValueParams {
    /// What to total by (default: operation)
    #[arg(long, value_enum)]
    by: Option<ValueGrouping>,
    /// Only the last so many days, today included (default: all)
    #[arg(long)]
    days: Option<u32>,
    /// Everything, not only this project
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Only this session
    #[arg(long)]
    session: Option<String>,
    /// Show so many of the newest entries, of all projects
    #[arg(long, default_value_t = 0)]
    #[serde(default)]
    entries: u32,
    /// Show what models may cost, have cost, and what is left
    #[arg(long)]
    #[serde(default)]
    spend: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum ValueGrouping {
    Day,
    Session,
    Project,
    Operation,
    Model,
    Formula,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ValueReply {
    /// What the totals are by
    by: &'static str,
    totals: Vec<ValueTotal>,
    /// What they add up to
    total: ValueSums,
    /// Newest first
    entries: Vec<ValueEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spend: Option<spend::ValueSpend>,
    /// What agents' own summaries did to what their conversations held for certain
    #[serde(skip_serializing_if = "Option::is_none")]
    compactions: Option<compactions::CompactionTotals>,
}

#[derive(Serialize, JsonSchema)]
struct ValueTotal {
    /// Empty for what has none
    key: String,
    entries: u64,
    #[serde(flatten)]
    sums: ValueSums,
}

/// Signed: an operation may cost its reader more than it spares.
#[derive(Serialize, JsonSchema)]
struct ValueSums {
    /// Into models, or 0 where none was asked
    tokens_in: i64,
    /// Out of models, or shown to a reader
    tokens_out: i64,
    cache_read: i64,
    cache_write: i64,
    /// Tokens a reader did not have to read; below 0 where it read more
    tokens_avoided: i64,
    /// What models cost
    dollars: f64,
}

#[derive(Serialize, JsonSchema)]
struct ValueEntry {
    at: String,
    operation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// What counted the tokens avoided
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    /// `counted` by us, `reported` by a vendor, `estimated` or `expired`: as reserved; `corrected`
    basis: &'static str,
    #[serde(flatten)]
    sums: ValueSums,
}

impl Operation for ValueOperation {
    const NAME: &'static str = "value";
    const SUMMARY: &'static str = "Show the ledger: tokens spared and added, what models cost and may cost";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::State;
    const HELP: &'static str = "\
Entries are written for every call that replaced or added text in front of a model. `--stop` ends all calls to models that \
cost money, of every process.

Examples:
  epitome value --by day --days 7
  epitome value --spend
  epitome value --stop";
    type Params = ValueParams;
    type Reply = ValueReply;

    fn extend_command(command: clap::Command) -> clap::Command {
        let flag = |name: &'static str| clap::Arg::new(name).long(name).action(clap::ArgAction::SetTrue);
        let stop = flag("stop").conflicts_with("resume");
        command
            .arg(stop.help("Stop all model calls at once, of every process, until --resume"))
            .arg(flag("resume").help("Allow model calls again, under their limits"))
    }

    async fn run(call: &OperationCall<'_>, params: ValueParams) -> Result<ValueReply, engine::Error> {
        let by = params.by.unwrap_or(ValueGrouping::Operation);
        let project = (!params.all).then(|| call.project.id.to_string());
        // A remote caller does not see the compactions of agents on this machine.
        let compactions = call.transcripts.and_then(|known| {
            compactions::CompactionTotals::from_records(
                known.read_compactions(),
                project.as_deref(),
                params.session.as_deref(),
            )
        });
        let request = engine::ValueRequest {
            by: by.into(),
            project: (!params.all).then(|| call.project.id.clone()),
            session: params.session,
            days: params.days,
            entries: params.entries,
            spend: params.spend,
        };
        let value = call.engine.ledger_report(request).await?;
        let total = |total: store::LedgerTotal| ValueTotal {
            key: total.key,
            entries: total.entries,
            sums: total.figures.into(),
        };
        Ok(ValueReply {
            by: by.as_str(),
            totals: value.totals.into_iter().map(total).collect(),
            total: value.total.into(),
            entries: value.entries.into_iter().map(Into::into).collect(),
            spend: value.spend.map(Into::into),
            compactions,
        })
    }
}

impl ValueGrouping {
    fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Session => "session",
            Self::Project => "project",
            Self::Operation => "operation",
            Self::Model => "model",
            Self::Formula => "formula",
        }
    }
}

impl From<ValueGrouping> for TotalsBy {
    fn from(by: ValueGrouping) -> Self {
        match by {
            ValueGrouping::Day => Self::Day,
            ValueGrouping::Session => Self::Session,
            ValueGrouping::Project => Self::Project,
            ValueGrouping::Operation => Self::Operation,
            ValueGrouping::Model => Self::Model,
            ValueGrouping::Formula => Self::Formula,
        }
    }
}

impl From<LedgerFigures> for ValueSums {
    fn from(figures: LedgerFigures) -> Self {
        let LedgerFigures { tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money } = figures;
        Self { tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, dollars: money.to_dollars() }
    }
}

impl From<store::LedgerEntry> for ValueEntry {
    fn from(entry: store::LedgerEntry) -> Self {
        let store::NewEntry { at, account, formula, basis, figures, .. } = entry.entry;
        Self {
            at: at.to_string(),
            operation: account.operation,
            project: account.project.map(|project| project.to_string()),
            session: account.session,
            model: account.model,
            formula,
            basis: basis.as_str(),
            sums: figures.into(),
        }
    }
}

impl ValueSums {
    fn to_columns(&self) -> String {
        let Self { tokens_in, tokens_out, tokens_avoided, dollars, cache_read, cache_write } = self;
        let cached = cache_read + cache_write;
        format!("{tokens_in:>12} {cached:>10} {tokens_out:>12} {tokens_avoided:>12} {dollars:>12.6}")
    }
}

impl OperationReply for ValueReply {
    fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(spend) = &self.spend {
            text.push_str(&spend.to_text());
        }
        if !self.totals.is_empty() {
            text.push_str(&format!(
                "{:<28} {:>8} {:>12} {:>10} {:>12} {:>12} {:>12}\n",
                self.by, "entries", "tokens in", "cached", "tokens out", "avoided", "dollars"
            ));
            for ValueTotal { key, entries, sums } in &self.totals {
                let key = if key.is_empty() { "-" } else { key };
                text.push_str(&format!("{key:<28} {entries:>8} {}\n", sums.to_columns()));
            }
            text.push_str(&format!("{:<28} {:>8} {}\n", "total", "", self.total.to_columns()));
        }
        for ValueEntry { at, operation, model, formula, basis, sums, .. } in &self.entries {
            let by = model.as_deref().or(formula.as_deref()).unwrap_or("-");
            text.push_str(&format!("{at} {operation} {by} ({basis}) {}\n", sums.to_columns().trim_start()));
        }
        if let Some(compactions) = &self.compactions {
            text.push_str(&compactions.to_text());
        }
        if text.is_empty() { "the ledger is empty\n".to_owned() } else { text }
    }

    fn command_exit(&self) -> CommandExit {
        CommandExit::Ok
    }
}
