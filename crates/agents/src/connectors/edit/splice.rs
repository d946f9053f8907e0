//! A text diff as one replaced span, `Splice`: the exact change from one text to the next, so that an edit of a
//! settings file can be undone to the byte without a copy of the file. Settings of agents may hold private data, which
//! a copy would spread.

use serde::{Deserialize, Serialize};

/// Some text in the place of other text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// Where, in bytes.
    pub at: usize,
    /// What stood there.
    pub removed: String,
    /// The new text.
    pub inserted: String,
}

impl Splice {
    /// The shortest change that leads from one text to another.
    pub(super) fn from_texts(from: &str, to: &str) -> Self {
        let both = |from: &str, to: &str| from.bytes().zip(to.bytes()).take_while(|(one, other)| one == other).count();
        let mut start = both(from, to);
        // Two different characters may share their first bytes; a change must begin between characters.
        while !from.is_char_boundary(start) || !to.is_char_boundary(start) {
            start -= 1;
        }
        // The common end is looked for behind the common beginning only, or the two could overlap: `aa` to `aaa`.
        let reversed = |text: &str| text[start..].bytes().rev().collect::<Vec<u8>>();
        let (left, right) = (reversed(from), reversed(to));
        let mut end = left.iter().zip(&right).take_while(|(one, other)| one == other).count();
        while !from.is_char_boundary(from.len() - end) || !to.is_char_boundary(to.len() - end) {
            end -= 1;
        }
        let [removed, inserted] = [from, to].map(|text| text[start..text.len() - end].to_owned());
        Self { at: start, removed, inserted }
    }

    /// The text from before; `None` when the change is not in this one.
    pub(in crate::connectors) fn revert_text(&self, text: &str) -> Option<String> {
        let before = text.get(..self.at)?;
        // The file was changed at this place since; the caller then takes our entries out one by one.
        let after = text[self.at..].strip_prefix(&self.inserted)?;
        Some(format!("{before}{}{after}", self.removed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_change_leads_back(from in ".{0,40}", to in ".{0,40}") {
            let splice = Splice::from_texts(&from, &to);
            prop_assert_eq!(splice.revert_text(&to), Some(from));
        }

        #[test]
        fn a_change_in_the_middle_is_as_short_as_it_can_be(
            before in "[a-zäß]{0,9}", after in "[a-zäß]{0,9}", put in "[A-ZÄÖ]{1,9}"
        ) {
            let splice = Splice::from_texts(&format!("{before}{after}"), &format!("{before}{put}{after}"));
            prop_assert_eq!((splice.removed.as_str(), splice.inserted), ("", put));
        }
    }
}
