//! The `window` operation (command, MCP tool, HTTP route): its parameters and its reply. It says which lines of which files
//! an agent has in its context since that was last emptied, by the transcript of the agent, and whether they are still so.
//! What the context has is compared with the disk and never shown: a transcript has secrets as they are.

mod shown_lines;
mod sight;

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, group_digits,
    render_count,
};
use crate::transcripts::LocalTranscripts;
use agents::ContextResult;
use clap::Args;
use engine::SessionAction;
use model::{TokenCount, count_tokens, show_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shown_lines::ShownLines;
use sight::FileSight;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

pub(crate) struct WindowOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowParams {
    /// Only this file
    path: Option<String>,
    /// The session, by name (default: the newest one that shows it)
    #[arg(long)]
    session: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct WindowReply {
    /// Whose context it is; none where no session shows one
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Results of tools that are in it
    results: u64,
    tokens: u32,
    /// Files that lines of are in it, by path
    files: Vec<WindowFile>,
}

#[derive(Serialize, JsonSchema)]
struct WindowFile {
    path: String,
    /// How many lines the file has now
    lines: u32,
    /// Lines that are in it as they are now
    seen: Vec<LineSpan>,
    /// Lines in whose place it has other ones
    changed: Vec<LineSpan>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct LineSpan {
    start_line: u32,
    end_line: u32,
}

/// Sessions that are looked at for one that shows its context.
const MAX_SESSIONS: u32 = 10;
/// A longer file is not compared.
const MAX_FILE_BYTES: u64 = 4 << 20;

impl Operation for WindowOperation {
    const NAME: &'static str = "window";
    const SUMMARY: &'static str = "Show which lines of files an agent has in its context now";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
By the transcript of the agent: what tools read, wrote and found since the last compaction, compared with the files as \
they are. Transcripts of Claude Code show it. Exit status 3: no session shows any.

Examples:
  epitome window
  epitome window src/auth/session.rs
  epitome window --session claude-code:9f0c1a52";
    type Params = WindowParams;
    type Reply = WindowReply;

    async fn run(call: &OperationCall<'_>, params: WindowParams) -> Result<WindowReply, engine::Error> {
        // Callers from elsewhere do not see the transcripts of this machine.
        let Some(known) = call.transcripts else { return Ok(WindowReply::default()) };
        let sessions = if let Some(session) = params.session {
            vec![session]
        } else {
            let listed = SessionAction::List { state: None, limit: MAX_SESSIONS };
            let report = call.engine.manage_session(call.project, listed).await?;
            report.sessions.into_iter().map(|it| it.listing.conversation.name).collect()
        };
        Ok(WindowReply::find(known, sessions, params.path.as_deref(), &call.project.root))
    }
}

impl WindowReply {
    fn find(known: &LocalTranscripts, sessions: Vec<String>, path: Option<&str>, root: &Path) -> Self {
        let shown = sessions.into_iter().find_map(|it| Some((known.conversation_results(&it)?, it)));
        let Some((results, session)) = shown else { return Self::default() };
        let tokens = results.iter().filter_map(|result| Some(count_tokens(result.text.as_deref()?)));
        let tokens = tokens.sum::<TokenCount>().0;
        let files = compare_files(&results, path, root);
        Self { session: Some(session), results: results.len() as u64, tokens, files }
    }
}

/// The files that results show lines of, compared with what is on the disk.
fn compare_files(results: &[ContextResult], path: Option<&str>, root: &Path) -> Vec<WindowFile> {
    let mut by_path: BTreeMap<String, Vec<ShownLines>> = BTreeMap::new();
    for shown in results.iter().flat_map(|result| ShownLines::of_result(result, root)) {
        if path.is_none_or(|only| only == shown.path) {
            by_path.entry(shown.path.clone()).or_default().push(shown);
        }
    }
    let compared = by_path.into_iter().filter_map(|(path, shown)| {
        let text = read_file(&root.join(&path))?;
        let mut sight = FileSight::new(&text);
        for lines in &shown {
            sight.add(lines);
        }
        let (seen, changed) = sight.spans();
        Some(WindowFile { path, lines: sight.line_count(), seen, changed })
    });
    compared.collect()
}

/// The text of a file that is there, and is no link that leads elsewhere.
fn read_file(path: &Path) -> Option<String> {
    let file = fs_err::symlink_metadata(path).ok()?;
    (file.is_file() && file.len() <= MAX_FILE_BYTES).then(|| fs_err::read_to_string(path).ok()).flatten()
}

impl OperationReply for WindowReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let Some(session) = &self.session else {
            return "no session of this project shows what is in its context\n".to_owned();
        };
        let (results, tokens) = (render_count(self.results, "result"), render_count(u64::from(self.tokens), "token"));
        let mut text = format!("{}: {results} of tools, {tokens}\n", show_name(session));
        for file in &self.files {
            let count: u32 = file.seen.iter().map(|span| span.end_line - span.start_line + 1).sum();
            let (count, lines) = (group_digits(u64::from(count)), group_digits(u64::from(file.lines)));
            let _ = write!(text, "{}  {count} of {lines} lines", show_name(&file.path));
            if !file.seen.is_empty() {
                let _ = write!(text, ": {}", render_spans(&file.seen));
            }
            if !file.changed.is_empty() {
                let _ = write!(text, "; changed since: {}", render_spans(&file.changed));
            }
            text.push('\n');
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.session.is_none() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}

fn render_spans(spans: &[LineSpan]) -> String {
    let one = |span: &LineSpan| match span {
        LineSpan { start_line, end_line } if start_line == end_line => start_line.to_string(),
        LineSpan { start_line, end_line } => format!("{start_line}-{end_line}"),
    };
    spans.iter().map(one).collect::<Vec<_>>().join(", ")
}
