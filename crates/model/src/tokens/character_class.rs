//! The character classes that the o200k pattern distinguishes, for every character of Unicode.
//!
//! ASCII is a table made by the compiler; the rest is looked up in `vocabulary/classes.bin`, where the characters lie
//! in blocks of 128 and equal blocks lie there once. A test makes the file anew from the tables of the regular
//! expressions.

/// The class of a character in the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum CharacterClass {
    /// What none of the others is: punctuation, signs, controls, what is not assigned.
    Symbol,
    /// A capital, or a title-case letter.
    Upper,
    Lower,
    /// A letter without case; it stands where a capital may stand, and where a small letter may.
    Caseless,
    /// A mark that combines with the letter before it: it stands in words as a letter without case does, and is a
    /// symbol elsewhere.
    Combining,
    Digit,
    /// White space that is no newline.
    Blank,
    Newline,
}

impl CharacterClass {
    const ALL: [Self; 8] = [
        Self::Symbol,
        Self::Upper,
        Self::Lower,
        Self::Caseless,
        Self::Combining,
        Self::Digit,
        Self::Blank,
        Self::Newline,
    ];

    /// The class of a character.
    pub(super) fn of(character: char) -> Self {
        let code = character as usize;
        if code < 128 {
            return ASCII_CLASSES[code];
        }
        let block = usize::from(CLASSES[code / BLOCK]);
        let pair = CLASSES[BLOCKS_START + block * (BLOCK / 2) + code % BLOCK / 2];
        Self::ALL[usize::from(pair >> (code % 2 * 4) & 7)]
    }

    /// Whether it is a part of `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
    pub(super) fn is_upper(self) -> bool {
        matches!(self, Self::Upper | Self::Caseless | Self::Combining)
    }

    /// Whether it is a part of `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
    pub(super) fn is_lower(self) -> bool {
        matches!(self, Self::Lower | Self::Caseless | Self::Combining)
    }

    /// Whether it is a part of `[^\s\p{L}\p{N}]`.
    pub(super) fn is_symbol(self) -> bool {
        matches!(self, Self::Symbol | Self::Combining)
    }

    /// Whether it is a part of `\s`.
    pub(super) fn is_space(self) -> bool {
        matches!(self, Self::Blank | Self::Newline)
    }
}

/// The classes of ASCII; tests hold them to be those of the pattern.
pub(super) const ASCII_CLASSES: [CharacterClass; 128] = {
    let mut classes = [CharacterClass::Symbol; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => CharacterClass::Upper,
            b'a'..=b'z' => CharacterClass::Lower,
            b'0'..=b'9' => CharacterClass::Digit,
            b'\n' | b'\r' => CharacterClass::Newline,
            b' ' | b'\t' | 0x0b | 0x0c => CharacterClass::Blank,
            _ => CharacterClass::Symbol,
        };
        byte += 1;
    }
    classes
};

/// So many characters are a block.
const BLOCK: usize = 128;

/// Where the blocks begin in the file: behind the number of its block for every 128 characters of Unicode.
const BLOCKS_START: usize = 0x11_0000 / BLOCK;

/// The numbers of blocks, and the blocks: half a byte a character.
static CLASSES: &[u8] = include_bytes!("../../vocabulary/classes.bin");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::reference_tests::check_file;
    use regex_syntax::hir::{Class, HirKind};

    /// The characters of a class of regular expressions.
    fn pattern_class(pattern: &str) -> Vec<char> {
        let parsed = regex_syntax::parse(pattern).expect("a class");
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else { panic!("no class: {pattern}") };
        class.iter().flat_map(|range| range.start()..=range.end()).collect()
    }

    #[test]
    fn classes_are_those_of_regular_expressions() {
        let mut classes = vec![CharacterClass::Symbol; 0x11_0000];
        let patterns = [
            (r"[\p{Lu}\p{Lt}]", CharacterClass::Upper),
            (r"\p{Ll}", CharacterClass::Lower),
            (r"[\p{Lm}\p{Lo}]", CharacterClass::Caseless),
            (r"\p{M}", CharacterClass::Combining),
            (r"\p{N}", CharacterClass::Digit),
            (r"\s", CharacterClass::Blank),
            (r"[\r\n]", CharacterClass::Newline),
        ];
        for (pattern, class) in patterns {
            for character in pattern_class(pattern) {
                classes[character as usize] = class;
            }
        }

        let mut blocks: Vec<Vec<u8>> = Vec::new();
        let mut file = Vec::new();
        for block in classes.chunks(BLOCK) {
            let packed: Vec<u8> = block.chunks(2).map(|pair| pair[0] as u8 | (pair[1] as u8) << 4).collect();
            let number = blocks.iter().position(|known| *known == packed).unwrap_or_else(|| {
                blocks.push(packed);
                blocks.len() - 1
            });
            file.push(u8::try_from(number).expect("few blocks differ"));
        }
        file.extend(blocks.concat());
        check_file("classes.bin", &file);

        for character in '\0'..=char::MAX {
            assert_eq!(CharacterClass::of(character), classes[character as usize], "{character:?}");
        }
    }
}
