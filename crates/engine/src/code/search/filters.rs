//! `SearchFilters`, the filters of a search request: only paths that contain a text, some languages, or some kinds of
//! symbols; an unknown language is an error.

use crate::base::{Error, Result};
use model::SymbolKind;

/// Where to look; empty lists narrow nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchFilters {
    /// Paths that hold one of these.
    pub paths: Vec<String>,
    /// Files of one of these languages.
    pub languages: Vec<String>,
    /// Places that are a symbol of one of these kinds.
    pub kinds: Vec<SymbolKind>,
}

impl SearchFilters {
    /// Refuses unknown languages: silently finding nothing would mislead.
    pub(crate) fn check_languages(&self) -> Result<()> {
        let known = |language: &str| syntax::all_languages().any(|known| known.name() == language);
        match self.languages.iter().find(|language| !known(language)) {
            None => Ok(()),
            Some(unknown) => {
                let all: Vec<&str> = syntax::all_languages().map(syntax::Language::name).collect();
                let reason = format!("`lang:{unknown}` is no language known here: {}", all.join(", "));
                Err(Error::Parameter { field: "query", reason })
            }
        }
    }

    /// Whether a file may be found.
    pub(crate) fn allows_file(&self, path: &str, language: Option<&str>) -> bool {
        // A part of the path, not a prefix: `path:http` is meant to find `src/net/http` as well.
        let fits = |part: &String| path.contains(part.as_str());
        (self.paths.is_empty() || self.paths.iter().any(fits))
            && (self.languages.is_empty()
                || language.is_some_and(|language| self.languages.iter().any(|wanted| wanted == language)))
    }
}
