//! Parses the one-line signature of a symbol into modifiers, parameters and return type. A signature is parsed only
//! when a caller asks, so that indexing pays nothing for it. The `language.toml` of a language says which words are
//! modifiers and where the type is.

use model::Symbol;
use serde::Deserialize;

/// `[signature]` of a `language.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SignatureSpec {
    /// Words before the name, or behind the parameters, that say how, not what.
    modifiers: Vec<String>,
    /// The sign between the parameters and the return type, where there is one.
    returns: String,
    /// Whether the return type comes before the name, unless the sign of `returns` comes behind the parameters.
    returns_first: bool,
    /// Whether a method's types are in brackets: that of each parameter behind a colon, the return type before the
    /// name.
    selectors: bool,
    /// The sign between the name and its type, where arrows separate parameters and result.
    curried: String,
    /// What shows that other files can import a name.
    exported: ExportSign,
}

/// What shows that other files can import a name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ExportSign {
    /// Nothing in the text.
    #[default]
    None,
    /// A modifier.
    Word(String),
    /// Its first letter is a capital.
    Capital,
    /// It does not begin with an underscore.
    NoUnderscore,
}

/// The parts of a signature, as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignatureParts {
    /// Words such as `pub`, `static`, `async`.
    pub modifiers: Vec<String>,
    /// One text for each parameter; none where the signature takes none.
    pub parameters: Vec<String>,
    /// The return type, where the signature states it.
    pub returns: Option<String>,
}

impl SignatureSpec {
    /// Whether other files can import a symbol; nothing where the text does not say so.
    pub(crate) fn is_exported(&self, symbol: &Symbol) -> Option<bool> {
        match &self.exported {
            ExportSign::None => None,
            ExportSign::Word(word) => Some(self.take_apart(&symbol.signature, &symbol.name).modifiers.contains(word)),
            ExportSign::Capital => Some(symbol.name.starts_with(char::is_uppercase)),
            ExportSign::NoUnderscore => Some(!symbol.name.starts_with('_')),
        }
    }

    pub(crate) fn take_apart(&self, signature: &str, name: &str) -> SignatureParts {
        let (before, after) = split_at_name(signature, name);
        let words: Vec<&str> = before.split_whitespace().collect();
        let is_modifier = |word: &&&str| self.modifiers.iter().any(|modifier| leading_word(word) == modifier);
        let mut modifiers: Vec<String> = words.iter().filter(is_modifier).map(|word| (*word).to_owned()).collect();
        if !self.curried.is_empty() {
            return SignatureParts { modifiers, ..parse_curried(after, &self.curried) };
        }
        if self.selectors && signature.starts_with(['-', '+']) {
            return SignatureParts { modifiers, ..parse_selector(before, after) };
        }
        // Type parameters come between the name and the parameters.
        let after = after_group(after, '<', '>').or_else(|| after_group(after, '[', ']')).unwrap_or(after);
        let marker = self.returns.as_str();
        // A sign directly behind the name means that there is no parameter list: `def size: Int` (Scala).
        let has_none = !marker.is_empty() && after.trim_start().starts_with(marker);
        let mut open = after.find('(').filter(|_| !has_none);
        if open.is_none() && !has_none {
            return SignatureParts { modifiers, ..SignatureParts::default() };
        }
        let mut parameters = Vec::new();
        let mut rest = after;
        // Some languages have several lists of parameters: `def f(a: Int)(b: Int)`.
        while let Some(at) = open {
            let list = &rest[at..];
            rest = after_group(list, '(', ')').unwrap_or("");
            parameters
                .extend(split_list(list[1..list.len() - rest.len()].strip_suffix(')').unwrap_or(&list[1..]), ","));
            let space = rest.len() - rest.trim_start().len();
            open = Some(space).filter(|_| !marker.is_empty() && rest[space..].starts_with('('));
        }
        let may_stand_behind = self.returns_first || marker.starts_with(char::is_alphabetic);
        let (between, behind) = match rest.split_once(marker) {
            _ if marker.is_empty() && self.returns_first => (rest, None),
            _ if marker.is_empty() => ("", Some(rest)),
            Some((between, said)) if may_stand_behind || between.split_whitespace().all(|word| is_modifier(&&word)) => {
                (between, Some(said))
            }
            _ => (rest, Some("").filter(|_| !self.returns_first)),
        };
        modifiers.extend(between.split_whitespace().filter(|word| is_modifier(&word)).map(str::to_owned));
        let returns = if let Some(said) = behind {
            let end =
                [" where ", " throws ", "=>", "{"].iter().filter_map(|end| said.find(end)).min().unwrap_or(said.len());
            said[..end].trim().trim_end_matches([':', ';', '=']).trim().to_owned()
        } else {
            // `int *a::name()`, `A.name()`: the path is part of the name and not of the type.
            let path = words
                .last()
                .filter(|word| word.ends_with("::") || word.ends_with('.'))
                .map_or("", |word| word.trim_start_matches(['*', '&']));
            let said = words.iter().filter(|word| !is_modifier(word)).copied().collect::<Vec<_>>().join(" ");
            let said = said.strip_suffix(path).unwrap_or(&said);
            after_group(said, '<', '>').unwrap_or(said).trim().to_owned()
        };
        SignatureParts { modifiers, parameters, returns: Some(returns).filter(|text| !text.is_empty()) }
    }
}

