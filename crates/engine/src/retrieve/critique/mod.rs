//! Critique of a draft: what it claims about the project is compared with the symbol table and the graph
//! (`code::critique`), with a context, and with the history; where it is asked for, a model corrects what was found and
//! the text is criticised again, until it passes.
//!
//! ```text
//! check_draft   symbols, signatures, places and calls, without a model
//! context       what the rest says, by the context it was written from
//! changed_sources  what changed since the commit or message that a sentence cites
//! revision      has a model correct it
//! ```

mod changed_sources;
mod context;
mod revision;

use crate::Engine;
use crate::base::budget::check_budget;
use crate::base::{Error, Project, Result};
use crate::code::critique::{DraftClaim, DraftFindings, DraftIssue, IssueKind, check_draft};
use crate::ledger::CallInitiative;
use context::CritiqueContext;
use model::TokenCount;
use revision::{RevisedDraft, revise_draft};
use std::time::Duration;

/// A draft to criticise.
#[derive(Clone, Debug)]
pub struct CritiqueRequest {
    /// The draft.
    pub draft: String,
    /// The question it answers: a context is looked up for it, unless one is given.
    pub query: Option<String>,
    /// What it was written from.
    pub context: Option<String>,
    /// Most tokens of a context that is looked up.
    pub budget: TokenCount,
    /// How often it is criticised at most, where it is revised.
    pub max_iterations: u32,
    /// Whether a model corrects it.
    pub revise: bool,
    /// Who asks.
    pub initiative: CallInitiative,
}

/// What is wrong with a draft, and what it claims.
#[derive(Clone, Debug, Default)]
pub struct CritiqueReport {
    /// Whether nothing in it is contradicted.
    pub passed: bool,
    /// The gravest first.
    pub issues: Vec<DraftIssue>,
    /// In the order of the draft.
    pub claims: Vec<DraftClaim>,
    /// How many claims were not looked at.
    pub omitted: usize,
    /// How often it was criticised.
    pub iterations: u32,
    /// The last text that was criticised, where a model wrote it.
    pub revised: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// What did not run, and why.
    pub degraded: Vec<String>,
}

/// A longer draft is no answer.
const MOST_BYTES: usize = 200_000;
/// How often a draft may be revised.
const MOST_ITERATIONS: u32 = 10;
/// How long all revisions of a draft may take.
const REVISION_DEADLINE: Duration = Duration::from_mins(3);

pub(crate) async fn critique_draft(
    engine: &Engine,
    project: &Project,
    request: CritiqueRequest,
) -> Result<CritiqueReport> {
    check_request(&request)?;
    let mut report = CritiqueReport::default();
    let context = CritiqueContext::build(engine, project, &request, &mut report.degraded).await?;
    let started = engine.clock.monotonic_time();
    let mut draft = request.draft.clone();
    loop {
        let findings = criticise(engine, project, &draft, &context).await?;
        let DraftFindings { claims, issues, omitted } = findings;
        report.iterations += 1;
        report.passed = !issues.iter().any(|issue| issue.kind == IssueKind::Hallucination);
        (report.claims, report.issues, report.omitted) = (claims, issues, omitted);
        if report.passed || !request.revise || report.iterations >= request.max_iterations {
            return Ok(report);
        }
        let elapsed = engine.clock.monotonic_time().saturating_sub(started);
        let left = REVISION_DEADLINE.saturating_sub(elapsed);
        let revised =
            revise_draft(engine, project, &request, (draft.as_str(), report.issues.as_slice()), context.text(), left)
                .await?;
        match revised {
            RevisedDraft::Written { text, model } => {
                draft.clone_from(&text);
                (report.revised, report.model) = (Some(text), Some(model));
            }
            RevisedDraft::Missed(why) => {
                report.degraded.extend(why.iter().map(|why| format!("the draft was not revised: {why}")));
                return Ok(report);
            }
        }
    }
}

/// What the code contradicts of a text: each claim, with what shows it.
pub(crate) async fn find_contradicted(engine: &Engine, project: &Project, text: &str) -> Result<Vec<(String, String)>> {
    if text.len() > MOST_BYTES {
        return Ok(Vec::new());
    }
    let findings = check_draft(&engine.code, project, text).await?;
    let is_high = |issue: &DraftIssue| issue.kind == IssueKind::Hallucination;
    let found = findings.issues.into_iter().filter(is_high);
    Ok(found.map(|issue| (issue.claim, issue.evidence.unwrap_or_default())).collect())
}

fn check_request(request: &CritiqueRequest) -> Result<()> {
    let refuse = |field, reason: String| Err(Error::Parameter { field, reason });
    if request.draft.trim().is_empty() {
        return refuse("draft", "is empty".to_owned());
    }
    if request.draft.len() > MOST_BYTES {
        return refuse("draft", format!("has {} bytes: at most {MOST_BYTES}", request.draft.len()));
    }
    if !(1..=MOST_ITERATIONS).contains(&request.max_iterations) {
        return refuse("max_iterations", format!("is {}: from 1 to {MOST_ITERATIONS}", request.max_iterations));
    }
    check_budget(Some(request.budget))
}

/// One look at a draft.
async fn criticise(
    engine: &Engine,
    project: &Project,
    draft: &str,
    context: &CritiqueContext,
) -> Result<DraftFindings> {
    let mut findings = check_draft(&engine.code, project, draft).await?;
    context.check_words(&mut findings);
    changed_sources::add_outdated(engine, project, draft, &mut findings).await?;
    context.add_incomplete(draft, &mut findings.issues);
    findings.issues.sort_by_key(|issue| (issue.severity(), issue.span.map_or(u32::MAX, |span| span.start)));
    Ok(findings)
}
