//! Resolves the targets of a read request that only the graph knows (a handle, a bare name, or the former id of a
//! renamed or moved symbol) to symbol ids.

use crate::base::{Error, Project, Result, spelling};
use crate::code::CodeContext;
use crate::code::graph::{self, Graph};
use crate::code::graph_load::load_graph;
use model::{SymbolHandle, SymbolId};
use std::collections::HashSet;

/// A target in readable form.
pub(super) struct ResolvedTarget {
    pub(super) target: String,
    /// The id it was asked for by, where its symbol has another one now.
    pub(super) moved_from: Option<String>,
    /// The name it was asked for by, where others have it too, and how many.
    pub(super) one_of: Option<(String, usize)>,
    /// Why the target cannot be read.
    pub(super) refused: Option<Error>,
}

/// Replaces handles, names and former ids by ids. The graph is loaded only where one of them occurs.
pub(super) async fn resolve_targets(
    code: &CodeContext,
    project: &Project,
    targets: Vec<String>,
) -> Result<Vec<ResolvedTarget>> {
    let targets: Vec<String> = targets.iter().map(|target| spelling::normalize_place(project, target)).collect();
    let ids: Vec<SymbolId> = targets.iter().filter_map(|target| SymbolId::parse(target)).collect();
    let gone: HashSet<SymbolId> = match ids.as_slice() {
        [] => HashSet::new(),
        // Reading works without the index, so a store that fails is no error here.
        _ => code.store.load_redirects(&project.id).await.unwrap_or_default().into_iter().map(|it| it.from).collect(),
    };
    let asks = |target: &String| match SymbolId::parse(target) {
        // A file that is gone may have been renamed, and its symbols with it.
        Some(id) => gone.contains(&id) || !project.root.join(&*id.file_path()).exists(),
        None => SymbolHandle::parse(target).is_some() || is_name(project, target),
    };
    let plain = |target: String| ResolvedTarget { target, moved_from: None, one_of: None, refused: None };
    if !targets.iter().any(asks) {
        return Ok(targets.into_iter().map(plain).collect());
    }
    let graph = load_graph(code, project).await?;
    let resolved = targets
        .into_iter()
        .flat_map(|target| if asks(&target) { by_graph(&graph, project, target) } else { vec![plain(target)] });
    Ok(resolved.collect())
}

/// Whether a text can only be the name of a symbol: no file, no place in one, and spelled like a name.
fn is_name(project: &Project, target: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || "_.:$".contains(c);
    let name = spelling::normalize_name(target);
    name.as_deref().unwrap_or(target).chars().all(is_word) && !project.root.join(target).exists()
}

/// Replaces a target by ids: several where it is the name of several symbols.
fn by_graph(graph: &Graph, project: &Project, target: String) -> Vec<ResolvedTarget> {
    let refused = |target, refused| vec![ResolvedTarget { target, moved_from: None, one_of: None, refused }];
    let homes = match graph::find_homes(graph, project, &target, graph::MOST_HOMES) {
        Ok(homes) => homes,
        // A name that no symbol has may be a file that does not exist, which reading reports.
        Err(Error::NotFound { .. }) if SymbolHandle::parse(&target).is_none() => return refused(target, None),
        Err(error) => return refused(target, Some(error)),
    };
    let was = match (SymbolId::parse(&target), SymbolHandle::parse(&target)) {
        (Some(id), _) if graph.symbol_node(&id).is_none() && graph.find_moved(&id).is_some() => Some(id.to_string()),
        (None, Some(handle)) if graph.with_handle(handle).next().is_none() => {
            graph.moved_by_handle(handle).map(|(id, _)| id.to_string())
        }
        _ => None,
    };
    let count = homes.nodes.len() + homes.more;
    let resolved = homes.nodes.iter().map(|node| ResolvedTarget {
        target: graph.id(*node),
        moved_from: was.clone(),
        one_of: (count > 1).then(|| (target.clone(), count)),
        refused: None,
    });
    resolved.collect()
}
