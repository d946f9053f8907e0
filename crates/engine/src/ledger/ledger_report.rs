//! Builds the report of the ledger (totals of dispatches and of model calls, the newest of both, the log of questions,
//! and what may still be spent today), and switches all spending on models off or on.

use super::spend_contract::model_name;
use super::{ProviderSet, TokenPrice, ValueTotals, build_value_totals, flush_notes, total_calls};
use crate::base::Result;
use crate::ledger::LedgerContext;
use model::{ProjectId, UtcDay};
use providers::Vendor;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use store::{
    AnswerRecord, CallFilter, CallGrouping, CallOrigin, CallTotal, LedgerEntry, LedgerFigures, LedgerStatus,
    LedgerTotal, SpendAmount, SpendLimits, SpendingState, ToolCall, TotalsBy, TotalsFilter,
};

/// The key of totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueGrouping {
    /// The day.
    Day,
    /// The session.
    Session,
    /// The project.
    Project,
    /// The operation.
    #[default]
    Operation,
    /// The agent.
    Agent,
    /// The door.
    Door,
    /// The formula.
    Formula,
    /// The model.
    Model,
}

impl ValueGrouping {
    /// The key of dispatches; none where they have no such key.
    fn of_calls(self) -> Option<CallGrouping> {
        match self {
            Self::Day => Some(CallGrouping::Day),
            Self::Session => Some(CallGrouping::Session),
            Self::Project => Some(CallGrouping::Project),
            Self::Operation => Some(CallGrouping::Operation),
            Self::Agent => Some(CallGrouping::Agent),
            Self::Door => Some(CallGrouping::Door),
            Self::Formula => Some(CallGrouping::Formula),
            Self::Model => None,
        }
    }

    /// The key of model calls; none where they have no such key.
    fn of_models(self) -> Option<TotalsBy> {
        match self {
            Self::Day => Some(TotalsBy::Day),
            Self::Session => Some(TotalsBy::Session),
            Self::Project => Some(TotalsBy::Project),
            Self::Operation => Some(TotalsBy::Operation),
            Self::Formula => Some(TotalsBy::Formula),
            Self::Model => Some(TotalsBy::Model),
            Self::Agent | Self::Door => None,
        }
    }
}

/// What to report.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each part of the report may be wanted by itself")]
pub struct ValueRequest {
    /// The key of the totals.
    pub by: ValueGrouping,
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only of this session.
    pub session: Option<String>,
    /// Only of so many days, today included; `None` for all.
    pub days: Option<u32>,
    /// How many of the newest entries.
    pub entries: u32,
    /// Whether only entries with a question are wanted.
    pub questions: bool,
    /// Whether to report what may be spent.
    pub spend: bool,
    /// Whether to report the same number of days before, too.
    pub compare: bool,
    /// Whether to report what each agent and each project gained and cost.
    pub returns: bool,
}

/// What the ledger says.
#[derive(Debug)]
pub struct LedgerReport {
    /// Totals of model calls, ordered by key.
    pub models: Vec<LedgerTotal>,
    /// What they add up to.
    pub models_total: LedgerFigures,
    /// Totals of dispatches.
    pub calls: ValueTotals,
    /// What agents' dispatches added up to in the same number of days before, if requested.
    pub before: Option<CallTotal>,
    /// Dispatches, newest first.
    pub entries: Vec<ToolCall>,
    /// For each entry with a question: how many of the places that it listed were read afterwards.
    pub used: Vec<Option<u64>>,
    /// Model calls, newest first.
    pub model_entries: Vec<LedgerEntry>,
    /// What may be spent, if requested.
    pub spend: Option<SpendReport>,
    /// The model whose price tokens are counted at.
    pub valued: ValuedModel,
    /// What each agent and each project gained and cost, if requested.
    pub returns: Option<ReturnsReport>,
}

/// What was gained and what that cost.
#[derive(Debug)]
pub struct ReturnsReport {
    /// By agent.
    pub agents: Vec<CallTotal>,
    /// By project.
    pub projects: Vec<CallTotal>,
    /// What models cost, by project.
    pub project_models: Vec<LedgerTotal>,
    /// By formula: what was spared, and what schemas, injections and readings of the same file took back.
    pub formulas: Vec<CallTotal>,
}

