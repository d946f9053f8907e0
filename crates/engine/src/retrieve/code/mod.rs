//! Ranking the files of a project for a question: words, names, paths, meaning, and how central a file is, in one sum.

mod catalog;
mod features;
mod hit;
mod meaning;
mod names;
mod question;
mod rank;
mod renew;
mod signs;

pub(crate) use catalog::{Catalog, stems};
pub(crate) use meaning::dot;
pub(crate) use question::Question;
pub(crate) use rank::{Ranked, rank};

use super::Filters;
use crate::graph::Shelf;
use crate::index;
use crate::{Engine, Error, Project, Result};
use catalog::Sources;
use meaning::Asked;
use std::sync::Arc;
use store::{Fact, FileFact, FileId, IndexState, TreeFile, TreeVersion, Worktree};

/// Catalogs that were asked for lately.
pub(crate) type Catalogs = Shelf<Arc<Catalog>, MadeFrom>;

/// What a catalog is made from: files, and edges of which files, if there are any.
pub(crate) type MadeFrom = (TreeVersion, Option<TreeVersion>);

/// How often to look again while others write.
const ATTEMPTS: usize = 5;

/// The files that fit a question best, with the catalog they are in.
pub(crate) async fn search(
    engine: &Engine,
    project: &Project,
    text: &str,
    filters: &Filters,
    limit: usize,
) -> Result<(Arc<Catalog>, Question, Vec<Ranked>)> {
    let mut question = Question::new(text);
    if question.terms.is_empty() {
        let reason = "has no word to look for: write at least one letter or digit".to_owned();
        return Err(Error::Parameter { field: "query", reason });
    }
    let terms: Vec<String> = question.terms.iter().map(|term| term.stem.clone()).collect();
    let mut attempt = 1;
    loop {
        let catalog = load(engine, project).await?;
        let worktree = engine.store.open_worktree(&project.id, &project.root_text()).await?;
        let postings = engine.store.postings(&worktree.id, &terms).await?;
        // Segments may be put together between two reads; then all of them have to be asked again.
        if attempt < ATTEMPTS && !postings.iter().all(|posting| catalog.knows(posting.segment)) {
            engine.catalogs.take_any(&worktree.id);
            attempt += 1;
            continue;
        }
        let asked = engine.embedder.as_ref().and_then(|embedder| embedder.embed_now(text).ok().flatten());
        let asked = Asked::new(index::small(asked.as_ref()));
        let filters = filters.clone();
        return index::blocking("ranking", move || {
            let ranked = rank(&catalog, &mut question, asked.as_ref(), &postings, &filters, limit);
            (catalog, question, ranked)
        })
        .await;
    }
}

/// The catalog of a project as its files are now.
pub(crate) async fn load(engine: &Engine, project: &Project) -> Result<Arc<Catalog>> {
    let mut attempt = 1;
    loop {
        let now = refreshed(engine, project).await?;
        let resolved = now.resolved.as_ref().map(|resolved| resolved.version);
        if let Some(catalog) = engine.catalogs.of(&now.id, (now.version, resolved)) {
            return Ok(catalog);
        }
        // Taken away, because what nobody else holds can be changed in place.
        let kept = engine.catalogs.take_any(&now.id);
        let (sources, version, before) = read(engine, &now, resolved, kept).await?;
        let after = engine.store.open_worktree(&project.id, &project.root_text()).await?;
        let is_whole = after.version == now.version && version == now.version;
        if !is_whole && attempt < ATTEMPTS {
            attempt += 1;
            continue;
        }
        let embedder = engine.embedder.clone();
        let made = move || match before {
            Some(mut before) => {
                Arc::make_mut(&mut before).renew(sources, embedder.as_deref());
                before
            }
            None => Arc::new(Catalog::new(sources, embedder.as_deref())),
        };
        let catalog = index::blocking("loading names", made).await?;
        if is_whole {
            engine.catalogs.keep(now.id, (now.version, resolved), Arc::clone(&catalog));
        }
        return Ok(catalog);
    }
}

/// What a catalog is made from, of which version, and the catalog to go on from: of that, few files are other ones.
async fn read(
    engine: &Engine,
    now: &Worktree,
    resolved: Option<TreeVersion>,
    kept: Option<(MadeFrom, Arc<Catalog>)>,
) -> Result<(Sources, TreeVersion, Option<Arc<Catalog>>)> {
    let store = &engine.store;
    let files = store.worktree_files(&now.id).await?;
    let segments = store.segments(&now.id).await?;
    let same_edges = kept.as_ref().is_some_and(|((_, of), _)| *of == resolved);
    let few = kept.and_then(|(_, catalog)| Some((catalog.news(&files)?, catalog)));
    let edges = if few.is_some() && same_edges { None } else { Some(store.edges(&now.id).await?) };
    let Some((new, before)) = few else {
        let symbols = store.worktree_facts(&now.id, Fact::Symbols).await?;
        let vectors = match engine.embedder {
            Some(_) => store.worktree_facts(&now.id, Fact::Vectors).await?.files,
            None => Vec::new(),
        };
        let sources = Sources { files, symbols: symbols.files, segments, edges, vectors };
        return Ok((sources, symbols.version, None));
    };
    let versions: Vec<FileId> = new.iter().map(|file| file.file).collect();
    let of_new = async |fact: Fact| -> Result<Vec<FileFact>> {
        let facts = store.facts(&now.id, fact, &versions).await?;
        let named = new.iter().cloned().zip(facts).filter_map(|(file, bytes)| {
            let TreeFile { path, file, language, lines, .. } = file;
            Some(FileFact { path, file, language, lines, bytes: bytes? })
        });
        Ok(named.collect())
    };
    let symbols = of_new(Fact::Symbols).await?;
    let vectors = if engine.embedder.is_some() { of_new(Fact::Vectors).await? } else { Vec::new() };
    Ok((Sources { files, symbols, segments, edges, vectors }, now.version, Some(before)))
}

/// Brings the index up to date. Who uses whom says which files matter, and changes slowly: it is worked out when
/// there is nothing of it yet, and may be of a moment ago otherwise.
async fn refreshed(engine: &Engine, project: &Project) -> Result<Worktree> {
    let before = engine.store.open_worktree(&project.id, &project.root_text()).await?;
    if before.state == IndexState::NotReady || before.resolved.is_none() {
        return index::refresh_edges(engine, project).await;
    }
    index::refresh(engine, project).await?;
    Ok(engine.store.open_worktree(&project.id, &project.root_text()).await?)
}
