//! Finds what a sentence names: symbols with their arguments, and paths with their lines. What may be a command, a
//! setting, a pattern or a placeholder names nothing.

use super::sentence::{BLANK, blank_code, is_word_char};
use regex::Regex;
use std::sync::LazyLock;

/// Something that a sentence names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeMention {
    /// Where it stands in the sentence, with its backticks.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) names: MentionedCode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MentionedCode {
    Symbol(SymbolMention),
    Path(PathMention),
    /// Something else between backticks: it names nothing, but words stand around it.
    Other,
}

/// A symbol as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SymbolMention {
    /// Its name with those before it: `["Session", "login"]`.
    pub(super) segments: Vec<String>,
    /// What stands in its parentheses; none where it has none.
    pub(super) arguments: Option<Vec<String>>,
    /// Whether a word of the language says that it is a declaration: `def login(user)`.
    pub(super) is_declaration: bool,
}

impl SymbolMention {
    /// The last name.
    pub(super) fn name(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// All names, with dots.
    pub(super) fn qualified(&self) -> String {
        self.segments.join(".")
    }

    /// Whether the name is put together from words, as names are that somebody made up for one thing.
    pub(super) fn is_compound(&self) -> bool {
        let name = self.name().trim_start_matches('_');
        let humps = name.char_indices().skip(1).filter(|(_, c)| c.is_uppercase()).count();
        let is_constant = !name.chars().any(char::is_lowercase);
        !is_constant && (name.contains('_') || humps > 0 && name.chars().any(char::is_lowercase))
    }
}

/// A path as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathMention {
    pub(super) path: String,
    /// The line behind it.
    pub(super) line: Option<u32>,
}

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\./)?((?:[\w.@+\[\]()-]+/)*[\w.@+\[\]-]+\.[A-Za-z]\w{0,9})(?:(?::|#L)(\d+)(?:(?:[-–:]|-L)\d+)?)?$")
        .expect("the pattern is ours")
});
static BARE_PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}(?::\d+(?:[-–]\d+)?)?").expect("the pattern is ours")
});
static BARE_CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*\([^()`\n]{0,80}\)").expect("the pattern is ours")
});
/// Words of languages in front of a declaration, and what they say of it is not part of the name.
const DECLARING: &[&str] = &["def", "fn", "func", "function", "fun", "sub"];
const LEADING: &[&str] = &[
    "async",
    "pub",
    "public",
    "private",
    "protected",
    "static",
    "export",
    "default",
    "class",
    "struct",
    "interface",
    "trait",
    "enum",
    "type",
    "const",
    "let",
    "var",
    "new",
    "await",
    "impl",
];

/// What a sentence names, in its order. `knows_file` says whether the project has a file of that name.
pub(super) fn find_mentions(sentence: &str, knows_file: impl Fn(&str) -> bool) -> Vec<CodeMention> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(open) = sentence[rest..].find('`').map(|at| rest + at) {
        let ticks = sentence[open..].bytes().take_while(|byte| *byte == b'`').count();
        let inside = open + ticks;
        let Some(close) = sentence[inside..].find(&"`".repeat(ticks)).map(|at| inside + at) else { break };
        let end = close + ticks;
        let names = read_code(sentence[inside..close].trim(), &knows_file).unwrap_or(MentionedCode::Other);
        found.push(CodeMention { start: open, end, names });
        rest = end;
    }
    add_bare(sentence, &knows_file, &mut found);
    found.sort_by_key(|mention| mention.start);
    found
}

/// Paths and calls that stand in the sentence without backticks.
fn add_bare(sentence: &str, knows_file: &impl Fn(&str) -> bool, found: &mut Vec<CodeMention>) {
    let prose = blank_code(sentence);
    let is_apart = |start: usize, end: usize| {
        let before = prose[..start].chars().next_back();
        let after = prose[end..].chars().next();
        // A link's address repeats its text; an address of the web is no path.
        !before.is_some_and(|c| is_word_char(c) || "/:@.$-<{#".contains(c) || c == BLANK)
            && !prose[..start].ends_with("](")
            && !after.is_some_and(|c| is_word_char(c) || "/:@".contains(c) || c == BLANK)
    };
    for call in BARE_CALL.find_iter(&prose).filter(|call| is_apart(call.start(), call.end())) {
        // `word(s)` is prose: only what looks like code is taken for it.
        let text = &sentence[call.range()];
        if let Some(MentionedCode::Symbol(symbol)) = read_code(text, knows_file)
            && (symbol.segments.len() > 1 || symbol.is_compound())
        {
            found.push(CodeMention { start: call.start(), end: call.end(), names: MentionedCode::Symbol(symbol) });
        }
    }
    for path in BARE_PATH.find_iter(&prose).filter(|path| is_apart(path.start(), path.end())) {
        let is_free = found.iter().all(|known| path.end() <= known.start || known.end <= path.start());
        let Some(named) = read_path(&sentence[path.range()], knows_file).filter(|_| is_free) else { continue };
        // `Node.js` is a product: without a folder only a file that is there is meant.
        if knows_file(&named.path) || named.path.contains('/') {
            found.push(CodeMention { start: path.start(), end: path.end(), names: MentionedCode::Path(named) });
        }
    }
}

fn read_code(text: &str, knows_file: &impl Fn(&str) -> bool) -> Option<MentionedCode> {
    if let Some(path) = read_path(text, knows_file) {
        return Some(MentionedCode::Path(path));
    }
    read_symbol(text).map(MentionedCode::Symbol)
}

