//! Renders one target (a file, line range, byte range or symbol) of a file in a view mode, and estimates the tokens of
//! the original text.

use super::content::{ContentSlice, FileContent};
use super::indexed_symbols::KnownSymbols;
use super::target::{ReadTarget, symbol_lines};
use super::{Freshness, ReadItem, auto_mode};
use crate::base::{Error, Result};
use crate::code::read::ModeChoice;
use crate::ledger::modes::LearnedModes;
use model::{ContentHash, LineRange, TokenCount, count_tokens};
use std::ops::Range;
use syntax::{ExtractLimits, FileViews, ViewMode};

/// No more of a text is shown at once: it would fill the context of any reader.
const MOST_SHOWN: u64 = 1 << 20;
/// How much of a text is counted, where only an estimate is needed.
const ESTIMATE_SAMPLE_BYTES: u64 = 16 << 10;
/// How much of a longer text is shown.
const WINDOW: u64 = 64 << 10;

/// A file that was read, to render targets from.
pub(super) struct OpenFile<'a> {
    path: &'a str,
    content: &'a FileContent,
    known: &'a KnownSymbols,
    /// None for a file that was not read whole.
    views: Option<FileViews<'a>>,
    /// What was learned of modes, where they are chosen by it.
    learned: Option<&'a LearnedModes>,
}

/// A range of a file to render.
#[derive(Clone)]
pub(super) struct RenderTarget {
    id: String,
    lines: Option<LineRange>,
    place: Range<u64>,
}

impl<'a> OpenFile<'a> {
    pub(super) fn new(
        path: &'a str,
        content: &'a FileContent,
        known: &'a KnownSymbols,
        limits: ExtractLimits,
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        let views = match content {
            FileContent::Whole(bytes) => Some(FileViews::new(path, bytes, limits, stop)),
            FileContent::Large { .. } => None,
        };
        Self { path, content, known, views, learned: None }
    }

    /// The same, with modes that are chosen by what was learned.
    pub(super) fn with_learned(self, learned: Option<&'a LearnedModes>) -> Self {
        Self { learned, ..self }
    }

    /// The hash of the content, if all of it was read.
    pub(super) fn content_hash(&self) -> Option<ContentHash> {
        match self.content {
            FileContent::Whole(bytes) => Some(ContentHash::hash_bytes(bytes)),
            FileContent::Large { .. } => None,
        }
    }

    /// Locates a target in the file.
    pub(super) fn find_target(&self, target: &ReadTarget) -> Result<RenderTarget> {
        let all = 0..self.content.len();
        let (lines, place) = match (target, &self.views) {
            (ReadTarget::File { .. }, Some(views)) => {
                ((views.line_count() > 0).then_some(LineRange { start: 1, end: views.line_count() }), all)
            }
            (ReadTarget::File { .. }, None) => (None, all),
            (ReadTarget::Bytes { start, end, .. }, _) => {
                if *start >= all.end {
                    let reason = format!("asks for byte {start} of {}, which has {}", self.path, all.end);
                    return Err(Error::Parameter { field: "targets", reason });
                }
                (None, *start..(*end).min(all.end))
            }
            (ReadTarget::Lines { lines, .. }, views) => {
                let place = self.content.place_of(*lines)?;
                if place.is_empty() {
                    return Err(self.no_line(*lines));
                }
                let most = views.as_ref().map_or(u32::MAX, FileViews::line_count);
                (Some(LineRange { end: lines.end.min(most), ..*lines }), place)
            }
            (ReadTarget::Symbol { id }, Some(views)) => {
                // The index knows the lines if the content is the indexed one, which saves a parse.
                let known = self.content_hash().and_then(|hash| self.known.symbol_lines(id, hash));
                let lines = known.map_or_else(|| symbol_lines(views.file_extract(), id), Ok)?;
                (Some(lines), self.content.place_of(lines)?)
            }
            (ReadTarget::Symbol { .. }, None) => {
                let reason = format!("names a symbol of {}, which is too large to parse: name lines", self.path);
                return Err(Error::Parameter { field: "targets", reason });
            }
        };
        Ok(RenderTarget { id: target.id(), lines, place })
    }

