//! The fields of an indexed unit of code (`TermField`: names, path, signature, doc comment, body), and the codec of
//! their lengths, the number of terms in each field.
//!
//! Postings and the merging of segments are those of the search kernel, with these fields. The body is the last one: a
//! term that stands there once and nowhere else is what the kernel writes in the fewest bytes.

use search::{ByteReader, ByteWriter};

/// The part of a unit in which a term occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermField {
    /// The names of the symbols it defines.
    Name,
    /// The path of its file.
    Path,
    /// Their signatures.
    Signature,
    /// Their doc comments.
    Doc,
    /// All of its text.
    Body,
}

/// Number of fields.
pub(crate) const FIELDS: usize = 5;

/// Counts of one term in one unit, by field.
pub(crate) type UnitCounts = search::FieldCounts<FIELDS>;

/// How many terms each field of a unit holds.
pub(crate) type UnitFieldLengths = [u32; FIELDS];

/// The field lengths of units as bytes.
pub(super) fn encode_lengths<'l>(units: impl Iterator<Item = &'l UnitFieldLengths>) -> Vec<u8> {
    let mut out = ByteWriter::default();
    units.flatten().for_each(|length| out.write_number(*length));
    out.into_bytes()
}

/// Reads the field lengths of a segment's units. Stops at bytes that are not ours.
pub(crate) fn read_lengths(bytes: &[u8]) -> Vec<UnitFieldLengths> {
    let mut input = ByteReader::new(bytes);
    let mut all = Vec::new();
    loop {
        let mut lengths = UnitFieldLengths::default();
        for length in &mut lengths {
            let Ok(value) = input.read_number() else { return all };
            *length = value;
        }
        all.push(lengths);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lengths_survive(units in vec(proptest::array::uniform5(any::<u32>()), 0..20), damaged in vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(read_lengths(&encode_lengths(units.iter())), units);
            read_lengths(&damaged);
        }
    }
}
