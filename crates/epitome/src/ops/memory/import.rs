//! The `import` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! stores transcripts of agents in the archive, every line kept, and their messages in conversations.

use super::conversation_line::{LABEL_INDENT, label_conversation};
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, group_digits,
    render_count,
};
use crate::transcripts::{TranscriptSelection, build_projection, format_named};
use clap::Args;
use engine::{ImportMode, ImportReport, ImportRequest, ImportedTranscript, TranscriptStatus};
use model::{ProjectId, show_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct ImportOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportParams {
    /// Transcripts, or places to look for them; none: those of the agents that are installed here
    #[arg(value_name = "PATH")]
    #[serde(default)]
    paths: Vec<String>,
    /// Whose they are; `auto` lets them say it themselves
    #[arg(long, default_value = "auto")]
    #[serde(default = "auto")]
    agent: String,
    /// Make the messages of everything in the archive anew: equal ones stay, others are kept beside them
    #[arg(long, conflicts_with_all = ["paths", "dry_run"])]
    #[serde(default)]
    rebuild: bool,
    /// Say what would be stored, and store nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Show every transcript with its path, also those with nothing new
    #[arg(long, short)]
    #[serde(default)]
    verbose: bool,
}

fn auto() -> String {
    "auto".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ImportReply {
    conversations: Vec<ImportConversation>,
    /// What was not read, and why
    skipped: Vec<ImportSkip>,
    /// Files that lie among transcripts and are none; left alone
    others: ImportOtherFiles,
    /// Whether the text shows every transcript.
    #[serde(skip)]
    is_verbose: bool,
}

#[derive(Serialize, JsonSchema)]
struct ImportConversation {
    /// Conversation id
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    agent: String,
    /// Path of the transcript
    source: String,
    /// `same`, `grown`, or why it was read from its beginning: `first`, `truncated`, `rewritten`, `replaced`, `moved`
    standing: &'static str,
    /// Lines in the archive
    lines: u64,
    /// Messages made from them
    messages: u64,
    new_lines: u64,
    new_messages: u64,
    /// New messages whose id was taken by other words; stored beside those
    revised: u64,
    /// New lines in which secrets were replaced
    scrubbed: u64,
    /// Lines that could not be read; their bytes are kept
    quarantined: u64,
    quarantine: Vec<ImportQuarantine>,
    /// Kinds of lines we do not know, with their number; kept like all others
    unknown: Vec<ImportUnknownKind>,
    /// Bytes behind the last whole line; kept, and read when the line is whole
    unfinished: u64,
    /// Whether the file no longer has all that was read of it before; `standing` says so, too.
    #[serde(skip)]
    shortened: bool,
    /// The directory that it is about, as its agent writes it
    #[serde(skip_serializing_if = "Option::is_none")]
    directory: Option<String>,
    /// Whether it was named here and belongs to another project or to none: only `--within all` looks through it
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    elsewhere: bool,
    /// That no message was made of its lines, and what they are
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ImportQuarantine {
    /// Counted from 1
    line: u64,
    /// Byte at which it starts
    offset: u64,
    bytes: u64,
    reason: String,
}

#[derive(Serialize, JsonSchema)]
struct ImportUnknownKind {
    kind: String,
    lines: u64,
}

#[derive(Serialize, JsonSchema)]
struct ImportSkip {
    path: String,
    reason: String,
}

#[derive(Default, Serialize, JsonSchema)]
struct ImportOtherFiles {
    files: u64,
    /// Paths of the first of them
    first: Vec<String>,
}

impl Operation for ImportOperation {
    const NAME: &'static str = "import";
    const SUMMARY: &'static str = "Import transcripts of agents, every line kept";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Every line of a transcript is kept byte for byte, known secrets excepted. What was imported before is not stored \
twice. Without a path, the transcripts of all agents that are installed here are imported.

Examples:
  epitome import
  epitome import --dry-run
  epitome import ~/.claude/projects --agent claude-code";
    const TIMED: bool = true;
    type Params = ImportParams;
    type Reply = ImportReply;

    async fn run(call: &OperationCall<'_>, params: ImportParams) -> Result<ImportReply, engine::Error> {
        // A rebuild reads the archive only, so neither paths nor installed agents matter.
        if params.rebuild {
            return Ok(ImportReply::from_report(
                call.engine.rebuild_messages(&build_projection, call.observer).await?,
                TranscriptSelection::default(),
                None,
                params.verbose,
            ));
        }
        let format = format_named(&params.agent)?;
        let Some(transcripts) = call.transcripts else {
            let reason = "are on this server's disk, which remote callers cannot import from".to_owned();
            return Err(engine::Error::Parameter { field: "paths", reason });
        };
        transcripts.check_paths(&params.paths)?;
        let mut chosen = transcripts.select_transcripts(&params.paths, format);
        let project = (!params.paths.is_empty()).then(|| call.project.clone());
        let request = ImportRequest {
            transcripts: std::mem::take(&mut chosen.transcripts),
            mode: if params.dry_run { ImportMode::DryRun } else { ImportMode::Store },
            project: project.clone(),
        };
        let report = call.engine.import_transcripts(request, call.observer).await?;
        Ok(ImportReply::from_report(report, chosen, project.map(|project| project.id).as_ref(), params.verbose))
    }
}

impl ImportReply {
    /// `named_from` is the project whose user named the transcripts.
    fn from_report(
        report: ImportReport,
        chosen: TranscriptSelection,
        named_from: Option<&ProjectId>,
        is_verbose: bool,
    ) -> Self {
        let describe = |imported: ImportedTranscript| {
            let elsewhere = named_from.is_some() && imported.project.as_ref() != named_from;
            ImportConversation { elsewhere, ..ImportConversation::from(imported) }
        };
        let skipped = chosen.skipped.into_iter().chain(report.skipped);
        let first = chosen.others.first.iter().map(|path| path.display().to_string()).collect();
        Self {
            others: ImportOtherFiles { files: chosen.others.files, first },
            conversations: report.imported.into_iter().map(describe).collect(),
            skipped: skipped.map(|(path, reason)| ImportSkip { path, reason }).collect(),
            is_verbose,
        }
    }
}

impl From<ImportedTranscript> for ImportConversation {
    fn from(imported: ImportedTranscript) -> Self {
        Self {
            id: imported.conversation.to_string(),
            name: imported.name,
            title: imported.title,
            agent: imported.agent.to_string(),
            source: imported.path,
            standing: match imported.standing {
                TranscriptStatus::Same => "same",
                TranscriptStatus::Grown => "grown",
                TranscriptStatus::Begun(origin) => origin.as_str(),
            },
            lines: imported.lines,
            messages: imported.messages,
            new_lines: imported.new_lines,
            new_messages: imported.new_messages,
            revised: imported.revised,
            scrubbed: imported.scrubbed,
            quarantined: imported.quarantined.len() as u64,
            quarantine: imported
                .quarantined
                .into_iter()
                .map(|line| {
                    let offset = line.offset;
                    let bytes = line.bytes;
                    let reason = line.reason;
                    // People count lines from one, as their editor does.
                    ImportQuarantine { line: line.line + 1, offset, bytes, reason }
                })
                .collect(),
            unknown: imported.unknown.into_iter().map(|(kind, lines)| ImportUnknownKind { kind, lines }).collect(),
            unfinished: imported.unfinished,
            shortened: imported.is_shortened,
            warning: describe_silence(imported.lines, &imported.silent),
            directory: imported.directory,
            elsewhere: false,
        }
    }
}

/// What to say of lines that gave no message, by their kinds.
pub(crate) fn describe_silence(lines: u64, kinds: &[(String, u64)]) -> Option<String> {
    const MAX_NAMED_KINDS: usize = 3;
    let named: Vec<String> =
        kinds.iter().take(MAX_NAMED_KINDS).map(|(kind, lines)| format!("{lines} `{kind}`")).collect();
    let more = if kinds.len() > MAX_NAMED_KINDS { ", …" } else { "" };
    (!named.is_empty()).then(|| format!("no message in {}: {}{more}", render_count(lines, "line"), named.join(", ")))
}

impl OperationReply for ImportReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        // Transcripts with remarks are always listed: they are why a person reads this. Of the others those with something
        // new come first.
        let (said, mut plain): (Vec<&ImportConversation>, Vec<&ImportConversation>) =
            self.conversations.iter().partition(|shown| shown.has_remarks());
        plain.sort_by_key(|shown| shown.new_lines == 0);
        let room = if self.is_verbose { plain.len() } else { MAX_LISTED_LINES.saturating_sub(said.len()) };
        for shown in said.iter().chain(plain.iter().take(room)) {
            shown.write_text(self.is_verbose, &mut text);
        }
        if let Some(more) = plain.len().checked_sub(room).filter(|more| *more > 0) {
            let more = render_count(more as u64, "transcript");
            let _ = writeln!(text, "and {more} without remarks (--verbose lists them)");
        }
        for ImportSkip { path, reason } in &self.skipped {
            let _ = writeln!(text, "skipped {path}: {reason}");
        }
        if self.others.files > 0 {
            let files = render_count(self.others.files, "file");
            let first = self.others.first.join(", ");
            let more = if self.others.files > self.others.first.len() as u64 { ", …" } else { "" };
            let _ = writeln!(text, "{files} beside the transcripts left alone: {first}{more}");
        }
        if let Some(note) = self.elsewhere_note() {
            let _ = writeln!(text, "{note}");
        }
        let new = |number: fn(&ImportConversation) -> u64| self.conversations.iter().map(number).sum();
        let _ = writeln!(
            text,
            "{}, {} and {} new",
            render_count(self.conversations.len() as u64, "transcript"),
            render_count(new(|shown| shown.new_lines), "line"),
            render_count(new(|shown| shown.new_messages), "message")
        );
        text
    }

    fn command_exit(&self) -> CommandExit {
        match (self.conversations.is_empty(), self.skipped.is_empty()) {
            (true, true) => CommandExit::NothingFound,
            // Files were named and none could be read, which a script has to notice.
            (true, false) => CommandExit::Refused,
            (false, _) => CommandExit::Ok,
        }
    }
}

impl ImportReply {
    /// Which of the named transcripts are not found from here without being asked for.
    fn elsewhere_note(&self) -> Option<String> {
        let elsewhere: Vec<&ImportConversation> = self.conversations.iter().filter(|shown| shown.elsewhere).collect();
        let first = elsewhere.first()?;
        let about = match &first.directory {
            Some(directory) if elsewhere.len() == 1 => format!(" (of {})", show_name(directory)),
            _ => String::new(),
        };
        let (belong, them) = if elsewhere.len() == 1 { ("belongs", "it") } else { ("belong", "them") };
        let count = render_count(elsewhere.len() as u64, "transcript");
        Some(format!("{count}{about} {belong} to another project or to none: --within all finds {them}"))
    }
}

/// Lines in quarantine, and transcripts without remarks, that are listed for people.
const MAX_LISTED_LINES: usize = 10;

impl ImportConversation {
    /// Whether there is more to say of it than how much it holds.
    fn has_remarks(&self) -> bool {
        let numbers = self.revised + self.scrubbed + self.quarantined;
        numbers > 0 || self.shortened || !self.unknown.is_empty() || self.warning.is_some()
    }

    fn write_text(&self, is_verbose: bool, text: &mut String) {
        let label = label_conversation(&self.id, self.title.as_ref().unwrap_or(&self.name));
        let lines = render_count(self.lines, "line");
        let messages = render_count(self.messages, "message");
        let new = match self.new_lines {
            0 => "nothing new".to_owned(),
            new if new == self.lines => "all new".to_owned(),
            new => format!("{} and {} new", render_count(new, "line"), render_count(self.new_messages, "message")),
        };
        let _ = writeln!(text, "{label}\n{LABEL_INDENT}{}: {lines}, {messages}, {new}", self.agent);
        let mut line = |what: String| {
            let _ = writeln!(text, "{LABEL_INDENT}{what}");
        };
        // With remarks the place is named: it is where to look.
        if is_verbose || self.has_remarks() {
            line(format!("{} ({})", show_name(&self.source), self.standing));
        }
        if let Some(warning) = &self.warning {
            line(format!("warning: {warning}; the lines are kept"));
        }
        if self.shortened {
            line("the file no longer has all that was read of it before; that is kept".to_owned());
        }
        let notes = [
            (self.revised, "messages had other words before; both are kept"),
            (self.scrubbed, "new lines had secrets, which were replaced"),
            (self.unfinished, "bytes in a last line that has no newline yet; kept, and read where it is whole"),
        ];
        for (number, what) in notes.into_iter().filter(|(number, _)| *number > 0) {
            line(format!("{} {what}", group_digits(number)));
        }
        for ImportUnknownKind { kind, lines } in &self.unknown {
            line(format!("{} of unknown kind `{kind}`, kept", render_count(*lines, "line")));
        }
        for damaged in self.quarantine.iter().take(MAX_LISTED_LINES) {
            line(format!("line {} (byte {}) in quarantine: {}", damaged.line, damaged.offset, damaged.reason));
        }
        if self.quarantine.len() > MAX_LISTED_LINES {
            line(format!("and {} more lines in quarantine", self.quarantine.len() - MAX_LISTED_LINES));
        }
    }
}
