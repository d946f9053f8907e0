//! The pagination cursor of `grep`, parsed from and printed as text: a time and a number among messages, `s` and a number
//! among summaries, or the id of an artifact.

use super::GrepScope;
use crate::base::{Error, Result};
use model::{ArtifactId, Timestamp};
use std::cmp::Reverse;
use std::fmt;
use store::{FoundPlace, StoreCursor};

/// Behind which match to go on; behind none, at the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GrepCursor {
    Messages(MessagePage),
    Summaries(Option<StoreCursor>),
    Artifacts(Option<ArtifactId>),
}

/// Where a page of messages begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MessagePage {
    /// Messages from here on were looked through for earlier pages, in the order in which they were stored.
    pub(super) scanned_to: Option<StoreCursor>,
    /// The last match that was shown of those that are looked through for this page.
    pub(super) shown_to: Option<FoundPlace>,
}

impl MessagePage {
    /// Whether a match comes behind what was shown.
    pub(super) fn is_behind(&self, found: &FoundPlace) -> bool {
        let order = |place: &FoundPlace| (Reverse(place.happened), Reverse(place.cursor));
        self.shown_to.is_none_or(|last| order(found) > order(&last))
    }

    /// Reads `SCANNED`, `tTIME.NUMBER`, or both.
    fn parse(text: &str) -> Option<Self> {
        let (scanned, shown) = text.split_once('t').map_or((text, None), |(scanned, shown)| (scanned, Some(shown)));
        let scanned_to = if scanned.is_empty() { None } else { Some(StoreCursor(scanned.parse().ok()?)) };
        let shown_to = match shown {
            None => None,
            Some(shown) => {
                let (time, number) = shown.split_once('.')?;
                Some(FoundPlace { cursor: StoreCursor(number.parse().ok()?), happened: Timestamp(time.parse().ok()?) })
            }
        };
        (scanned_to.is_some() || shown_to.is_some()).then_some(Self { scanned_to, shown_to })
    }
}

impl fmt::Display for MessagePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scanned) = self.scanned_to {
            write!(f, "{}", scanned.0)?;
        }
        self.shown_to.map_or(Ok(()), |last| write!(f, "t{}.{}", last.happened.0, last.cursor.0))
    }
}

impl GrepCursor {
    /// Reads a cursor; without one, the beginning of what is looked through.
    pub(super) fn parse(cursor: Option<&str>, scope: GrepScope) -> Result<Self> {
        let Some(cursor) = cursor else {
            return Ok(match scope {
                GrepScope::Messages | GrepScope::Both => Self::Messages(MessagePage::default()),
                GrepScope::Summaries => Self::Summaries(None),
            });
        };
        let number = |digits: &str| digits.parse().ok().map(|number| Some(StoreCursor(number)));
        let artifact = |id: &str| ArtifactId::parse(id).ok().map(|id| Self::Artifacts(Some(id)));
        let place = match cursor.strip_prefix('s') {
            None if cursor == "a" => Some(Self::Artifacts(None)),
            None => artifact(cursor).or_else(|| MessagePage::parse(cursor).map(Self::Messages)),
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
        match self {
            Self::Messages(page) => page.fmt(f),
            Self::Summaries(None) => f.write_str("s"),
            Self::Summaries(Some(cursor)) => write!(f, "s{}", cursor.0),
            Self::Artifacts(None) => f.write_str("a"),
            Self::Artifacts(Some(id)) => write!(f, "{id}"),
        }
    }
}
