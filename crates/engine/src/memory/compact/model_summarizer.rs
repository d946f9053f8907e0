//! Has a language model write a summary of messages, where one is configured and may be asked.
//!
//! The model is given rows that were extracted from the messages, or the summaries below. Three levels: the normal
//! prompt, a stricter one, and the built-in summarizer. A text that is not shorter than its input, or that names
//! something its input does not name, is rejected, and the next level is tried. A failure is never stored as a model's
//! text: the built-in text takes its place, marked as a fallback, so that it can be redone.

use super::fold_input::{FoldInput, FoldInputItem, WrittenSummary};
use crate::base::Result;
use crate::ledger::{CallInitiative, CallPurpose, Degradation, generate_text};
use crate::memory::MemoryContext;
use crate::memory::summarize::{SummaryOutline, find_unsupported, strip_closing};
use model::{ConversationId, FoldTrigger, ProjectId, SummaryMethod, TokenCount};
use providers::{Prompt, SummaryEffort};
use std::time::Duration;

/// The purpose of a model call.
pub(super) struct ModelSummarizer<'a> {
    pub(super) conversation: &'a ConversationId,
    pub(super) project: Option<&'a ProjectId>,
    pub(super) trigger: FoldTrigger,
    /// The provider that the caller names.
    pub(super) provider: Option<&'a str>,
}

/// Says that no model is wanted.
const BUILTIN_PROVIDER: &str = "builtin";
/// Room for models that think before they write, besides the text itself.
const REASONING_TOKENS: u32 = 2_000;
const DEADLINE: Duration = Duration::from_mins(2);
/// A text of more than so many times its target was not pressed enough.
const TOO_LONG: u32 = 2;
/// Most claims without support that are named in a report.
const MAX_NAMED_CLAIMS: usize = 3;

/// The result of asking a model.
pub(super) enum SummaryAttempt {
    /// A model wrote it.
    Wrote(WrittenSummary),
    /// No model may be asked.
    Nobody,
    /// Models were asked and gave nothing usable.
    Missed {
        why: Vec<Degradation>,
        /// Whether another chunk may succeed.
        others_may: bool,
    },
}

impl ModelSummarizer<'_> {
    /// Whether a model is there to be asked.
    pub(super) fn has_model(&self, memory: &MemoryContext) -> bool {
        let wanted = self.provider != Some(BUILTIN_PROVIDER);
        let configured = !memory.ledger.providers.generators.is_empty() || self.provider.is_some();
        // Folding in the background spends money without a person who asked for it, so it needs the user's setting.
        wanted && configured && (self.initiative() == CallInitiative::User || memory.ledger.spend.background)
    }

    fn initiative(&self) -> CallInitiative {
        match self.trigger {
            FoldTrigger::Manual => CallInitiative::User,
            FoldTrigger::Threshold | FoldTrigger::Maintenance => CallInitiative::Background,
        }
    }

    /// Has the summary written. `earlier` is the summary before it, `room` what it must stay below.
    pub(super) async fn write_summary(
        &self,
        memory: &MemoryContext,
        material: &FoldInput,
        outline: &SummaryOutline,
        earlier: Option<&str>,
        (target, depth, room): (TokenCount, u32, u64),
    ) -> Result<SummaryAttempt> {
        if !self.has_model(memory) {
            return Ok(SummaryAttempt::Nobody);
        }
        let purpose = CallPurpose {
            operation: "compact",
            project: self.project,
            session: Some(self.conversation.as_str()),
            initiative: self.initiative(),
        };
        let mut why = Vec::new();
        let mut others_may = true;
        for effort in [SummaryEffort::Normal, SummaryEffort::Aggressive] {
            let shown = material.render_material(outline, depth, target);
            let prompt = build_prompt(&shown, effort, depth, earlier, target);
            let version = prompt.version.to_string();
            let request = prompt.into_request(TokenCount(target.0 * TOO_LONG + REASONING_TOKENS), DEADLINE);
            let written = generate_text(&memory.ledger, purpose, self.provider, &request).await?;
            why.extend(written.missed);
            // A failed call tells nothing about the length, so the harder prompt is tried only where another call can
            // succeed.
            let (Some(text), Some(model)) = (written.text, written.model) else {
                others_may = written.others_may;
                if !others_may {
                    break;
                }
                continue;
            };
            // The closing line names what expanding gives; a model does not know which words its text left out.
            let text = strip_closing(&text);
            let draft = outline.build_draft(outline.append_closing(text));
            let cost = u64::from(draft.tokens.0);
            // Longer than what it replaces is no summary, however good: the context would grow with every fold.
            let is_short = !text.is_empty() && cost < room && cost <= u64::from(target.0 * TOO_LONG);
            let material = shown.iter().map(String::as_str).chain(earlier).collect::<Vec<_>>().join("\n");
            let invented = find_unsupported(text, &material);
            if is_short && invented.is_empty() {
                let method = SummaryMethod::Model { model, prompt: version };
                return Ok(SummaryAttempt::Wrote(WrittenSummary { draft, method }));
            }
            let reason = if is_short {
                let named = invented.iter().take(MAX_NAMED_CLAIMS).cloned().collect::<Vec<_>>().join(", ");
                format!("{model} named what the messages do not: {named}")
            } else {
                format!("{model} wrote {cost} tokens where {target} were asked for")
            };
            why.push(Degradation { reason, fix: None });
        }
        Ok(SummaryAttempt::Missed { why, others_may })
    }
}

impl FoldInput {
    /// What a model is shown: the rows of messages, or each summary below with its time.
    pub(super) fn render_material(&self, outline: &SummaryOutline, depth: u32, target: TokenCount) -> Vec<String> {
        if depth == 0 {
            return vec![outline.render_rows(target)];
        }
        self.input_items().iter().map(|item| render_memory(item, target)).collect()
    }
}

fn build_prompt(
    shown: &[String],
    effort: SummaryEffort,
    depth: u32,
    earlier: Option<&str>,
    target: TokenCount,
) -> Prompt {
    let earlier = earlier.map(strip_closing);
    match effort {
        SummaryEffort::Normal if depth > 0 => {
            let memories: Vec<&str> = shown.iter().map(String::as_str).collect();
            Prompt::condensed_summary(depth, &memories, earlier, target)
        }
        SummaryEffort::Normal | SummaryEffort::Aggressive => {
            Prompt::leaf_summary(effort, &shown.join("\n\n"), earlier, target)
        }
    }
}

/// A summary below, or the rows of messages between two, after the time it is about.
fn render_memory(item: &FoldInputItem, target: TokenCount) -> String {
    let text = match item {
        FoldInputItem::Summary(summary) => strip_closing(&summary.content).to_owned(),
        FoldInputItem::Messages(_) => SummaryOutline::from_inputs(&[item.outline_input()]).render_rows(target),
    };
    let time = match (item.first_time(), item.last_time()) {
        (Some(from), Some(until)) => format!("time range: {from} – {until}\n"),
        (Some(at), None) | (None, Some(at)) => format!("time range: {at}\n"),
        (None, None) => String::new(),
    };
    format!("{time}{text}")
}
