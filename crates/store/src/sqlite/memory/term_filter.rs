//! `TermFilter` tests whether a message contains all terms of a query without an index: SQLite has none for messages.
//!
//! An index took a ninth of the database and much of the time to store a message, to save a look through everything
//! that takes as long as a regular expression does. Most texts are decided by a search for the bytes of a word; only
//! those that hold them are cut into terms.

use memchr::memmem::Finder;
use model::terms::each_term;

/// Terms to look for.
pub(super) struct TermFilter<'t> {
    terms: &'t [String],
    /// Terms whose bytes are in every text that contains the term, once the text is in lower case.
    plain: Vec<Finder<'t>>,
    /// The only character beyond ASCII that is an ASCII letter when it is small.
    kelvin: Finder<'static>,
    room: Vec<u8>,
}

impl<'t> TermFilter<'t> {
    pub(in crate::sqlite) fn new(terms: &'t [String]) -> Self {
        let plain = terms.iter().filter(|term| term.is_ascii()).map(Finder::new).collect();
        Self { terms, plain, kelvin: Finder::new("\u{212a}"), room: Vec::new() }
    }

    /// Whether a text holds all of them.
    pub(super) fn are_in(&mut self, text: &str) -> bool {
        self.room.clear();
        self.room.extend_from_slice(text.as_bytes());
        self.room.make_ascii_lowercase();
        // Searching for bytes is far cheaper than cutting a text into terms, and most texts fail here.
        let is_plain = self.plain.iter().all(|term| term.find(&self.room).is_some());
        // The Kelvin sign becomes an ASCII `k` in lower case: the bytes of the text lack a letter that its terms have.
        if !is_plain && self.kelvin.find(text.as_bytes()).is_none() {
            return false;
        }
        // The bytes may stand inside a longer word, so only the terms themselves decide.
        let mut missing: Vec<&str> = self.terms.iter().map(String::as_str).collect();
        each_term(text, |term| missing.retain(|wanted| *wanted != term));
        missing.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::terms::distinct_terms;
    use proptest::prelude::*;

    proptest! {
        /// A decision from bytes always agrees with cutting the text into terms.
        #[test]
        fn words_are_in_the_texts_that_are_cut_into_them(text in "[a-cA-CkK\u{212a}éÉß数据 _.0-2]{0,40}", asked in "[a-ckéß数据 _0-2]{1,12}") {
            let terms = distinct_terms(&asked);
            let held = distinct_terms(&text);
            let wanted = terms.iter().all(|term| held.contains(term));
            prop_assert_eq!(TermFilter::new(&terms).are_in(&text), wanted);
        }
    }

    #[test]
    fn a_kelvin_sign_is_a_letter() {
        let terms = distinct_terms("kelvin");
        assert_eq!(terms, distinct_terms("\u{212a}elvin"));
        assert!(TermFilter::new(&terms).are_in("300 \u{212a}elvin"));
    }
}
