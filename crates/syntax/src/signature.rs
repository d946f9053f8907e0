//! A signature taken apart: modifiers, parameters, what it gives back.
//!
//! Read from the one line every symbol has, when somebody asks, so that indexing pays nothing for it. Which words are
//! modifiers and where the type stands, a language says in its `language.toml`.

use serde::Deserialize;

/// `[signature]` of a `language.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Description {
    /// Words before the name that say how, not what.
    modifiers: Vec<String>,
    /// What stands between the parameters and the type given back, where anything does.
    returns: String,
    /// Whether that type stands before the name instead.
    returns_first: bool,
    /// What stands between the name and its type, where arrows part the parameters and what is given back.
    curried: String,
}

/// The parts of a signature, as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Words such as `pub`, `static`, `async`.
    pub modifiers: Vec<String>,
    /// One text for each parameter; none where the signature takes none.
    pub parameters: Vec<String>,
    /// The type given back, where the signature says it.
    pub returns: Option<String>,
}

impl Description {
    pub(crate) fn take_apart(&self, signature: &str, name: &str) -> Signature {
        let (before, after) = around(signature, name);
        let words: Vec<&str> = before.split_whitespace().collect();
        let is_modifier = |word: &&&str| self.modifiers.iter().any(|modifier| leading_word(word) == modifier);
        let modifiers = words.iter().filter(is_modifier).map(|word| (*word).to_owned()).collect();
        if !self.curried.is_empty() {
            return Signature { modifiers, ..curried(after, &self.curried) };
        }
        let after = after_group(after, '<', '>').unwrap_or(after);
        let Some(open) = after.find('(') else { return Signature { modifiers, ..Signature::default() } };
        let rest = after_group(&after[open..], '(', ')').unwrap_or("");
        let inner = after[open + 1..after.len() - rest.len()].strip_suffix(')').unwrap_or(&after[open + 1..]);
        let returns = if self.returns_first {
            let said = words.iter().filter(|word| !is_modifier(word)).copied().collect::<Vec<_>>().join(" ");
            after_group(&said, '<', '>').unwrap_or(&said).trim().to_owned()
        } else {
            let rest = rest.trim();
            let said = rest.strip_prefix(self.returns.as_str()).unwrap_or("");
            let end =
                [" where ", " throws ", "=>", "{"].iter().filter_map(|end| said.find(end)).min().unwrap_or(said.len());
            said[..end].trim().trim_end_matches([':', ';', '=']).trim().to_owned()
        };
        Signature { modifiers, parameters: split(inner, ","), returns: Some(returns).filter(|text| !text.is_empty()) }
    }
}

/// The parameters and result of a type written with arrows: `:: Ord a => a -> [a] -> Int`.
fn curried(after: &str, marker: &str) -> Signature {
    let Some(&at) = apart(after, marker).first() else { return Signature::default() };
    let typed = &after[at + marker.len()..];
    let typed = apart(typed, "=>").last().map_or(typed, |context| &typed[context + "=>".len()..]);
    let mut parameters = split(typed, "->");
    let returns = parameters.pop();
    Signature { parameters, returns, ..Signature::default() }
}

/// What stands before and after the name, where it stands as a word of its own.
fn around<'a>(signature: &'a str, name: &str) -> (&'a str, &'a str) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in signature.match_indices(name) {
        let (before, after) = (&signature[..at], &signature[at + name.len()..]);
        if !before.ends_with(is_word) && !after.starts_with(is_word) {
            return (before, after);
        }
    }
    ("", signature)
}

fn leading_word(word: &str) -> &str {
    word.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '@')).next().unwrap_or(word)
}

/// The text after a balanced group, if the text starts with one.
fn after_group(text: &str, open: char, close: char) -> Option<&str> {
    let text = text.trim_start();
    if !text.starts_with(open) {
        return None;
    }
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close && !text[..at].ends_with(['-', '=']) {
            depth -= 1;
            if depth == 0 {
                return Some(&text[at + c.len_utf8()..]);
            }
        }
    }
    None
}

/// Parts a list at the separators that stand in no bracket of their own.
fn split(list: &str, separator: &str) -> Vec<String> {
    let mut start = 0;
    let mut parts: Vec<&str> = Vec::new();
    for at in apart(list, separator) {
        parts.push(&list[start..at]);
        start = at + separator.len();
    }
    parts.push(&list[start..]);
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Where the separator stands in no bracket.
fn apart(list: &str, separator: &str) -> Vec<usize> {
    let (mut found, mut depth) = (Vec::new(), 0);
    for (at, c) in list.char_indices() {
        match c {
            _ if depth <= 0 && list[at..].starts_with(separator) => found.push(at),
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if list[..at].ends_with(['-', '=']) => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(description: &str, signature: &str, name: &str, expected: &Expect) {
        let description: Description = toml::from_str(description).expect("a description");
        let Signature { modifiers, parameters, returns } = description.take_apart(signature, name);
        expected.assert_eq(&format!("{modifiers:?} {parameters:?} {returns:?}"));
    }

    #[test]
    fn a_signature_is_taken_apart_as_its_language_says() {
        let arrow = "modifiers = ['pub', 'async', 'unsafe']\nreturns = '->'";
        check(
            arrow,
            "pub(crate) async fn f<F: Fn(u32) -> u8>(&self, by: F, at: HashMap<K, V>) -> Result<(), E> where F: Send",
            "f",
            &expect![[r#"["pub(crate)", "async"] ["&self", "by: F", "at: HashMap<K, V>"] Some("Result<(), E>")"#]],
        );
        check(arrow, "def define(self) -> str:", "define", &expect![[r#"[] ["self"] Some("str")"#]]);
        check(arrow, "struct S", "S", &expect!["[] [] None"]);
        check(
            "modifiers = ['public', 'static']\nreturns_first = true",
            "public static <T> List<T> names(int a, String... b) throws IOException",
            "names",
            &expect![[r#"["public", "static"] ["int a", "String... b"] Some("List<T>")"#]],
        );
        check(
            "",
            "func (s *Server) Run(n int) (int, error)",
            "Run",
            &expect![[r#"[] ["n int"] Some("(int, error)")"#]],
        );
        let curried = "curried = '::'";
        check(
            curried,
            "fold :: (Ord k, Show v) => (k -> v -> b) -> b -> Map k v -> b",
            "fold",
            &expect![[r#"[] ["(k -> v -> b)", "b", "Map k v"] Some("b")"#]],
        );
        check(curried, "limit :: Int", "limit", &expect![[r#"[] [] Some("Int")"#]]);
        check(curried, "area (Circle r)", "area", &expect!["[] [] None"]);
        check(arrow, "fn broken(a, (b", "broken", &expect![[r#"[] ["a", "(b"] None"#]]);
    }
}
