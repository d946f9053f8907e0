//! Here is a question, give me the places: find candidates, score them, pack the best into a budget.

mod code;
mod context;
mod filters;
mod gate;
mod intent;

pub(crate) use code::{Catalogs, dot, follow};
pub(crate) use context::context;
pub use context::{Context, ContextRequest, Format, Item, Origin, Said, written};
pub use filters::Filters;
pub use gate::Gate;
pub use intent::Intent;

use crate::{Engine, Error, Project, Result};
use model::{LineRange, SymbolId, SymbolKind};

/// What to look for.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The question: words, identifiers, a path.
    pub query: String,
    /// How many results at most.
    pub limit: u32,
    /// Where to look.
    pub filters: Filters,
}

/// One result.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// Project-relative path.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
    /// How well it fits; comparable within one reply only.
    pub score: f32,
    /// The symbol it mostly is.
    pub symbol: Option<(SymbolId, SymbolKind)>,
    /// The lines of the symbol in it whose name fits best, where it is more than that.
    pub focus: Option<LineRange>,
    /// Whether it is prose for people to read.
    pub is_prose: bool,
    /// What made it fit.
    pub why: String,
    /// Every part of the score: its name, its value, and what the value is worth.
    pub parts: Vec<ScorePart>,
}

/// One part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// What it is.
    pub name: &'static str,
    /// How much of it there is.
    pub value: f32,
    /// What that adds to the score.
    pub worth: f32,
}

/// The results, best first.
#[derive(Clone, Debug)]
pub struct SearchReply {
    /// The results, one for each file.
    pub hits: Vec<SearchHit>,
}

pub(crate) async fn search(engine: &Engine, project: &Project, request: SearchRequest) -> Result<SearchReply> {
    if request.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    let hits = find(engine, project, &request.query, &request.filters, request.limit as usize).await?;
    Ok(SearchReply { hits })
}

/// The best places for a question, one in each file.
async fn find(
    engine: &Engine,
    project: &Project,
    query: &str,
    filters: &Filters,
    limit: usize,
) -> Result<Vec<SearchHit>> {
    filters.check()?;
    let (catalog, question, ranked) = code::search(engine, project, query, filters, limit).await?;
    Ok(ranked.iter().map(|ranked| ranked.hit(&catalog, &question)).collect())
}
