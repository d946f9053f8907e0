//! Totals of agents' context compactions in the reply of the `value` operation: facts kept, lost and injected again.

use crate::compactions::CompactionRecord;
use crate::ops::render_count;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(super) struct CompactionTotals {
    times: u64,
    /// Facts that the agent's own summary had
    kept: u64,
    /// Facts that it did not have
    lost: u64,
    /// Facts among those that the session was told again
    restored: u64,
}

impl CompactionTotals {
    /// Those of a project and of a session, where one is asked for; none where there were none.
    pub(super) fn from_records(
        all: Vec<CompactionRecord>,
        project: Option<&str>,
        session: Option<&str>,
    ) -> Option<Self> {
        let wanted = |one: &CompactionRecord| {
            project.is_none_or(|project| one.project == project) && session.is_none_or(|session| one.session == session)
        };
        let wanted: Vec<CompactionRecord> = all.into_iter().filter(wanted).collect();
        let sum = |number: fn(&CompactionRecord) -> usize| wanted.iter().map(|one| number(one) as u64).sum();
        (!wanted.is_empty()).then(|| Self {
            times: wanted.len() as u64,
            kept: sum(|one| one.kept),
            lost: sum(|one| one.lost),
            restored: sum(|one| one.restored),
        })
    }

    pub(super) fn to_text(&self) -> String {
        format!(
            "{} kept {}, lost {}; {} restored\n",
            render_count(self.times, "compaction"),
            render_count(self.kept, "fact"),
            self.lost,
            self.restored
        )
    }
}
