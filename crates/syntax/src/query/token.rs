//! A lexer for the text of tree-sitter queries: splits it into tokens for the query parser.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum QueryToken<'a> {
    Open,
    Close,
    OpenChoice,
    CloseChoice,
    Word(&'a str),
    Text(String),
    Field(&'a str),
    Absent(&'a str),
    Capture(&'a str),
    Predicate(&'a str),
    Anchor,
    Many,
    Unknown,
}

/// The tokens of a query, each with how it is written.
pub(super) struct QueryLexer<'a>(pub(super) &'a str);

impl<'a> Iterator for QueryLexer<'a> {
    type Item = (QueryToken<'a>, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.0 = self.0.trim_start();
            match self.0.strip_prefix(';') {
                Some(comment) => self.0 = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => break,
            }
        }
        let all = self.0;
        let first = all.chars().next()?;
        let word = |text: &'a str| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '?' | '!');
            &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
        };
        let (token, length) = match first {
            '(' => (QueryToken::Open, 1),
            ')' => (QueryToken::Close, 1),
            '[' => (QueryToken::OpenChoice, 1),
            ']' => (QueryToken::CloseChoice, 1),
            '.' => (QueryToken::Anchor, 1),
            '?' | '*' | '+' => (QueryToken::Many, 1),
            '@' => (QueryToken::Capture(word(&all[1..])), 1 + word(&all[1..]).len()),
            '#' => (QueryToken::Predicate(word(&all[1..])), 1 + word(&all[1..]).len()),
            '!' => (QueryToken::Absent(word(&all[1..])), 1 + word(&all[1..]).len()),
            '"' => lex_text(all),
            c if c.is_ascii_alphanumeric() || c == '_' => {
                // A quantifier may follow a word directly: `_?`.
                let word = word(all).trim_end_matches(['?', '!']);
                match all[word.len()..].trim_start().strip_prefix(':') {
                    Some(rest) => (QueryToken::Field(word), all.len() - rest.len()),
                    None => (QueryToken::Word(word), word.len()),
                }
            }
            c => (QueryToken::Unknown, c.len_utf8()),
        };
        self.0 = &all[length..];
        Some((token, &all[..length]))
    }
}

/// A text in quotes, and how long it is with them.
fn lex_text(all: &str) -> (QueryToken<'_>, usize) {
    let mut said = String::new();
    let mut chars = all.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (QueryToken::Text(said), at + 1),
            '\\' => said.extend(chars.next().map(|(_, c)| match c {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                c => c,
            })),
            c => said.push(c),
        }
    }
    // A text without an end takes the rest of the query with it.
    (QueryToken::Unknown, all.len())
}
