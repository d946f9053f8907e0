//! Postings as bytes: in which unit a term occurs, and how often in each field.
//!
//! Numbers are variable-length bytes and units are written as differences, so a common word takes about three bytes per
//! unit. The stores keep these bytes without looking into them.

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

/// How many terms each field of a unit holds.
pub(crate) type FieldLengths = [u32; FIELDS];

/// Counts of one term in one unit, by field.
pub(crate) type FieldCounts = [u32; FIELDS];

/// Writes the postings of one term: unit as a difference, a byte that says which fields, a count for each.
#[derive(Default)]
pub(super) struct UnitPostingsWriter {
    next: u32,
    pub(super) bytes: Vec<u8>,
}

/// The size of one posting, roughly.
const USUAL_BYTES: usize = 4;

impl UnitPostingsWriter {
    /// A writer of about so many postings.
    pub(super) fn with_capacity(postings: u32) -> Self {
        Self { next: 0, bytes: Vec::with_capacity(postings as usize * USUAL_BYTES) }
    }

    pub(super) fn push(&mut self, unit: u32, counts: &FieldCounts) {
        // `next` is one past the last unit, so that neighbours differ by 0.
        put_varint(&mut self.bytes, unit - self.next);
        self.next = unit + 1;
        let present = (0..FIELDS).filter(|field| counts[*field] > 0);
        // Most terms occur in one field of a unit, so one byte of flags saves four counts of 0.
        self.bytes.push(present.clone().fold(0, |mask, field| mask | 1 << field));
        present.for_each(|field| put_varint(&mut self.bytes, counts[field]));
    }
}

/// Hands every posting in `bytes` to `visit`: the unit's number in its segment, and the counts by field. Stops at
/// damaged bytes.
pub(crate) fn each_posting(bytes: &[u8], mut visit: impl FnMut(u32, &FieldCounts)) {
    let mut rest = bytes;
    let mut next = 0;
    while let Some(step) = take_varint(&mut rest) {
        let Some((mask, after)) = rest.split_first() else { return };
        rest = after;
        let mut counts = FieldCounts::default();
        for field in (0..FIELDS).filter(|field| mask & 1 << field != 0) {
            let Some(count) = take_varint(&mut rest) else { return };
            counts[field] = count;
        }
        // Damaged bytes may claim any step.
        let Some(unit) = u32::checked_add(next, step) else { return };
        visit(unit, &counts);
        next = unit.saturating_add(1);
    }
}

/// Appends the field lengths of one unit.
pub(super) fn put_lengths(bytes: &mut Vec<u8>, lengths: &FieldLengths) {
    for length in lengths {
        put_varint(bytes, *length);
    }
}

/// Reads the field lengths of a segment's units.
pub(crate) fn read_lengths(bytes: &[u8]) -> Vec<FieldLengths> {
    let mut rest = bytes;
    let mut all = Vec::new();
    loop {
        let mut lengths = FieldLengths::default();
        for length in &mut lengths {
            let Some(value) = take_varint(&mut rest) else { return all };
            *length = value;
        }
        all.push(lengths);
    }
}

/// Appends a number, seven bits a byte, low bits first.
fn put_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes a number off the front; `None` at the end or at damaged bytes.
fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What is written is what is read, whatever the numbers are.
        #[test]
        fn postings_survive(units in proptest::collection::btree_map(0u32..1_000_000, proptest::array::uniform5(0u32..100_000), 0..50)) {
            let mut writer = UnitPostingsWriter::default();
            for (unit, counts) in &units {
                writer.push(*unit, counts);
            }
            let mut read = Vec::new();
            each_posting(&writer.bytes, |unit, counts| read.push((unit, *counts)));
            prop_assert_eq!(read, units.into_iter().collect::<Vec<_>>());
        }

        /// Damaged bytes end the list; they never panic.
        #[test]
        fn damaged_postings_are_harmless(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            each_posting(&bytes, |_, _| ());
            read_lengths(&bytes);
        }
    }
}
