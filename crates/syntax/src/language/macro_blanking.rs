//! Replaces preprocessor macros with blanks or an equivalent word before parsing, because a grammar that meets one
//! loses the whole declaration around it: `class EXPORT Name {` parses as a function. Only the parser sees the replaced
//! text; everything else is read from the original.

use regex::bytes::Regex;
use std::borrow::Cow;

/// The patterns of one language.
#[derive(Default)]
pub(crate) struct MacroBlanker(Vec<(Regex, String)>);

impl MacroBlanker {
    /// Each pattern comes with the word to put in place of its first group, or of the whole where it has no groups;
    /// other groups are blanked.
    pub(crate) fn compile(patterns: &[(String, String)]) -> Result<Self, regex::Error> {
        let compiled = patterns.iter().map(|(pattern, word)| Ok((Regex::new(pattern)?, word.clone())));
        compiled.collect::<Result<Vec<_>, _>>().map(Self)
    }

    /// The text for the parser: as long as the original, with the same line ends.
    pub(crate) fn blank_macros<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut seen = Cow::Borrowed(bytes);
        for (pattern, word) in &self.0 {
            for found in pattern.captures_iter(bytes) {
                let groups = found.iter().skip(usize::from(found.len() > 1)).flatten();
                for (at, group) in groups.enumerate() {
                    let place = &mut seen.to_mut()[group.range()];
                    // Line ends stay, so that rows are those of the original.
                    place.iter_mut().filter(|byte| !matches!(byte, b'\r' | b'\n')).for_each(|byte| *byte = b' ');
                    // A longer word would shift everything behind it.
                    if at == 0 && word.len() <= place.len() {
                        place[..word.len()].copy_from_slice(word.as_bytes());
                    }
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, word: &str, text: &str, expected: &str) {
        let unseen = MacroBlanker::compile(&[(pattern.to_owned(), word.to_owned())]).expect("a pattern");
        assert_eq!(String::from_utf8_lossy(&unseen.blank_macros(text.as_bytes())), expected);
    }

    #[test]
    fn groups_are_blanked_and_lines_stay_where_they_are() {
        check(r"class\s+([A-Z]+)\s+\w+ \{", "", "class API A {}; class B {};", "class     A {}; class B {};");
        check(r"#if[^#]*#endif", "", "#if\n{\n#endif\nx", "   \n \n      \nx");
        check(r"(LIST\(int,) \w+(\))", "enum", "LIST(int, A) {}", "enum      A  {}");
        check("(A)", "longer", "A B", "  B");
        check("none", "", "text", "text");
    }
}
