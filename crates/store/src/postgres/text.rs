//! Encodes and decodes strings with NUL characters for PostgreSQL text columns.
//!
//! A PostgreSQL text has no NUL. Ours may, and must come back as it was: a NUL is written as an escape character and
//! `0`, and the escape character itself as an escape character and `1`. The escape character is one that Unicode never
//! assigns, so that ordinary text is stored as it is.

use crate::rows::DamagedRow;
use std::borrow::Cow;

const ESCAPE: char = '\u{10ffff}';

/// The text as stored.
pub(super) fn encode_text(text: &str) -> Cow<'_, str> {
    // Almost every text has neither character, so the common case copies nothing.
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => out.extend([ESCAPE, '0']),
            ESCAPE => out.extend([ESCAPE, '1']),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text that was stored.
pub(super) fn decode_text(text: String) -> Result<String, DamagedRow> {
    if !text.contains(ESCAPE) {
        return Ok(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match (c, if c == ESCAPE { chars.next() } else { None }) {
            (ESCAPE, Some('0')) => '\0',
            (ESCAPE, Some('1')) => ESCAPE,
            // Only a text that this function did not write ends so; guessing would change what the user said.
            (ESCAPE, _) => return Err(DamagedRow("a text with half an escape".to_owned())),
            (c, _) => c,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any text comes back, and what is stored has no NUL.
        #[test]
        fn any_text_survives(pieces in proptest::collection::vec(prop_oneof![
            Just("\0".to_owned()), Just(ESCAPE.to_string()), Just("0".to_owned()), Just("1".to_owned()), ".*",
        ], 0..8)) {
            let text = pieces.concat();
            let stored = encode_text(&text).into_owned();
            prop_assert!(!stored.contains('\0'));
            prop_assert_eq!(decode_text(stored).expect("we wrote it"), text);
        }
    }

    #[test]
    fn ordinary_text_is_stored_as_it_is() {
        assert!(matches!(encode_text("fn main() { 🦀 }\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_we_did_not_write_is_refused() {
        for stored in ["\u{10ffff}", "a\u{10ffff}2"] {
            assert!(decode_text(stored.to_owned()).is_err(), "{stored:?}");
        }
    }
}
