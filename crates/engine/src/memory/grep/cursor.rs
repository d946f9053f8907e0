//! The pagination cursor of `grep`, parsed from and printed as text: a number among messages, `s` and a number among
//! summaries, or the id of an artifact.

use super::GrepScope;
use crate::base::{Error, Result};
use model::ArtifactId;
use std::fmt;
use store::StoreCursor;

/// Behind which match to go on; behind none, at the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GrepCursor {
    Messages(Option<StoreCursor>),
    Summaries(Option<StoreCursor>),
    Artifacts(Option<ArtifactId>),
}

impl GrepCursor {
    /// Reads a cursor; without one, the beginning of what is looked through.
    pub(super) fn parse(cursor: Option<&str>, scope: GrepScope) -> Result<Self> {
        let Some(cursor) = cursor else {
            return Ok(match scope {
                GrepScope::Messages | GrepScope::Both => Self::Messages(None),
                GrepScope::Summaries => Self::Summaries(None),
            });
        };
        let number = |digits: &str| digits.parse().ok().map(|number| Some(StoreCursor(number)));
        let artifact = |id: &str| ArtifactId::parse(id).ok().map(|id| Self::Artifacts(Some(id)));
        let place = match cursor.strip_prefix('s') {
            None if cursor == "a" => Some(Self::Artifacts(None)),
            None => artifact(cursor).or_else(|| number(cursor).map(Self::Messages)),
            Some("") => Some(Self::Summaries(None)),
            Some(digits) => number(digits).map(Self::Summaries),
        };
        // A cursor of another search would silently skip everything before it.
        let fits = |place: &Self| match place {
            Self::Messages(_) | Self::Artifacts(_) => scope != GrepScope::Summaries,
            Self::Summaries(_) => scope != GrepScope::Messages,
        };
        let reason = || format!("`{cursor}` is not one: take it from an earlier reply");
        place.filter(fits).ok_or_else(|| Error::Parameter { field: "cursor", reason: reason() })
    }
}

impl fmt::Display for GrepCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, cursor) = match self {
            Self::Messages(cursor) => ("", cursor),
            Self::Summaries(cursor) => ("s", cursor),
            Self::Artifacts(None) => return f.write_str("a"),
            Self::Artifacts(Some(id)) => return write!(f, "{id}"),
        };
        f.write_str(letter)?;
        cursor.map_or(Ok(()), |cursor| write!(f, "{}", cursor.0))
    }
}
