//! Builds the Aho-Corasick automaton of the secret scanner's keywords as a table in bytes; `keywords.rs` runs it.
//!
//! The build script makes the automaton, so that no process has to: filling it was an eighth of what a hook costs. The
//! code is our own and not a library's because it must also be quick over gigabytes, since an import looks at all of
//! them: the cases of a letter share a column, and states have 15 bits.
//!
//! ```text
//! columns   256 × u8                the column of each byte; 0 for those in no keyword
//! states    u16
//! table     states × 64 × u16       what follows a state in each column, and whether a keyword ends there
//! ends      (states + 1) × u16      where the endings of a state start
//! endings   length u8, rules u8, then each rule's number u16; longest first
//! ```

use std::collections::VecDeque;

/// Set where a keyword ends in a state.
const KEYWORD_END_FLAG: u16 = 1 << 15;
/// Columns of the table; the characters of all keywords are fewer.
const COLUMNS: usize = 64;
const ROOT: u16 = 0;

/// The keywords of a table of rules, each with the number of the rule that it calls for; the error is the line without.
pub(crate) fn parse_keywords(table: &str) -> Result<Vec<(String, u16)>, &str> {
    let rules = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut found = Vec::new();
    for (line, number) in rules.zip(0..) {
        let keywords = line.split_ascii_whitespace().nth(3).ok_or(line)?;
        found.extend(keywords.split(',').map(|keyword| (keyword.replace('␣', " "), number)));
    }
    Ok(found)
}

/// An automaton for keywords, as bytes.
pub(crate) fn build_automaton(keywords: &[(String, u16)]) -> Vec<u8> {
    let mut making =
        AutomatonBuilder { columns: [0; 256], used: 0, table: vec![[ROOT; COLUMNS]], ends: vec![Vec::new()] };
    for (keyword, rule) in keywords {
        making.add_keyword(keyword, *rule);
    }
    making.fill_fallbacks();
    making.to_bytes()
}

struct AutomatonBuilder {
    columns: [u8; 256],
    /// Columns that have a letter.
    used: u8,
    table: Vec<[u16; COLUMNS]>,
    /// For each state, the keywords that end in it: their length and rules, longest first.
    ends: Vec<Vec<(u8, Vec<u16>)>>,
}

impl AutomatonBuilder {
    fn add_keyword(&mut self, keyword: &str, rule: u16) {
        let mut state = ROOT;
        for byte in keyword.bytes() {
            let column = self.assign_column(byte);
            state = self.child_state(state, column);
        }
        let ends = &mut self.ends[usize::from(state)];
        // Several rules may share a keyword, as `token` does.
        match ends.first_mut() {
            Some((_, rules)) => rules.push(rule),
            None => ends.push((u8::try_from(keyword.len()).expect("keywords are short"), vec![rule])),
        }
    }

    fn assign_column(&mut self, byte: u8) -> usize {
        if self.columns[usize::from(byte)] == 0 {
            self.used += 1;
            assert!(usize::from(self.used) < COLUMNS, "the keywords have too many different characters");
            // Both cases share one column, so that a text need not be copied in lower case.
            self.columns[usize::from(byte.to_ascii_lowercase())] = self.used;
            self.columns[usize::from(byte.to_ascii_uppercase())] = self.used;
        }
        usize::from(self.columns[usize::from(byte)])
    }

    fn child_state(&mut self, state: u16, column: usize) -> u16 {
        let next = self.table[usize::from(state)][column];
        if next != ROOT {
            return next;
        }
        let new = u16::try_from(self.table.len()).ok().filter(|new| new & KEYWORD_END_FLAG == 0);
        let new = new.expect("a few hundred short keywords have few states");
        self.table[usize::from(state)][column] = new;
        self.table.push([ROOT; COLUMNS]);
        self.ends.push(Vec::new());
        new
    }

    /// Fills the gaps of the table: where no keyword goes on, the longest end of what was read that starts one does.
    fn fill_fallbacks(&mut self) {
        let roots = self.table[usize::from(ROOT)].into_iter().filter(|next| *next != ROOT);
        let mut waiting: VecDeque<(u16, u16)> = roots.map(|next| (next, ROOT)).collect();
        while let Some((state, shorter)) = waiting.pop_front() {
            // A keyword that ends inside of a longer one is found there too, without going back in the text.
            let inherited = self.ends[usize::from(shorter)].clone();
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
        // Marked last: the loop above compares plain state numbers.
        for next in self.table.iter_mut().flatten() {
            if !self.ends[usize::from(*next)].is_empty() {
                *next |= KEYWORD_END_FLAG;
            }
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let number =
            |number: usize| u16::try_from(number).expect("a few hundred short keywords are small").to_le_bytes();
        let mut bytes = self.columns.to_vec();
        bytes.extend(number(self.table.len()));
        bytes.extend(self.table.iter().flatten().flat_map(|next| next.to_le_bytes()));
        let mut endings: Vec<u8> = Vec::new();
        for ends in &self.ends {
            bytes.extend(number(endings.len()));
            for (length, rules) in ends {
                endings.extend([*length, u8::try_from(rules.len()).expect("few rules share a keyword")]);
                endings.extend(rules.iter().flat_map(|rule| rule.to_le_bytes()));
            }
        }
        bytes.extend(number(endings.len()));
        bytes.extend(endings);
        bytes
    }
}