impl LedgerReport {
    /// Tokens that agents did not have to read, as far as that is measured: what dispatches spared, and what entries of
    /// before dispatches were recorded did.
    pub fn net_tokens(&self) -> i64 {
        self.calls.total.measured.tokens_avoided.saturating_add(self.models_total.tokens_avoided)
    }
}

/// The model whose price tokens are counted at.
#[derive(Clone, Debug)]
pub struct ValuedModel {
    /// Its name, as `vendor/model`.
    pub model: String,
    /// Its price, where that is known.
    pub price: Option<TokenPrice>,
}

/// The limits of spending, and what was spent.
#[derive(Debug)]
pub struct SpendReport {
    /// The current state.
    pub standing: LedgerStatus,
    /// The ceilings.
    pub limits: SpendLimits,
    /// Whether models may be called without a user's asking.
    pub background: bool,
    /// What is left of a day.
    pub remaining: SpendAmount,
    /// Every configured provider, in the order in which they are asked.
    pub providers: Vec<ProviderSpend>,
}

/// A configured provider.
#[derive(Debug)]
pub struct ProviderSpend {
    /// Its model, as `vendor/model`.
    pub model: String,
    /// Its price, where that is known.
    pub price: Option<TokenPrice>,
    /// Its total cost so far.
    pub spent: SpendAmount,
}

pub(crate) async fn build_ledger_report(ledger: &LedgerContext, request: ValueRequest) -> Result<LedgerReport> {
    // Notes of a moment ago are part of the answer.
    flush_notes(ledger).await;
    let store = &ledger.store;
    let today = UtcDay::from_timestamp(ledger.clock.now());
    let first = |days: u32| UtcDay(today.0.saturating_sub(i32::try_from(days).unwrap_or(i32::MAX).saturating_sub(1)));
    let since = request.days.map(first);
    let filter = CallFilter {
        since,
        project: request.project.clone(),
        session: request.session.clone(),
        questions_only: request.questions,
        ..CallFilter::default()
    };
    let by = request.by.of_calls();
    let mut calls = build_value_totals(ledger, by.unwrap_or(CallGrouping::Operation), filter.clone()).await?;
    if by.is_none() {
        calls.totals.clear();
    }
    let before = match request.days.filter(|_| request.compare) {
        None => None,
        Some(days) => {
            let last = UtcDay(first(days).0.saturating_sub(1));
            let since = UtcDay(last.0.saturating_sub(i32::try_from(days).unwrap_or(i32::MAX).saturating_sub(1)));
            let filter = CallFilter { since: Some(since), until: Some(last), ..filter.clone() };
            Some(build_value_totals(ledger, CallGrouping::Day, filter).await?.total)
        }
    };
    let of_models = TotalsFilter { since, project: request.project, session: request.session };
    let models = match request.by.of_models() {
        Some(by) => store.ledger_totals(by, of_models.clone()).await?,
        None => Vec::new(),
    };
    // Model calls have neither agent nor door; then what they cost stands in the total alone.
    let all = store.ledger_totals(TotalsBy::Day, of_models.clone()).await?;
    let agents_filter = CallFilter { origin: CallOrigin::Agents, ..filter.clone() };
    let entries = match request.entries {
        0 => Vec::new(),
        limit => store.list_tool_calls(filter, limit).await?,
    };
    let model_entries = match request.entries {
        0 => Vec::new(),
        limit => store.ledger_entries(limit).await?,
    };
    let spend = if request.spend { Some(build_spend_report(ledger, today).await?) } else { None };
    let returns = if request.returns { Some(build_returns(ledger, &agents_filter, of_models).await?) } else { None };
    let price = ledger.spend.prices.find_price(&ledger.priced_model);
    Ok(LedgerReport {
        models_total: all.iter().fold(LedgerFigures::default(), |sum, total| sum + total.figures),
        models,
        calls,
        before,
        used: find_used(ledger, &entries).await?,
        entries,
        model_entries,
        spend,
        valued: ValuedModel { model: ledger.priced_model.clone(), price },
        returns,
    })
}

