//! The `verify` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! recomputes every hash and link, and compares them with the anchor outside of the database, to prove that nothing
//! that was acknowledged is missing or changed.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use engine::{ConversationSelection, FoldRemedy, OnDisk, RewriteRecord, SourceCheck, VerificationProblem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use store::DataRemoval;

pub(crate) struct VerifyOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyParams {
    /// Only this conversation, by its name or id (default: all, and the database itself)
    conversation: Option<String>,
    /// Say for each problem what would mend it
    #[arg(long)]
    #[serde(default)]
    plan: bool,
    /// A state that the store must have gone on from: the hash of an anchor, or on the command line a file with what
    /// `verify --anchor` printed
    #[arg(long, value_name = "HASH|FILE", value_parser = read_expectation)]
    expect: Option<String>,
    /// Print what to keep elsewhere, for a later --expect: how far every conversation and archive is
    #[arg(long, conflicts_with = "accept_restored")]
    #[serde(default)]
    anchor: bool,
    /// Accept the database as it is under a name, because an older backup was restored on purpose: what the anchor
    /// knows beyond it is given up, and listed
    #[arg(long, value_name = "NAME", conflicts_with_all = ["conversation", "only", "expect"])]
    #[serde(skip)]
    accept_restored: Option<String>,
    /// The same as the argument
    #[arg(long = "conversation", value_name = "CONVERSATION", conflicts_with = "conversation", hide = true)]
    #[serde(skip)]
    only: Option<String>,
}

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
    memories: u64,
    /// Checkpoints, subscriptions and suggestions of sessions
    records: u64,
    /// Files among the artifacts that belong to none; left by a process that was stopped, harmless
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    stray: Vec<String>,
    /// What was changed on purpose: secrets purged, a project's data removed
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    rewrites: Vec<VerifyRewrite>,
    problems: Vec<VerifyProblem>,
    /// With `anchor`: the hash of the anchor, the file outside of the database that repeats what was acknowledged
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
    /// What to keep elsewhere, for a later `expect`
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<String>,
    /// What was removed on purpose
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    removed: Vec<PurposefulRemoval>,
    /// Backups that were accepted
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    restored: Vec<AcceptedBackup>,
    /// Points that the anchor lacked, because a process was stopped, and has now
    #[serde(skip_serializing_if = "is_zero", default)]
    caught_up: u64,
    /// What is given up by accepting a backup now
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    given_up: Vec<VerifyProblem>,
    /// What would mend the problems; nothing is done
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Vec<PlannedRepair>>,
}

