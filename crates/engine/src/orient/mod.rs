//! Orientation for somebody who has never seen the project: its shape, and one page about it.

mod briefing;
mod commands;
mod efficiency;
mod tree;

pub(crate) use briefing::briefing;
pub use briefing::{Briefing, BriefingRequest, EntryPoint, LanguageShare};
pub use commands::Command;
pub(crate) use efficiency::efficiency;
pub use efficiency::{Efficiency, Saving};
pub use tree::{Tree, TreeCaps, TreeMode};

use crate::graph::{Graph, NodeId, load, ranks};
use crate::{Engine, Error, Project, Result, spelling};
use std::collections::HashMap;
use tree::Leaf;

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

/// Signatures shown of the central file of a directory.
const SUMMARY_LINES: usize = 4;

/// Longer names say no more.
const SUMMARY_WIDTH: usize = 80;

pub(crate) async fn tree(engine: &Engine, project: &Project, request: TreeRequest) -> Result<Tree> {
    let graph = load(engine, project).await?;
    let path = spelling::place(project, &request.path);
    let root = match path.trim_end_matches('/').trim_start_matches("./") {
        "." => String::new(),
        root => root.to_owned(),
    };
    let leaves: Vec<Leaf<'_>> =
        graph.files().map(|file| Leaf { path: graph.path(file), lines: graph.lines(file).end }).collect();
    if !root.is_empty() && !leaves.iter().any(|leaf| leaf.path.starts_with(&format!("{root}/"))) {
        let hint = Some("directories are relative to the project and hold at least one indexed file".to_owned());
        return Err(Error::NotFound { what: "directory", id: root, hint });
    }
    let central = if request.mode == TreeMode::Map { central_files(&graph) } else { HashMap::new() };
    let summary = |directory: &str| central.get(directory).map(|file| summary(&graph, *file)).unwrap_or_default();
    Ok(tree::draw(&leaves, &root, request.mode, request.caps, &summary))
}

/// Of each directory the file that most of the project leans on, of those that define anything.
fn central_files(graph: &Graph) -> HashMap<&str, NodeId> {
    let ranks = ranks(graph);
    let mut best: HashMap<&str, NodeId> = HashMap::new();
    for file in graph.files().filter(|file| graph.symbols_of(*file).len() > 0) {
        let directory = graph.path(file).rsplit_once('/').map_or("", |(directory, _)| directory);
        let known = best.entry(directory).or_insert(file);
        if ranks[file.file() as usize] > ranks[known.file() as usize] {
            *known = file;
        }
    }
    best
}

/// What a file defines at its top, as kind and name.
fn summary(graph: &Graph, file: NodeId) -> Vec<String> {
    let top: Vec<NodeId> = graph.members(file).collect();
    let line = |node: &NodeId| {
        let mut line = format!(
            "{}: {} {}",
            graph.name(file),
            graph.kind(*node).map_or("", |kind| kind.as_str()),
            graph.name(*node)
        );
        cut(&mut line, SUMMARY_WIDTH);
        line
    };
    let mut lines: Vec<String> = top.iter().take(SUMMARY_LINES).map(line).collect();
    if top.len() > SUMMARY_LINES {
        lines.push(format!("{}: … {} more", graph.name(file), top.len() - SUMMARY_LINES));
    }
    lines
}

/// Shortens a text to so many bytes and marks the cut.
fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
}
