//! What agents' compactions kept, lost and were given back.

use crate::hook::Compaction;
use crate::ops::count;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(super) struct Compactions {
    times: u64,
    /// Facts that the agent's own summary had
    kept: u64,
    /// Facts that it did not have
    lost: u64,
    /// Facts among those that the session was told again
    restored: u64,
}

impl Compactions {
    /// Those of a project and of a session, where one is asked for; none where there were none.
    pub(super) fn of(all: Vec<Compaction>, project: Option<&str>, session: Option<&str>) -> Option<Self> {
        let wanted = |one: &Compaction| {
            project.is_none_or(|project| one.project == project) && session.is_none_or(|session| one.session == session)
        };
        let wanted: Vec<Compaction> = all.into_iter().filter(wanted).collect();
        let sum = |number: fn(&Compaction) -> usize| wanted.iter().map(|one| number(one) as u64).sum();
        (!wanted.is_empty()).then(|| Self {
            times: wanted.len() as u64,
            kept: sum(|one| one.kept),
            lost: sum(|one| one.lost),
            restored: sum(|one| one.restored),
        })
    }

    pub(super) fn text(&self) -> String {
        format!(
            "{} kept {}, lost {}; {} restored\n",
            count(self.times, "compaction"),
            count(self.kept, "fact"),
            self.lost,
            self.restored
        )
    }
}
