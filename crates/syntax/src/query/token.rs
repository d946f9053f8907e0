//! The tokens of a query.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
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
pub(super) struct Tokens<'a>(pub(super) &'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = (Token<'a>, &'a str);

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
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '[' => (Token::OpenChoice, 1),
            ']' => (Token::CloseChoice, 1),
            '.' => (Token::Anchor, 1),
            '?' | '*' | '+' => (Token::Many, 1),
            '@' => (Token::Capture(word(&all[1..])), 1 + word(&all[1..]).len()),
            '#' => (Token::Predicate(word(&all[1..])), 1 + word(&all[1..]).len()),
            '!' => (Token::Absent(word(&all[1..])), 1 + word(&all[1..]).len()),
            '"' => text(all),
            c if c.is_ascii_alphanumeric() || c == '_' => {
                let word = word(all).trim_end_matches(['?', '!']);
                match all[word.len()..].trim_start().strip_prefix(':') {
                    Some(rest) => (Token::Field(word), all.len() - rest.len()),
                    None => (Token::Word(word), word.len()),
                }
            }
            c => (Token::Unknown, c.len_utf8()),
        };
        self.0 = &all[length..];
        Some((token, &all[..length]))
    }
}

/// A text in quotes, and how long it is with them.
fn text(all: &str) -> (Token<'_>, usize) {
    let mut said = String::new();
    let mut chars = all.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (Token::Text(said), at + 1),
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
    (Token::Unknown, all.len())
}
