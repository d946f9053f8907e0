//! Overviews of a project for a reader who has never seen it: the directory tree, a one-page briefing, and how many
//! tokens skeletons save.

mod briefing;
mod central_files;
mod commands;
mod efficiency;
mod entry_points;
mod tree;

pub(crate) use briefing::build_briefing;
pub use briefing::{BriefingRequest, LanguageShare, ProjectBriefing};
pub use commands::ProjectCommand;
pub(crate) use efficiency::measure_efficiency;
pub use efficiency::{SkeletonEfficiency, TokenSaving};
pub use entry_points::EntryPoint;
pub use tree::{ProjectTree, TreeCaps, TreeMode};

use crate::base::{Error, Project, Result, spelling};
use crate::code::CodeContext;
use crate::code::graph_load::load_graph;
use std::collections::HashMap;
use tree::TreeLeaf;

/// Which part of a repository to draw, and how.
#[derive(Clone, Debug)]
pub struct TreeRequest {
    /// A directory; empty for all.
    pub path: String,
    /// How.
    pub mode: TreeMode,
    /// How much.
    pub caps: TreeCaps,
}

pub(crate) async fn build_tree(code: &CodeContext, project: &Project, request: TreeRequest) -> Result<ProjectTree> {
    let graph = load_graph(code, project).await?;
    let path = spelling::normalize_place(project, &request.path);
    // `.`, `./src/` and `src` are common spellings of a directory.
    let root = match path.trim_end_matches('/').trim_start_matches("./") {
        "." => String::new(),
        root => root.to_owned(),
    };
    let leaves: Vec<TreeLeaf<'_>> =
        graph.file_nodes().map(|file| TreeLeaf { path: graph.path(file), lines: graph.lines(file).end }).collect();
    // A directory without indexed files would draw an empty tree, which looks like an empty project.
    if !root.is_empty() && !leaves.iter().any(|leaf| leaf.path.starts_with(&format!("{root}/"))) {
        let hint = Some("directories are relative to the project and hold at least one indexed file".to_owned());
        return Err(Error::NotFound { what: "directory", id: root, hint });
    }
    let central = match request.mode {
        TreeMode::Map => central_files::directory_summaries(code, project, &graph, &root, request.caps.depth).await?,
        TreeMode::Compact | TreeMode::Verbose => HashMap::new(),
    };
    let summary = |directory: &str| central.get(directory).cloned().unwrap_or_default();
    Ok(tree::render_tree(&leaves, &root, request.mode, request.caps, &summary))
}

/// Shortens a text to so many bytes and marks the cut.
fn truncate_text(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
}
