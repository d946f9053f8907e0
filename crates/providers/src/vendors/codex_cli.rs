//! `CodexCli`, a `Generator` that runs the `codex` command in its mode for scripts, with the user's existing login.
//!
//! The command runs read-only with its shell, its configuration and its record of sessions off. There is no option for
//! a system prompt or for the length of an answer: the instructions go in front of the question, and `max_output` is
//! not enforced, so only the deadline bounds an answer.

use std::path::PathBuf;

use async_trait::async_trait;
use serde_json::Value;

use crate::answer::{AnswerEnd, UsageReport, VendorAnswer};
use crate::child_program::{ChildCall, ChildOutput, ChildProgram};
use crate::generator::render_messages;
use crate::{FailureCost, GenerateRequest, GeneratedText, GenerationModel, Generator, Result, Usage, Vendor};

/// Asks through the `codex` command.
#[derive(Debug)]
pub struct CodexCli {
    model: GenerationModel,
    child: ChildProgram,
}

impl CodexCli {
    /// A model by the command's name for it; `program` is `codex`, or where it is.
    pub fn new(model: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        let vendor = Vendor::CodexCli;
        Self {
            model: GenerationModel { vendor, name: model.into() },
            child: ChildProgram { vendor, program: program.into() },
        }
    }

    fn parse_output(&self, said: &ChildOutput) -> Result<VendorAnswer> {
        let mut text = None;
        let mut usage = Ok(Usage::default());
        let mut trouble = None;
        for event in said.output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            match event["type"].as_str() {
                Some("item.completed") if event["item"]["type"] == "agent_message" => {
                    // The last message is the answer; those before it tell what the agent is about to do.
                    text = event["item"]["text"].as_str().map(str::to_owned);
                }
                Some("turn.completed") => {
                    let fields =
                        ["/input_tokens", "/output_tokens", "/cached_input_tokens", "/cache_write_input_tokens"];
                    usage = UsageReport(event.get("usage")).inclusive_usage(fields);
                }
                Some("turn.failed") => {
                    trouble = event.pointer("/error/message").and_then(Value::as_str).map(str::to_owned);
                }
                Some("error") => trouble = event["message"].as_str().map(str::to_owned),
                _ => {}
            }
        }
        match (trouble, text) {
            // The command also reports troubles it recovered from; an answer at the end is an answer.
            (_, Some(text)) if said.succeeded => Ok(VendorAnswer { text, ended: AnswerEnd::Whole, usage }),
            (Some(words), _) => Err(self.child.classify_error(&words, &self.model.name, FailureCost::Unknown)),
            (None, _) if !said.succeeded => {
                Err(self.child.classify_error(&said.complaint, &self.model.name, FailureCost::Unknown))
            }
            (None, _) if usage == Ok(Usage::default()) => {
                Err(self.child.malformed_error("it has no events the command promises"))
            }
            (None, _) => Ok(VendorAnswer { text: String::new(), ended: AnswerEnd::Whole, usage }),
        }
    }
}

#[async_trait]
impl Generator for CodexCli {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText> {
        // The command has no option for a system text.
        let input = format!("{}\n\n{}", request.system, render_messages(&request.messages));
        let said = self.child.run(build_call(&self.model.name, request, input.trim_start())).await?;
        self.parse_output(&said)?.into_generated(self.model.vendor, request)
    }

    async fn probe(&self) -> Result<()> {
        self.child.check_startup().await
    }
}

fn build_call<'a>(model: &str, request: &GenerateRequest, input: &'a str) -> ChildCall<'a> {
    let arguments = [
        "exec",
        "--json",
        // Without a session on disk: our own prompts would otherwise be imported later as a conversation of the user.
        "--ephemeral",
        // Settings and rules of the user could add tools, other models or instructions to a call that only summarises.
        "--ignore-user-config",
        "--ignore-rules",
        // The child runs in a temporary folder, which Codex refuses as untrusted without this option.
        "--skip-git-repo-check",
        "--sandbox",
        "read-only",
        "--config",
        // There is no person to approve a command: a question would wait until the deadline.
        "approval_policy=\"never\"",
        "--config",
        "features.shell_tool=false",
        "--config",
        // An AGENTS.md on the way up from the folder is not part of the prompt we count and pay for.
        "project_doc_max_bytes=0",
        "--model",
        model,
    ];
    ChildCall {
        arguments: arguments.map(str::to_owned).into(),
        environment: Vec::new(),
        file: request.schema.as_ref().map(|schema| ("--output-schema", schema.to_string())),
        input,
        deadline: request.deadline,
    }
}
