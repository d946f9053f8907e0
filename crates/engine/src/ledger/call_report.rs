//! Builds reports over dispatches of operations: totals by a key, and one session with its newest calls.

use crate::base::Result;
use crate::ledger::{LedgerContext, flush_notes, total_calls};
use store::{CallFigures, CallFilter, CallGrouping, CallOrigin, CallTotal, ToolCall};

/// Totals of dispatches.
#[derive(Debug)]
pub struct ValueTotals {
    /// Totals of agents' calls, ordered by key.
    pub totals: Vec<CallTotal>,
    /// What they add up to.
    pub total: CallTotal,
    /// What a person's own commands add up to.
    pub own: CallTotal,
}

/// One session.
#[derive(Debug)]
pub struct SessionValue {
    /// What its calls add up to; none where there are none.
    pub total: Option<CallTotal>,
    /// Its newest calls, newest first.
    pub trace: Vec<ToolCall>,
}

pub(crate) async fn build_value_totals(
    ledger: &LedgerContext,
    by: CallGrouping,
    filter: CallFilter,
) -> Result<ValueTotals> {
    let agents = CallFilter { origin: CallOrigin::Agents, ..filter.clone() };
    let people = CallFilter { origin: CallOrigin::People, ..filter };
    let totals = total_calls(ledger, by, agents).await?;
    let own = total_calls(ledger, CallGrouping::Door, people).await?;
    Ok(ValueTotals { total: add_up(&totals), own: add_up(&own), totals })
}

/// One session, with so many of its calls.
pub(crate) async fn build_session_value(ledger: &LedgerContext, session: &str, limit: u32) -> Result<SessionValue> {
    // Notes of a moment ago are part of the answer.
    flush_notes(ledger).await;
    let filter = CallFilter { session: Some(session.to_owned()), ..CallFilter::default() };
    let totals = ledger.store.tool_call_totals(CallGrouping::Session, filter.clone()).await?;
    let trace = ledger.store.list_tool_calls(filter, limit).await?;
    Ok(SessionValue { total: totals.into_iter().next(), trace })
}

fn add_up(totals: &[CallTotal]) -> CallTotal {
    let sum = |figures: fn(&CallTotal) -> CallFigures| {
        totals.iter().map(figures).fold(CallFigures::default(), std::ops::Add::add)
    };
    CallTotal {
        key: String::new(),
        calls: totals.iter().map(|total| total.calls).sum(),
        first: totals.iter().map(|total| total.first).min().unwrap_or(model::Timestamp(0)),
        last: totals.iter().map(|total| total.last).max().unwrap_or(model::Timestamp(0)),
        measured: sum(|total| total.measured),
        estimated: sum(|total| total.estimated),
    }
}