/// The parameters and result of a type written with arrows: `:: Ord a => a -> [a] -> Int`.
fn parse_curried(after: &str, marker: &str) -> SignatureParts {
    let Some(&at) = separator_offsets(after, marker).first() else { return SignatureParts::default() };
    let typed = &after[at + marker.len()..];
    // A context such as `Ord a =>` is no parameter.
    let typed = separator_offsets(typed, "=>").last().map_or(typed, |context| &typed[context + "=>".len()..]);
    let mut parameters = split_list(typed, "->");
    let returns = parameters.pop();
    SignatureParts { parameters, returns, ..SignatureParts::default() }
}

/// The parameters and result of a method: `- (Image *)read:(File *)file at:(int)offset`.
fn parse_selector(before: &str, after: &str) -> SignatureParts {
    let returns = before.split_once('(').and_then(|(_, said)| said.rsplit_once(')')).map(|(said, _)| said.to_owned());
    let mut parameters = Vec::new();
    let mut rest = after;
    while let Some((_, group)) = rest.split_once(':') {
        let named = after_group(group, '(', ')').unwrap_or(group);
        let name = leading_word(named.trim_start());
        rest = &named.trim_start()[name.len()..];
        parameters.push(group[..group.len() - rest.len()].trim().to_owned());
    }
    SignatureParts { parameters, returns, ..SignatureParts::default() }
}

/// The text before and after the name, where the name is a word of its own.
fn split_at_name<'a>(signature: &'a str, name: &str) -> (&'a str, &'a str) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in signature.match_indices(name) {
        let before = &signature[..at];
        let after = &signature[at + name.len()..];
        // `get` occurs in `widget` as well.
        if !before.ends_with(is_word) && !after.starts_with(is_word) {
            return (before, after);
        }
    }
    ("", signature)
}

fn leading_word(word: &str) -> &str {
    word.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '@' || c == '#')).next().unwrap_or(word)
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
            // The `>` of `->` and `=>` closes no group.
            depth -= 1;
            if depth == 0 {
                return Some(&text[at + c.len_utf8()..]);
            }
        }
    }
    None
}

/// Splits a list at the separators that are in no bracket.
fn split_list(list: &str, separator: &str) -> Vec<String> {
    let mut start = 0;
    let mut parts: Vec<&str> = Vec::new();
    for at in separator_offsets(list, separator) {
        parts.push(&list[start..at]);
        start = at + separator.len();
    }
    parts.push(&list[start..]);
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The offsets at which the separator is in no bracket.
fn separator_offsets(list: &str, separator: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut depth = 0;
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
        let description: SignatureSpec = toml::from_str(description).expect("a description");
        let SignatureParts { modifiers, parameters, returns } = description.take_apart(signature, name);
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
        check(
            arrow,
            "pub fn load(at: Path) async -> Data",
            "load",
            &expect![[r#"["pub", "async"] ["at: Path"] Some("Data")"#]],
        );
        check(arrow, "def define(self) -> str:", "define", &expect![[r#"[] ["self"] Some("str")"#]]);
        check(arrow, "struct S", "S", &expect!["[] [] None"]);
        check(
            "modifiers = ['public', 'static']\nreturns_first = true",
            "public static <T> List<T> names(int a, String... b) throws IOException",
            "names",
            &expect![[r#"["public", "static"] ["int a", "String... b"] Some("List<T>")"#]],
        );
        let before_or_after = "modifiers = ['template']\nreturns = '->'\nreturns_first = true";
        check(
            before_or_after,
            "template <class T> const Map<T> &a::Box<T>::names(T a) const",
            "names",
            &expect![[r#"["template"] ["T a"] Some("const Map<T> &")"#]],
        );
        check(before_or_after, "auto size() const -> int", "size", &expect![[r#"[] [] Some("int")"#]]);
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
        check(
            "modifiers = ['view', 'external']\nreturns = 'returns'",
            "function of(uint a) external view returns (uint b)",
            "of",
            &expect![[r#"["external", "view"] ["uint a"] Some("(uint b)")"#]],
        );
        check(
            "selectors = true",
            "- (nullable Image *)read:(void (^)(int))file at:(int)offset",
            "read",
            &expect![[r#"[] ["(void (^)(int))file", "(int)offset"] Some("nullable Image *")"#]],
        );
        check("selectors = true", "+ (void)load", "load", &expect![[r#"[] [] Some("void")"#]]);
        check(
            "modifiers = ['override']\nreturns = ':'",
            "override def run[A](steps: Step*) (using log: Log): List[A]",
            "run",
            &expect![[r#"["override"] ["steps: Step*", "using log: Log"] Some("List[A]")"#]],
        );
        check("returns = ':'", "def size: Int", "size", &expect![[r#"[] [] Some("Int")"#]]);
        check(arrow, "fn broken(a, (b", "broken", &expect![[r#"[] ["a", "(b"] None"#]]);
    }
}
