//! Making edges: what each file's uses lead to, over all files of a worktree.
//!
//! Edges belong to a version of the worktree. A run that finds them out of date makes those that may differ and writes
//! them for exactly the version it read; when somebody else wrote meanwhile, it starts over.

use super::affected::affected;
use super::made::fingerprint;
use super::{blocking, redirect};
use crate::graph::{Manifest, Resolver, SourceFile, is_manifest};
use crate::{Engine, Error, Observer, Project, Result};
use model::{ContentHash, Digest};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use store::{Fact, FileChange, FileEdges, FileFact, FileId, Fingerprint, Resolution, TreeFile, Worktree};

/// Edges are quick to make, so every release makes its own.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Files resolved between two looks at the observer.
const STRIDE: usize = 500;

/// How often to start over while others write; after that the next run gets its turn.
const ATTEMPTS: usize = 5;

/// Whether edges were made from these files and what they say of the project.
pub(super) fn is_resolved(worktree: &Worktree, files: &[TreeFile]) -> bool {
    let manifests = files.iter().filter(|file| is_manifest(&file.path)).map(|file| (file.path.as_str(), file.hash));
    let made = made_with(manifests);
    worktree.resolved.is_some_and(|resolved| resolved.version == worktree.version && resolved.made == made)
}

/// Brings the edges of a worktree up to date with its files.
pub(super) async fn resolve(engine: &Engine, project: &Project, observer: &dyn Observer) -> Result<()> {
    for _ in 0..ATTEMPTS {
        match attempt(engine, project, observer).await {
            Err(Error::Store(store::Error::Conflict { .. })) => {}
            done => return done,
        }
    }
    // What is written so far is whole for an older version, and says so.
    Ok(())
}

async fn attempt(engine: &Engine, project: &Project, observer: &dyn Observer) -> Result<()> {
    let store = &engine.store;
    let worktree = store.open_worktree(&project.id, &project.root_text()).await?;
    let uses = store.worktree_facts(&worktree.id, Fact::Uses).await?;
    let paths: Vec<String> =
        uses.files.iter().filter(|file| is_manifest(&file.path)).map(|file| file.path.clone()).collect();
    let root = project.root.clone();
    let manifests = blocking("reading manifests", move || read_manifests(&root, paths)).await?;
    let made = made_with(manifests.iter().map(|manifest| (manifest.path.as_str(), ContentHash::of(&manifest.bytes))));
    let changes = match worktree.resolved {
        Some(_) => store.changes(&worktree.id).await?,
        None => Vec::new(),
    };
    let whole = worktree.resolved.is_none_or(|resolved| resolved.made != made);
    let redirects = redirect::redirects(&**store, &worktree.id, &changes).await?;
    let before = old_uses(engine, &worktree, &changes, whole).await?;
    let (version, total) = (uses.version, uses.files.len());
    observer.progress("resolving", 0, total as u64);
    let (wanted, resolver) = blocking("reading uses", move || {
        let wanted: Vec<usize> = if whole { (0..total).collect() } else { affected(&uses.files, &changes, &before) };
        let wanted: Vec<(usize, String)> = wanted.into_iter().map(|at| (at, uses.files[at].path.clone())).collect();
        let files: Vec<SourceFile> = uses.files.into_iter().map(source_file).collect();
        (wanted, Resolver::new(files, &manifests))
    })
    .await?;
    let edges = edges_of(Arc::new(resolver), wanted, observer).await?;
    Ok(store.write_edges(&worktree.id, Resolution { version, made, edges, redirects }).await?)
}

/// The uses that changed files had when edges were last made, beside the change each belongs to.
async fn old_uses(
    engine: &Engine,
    worktree: &Worktree,
    changes: &[FileChange],
    whole: bool,
) -> Result<Vec<Option<Vec<u8>>>> {
    if whole {
        return Ok(Vec::new());
    }
    // A version that was never there is numbered below all others.
    let ids: Vec<FileId> = changes.iter().map(|change| change.before.unwrap_or(FileId(0))).collect();
    Ok(engine.store.facts(&worktree.id, Fact::Uses, &ids).await?)
}

/// The edges of some files, given by number and path.
async fn edges_of(
    resolver: Arc<Resolver>,
    wanted: Vec<(usize, String)>,
    observer: &dyn Observer,
) -> Result<Vec<FileEdges>> {
    let mut edges = Vec::with_capacity(wanted.len());
    for stride in wanted.chunks(STRIDE) {
        if observer.cancelled() {
            return Err(Error::Cancelled);
        }
        let (resolver, stride) = (Arc::clone(&resolver), stride.to_vec());
        let made = blocking("resolving", move || {
            stride.into_par_iter().map(|(file, path)| file_edges(&resolver, file, path)).collect::<Vec<_>>()
        });
        edges.extend(made.await?);
        observer.progress("resolving", edges.len() as u64, wanted.len() as u64);
    }
    Ok(edges)
}

fn file_edges(resolver: &Resolver, file: usize, path: String) -> FileEdges {
    let edges = resolver.edges_of(file);
    FileEdges { path, count: edges.edges.len() as u32, bytes: edges.encode() }
}

fn source_file(file: FileFact) -> SourceFile {
    SourceFile { path: file.path, language: file.language, uses: file.bytes }
}

/// The manifests that can be read; one that cannot says nothing.
fn read_manifests(root: &Path, paths: Vec<String>) -> Vec<Manifest> {
    let read = |path: String| {
        let bytes = fs_err::read(root.join(&path)).ok()?;
        Some(Manifest { path, bytes })
    };
    paths.into_iter().filter_map(read).collect()
}

/// What edges are made with beside the files' uses.
fn made_with<'a>(manifests: impl Iterator<Item = (&'a str, ContentHash)>) -> Fingerprint {
    let digest = Digest::new("edges").field(RELEASE.as_bytes());
    let digest = manifests.fold(digest, |digest, (path, hash)| digest.field(path.as_bytes()).field(hash.as_bytes()));
    fingerprint(digest.finish())
}
