//! Stemming of index and query terms: one form for the words that are used for one thing.
//!
//! There are two sets of rules, because two kinds of text are searched. In **source code** nouns of agents and actions
//! are names of the same thing: `parse`, `parser` and `parsing` have to meet, so the rules cut endings hard and in one
//! pass. In **prose** such a cut joins what people keep apart (`import`, `importer`, `important`), and irregular forms
//! (`bought`, `children`) carry much of what is asked for: Porter's rules after a table of plain forms are what recall
//! was measured with. A stem is a key of an index: other rules mean another version of the index that has it.

mod code;
mod english;
mod irregular_words;

/// Which text a word is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StemRules {
    /// Source code and what is asked about it.
    Code,
    /// What people say.
    English,
}

impl StemRules {
    /// Puts the stem of a lower-case word into `stem`, replacing what was there.
    pub fn stem_word(self, word: &str, stem: &mut String) {
        match self {
            Self::Code => code::stem_word(word, stem),
            // The irregular form first: a rule would make `bought` a stem of its own.
            Self::English => english::stem_word(irregular_words::base_form(word).unwrap_or(word), stem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_text_has_its_own_stems() {
        let stem = |rules: StemRules, word: &str| {
            let mut room = String::from("what was there");
            rules.stem_word(word, &mut room);
            room
        };
        assert_eq!(stem(StemRules::Code, "parser"), stem(StemRules::Code, "parse"));
        assert_ne!(stem(StemRules::English, "parser"), stem(StemRules::English, "parse"));
        assert_eq!(stem(StemRules::English, "bought"), stem(StemRules::English, "buys"));
        assert_ne!(stem(StemRules::Code, "bought"), stem(StemRules::Code, "buys"));
    }
}
