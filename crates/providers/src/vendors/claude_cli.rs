//! `ClaudeCli`, a `Generator` that runs the `claude` command in print mode, with the login the user already has.
//!
//! The command runs with no tools, no settings, no MCP servers and no record of the session: a question to a model,
//! not an agent at work.

use std::path::PathBuf;

use async_trait::async_trait;
use serde_json::Value;

use crate::answer::{AnswerEnd, UsageReport, VendorAnswer};
use crate::child_program::{ChildCall, ChildOutput, ChildProgram};
use crate::generator::render_messages;
use crate::{FailureCost, GenerateRequest, GeneratedText, GenerationModel, Generator, Result, Usage, Vendor};

/// Asks through the `claude` command.
#[derive(Debug)]
pub struct ClaudeCli {
    model: GenerationModel,
    child: ChildProgram,
}

impl ClaudeCli {
    /// A model by the command's name for it; `program` is `claude`, or where it is.
    pub fn new(model: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        let vendor = Vendor::ClaudeCli;
        Self {
            model: GenerationModel { vendor, name: model.into() },
            child: ChildProgram { vendor, program: program.into() },
        }
    }

    fn parse_output(&self, said: &ChildOutput) -> Result<VendorAnswer> {
        // Without a report the command failed before it asked a model, or printed something else.
        let Some(report) = find_report(&said.output) else {
            return Err(if said.succeeded {
                self.child.malformed_error("it is not the JSON the command promises")
            } else {
                self.child.classify_error(&said.complaint, &self.model.name, FailureCost::Unknown)
            });
        };
        let usage = parse_usage(&UsageReport(report.get("usage")));
        let structured = report.get("structured_output").filter(|structured| !structured.is_null());
        // With a schema the command puts the checked JSON into a field of its own.
        let text = match structured {
            Some(structured) => structured.to_string(),
            None => report["result"].as_str().unwrap_or_default().to_owned(),
        };
        if report["is_error"] == true || !said.succeeded {
            let spent = usage
                .ok()
                .filter(|usage| *usage != Usage::default())
                .map_or(FailureCost::Unknown, FailureCost::Reported);
            return Err(self.child.classify_error(&text, &self.model.name, spent));
        }
        let ended = match report["stop_reason"].as_str() {
            Some("refusal") => AnswerEnd::Refused,
            Some("max_tokens" | "model_context_window_exceeded") => AnswerEnd::Cut,
            _ => AnswerEnd::Whole,
        };
        Ok(VendorAnswer { text, ended, usage })
    }
}

#[async_trait]
impl Generator for ClaudeCli {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText> {
        let said = self.child.run(build_call(&self.model.name, request, &render_messages(&request.messages))).await?;
        self.parse_output(&said)?.into_generated(self.model.vendor, request)
    }

    async fn probe(&self) -> Result<()> {
        self.child.check_startup().await
    }
}

fn build_call<'a>(model: &str, request: &GenerateRequest, input: &'a str) -> ChildCall<'a> {
    let mut arguments =
        vec!["--print", "--output-format", "json", "--model", model, "--system-prompt", &request.system];
    // No tools, no settings, no servers, no record: a question to a model and not an agent at work.
    arguments.extend(["--tools", "", "--setting-sources", "", "--strict-mcp-config", "--no-session-persistence"]);
    let schema = request.schema.as_ref().map(Value::to_string);
    if let Some(schema) = &schema {
        arguments.extend(["--json-schema", schema]);
    }
    ChildCall {
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        environment: vec![("CLAUDE_CODE_MAX_OUTPUT_TOKENS", request.max_output.to_string())],
        file: None,
        input,
        deadline: request.deadline,
    }
}

/// The last line that is a result; warnings may stand before it.
fn find_report(output: &str) -> Option<Value> {
    let lines = output.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.into_iter().find(|line| line["type"] == "result").or_else(|| serde_json::from_str(output).ok())
}

fn parse_usage(report: &UsageReport<'_>) -> Result<Usage, &'static str> {
    Ok(Usage {
        input: report.token_count("/input_tokens", "input")?,
        output: report.token_count("/output_tokens", "output")?,
        cache_read: report.token_count("/cache_read_input_tokens", "cache reads")?,
        cache_write: report.token_count("/cache_creation_input_tokens", "cache writes")?,
    })
}
