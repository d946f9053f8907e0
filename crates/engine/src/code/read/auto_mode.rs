//! Chooses the view mode (raw, lightweight, aggressive, map) of a text that is read when the request names none: a
//! table by kind and size.
//!
//! The symbols decide the kind of a text: code has functions, a document has sections, data has neither. A mode that
//! would change nothing for a kind is not in its row.

use super::ModeChoice;
use model::{Symbol, SymbolKind};
use syntax::ViewMode;

/// Up to so many bytes, in this mode; a larger text is shown as a map.
const CODE: [(u64, ViewMode); 3] =
    [(ALWAYS_RAW_BYTES, ViewMode::Raw), (16 << 10, ViewMode::Lightweight), (64 << 10, ViewMode::Aggressive)];
const DOCUMENT: [(u64, ViewMode); 2] = [(16 << 10, ViewMode::Raw), (64 << 10, ViewMode::Aggressive)];
const DATA: [(u64, ViewMode); 1] = [(32 << 10, ViewMode::Raw)];

/// The mode of a request: the caller's, else the user's, else raw. Where the caller leaves it to us, the user's setting
/// comes before the table.
pub(super) fn choose_mode(asked: Option<ModeChoice>, default: Option<ModeChoice>) -> ModeChoice {
    match (asked, default) {
        (Some(ModeChoice::Fixed(mode)), _) => ModeChoice::Fixed(mode),
        (_, Some(default)) => default,
        (Some(ModeChoice::Auto), None) => ModeChoice::Auto,
        (None, None) => ModeChoice::Fixed(ViewMode::Raw),
    }
}

/// A text this short is always shown as it is.
const ALWAYS_RAW_BYTES: u64 = 4 << 10;

/// The mode for a text of this size in a file with these symbols.
pub(super) fn mode_for_size<'s>(bytes: u64, symbols: impl FnOnce() -> &'s [Symbol]) -> ViewMode {
    // Checked before the symbols are requested, which costs a parse.
    if bytes <= ALWAYS_RAW_BYTES {
        return ViewMode::Raw;
    }
    let symbols = symbols();
    let has = |kinds: &[SymbolKind]| symbols.iter().any(|symbol| kinds.contains(&symbol.kind));
    let row = if has(&[SymbolKind::Function, SymbolKind::Method, SymbolKind::Macro]) {
        &CODE[..]
    } else if has(&[SymbolKind::Section]) {
        &DOCUMENT[..]
    } else {
        &DATA[..]
    };
    row.iter().find(|(most, _)| bytes <= *most).map_or(ViewMode::Map, |(_, mode)| *mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_word_beats_the_table_and_the_callers_beats_both() {
        use ModeChoice::{Auto, Fixed};
        use ViewMode::{Map, Raw};
        let rows = [
            (None, None, Fixed(Raw)),
            (Some(Auto), None, Auto),
            (None, Some(Auto), Auto),
            (None, Some(Fixed(Map)), Fixed(Map)),
            (Some(Auto), Some(Fixed(Map)), Fixed(Map)),
            (Some(Fixed(Raw)), Some(Fixed(Map)), Fixed(Raw)),
        ];
        for (asked, default, expected) in rows {
            assert_eq!(choose_mode(asked, default), expected, "{asked:?} {default:?}");
        }
    }

    #[test]
    fn the_larger_a_text_the_less_of_it_is_shown() {
        let of =
            |path: &str, text: &str| syntax::extract(path, text.as_bytes(), &syntax::ExtractLimits::default()).symbols;
        let code = of("a.py", "def f(): pass\n");
        let data = of("a.py", "A = 1\n");
        let modes = |symbols: &[Symbol]| [1, 10, 50, 500].map(|kilobytes| mode_for_size(kilobytes << 10, || symbols));
        assert_eq!(modes(&code), [ViewMode::Raw, ViewMode::Lightweight, ViewMode::Aggressive, ViewMode::Map]);
        assert_eq!(modes(&data), [ViewMode::Raw, ViewMode::Raw, ViewMode::Map, ViewMode::Map]);
    }
}
