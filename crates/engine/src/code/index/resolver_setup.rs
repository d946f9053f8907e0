//! Prepares the name resolver of a worktree, up to date with its files: takes the cached one, or loads a new one from
//! the store.
//!
//! A new resolver is made from the files that edges were last computed from, and then gets the same changes as a cached
//! one: so there is one way to find the files that the changes touch.

#[cfg(test)]
mod tests;

use super::fingerprint::to_fingerprint;
use crate::base::{Project, Result, confined_file, run_blocking};
use crate::code::CodeContext;
use crate::code::graph::{InvalidatedFiles, ModuleManifest, Resolver, SourceFile, is_manifest};
use model::{ContentHash, DigestBuilder};
use std::collections::HashMap;
use std::path::Path;
use store::{FileChange, FileId, FileRecordKind, Fingerprint, TreeFile, TreeVersion, Worktree};

/// Edges are quick to compute, so every release computes its own.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Counts changes of how edges are written, within a release.
const EDGE_FORMAT: u8 = 3;

/// A resolver with all files of a worktree.
pub(super) struct PreparedResolver {
    pub(super) resolver: Resolver,
    /// The version of the worktree that its files are of.
    pub(super) version: TreeVersion,
    /// The fingerprint of its inputs other than files.
    pub(super) made: Fingerprint,
    /// The files whose edges may differ from those that were last written.
    pub(super) touched: InvalidatedFiles,
    /// The changes since then.
    pub(super) changes: Vec<FileChange>,
}

pub(super) async fn prepare_resolver(
    code: &CodeContext,
    project: &Project,
    worktree: &Worktree,
) -> Result<PreparedResolver> {
    match from_kept(code, worktree).await? {
        Some(prepared) => Ok(prepared),
        None => from_store(code, project, worktree).await,
    }
}

/// The fingerprint of the inputs of edges other than the uses of files.
pub(super) fn made_with<'a>(manifests: impl Iterator<Item = (&'a str, ContentHash)>) -> Fingerprint {
    let digest = DigestBuilder::new("edges").add_field(RELEASE.as_bytes()).add_field(&[EDGE_FORMAT]);
    let digest =
        manifests.fold(digest, |digest, (path, hash)| digest.add_field(path.as_bytes()).add_field(hash.as_bytes()));
    to_fingerprint(digest.finish())
}

/// The resolver of the last edges, if it is cached and only files have changed since.
async fn from_kept(code: &CodeContext, worktree: &Worktree) -> Result<Option<PreparedResolver>> {
    let Some(last) = worktree.resolved else { return Ok(None) };
    // Taken out of the cache: if a step below fails, no other run may find the resolver half updated.
    let Some((made, mut resolver)) = code.resolvers.take_version(&worktree.id, last.version) else {
        return Ok(None);
    };
    let changes = code.store.load_changes(&worktree.id).await?;
    // Manifests are read only when a resolver is made.
    if made != last.made || changes.is_empty() || changes.iter().any(|change| is_manifest(&change.path)) {
        return Ok(None);
    }
    let Some(sources) = changed_sources(code, worktree, &changes).await? else { return Ok(None) };
    let gone = removed_paths(&changes);
    let (touched, resolver) = run_blocking("reading changes", move || {
        let touched = resolver.apply_changes(&sources, &gone);
        (touched, resolver)
    })
    .await?;
    Ok(Some(PreparedResolver { resolver, version: worktree.version, made, touched, changes }))
}

/// The uses of changed files now; `None` if one of the versions is gone.
async fn changed_sources(
    code: &CodeContext,
    worktree: &Worktree,
    changes: &[FileChange],
) -> Result<Option<Vec<SourceFile>>> {
    let (paths, now): (Vec<String>, Vec<FileId>) =
        changes.iter().filter_map(|change| Some((change.path.clone(), change.now?))).unzip();
    let files = code.store.files_at(&worktree.id, &paths).await?;
    let records = code.store.load_records(&worktree.id, FileRecordKind::Uses, &now).await?;
    let sources = paths.into_iter().zip(files.into_iter().zip(records));
    Ok(sources.map(|(path, (file, uses))| Some(SourceFile { path, language: file?.language, uses: uses? })).collect())
}

