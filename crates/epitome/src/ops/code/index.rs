//! The `index` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! indexes the project's code, or brings the index up to date, and reports counts.

use crate::config::schema::DepthChoice;
use crate::ops::operation::PROJECT_PATH;
use crate::ops::wire::DegradationNotice;
use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use clap::Args;
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct IndexOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct IndexParams {
    /// Forget the index and build it anew
    #[arg(long)]
    #[serde(default)]
    rebuild: bool,
    /// Count what reading skeletons instead of whole files saves, by language and directory
    #[arg(long)]
    #[serde(default)]
    report: bool,
    /// Parse only these languages in this run (`index.languages` keeps it so)
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    #[serde(default)]
    languages: Vec<String>,
    /// Look only at files that one of these patterns fits in this run (`index.include` keeps it so)
    #[arg(long, value_name = "PATTERN")]
    #[serde(default)]
    include: Vec<String>,
    /// Leave out files that one of these patterns fits in this run (`index.ignore` keeps it so)
    #[arg(long, value_name = "PATTERN")]
    #[serde(default)]
    exclude: Vec<String>,
    /// Have a model describe functions and types, at a cost (`value --spend` shows the limits)
    #[arg(long)]
    // Only a person at a terminal can ask for what costs money.
    #[serde(skip)]
    summarize: bool,
    /// Who describes them: a provider of `providers.chain`, as vendor or vendor/model (default: the chain)
    #[arg(long, requires = "summarize")]
    #[serde(skip)]
    provider: Option<String>,
    /// Have the built-in encoder read every function now instead of in the background; takes minutes
    #[arg(long)]
    // A server does it in the background.
    #[serde(skip)]
    encode: bool,
    /// How much of each file to keep in this run (`index.depth` keeps it so)
    #[arg(long, value_enum)]
    depth: Option<DepthChoice>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct IndexReply {
    /// Files in the index
    files: u64,
    /// Symbols in the index
    symbols: u64,
    /// Relations between symbols
    edges: u64,
    /// Files parsed in this run
    indexed: u64,
    /// Files that had not changed
    unchanged: u64,
    /// Files that are gone
    removed: u64,
    /// Files left out or only partly understood
    skipped: Vec<IndexSkip>,
    /// What reading skeletons saves, with `report`
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<SkeletonReport>,
    /// What the encoder has read, with `encode`
    #[serde(skip_serializing_if = "Option::is_none")]
    encoded: Option<IndexEncoding>,
    /// What became of descriptions, with `summarize`
    #[serde(skip_serializing_if = "Option::is_none")]
    summaries: Option<IndexSummaries>,
    /// What became of vectors, where `providers.embedder` is set
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<IndexEmbedding>,
}

#[derive(Serialize, JsonSchema)]
struct IndexEmbedding {
    /// Who embeds; absent where it cannot be used
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Texts embedded in this run: units, paths and messages
    embedded: u64,
    /// Embedded before
    known: u64,
    /// Not embedded; the next run goes on with them
    left: u64,
    /// What stood in the way, and what to do about it
    degraded: Vec<DegradationNotice>,
}

#[derive(Serialize, JsonSchema)]
struct IndexEncoding {
    /// Regions it has read
    read: u64,
    /// Regions it reads when a question finds them
    left: u64,
}

#[derive(Serialize, JsonSchema)]
struct IndexSummaries {
    /// Written in this run
    written: u64,
    /// Written before
    known: u64,
    /// Nothing usable came; the next run tries again
    failed: u64,
    /// Not tried; the next run goes on with them
    left: u64,
    /// What stood in the way, and what to do about it
    degraded: Vec<DegradationNotice>,
}

#[derive(Serialize, JsonSchema)]
struct SkeletonReport {
    total: SkeletonSaving,
    /// Most tokens first
    languages: Vec<SkeletonSaving>,
    /// Most tokens first
    directories: Vec<SkeletonSaving>,
}

#[derive(Serialize, JsonSchema)]
struct SkeletonSaving {
    name: String,
    files: u64,
    raw_tokens: u64,
    skeleton_tokens: u64,
    /// The share of tokens saved; below 0 where skeletons cost more
    saved: f64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct IndexSkip {
    path: String,
    reason: String,
}

impl Operation for IndexOperation {
    const NAME: &'static str = "index";
    const SUMMARY: &'static str = "Index the project, or bring its index up to date";
    const KIND: OperationKind = OperationKind::Refresh;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Files that did not change are not read again, so a second run takes milliseconds. Questions bring the index up to \
date by themselves; run this to see the counts, to change what is indexed, or to build it before the first question.

Examples:
  epitome index                          bring the index of this project up to date
  epitome index ../other --report        index another project and list what was left out, and why
  epitome index --exclude 'vendor/**'    leave a folder out
  epitome index --rebuild                build it anew";
    const TIMED: bool = true;
    type Params = IndexParams;
    type Reply = IndexReply;

    fn extend_command(command: clap::Command) -> clap::Command {
        command.arg(
            clap::Arg::new(PROJECT_PATH)
                .value_name("PATH")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(clap::ValueHint::DirPath)
                .help("The project to index; the same as --project"),
        )
    }

    async fn run(call: &OperationCall<'_>, params: IndexParams) -> Result<IndexReply, engine::Error> {
        let narrowed = engine::IndexOverrides {
            languages: params.languages,
            include: params.include,
            exclude: params.exclude,
            depth: params.depth.map(Into::into),
        };
        let summarize = params.summarize.then_some(engine::SummarizeRequest { provider: params.provider });
        let rebuild = params.rebuild;
        let report = params.report;
        let initiative = engine::CallInitiative::User;
        let request = engine::IndexRequest { rebuild, report, summarize, narrowed, initiative };
        let report = call.engine.index_project(call.project, request, call.observer).await?;
        // After the index, because the encoder reads the regions that it found.
        let encoded =
            if params.encode { Some(call.engine.encode_project(call.project, call.observer).await?) } else { None };
        Ok(IndexReply {
            files: report.totals.files,
            symbols: report.totals.symbols,
            edges: report.totals.edges,
            indexed: report.indexed,
            unchanged: report.unchanged,
            removed: report.removed,
            encoded: encoded.map(|report| IndexEncoding { read: report.read, left: report.left }),
            report: report.efficiency.map(Into::into),
            summaries: report.summaries.map(Into::into),
            embedding: report.embedding.map(Into::into),
            skipped: report
                .skipped
                .into_iter()
                .map(|skip| IndexSkip { path: skip.path, reason: skip.reason })
                .collect(),
        })
    }
}

impl From<engine::SkeletonEfficiency> for SkeletonReport {
    fn from(efficiency: engine::SkeletonEfficiency) -> Self {
        let saving = |(name, saving): (String, engine::TokenSaving)| SkeletonSaving {
            name,
            files: saving.files,
            raw_tokens: saving.raw,
            skeleton_tokens: saving.skeleton,
            saved: (saving.saved_share() * 1_000.0).round() / 1_000.0,
        };
        Self {
            total: saving(("total".to_owned(), efficiency.total)),
            languages: efficiency.languages.into_iter().map(saving).collect(),
            directories: efficiency.directories.into_iter().map(saving).collect(),
        }
    }
}

impl From<engine::SummarizeReport> for IndexSummaries {
    fn from(summaries: engine::SummarizeReport) -> Self {
        let engine::SummarizeReport { written, known, failed, left, degraded } = summaries;
        Self { written, known, failed, left, degraded: degraded.into_iter().map(Into::into).collect() }
    }
}

impl From<engine::EmbedReport> for IndexEmbedding {
    fn from(report: engine::EmbedReport) -> Self {
        let engine::EmbedReport { model, embedded, known, left, degraded } = report;
        Self { model, embedded, known, left, degraded: degraded.into_iter().map(Into::into).collect() }
    }
}

impl IndexEmbedding {
    fn to_text(&self) -> String {
        let Self { model, embedded, known, left, degraded } = self;
        let lines: String = degraded.iter().map(|degraded| format!("  {}\n", degraded.to_text())).collect();
        let by = model.as_ref().map_or(String::new(), |model| format!(" by {model}"));
        format!("embedded {}{by} ({known} known before, {left} left)\n{lines}", render_count(*embedded, "text"))
    }
}

impl IndexEncoding {
    fn to_text(&self) -> String {
        let read = format!("the encoder has read {}", render_count(self.read, "region"));
        match self.left {
            0 => format!("{read}\n"),
            left => format!("{read}; {left} more when a question finds them\n"),
        }
    }
}

impl IndexSummaries {
    fn to_text(&self) -> String {
        let Self { written, known, failed, left, degraded } = self;
        let described = format!("described {}", render_count(*written, "symbol"));
        let lines: String = degraded.iter().map(|degraded| format!("  {}\n", degraded.to_text())).collect();
        format!("{described} ({known} known before, {failed} failed, {left} left)\n{lines}")
    }
}

impl SkeletonReport {
    fn to_text(&self) -> String {
        let line = |saving: &SkeletonSaving| {
            let SkeletonSaving { name, files, raw_tokens, skeleton_tokens, saved } = saving;
            format!("  {name:<24} {files:>7} {raw_tokens:>12} {skeleton_tokens:>12} {:>6.1}%\n", saved * 100.0)
        };
        let mut text = format!("  {:<24} {:>7} {:>12} {:>12} {:>7}\n", "", "files", "tokens", "skeletons", "saved");
        let shown = |list: &[SkeletonSaving]| list.iter().take(MAX_SHOWN_ENTRIES).map(line).collect::<String>();
        text.push_str(&shown(&self.languages));
        text.push_str(&shown(&self.directories));
        text.push_str(&line(&self.total));
        text
    }
}

/// Reasons shown to a person; the rest is counted, and `--json` has them all.
const MAX_SHOWN_ENTRIES: usize = 10;

impl OperationReply for IndexReply {
    fn to_text(&self) -> String {
        let mut text = format!(
            "{}, {}, {} ({} parsed, {} unchanged, {} removed)\n",
            render_count(self.files, "file"),
            render_count(self.symbols, "symbol"),
            render_count(self.edges, "relation"),
            self.indexed,
            self.unchanged,
            self.removed
        );
        text.extend(self.encoded.as_ref().map(IndexEncoding::to_text));
        text.extend(self.report.as_ref().map(SkeletonReport::to_text));
        text.extend(self.summaries.as_ref().map(IndexSummaries::to_text));
        text.extend(self.embedding.as_ref().map(IndexEmbedding::to_text));
        for skip in self.skipped.iter().take(MAX_SHOWN_ENTRIES) {
            text.push_str(&format!("  {}: {}\n", show_name(&skip.path), show_name(&skip.reason)));
        }
        if self.skipped.len() > MAX_SHOWN_ENTRIES {
            text.push_str(&format!(
                "  … and {} more with something to say; the JSON reply lists all\n",
                self.skipped.len() - MAX_SHOWN_ENTRIES
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{AnyOperation, ErasedOperation};

    /// An agent must not be able to spend its user's money.
    #[test]
    fn only_the_command_line_can_ask_for_descriptions() {
        let operation = ErasedOperation::<IndexOperation>::NEW;
        assert!(operation.build_command().get_arguments().any(|argument| argument.get_id() == "summarize"));
        let schema = operation.params_schema();
        assert!(schema["properties"].get("rebuild").is_some());
        assert!(schema["properties"].get("summarize").is_none() && schema["properties"].get("provider").is_none());
        let asked: Result<IndexParams, _> = serde_json::from_value(serde_json::json!({ "summarize": true }));
        assert!(asked.is_err());
    }
}
