//! An automaton that finds every keyword of the rules in one walk over a text (Aho and Corasick's, as a full table).
//!
//! Its own and not a library's, because it must be two things at once: there in a fraction of a millisecond, since a
//! hook looks at one message and ends, and quick over gigabytes, since an import looks at all of them. The cases of a
//! letter share a column and states have 15 bits, so the whole table is small enough to be filled anew by each process.

use std::collections::VecDeque;

/// A state: its number, and whether a keyword ends in it.
type State = u16;
const ENDS: State = 1 << 15;
/// Columns of the table; the characters of all keywords are fewer.
const COLUMNS: usize = 64;
const ROOT: State = 0;

pub(super) struct Keywords {
    /// The column of each byte; 0 for those in no keyword.
    columns: [u8; 256],
    /// For each state, what follows in each column.
    table: Vec<[State; COLUMNS]>,
    /// For each state, the keywords that end in it, longest first.
    ends: Vec<Vec<Keyword>>,
}

struct Keyword {
    length: usize,
    /// The rules it calls for, by number.
    rules: Vec<usize>,
}

/// A keyword in a text, and the rules it calls for.
pub(super) struct Hit<'k> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rules: &'k [usize],
}

impl Keywords {
    /// An automaton for keywords with the number of the rule that each calls for.
    pub(super) fn new(keywords: impl Iterator<Item = (String, usize)>) -> Self {
        let mut this = Self { columns: [0; 256], table: vec![[ROOT; COLUMNS]], ends: vec![Vec::new()] };
        let mut used = 0;
        for (keyword, rule) in keywords {
            let mut state = ROOT;
            for byte in keyword.bytes() {
                let column = this.column(byte, &mut used);
                state = this.child(state, column);
            }
            let ends = &mut this.ends[usize::from(state)];
            match ends.first_mut() {
                Some(known) => known.rules.push(rule),
                None => ends.push(Keyword { length: keyword.len(), rules: vec![rule] }),
            }
        }
        this.close();
        this
    }

    fn column(&mut self, byte: u8, used: &mut u8) -> u8 {
        if self.columns[usize::from(byte)] == 0 {
            *used += 1;
            assert!(usize::from(*used) < COLUMNS, "the keywords have too many different characters");
            self.columns[usize::from(byte.to_ascii_lowercase())] = *used;
            self.columns[usize::from(byte.to_ascii_uppercase())] = *used;
        }
        self.columns[usize::from(byte)]
    }

    fn child(&mut self, state: State, column: u8) -> State {
        let next = self.table[usize::from(state)][usize::from(column)];
        if next != ROOT {
            return next;
        }
        let new = State::try_from(self.table.len()).ok().filter(|new| new & ENDS == 0);
        let new = new.expect("a few hundred short keywords have few states");
        self.table[usize::from(state)][usize::from(column)] = new;
        self.table.push([ROOT; COLUMNS]);
        self.ends.push(Vec::new());
        new
    }

    /// Fills the gaps of the table: where no keyword goes on, the longest end of what was read that starts one does.
    fn close(&mut self) {
        let roots = self.table[usize::from(ROOT)].into_iter().filter(|next| *next != ROOT);
        let mut waiting: VecDeque<(State, State)> = roots.map(|next| (next, ROOT)).collect();
        while let Some((state, shorter)) = waiting.pop_front() {
            let inherited: Vec<Keyword> = self.ends[usize::from(shorter)].iter().map(Keyword::copy).collect();
            self.ends[usize::from(state)].extend(inherited);
            let fallback = self.table[usize::from(shorter)];
            for (next, shorter) in self.table[usize::from(state)].iter_mut().zip(fallback) {
                if *next == ROOT {
                    *next = shorter;
                } else {
                    waiting.push_back((*next, shorter));
                }
            }
        }
        for row in &mut self.table {
            for next in row {
                if !self.ends[usize::from(*next)].is_empty() {
                    *next |= ENDS;
                }
            }
        }
    }

    /// Calls `take` with every keyword of a text, those inside of others too, in the order of their ends.
    pub(super) fn find<'k>(&'k self, text: &[u8], mut take: impl FnMut(Hit<'k>)) {
        let mut state = ROOT;
        for (at, byte) in text.iter().enumerate() {
            let column = self.columns[usize::from(*byte)];
            let next = self.table[usize::from(state)][usize::from(column)];
            state = next & !ENDS;
            if next & ENDS != 0 {
                for keyword in &self.ends[usize::from(state)] {
                    take(Hit { start: at + 1 - keyword.length, end: at + 1, rules: &keyword.rules });
                }
            }
        }
    }
}

impl Keyword {
    fn copy(&self) -> Self {
        Self { length: self.length, rules: self.rules.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(keywords: &[String], text: &str) -> Vec<(usize, usize, usize)> {
        let automaton = Keywords::new(keywords.iter().cloned().zip(0..));
        let mut found = Vec::new();
        automaton.find(text.as_bytes(), |hit| {
            found.extend(hit.rules.iter().map(|rule| (hit.start, hit.end, *rule)));
        });
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn every_keyword_is_found_wherever_it_stands(
            keywords in prop::collection::vec("[ab_]{1,4}", 1..6),
            text in "[aAbBx_]{0,40}",
        ) {
            let mut expected = Vec::new();
            for (rule, keyword) in keywords.iter().enumerate() {
                let lower = text.to_ascii_lowercase();
                let starts = (0..text.len()).filter(|at| lower[*at..].starts_with(keyword.as_str()));
                expected.extend(starts.map(|start| (start, start + keyword.len(), rule)));
            }
            expected.sort_unstable();
            prop_assert_eq!(found(&keywords, &text), expected);
        }
    }
}
