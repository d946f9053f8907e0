//! Has a model correct a draft by what was found in it, under the spend contract.

use super::CritiqueRequest;
use crate::Engine;
use crate::base::{Project, Result, beginning_within};
use crate::code::critique::{DraftIssue, IssueKind};
use crate::ledger::{CallPurpose, generate_text};
use model::{TokenCount, count_tokens};
use providers::Prompt;
use std::time::Duration;

/// Room for models that think before they write, besides the text itself.
const THINKING_TOKENS: u32 = 2_000;
/// Most tokens of the context that a model is shown.
const MAX_CONTEXT_TOKENS: TokenCount = TokenCount(6_000);

/// What came of asking.
pub(super) enum RevisedDraft {
    Written { text: String, model: String },
    Missed(Vec<String>),
}

/// A draft without what is wrong with it, as a model writes it.
pub(super) async fn revise_draft(
    engine: &Engine,
    project: &Project,
    request: &CritiqueRequest,
    (draft, issues): (&str, &[DraftIssue]),
    context: Option<&str>,
    left: Duration,
) -> Result<RevisedDraft> {
    if left.is_zero() {
        return Ok(RevisedDraft::Missed(vec!["the time was up".to_owned()]));
    }
    // All of it goes to a provider, so secrets leave it first.
    let scrubber = engine.scrubber.load().await?;
    let clean = scrubber.scrub_text(draft).0.into_owned();
    let findings = scrubber.scrub_text(&list_findings(issues)).0.into_owned();
    let context = context.map(|text| scrubber.scrub_text(beginning_within(text, MAX_CONTEXT_TOKENS).0).0.into_owned());
    let prompt = Prompt::revised_draft(&clean, &findings, context.as_deref());
    let room = TokenCount(count_tokens(&clean).0.saturating_mul(2).saturating_add(THINKING_TOKENS));
    let purpose = CallPurpose {
        operation: "critique",
        project: Some(&project.id),
        session: engine.ledger.session.as_deref(),
        initiative: request.initiative,
    };
    let written = generate_text(&engine.ledger, purpose, None, &prompt.into_request(room, left)).await?;
    let text = written.text.map(|text| scrubber.scrub_text(text.trim()).0.into_owned());
    if let (Some(text), Some(model)) = (text.filter(|text| !text.is_empty()), written.model) {
        return Ok(RevisedDraft::Written { text, model });
    }
    let mut why: Vec<String> = written.missed.iter().map(ToString::to_string).collect();
    if why.is_empty() {
        why.push("the model wrote nothing".to_owned());
    }
    Ok(RevisedDraft::Missed(why))
}

/// What a model is told of what is wrong: what is contradicted, and what is out of date.
fn list_findings(issues: &[DraftIssue]) -> String {
    let is_certain = |issue: &&DraftIssue| matches!(issue.kind, IssueKind::Hallucination | IssueKind::Outdated);
    let line = |issue: &DraftIssue| {
        let evidence = issue.evidence.as_deref().unwrap_or_default();
        let meant = issue.suggestion.as_ref().map(|meant| format!(" Perhaps meant: {meant}.")).unwrap_or_default();
        format!("- {}: {evidence}.{meant}\n", issue.claim)
    };
    issues.iter().filter(is_certain).map(line).collect()
}
