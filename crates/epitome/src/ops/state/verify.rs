//! The `verify` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! recomputes every hash and link to prove that nothing stored is missing or changed.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use engine::{OnDisk, SourceCheck};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(crate) struct VerifyOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyParams {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct VerifyReply {
    ok: bool,
    conversations: u64,
    /// Lines of imported transcripts, of all generations
    lines: u64,
    messages: u64,
    summaries: u64,
    /// Messages that are missing, and lines that are missing or that nobody read
    gaps: u64,
    /// Secrets that were replaced in messages, by the rule that found them
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    secrets: BTreeMap<String, u64>,
    /// Where transcripts were imported from
    sources: Vec<VerifySource>,
    artifacts: u64,
    /// Files among the artifacts that belong to none; left by a process that was stopped, harmless
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    stray: Vec<String>,
    problems: Vec<VerifyProblem>,
}

#[derive(Serialize, JsonSchema)]
struct VerifyProblem {
    /// An id, or `database`
    subject: String,
    what: String,
}

#[derive(Serialize, JsonSchema)]
struct VerifySource {
    agent: String,
    path: String,
    conversation_id: String,
    /// How often the file was written anew while we read it, and once
    generation: u32,
    /// How often of these its agent, who only ever adds to it, took something out.
    #[serde(skip)]
    rewritten: u32,
    lines: u64,
    messages: u64,
    bytes: u64,
    /// Hash of all its frames
    hash: String,
    /// Lines in which secrets were replaced
    scrubbed: u64,
    /// Lines that could not be read; their bytes are kept
    quarantined: u64,
    /// The file now, compared byte for byte: `same`, `grown`, `changed`, `gone`, or `not compared`
    on_disk: &'static str,
}

impl Operation for VerifyOperation {
    const NAME: &'static str = "verify";
    const SUMMARY: &'static str = "Prove that nothing stored is missing or changed";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::State;
    const HELP: &'static str = "\
Recomputes every hash and link of what is stored. Exit status 5: something is missing or was changed; the reply names it.

Example:
  epitome verify";
    type Params = VerifyParams;
    type Reply = VerifyReply;

    async fn run(call: &OperationCall<'_>, _params: VerifyParams) -> Result<VerifyReply, engine::Error> {
        let report = call.engine.verify(call.observer).await?;
        let problems =
            report.problems.into_iter().map(|problem| VerifyProblem { subject: problem.subject, what: problem.what });
        let problems: Vec<VerifyProblem> = problems.collect();
        Ok(VerifyReply {
            // Gaps are lines of a transcript that were never read: nothing stored is damaged, but something is missing.
            ok: problems.is_empty() && report.gaps == 0,
            conversations: report.conversations,
            lines: report.lines,
            messages: report.messages,
            summaries: report.summaries,
            secrets: report.secrets,
            sources: report.sources.into_iter().map(VerifySource::from).collect(),
            artifacts: report.artifacts,
            stray: report.stray,
            gaps: report.gaps,
            problems,
        })
    }
}

impl From<SourceCheck> for VerifySource {
    fn from(check: SourceCheck) -> Self {
        let generation = check.generation;
        Self {
            agent: generation.source.agent.to_string(),
            path: generation.source.path,
            conversation_id: generation.conversation.to_string(),
            // Documents and databases are written anew by design; only for a file that grows is it worth telling.
            rewritten: if generation.container.only_grows() { generation.number.saturating_sub(1) } else { 0 },
            generation: generation.number,
            lines: generation.lines,
            messages: generation.messages,
            bytes: generation.checkpoint.bytes,
            hash: generation.checkpoint.hash.to_string(),
            scrubbed: check.scrubbed,
            quarantined: check.quarantined,
            on_disk: match check.on_disk {
                OnDisk::Same => "same",
                OnDisk::Grown => "grown",
                OnDisk::Changed => "changed",
                OnDisk::Gone => "gone",
                OnDisk::NotCompared => "not compared",
            },
        }
    }
}

impl VerifySource {
    /// How often an agent that only ever adds to a transcript took something out.
    fn anew(&self) -> String {
        match self.rewritten {
            0 => String::new(),
            1 => "; written anew once, and what it had before is kept".to_owned(),
            times => format!("; written anew {times} times, and what it had before is kept"),
        }
    }
}

impl OperationReply for VerifyReply {
    fn to_text(&self) -> String {
        let outcome = if self.ok { "ok" } else { "NOT OK" };
        let mut text = format!(
            "{outcome}: {} in {} and {} of {} checked against their hashes, {}\n",
            render_count(self.messages, "message"),
            render_count(self.conversations, "conversation"),
            render_count(self.lines, "line"),
            render_count(self.sources.len() as u64, "transcript"),
            render_count(self.gaps, "gap")
        );
        for source in &self.sources {
            let _ = writeln!(
                text,
                "  {}: {}, {}, {} scrubbed, {} in quarantine; on disk: {}{}",
                source.path,
                render_count(source.lines, "line"),
                render_count(source.messages, "message"),
                source.scrubbed,
                source.quarantined,
                source.on_disk,
                source.anew()
            );
        }
        if self.summaries > 0 {
            let number = self.summaries;
            let summaries = if number == 1 { "summary" } else { "summaries" };
            let _ = writeln!(text, "  {number} {summaries} checked against the messages");
        }
        if self.artifacts > 0 {
            let _ = writeln!(text, "  {} there and unchanged", render_count(self.artifacts, "artifact"));
        }
        if !self.secrets.is_empty() {
            let rules: Vec<String> = self.secrets.iter().map(|(rule, number)| format!("{rule} {number}")).collect();
            let _ = writeln!(text, "  secrets replaced in messages: {}", rules.join(", "));
        }
        for name in &self.stray {
            // A stray file was left by a writer that did not finish; its content is stored nowhere as part of a
            // message.
            let _ = writeln!(text, "  artifacts/{name} belongs to no artifact; it is harmless and may be deleted");
        }
        for problem in &self.problems {
            let _ = writeln!(text, "  {}: {}", problem.subject, problem.what);
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.ok { CommandExit::Ok } else { CommandExit::Integrity }
    }
}
