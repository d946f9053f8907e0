//! `SegmentImage`, the binary file format of an index segment (term dictionary and postings), read in place without
//! decoding: in memory, or in a file that is mapped.
//!
//! ```text
//! head       8 bytes  name and version of the format
//!            4        how many terms there are
//!            4        where the texts of terms begin
//!            4        where postings begin
//!            4        where all of it ends
//!            8        check of the head
//! directory  12 a term, in the order of terms: where its text ends, where its postings end, a check of both
//! texts      of all terms, one behind the other
//! postings   of all terms, one behind the other
//! ```
//! Numbers are little-endian and of a fixed width, so a term is found by halving the directory and nothing else is
//! decoded. Nothing is trusted: the head is checked when an image is opened, a term with its postings when it is looked
//! up. So opening costs the same for any size, and what is damaged is refused rather than taken for an answer.

use super::EncodedTerm;
use model::ContentHash;
use std::ops::Range;

/// The name of the format and its version: another version is another format, and segments are derived and made anew.
const FORMAT: [u8; 8] = *b"EPISEG\x01\x00";

/// Bytes of the head, and of an entry of the directory.
const HEAD_BYTES: usize = 32;
const ENTRY_BYTES: usize = 12;

/// The bytes are not an image, or not as they were written.
#[derive(Debug, PartialEq, Eq)]
pub struct DamagedImage;

/// The terms of a segment with their postings.
#[derive(Clone, Debug)]
pub struct SegmentImage<B> {
    bytes: B,
    terms: usize,
    texts: usize,
    postings: usize,
}

/// The image of some terms, which are in order and each there once; nothing where 4 GB are too little for it.
pub fn write_image(terms: &[EncodedTerm]) -> Option<Vec<u8>> {
    let texts = HEAD_BYTES + terms.len() * ENTRY_BYTES;
    let postings = texts + terms.iter().map(|term| term.term.len()).sum::<usize>();
    let end = postings + terms.iter().map(|term| term.bytes.len()).sum::<usize>();
    u32::try_from(end).ok()?;
    let mut bytes = Vec::with_capacity(end);
    bytes.extend(FORMAT);
    for number in [terms.len(), texts, postings, end] {
        bytes.extend((number as u32).to_le_bytes());
    }
    bytes.extend(head_check(&bytes));
    let (mut text_end, mut postings_end) = (texts, postings);
    for EncodedTerm { term, bytes: held } in terms {
        text_end += term.len();
        postings_end += held.len();
        bytes.extend((text_end as u32).to_le_bytes());
        bytes.extend((postings_end as u32).to_le_bytes());
        bytes.extend(term_check(term.as_bytes(), held));
    }
    bytes.extend(terms.iter().flat_map(|term| term.term.as_bytes()));
    bytes.extend(terms.iter().flat_map(|term| &term.bytes));
    Some(bytes)
}

impl<B: AsRef<[u8]>> SegmentImage<B> {
    /// Opens an image.
    pub fn open(bytes: B) -> Result<Self, DamagedImage> {
        let all = bytes.as_ref();
        let (head, check) =
            all.get(..HEAD_BYTES).and_then(|head| head.split_at_checked(HEAD_BYTES - 8)).ok_or(DamagedImage)?;
        if !head.starts_with(&FORMAT) || head_check(head) != check {
            return Err(DamagedImage);
        }
        let number = |at: usize| read_number(all, FORMAT.len() + 4 * at).ok_or(DamagedImage);
        let (terms, texts, postings, end) = (number(0)?, number(1)?, number(2)?, number(3)?);
        let directory_end = terms.checked_mul(ENTRY_BYTES).and_then(|bytes| bytes.checked_add(HEAD_BYTES));
        let is_whole = directory_end == Some(texts) && texts <= postings && postings <= end && end == all.len();
        if is_whole { Ok(Self { bytes, terms, texts, postings }) } else { Err(DamagedImage) }
    }

    /// The postings of a term; nothing where no document holds it.
    pub fn find_term(&self, term: &str) -> Result<Option<&[u8]>, DamagedImage> {
        let (mut low, mut high) = (0, self.terms);
        while low < high {
            let middle = low.midpoint(high);
            match self.text_at(middle)?.cmp(term.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(Some(self.term_at(middle)?.1)),
            }
        }
        Ok(None)
    }

