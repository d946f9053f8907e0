//! The `critique` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! compares what a draft claims about the project with the symbol table and the graph.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use model::{ByteSpan, TokenCount, show_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::Read as _;

pub(crate) struct CritiqueOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct CritiqueParams {
    /// The text to check
    #[arg(help = "The text to check; `-` reads standard input", value_parser = read_draft)]
    draft: String,
    /// The question it answers, to look up a context for
    #[arg(long)]
    query: Option<String>,
    /// What it was written from
    #[arg(long, conflicts_with = "query")]
    context: Option<String>,
    /// Tokens of the context to look up
    #[arg(long, help = "Tokens of the context to look up (default: `context.budget`)")]
    budget: Option<u32>,
    /// Have a model correct it
    #[arg(long, help = "Have a model correct what is contradicted")]
    #[serde(default)]
    revise: bool,
    /// Checks at most (default: 3)
    #[arg(long)]
    max_iterations: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CritiqueReply {
    /// Nothing is contradicted
    passed: bool,
    /// Gravest first
    issues: Vec<CritiqueIssue>,
    claims: Vec<CritiqueClaim>,
    /// Claims beyond the limit
    #[serde(skip_serializing_if = "is_zero")]
    omitted: usize,
    iterations: u32,
    /// The text a model made of it
    #[serde(skip_serializing_if = "Option::is_none")]
    revised: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// What did not run
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct CritiqueIssue {
    /// `hallucination`, `unsupported`, `outdated`, `incomplete`
    r#type: &'static str,
    /// `high`, `medium`, `low`
    severity: &'static str,
    claim: String,
    /// Its bytes
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<CritiqueSpan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct CritiqueSpan {
    start: u32,
    end: u32,
}

#[derive(Serialize, JsonSchema)]
struct CritiqueClaim {
    claim: String,
    /// `symbol`, `signature`, `location`, `behaviour`, `relation`, `version`
    r#type: &'static str,
    /// `yes`, `no`, `unknown`
    supported: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

const DEFAULT_ITERATIONS: u32 = 3;

impl Operation for CritiqueOperation {
    const NAME: &'static str = "critique";
    const SUMMARY: &'static str = "Check what a text claims about the code";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Symbols, their parameters, places and calls are compared with the symbol table and the graph, without a model. A claim is \
contradicted only where the project proves it; what it neither shows nor contradicts is `unknown`. A context, given or \
looked up for `--query`, decides on behaviour and versions. With `--revise` a configured model corrects the text, which \
is checked again. Exit status 1: something is contradicted.

Examples:
  epitome critique \"\\`Session.login(user)\\` in auth.py calls \\`hash_password\\`\"
  epitome critique - --query \"how are sessions kept\" < answer.md";
    type Params = CritiqueParams;
    type Reply = CritiqueReply;

    async fn run(call: &OperationCall<'_>, params: CritiqueParams) -> Result<CritiqueReply, engine::Error> {
        let request = engine::CritiqueRequest {
            draft: params.draft,
            query: params.query,
            context: params.context,
            budget: params.budget.map_or(call.config.context.budget, TokenCount),
            max_iterations: params.max_iterations.unwrap_or(DEFAULT_ITERATIONS),
            revise: params.revise,
            initiative: engine::CallInitiative::User,
        };
        let report = call.engine.critique_draft(call.project, request).await?;
        Ok(CritiqueReply {
            passed: report.passed,
            issues: report.issues.into_iter().map(CritiqueIssue::from).collect(),
            claims: report.claims.into_iter().map(CritiqueClaim::from).collect(),
            omitted: report.omitted,
            iterations: report.iterations,
            revised: report.revised,
            model: report.model,
            degraded: report.degraded,
        })
    }
}

/// The draft of the command line: itself, or standard input for `-`.
fn read_draft(text: &str) -> Result<String, String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut draft = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut draft)
        .map_err(|error| format!("cannot read standard input: {error}"))?;
    Ok(draft)
}

impl From<engine::DraftIssue> for CritiqueIssue {
    fn from(issue: engine::DraftIssue) -> Self {
        Self {
            r#type: issue.kind.as_str(),
            severity: issue.severity().as_str(),
            claim: issue.claim,
            span: issue.span.map(|ByteSpan { start, end }| CritiqueSpan { start, end }),
            evidence: issue.evidence,
            suggestion: issue.suggestion,
        }
    }
}

impl From<engine::DraftClaim> for CritiqueClaim {
    fn from(claim: engine::DraftClaim) -> Self {
        Self { claim: claim.text, r#type: claim.kind.as_str(), supported: claim.support.as_str(), source: claim.source }
    }
}

impl OperationReply for CritiqueReply {
    fn to_text(&self) -> String {
        let mut text = String::new();
        for issue in &self.issues {
            text += &format!("{} {}: {}\n", issue.severity, issue.r#type, show_name(&issue.claim));
            if let Some(evidence) = &issue.evidence {
                text += &format!("    {}\n", show_name(evidence));
            }
            if let Some(meant) = &issue.suggestion {
                text += &format!("    perhaps meant: {}\n", show_name(meant));
            }
        }
        let count = |supported: &str| self.claims.iter().filter(|claim| claim.supported == supported).count();
        text += &format!(
            "{}: {}, {} supported, {} contradicted, {} unknown\n",
            if self.passed { "passed" } else { "not passed" },
            render_count(self.claims.len() as u64, "claim"),
            count("yes"),
            count("no"),
            count("unknown")
        );
        if self.omitted > 0 {
            text += &format!("{} more were not looked at\n", render_count(self.omitted as u64, "claim"));
        }
        for why in &self.degraded {
            text += &format!("{}\n", show_name(why));
        }
        if let Some(revised) = &self.revised {
            let by = self.model.as_deref().unwrap_or("a model");
            text += &format!(
                "\nRevised by {} after {}:\n\n{revised}\n",
                show_name(by),
                render_count(self.iterations.into(), "check")
            );
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.passed { CommandExit::Ok } else { CommandExit::Refused }
    }
}
