//! Encodes and decodes the postings list of one term: which documents hold it, and how often in each of their fields.
//!
//! A document is what is ranked by words: a unit of a file, a passage of a conversation. Documents come in ascending
//! order and are written as differences. Nearly always a term stands once in the last field, which is the text itself,
//! and nowhere else: that costs one bit, so a usual posting takes one byte. Any other one says after it which fields
//! hold the term, where there are several, and how often each does.
//!
//! ```text
//! posting  := number(gap << 1 | is_unusual) [ fields ] [ number(count) … ]
//! fields   := a byte with one bit a field; not there where documents have one field
//! ```
//! Bytes are read where they lie, one posting after the other. Reading stops at damaged bytes.

use crate::byte_codec::{ByteReader, ByteWriter};

/// How often a term stands in each field of a document; at most eight fields.
pub type FieldCounts<const FIELDS: usize> = [u32; FIELDS];

/// Writes the postings of one term.
#[derive(Default)]
pub struct PostingsWriter<const FIELDS: usize> {
    out: ByteWriter,
    next: u32,
}

/// What one posting takes, roughly.
const USUAL_BYTES: usize = 2;

impl<const FIELDS: usize> PostingsWriter<FIELDS> {
    const HAS_MASK: bool = {
        assert!(FIELDS >= 1 && FIELDS <= 8, "a byte has a bit for each of at most eight fields");
        FIELDS > 1
    };

    /// A writer of about so many postings.
    pub fn with_capacity(postings: usize) -> Self {
        Self { out: ByteWriter::with_capacity(postings * USUAL_BYTES), next: 0 }
    }

    /// Adds a document behind all that were added.
    pub fn push(&mut self, document: u32, counts: &FieldCounts<FIELDS>) {
        // `next` is one past the last document, so that neighbours differ by 0.
        let gap = u64::from(document - self.next) << 1;
        self.next = document.saturating_add(1);
        if is_usual(counts) {
            return self.out.write_wide(gap);
        }
        self.out.write_wide(gap | 1);
        // A byte of flags, because most terms that are in no body are in one field.
        if Self::HAS_MASK {
            let mask = (0..FIELDS).filter(|field| counts[*field] > 0).fold(0, |mask, field| mask | 1 << field);
            self.out.write_bytes(&[mask]);
            counts.iter().filter(|count| **count > 0).for_each(|count| self.out.write_number(*count));
        } else {
            self.out.write_number(counts[0]);
        }
    }

    /// All postings.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out.into_bytes()
    }
}

/// Whether a term stands once in the last field and nowhere else.
fn is_usual<const FIELDS: usize>(counts: &FieldCounts<FIELDS>) -> bool {
    *counts == usual_counts()
}

fn usual_counts<const FIELDS: usize>() -> FieldCounts<FIELDS> {
    let mut counts = [0; FIELDS];
    counts[FIELDS - 1] = 1;
    counts
}

/// Hands every posting to `visit`: the document's number in its segment, and the counts by field.
#[inline]
pub fn each_posting<const FIELDS: usize>(bytes: &[u8], mut visit: impl FnMut(u32, &FieldCounts<FIELDS>)) {
    let mut rest = bytes;
    let mut next = 0_u32;
    while !rest.is_empty() {
        let Some((gap, counts)) = take_posting::<FIELDS>(&mut rest) else { return };
        // Damaged bytes may claim any step.
        let Some(document) = next.checked_add(gap) else { return };
        visit(document, &counts);
        next = document.saturating_add(1);
    }
}

#[inline]
fn take_posting<const FIELDS: usize>(bytes: &mut &[u8]) -> Option<(u32, FieldCounts<FIELDS>)> {
    if FIELDS == 1
        && let [first, second, ..] = **bytes
        && first | (second * (first & 1)) < 0x80
    {
        // Nearly all are numbers of a byte. Whether a count follows cannot be predicted, so the count is computed and
        // not branched upon.
        let counted = u32::from(first & 1);
        *bytes = &bytes[1 + counted as usize..];
        let mut counts = [0; FIELDS];
        counts[0] = 1 - counted + counted * u32::from(second);
        return Some((u32::from(first >> 1), counts));
    }
    let mut input = ByteReader::new(bytes);
    let gap = input.read_wide().ok()?;
    let mut counts = usual_counts();
    if gap & 1 == 1 {
        let mask = if FIELDS > 1 { *input.read_bytes(1).ok()?.first()? } else { 1 };
        for (field, count) in counts.iter_mut().enumerate() {
            *count = if mask & 1 << field == 0 { 0 } else { input.read_number().ok()? };
        }
    }
    *bytes = input.remaining_bytes();
    Some((u32::try_from(gap >> 1).ok()?, counts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    fn survives<const FIELDS: usize>(wanted: &[(u32, FieldCounts<FIELDS>)]) {
        let mut writer = PostingsWriter::with_capacity(wanted.len());
        for (document, counts) in wanted {
            writer.push(*document, counts);
        }
        let mut read = Vec::new();
        each_posting(&writer.into_bytes(), |document, counts| read.push((document, *counts)));
        assert_eq!(read, wanted);
    }

    proptest! {
        /// What is written is what is read, whatever the numbers are.
        #[test]
        fn postings_survive(one in btree_map(any::<u32>(), 1..500_u32, 0..50), five in btree_map(0..1_000_000_u32, proptest::array::uniform5(0..3_u32), 0..50)) {
            survives(&one.into_iter().map(|(document, count)| (document, [count])).collect::<Vec<_>>());
            survives(&five.into_iter().collect::<Vec<_>>());
        }

        /// Damaged bytes end the list; they never panic.
        #[test]
        fn damaged_postings_are_harmless(bytes in vec(any::<u8>(), 0..100)) {
            each_posting::<1>(&bytes, |_, _| ());
            each_posting::<5>(&bytes, |_, _| ());
        }
    }

    #[test]
    fn a_usual_posting_takes_a_byte() {
        let mut writer = PostingsWriter::<5>::default();
        (0..100).for_each(|document| writer.push(document * 3, &[0, 0, 0, 0, 1]));
        assert_eq!(writer.into_bytes().len(), 100);
    }
}
