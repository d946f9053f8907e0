//! Normalizes the ways in which callers write a file location or a symbol name to our syntax, `path:10-20` or
//! `path#qualified name`. Editors, compilers, other tools and people write `src/a.rs:10:5`, `a.ts:L10-L20`, `src\a.rs`,
//! an absolute path, `a.rs::Name`, `name()`. A text that exists as it is given always wins, so that our own spellings
//! are never read as something else.

mod offset;

use crate::base::Project;
use model::{LineRange, SymbolHandle};

/// A place in our spelling: `path`, `path:10-20` or `path#qualified name`; any other text unchanged.
pub(crate) fn normalize_place(project: &Project, text: &str) -> String {
    let is_there = |path: &str| !path.is_empty() && project.root.join(path).exists();
    if is_there(text) && !text.starts_with('/') {
        return text.to_owned();
    }
    let bare = strip_decoration(project, text);
    if is_there(&bare) {
        return bare;
    }
    // A file name may hold a colon, so each colon is tried until the part before it is a file.
    for (at, _) in bare.match_indices(':') {
        let path = &bare[..at];
        let rest = bare[at..].trim_start_matches(':');
        if project.root.join(path).is_file() {
            return match (parse_span(rest), parse_name(rest)) {
                (Some(lines), _) => format!("{path}:{lines}"),
                (None, Some(_)) => offset::symbol_at(project, path, rest),
                (None, None) => bare,
            };
        }
    }
    bare
}

/// A qualified name in our spelling, where the caller's differs: `Session::login()` is `Session.login`.
pub(crate) fn normalize_name(text: &str) -> Option<String> {
    // `(anonymous)` is a name; only parentheses behind a name are those of a call.
    let called = text.find('(').filter(|at| *at > 0 && text.ends_with(')')).map_or(text, |at| &text[..at]);
    let dotted = called.replace("::", ".").replace('#', ".");
    (dotted != text).then_some(dotted)
}

/// The lines that a caller wrote in place of a qualified name: `L10-L20`.
pub(crate) fn parse_lines(qualified_name: &str) -> Option<LineRange> {
    let written = parse_span(qualified_name.starts_with('L').then_some(qualified_name)?)?;
    let (start, end) = written.split_once('-').unwrap_or((&written, &written));
    let range = LineRange { start: start.parse().ok()?, end: end.parse().ok()? };
    (1 <= range.start && range.start <= range.end).then_some(range)
}

/// A text without quotes, without the scheme of an address and without the root of the project, with `/` between names.
fn strip_decoration(project: &Project, text: &str) -> String {
    let text = text.trim().trim_matches(['`', '"', '\'']);
    let text = ["epitome://file/", "file://"].iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text);
    // `@src/a.rs` is how some agents mention a file; `@` with digits is a handle of ours.
    let text = text.strip_prefix('@').filter(|_| SymbolHandle::parse(text).is_none()).unwrap_or(text);
    let slashed = text.replace('\\', "/");
    let path = slashed.split([':', '#']).next().unwrap_or_default();
    // Some languages (PHP) write names with backslashes.
    let text = if project.root.join(path).exists() { &slashed } else { text };
    let inside = text.strip_prefix(&project.root_text()).and_then(|rest| rest.strip_prefix('/'));
    inside.unwrap_or(text).to_owned()
}

/// Lines, from `10`, `10:5`, `10-20`, `L10-L20`, `10,20` or `10:5-20:3`; columns are ignored.
fn parse_span(text: &str) -> Option<String> {
    let number = |text: &str| {
        let text = text.trim();
        let digits = text.strip_prefix(['L', 'l']).unwrap_or(text);
        let digits = digits.split_once(':').filter(|(_, column)| is_number(column)).map_or(digits, |(line, _)| line);
        is_number(digits).then(|| digits.to_owned())
    };
    match text.split_once(['-', '–', ',']) {
        Some((start, end)) => Some(format!("{}-{}", number(start)?, number(end)?)),
        None => number(text),
    }
}

/// The name of a symbol, from `name` or `name:420`, where the number is an offset that other tools add.
fn parse_name(text: &str) -> Option<&str> {
    let (name, _) = offset::split_offset(text);
    name.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c)).then_some(name)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_however_it_is_written() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["a.rs", "b:1.rs", "@c", "d\\e"] {
            fs_err::write(directory.path().join(name), "x").expect("written");
        }
        let project = Project::from_directory(directory.path()).expect("a project");
        let root = project.root_text();
        let check = |text: &str, expected: &str| assert_eq!(normalize_place(&project, text), expected, "{text}");
        check("a.rs", "a.rs");
        check("./a.rs", "./a.rs");
        for same in [" `a.rs` ", "@a.rs", "file:///a.rs", "epitome://file/a.rs", &format!("{root}/a.rs")] {
            check(&same.replace("///", &format!("//{root}/")), "a.rs");
        }
        for (text, lines) in
            [("10", "10"), ("10:5", "10"), ("L10-L20", "10-20"), ("10,20", "10-20"), ("1:2-3:4", "1-3")]
        {
            check(&format!("a.rs:{text}"), &format!("a.rs:{lines}"));
        }
        for text in ["a.rs:Session.login", "a.rs::Session.login", "a.rs:Session.login:420"] {
            check(text, "a.rs#Session.login");
        }
        // What is there, or what we wrote, stays as it is.
        for text in ["b:1.rs", "@c", "d\\e", "a.rs#L10", "a.rs:10-", "@123456789", "Session::login", "no/such.rs:5"] {
            check(text, text);
        }
        check("no\\such.rs", "no\\such.rs");
        check(".\\a.rs:10", "./a.rs:10");
    }

    #[test]
    fn a_chain_is_read_however_it_is_written() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(normalize_name(text).as_deref(), expected, "{text}");
        check("Session::login()", Some("Session.login"));
        check("Session#login", Some("Session.login"));
        check("login(user, password)", Some("login"));
        check("Session.login", None);
        check("()", None);
        assert_eq!(parse_lines("L10-L20"), Some(LineRange { start: 10, end: 20 }));
        assert_eq!(parse_lines("L7"), Some(LineRange { start: 7, end: 7 }));
        for qualified_name in ["Login", "10-20", "L20-L10", "L"] {
            assert_eq!(parse_lines(qualified_name), None, "{qualified_name}");
        }
    }
}
