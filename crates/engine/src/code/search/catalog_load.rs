//! Loads the catalog of a worktree (the in-memory data that ranking needs) from the store, caches the catalogs of the
//! last few worktrees, and updates them after files or edges are written.

use super::MadeFrom;
use super::catalog::{Catalog, CatalogSources};
use super::catalog_image::{image_key, read_catalog, write_catalog};
use super::catalog_renewal::CatalogRenewal;
use crate::base::image::{ImageFile, ImageFolder, ImageKey};
use crate::base::{Clock, Error, Project, Result, VersionedLru, run_blocking};
use crate::code::CodeContext;
use crate::code::index::{self, CurrentWorktree};
use crate::code::worktree_view::{ResolvedChange, WorktreeView};
use async_trait::async_trait;
use foldhash::HashSet;
use providers::LocalEmbedder;
use search::{ViewLoader, ViewReading, load_view};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use store::{EncodedEdges, FileChange, FileId, FileRecord, FileRecordKind, Store, TreeFile, Worktree, WorktreeId};

/// Whether the cached catalog knows the segments of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentState {
    AsKept,
    /// The store has segments that the cached catalog does not know, because a merge wrote them.
    Moved,
}

/// The catalogs that were asked for lately.
pub(crate) struct CatalogView {
    store: Arc<dyn Store>,
    /// What paths are embedded by.
    embedder: Option<Arc<dyn LocalEmbedder>>,
    catalogs: Arc<VersionedLru<Arc<Catalog>, MadeFrom>>,
    /// Where catalogs lie that processes share; none where every process has its own.
    images: Option<ImageFolder>,
}

/// The catalog of a project as its files are now, and the worktree it is of.
pub(crate) async fn load_catalog(
    code: &CodeContext,
    project: &Project,
    segments: SegmentState,
) -> Result<(WorktreeId, Arc<Catalog>)> {
    load_view(CatalogLoader { code, project, segments, current: None }).await
}

/// How the catalog of a project is loaded.
struct CatalogLoader<'a> {
    code: &'a CodeContext,
    project: &'a Project,
    segments: SegmentState,
    /// Held until the catalog is kept: a run that makes edges meanwhile would move the worktree to another version.
    current: Option<CurrentWorktree>,
}

impl CatalogLoader<'_> {
    fn worktree(&self) -> Result<&Worktree> {
        self.current.as_ref().map(|current| &current.worktree).ok_or_else(|| self.conflict_error())
    }
}

impl ViewLoader for CatalogLoader<'_> {
    type View = (WorktreeId, Arc<Catalog>);
    /// A catalog is brought up to date while it is read.
    type Reading = (WorktreeId, Arc<Catalog>);
    type Error = Error;

    async fn find_kept(&mut self) -> Result<Option<Self::View>> {
        // Given back first: the next one waits for it.
        self.current = None;
        let current = index::refresh_index(self.code, self.project).await?;
        let now = &current.worktree;
        let kept = self.code.catalogs.cached(&now.id, made_from(now));
        let found = kept.filter(|_| self.segments == SegmentState::AsKept).map(|catalog| (now.id.clone(), catalog));
        self.current = Some(current);
        Ok(found)
    }

    async fn read_store(&mut self) -> Result<ViewReading<Self::Reading>> {
        let now = self.worktree()?;
        let catalog = self.code.catalogs.of_now(now).await?;
        let after = self.code.store.open_worktree(&self.project.id, &self.project.root_text()).await?;
        let found = (now.id.clone(), catalog);
        Ok(if made_from(&after) == made_from(now) { ViewReading::Whole(found) } else { ViewReading::Torn(found) })
    }

    async fn build_view(&mut self, reading: Self::Reading) -> Result<Self::View> {
        Ok(reading)
    }

    fn keep_view(&mut self, (worktree, catalog): &Self::View) {
        if let Ok(now) = self.worktree() {
            let view = &self.code.catalogs;
            view.catalogs.insert(worktree.clone(), made_from(now), Arc::clone(catalog));
            view.share_catalog(now, catalog);
        }
    }

    fn conflict_error(&self) -> Error {
        store::Error::Conflict { what: "index", id: self.project.id.to_string() }.into()
    }
}

#[async_trait]
impl WorktreeView for CatalogView {
    async fn follow_change(&self, project: &Project, change: &ResolvedChange) -> Result<()> {
        let ResolvedChange { worktree, version, changes, edges, .. } = change;
        let Some(((_, of), kept)) = self.catalogs.any_version(&worktree.id) else { return Ok(()) };
        let before = worktree.resolved.map(|resolved| resolved.version);
        // The new edges are those of changed files only. They fit the cached catalog only if it has the edges from before.
        let followed = match edges.clone().filter(|_| before.is_some() && before == of) {
            Some(mut edges) => {
                let gone = changes.iter().filter(|change| change.now.is_none());
                // The resolver writes no edges for a removed file, and its old ones would go on counting as uses.
                edges.extend(gone.map(|change| without_edges(&change.path)));
                self.renew_catalog(&worktree.id, kept, changed_paths(changes), Vec::new(), edges).await?
            }
            None => self.caught_up(&worktree.id, kept, Vec::new()).await?,
        };
        if let Some(catalog) = followed {
            self.cache_if_current(project, &worktree.id, (*version, Some(*version)), catalog).await?;
        }
        Ok(())
    }
}

