//! `KeywordAutomaton`, the Aho-Corasick matcher that finds every keyword of the secret rules in one pass over a text.
//! Made when the program is built, see `automaton.rs`, which also says how its bytes lie.

/// Set where a keyword ends in a state.
const KEYWORD_END_FLAG: usize = 1 << 15;
/// Columns of the table.
const COLUMNS: usize = 64;

pub(super) struct KeywordAutomaton<'k> {
    columns: &'k [u8],
    table: &'k [[u8; 2]],
    ends: &'k [[u8; 2]],
    endings: &'k [u8],
}

/// The keywords of the built-in rules.
pub(super) static BUILT_IN: KeywordAutomaton<'static> =
    KeywordAutomaton::from_bytes(include_bytes!(concat!(env!("OUT_DIR"), "/keywords.bin")));

/// A keyword in a text.
pub(super) struct KeywordHit<'k> {
    pub(super) start: usize,
    pub(super) end: usize,
    rules: &'k [[u8; 2]],
}

impl<'k> KeywordHit<'k> {
    /// The rules it calls for, by number.
    pub(super) fn rule_numbers(&self) -> impl Iterator<Item = usize> + use<'k> {
        self.rules.iter().map(|rule| read_u16(*rule))
    }
}

impl<'k> KeywordAutomaton<'k> {
    const fn from_bytes(bytes: &'k [u8]) -> Self {
        let (columns, rest) = bytes.split_at(256);
        let (states, rest) = rest.split_at(2);
        let states = u16::from_le_bytes([states[0], states[1]]) as usize;
        let (table, rest) = rest.split_at(states * COLUMNS * 2);
        let (ends, endings) = rest.split_at((states + 1) * 2);
        Self { columns, table: table.as_chunks().0, ends: ends.as_chunks().0, endings }
    }

    /// Calls `take` with every keyword of a text, those inside of others too, in the order of their ends.
    pub(super) fn each_keyword(&self, text: &[u8], mut take: impl FnMut(KeywordHit<'k>)) {
        let mut state = 0;
        for (at, byte) in text.iter().enumerate() {
            let column = usize::from(self.columns[usize::from(*byte)]);
            let next = read_u16(self.table[state * COLUMNS + column]);
            // The mark of an ending is in the number of the state, so that a byte without a hit costs one lookup.
            state = next & !KEYWORD_END_FLAG;
            if next & KEYWORD_END_FLAG != 0 {
                let mut endings = &self.endings[read_u16(self.ends[state])..read_u16(self.ends[state + 1])];
                while let [length, rules, rest @ ..] = endings {
                    let (rules, others) = rest.split_at(usize::from(*rules) * 2);
                    take(KeywordHit { start: at + 1 - usize::from(*length), end: at + 1, rules: rules.as_chunks().0 });
                    endings = others;
                }
            }
        }
    }
}

fn read_u16(bytes: [u8; 2]) -> usize {
    usize::from(u16::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::automaton::build_automaton;
    use super::*;
    use proptest::prelude::*;

    fn found(keywords: &[String], text: &str) -> Vec<(usize, usize, usize)> {
        let bytes = build_automaton(&keywords.iter().cloned().zip(0..).collect::<Vec<_>>());
        let mut found = Vec::new();
        KeywordAutomaton::from_bytes(&bytes).each_keyword(text.as_bytes(), |hit| {
            found.extend(hit.rule_numbers().map(|rule| (hit.start, hit.end, rule)));
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