fn read_path(text: &str, knows_file: &impl Fn(&str) -> bool) -> Option<PathMention> {
    let parts = PATH.captures(text)?;
    let path = parts.get(1)?.as_str();
    let line = parts.get(2).and_then(|line| line.as_str().parse().ok());
    let ending = path.rsplit('.').next().unwrap_or_default();
    // `res.json` is a member as often as a file.
    let is_code = || syntax::language_of(path, b"").is_some_and(|language| syntax::is_central(language.name()));
    let is_file = path.contains('/') || is_code();
    // `self.c` is a member: short endings are those of files that are there.
    let is_clear = path.contains('/') || line.is_some() || ending.len() > 1 || knows_file(path);
    let is_member = text.starts_with("self.") || text.starts_with("this.");
    (is_file && is_clear && !is_member || knows_file(path)).then(|| PathMention { path: path.to_owned(), line })
}

/// A symbol, where the whole text is one.
fn read_symbol(text: &str) -> Option<SymbolMention> {
    let mut text = text.trim_end_matches([';', ':', '{']).trim();
    let mut is_declaration = false;
    while let Some((word, rest)) = text.split_once(' ') {
        is_declaration |= DECLARING.contains(&word);
        if !DECLARING.contains(&word) && !LEADING.contains(&word) {
            break;
        }
        text = rest.trim_start();
    }
    // The receiver of a method: `(*Engine).Run`, `(e *Engine) Run`.
    let receiver = text.strip_prefix('(').and_then(|inner| inner.split_once(')'));
    let (owner, text) = match receiver {
        Some((owner, rest)) => {
            let name = owner.rsplit([' ', '*', '&']).next().unwrap_or_default();
            (Some(name.to_owned()), rest.trim_start_matches(['.', ' ']))
        }
        None => (None, text.trim_start_matches(['&', '*', '@'])),
    };
    let end = text.find(|c: char| !(is_word_char(c) || ".:#$-><!?".contains(c))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let name = name.split_once('<').map_or(name, |(name, _)| name);
    let mut segments: Vec<String> = owner.into_iter().collect();
    let name = name.replace("->", ".").replace("::", ".").replace('#', ".");
    for segment in name.trim_end_matches('!').split('.') {
        let mut letters = segment.chars();
        let is_name = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| is_word_char(c) || c == '$');
        if !is_name {
            return None;
        }
        segments.push(segment.to_owned());
    }
    // `this.x` and `self.x` say whose member it is only to those who see the code around.
    if segments.len() > 1 && matches!(segments[0].as_str(), "self" | "this" | "Self" | "super" | "crate") {
        segments.remove(0);
    }
    let arguments = read_arguments(rest).ok()?;
    Some(SymbolMention { segments, arguments, is_declaration })
}

/// Something follows a name that is no part of it.
struct NoSymbol;

/// What stands in the parentheses behind a name, where it has some.
fn read_arguments(rest: &str) -> Result<Option<Vec<String>>, NoSymbol> {
    if rest.is_empty() {
        return Ok(None);
    }
    let inside = rest.strip_prefix('(').ok_or(NoSymbol)?;
    let mut depth = 1;
    let mut list = vec![String::new()];
    for (at, c) in inside.char_indices() {
        depth += i32::from("([{<".contains(c))
            - i32::from(")]}".contains(c) || c == '>' && !inside[..at].ends_with(['-', '=']));
        if depth == 0 {
            let tail = inside[at + c.len_utf8()..].trim();
            // A return type may follow, or nothing.
            let is_type = tail.is_empty() || tail.starts_with("->") || tail.starts_with(':') || tail.starts_with('{');
            let is_go = tail.chars().all(|c| is_word_char(c) || " *.,()[]<>".contains(c));
            let list = list.iter().map(|argument| argument.trim().to_owned()).filter(|argument| !argument.is_empty());
            return if is_type || is_go { Ok(Some(list.collect())) } else { Err(NoSymbol) };
        }
        if c == ',' && depth == 1 {
            list.push(String::new());
        } else {
            list.last_mut().expect("there is always one").push(c);
        }
    }
    Err(NoSymbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sentence: &str) -> Vec<String> {
        let tell = |mention: CodeMention| match mention.names {
            MentionedCode::Symbol(symbol) => match &symbol.arguments {
                Some(arguments) => format!("{}({})", symbol.qualified(), arguments.join("|")),
                None => symbol.qualified(),
            },
            MentionedCode::Path(path) => format!("{}@{:?}", path.path, path.line),
            MentionedCode::Other => "?".to_owned(),
        };
        find_mentions(sentence, |name| name == "helpers.py").into_iter().map(tell).collect()
    }

    #[test]
    fn names_arguments_and_places_are_read() {
        assert_eq!(
            told("`Flask.make_answer(rv, retries)` in helpers.py calls `jsonify`"),
            ["Flask.make_answer(rv|retries)", "helpers.py@None", "jsonify"]
        );
        assert_eq!(
            told("`def f(a: Dict[str, int], b=(1, 2)) -> int` at `src/a.py:12-20`"),
            ["f(a: Dict[str, int]|b=(1, 2))", "src/a.py@Some(12)"]
        );
        assert_eq!(
            told("`(*Engine).Run`, `Store::open::<T>()` and `self.close()`; start_server(port) too"),
            ["Engine.Run", "?", "close()", "start_server(port)"]
        );
    }

    #[test]
    fn commands_settings_and_prose_name_nothing() {
        assert_eq!(told("`cargo test --all`, `--flag`, `$HOME`, `a = b`, `/v1/users`, `<id>`, `3.12`"), ["?"; 7]);
        assert_eq!(told("Node.js, file(s) and https://a.b/c.html are prose"), Vec::<String>::new());
    }
}