    /// All terms with their postings, in order.
    pub fn all_terms(&self) -> impl Iterator<Item = Result<(&str, &[u8]), DamagedImage>> {
        (0..self.terms).map(|at| self.term_at(at))
    }

    /// A term and its postings, as they were written.
    fn term_at(&self, at: usize) -> Result<(&str, &[u8]), DamagedImage> {
        let text = self.text_at(at)?;
        let held = self.part_at(at, 4, self.postings)?;
        let check = self.bytes.as_ref().get(HEAD_BYTES + at * ENTRY_BYTES + 8..HEAD_BYTES + (at + 1) * ENTRY_BYTES);
        if check != Some(&term_check(text, held)) {
            return Err(DamagedImage);
        }
        Ok((str::from_utf8(text).map_err(|_| DamagedImage)?, held))
    }

    fn text_at(&self, at: usize) -> Result<&[u8], DamagedImage> {
        self.part_at(at, 0, self.texts)
    }

    /// What ends where the directory says, and begins where the one before it ends.
    fn part_at(&self, at: usize, column: usize, first: usize) -> Result<&[u8], DamagedImage> {
        let bytes = self.bytes.as_ref();
        let end_of = |at: usize| read_number(bytes, HEAD_BYTES + at * ENTRY_BYTES + column).ok_or(DamagedImage);
        let start = at.checked_sub(1).map_or(Ok(first), end_of)?;
        let range: Range<usize> = start..end_of(at)?;
        bytes.get(range).ok_or(DamagedImage)
    }
}

fn read_number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize)
}

fn head_check(head: &[u8]) -> [u8; 8] {
    *ContentHash::hash_bytes(head).as_bytes().first_chunk().expect("a hash has 32 bytes")
}

/// A check of a term and its postings, so that neither is taken for another's.
fn term_check(term: &[u8], held: &[u8]) -> [u8; 4] {
    let hash = model::DigestBuilder::new("segment term").add_field(term).add_field(held).finish();
    *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Held = BTreeMap<String, Vec<u8>>;

    fn held() -> impl Strategy<Value = Held> {
        btree_map("[a-eö]{1,4}", vec(any::<u8>(), 0..9), 0..30)
    }

    fn image(held: &Held) -> Vec<u8> {
        let terms = held.iter().map(|(term, bytes)| EncodedTerm { term: term.clone(), bytes: bytes.clone() });
        write_image(&terms.collect::<Vec<_>>()).expect("it is small")
    }

    proptest! {
        /// Every term is found in place, no other is, and all of them come in order.
        #[test]
        fn an_image_is_the_map_it_was_made_of(held in held(), asked in "[a-f]{1,4}") {
            let made = image(&held);
            let read = SegmentImage::open(made.as_slice()).expect("it is as it was written");
            prop_assert_eq!(read.find_term(&asked), Ok(held.get(&asked).map(Vec::as_slice)));
            for (term, bytes) in &held {
                prop_assert_eq!(read.find_term(term), Ok(Some(bytes.as_slice())));
            }
            let all: Vec<(&str, &[u8])> = read.all_terms().collect::<Result<_, _>>().expect("none is damaged");
            prop_assert_eq!(all, held.iter().map(|(term, bytes)| (term.as_str(), bytes.as_slice())).collect::<Vec<_>>());
        }

        /// A byte that is another one is noticed where it is read: what is given is what was written.
        #[test]
        fn damage_is_noticed(held in held(), at in any::<proptest::sample::Index>(), by in 1..=255_u8, cut in any::<proptest::sample::Index>()) {
            let mut bytes = image(&held);
            let cut = cut.index(bytes.len());
            prop_assert!(SegmentImage::open(&bytes[..cut]).is_err());
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            match SegmentImage::open(bytes.as_slice()) {
                Err(DamagedImage) => prop_assert!(at < HEAD_BYTES),
                Ok(read) => {
                    for (term, wanted) in &held {
                        if let Ok(Some(found)) = read.find_term(term) {
                            prop_assert_eq!(found, wanted.as_slice());
                        }
                    }
                    prop_assert!(read.all_terms().any(|term| term.is_err()));
                }
            }
        }

        #[test]
        fn other_bytes_are_no_image(bytes in vec(any::<u8>(), 0..80)) {
            prop_assert!(SegmentImage::open(bytes.as_slice()).is_err());
        }
    }
}