    /// The mode for a target.
    pub(super) fn choose_mode(&self, drawing: &RenderTarget, choice: ModeChoice) -> ViewMode {
        match (choice, &self.views) {
            (ModeChoice::Fixed(mode), _) => mode,
            (ModeChoice::Auto, None) => ViewMode::Raw,
            (ModeChoice::Auto, Some(views)) => {
                let bytes = drawing.place.end - drawing.place.start;
                let learned = self.learned.and_then(|learned| learned.choose_mode(self.path, bytes));
                learned.unwrap_or_else(|| auto_mode::mode_for_size(bytes, || &views.file_extract().symbols))
            }
        }
    }

    pub(super) fn render_item(&self, drawing: &RenderTarget, mode: ViewMode) -> Result<ReadItem> {
        let RenderTarget { id, lines, place } = drawing.clone();
        let (mode, bytes) = match (&self.views, lines, mode) {
            (Some(views), Some(lines), ViewMode::Lightweight | ViewMode::Aggressive | ViewMode::Map) => {
                let view = views.render_view(mode, lines);
                (view.mode, view.text)
            }
            // A file that was not read whole, or bytes without lines, has no views.
            _ => (ViewMode::Raw, Vec::new()),
        };
        let bytes = if mode == ViewMode::Raw { self.raw_bytes(&place)? } else { bytes };
        // A reader has to know that the text is not what is on the disk, byte for byte.
        let lossy = std::str::from_utf8(&bytes).is_err();
        let text =
            String::from_utf8(bytes).unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned());
        Ok(ReadItem {
            id,
            path: self.path.to_owned(),
            lines,
            tokens: count_tokens(&text),
            original_tokens: TokenCount(0),
            text,
            mode,
            freshness: Freshness::Unindexed,
            lossy,
            original_bytes: place.end - place.start,
            relation: None,
            moved_from: None,
            one_of: None,
            withheld: None,
        })
    }

    /// Tokens of a target as it is on disk. Counting takes longer than rendering, so only the beginning of a long text
    /// is counted.
    pub(super) fn estimate_tokens(&self, drawing: &RenderTarget) -> Result<TokenCount> {
        let length = drawing.place.end - drawing.place.start;
        let ContentSlice { bytes, .. } =
            self.content.read_bytes(drawing.place.clone(), length.min(ESTIMATE_SAMPLE_BYTES))?;
        let counted = u64::from(count_tokens(&String::from_utf8_lossy(&bytes)).0);
        let all = counted * length / (bytes.len() as u64).max(1);
        Ok(TokenCount(u32::try_from(all).unwrap_or(u32::MAX)))
    }

    /// The bytes themselves; of a long range the beginning, with a marker for the rest.
    fn raw_bytes(&self, place: &Range<u64>) -> Result<Vec<u8>> {
        let length = place.end - place.start;
        let ContentSlice { place, mut bytes } =
            self.content.read_bytes(place.clone(), if length > MOST_SHOWN { WINDOW } else { length })?;
        if length <= MOST_SHOWN {
            return Ok(bytes);
        }
        // Cut at a line end, or else between two characters, so that what is shown is valid text.
        let line_end = memchr::memrchr(b'\n', &bytes).map(|at| at + 1);
        let whole = line_end.unwrap_or_else(|| match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        });
        bytes.truncate(whole);
        let rest = place.start + whole as u64..place.end;
        Ok(syntax::render_window(self.path, &bytes, rest, &format!("left out of {} bytes", self.content.len())))
    }

    fn no_line(&self, lines: LineRange) -> Error {
        let has = self.views.as_ref().map(|views| format!("has {}", views.line_count()));
        let has = has.unwrap_or_else(|| "has fewer".to_owned());
        let reason = format!("asks for line {} of {}, which {has}", lines.start, self.path);
        Error::Parameter { field: "targets", reason }
    }
}
