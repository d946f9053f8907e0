//! Resolves symbol ids of other tools, a name with a character offset, to our ids: `login:420` is the `login` nearest
//! to that offset, whatever it is a member of; `anon_420:420` is the anonymous function that starts there.
//!
//! An offset shifts with every edit before it, so a name leads to the nearest symbol that has it.

use super::is_number;
use crate::base::{Project, confined_file};
use std::io::Read as _;
use syntax::ExtractLimits;

/// Names that such tools give to functions without a name.
const ANONYMOUS_NAME_PREFIXES: [&str; 3] = ["anon_", "anonymous", "<anonymous>"];

/// A larger file is not searched for a name.
const MAX_SEARCHED_BYTES: u64 = 4 << 20;

/// The bytes of a file of the project that is short enough to be searched.
fn read_short(project: &Project, path: &str) -> Option<Vec<u8>> {
    let real = fs_err::canonicalize(project.root.join(path)).ok()?;
    let file = confined_file::open_file(&project.root, real.strip_prefix(&project.root).ok()?).ok()?;
    let mut bytes = Vec::new();
    let is_short = file.metadata().is_ok_and(|metadata| metadata.len() <= MAX_SEARCHED_BYTES);
    is_short.then(|| file.take(MAX_SEARCHED_BYTES).read_to_end(&mut bytes).ok())??;
    Some(bytes)
}

/// A name and its offset, if it has one.
pub(super) fn split_offset(text: &str) -> (&str, Option<usize>) {
    let split = text.rsplit_once(':').filter(|(_, offset)| is_number(offset));
    split.map_or((text, None), |(name, offset)| (name, offset.parse().ok()))
}

/// The place of a name in a file, in our spelling: an id, or the lines of a function without a name.
pub(super) fn symbol_at(project: &Project, path: &str, text: &str) -> String {
    let (name, offset) = split_offset(text);
    let written = format!("{path}#{name}");
    // Only files of the project are opened; for any other path, the caller that reads it reports the error.
    let Some(bytes) = read_short(project, path) else { return written };
    let limits = ExtractLimits::default();
    let at = offset.map(|offset| byte_of(&bytes, offset));
    if let Some(at) = at.filter(|_| ANONYMOUS_NAME_PREFIXES.iter().any(|start| name.starts_with(start))) {
        let lines = syntax::lines_at(path, &bytes, at, &limits);
        return lines.map_or(written, |lines| format!("{path}:{}-{}", lines.start, lines.end));
    }
    let symbols = syntax::extract(path, &bytes, &limits).symbols;
    let qualified_name = super::normalize_name(name).unwrap_or_else(|| name.to_owned());
    let has_name =
        |symbol: &&model::Symbol| symbol.id.qualified_name() == qualified_name || symbol.name == qualified_name;
    let distance = |symbol: &&model::Symbol| match at {
        Some(at) => symbol.span.start.abs_diff(at),
        // Without an offset the symbol with exactly this qualified name, then the first one of the name.
        None => u32::from(symbol.id.qualified_name() != qualified_name),
    };
    let nearest = symbols.iter().filter(has_name).min_by_key(distance);
    nearest.map_or(written, |symbol| symbol.id.to_string())
}

/// The byte at which a character starts.
fn byte_of(bytes: &[u8], character: usize) -> u32 {
    let text = String::from_utf8_lossy(bytes);
    text.char_indices().nth(character).map_or(bytes.len(), |(at, _)| at) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "class A {\n  login() { return 1 }\n}\nclass B {\n  login() { return 2 }\n}\n\
                          // ä\nuse('x', () => {\n  return 3\n})\nfunction plain() {}\n";

    #[test]
    fn a_name_with_an_offset_leads_to_the_nearest_symbol_of_that_name() {
        let directory = tempfile::tempdir().expect("a directory");
        fs_err::write(directory.path().join("a.ts"), SOURCE).expect("written");
        let project = Project::from_directory(directory.path()).expect("a project");
        let check = |text: &str, expected: &str| assert_eq!(symbol_at(&project, "a.ts", text), expected, "{text}");
        let offset = |of: &str| SOURCE.char_indices().position(|(at, _)| SOURCE[at..].starts_with(of)).expect("there");
        check(&format!("login:{}", offset("login() { return 1")), "a.ts#A.login");
        check(&format!("login:{}", offset("login() { return 2")), "a.ts#B.login");
        // Text was added above since, and taken away.
        check(&format!("login:{}", offset("login() { return 2") + 9), "a.ts#B.login");
        check("B.login:0", "a.ts#B.login");
        check("plain:9000", "a.ts#plain");
        check("plain", "a.ts#plain");
        check("login", "a.ts#A.login");
        check("nobody:3", "a.ts#nobody");
        let arrow = offset("() =>");
        check(&format!("anon_{arrow}:{arrow}"), "a.ts:8-10");
    }
}