impl CatalogView {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: &Arc<dyn Clock>,
        embedder: Option<Arc<dyn LocalEmbedder>>,
        images: Option<ImageFolder>,
    ) -> Self {
        // One for each of a few worktrees that are worked on at once.
        Self { store, embedder, catalogs: Arc::new(VersionedLru::new(4, clock)), images }
    }

    /// Drops the catalogs that no question asked for in a while.
    pub(crate) fn release_idle(&self) -> usize {
        self.catalogs.release_idle()
    }

    /// The catalog of a version of a worktree, where it is kept.
    fn cached(&self, worktree: &WorktreeId, of: MadeFrom) -> Option<Arc<Catalog>> {
        self.catalogs.get(worktree, of)
    }

    /// The catalog of the current version: the cached one, renewed by as few files as possible, or one that is built anew.
    async fn of_now(&self, now: &Worktree) -> Result<Arc<Catalog>> {
        let kept = match self.catalogs.any_version(&now.id) {
            Some(kept) => Some(kept),
            None => match self.open_image(now).await? {
                // Nothing was written since. Segments may have been put together; a question notices that.
                Some((of, catalog)) if of == made_from(now) => return Ok(catalog),
                opened => opened,
            },
        };
        let changes = changed_paths(&self.store.load_changes(&now.id).await?);
        let brought = match kept {
            // The store notes which paths changed since the last edges, and the cached catalog is of those edges.
            Some(((_, of), kept)) if of.is_some() && of == made_from(now).1 => {
                self.renew_catalog(&now.id, kept, changes.clone(), changes.clone(), Vec::new()).await?
            }
            // The edges changed since, and the list of files whose edges changed is unknown: all files are compared.
            Some((_, kept)) => self.caught_up(&now.id, kept, changes.clone()).await?,
            None => None,
        };
        match brought {
            Some(catalog) => Ok(catalog),
            None => self.build_catalog(&now.id, changes).await,
        }
    }

    /// Keeps a catalog that follows a change, if no run wrote to the worktree while it was read.
    async fn cache_if_current(
        &self,
        project: &Project,
        worktree: &WorktreeId,
        of: MadeFrom,
        catalog: Arc<Catalog>,
    ) -> Result<()> {
        let after = self.store.open_worktree(&project.id, &project.root_text()).await?;
        // Another process may have written between the reads, and the catalog would mix two versions under one key.
        if made_from(&after) == of {
            self.catalogs.replace(worktree, of, catalog);
        }
        Ok(())
    }

    /// The catalog in the image of a worktree, with what it was made from.
    async fn open_image(&self, now: &Worktree) -> Result<Option<(MadeFrom, Arc<Catalog>)>> {
        let Some((path, key)) = self.image_place(now) else { return Ok(None) };
        let opened = run_blocking("opening names", move || read_catalog(&ImageFile::open(&path, &key)?)).await?;
        tracing::debug!(found = opened.is_some(), "looked for an image of the catalog");
        Ok(opened.map(|(of, catalog)| (of, Arc::new(catalog))))
    }

    /// Where the image of a worktree is, and what it must be made of.
    fn image_place(&self, now: &Worktree) -> Option<(PathBuf, ImageKey)> {
        Some((self.images.as_ref()?.path_of(&now.id, "catalog"), image_key(now, self.embedder.as_deref())))
    }

    /// Writes the image of a catalog that was just built from all files, and keeps the image in its place. Behind the
    /// answer: the process that built a catalog has it already.
    fn share_catalog(&self, now: &Worktree, catalog: &Arc<Catalog>) {
        let Some((path, key)) = self.image_place(now).filter(|_| catalog.is_new) else { return };
        let Some(folder) = &self.images else { return };
        let (of, worktree) = (made_from(now), now.id.clone());
        let (catalog, kept) = (Arc::clone(catalog), Arc::clone(&self.catalogs));
        folder.write_behind(move || {
            write_catalog(&catalog, of, &path, &key)?;
            // From here on this process reads the pages that the others read, too.
            if let Some((of, catalog)) = ImageFile::open(&path, &key).and_then(|image| read_catalog(&image)) {
                kept.replace_same(&worktree, of, Arc::new(catalog));
            }
            Ok(())
        });
    }

    /// Drops an image that was found to be damaged while a question read it.
    pub(crate) fn discard_image(&self, now: &Worktree) {
        tracing::warn!("the image of the catalog is damaged: it is made anew");
        self.catalogs.remove(&now.id);
        if let Some((path, _)) = self.image_place(now) {
            // Where it cannot be removed, the next process finds the same damage and reads the store as well.
            let _ = fs_err::remove_file(path);
        }
    }

    async fn build_catalog(&self, worktree: &WorktreeId, since_edges: Vec<String>) -> Result<Arc<Catalog>> {
        tracing::debug!("reading all names");
        let store = &self.store;
        // Segments first: when some are put together after that, a question meets one that is not known here.
        let segments = store.load_segments(worktree).await?;
        let files = store.worktree_files(worktree).await?;
        let symbols = store.worktree_records(worktree, FileRecordKind::Symbols).await?.files;
        // Vectors are the largest fact, and without a model that embeds the question none of them is compared.
        let vectors = match self.embedder {
            Some(_) => store.worktree_records(worktree, FileRecordKind::Vectors).await?.files,
            None => Vec::new(),
        };
        let edges = store.load_edges(worktree).await?;
        let sources = CatalogSources { segments, files, symbols, vectors, edges, since_edges };
        let embedder = self.embedder.clone();
        run_blocking("loading names", move || Arc::new(Catalog::new(sources, embedder.as_deref()))).await
    }

    /// A catalog with all current files and edges, whichever process wrote them; `None` where too many files changed.
    async fn caught_up(
        &self,
        worktree: &WorktreeId,
        kept: Arc<Catalog>,
        since_edges: Vec<String>,
    ) -> Result<Option<Arc<Catalog>>> {
        let files = self.store.worktree_files(worktree).await?;
        let mut edges = self.store.load_edges(worktree).await?;
        let have_edges: HashSet<&str> = edges.iter().map(|file| file.path.as_str()).collect();
        // The store has no row for a file without edges, so files that lost theirs are named here.
        let have_none: Vec<EncodedEdges> =
            kept.linked_paths().filter(|path| !have_edges.contains(path)).map(without_edges).collect();
        let are: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let gone = kept.file_paths().filter(|path| !are.contains(path)).map(str::to_owned);
        let others = files.iter().filter(|file| !kept.has_version(file)).map(|file| file.path.clone());
        let changed: Vec<String> = gone.chain(others).collect();
        edges.extend(have_none);
        tracing::debug!(changed = changed.len(), "comparing all files");
        self.renew_catalog(worktree, kept, changed, since_edges, edges).await
    }

    /// A catalog with the current files at some paths, and with some new edges; `None` where too many files changed.
    async fn renew_catalog(
        &self,
        worktree: &WorktreeId,
        kept: Arc<Catalog>,
        changed: Vec<String>,
        since_edges: Vec<String>,
        edges: Vec<EncodedEdges>,
    ) -> Result<Option<Arc<Catalog>>> {
        let store = &self.store;
        let segments = store.load_segments(worktree).await?;
        let unknown: Vec<i64> =
            segments.iter().map(|segment| segment.number).filter(|number| !kept.has_segment(*number)).collect();
        let moved = if unknown.is_empty() { Vec::new() } else { store.segment_files(worktree, &unknown).await? };
        // A file that differed when the cached catalog was made may have been restored since: no list of changes names it
        // then.
        let asked: BTreeSet<String> = changed.into_iter().chain(kept.since_edges.iter().cloned()).collect();
        let asked: Vec<String> = asked.into_iter().collect();
        // Before the reads below: a rebuild reads all files anyway.
        if kept.is_worn(asked.len()) {
            return Ok(None);
        }
        let found = store.files_at(worktree, &asked).await?;
        let differ =
            asked.into_iter().zip(found).filter(|(_, file)| !file.as_ref().is_some_and(|file| kept.has_version(file)));
        let (left, came): (Vec<String>, Vec<Option<TreeFile>>) = differ.unzip();
        let came: Vec<TreeFile> = came.into_iter().flatten().collect();
        let symbols = self.load_records(worktree, FileRecordKind::Symbols, &came).await?;
        let vectors = match self.embedder {
            Some(_) => self.load_records(worktree, FileRecordKind::Vectors, &came).await?,
            None => Vec::new(),
        };
        let renewal = CatalogRenewal { segments, moved, left, came, symbols, vectors, edges, since_edges };
        let embedder = self.embedder.clone();
        let made = run_blocking("renewing names", move || Arc::new(kept.apply_renewal(renewal, embedder.as_deref())));
        Ok(Some(made.await?))
    }

    /// One record of some files.
    async fn load_records(
        &self,
        worktree: &WorktreeId,
        record: FileRecordKind,
        files: &[TreeFile],
    ) -> Result<Vec<FileRecord>> {
        let versions: Vec<FileId> = files.iter().map(|file| file.file).collect();
        let records = self.store.load_records(worktree, record, &versions).await?;
        let named = files.iter().cloned().zip(records).filter_map(|(file, bytes)| {
            let TreeFile { path, file, language, lines, .. } = file;
            Some(FileRecord { path, file, language, lines, bytes: bytes? })
        });
        Ok(named.collect())
    }
}

fn made_from(worktree: &Worktree) -> MadeFrom {
    (worktree.version, worktree.resolved.map(|resolved| resolved.version))
}

fn changed_paths(changes: &[FileChange]) -> Vec<String> {
    changes.iter().map(|change| change.path.clone()).collect()
}

fn without_edges(path: &str) -> EncodedEdges {
    EncodedEdges { path: path.to_owned(), count: 0, bytes: Vec::new() }
}
