//! Fills the ledger of an embedded store with the calls of a month, for benchmarks: a month of calls would take one.
//! Called as `fill_ledger HOME PROJECT_ID CALLS SESSIONS NOW_MS`.

use model::{Money, ProjectId, Timestamp, UtcDay};
use std::path::Path;
use store::sqlite::SqliteStore;
use store::{CallDoor, CallFigures, CallQuestion, Certainty, NewToolCall, ToolCallStore};

/// Calls of one write, as many as a busy second has.
const BATCH: i64 = 1_000;

const MONTH_MS: i64 = 30 * 86_400_000;

/// A month of calls.
struct LedgerMonth {
    project: ProjectId,
    calls: i64,
    sessions: i64,
    begins: i64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [home, project, numbers @ ..] = &arguments[..] else { panic!("a home and a project") };
    let numbers: Vec<i64> = numbers.iter().map(|number| number.parse().expect("a number")).collect();
    let [calls, sessions, now] = numbers[..] else { panic!("how many calls, how many sessions, and what time it is") };
    let project = ProjectId::parse(project).expect("the id of a project");
    let month = LedgerMonth { project, calls, sessions, begins: now - MONTH_MS };
    let folder = |name: &str| Path::new(home).join(name);
    let store = SqliteStore::open_anchored(&folder("data"), &folder("cache"), &folder("state")).expect("a store");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for first in (0..calls).step_by(BATCH as usize) {
        let batch = (first..(first + BATCH).min(calls)).map(|number| month.build_call(number)).collect();
        runtime.block_on(store.record_tool_calls(batch)).expect("records");
    }
}

impl LedgerMonth {
    fn build_call(&self, number: i64) -> NewToolCall {
        let at = Timestamp(self.begins + MONTH_MS * number / self.calls.max(1));
        let session = number * self.sessions / self.calls.max(1);
        let (operation, size) = (number * 7_919 % 12, number * 104_729 % 9_000);
        let agent = ["one agent", "another agent", "a third one"][session as usize % 3];
        let question = CallQuestion { query: format!("how is f{size} used"), results: 5, ..CallQuestion::default() };
        let (raw, shown) = (size + 500, size / 3);
        NewToolCall {
            at,
            day: UtcDay::from_timestamp(at),
            door: if operation < 8 { CallDoor::Mcp } else { CallDoor::Hook },
            session: Some(format!("session-{session}")),
            project: Some(self.project.clone()),
            agent: Some(agent.to_owned()),
            tool: format!("tool{operation}"),
            operation: format!("operation{operation}"),
            mode: None,
            place: Some(format!("src/m{}.py", number % 40)),
            language: Some("a language".to_owned()),
            size_bucket: Some("S".to_owned()),
            formula: if operation < 6 { "view" } else { "injection" }.to_owned(),
            certainty: if operation % 4 == 3 { Certainty::Estimated } else { Certainty::Measured },
            figures: CallFigures {
                bytes_raw: raw,
                bytes_shown: shown,
                bytes_avoided: raw - shown,
                tokens_raw: raw / 4,
                tokens_shown: shown / 4,
                tokens_avoided: (raw - shown) / 4,
                money_avoided: Money((raw - shown) * 3 / 4),
            },
            elapsed_us: 900 + size as u64,
            turn: number as u64 % 500 + 1,
            question: (operation == 2).then_some(question),
        }
    }
}
