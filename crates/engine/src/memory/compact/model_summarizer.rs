//! Has a language model write a summary of messages, where one is configured and may be asked.
//!
//! Three levels: the normal prompt, a stricter one, and the built-in summarizer. A text that is not shorter than its
//! input is rejected, and the next level is tried. A failure is never stored as a model's text: the built-in text takes
//! its place, marked as a fallback, so that it can be redone.

use super::fold_input::{FoldInput, FoldInputItem, WrittenSummary};
use crate::base::Result;
use crate::ledger::{CallInitiative, CallPurpose, Degradation, generate_text};
use crate::memory::MemoryContext;
use crate::memory::summarize::SummaryOutline;
use model::{ConversationId, FoldTrigger, Message, ProjectId, SummaryMethod, TokenCount};
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
const BUILTIN: &str = "builtin";
/// Room for models that think before they write, besides the text itself.
const THINKING: u32 = 2_000;
const DEADLINE: Duration = Duration::from_mins(2);
/// A text of more than so many times its target was not pressed enough.
const TOO_LONG: u32 = 2;
/// Most tokens of one message that a model is shown; the middle of longer ones is named and left out.
const LONGEST_MESSAGE: u32 = 20_000;

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
        let wanted = self.provider != Some(BUILTIN);
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
            let prompt = material.build_prompt(effort, depth, earlier, target);
            let version = prompt.version.to_string();
            let request = prompt.into_request(TokenCount(target.0 * TOO_LONG + THINKING), DEADLINE);
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
            let draft = outline.build_draft(outline.append_closing(text.trim()));
            let cost = u64::from(draft.tokens.0);
            // Longer than what it replaces is no summary, however good: the context would grow with every fold.
            if !text.trim().is_empty() && cost < room && cost <= u64::from(target.0 * TOO_LONG) {
                let method = SummaryMethod::Model { model, prompt: version };
                return Ok(SummaryAttempt::Wrote(WrittenSummary { draft, method }));
            }
            let reason = format!("{model} wrote {cost} tokens where {target} were asked for");
            why.push(Degradation { reason, fix: None });
        }
        Ok(SummaryAttempt::Missed { why, others_may })
    }
}

impl FoldInput {
    fn build_prompt(&self, effort: SummaryEffort, depth: u32, earlier: Option<&str>, target: TokenCount) -> Prompt {
        let shown: Vec<String> = self.input_items().iter().map(render_input).collect();
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
}

fn render_input(stretch: &FoldInputItem) -> String {
    match stretch {
        FoldInputItem::Summary(summary) => summary.content.clone(),
        FoldInputItem::Messages(messages) => messages.iter().map(render_message).collect::<Vec<_>>().join("\n\n"),
    }
}

fn render_message(message: &Message) -> String {
    let who = message.body.speaker.as_deref().unwrap_or(message.body.role.as_str());
    let at = message.body.at.as_ref().map(|at| format!(" {}", at.text)).unwrap_or_default();
    format!("[{} {who}{at}]\n{}", message.seq, shorten_middle(&message.body.content(), message.tokens))
}

/// A text without its middle, where it is too long for a model to be asked about.
fn shorten_middle(text: &str, TokenCount(tokens): TokenCount) -> String {
    if tokens <= LONGEST_MESSAGE {
        return text.to_owned();
    }
    // By the bytes of an average token: cutting exactly would tokenize a text of megabytes twice.
    let keep = text.len() / tokens as usize * LONGEST_MESSAGE as usize / 2;
    let head = text.floor_char_boundary(keep);
    let tail = text.floor_char_boundary(text.len() - keep);
    format!("{}\n[… {} bytes left out …]\n{}", &text[..head], tail - head, &text[tail..])
}