async fn from_store(code: &CodeContext, project: &Project, worktree: &Worktree) -> Result<PreparedResolver> {
    let store = &code.store;
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
    // With other manifests or another release every edge may differ, so the old uses are of no help.
    let is_whole = worktree.resolved.is_none_or(|resolved| resolved.made != made);
    let before = if is_whole { HashMap::new() } else { old_uses(code, worktree, &changes).await? };
    let mut reading = ResolverLoader { resolver: Resolver::new(&manifests), before, now: Vec::new() };
    for some in files.chunks(AT_ONCE) {
        let ids: Vec<FileId> = some.iter().map(|file| file.file).collect();
        let uses = store.load_records(&worktree.id, FileRecordKind::Uses, &ids).await?;
        let mut sources = Vec::with_capacity(some.len());
        for (TreeFile { path, language, .. }, uses) in some.iter().cloned().zip(uses) {
            // A version is dropped only when the worktree has another one, so this run is out of date.
            let moved = || store::Error::Conflict { what: "worktree", id: worktree.id.number.to_string() };
            sources.push(SourceFile { path, language, uses: uses.ok_or_else(moved)? });
        }
        reading = run_blocking("reading uses", move || reading.add_sources(sources)).await?;
    }
    let gone = removed_paths(&changes);
    let (touched, resolver) = run_blocking("reading uses", move || reading.finish_loading(is_whole, &gone)).await?;
    // If the files are those of a newer version, the write for this version is refused.
    Ok(PreparedResolver { resolver, version: worktree.version, made, touched, changes })
}

/// How many files are read at once: the encoded uses of a large project take more memory than its tables.
const AT_ONCE: usize = 1_000;

/// A resolver that is being loaded with the files that edges were last computed from.
struct ResolverLoader {
    resolver: Resolver,
    /// The former uses of changed files, by path; `None` for added files.
    before: HashMap<String, Option<Vec<u8>>>,
    /// The changed files as they are now.
    now: Vec<SourceFile>,
}

impl ResolverLoader {
    fn add_sources(mut self, sources: Vec<SourceFile>) -> Self {
        let mut known = Vec::with_capacity(sources.len());
        for source in sources {
            match self.before.remove(&source.path) {
                // A file without changes has the uses from which edges were last computed.
                None => known.push(source),
                Some(uses) => {
                    let path = source.path.clone();
                    let language = source.language.clone();
                    known.extend(uses.map(|uses| SourceFile { path, language, uses }));
                    self.now.push(source);
                }
            }
        }
        self.resolver.add_files(&known);
        self
    }

    /// The resolver of the present files, and the files that may have other edges.
    fn finish_loading(mut self, is_whole: bool, gone: &[String]) -> (InvalidatedFiles, Resolver) {
        // The content of a removed file is gone, so only its name can tell the language.
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
    code: &CodeContext,
    worktree: &Worktree,
    changes: &[FileChange],
) -> Result<HashMap<String, Option<Vec<u8>>>> {
    // No version has the id 0, so a file that did not exist before has no records.
    let ids: Vec<FileId> = changes.iter().map(|change| change.before.unwrap_or(FileId(0))).collect();
    let records = code.store.load_records(&worktree.id, FileRecordKind::Uses, &ids).await?;
    Ok(changes.iter().map(|change| change.path.clone()).zip(records).collect())
}

fn removed_paths(changes: &[FileChange]) -> Vec<String> {
    changes.iter().filter(|change| change.now.is_none()).map(|change| change.path.clone()).collect()
}

/// The manifests that can be read; an unreadable one is left out.
fn read_manifests(root: &Path, paths: Vec<String>) -> Vec<ModuleManifest> {
    let read = |path: String| {
        let bytes = confined_file::read_file(root, Path::new(&path)).ok()?;
        Some(ModuleManifest { path, bytes })
    };
    paths.into_iter().filter_map(read).collect()
}
