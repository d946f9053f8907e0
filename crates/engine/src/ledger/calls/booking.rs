//! Turns one note into entries: counts bytes and tokens of what was shown and of what that stands for, prices the
//! difference, and books back what an earlier reading of the same file had spared.

use super::formula::{MAX_COUNTED_BYTES, MAX_COUNTED_FILES};
use super::session_track::{SessionTrack, TakenBack};
use super::{CallNote, ReplacedText, ShownFile, ValueFormula};
use crate::ledger::TokenPrice;
use crate::ledger::modes::{language_name, size_bucket};
use model::{Money, Timestamp, UtcDay, count_tokens};
use std::collections::HashSet;
use std::path::Path;
use store::{CallFigures, ModeOutcome, NewToolCall};

/// Bytes of a token, where a text is too short to tell.
const BYTES_PER_TOKEN: f64 = 4.0;

/// A text shorter than this says little about bytes of a token.
const TELLING_BYTES: usize = 400;

/// What booking needs besides the note.
pub(in crate::ledger) struct BookingContext {
    pub(in crate::ledger) at: Timestamp,
    /// The price of a token that a model reads.
    pub(in crate::ledger) price: Option<TokenPrice>,
    /// Within so many turns a wider reading of the same file is one more.
    pub(in crate::ledger) window: u64,
}

/// Entries to record, and what was learned on the way.
#[derive(Default)]
pub(in crate::ledger) struct BookedCalls {
    pub(in crate::ledger) calls: Vec<NewToolCall>,
    pub(in crate::ledger) learned: Vec<ModeOutcome>,
}

/// Books a note; `track` is that of its session, where it has one.
pub(in crate::ledger) fn book_note(
    context: &BookingContext,
    note: CallNote,
    mut track: Option<&mut SessionTrack>,
    booked: &mut BookedCalls,
) {
    let formula = note.facts.replaced.formula();
    // Every session pays once for the tools that it is offered, however often it asks for the list.
    if formula == ValueFormula::Schemas
        && let Some(track) = &mut track
        && !track.take_schemas()
    {
        return;
    }
    let turn = track.as_mut().map_or(0, |track| track.begin_turn(&note.operation));
    let shown = TextSize::of(&note.shown);
    let raw = note.facts.replaced.size(&note.facts.views, shown);
    let figures = context.price_figures(raw, shown, formula);
    let spared = note.facts.withheld.iter().map(|withheld| TextSize::of(&withheld.text)).reduce(TextSize::plus);
    let view = note.facts.views.first();
    let call = NewToolCall {
        at: context.at,
        day: UtcDay::from_timestamp(context.at),
        door: note.source.door,
        session: note.source.session.filter(|session| !session.is_empty()),
        project: note.project,
        agent: note.source.agent.filter(|agent| !agent.is_empty()),
        tool: note.source.tool,
        operation: note.operation,
        mode: view.map(|view| view.mode.as_str().to_owned()),
        place: view.map(|view| view.path.clone()).or(note.facts.place).filter(|place| !place.is_empty()),
        language: view.and_then(|view| language_name(&view.path)).map(str::to_owned),
        size_bucket: view.map(|view| size_bucket(view.bytes_raw).to_owned()),
        formula: formula.as_str().to_owned(),
        certainty: formula.certainty(),
        figures,
        elapsed_us: u64::try_from(note.elapsed.as_micros()).unwrap_or(u64::MAX),
        turn,
        question: note.facts.question.filter(|question| !question.query.is_empty()),
    };
    if let Some(track) = track {
        for file in &note.facts.views {
            let avoided = avoided_of(file, &figures);
            if let Some(taken) = track.note_view(file, avoided, context.window, &mut booked.learned) {
                booked.calls.push(context.take_back(&call, taken));
            }
        }
        track.settle_views(context.window, &mut booked.learned);
    }
    booked.calls.extend(spared.map(|spared| context.book_spared(&call, spared)));
    booked.calls.push(call);
}

/// What showing one file spared, of what the whole reply spared.
fn avoided_of(file: &ShownFile, figures: &CallFigures) -> (i64, i64) {
    let bytes = file.bytes_raw as i64 - file.bytes_shown as i64;
    let tokens = if figures.bytes_avoided == 0 {
        0
    } else {
        (figures.tokens_avoided as f64 * bytes as f64 / figures.bytes_avoided as f64).round() as i64
    };
    (bytes, tokens)
}

