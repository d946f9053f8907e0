//! Totals of dispatches over many days. What days that are over came to is kept in memory: there are many of them, they
//! hardly ever change, and whoever looks at the ledger looks at it again. The day that runs is asked for each time.

use crate::base::Result;
use crate::ledger::LedgerContext;
use model::UtcDay;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{CallFilter, CallGrouping, CallTotal};

/// Totals that were asked for last; each page of the dashboard asks for a few.
const MAX_KEPT: usize = 16;

/// What days that are over came to, as it was asked for.
#[derive(Default)]
pub(crate) struct ClosedDays(Mutex<Vec<ClosedTotals>>);

struct ClosedTotals {
    by: CallGrouping,
    filter: CallFilter,
    /// How many calls these days had, by which it is known that they are the same.
    calls: u64,
    totals: Arc<Vec<CallTotal>>,
}

impl ClosedDays {
    fn find(&self, by: CallGrouping, filter: &CallFilter, calls: u64) -> Option<Arc<Vec<CallTotal>>> {
        let mut known = self.lock();
        let at = known.iter().position(|known| known.by == by && known.filter == *filter)?;
        // What was asked for last is the last to go.
        let found = known.remove(at);
        let totals = (found.calls == calls).then(|| Arc::clone(&found.totals));
        if totals.is_some() {
            known.push(found);
        }
        totals
    }

    fn keep(&self, closed: ClosedTotals) {
        let mut known = self.lock();
        let surplus = (known.len() + 1).saturating_sub(MAX_KEPT);
        known.drain(..surplus);
        known.push(closed);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ClosedTotals>> {
        // The list is whole between any two changes, so a panic leaves nothing half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Totals of dispatches, ordered by key.
pub(super) async fn total_calls(
    ledger: &LedgerContext,
    by: CallGrouping,
    filter: CallFilter,
) -> Result<Vec<CallTotal>> {
    let today = UtcDay::from_timestamp(ledger.clock.now());
    let yesterday = UtcDay(today.0 - 1);
    // Those of one session are few, and found by its name.
    let has_closed_days = filter.session.is_none() && filter.since.is_none_or(|since| since <= yesterday);
    if !has_closed_days {
        return Ok(ledger.store.tool_call_totals(by, filter).await?);
    }
    let last = filter.until.map_or(yesterday, |until| until.min(yesterday));
    // Asked before the totals: a call that comes between makes what is kept look older than it is.
    let calls = ledger.store.count_tool_calls(last).await?;
    let closed = CallFilter { until: Some(last), ..filter.clone() };
    let before = if let Some(known) = ledger.closed_days.find(by, &closed, calls) {
        known
    } else {
        let totals = Arc::new(ledger.store.tool_call_totals(by, closed.clone()).await?);
        ledger.closed_days.keep(ClosedTotals { by, filter: closed, calls, totals: Arc::clone(&totals) });
        totals
    };
    if filter.until.is_some_and(|until| until <= yesterday) {
        return Ok(before.to_vec());
    }
    let running = CallFilter { since: Some(today), ..filter };
    Ok(merge_totals(&before, &ledger.store.tool_call_totals(by, running).await?))
}

fn merge_totals(before: &[CallTotal], running: &[CallTotal]) -> Vec<CallTotal> {
    let mut merged: BTreeMap<&str, CallTotal> =
        before.iter().map(|total| (total.key.as_str(), total.clone())).collect();
    for total in running {
        match merged.entry(&total.key) {
            Entry::Vacant(new) => {
                new.insert(total.clone());
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.calls += total.calls;
                known.first = known.first.min(total.first);
                known.last = known.last.max(total.last);
                known.measured = known.measured + total.measured;
                known.estimated = known.estimated + total.estimated;
            }
        }
    }
    merged.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Timestamp;
    use store::CallFigures;

    fn total(key: &str, calls: u64, tokens_avoided: i64) -> CallTotal {
        let at = |hours: i64| Timestamp(hours * 3_600_000);
        CallTotal {
            key: key.to_owned(),
            calls,
            first: at(calls as i64),
            last: at(calls as i64 + 1),
            measured: CallFigures { tokens_avoided, ..CallFigures::default() },
            estimated: CallFigures::default(),
        }
    }

    #[test]
    fn the_day_that_runs_is_added_to_those_before_it() {
        let before = [total("read", 2, 10), total("search", 3, -4)];
        let merged = merge_totals(&before, &[total("context", 1, 5), total("search", 7, 1)]);
        let mut search = total("search", 10, -3);
        (search.first, search.last) = (before[1].first, total("search", 7, 1).last);
        assert_eq!(merged, [total("context", 1, 5), total("read", 2, 10), search]);
    }

    #[test]
    fn what_is_kept_counts_while_the_days_have_as_many_calls() {
        let days = ClosedDays::default();
        let filter = |until: i32| CallFilter { until: Some(UtcDay(until)), ..CallFilter::default() };
        let keep = |until: i32, calls: u64| {
            let totals = Arc::new(vec![total("read", calls, 1)]);
            days.keep(ClosedTotals { by: CallGrouping::Operation, filter: filter(until), calls, totals });
        };
        let find = |by, until: i32, calls| days.find(by, &filter(until), calls).is_some();
        keep(5, 2);
        assert!(find(CallGrouping::Operation, 5, 2));
        assert!(!find(CallGrouping::Day, 5, 2) && !find(CallGrouping::Operation, 6, 2));
        // A call came late: what was kept is let go.
        assert!(!find(CallGrouping::Operation, 5, 3) && !find(CallGrouping::Operation, 5, 2));
        for until in 0..=MAX_KEPT as i32 {
            keep(until, 2);
        }
        assert!(!find(CallGrouping::Operation, 0, 2) && find(CallGrouping::Operation, MAX_KEPT as i32, 2));
    }
}
