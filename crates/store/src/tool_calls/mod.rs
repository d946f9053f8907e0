//! `ToolCallStore`, the store trait for dispatches of operations: what each spared its reader and cost it, totals that
//! outlive the single calls, who is told of new ones, and what was learned of how files are best shown.

mod mode_arm;
mod tool_call;

pub use mode_arm::{ModeArm, ModeOutcome, ModeSlot};
pub use tool_call::{
    CallDoor, CallFigures, CallFilter, CallGrouping, CallOrigin, CallQuestion, CallTotal, Certainty, NewToolCall,
    ToolCall,
};

use crate::Result;
use async_trait::async_trait;
use model::{Timestamp, UtcDay};
use std::time::Duration;

/// Dispatches of operations.
#[async_trait]
pub trait ToolCallStore: Send + Sync {
    /// Adds calls, all or none, and moves their totals.
    async fn record_tool_calls(&self, calls: Vec<NewToolCall>) -> Result<()>;

    /// The newest calls that a filter lets through, newest first by time, then by number.
    async fn list_tool_calls(&self, filter: CallFilter, limit: u32) -> Result<Vec<ToolCall>>;

    /// Calls with a number above `number`, by number: at most the newest `limit`. Numbers of calls that are recorded at
    /// the same time by several processes may become visible out of order.
    async fn tool_calls_after(&self, number: i64, limit: u32) -> Result<Vec<ToolCall>>;

    /// Totals of everything ever recorded, ordered by key. What has no session, project or agent is under the empty key.
    async fn tool_call_totals(&self, by: CallGrouping, filter: CallFilter) -> Result<Vec<CallTotal>>;

    /// How many calls of the days up to one were ever recorded, those that were dropped included. While it is the same, so
    /// are the totals of these days.
    async fn count_tool_calls(&self, until: UtcDay) -> Result<u64>;

    /// Drops calls older than a moment and says how many; totals stay.
    async fn prune_tool_calls(&self, before: Timestamp) -> Result<u64>;

    /// A watch that notices calls that any process records.
    async fn watch_tool_calls(&self) -> Result<Box<dyn CallWatch>>;

    /// Adds what was learned of modes.
    async fn record_mode_outcomes(&self, outcomes: Vec<ModeOutcome>) -> Result<()>;

    /// Everything that was learned of modes, by slot and mode.
    async fn load_mode_arms(&self) -> Result<Vec<ModeArm>>;

    /// Forgets what was learned of a slot, or of all slots, and says how many arms that were.
    async fn reset_mode_arms(&self, slot: Option<ModeSlot>) -> Result<u64>;
}

/// Notices calls that are recorded.
#[async_trait]
pub trait CallWatch: Send {
    /// Waits until calls may have been recorded since the last wait, for at most `patience`.
    async fn wait_for_calls(&mut self, patience: Duration) -> Result<()>;
}
