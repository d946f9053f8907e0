//! The resolver of a worktree, brought to its files as they are now: the one that is kept, or one made anew.
//!
//! One made anew is made of the files that edges were last made from, and then follows the same changes: so which files
//! the changes touch is found out in one way.

#[cfg(test)]
mod tests;

use super::fingerprint::to_fingerprint;
use crate::Engine;
use crate::base::{Project, Result, run_blocking};
use crate::code::graph::{InvalidatedFiles, ModuleManifest, Resolver, SourceFile, is_manifest};
use model::{ContentHash, DigestBuilder};
use std::collections::HashMap;
use std::path::Path;
use store::{CodeFactKind, FileChange, FileId, Fingerprint, TreeFile, TreeVersion, Worktree};

/// Edges are quick to make, so every release makes its own.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// A resolver that knows all files of a worktree.
pub(super) struct PreparedResolver {
    pub(super) resolver: Resolver,
    /// The version of the worktree that it knows.
    pub(super) version: TreeVersion,
    /// What it was made with beside files.
    pub(super) made: Fingerprint,
    /// The files whose edges may be others than when edges were last written.
    pub(super) touched: InvalidatedFiles,
    /// The changes since then.
    pub(super) changes: Vec<FileChange>,
}

pub(super) async fn prepare_resolver(
    engine: &Engine,
    project: &Project,
    worktree: &Worktree,
) -> Result<PreparedResolver> {
    match from_kept(engine, worktree).await? {
        Some(prepared) => Ok(prepared),
        None => from_store(engine, project, worktree).await,
    }
}

/// What edges are made with beside the files' uses.
pub(super) fn made_with<'a>(manifests: impl Iterator<Item = (&'a str, ContentHash)>) -> Fingerprint {
    let digest = DigestBuilder::new("edges").add_field(RELEASE.as_bytes());
    let digest =
        manifests.fold(digest, |digest, (path, hash)| digest.add_field(path.as_bytes()).add_field(hash.as_bytes()));
    to_fingerprint(digest.finish())
}

/// The resolver that the last edges were made with, if it is kept and all that changed are files.
async fn from_kept(engine: &Engine, worktree: &Worktree) -> Result<Option<PreparedResolver>> {
    let Some(last) = worktree.resolved else { return Ok(None) };
    let Some((made, mut resolver)) = engine.kept.resolvers.take_version(&worktree.id, last.version) else {
        return Ok(None);
    };
    let changes = engine.store.load_changes(&worktree.id).await?;
    if made != last.made || changes.is_empty() || changes.iter().any(|change| is_manifest(&change.path)) {
        return Ok(None);
    }
    let Some(sources) = changed_sources(engine, worktree, &changes).await? else { return Ok(None) };
    let gone = removed_paths(&changes);
    let (touched, resolver) = run_blocking("reading changes", move || {
        let touched = resolver.apply_changes(&sources, &gone);
        (touched, resolver)
    })
    .await?;
    Ok(Some(PreparedResolver { resolver, version: worktree.version, made, touched, changes }))
}

/// What changed files say now; nothing where one is not there any more.
async fn changed_sources(
    engine: &Engine,
    worktree: &Worktree,
    changes: &[FileChange],
) -> Result<Option<Vec<SourceFile>>> {
    let (paths, now): (Vec<String>, Vec<FileId>) =
        changes.iter().filter_map(|change| Some((change.path.clone(), change.now?))).unzip();
    let files = engine.store.files_at(&worktree.id, &paths).await?;
    let facts = engine.store.load_facts(&worktree.id, CodeFactKind::Uses, &now).await?;
    let sources = paths.into_iter().zip(files.into_iter().zip(facts));
    Ok(sources.map(|(path, (file, uses))| Some(SourceFile { path, language: file?.language, uses: uses? })).collect())
}

