//! Ranking the files of a project for a question: words, names, paths, meaning, and how central a file is, in one sum.

mod catalog;
mod features;
mod grown;
mod hit;
mod load;
mod meaning;
mod names;
mod paths;
mod question;
mod rank;
mod renew;
mod signs;

pub(crate) use catalog::{Catalog, stems};
pub(crate) use load::{follow, load};
pub(crate) use meaning::dot;
pub(crate) use question::Question;
pub(crate) use rank::{Ranked, rank};

use super::Filters;
use crate::graph::Shelf;
use crate::index;
use crate::{Engine, Error, Project, Result};
use meaning::Asked;
use std::sync::Arc;
use store::TreeVersion;

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
