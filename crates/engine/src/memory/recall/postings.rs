//! Postings of one term over passages, as bytes: which passages hold it, and how often.
//!
//! Nearly always that is once, so how often costs a bit unless it is more. A posting takes little more than a byte.

use crate::base::{ByteReader, ByteWriter};

/// Writes postings; passages come in ascending order.
#[derive(Default)]
pub(super) struct PostingsWriter {
    out: ByteWriter,
    next: u32,
}

impl PostingsWriter {
    pub(super) fn push(&mut self, passage: u32, count: u32) {
        // The gap from the next possible passage: a word in every passage costs zeros.
        let gap = (passage - self.next) << 1;
        self.next = passage + 1;
        self.out.write_number(gap | u32::from(count > 1));
        if count > 1 {
            self.out.write_number(count);
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out.into_bytes()
    }
}

/// Hands every posting to `visit`: passage and count. Stops at bytes that are not ours.
pub(super) fn each_posting(mut bytes: &[u8], mut visit: impl FnMut(u32, u32)) {
    let mut next = 0u32;
    loop {
        // Nearly all numbers take one byte. Whether a count follows is unpredictable, so the step is computed without a
        // branch.
        let (gap, count) = match *bytes {
            [first, second, ..] if first | (second * (first & 1)) < 0x80 => {
                let counted = u32::from(first & 1);
                bytes = &bytes[1 + counted as usize..];
                (u32::from(first), 1 - counted + counted * u32::from(second))
            }
            [] => return,
            _ => {
                let mut input = ByteReader::new(bytes);
                let Ok(gap) = input.read_number() else { return };
                let Ok(count) = (if gap & 1 == 0 { Ok(1) } else { input.read_number() }) else { return };
                bytes = input.remaining_bytes();
                (gap, count)
            }
        };
        // Bytes that are not ours must end the list, not the process.
        let Some(passage) = next.checked_add(gap >> 1) else { return };
        visit(passage, count);
        next = passage.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn postings_survive(wanted in proptest::collection::btree_map(0u32..1_000_000, 1u32..500, 0..50)) {
            let mut writer = PostingsWriter::default();
            for (passage, count) in &wanted {
                writer.push(*passage, *count);
            }
            let mut read = Vec::new();
            each_posting(&writer.finish(), |passage, count| read.push((passage, count)));
            prop_assert_eq!(read, wanted.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn damaged_postings_are_harmless(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            each_posting(&bytes, |_, _| ());
        }
    }
}
