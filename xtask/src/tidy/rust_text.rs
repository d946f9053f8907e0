//! A small lexer of Rust source for the tidy rules: separates code, comments and string literals, and finds which lines
//! are tests. Not a parser. A rule that greps code must not stumble over a word in a comment or a message, and one that
//! greps messages must see nothing else; telling the three apart needs a lexer of a page, not a grammar.

use std::ops::Range;

use super::words;

/// A Rust file, taken apart.
pub(super) struct RustText {
    /// The source with comments and the insides of literals blanked out; every byte keeps its place.
    code: String,
    comments: Vec<TextPiece>,
    literals: Vec<TextPiece>,
    /// Byte ranges of items under `#[cfg(test)]`.
    tests: Vec<Range<usize>>,
}

pub(super) const TYPE_KEYWORDS: [&str; 5] = ["struct", "enum", "union", "trait", "type"];

/// A type or a function where it is defined.
pub(super) struct ItemDefinition<'a> {
    pub(super) name: &'a str,
    pub(super) is_function: bool,
    pub(super) line: usize,
}

/// A comment or a string literal without its delimiters; escapes stay as written.
pub(super) struct TextPiece {
    pub(super) offset: usize,
    pub(super) line: usize,
    pub(super) text: String,
}

impl RustText {
    pub(super) fn new(source: &str) -> RustText {
        let (code, comments, literals) = RustLexer::split_source(source);
        let tests = test_items(&code);
        RustText { code, comments, literals, tests }
    }

    pub(super) fn code(&self) -> &str {
        &self.code
    }

    pub(super) fn comments(&self) -> &[TextPiece] {
        &self.comments
    }

    /// String literals outside tests.
    pub(super) fn product_literals(&self) -> impl Iterator<Item = &TextPiece> {
        self.literals.iter().filter(|literal| !self.is_test(literal.offset))
    }

    /// Lines outside tests whose code has the word `needle`.
    pub(super) fn product_lines<'a>(&'a self, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
        words::word_offsets(&self.code, needle).filter(|&at| !self.is_test(at)).map(|at| self.line_at(at))
    }

    /// Lines, tests included, whose code has the word `needle`.
    pub(super) fn lines_with<'a>(&'a self, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
        words::word_offsets(&self.code, needle).map(|at| self.line_at(at))
    }

    pub(super) fn line_at(&self, offset: usize) -> usize {
        words::line_at(&self.code, offset)
    }

    /// Types and functions that are defined outside of tests. Associated types are not among them.
    pub(super) fn product_definitions(&self) -> Vec<ItemDefinition<'_>> {
        let mut definitions = Vec::new();
        let mut last = (0, "");
        for (at, name) in words::find_identifiers(&self.code) {
            let (keyword_at, keyword) = std::mem::replace(&mut last, (at, name));
            // `fn(u8)` is a type, and the name in its parentheses is not that of a function.
            let is_next = self.code[keyword_at + keyword.len()..at].trim().is_empty();
            let is_function = keyword == "fn";
            let is_type = TYPE_KEYWORDS.contains(&keyword)
                && name.starts_with(char::is_uppercase)
                // An associated type is named by its trait.
                && !(keyword == "type" && self.is_nested(at));
            if is_next && (is_function || is_type) && !self.is_test(at) {
                definitions.push(ItemDefinition { name, is_function, line: self.line_at(at) });
            }
        }
        definitions
    }

    /// The block that opens at or after `offset`, braces included.
    pub(super) fn block_after(&self, offset: usize) -> Option<Range<usize>> {
        block_after(&self.code, offset)
    }

    /// Whether a place is inside of braces: in a body, or among the fields or items of something.
    pub(super) fn is_nested(&self, offset: usize) -> bool {
        let braces = |brace: u8| self.code.bytes().take(offset).filter(|byte| *byte == brace).count();
        braces(b'{') > braces(b'}')
    }

    pub(super) fn is_test(&self, offset: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&offset))
    }
}

/// Items under `#[cfg(test)]` (or `all(test, …)`), from the attribute to the closing brace.
fn test_items(code: &str) -> Vec<Range<usize>> {
    ["#[cfg(test)]", "#[cfg(all(test,"]
        .into_iter()
        .flat_map(|attribute| code.match_indices(attribute))
        .map(|(start, attribute)| {
            let rest = start + attribute.len();
            let end = match code[rest..].find(['{', ';']).map(|at| rest + at) {
                Some(at) if code.as_bytes()[at] == b'{' => block_after(code, at).map_or(code.len(), |block| block.end),
                // `#[cfg(test)] use …;` and `mod tests;` end at the semicolon.
                Some(at) => at,
                None => code.len(),
            };
            start..end
        })
        .collect()
}

fn block_after(code: &str, offset: usize) -> Option<Range<usize>> {
    let start = offset + code[offset..].find('{')?;
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(start..at + 1);
        }
    }
    Some(start..code.len())
}

struct RustLexer<'a> {
    source: &'a str,
    code: Vec<u8>,
    comments: Vec<TextPiece>,
    literals: Vec<TextPiece>,
}

impl<'a> RustLexer<'a> {
    fn split_source(source: &'a str) -> (String, Vec<TextPiece>, Vec<TextPiece>) {
        let mut lexer =
            RustLexer { source, code: source.as_bytes().to_vec(), comments: Vec::new(), literals: Vec::new() };
        let mut at = 0;
        while at < source.len() {
            at = lexer.lex_next(at);
        }
        let code = String::from_utf8(lexer.code).expect("comments and literals are blanked whole");
        (code, lexer.comments, lexer.literals)
    }