impl BookingContext {
    fn price_figures(&self, raw: Option<TextSize>, shown: TextSize, formula: ValueFormula) -> CallFigures {
        let (bytes_avoided, tokens_avoided, raw) = match (formula, raw) {
            (ValueFormula::Nothing, _) => (0, 0, TextSize::default()),
            (_, Some(raw)) => (raw.bytes - shown.bytes, raw.tokens - shown.tokens, raw),
            (_, None) => (-shown.bytes, -shown.tokens, TextSize::default()),
        };
        CallFigures {
            bytes_raw: raw.bytes,
            bytes_shown: shown.bytes,
            bytes_avoided,
            tokens_raw: raw.tokens,
            tokens_shown: shown.tokens,
            tokens_avoided,
            money_avoided: self.price_tokens(tokens_avoided),
        }
    }

    /// What so many tokens cost where they are read once. Later turns read them from a cache, which is not counted.
    fn price_tokens(&self, tokens: i64) -> Money {
        self.price.map_or(Money(0), |price| price.read_cost(tokens))
    }

    /// What was spared of texts that the reader had already. Their references are part of the reply, which counts them.
    fn book_spared(&self, reply: &NewToolCall, spared: TextSize) -> NewToolCall {
        let formula = ValueFormula::Seen;
        NewToolCall {
            mode: None,
            formula: formula.as_str().to_owned(),
            certainty: formula.certainty(),
            figures: self.price_figures(Some(spared), TextSize::default(), formula),
            elapsed_us: 0,
            question: None,
            ..reply.clone()
        }
    }

    fn take_back(&self, reading: &NewToolCall, taken: TakenBack) -> NewToolCall {
        let formula = ValueFormula::Reread;
        NewToolCall {
            place: Some(taken.path),
            formula: formula.as_str().to_owned(),
            certainty: formula.certainty(),
            figures: CallFigures {
                bytes_avoided: -taken.bytes,
                tokens_avoided: -taken.tokens,
                money_avoided: self.price_tokens(-taken.tokens),
                ..CallFigures::default()
            },
            elapsed_us: 0,
            question: None,
            ..reading.clone()
        }
    }
}

/// Bytes and tokens of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct TextSize {
    bytes: i64,
    tokens: i64,
}

impl TextSize {
    fn of(text: &str) -> Self {
        Self { bytes: text.len() as i64, tokens: i64::from(count_tokens(text).0) }
    }

    fn plus(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, tokens: self.tokens + other.tokens }
    }

    /// So many bytes, with as many tokens as a text like this one has.
    fn like(bytes: u64, text: Self) -> Self {
        let is_telling = text.bytes as usize >= TELLING_BYTES && text.tokens > 0;
        let bytes_per_token = if is_telling { text.bytes as f64 / text.tokens as f64 } else { BYTES_PER_TOKEN };
        Self { bytes: bytes as i64, tokens: (bytes as f64 / bytes_per_token).round() as i64 }
    }
}

impl ReplacedText {
    fn formula(&self) -> ValueFormula {
        match self {
            Self::Nothing => ValueFormula::Nothing,
            Self::Views { .. } => ValueFormula::View,
            Self::Files { formula, .. }
            | Self::Bytes { formula, .. }
            | Self::Text { formula, .. }
            | Self::PaidAgain { formula, .. } => *formula,
        }
    }

    /// The size of what the reply stands for; none where it stands for nothing.
    fn size(&self, views: &[ShownFile], shown: TextSize) -> Option<TextSize> {
        match self {
            Self::Nothing => None,
            Self::Views { tokens } => {
                let bytes = views.iter().map(|view| view.bytes_raw).sum::<u64>();
                Some(TextSize { bytes: bytes as i64, tokens: *tokens as i64 })
            }
            // A reply without a result spares nobody a file, and costs what it is long.
            Self::Files { root, paths, .. } => Some(TextSize::like(counted_bytes(root, paths), shown)),
            Self::Bytes { bytes, .. } => Some(TextSize::like(*bytes, shown)),
            Self::Text { whole, .. } => whole.as_deref().map(TextSize::of),
            Self::PaidAgain { tokens, .. } => {
                let tokens = *tokens as i64;
                Some(TextSize { bytes: shown.bytes - tokens * 4, tokens: shown.tokens - tokens })
            }
        }
    }
}

/// Bytes of the files that an agent would have opened.
fn counted_bytes(root: &Path, paths: &[String]) -> u64 {
    let mut seen = HashSet::new();
    let different = paths.iter().filter(|path| seen.insert(path.as_str())).take(MAX_COUNTED_FILES);
    // Only the size is asked for, and of no file that a link leads to.
    let sizes = different.filter_map(|path| fs_err::symlink_metadata(root.join(path)).ok());
    sizes.filter(std::fs::Metadata::is_file).map(|file| file.len().min(MAX_COUNTED_BYTES)).sum()
}
