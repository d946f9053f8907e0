//! Hashes the body of each symbol without its name and indentation, so that a renamed or moved symbol is recognized by
//! its text (`redirect.rs`).

use model::{ByteSpan, Symbol};

/// Texts with fewer tokens than this are too common to identify a symbol.
const FEWEST_TOKENS: usize = 8;

/// Of longer texts only this many tokens are compared.
const MOST_TOKENS: usize = 1 << 15;

/// A hash of each symbol's text without its name; 0 where the text is too short.
pub(super) fn body_hashes(source: &[u8], symbols: &[Symbol]) -> Vec<u32> {
    if symbols.is_empty() {
        return Vec::new();
    }
    let tokens = tokenize_source(source);
    symbols.iter().map(|symbol| body_hash(&tokens, symbol.span, &symbol.name)).collect()
}

/// A word or a sign: where it starts, and a hash of it.
struct BodyToken {
    start: u32,
    hash: u32,
}

fn tokenize_source(source: &[u8]) -> Vec<BodyToken> {
    let mut tokens = Vec::with_capacity(source.len() / 4);
    let mut at = 0;
    while at < source.len() {
        // Each sign is a token of its own, so that added spaces make no difference.
        let end = at + source[at..].iter().take_while(|byte| is_word(**byte)).count().max(1);
        if !source[at].is_ascii_whitespace() {
            tokens.push(BodyToken { start: at as u32, hash: fnv_hash(&source[at..end]) });
        }
        at = end;
    }
    tokens
}

fn body_hash(tokens: &[BodyToken], span: ByteSpan, name: &str) -> u32 {
    let name = fnv_hash(name.as_bytes());
    let first = tokens.partition_point(|token| token.start < span.start);
    let own = tokens[first..].iter().take_while(|token| token.start < span.end);
    let mut count = 0;
    let mut folded = FNV_OFFSET_BASIS;
    // The name is skipped everywhere in the text: a renamed function that calls itself is still the same.
    for token in own.filter(|token| token.hash != name).take(MOST_TOKENS) {
        folded = (folded.rotate_left(5) ^ token.hash).wrapping_mul(FNV_PRIME);
        count += 1;
    }
    // 0 is reserved for texts that are too short.
    if count < FEWEST_TOKENS { 0 } else { folded.max(1) }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

const FNV_OFFSET_BASIS: u32 = 0x811c_9dc5;
const FNV_PRIME: u32 = 0x0100_0193;

/// FNV-1a: short, the same everywhere, and good enough to tell words apart.
fn fnv_hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(FNV_OFFSET_BASIS, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(FNV_PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::{ExtractLimits, extract};

    /// The body of the first function called `name`.
    fn of(path: &str, text: &str, name: &str) -> u32 {
        let symbols = extract(path, text.as_bytes(), &ExtractLimits::default()).symbols;
        let at = symbols.iter().position(|symbol| symbol.name == name).expect("it is there");
        body_hashes(text.as_bytes(), &symbols)[at]
    }

    #[test]
    fn a_name_and_the_space_around_make_no_difference() {
        let plain = of("a.py", "def one(a, b):\n    return one(a + 1, b) + b\n", "one");
        let moved = of("b.py", "class C:\n    def two(a, b):\n        return two(a + 1, b) + b\n", "two");
        let other = of("a.py", "def one(a, b):\n    return one(a + 2, b) + b\n", "one");
        assert_ne!(plain, 0);
        assert_eq!(plain, moved);
        assert_ne!(plain, other);
    }

    #[test]
    fn too_little_text_tells_nothing() {
        assert_eq!(of("a.py", "def one(): pass\n", "one"), 0);
    }
}
