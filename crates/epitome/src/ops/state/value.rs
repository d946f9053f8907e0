//! The `value` operation (command, MCP tool, HTTP route): its parameters and its reply. It reports from the ledger what
//! dispatches spared their readers and cost them, what calls to models cost, and what may still be spent.

use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::{Args, ValueEnum};
use engine::{CallTotal, LedgerReport, ReturnsReport, ValueFormula};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::LedgerTotal;

mod call_entry;
mod compactions;
mod spend;
mod sums;
mod table;
mod window;

pub(crate) use call_entry::CallEntry;
pub(crate) use sums::ValueSums;

pub(crate) struct ValueOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command")]
pub(crate) struct ValueParams {
    /// What to show in place of totals
    #[arg(value_enum)]
    view: Option<ValueView>,
    /// What to total by (default: operation)
    #[arg(long, value_enum)]
    by: Option<GroupingParam>,
    /// Only the last so many days, today included (default: all)
    #[arg(long)]
    days: Option<u32>,
    /// Compare with as many days before
    #[arg(long, requires = "days")]
    #[serde(default)]
    compare: bool,
    /// Everything, not only this project
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Only this session
    #[arg(long)]
    session: Option<String>,
    /// Show so many of the newest calls
    #[arg(long, default_value_t = 0)]
    #[serde(default)]
    entries: u32,
    /// Show what models may cost, have cost, and what is left
    #[arg(long)]
    #[serde(default)]
    spend: bool,
    /// Explain how each kind of call is counted
    #[arg(long)]
    #[serde(default)]
    formulas: bool,
    /// Write the totals as CSV
    #[arg(long)]
    #[serde(default)]
    csv: bool,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum ValueView {
    /// What each agent and each project gained, less what that cost
    Roi,
    /// The log of questions
    Queries,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum GroupingParam {
    Day,
    Session,
    Project,
    Operation,
    Agent,
    Door,
    Formula,
    Model,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ValueReply {
    /// What the totals are by
    by: &'static str,
    /// Of agents' calls
    totals: Vec<ValueTotal>,
    /// What they add up to
    total: ValueSums,
    /// The same over the days before
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<ValueSums>,
    /// A person's own commands, which are in no sum
    own_calls: u64,
    /// What tokens are counted at
    price: ReferencePrice,
    /// Calls of everybody, newest first
    entries: Vec<CallEntry>,
    /// Calls to models, newest first
    model_calls: Vec<ModelCallEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roi: Option<ValueReturns>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    formulas: Vec<FormulaLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spend: Option<spend::ValueSpend>,
    /// What agents' own summaries did to what their conversations held for certain
    #[serde(skip_serializing_if = "Option::is_none")]
    compactions: Option<compactions::CompactionTotals>,
    /// Results of tools that are in the context of the session's model since it was last emptied
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<window::ContextWindow>,
    #[serde(skip)]
    is_csv: bool,
    #[serde(skip)]
    is_query_log: bool,
}

#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct ValueTotal {
    /// Empty for what has none
    key: String,
    /// Calls, and calls to models
    entries: u64,
    /// When the first and the last call were
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
    #[serde(flatten)]
    sums: ValueSums,
}

#[derive(Serialize, JsonSchema)]
struct ReferencePrice {
    /// `ledger.model`
    model: String,
    /// Of tokens that it reads; absent where its price is not known
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars_per_million: Option<f64>,
}

/// What was gained, less what that cost
#[derive(Serialize, JsonSchema)]
pub(crate) struct ValueReturns {
    agents: Vec<ValueTotal>,
    projects: Vec<ValueTotal>,
    /// Measured, before anything is taken off
    spared_tokens: i64,
    schema_tokens: i64,
    injected_tokens: i64,
    reread_tokens: i64,
    net_tokens: i64,
    dollars_avoided: f64,
    /// What models cost
    dollars_spent: f64,
    net_dollars: f64,
}

/// How a kind of call is counted
#[derive(Serialize, JsonSchema)]
pub(crate) struct FormulaLine {
    name: &'static str,
    /// What it is for
    calls: &'static str,
    formula: &'static str,
    certainty: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ModelCallEntry {
    at: String,
    operation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// `reported` by a vendor, `estimated` or `expired`: as reserved; `corrected`; `counted` by us
    basis: &'static str,
    tokens_in: i64,
    tokens_out: i64,
    cache_read: i64,
    cache_write: i64,
    dollars: f64,
}

impl Operation for ValueOperation {
    const NAME: &'static str = "value";
    const SUMMARY: &'static str = "Show the ledger: tokens spared and added, what models cost and may cost";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Every call of an agent is in the ledger, through whichever door it came. Sums hold what is measured: our text stood in \
the place of a longer one, or was added. What formulas estimate stands beside them. A person's own commands are counted \
apart. `--stop` ends all calls to models that cost money, of every process.

Examples:
  epitome value --by day --days 7 --compare
  epitome value roi --days 30 --all
  epitome value queries --entries 20
  epitome value --by session --csv
  epitome value --formulas
  epitome value --spend";
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
        let by = params.by.unwrap_or(GroupingParam::Operation);
        let project = (!params.all).then(|| call.project.id.to_string());
        // A remote caller does not see the compactions of agents on this machine.
        let compactions = call.transcripts.and_then(|known| {
            compactions::CompactionTotals::from_records(
                known.read_compactions(),
                project.as_deref(),
                params.session.as_deref(),
            )
        });
        // Nor what their models have in their contexts.
        let named = call.transcripts.zip(params.session.as_deref());
        let window = named.and_then(|(known, session)| window::ContextWindow::find(known, session, &call.project.root));
        let is_query_log = params.view == Some(ValueView::Queries);
        let request = engine::ValueRequest {
            by: by.into(),
            project: (!params.all).then(|| call.project.id.clone()),
            session: params.session,
            days: params.days,
            entries: if is_query_log && params.entries == 0 { DEFAULT_QUERIES } else { params.entries },
            questions: is_query_log,
            spend: params.spend,
            compare: params.compare,
            returns: params.view == Some(ValueView::Roi),
        };
        let report = call.engine.ledger_report(request).await?;
        let formulas = if params.formulas { formula_lines() } else { Vec::new() };
        let is_csv = params.csv;
        Ok(ValueReply { formulas, compactions, window, is_csv, is_query_log, ..ValueReply::new(by, report) })
    }
}

/// Questions that the log shows unless a number is named.
const DEFAULT_QUERIES: u32 = 20;

/// How each kind of call is counted.
pub(crate) fn formula_lines() -> Vec<FormulaLine> {
    let line = |(formula, name): &(ValueFormula, &'static str)| FormulaLine {
        name,
        calls: formula.subject(),
        formula: formula.expression(),
        certainty: formula.certainty().as_str(),
    };
    ValueFormula::ALL.iter().map(line).collect()
}

impl ValueReply {
    fn new(by: GroupingParam, report: LedgerReport) -> Self {
        let before = report.before.as_ref().map(ValueSums::from_calls);
        let (model, rates) = (report.valued.model, report.valued.price.map(engine::TokenPrice::dollar_rates));
        Self {
            by: by.as_str(),
            totals: merge_totals(&report.calls.totals, report.models),
            total: ValueSums::from_calls(&report.calls.total).with_models(&report.models_total),
            before,
            own_calls: report.calls.own.calls,
            price: ReferencePrice { model, dollars_per_million: rates.map(|(input, _)| input) },
            entries: report
                .entries
                .into_iter()
                .zip(report.used)
                .map(|(call, used)| CallEntry::new(call, used))
                .collect(),
            model_calls: report.model_entries.into_iter().map(Into::into).collect(),
            roi: report.returns.map(Into::into),
            formulas: Vec::new(),
            spend: report.spend.map(Into::into),
            compactions: None,
            window: None,
            is_csv: false,
            is_query_log: false,
        }
    }
}

/// Totals of calls and of models, one row a key.
fn merge_totals(calls: &[CallTotal], models: Vec<LedgerTotal>) -> Vec<ValueTotal> {
    let mut rows: BTreeMap<String, ValueTotal> = BTreeMap::new();
    for total in calls {
        let (first, last) = (Some(total.first.to_string()), Some(total.last.to_string()));
        let sums = ValueSums::from_calls(total);
        rows.insert(total.key.clone(), ValueTotal { key: total.key.clone(), entries: total.calls, first, last, sums });
    }
    for total in models {
        let row = rows.entry(total.key.clone()).or_insert_with(|| ValueTotal {
            key: total.key,
            entries: 0,
            first: None,
            last: None,
            sums: ValueSums::default(),
        });
        row.entries += total.entries;
        row.sums = std::mem::take(&mut row.sums).with_models(&total.figures);
    }
    rows.into_values().collect()
}

impl From<ReturnsReport> for ValueReturns {
    fn from(report: ReturnsReport) -> Self {
        let of = |formula: ValueFormula| {
            let found = report.formulas.iter().find(|total| total.key == formula.as_str());
            found.map_or(0, |total| total.measured.tokens_avoided)
        };
        let net_tokens: i64 = report.formulas.iter().map(|total| total.measured.tokens_avoided).sum();
        let schema_tokens = -of(ValueFormula::Schemas);
        let injected_tokens = -of(ValueFormula::Injection);
        let reread_tokens = -(of(ValueFormula::Reread) + of(ValueFormula::Expansion));
        let avoided: model::Money = report.formulas.iter().map(|total| total.measured.money_avoided).sum();
        let spent: model::Money = report.project_models.iter().map(|total| total.figures.money).sum();
        Self {
            agents: merge_totals(&report.agents, Vec::new()),
            projects: merge_totals(&report.projects, report.project_models),
            spared_tokens: net_tokens + schema_tokens + injected_tokens + reread_tokens,
            schema_tokens,
            injected_tokens,
            reread_tokens,
            net_tokens,
            dollars_avoided: avoided.to_dollars(),
            dollars_spent: spent.to_dollars(),
            net_dollars: (avoided - spent).to_dollars(),
        }
    }
}

impl GroupingParam {
    fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Session => "session",
            Self::Project => "project",
            Self::Operation => "operation",
            Self::Agent => "agent",
            Self::Door => "door",
            Self::Formula => "formula",
            Self::Model => "model",
        }
    }
}

