//! Computes the edges of the code graph (what the uses of each file refer to, over all files of a worktree) and writes
//! them to the store.
//!
//! Edges belong to a version of the worktree. A run that finds them out of date computes those that may differ and
//! writes them for exactly the version it read; when another run wrote meanwhile, it starts over.

use super::redirect;
use super::resolver_setup::{PreparedResolver, made_with, prepare_resolver};
use crate::base::{Error, Observer, Project, Result, run_blocking, run_long};
use crate::code::CodeContext;
use crate::code::graph::{InvalidatedFiles, Resolver, is_manifest};
use crate::code::worktree_view::ResolvedChange;
use rayon::prelude::*;
use search::Attempts;
use std::sync::Arc;
use store::{EdgeBatch, EncodedEdges, TreeFile, Worktree};

/// How many files are resolved between two checks for cancellation.
const STRIDE: usize = 500;

/// Whether edges were made from these files and what they say of the project.
pub(super) fn is_resolved(worktree: &Worktree, files: &[TreeFile]) -> bool {
    let manifests = files.iter().filter(|file| is_manifest(&file.path)).map(|file| (file.path.as_str(), file.hash));
    let made = made_with(manifests);
    worktree.resolved.is_some_and(|resolved| resolved.version == worktree.version && resolved.made == made)
}

/// Brings the edges of a worktree up to date with its files, and says what that changed.
pub(super) async fn resolve_worktree(
    code: &CodeContext,
    project: &Project,
    observer: &dyn Observer,
) -> Result<Option<ResolvedChange>> {
    let mut attempts = Attempts::default();
    loop {
        match try_resolve(code, project, observer).await {
            Err(Error::Store(store::Error::Conflict { .. })) if attempts.try_again() => {}
            // The stored edges are complete for an older version of the worktree, and that version is recorded with
            // them. The next run tries again.
            Err(Error::Store(store::Error::Conflict { .. })) => return Ok(None),
            done => return done.map(Some),
        }
    }
}

async fn try_resolve(code: &CodeContext, project: &Project, observer: &dyn Observer) -> Result<ResolvedChange> {
    let store = &code.store;
    let worktree = store.open_worktree(&project.id, &project.root_text()).await?;
    let PreparedResolver { resolver, version, made, touched, changes } =
        prepare_resolver(code, project, &worktree).await?;
    // Found while the store still has the versions before the change.
    let redirects = redirect::find_redirects(&**store, &worktree.id, &changes).await?;
    let wanted: Vec<u32> = match &touched {
        InvalidatedFiles::These(files) => files.iter().copied().collect(),
        InvalidatedFiles::All => resolver.file_numbers().collect(),
    };
    tracing::debug!(changed = changes.len(), resolved = wanted.len(), "making edges");
    let resolver = Arc::new(resolver);
    let edges = edges_of(&resolver, wanted, observer).await?;
    let written = matches!(touched, InvalidatedFiles::These(_)).then(|| edges.clone());
    let has_redirects = !redirects.is_empty();
    store.write_edges(&worktree.id, EdgeBatch { version, made, edges, redirects }).await?;
    // Every worker has returned, so this is the only reference.
    if let Some(resolver) = Arc::into_inner(resolver) {
        code.resolvers.insert(worktree.id.clone(), version, (made, resolver));
    }
    // The views follow once the store has the edges: a refused write leaves them at the version they belong to.
    Ok(ResolvedChange { worktree, version, changes, edges: written, has_redirects })
}

/// The edges of some files.
async fn edges_of(resolver: &Arc<Resolver>, wanted: Vec<u32>, observer: &dyn Observer) -> Result<Vec<EncodedEdges>> {
    let mut edges = Vec::with_capacity(wanted.len());
    for stride in wanted.chunks(STRIDE) {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let resolver = Arc::clone(resolver);
        let stride = stride.to_vec();
        let made = run_blocking("resolving", move || {
            run_long(|| stride.into_par_iter().map(|file| file_edges(&resolver, file)).collect::<Vec<_>>())
        });
        edges.extend(made.await?);
        observer.report_progress("resolving", edges.len() as u64, wanted.len() as u64);
    }
    Ok(edges)
}

fn file_edges(resolver: &Resolver, file: u32) -> EncodedEdges {
    let edges = resolver.edges_of(file);
    EncodedEdges { path: resolver.file_path(file).to_owned(), count: edges.edges.len() as u32, bytes: edges.encode() }
}