async fn build_returns(ledger: &LedgerContext, filter: &CallFilter, of_models: TotalsFilter) -> Result<ReturnsReport> {
    let totals = |by| total_calls(ledger, by, filter.clone());
    Ok(ReturnsReport {
        agents: totals(CallGrouping::Agent).await?,
        projects: totals(CallGrouping::Project).await?,
        project_models: ledger.store.ledger_totals(TotalsBy::Project, of_models).await?,
        formulas: totals(CallGrouping::Formula).await?,
    })
}

/// Answers of a project that are looked through for what was used of them.
const LOOKED_ANSWERS: u32 = 2_000;

/// How long after the answer was noted its dispatch may be, in milliseconds.
const NOTED_WITHIN: i64 = 60_000;

/// For each entry with a question: how many of the places that it listed were read afterwards, where that is known.
async fn find_used(ledger: &LedgerContext, entries: &[ToolCall]) -> Result<Vec<Option<u64>>> {
    let mut answers: BTreeMap<ProjectId, Vec<AnswerRecord>> = BTreeMap::new();
    for project in entries.iter().filter(|entry| entry.call.question.is_some()).filter_map(|it| it.call.project.clone())
    {
        if let Entry::Vacant(place) = answers.entry(project) {
            let found = ledger.store.load_answers(place.key(), None, LOOKED_ANSWERS).await?;
            place.insert(found);
        }
    }
    let used = |entry: &ToolCall| {
        let call = &entry.call;
        let question = call.question.as_ref()?;
        let known = answers.get(call.project.as_ref()?)?.iter();
        // The answer was noted before its dispatch ended.
        let mut of_call = known.filter(|answer| {
            answer.operation == call.operation
                && answer.question == question.query
                && (0..NOTED_WITHIN).contains(&(call.at.0 - answer.at.0))
        });
        of_call.next().map(|answer| answer.places.iter().filter(|place| place.used_by.is_some()).count() as u64)
    };
    Ok(entries.iter().map(used).collect())
}

async fn build_spend_report(ledger: &LedgerContext, today: UtcDay) -> Result<SpendReport> {
    let store = &ledger.store;
    let spend = &ledger.spend;
    let standing = store.ledger_status(today, ledger.session.as_deref(), ledger.clock.now()).await?;
    let by_model = store.ledger_totals(TotalsBy::Model, TotalsFilter::default()).await?;
    let provider = |model: String| {
        let total =
            by_model.iter().find(|total| total.key == model).map(|total| SpendAmount::from_figures(&total.figures));
        ProviderSpend { price: spend.prices.find_price(&model), spent: total.unwrap_or_default(), model }
    };
    let ProviderSet { generators, embedders, .. } = &ledger.providers;
    let names = generators.iter().map(|generator| model_name(generator.model()));
    // The built-in model costs nothing, so it has no row.
    let hosted = embedders.iter().filter(|embedder| embedder.vendor() != Vendor::Builtin);
    let names = names.chain(hosted.map(|embedder| embedder.model().name.to_string()));
    Ok(SpendReport {
        // Reserved money may still be spent, so it is not left over.
        remaining: remaining_amount(spend.limits.day, standing.spent_day + standing.reserved_day),
        standing,
        limits: spend.limits,
        background: spend.background,
        providers: names.map(provider).collect(),
    })
}

/// The rest of a limit; zero where more is used than it allows.
fn remaining_amount(limit: SpendAmount, used: SpendAmount) -> SpendAmount {
    let tokens = limit.tokens.saturating_sub(used.tokens).max(0);
    SpendAmount { tokens, money: (limit.money - used.money).max(model::Money(0)) }
}

/// The switch for all spending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpendSwitch {
    /// No call is made until it is allowed again.
    Stop,
    /// Calls are made under their ceilings.
    Resume,
}

/// Stops all spending by all users of this store, or allows it again.
pub(crate) async fn switch_spending(ledger: &LedgerContext, switch: SpendSwitch) -> Result<()> {
    let spending = match switch {
        SpendSwitch::Stop => SpendingState::Stopped(ledger.clock.now()),
        SpendSwitch::Resume => SpendingState::Allowed,
    };
    Ok(ledger.store.set_spending(spending).await?)
}
