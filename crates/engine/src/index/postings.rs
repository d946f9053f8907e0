//! Postings as bytes: in which unit a term occurs, and how often in each field.
//!
//! Numbers are variable-length bytes and units are written as differences, so a common word costs about three bytes
//! per unit. The stores keep these bytes without looking into them.

/// Where in a unit a term stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
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
pub(crate) type Lengths = [u32; FIELDS];

/// Counts of one term in one unit, by field.
pub(crate) type Counts = [u32; FIELDS];

/// Writes the postings of one term: unit as a difference, a byte that says which fields, a count for each.
#[derive(Default)]
pub(super) struct Writer {
    next: u32,
    pub(super) bytes: Vec<u8>,
}

/// What one posting takes, roughly.
const USUAL_BYTES: usize = 4;

impl Writer {
    /// A writer of about so many postings.
    pub(super) fn of(postings: u32) -> Self {
        Self { next: 0, bytes: Vec::with_capacity(postings as usize * USUAL_BYTES) }
    }

    pub(super) fn push(&mut self, unit: u32, counts: &Counts) {
        put(&mut self.bytes, unit - self.next);
        self.next = unit + 1;
        let present = (0..FIELDS).filter(|field| counts[*field] > 0);
        self.bytes.push(present.clone().fold(0, |mask, field| mask | 1 << field));
        present.for_each(|field| put(&mut self.bytes, counts[field]));
    }
}

/// Hands every posting in `bytes` to `visit`: the unit's number in its segment, and the counts by field.
/// Stops at bytes that are not ours.
pub(crate) fn each_posting(bytes: &[u8], mut visit: impl FnMut(u32, &Counts)) {
    let mut rest = bytes;
    let mut next = 0;
    while let Some(step) = take(&mut rest) {
        let Some((mask, after)) = rest.split_first() else { return };
        rest = after;
        let mut counts = Counts::default();
        for field in (0..FIELDS).filter(|field| mask & 1 << field != 0) {
            let Some(count) = take(&mut rest) else { return };
            counts[field] = count;
        }
        let Some(unit) = u32::checked_add(next, step) else { return };
        visit(unit, &counts);
        next = unit.saturating_add(1);
    }
}

/// Appends the field lengths of one unit.
pub(super) fn put_lengths(bytes: &mut Vec<u8>, lengths: &Lengths) {
    for length in lengths {
        put(bytes, *length);
    }
}

/// Reads the field lengths of a segment's units.
pub(crate) fn read_lengths(bytes: &[u8]) -> Vec<Lengths> {
    let mut rest = bytes;
    let mut all = Vec::new();
    loop {
        let mut lengths = Lengths::default();
        for length in &mut lengths {
            let Some(value) = take(&mut rest) else { return all };
            *length = value;
        }
        all.push(lengths);
    }
}

/// Appends a number, seven bits a byte, low bits first.
fn put(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes a number off the front; `None` at the end or when it is not one of ours.
fn take(bytes: &mut &[u8]) -> Option<u32> {
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
            let mut writer = Writer::default();
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
