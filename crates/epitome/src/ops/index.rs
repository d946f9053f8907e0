//! `index`: bring the index of the project up to date.

use super::{Call, Kind, Operation, Reply, count};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct Index;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Forget the index and build it anew
    #[arg(long)]
    #[serde(default)]
    rebuild: bool,
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
    skipped: Vec<Skipped>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Skipped {
    path: String,
    reason: String,
}

impl Operation for Index {
    const NAME: &'static str = "index";
    const SUMMARY: &'static str = "Index the project, or bring its index up to date";
    const KIND: Kind = Kind::Refresh;
    const TIMED: bool = true;
    type Params = Params;
    type Reply = IndexReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<IndexReply, engine::Error> {
        let request = engine::IndexRequest { rebuild: params.rebuild };
        let report = call.engine.index(call.project, request, call.observer).await?;
        Ok(IndexReply {
            files: report.totals.files,
            symbols: report.totals.symbols,
            edges: report.totals.edges,
            indexed: report.indexed,
            unchanged: report.unchanged,
            removed: report.removed,
            skipped: report.skipped.into_iter().map(|skip| Skipped { path: skip.path, reason: skip.reason }).collect(),
        })
    }
}

/// Reasons shown to a person; the rest is counted, and `--json` has them all.
const SHOWN: usize = 10;

impl Reply for IndexReply {
    fn text(&self) -> String {
        let mut text = format!(
            "{}, {}, {} ({} parsed, {} unchanged, {} removed)\n",
            count(self.files, "file"),
            count(self.symbols, "symbol"),
            count(self.edges, "relation"),
            self.indexed,
            self.unchanged,
            self.removed
        );
        for skip in self.skipped.iter().take(SHOWN) {
            text.push_str(&format!("  {}: {}\n", skip.path, skip.reason));
        }
        if self.skipped.len() > SHOWN {
            text.push_str(&format!(
                "  … and {} more with something to say; the JSON reply lists all\n",
                self.skipped.len() - SHOWN
            ));
        }
        text
    }
}
