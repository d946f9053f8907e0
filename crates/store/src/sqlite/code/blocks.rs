//! Encodes postings of the inverted index as blocks for SQLite rows: terms that follow each other share one row.
//!
//! Most terms of a segment stand in one or two places. A row each would be more frame than content, to write as well
//! as to keep; a row of about half a page is found as quickly and read on from there.

use crate::TermPostings;
use crate::rows::DamagedRow;

/// Two rows with what is around them fill a page.
const MAX_BLOCK_BYTES: usize = 1_980;

/// A row of postings.
pub(super) struct PostingBlock<'t> {
    pub(super) first_term: &'t str,
    pub(in crate::sqlite) bytes: Vec<u8>,
}

/// Postings, ordered by term, as rows.
pub(super) fn build_blocks(postings: &[TermPostings]) -> Vec<PostingBlock<'_>> {
    let mut blocks: Vec<PostingBlock<'_>> = Vec::new();
    let mut before = "";
    for TermPostings { term, bytes } in postings {
        // Twelve bytes are room for the three lengths, each of which takes at most four.
        let longest = term.len() + bytes.len() + 12;
        if blocks.last().is_none_or(|block| block.bytes.len() + longest > MAX_BLOCK_BYTES) {
            blocks.push(PostingBlock { first_term: term, bytes: Vec::new() });
            // The first term of a row is written whole, so that a row can be read without the one before it.
            before = "";
        }
        let block = &mut blocks.last_mut().expect("there is one now").bytes;
        // Terms are in order, so most share their beginning with the term before; that part is not written again.
        let same = term.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
        write_varint(block, same);
        write_varint(block, term.len() - same);
        block.extend_from_slice(&term.as_bytes()[same..]);
        write_varint(block, bytes.len());
        block.extend_from_slice(bytes);
        before = term;
    }
    blocks
}

/// Goes through the terms of a row, and their postings.
pub(super) fn each_posting(mut block: &[u8], mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), DamagedRow> {
    let mut term: Vec<u8> = Vec::new();
    while !block.is_empty() {
        let same = read_varint(&mut block)?;
        // Only a damaged row shares more with the term before than that term has.
        if same > term.len() {
            return Err(damaged_postings());
        }
        term.truncate(same);
        term.extend_from_slice(read_slice(&mut block)?);
        visit(&term, read_slice(&mut block)?);
    }
    Ok(())
}

fn write_varint(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Result<usize, DamagedRow> {
    let mut number = 0;
    // Five bytes hold every length that a row can have; a damaged row must not make the loop run on.
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(damaged_postings)?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(damaged_postings())
}

fn read_slice<'b>(bytes: &mut &'b [u8]) -> Result<&'b [u8], DamagedRow> {
    let length = read_varint(bytes)?;
    let (slice, rest) = bytes.split_at_checked(length).ok_or_else(damaged_postings)?;
    *bytes = rest;
    Ok(slice)
}

fn damaged_postings() -> DamagedRow {
    DamagedRow("a row of postings".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn postings_come_back_in_rows_that_are_not_too_long(
            postings in btree_map("[a-cé]{0,12}", vec(any::<u8>(), 0..900), 0..40)
        ) {
            let postings: Vec<TermPostings> =
                postings.into_iter().map(|(term, bytes)| TermPostings { term, bytes }).collect();
            let mut read = Vec::new();
            for PostingBlock { first_term, bytes } in build_blocks(&postings) {
                prop_assert!(bytes.len() <= MAX_BLOCK_BYTES);
                let first = read.len();
                each_posting(&bytes, |term, bytes| {
                    let term = String::from_utf8(term.to_vec()).expect("a term");
                    read.push(TermPostings { term, bytes: bytes.to_vec() });
                }).expect("we wrote it");
                prop_assert_eq!(first_term, &read[first].term);
            }
            prop_assert_eq!(read, postings);
        }

        #[test]
        fn a_row_we_did_not_write_does_no_harm(bytes: Vec<u8>) {
            let _ = each_posting(&bytes, |_, _| {});
        }
    }
}