    /// Handles what starts at `at` and returns where the next thing starts.
    fn lex_next(&mut self, at: usize) -> usize {
        let rest = &self.source[at..];
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            return self.add_comment(at, at + end);
        }
        if rest.starts_with("/*") {
            return self.add_comment(at, at + block_comment_length(rest));
        }
        // `bar"c"` is an identifier before a string, not a raw string.
        if let Some(quote) = raw_string_prefix(rest).filter(|_| !self.follows_word(at)) {
            let hashes = rest[..quote].bytes().filter(|&byte| byte == b'#').count();
            let closing = format!("\"{}", "#".repeat(hashes));
            let body = at + quote + 1;
            let length = self.source[body..].find(&closing).unwrap_or(self.source.len() - body);
            return self.add_literal(body, body + length, closing.len());
        }
        if let Some(body) = rest.strip_prefix('"') {
            return self.add_literal(at + 1, at + 1 + quoted_length(body, b'"'), 1);
        }
        if rest.starts_with('\'') {
            return self.character_or_lifetime(at);
        }
        at + rest.chars().next().map_or(1, char::len_utf8)
    }

    fn add_comment(&mut self, start: usize, end: usize) -> usize {
        self.comments.push(self.text_piece(start, end));
        self.blank_range(start, end);
        end
    }

    fn add_literal(&mut self, start: usize, end: usize, closing: usize) -> usize {
        self.literals.push(self.text_piece(start, end));
        self.blank_range(start, end);
        (end + closing).min(self.source.len())
    }

    /// `'a'` and `'\n'` are blanked, `'a` is code.
    fn character_or_lifetime(&mut self, at: usize) -> usize {
        let body = &self.source[at + 1..];
        let first = body.chars().next().map_or(0, char::len_utf8);
        let length = if body.starts_with('\\') {
            quoted_length(body, b'\'')
        } else if body[first..].starts_with('\'') {
            first
        } else {
            return at + 1;
        };
        self.blank_range(at + 1, at + 1 + length);
        (at + length + 2).min(self.source.len())
    }

    fn text_piece(&self, start: usize, end: usize) -> TextPiece {
        TextPiece { offset: start, line: words::line_at(self.source, start), text: self.source[start..end].to_owned() }
    }

    fn blank_range(&mut self, start: usize, end: usize) {
        for byte in &mut self.code[start..end] {
            // Newlines stay, so that a line number in the blanked text is one in the source.
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    fn follows_word(&self, at: usize) -> bool {
        self.source[..at].chars().next_back().is_some_and(words::is_word)
    }
}

/// Block comments nest.
fn block_comment_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// For `r"`, `r#"`, `br"`, `cr##"`…: the offset of the opening quote.
fn raw_string_prefix(text: &str) -> Option<usize> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let body = after.trim_start_matches('#');
    body.starts_with('"').then_some(text.len() - body.len())
}

/// Bytes up to the unescaped closing quote.
fn quoted_length(text: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(source: &str, expected: &Expect) {
        let text = RustText::new(source);
        let list = |pieces: &[TextPiece]| {
            pieces.iter().map(|piece| format!("[{}:{}]", piece.line, piece.text)).collect::<Vec<_>>().concat()
        };
        assert_eq!(text.code.len(), source.len());
        expected.assert_eq(&format!(
            "{}\ncomments {}\nliterals {}",
            text.code,
            list(&text.comments),
            list(&text.literals)
        ));
    }

    #[test]
    fn comments_and_literals_leave_the_code() {
        check(
            "let a = \"x // \\\" y\"; // \"z\"\nb(/* /* nested */ still */ 1)",
            &expect![[r#"
                let a = "         ";       
                b(                         1)
                comments [1:// "z"][2:/* /* nested */ still */]
                literals [1:x // \" y]"#]],
        );
    }

    #[test]
    fn raw_strings_end_at_their_own_fence() {
        check(
            r###"f(r#"a "quoted" b"#, br"\", r#type, bar"c")"###,
            &expect![[r##"
                f(r#"            "#, br" ", r#type, bar" ")
                comments 
                literals [1:a "quoted" b][1:\][1:c]"##]],
        );
    }

    #[test]
    fn a_quote_is_a_character_or_a_lifetime() {
        check(
            r#"fn f<'a>(x: &'a str) { x.find(['"', '\'', 'é', '\u{7f}']) } "s""#,
            &expect![[r#"
                fn f<'a>(x: &'a str) { x.find([' ', '  ', '  ', '      ']) } " "
                comments 
                literals [1:s]"#]],
        );
    }

    #[test]
    fn an_unfinished_file_ends_quietly() {
        for source in ["\"abc", "r#\"abc", "/* abc", "'", "'\\", "#[cfg(test)]", "#[cfg(test)] mod t { fn"] {
            RustText::new(source);
        }
    }

    #[test]
    fn test_items_are_told_from_the_product() {
        let source = "fn a() { now() }\n#[cfg(test)]\nmod tests {\n fn b() { now() }\n}\n#[cfg(test)]\nuse x;\nfn c() { now() }\n";
        let text = RustText::new(source);
        assert_eq!(text.product_lines("now").collect::<Vec<_>>(), [1, 8]);
        assert_eq!(text.lines_with("now").collect::<Vec<_>>(), [1, 4, 8]);
    }
}
