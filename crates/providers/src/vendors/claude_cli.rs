//! The `claude` command in print mode, with the login the user already has.
//!
//! It runs with no tools, no settings, no MCP servers and no record of the session: a question to a model, not an
//! agent at work.

use std::path::PathBuf;

use async_trait::async_trait;
use serde_json::Value;

use crate::answer::{Answer, Ended, Report};
use crate::child::{Child, Errand, Said};
use crate::generator::spoken;
use crate::{GenerateRequest, Generated, GenerationModel, Generator, Result, Spent, Usage, Vendor};

/// Asks through the `claude` command.
#[derive(Debug)]
pub struct ClaudeCli {
    model: GenerationModel,
    child: Child,
}

impl ClaudeCli {
    /// A model by the command's name for it; `program` is `claude`, or where it is.
    pub fn new(model: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        let vendor = Vendor::ClaudeCli;
        Self { model: GenerationModel { vendor, name: model.into() }, child: Child { vendor, program: program.into() } }
    }

    fn read(&self, said: &Said) -> Result<Answer> {
        let Some(report) = report(&said.output) else {
            return Err(if said.succeeded {
                self.child.malformed("it is not the JSON the command promises")
            } else {
                self.child.trouble(&said.complaint, &self.model.name, Spent::Unknown)
            });
        };
        let usage = usage(&Report(report.get("usage")));
        let structured = report.get("structured_output").filter(|structured| !structured.is_null());
        let text = match structured {
            Some(structured) => structured.to_string(),
            None => report["result"].as_str().unwrap_or_default().to_owned(),
        };
        if report["is_error"] == true || !said.succeeded {
            let spent = usage.ok().filter(|usage| *usage != Usage::default()).map_or(Spent::Unknown, Spent::Reported);
            return Err(self.child.trouble(&text, &self.model.name, spent));
        }
        let ended = match report["stop_reason"].as_str() {
            Some("refusal") => Ended::Refused,
            Some("max_tokens" | "model_context_window_exceeded") => Ended::Cut,
            _ => Ended::Whole,
        };
        Ok(Answer { text, ended, usage })
    }
}

#[async_trait]
impl Generator for ClaudeCli {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<Generated> {
        let said = self.child.run(errand(&self.model.name, request, &spoken(&request.messages))).await?;
        self.read(&said)?.judge(self.model.vendor, request)
    }

    async fn probe(&self) -> Result<()> {
        self.child.starts().await
    }
}

fn errand<'a>(model: &str, request: &GenerateRequest, input: &'a str) -> Errand<'a> {
    let mut arguments =
        vec!["--print", "--output-format", "json", "--model", model, "--system-prompt", &request.system];
    arguments.extend(["--tools", "", "--setting-sources", "", "--strict-mcp-config", "--no-session-persistence"]);
    let schema = request.schema.as_ref().map(Value::to_string);
    if let Some(schema) = &schema {
        arguments.extend(["--json-schema", schema]);
    }
    Errand {
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        environment: vec![("CLAUDE_CODE_MAX_OUTPUT_TOKENS", request.max_output.to_string())],
        file: None,
        input,
        deadline: request.deadline,
    }
}

/// The last line that is a result; warnings may stand before it.
fn report(output: &str) -> Option<Value> {
    let lines = output.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.into_iter().find(|line| line["type"] == "result").or_else(|| serde_json::from_str(output).ok())
}

fn usage(report: &Report<'_>) -> Result<Usage, &'static str> {
    Ok(Usage {
        input: report.tokens("/input_tokens", "input")?,
        output: report.tokens("/output_tokens", "output")?,
        cache_read: report.tokens("/cache_read_input_tokens", "cache reads")?,
        cache_write: report.tokens("/cache_creation_input_tokens", "cache writes")?,
    })
}
