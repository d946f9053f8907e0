//! Parses the parameters of a function, each from its text in the signature: of what type it is, and how much of it a
//! call may leave out or repeat. Read where functions of one name differ by that; the type comes before the name there.

use crate::expression::{Expression, parse_name};

/// What a function takes at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type.
    pub says: Expression,
    /// Whether any number may be passed for it.
    pub is_repeated: bool,
    /// Whether it may be left out.
    pub has_default: bool,
}

/// Words before a type that say how something is passed.
const MANNERS: [&str; 16] = [
    "final",
    "const",
    "constexpr",
    "volatile",
    "register",
    "struct",
    "class",
    "enum",
    "union",
    "typename",
    "in",
    "out",
    "ref",
    "params",
    "scoped",
    "readonly",
];

/// Words of which several together are one type.
const NUMBER_WORDS: [&str; 8] = ["unsigned", "signed", "short", "long", "int", "char", "float", "double"];

impl Parameter {
    /// Nothing where the text is none: `void` in an empty list, a sign that only names may follow.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (declared, has_default) = match find_outside(text, '=') {
            Some(at) => (&text[..at], true),
            None => (text, false),
        };
        let declared = without_annotations(declared.trim());
        if declared == "..." {
            return Some(Self { says: Expression::Unknown, is_repeated: true, has_default });
        }
        let is_repeated = declared.contains("...") || declared.split_whitespace().any(|word| word == "params");
        let is_array = declared.contains('[') && !is_repeated;
        let is_pointer = declared.contains('*');
        let plain = without_groups(declared);
        let spaced = plain.replace(['&', '*', '.', ','], " ");
        // The dots of a path are needed; those of a repeated parameter are not.
        let spaced = if is_repeated { spaced } else { plain.replace(['&', '*', ','], " ") };
        let words: Vec<&str> = spaced.split_whitespace().filter(|word| !MANNERS.contains(word)).collect();
        let first = *words.first()?;
        // What an extension is called on is not passed in brackets: `this List<T> all`.
        if first == "this" || (words == ["void"] && !is_pointer) {
            return None;
        }
        let head = match first {
            "char" if is_pointer => Expression::Builtin("char*".to_owned()),
            // `unsigned long long x` is no type of its own here: all that counts is that it is a number.
            word if NUMBER_WORDS.contains(&word) => {
                let last = words.iter().take_while(|word| NUMBER_WORDS.contains(word)).last().unwrap_or(&first);
                Expression::Builtin((*last).to_owned())
            }
            "auto" => Expression::Unknown,
            word => parse_name(word).unwrap_or(Expression::Unknown),
        };
        let says = if is_array { Expression::Of(Box::new(Expression::Literal), vec![head]) } else { head };
        Some(Self { says, is_repeated, has_default })
    }
}

/// A text without the annotations that it begins with.
fn without_annotations(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let is_attribute = text.starts_with('[') && text.contains(']');
        if is_attribute {
            text = text.split_once(']').map_or("", |(_, rest)| rest);
        } else if let Some(rest) = text.strip_prefix('@') {
            let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
            let rest = &rest[name..];
            text = match rest.strip_prefix('(') {
                Some(inner) => inner.split_once(')').map_or("", |(_, rest)| rest),
                None => rest,
            };
        } else {
            return text;
        }
    }
}

/// A text without what is in brackets.
fn without_groups(text: &str) -> String {
    let mut depth = 0usize;
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                plain.push(' ');
            }
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Where a sign stands outside of all brackets.
fn find_outside(text: &str, sign: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if c == sign && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_says_its_type_and_how_often_it_is_passed() {
        for (text, expected) in [
            ("final Map<String, List<A>> all", "Name(\"Map\")"),
            ("@Nullable java.util.Date at", "Member(Member(Name(\"java\"), \"util\"), \"Date\")"),
            ("@Size(max = 3) String text", "Name(\"String\")"),
            ("String... rest", "Name(\"String\") repeated"),
            ("int[] all", "Of(Literal, [Builtin(\"int\")])"),
            ("const char* text", "Builtin(\"char*\")"),
            ("unsigned long count = 3", "Builtin(\"long\") left out"),
            ("const app::Slice&", "Member(Name(\"app\"), \"Slice\")"),
            ("std::function<void(int)> run = nullptr", "Member(Name(\"std\"), \"function\") left out"),
            ("params object[] rest", "Name(\"object\") repeated"),
            ("[NotNull] ref Item item", "Name(\"Item\")"),
        ] {
            let Parameter { says, is_repeated, has_default } = Parameter::parse(text).expect("it is a parameter");
            let more = [(is_repeated, " repeated"), (has_default, " left out")];
            let more: String = more.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
            assert_eq!(format!("{says:?}{more}"), expected, "{text}");
        }
        assert_eq!(Parameter::parse("void"), None);
    }
}