#[derive(Serialize, JsonSchema)]
struct VerifyRewrite {
    at: String,
    /// `purged` or `forgotten`
    reason: &'static str,
    /// An id, or the path of a transcript
    subject: String,
    /// Messages or frames that were changed or removed
    items: u64,
    /// The hash that stood for it before
    before: String,
    /// The same afterwards; absent where it was removed
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl From<RewriteRecord> for VerifyRewrite {
    fn from(record: RewriteRecord) -> Self {
        Self {
            at: record.at.to_string(),
            reason: record.reason.as_str(),
            subject: record.subject,
            items: record.items,
            before: record.before.to_string(),
            after: record.after.map(|hash| hash.to_string()),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct VerifyProblem {
    /// An id, or `database`
    subject: String,
    what: String,
    /// What could be done about it
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct PurposefulRemoval {
    subject: String,
    reason: String,
    at: String,
    /// Messages or frames that it had
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<u64>,
    /// Those of what stands in its place
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct AcceptedBackup {
    name: String,
    at: String,
}

#[derive(Serialize, JsonSchema)]
struct PlannedRepair {
    subject: String,
    remedy: &'static str,
    /// The command that does it; none where only a backup helps
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
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
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Recomputes every hash and link of what is stored, or of one conversation, and compares it with the anchor: a file in \
the state directory that repeats after every commit how far each conversation and archive is. Exit status 5: something \
is missing or was changed; the reply names it. --plan adds what would mend each problem, and does nothing.

Whoever can write both the database and the anchor can make them agree. Keep what --anchor prints elsewhere, and \
--expect it later.

Examples:
  epitome verify
  epitome verify latest
  epitome verify --anchor > kept-elsewhere.txt
  epitome verify --expect kept-elsewhere.txt
  epitome verify --accept-restored \"backup of Monday\"";
    type Params = VerifyParams;
    type Reply = VerifyReply;

    async fn run(call: &OperationCall<'_>, params: VerifyParams) -> Result<VerifyReply, engine::Error> {
        let one = params.conversation.or(params.only);
        let which = one.map_or(ConversationSelection::All, ConversationSelection::One);
        let (given_up, report) = match (&params.accept_restored, &params.expect) {
            (Some(name), _) => call.engine.accept_restored(name, call.observer).await?,
            (None, Some(expected)) => {
                (Vec::new(), call.engine.verify_expecting(&which, expected, call.observer).await?)
            }
            (None, None) => (Vec::new(), call.engine.verify(&which, call.observer).await?),
        };
        let plan = params.plan.then(|| report.problems.iter().map(PlannedRepair::from).collect());
        let problems: Vec<VerifyProblem> = report.problems.into_iter().map(VerifyProblem::from).collect();
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
            memories: report.memories,
            records: report.records,
            stray: report.stray,
            rewrites: report.rewrites.into_iter().map(VerifyRewrite::from).collect(),
            gaps: report.gaps,
            problems,
            // Only where it is asked for: the anchor has a name that is drawn at random, and the same state gives the
            // same reply.
            anchor: report.anchor.filter(|_| params.anchor),
            statement: params.anchor.then_some(report.statement),
            removed: report.removals.into_iter().map(PurposefulRemoval::from).collect(),
            restored: report
                .restores
                .into_iter()
                .map(|(name, at)| AcceptedBackup { name, at: at.to_string() })
                .collect(),
            caught_up: report.caught_up,
            given_up: given_up.into_iter().map(VerifyProblem::from).collect(),
            plan,
        })
    }
}

/// What `--expect` names: a hash, or a file with a statement.
fn read_expectation(argument: &str) -> Result<String, String> {
    let is_hash = argument.len() == 64 && argument.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash {
        return Ok(argument.to_owned());
    }
    fs_err::read_to_string(argument).map_err(|error| format!("neither a hash of 64 digits nor a file: {error}"))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl From<DataRemoval> for PurposefulRemoval {
    fn from(removal: DataRemoval) -> Self {
        Self {
            subject: removal.subject.in_words(),
            reason: removal.reason,
            at: removal.at.to_string(),
            before: removal.old.map(|head| head.count),
            after: removal.new.map(|head| head.count),
        }
    }
}

impl From<VerificationProblem> for VerifyProblem {
    fn from(problem: VerificationProblem) -> Self {
        let remedy = problem.remedy.map(FoldRemedy::advice_text);
        Self { subject: problem.subject, what: problem.what, remedy }
    }
}

impl From<&VerificationProblem> for PlannedRepair {
    fn from(problem: &VerificationProblem) -> Self {
        // What cannot be derived again is brought back by a backup alone.
        let remedy = problem.remedy.unwrap_or(FoldRemedy::Restore);
        let command = remedy.is_mendable().then(|| match &problem.conversation {
            Some(conversation) => format!("epitome repair {conversation}"),
            None => "epitome repair".to_owned(),
        });
        Self { subject: problem.subject.clone(), remedy: remedy.advice_text(), command }
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
        // A statement is to be kept as it is, and there is none of a store that is not whole.
        if let Some(statement) = self.statement.as_ref().filter(|_| self.ok) {
            return statement.clone();
        }
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
        if self.memories > 0 {
            let noun = if self.memories == 1 { "memory" } else { "memories" };
            let _ = writeln!(text, "  {} {noun} there and unchanged", self.memories);
        }
        if self.records > 0 {
            let noun = if self.records == 1 { "session record" } else { "session records" };
            let _ = writeln!(text, "  {} {noun} there and unchanged", self.records);
        }
        if !self.secrets.is_empty() {
            let rules: Vec<String> = self.secrets.iter().map(|(rule, number)| format!("{rule} {number}")).collect();
            let _ = writeln!(text, "  secrets replaced in messages: {}", rules.join(", "));
        }
        for rewrite in &self.rewrites {
            let items = render_count(rewrite.items, "change");
            let _ = writeln!(text, "  {} on purpose at {}: {}, {items}", rewrite.reason, rewrite.at, rewrite.subject);
        }
        for name in &self.stray {
            // A stray file was left by a writer that did not finish; its content is stored nowhere as part of a
            // message.
            let _ = writeln!(text, "  artifacts/{name} belongs to no artifact; it is harmless and may be deleted");
        }
        for removed in &self.removed {
            let PurposefulRemoval { subject, reason, at, .. } = removed;
            let _ = writeln!(text, "  {subject}: removed on purpose at {at}: {reason}");
        }
        for AcceptedBackup { name, at } in &self.restored {
            let _ = writeln!(text, "  a restored backup was accepted at {at}: {name}");
        }
        for problem in &self.given_up {
            let _ = writeln!(text, "  given up: {}: {}", problem.subject, problem.what);
        }
        if self.caught_up > 0 {
            let _ = writeln!(text, "  the anchor lacked {} and has them now", render_count(self.caught_up, "point"));
        }
        for problem in &self.problems {
            let remedy = problem.remedy.map(|remedy| format!(" (to mend it: {remedy})")).unwrap_or_default();
            let _ = writeln!(text, "  {}: {}{remedy}", problem.subject, problem.what);
        }
        for planned in self.plan.iter().flatten() {
            let command = planned.command.as_deref().unwrap_or("no command does it");
            let _ = writeln!(text, "plan: {}: {} ({command})", planned.subject, planned.remedy);
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.ok { CommandExit::Ok } else { CommandExit::Integrity }
    }
}