async fn from_store(engine: &Engine, project: &Project, worktree: &Worktree) -> Result<PreparedResolver> {
    let store = &engine.store;
    let files = store.worktree_files(&worktree.id).await?;
    let paths: Vec<String> = files.iter().map(|file| &file.path).filter(|path| is_manifest(path)).cloned().collect();
    let root = project.root.clone();
    let manifests = run_blocking("reading manifests", move || read_manifests(&root, paths)).await?;
    let made =
        made_with(manifests.iter().map(|manifest| (manifest.path.as_str(), ContentHash::hash_bytes(&manifest.bytes))));
    let changes = match worktree.resolved {
        Some(_) => store.load_changes(&worktree.id).await?,
        None => Vec::new(),
    };
    let is_whole = worktree.resolved.is_none_or(|resolved| resolved.made != made);
    let before = if is_whole { HashMap::new() } else { old_uses(engine, worktree, &changes).await? };
    let mut reading = ResolverLoader { resolver: Resolver::new(&manifests), before, now: Vec::new() };
    for some in files.chunks(AT_ONCE) {
        let ids: Vec<FileId> = some.iter().map(|file| file.file).collect();
        let uses = store.load_facts(&worktree.id, CodeFactKind::Uses, &ids).await?;
        let mut sources = Vec::with_capacity(some.len());
        for (TreeFile { path, language, .. }, uses) in some.iter().cloned().zip(uses) {
            // A version is dropped only when the worktree has another one.
            let moved = || store::Error::Conflict { what: "worktree", id: worktree.id.number.to_string() };
            sources.push(SourceFile { path, language, uses: uses.ok_or_else(moved)? });
        }
        reading = run_blocking("reading uses", move || reading.add_sources(sources)).await?;
    }
    let gone = removed_paths(&changes);
    let (touched, resolver) = run_blocking("reading uses", move || reading.finish_loading(is_whole, &gone)).await?;
    // The files are those of this version, or writing edges for it is refused.
    Ok(PreparedResolver { resolver, version: worktree.version, made, touched, changes })
}

/// So many files are read at once: all of what a large project uses is more than its tables.
const AT_ONCE: usize = 1_000;

/// A resolver that is read into, of the files as edges were last made from them.
struct ResolverLoader {
    resolver: Resolver,
    /// The uses that changed files had then, by path; none for those that came since.
    before: HashMap<String, Option<Vec<u8>>>,
    /// Those files as they are now.
    now: Vec<SourceFile>,
}

impl ResolverLoader {
    fn add_sources(mut self, sources: Vec<SourceFile>) -> Self {
        let mut known = Vec::with_capacity(sources.len());
        for source in sources {
            match self.before.remove(&source.path) {
                None => known.push(source),
                Some(uses) => {
                    let (path, language) = (source.path.clone(), source.language.clone());
                    known.extend(uses.map(|uses| SourceFile { path, language, uses }));
                    self.now.push(source);
                }
            }
        }
        self.resolver.add_files(&known);
        self
    }

    /// The resolver of the files as they are now, and which may have other edges.
    fn finish_loading(mut self, is_whole: bool, gone: &[String]) -> (InvalidatedFiles, Resolver) {
        // Of a file that is gone only its name tells the language.
        let left = self.before.into_iter().filter_map(|(path, uses)| {
            let language = syntax::language_of(&path, &[]).map(|language| language.name().to_owned());
            Some(SourceFile { language, uses: uses?, path })
        });
        self.resolver.add_files(&left.collect::<Vec<_>>());
        self.resolver.build_tables();
        let touched = if is_whole { InvalidatedFiles::All } else { self.resolver.apply_changes(&self.now, gone) };
        (touched, self.resolver)
    }
}

async fn old_uses(
    engine: &Engine,
    worktree: &Worktree,
    changes: &[FileChange],
) -> Result<HashMap<String, Option<Vec<u8>>>> {
    // A version that was never there is numbered below all others.
    let ids: Vec<FileId> = changes.iter().map(|change| change.before.unwrap_or(FileId(0))).collect();
    let facts = engine.store.load_facts(&worktree.id, CodeFactKind::Uses, &ids).await?;
    Ok(changes.iter().map(|change| change.path.clone()).zip(facts).collect())
}

fn removed_paths(changes: &[FileChange]) -> Vec<String> {
    changes.iter().filter(|change| change.now.is_none()).map(|change| change.path.clone()).collect()
}

/// The manifests that can be read; one that cannot says nothing.
fn read_manifests(root: &Path, paths: Vec<String>) -> Vec<ModuleManifest> {
    let read = |path: String| {
        let bytes = fs_err::read(root.join(&path)).ok()?;
        Some(ModuleManifest { path, bytes })
    };
    paths.into_iter().filter_map(read).collect()
}
