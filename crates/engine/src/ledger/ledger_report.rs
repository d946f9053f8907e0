//! Builds the report of the ledger (totals, the newest entries, and what may still be spent today), and switches all
//! spending on models off or on.

use super::spend_contract::model_name;
use super::{ProviderSet, TokenPrice, flush_notes};
use crate::base::Result;
use crate::ledger::LedgerContext;
use model::{ProjectId, UtcDay};
use providers::Vendor;
use store::{
    LedgerEntry, LedgerFigures, LedgerStatus, LedgerTotal, SpendAmount, SpendLimits, SpendingState, TotalsBy,
    TotalsFilter,
};

/// What to report.
#[derive(Clone, Debug)]
pub struct ValueRequest {
    /// The key of the totals.
    pub by: TotalsBy,
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only of this session.
    pub session: Option<String>,
    /// Only of so many days, today included; `None` for all.
    pub days: Option<u32>,
    /// How many of the newest entries of all projects.
    pub entries: u32,
    /// Whether to report what may be spent.
    pub spend: bool,
}

/// What the ledger says.
#[derive(Debug)]
pub struct LedgerReport {
    /// Totals, ordered by key.
    pub totals: Vec<LedgerTotal>,
    /// What they add up to.
    pub total: LedgerFigures,
    /// Entries, newest first.
    pub entries: Vec<LedgerEntry>,
    /// What may be spent, if requested.
    pub spend: Option<SpendReport>,
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
    let today = UtcDay::from_timestamp(ledger.clock.now());
    let first = |days: u32| UtcDay(today.0.saturating_sub(i32::try_from(days).unwrap_or(i32::MAX).saturating_sub(1)));
    let filter = TotalsFilter { since: request.days.map(first), project: request.project, session: request.session };
    let totals = ledger.store.ledger_totals(request.by, filter).await?;
    let total = totals.iter().fold(LedgerFigures::default(), |sum, total| sum + total.figures);
    let entries = match request.entries {
        0 => Vec::new(),
        limit => ledger.store.ledger_entries(limit).await?,
    };
    let spend = if request.spend { Some(build_spend_report(ledger, today).await?) } else { None };
    Ok(LedgerReport { totals, total, entries, spend })
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
