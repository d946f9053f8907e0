//! What the pattern of a subscription fits: paths, kinds of symbols, words, in files, prompts and around a cursor.

use super::baseline::{ChangedPlace, ChangedSymbol};
use super::cursor::NEAR_LINES;
use crate::base::path_pattern::PathPattern;
use crate::base::run_blocking;
use crate::memory::{PatternKind, Subscription};
use crate::{Project, Result};
use model::SymbolKind;
use std::path::PathBuf;

/// A longer file is not looked through for a word.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// So many names of a prompt are looked up.
const MAX_NAMES: usize = 20;

/// The kind of symbols that a subscription is about.
pub(super) fn symbol_kind(subscription: &Subscription) -> Option<SymbolKind> {
    (subscription.pattern == PatternKind::EntityType).then(|| SymbolKind::parse(&subscription.value)).flatten()
}

/// Whether a path lies in the scope of a subscription.
pub(super) fn is_inside(subscription: &Subscription, path: &str) -> bool {
    let inside = |scope: &str| path.strip_prefix(scope.trim_matches('/')).is_some_and(|rest| rest.starts_with('/'));
    subscription.scope.as_deref().is_none_or(inside)
}

/// Whether a path is in the scope of a subscription and fits its pattern.
pub(super) fn fits_path(subscription: &Subscription, path: &str) -> bool {
    // Read when it was added; one that a later version cannot read names nothing.
    is_inside(subscription, path) && PathPattern::new(&subscription.value).is_ok_and(|pattern| pattern.fits(path))
}

/// Those of some files that a subscription is about: by their path, or by a word that they have.
pub(super) async fn fitting_files(
    project: &Project,
    subscription: &Subscription,
    mut changed: Vec<ChangedPlace>,
) -> Result<Vec<ChangedPlace>> {
    if subscription.pattern == PatternKind::FilePattern {
        // Read when it was added; one that a later version cannot read names nothing.
        let Ok(pattern) = PathPattern::new(&subscription.value) else { return Ok(Vec::new()) };
        changed.retain(|file| is_inside(subscription, &file.place) && pattern.fits(&file.place));
        return Ok(changed);
    }
    changed.retain(|file| file.text.is_some() && is_inside(subscription, &file.place));
    let (root, word) = (project.root.clone(), subscription.value.clone());
    run_blocking("looking for a word", move || {
        changed.retain(|file| read_text(root.join(&file.place)).is_some_and(|text| mentions_word(&text, &word)));
        changed
    })
    .await
}

/// Those of some symbols that a subscription is about.
pub(super) fn fitting_symbols(subscription: &Subscription, changed: &[ChangedSymbol]) -> Vec<ChangedPlace> {
    let kind = symbol_kind(subscription);
    let fits = |it: &&ChangedSymbol| Some(it.kind) == kind && is_inside(subscription, &it.path);
    changed.iter().filter(fits).map(|it| it.change.clone()).collect()
}

/// The line nearest to a line of a file that has a word, where one is near.
pub(super) async fn word_near(project: &Project, path: &str, line: u32, word: &str) -> Result<Option<u32>> {
    let (file, word) = (project.root.join(path), word.to_owned());
    run_blocking("looking for a word", move || {
        let text = read_text(file)?;
        let numbered = (1_u32..).zip(text.lines());
        let near = numbered.filter(|(number, _)| number.abs_diff(line) <= NEAR_LINES);
        near.filter(|(_, text)| mentions_word(text, &word)).map(|(number, _)| number).min_by_key(|at| at.abs_diff(line))
    })
    .await
}

/// The text of a file that is not too long to be looked through.
fn read_text(path: PathBuf) -> Option<String> {
    let file = fs_err::symlink_metadata(&path).ok()?;
    // What is a link leads elsewhere.
    (file.is_file() && file.len() <= MAX_TEXT_BYTES).then(|| fs_err::read_to_string(path).ok()).flatten()
}

/// Whether a text has a word, in any spelling of letters.
pub(super) fn mentions_word(text: &str, word: &str) -> bool {
    has_apart(&text.to_lowercase(), &word.to_lowercase(), |c| c.is_alphanumeric() || c == '_')
}

/// Whether a prompt names a file: by its path, or by its name where that has an ending.
pub(super) fn mentions_file(prompt: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_ending = name.trim_start_matches('.').contains('.');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    has_apart(prompt, path, is_part) || has_ending && has_apart(prompt, name, is_part)
}

/// Whether a text has another one that is no part of something longer.
fn has_apart(text: &str, wanted: &str, is_part: impl Fn(char) -> bool) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + wanted.len()..].chars().next());
        !before.is_some_and(&is_part) && !after.is_some_and(&is_part)
    })
}

/// Names in a prompt that are names of code by how they are written: in backticks, before parentheses, put together from
/// words, or with a capital letter within a sentence.
pub(super) fn code_names(prompt: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = Vec::new();
    let mut end = 0;
    while let Some(start) = prompt[end..].find(is_name).map(|at| end + at) {
        end = prompt[start..].find(|c| !is_name(c)).map_or(prompt.len(), |at| start + at);
        let (name, before, after) = (&prompt[start..end], &prompt[..start], &prompt[end..]);
        let begins_sentence = before.trim_end().chars().next_back().is_none_or(|c| matches!(c, '.' | '!' | '?' | ':'));
        let is_capital = name.starts_with(char::is_uppercase) && !begins_sentence;
        let is_marked = before.ends_with('`') || after.starts_with('(') || name.contains('_') || has_hump(name);
        let may_be_one = name.len() > 1 && !name.starts_with(char::is_numeric);
        if may_be_one && (is_capital || is_marked) && !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(MAX_NAMES);
    names
}

/// Whether a capital letter stands behind a small one.
fn has_hump(name: &str) -> bool {
    name.chars().zip(name.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_mentioned_as_a_word() {
        assert!(mentions_word("Why does parse_header fail?", "parse_header"));
        assert!(mentions_word("the Session is gone", "session"));
        assert!(!mentions_word("the sessions are gone", "session"));
        assert!(!mentions_word("reparse_header", "parse_header"));
    }

    #[test]
    fn a_file_is_mentioned_by_its_path_or_by_a_name_with_an_ending() {
        assert!(mentions_file("look at src/price.py again", "src/price.py"));
        assert!(mentions_file("look at price.py:12", "src/price.py"));
        assert!(mentions_file("look at `Makefile`", "Makefile"));
        assert!(!mentions_file("look at the Makefile", "src/Makefile"));
        assert!(!mentions_file("look at unit-price.py", "src/price.py"));
    }

    #[test]
    fn a_name_of_code_is_known_by_how_it_is_written() {
        let check = |prompt: &str, names: &[&str]| assert_eq!(code_names(prompt), names, "{prompt}");
        check("Order the list of items", &[]);
        check("Why does Cart fail? Order it.", &["Cart"]);
        check("call total() and `order`, then total()", &["total", "order"]);
        check("is parse_header or parseHeader used", &["parse_header", "parseHeader"]);
        check("12 of 3_000", &[]);
    }
}
