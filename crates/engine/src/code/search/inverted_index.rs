//! A generic in-memory inverted index, from the number of a term to the numbers of the items that have it: one list of
//! postings with ranges for the base, which all later catalogs share, and a table for additions.

use crate::base::image::{ImageWriter, SharedList};
use foldhash::HashMap;

#[derive(Clone, Default)]
pub(super) struct InvertedIndex {
    from_start: PostingRanges,
    since: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Default)]
struct PostingRanges {
    /// One more than terms, once it is made.
    starts: SharedList<u32>,
    numbers: SharedList<u32>,
}

impl InvertedIndex {
    /// The postings of a term.
    pub(super) fn posting_list(&self, term: u32) -> impl Iterator<Item = u32> {
        let since = self.since.get(&term).map_or(&[][..], Vec::as_slice);
        self.from_start.posting_range(term).iter().chain(since).copied()
    }

    /// An index that begins with the base of two sections.
    pub(super) fn from_base(starts: SharedList<u32>, numbers: SharedList<u32>) -> Self {
        Self { from_start: PostingRanges { starts, numbers }, since: HashMap::default() }
    }

    /// Adds the two sections of the base.
    pub(super) fn write_base<'a>(&'a self, image: &mut ImageWriter<'a>) {
        image.add_rows(self.from_start.starts.all_rows());
        image.add_rows(self.from_start.numbers.all_rows());
    }

    /// Adds a posting of a term; before the base is built this does nothing, because the base is built from all files.
    pub(super) fn add_posting(&mut self, term: u32, number: u32) {
        if self.from_start.starts.len() > 0 {
            self.since.entry(term).or_default().push(number);
        }
    }

    /// Builds the shared base from the terms of each item, in the order of item numbers; `terms` is the number of
    /// terms.
    pub(super) fn build_base<'a>(&mut self, terms: usize, numbers: impl Iterator<Item = &'a [u32]> + Clone) {
        self.from_start = PostingRanges::new(terms, numbers);
    }
}

impl PostingRanges {
    fn new<'a>(terms: usize, each: impl Iterator<Item = &'a [u32]> + Clone) -> Self {
        let mut starts = vec![0_u32; terms + 1];
        for term in each.clone().flatten() {
            starts[*term as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        // Counting sort: two passes and two allocations for all terms, where a list for each term would be hundreds of
        // thousands.
        let mut next = starts.clone();
        let mut numbers = vec![0; *starts.last().expect("one more than terms") as usize];
        for (number, terms) in each.enumerate() {
            for term in terms {
                let at = &mut next[*term as usize];
                numbers[*at as usize] = number as u32;
                *at += 1;
            }
        }
        Self { starts: starts.into(), numbers: numbers.into() }
    }

    fn posting_range(&self, term: u32) -> &[u32] {
        let term = term as usize;
        if term + 1 < self.starts.len() {
            match self.starts.rows(term..term + 2) {
                [start, end] => self.numbers.rows(*start as usize..*end as usize),
                _ => &[],
            }
        } else {
            &[]
        }
    }
}
