//! Parses names and types that are written as text: a dotted name such as `a.B`, and type annotations in quotes such as
//! `"List[a.B]"`.

use super::Expression;

/// Quoted types that nest deeper are not parsed.
const MAX_QUOTED_DEPTH: u32 = 8;

/// The name that a text spells: `a.B`, `a::B`.
pub(crate) fn parse_name(text: &str) -> Option<Expression> {
    let mut parts = text.split(['.', ':', '\\']).filter(|part| !part.is_empty());
    let is_word = |part: &&str| part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    let first = parts.next().filter(is_word)?;
    parts.try_fold(Expression::Name(first.to_owned()), |object, part| {
        is_word(&part).then(|| Expression::Member(Box::new(object), part.to_owned()))
    })
}

/// The type that a text in quotes spells: `"A | None"`, `"List[a.B]"`.
pub(crate) fn quoted_type(text: &str) -> Option<Expression> {
    let inner = text.trim();
    let bare = inner.trim_matches(['"', '\'']);
    // A text without quotes was read by the grammar already.
    (bare.len() < inner.len()).then(|| parse_type(bare, MAX_QUOTED_DEPTH)).flatten()
}

fn parse_type(text: &str, depth: u32) -> Option<Expression> {
    let depth = depth.checked_sub(1)?;
    let text = text.trim();
    let several = split_outside(text, '|');
    if several.len() > 1 {
        let read = |part: &&str| parse_type(part, depth).unwrap_or(Expression::Unknown);
        return Some(Expression::Either(several.iter().map(read).collect()));
    }
    match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((head, list)) => {
            let read = |part: &&str| parse_type(part, depth).unwrap_or(Expression::Unknown);
            Some(Expression::Of(
                Box::new(parse_name(head.trim())?),
                split_outside(list, ',').iter().map(read).collect(),
            ))
        }
        None => parse_name(text),
    }
}

/// Splits a text where a sign is in no bracket.
fn split_outside(text: &str, sign: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            c if c == sign && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_in_quotes_is_read_as_if_it_stood_there() {
        let name = |name: &str| Expression::Name(name.to_owned());
        let of = |head: Expression, list| Expression::Of(Box::new(head), list);
        for (text, expected) in [
            ("'A'", Some(name("A"))),
            ("\"a.B\"", Some(Expression::Member(Box::new(name("a")), "B".to_owned()))),
            ("'A | None'", Some(Expression::Either(vec![name("A"), name("None")]))),
            ("'Map[A, List[B]]'", Some(of(name("Map"), vec![name("A"), of(name("List"), vec![name("B")])]))),
            ("'two words'", None),
            ("A", None),
        ] {
            assert_eq!(quoted_type(text), expected, "{text}");
        }
    }
}
