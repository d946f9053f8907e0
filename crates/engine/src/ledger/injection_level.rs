//! Decides how much a session is told without asking, by what the ledger measured of it: a session that costs more than
//! it spares, over a window of its newest calls, is told half as much, and then nothing.

use crate::base::Result;
use crate::ledger::{LedgerContext, flush_notes};
use model::ProjectId;
use store::{CallDoor, CallFilter, Certainty, ToolCall};

/// How much a session is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InjectionLevel {
    /// As much as is set.
    #[default]
    Full,
    /// Half of it.
    Half,
    /// Nothing.
    Off,
}

model::enum_words! { pub InjectionLevel { Full = "full", Half = "half", Off = "off" } }

impl InjectionLevel {
    /// What is left of so many tokens.
    pub fn scale_tokens(self, tokens: u32) -> u32 {
        match self {
            Self::Full => tokens,
            Self::Half => tokens / 2,
            Self::Off => 0,
        }
    }
}

/// Calls of hooks that are looked at. With fewer of them it is too early to tell.
const WINDOW: u32 = 20;

/// Calls of the project that are looked through for those of the same time.
const LOOKED_CALLS: u32 = 400;

/// Tokens that a session may cost over the window before it is told half as much, and before it is told nothing: twenty
/// prompts that are answered with all they may be come to the first.
const HALF_BELOW: i64 = -8_000;
const OFF_BELOW: i64 = -12_000;

/// How much a session is told, and what it cost net over the window.
pub(crate) async fn find_injection_level(
    ledger: &LedgerContext,
    project: &ProjectId,
    session: &str,
) -> Result<(InjectionLevel, i64)> {
    flush_notes(ledger).await;
    let of_session = CallFilter { session: Some(session.to_owned()), ..CallFilter::default() };
    let told = ledger.store.list_tool_calls(of_session, WINDOW).await?;
    let Some(oldest) = told.last().filter(|_| told.len() >= WINDOW as usize) else {
        return Ok((InjectionLevel::Full, 0));
    };
    // Tools of the same agent run under a session of their own: what they spared meanwhile counts, too.
    let of_project = CallFilter { project: Some(project.clone()), ..CallFilter::default() };
    let others = ledger.store.list_tool_calls(of_project, LOOKED_CALLS).await?;
    let tools = others.iter().filter(|call| call.call.door == CallDoor::Mcp && call.call.at >= oldest.call.at);
    let net = tools.chain(&told).map(measured_tokens).sum();
    let level = match net {
        _ if net < OFF_BELOW => InjectionLevel::Off,
        _ if net < HALF_BELOW => InjectionLevel::Half,
        _ => InjectionLevel::Full,
    };
    Ok((level, net))
}

fn measured_tokens(call: &ToolCall) -> i64 {
    match call.call.certainty {
        Certainty::Measured => call.call.figures.tokens_avoided,
        Certainty::Estimated => 0,
    }
}
