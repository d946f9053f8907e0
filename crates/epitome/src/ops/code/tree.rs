//! The `tree` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer. It
//! lists the directories and files of the project, in at most 4 KB.

use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use clap::{Args, ValueEnum};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct TreeOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TreeParams {
    /// A directory (default: the whole project)
    #[serde(default)]
    path: Option<String>,
    /// How to draw it (default: compact)
    #[arg(long, value_enum)]
    mode: Option<TreeModeParam>,
    /// Levels of directories to open (default: 4)
    #[arg(long)]
    max_depth: Option<u32>,
    /// Entries to show of one directory (default: 30)
    #[arg(long)]
    max_entries_per_dir: Option<u32>,
    /// Bytes of the reply (default: 4096)
    #[arg(long)]
    max_bytes: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum TreeModeParam {
    /// Files of a directory on one line, single directories joined
    Compact,
    /// Every file on a line of its own, with its number of lines
    Verbose,
    /// As compact, with what the central file of each directory defines
    Map,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct TreeReply {
    tree: String,
    files: usize,
    directories: usize,
    /// Directories not shown whole: ask for one of them by `path`
    #[serde(rename = "_truncated_paths", skip_serializing_if = "Vec::is_empty")]
    truncated_paths: Vec<String>,
    /// How many more there are
    #[serde(skip_serializing_if = "is_zero")]
    truncated_more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What the rest of the reply takes at most.
const ENVELOPE: u32 = 128;

impl Operation for TreeOperation {
    const NAME: &'static str = "tree";
    const SUMMARY: &'static str = "Show the directories and files of the project, in at most 4 KB";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Long directories are shortened and the number of entries that are not shown is told.

Examples:
  epitome tree
  epitome tree src --mode map           with what the central file of each directory defines";
    type Params = TreeParams;
    type Reply = TreeReply;

    async fn run(call: &OperationCall<'_>, params: TreeParams) -> Result<TreeReply, engine::Error> {
        let usual = engine::TreeCaps::default();
        let request = engine::TreeRequest {
            path: params.path.unwrap_or_default(),
            mode: match params.mode {
                None | Some(TreeModeParam::Compact) => engine::TreeMode::Compact,
                Some(TreeModeParam::Verbose) => engine::TreeMode::Verbose,
                Some(TreeModeParam::Map) => engine::TreeMode::Map,
            },
            caps: engine::TreeCaps {
                depth: params.max_depth.unwrap_or(usual.depth),
                entries: params.max_entries_per_dir.map_or(usual.entries, |most| most as usize),
                // The limit counts the whole reply, and the rest of it needs room too.
                bytes: params.max_bytes.map_or(usual.bytes, |most| most as usize).saturating_sub(ENVELOPE as usize),
            },
        };
        let tree = call.engine.build_tree(call.project, request).await?;
        Ok(TreeReply {
            tree: tree.text,
            files: tree.files,
            directories: tree.directories,
            truncated_more: tree.truncated_count - tree.truncated.len(),
            truncated_paths: tree.truncated,
        })
    }
}

impl OperationReply for TreeReply {
    fn to_text(&self) -> String {
        let mut text = self.tree.clone();
        text.push_str(&format!(
            "{} in {}\n",
            render_count(self.files as u64, "file"),
            render_count(self.directories as u64, "directory")
        ));
        if !self.truncated_paths.is_empty() {
            let more =
                if self.truncated_more > 0 { format!(" and {} more", self.truncated_more) } else { String::new() };
            let paths: Vec<&str> =
                self.truncated_paths.iter().map(|path| if path.is_empty() { "." } else { path }).collect();
            text.push_str(&format!("not shown whole: {}{more}\n", show_name(&paths.join(", "))));
        }
        text
    }
}