impl From<GroupingParam> for engine::ValueGrouping {
    fn from(by: GroupingParam) -> Self {
        match by {
            GroupingParam::Day => Self::Day,
            GroupingParam::Session => Self::Session,
            GroupingParam::Project => Self::Project,
            GroupingParam::Operation => Self::Operation,
            GroupingParam::Agent => Self::Agent,
            GroupingParam::Door => Self::Door,
            GroupingParam::Formula => Self::Formula,
            GroupingParam::Model => Self::Model,
        }
    }
}

impl From<store::LedgerEntry> for ModelCallEntry {
    fn from(entry: store::LedgerEntry) -> Self {
        let store::NewEntry { at, account, basis, figures, .. } = entry.entry;
        Self {
            at: at.to_string(),
            operation: account.operation,
            project: account.project.map(|project| project.to_string()),
            session: account.session,
            model: account.model,
            basis: basis.as_str(),
            tokens_in: figures.tokens_in,
            tokens_out: figures.tokens_out,
            cache_read: figures.cache_read,
            cache_write: figures.cache_write,
            dollars: figures.money.to_dollars(),
        }
    }
}

impl OperationReply for ValueReply {
    fn to_text(&self) -> String {
        if self.is_csv {
            return table::totals_csv(self.by, &self.totals);
        }
        let mut text = String::new();
        for FormulaLine { name, calls, formula, certainty } in &self.formulas {
            text.push_str(&format!("{name} ({certainty}): {formula}\n    {calls}\n"));
        }
        if let Some(spend) = &self.spend {
            text.push_str(&spend.to_text());
        }
        let is_empty = self.totals.is_empty() && self.own_calls == 0;
        // What was asked for in place of totals stands alone.
        let is_special =
            self.is_query_log || !self.formulas.is_empty() || (self.spend.is_some() && self.totals.is_empty());
        if !is_empty && !is_special {
            text.push_str(&table::headline(self));
            if !self.totals.is_empty() {
                text.push_str(&table::totals_table(self.by, &self.totals, &self.total));
            }
        }
        if let Some(returns) = &self.roi {
            text.push_str(&table::returns_table(returns));
        }
        for entry in &self.entries {
            text.push_str(&entry.to_line());
        }
        for ModelCallEntry { at, operation, model, basis, tokens_in, tokens_out, dollars, .. } in &self.model_calls {
            let model = model.as_deref().unwrap_or("-");
            let dollars = table::dollars(*dollars);
            text.push_str(&format!("{at} {operation} {model} ({basis}) {tokens_in} in, {tokens_out} out, {dollars}\n"));
        }
        if let Some(compactions) = &self.compactions {
            text.push_str(&compactions.to_text());
        }
        if let Some(window) = &self.window {
            text.push_str(&window.to_text());
        }
        if text.is_empty() { "the ledger is empty\n".to_owned() } else { text }
    }

    fn command_exit(&self) -> CommandExit {
        CommandExit::Ok
    }
}
