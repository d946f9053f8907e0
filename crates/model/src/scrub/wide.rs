//! Scrubs UTF-16, which PowerShell writes to pipes and files: every second byte is zero there, so that no rule fits.
//!
//! The text is looked at as UTF-8; what is cut is cut out of the original, so that the rest stays byte for byte.

use std::ops::Range;

/// Bytes that are looked at to tell UTF-16 without its mark.
const PROBE_BYTES: usize = 512;

/// A text of UTF-16 as UTF-8, with the way back.
pub(super) struct WideText {
    pub(super) narrow: Vec<u8>,
    /// Where each character of the narrow text starts in both: (narrow, wide), with the end as the last.
    places: Vec<(usize, usize)>,
    is_big_endian: bool,
}

impl WideText {
    /// Reads a text that starts with a mark of UTF-16, or whose first bytes are letters and zeros in turn.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let is_big_endian = match text {
            [0xFF, 0xFE, ..] => false,
            [0xFE, 0xFF, ..] => true,
            _ => guess_order(text)?,
        };
        let (pairs, _) = text.as_chunks::<2>();
        let unit = |pair: &[u8; 2]| if is_big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
        let mut narrow = Vec::with_capacity(pairs.len());
        let mut places = Vec::with_capacity(pairs.len() + 1);
        let mut wide = 0;
        for character in char::decode_utf16(pairs.iter().map(unit)) {
            places.push((narrow.len(), wide));
            // Half of a pair is no character: it is looked at as one, and kept as it is.
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            wide += 2 * if character == char::REPLACEMENT_CHARACTER { 1 } else { character.len_utf16() };
            narrow.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        // A last odd byte belongs to no character.
        places.push((narrow.len(), pairs.len() * 2));
        Some(Self { narrow, places, is_big_endian })
    }

    /// The range of the wide text for one of the narrow text.
    pub(super) fn wide_range(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.places[self.places.partition_point(|(narrow, _)| *narrow < at)].1;
        place(range.start)..place(range.end)
    }

    /// A text of ASCII in the same order of bytes.
    pub(super) fn widen(&self, text: &str) -> Vec<u8> {
        let order = |unit: u16| if self.is_big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(order).collect()
    }
}

/// Whether the first bytes are ASCII in UTF-16: the order of its bytes.
fn guess_order(text: &[u8]) -> Option<bool> {
    let (pairs, _) = text[..text.len().min(PROBE_BYTES)].as_chunks::<2>();
    let zeros = |side: usize| pairs.iter().filter(|pair| pair[side] == 0).count();
    let (first, second) = (zeros(0), zeros(1));
    // Text in other scripts has few zeros, and comes with a mark; a file of numbers has them on both sides.
    let is_wide =
        |zeros: usize, others: usize| pairs.len() >= 4 && zeros * 4 >= pairs.len() * 3 && others * 16 <= pairs.len();
    if is_wide(second, first) { Some(false) } else { is_wide(first, second).then_some(true) }
}

#[cfg(test)]
mod tests {
    use super::super::{ScrubKey, Scrubber};

    fn widen(text: &str, is_big_endian: bool) -> Vec<u8> {
        let order = |unit: u16| if is_big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn a_secret_in_utf_16_is_replaced_and_the_rest_stays() {
        let scrubber = Scrubber::new(ScrubKey::new([7; 32]), &[]);
        let text = "{\"prompt\":\"größe 😀 DB_PASSWORD=Summer2024!\",\"n\":1}";
        let (narrow, _) = scrubber.scrub_text(text);
        assert!(narrow.contains("[secret:password:") && narrow.contains("größe 😀 DB_PASSWORD="));
        for is_big_endian in [false, true] {
            for mark in ["", "\u{feff}"] {
                let wide = widen(&format!("{mark}{text}"), is_big_endian);
                let clean = scrubber.scrub(&wide);
                assert_eq!(clean.bytes, widen(&format!("{mark}{narrow}"), is_big_endian));
                let span = clean.found[0].span.to_range();
                assert_eq!(wide[span], widen("Summer2024!", is_big_endian));
                assert_eq!(scrubber.scrub(&clean.bytes).bytes, clean.bytes);
            }
        }
    }

    #[test]
    fn bytes_that_are_no_utf_16_stay() {
        let scrubber = Scrubber::new(ScrubKey::new([7; 32]), &[]);
        let bytes = [&[0xFF, 0xFE, 0x00, 0xD8][..], &widen("PASSWORD=Summer2024!", false), &[0x41]].concat();
        let clean = scrubber.scrub(&bytes);
        assert!(clean.bytes.starts_with(&bytes[..4]) && clean.bytes.ends_with(&[0x41]));
        assert_eq!(clean.found.len(), 1);
        let numbers: Vec<u8> = (0..200_u32).flat_map(u32::to_le_bytes).collect();
        assert!(scrubber.scrub(&numbers).found.is_empty());
    }
}
